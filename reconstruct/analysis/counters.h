/* counters.h: the counters and markers of a program (refrain_counter, refrain_marker, refrain_iteration), over all
 * ranks (trace -> stats, view). */
#ifndef REFRAIN_COUNTERS_H
#define REFRAIN_COUNTERS_H

#include "model/trace_read.h"

struct refrain_counter {
    const char *name;
    bool is_marker; /* a marker has no values */
    uint32_t ranks; /* ranks that used it */
    uint64_t times;
    uint64_t values; /* known values: fewer than `times` if only a summary is left, or if events were recorded only */
    int64_t least, most;
    long double sum; /* of these */
    int32_t last_rank;
};

struct refrain_counters {
    struct refrain_counter *counters; /* by name, counters before markers */
    size_t n;
};

/* Adds up all ranks, or only rank `rank` if that is >= 0. The caller closes the counters. */
enum refrain_status refrain_counters_open(const struct refrain_trace *trace, int32_t rank,
                                          struct refrain_counters *counters, struct refrain_error *error);
void refrain_counters_close(struct refrain_counters *counters);

#endif
