/* counters.h: the counters and markers that a program tells (refrain_counter, refrain_marker, refrain_iteration), over
 * all ranks (trace -> stats, view). */
#ifndef REFRAIN_COUNTERS_H
#define REFRAIN_COUNTERS_H

#include "model/trace_read.h"

struct refrain_counter {
    const char *name;
    bool is_marker; /* it has no values */
    uint32_t ranks; /* that told it */
    uint64_t times;
    uint64_t values; /* that are known: fewer than `times` where only a summary is kept, or events were recorded only */
    int64_t least, most;
    long double sum; /* of these */
    int32_t last_rank;
};

struct refrain_counters {
    struct refrain_counter *counters; /* by name, counters before markers */
    size_t n;
};

/* Adds up all ranks (`rank` >= 0: that one alone). The caller closes. */
enum refrain_status refrain_counters_open(const struct refrain_trace *trace, int32_t rank,
                                          struct refrain_counters *counters, struct refrain_error *error);
void refrain_counters_close(struct refrain_counters *counters);

#endif
