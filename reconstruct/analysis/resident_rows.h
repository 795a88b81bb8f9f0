/* resident_rows.h: how much memory each rank needs, and before which calls it grew (struct refrain_resident -> stats,
 * report, page). */
#ifndef REFRAIN_RESIDENT_ROWS_H
#define REFRAIN_RESIDENT_ROWS_H

#include "model/trace_read.h"

struct refrain_resident_rank {
    const struct refrain_process *process;
    uint64_t first_bytes, high_bytes; /* high-water mark when tracing began; at the end */
};

/* Growth of high-water marks between the MPI call before and this call. */
struct refrain_resident_growth {
    const struct refrain_region_info *region; /* the call site */
    uint64_t bytes;                           /* over all ranks */
    int32_t rank;                             /* the rank with most of it, which has rank_bytes */
    uint64_t rank_bytes;
    const struct refrain_process *last; /* process whose call sites were added last ... */
    uint64_t last_bytes;                /* ... and their growth: a line has a call site for each call path */
};

struct refrain_resident_rows {
    struct refrain_resident_rank *ranks; /* those whose memory is known, in the order of the trace's processes */
    size_t n_ranks;
    const struct refrain_resident_rank *most; /* the rank that needs most; null: nothing is known */
    uint64_t mean_bytes;                      /* of the high-water marks of the other ranks; 0: there are none */
    struct refrain_resident_growth *growth;   /* the largest first */
    size_t n_growth;
};

/* False without memory. The caller frees the rows, before the trace. */
bool refrain_resident_rows_make(const struct refrain_trace *trace, struct refrain_resident_rows *rows);
void refrain_resident_rows_free(struct refrain_resident_rows *rows);

/* True if one rank needs far more than the others: at least twice their mean, and 64 MiB more. */
bool refrain_resident_is_uneven(const struct refrain_resident_rows *rows);

#endif
