/* construct_times.h: what threads did in OpenMP's constructs (events -> stats --by=construct).
 *
 *     parallel sblock |---work---|~~wait at a critical~~|--work--|~~implicit barrier~~|
 *                      in it      not in it              in it    waiting
 *
 * A row is a construct: a place of the program. The time in it is that in its block without all that the thread waited
 * there: so a construct around others shows the work in them. The waiting is that at the construct's own barrier, for
 * its critical or ordered section, or for its lock or tasks. Tasks that a thread executes while it waits are work. */
#ifndef REFRAIN_CONSTRUCT_TIMES_H
#define REFRAIN_CONSTRUCT_TIMES_H

#include "model/openmp_regions.h"

struct refrain_construct_row {
    const char *name;  /* of one of its regions */
    uint64_t times;    /* teams, blocks of single, critical and ordered; else times that a thread came there */
    uint32_t threads;  /* that were in it, of all ranks */
    int64_t inside_ns; /* of all these threads */
    int64_t waiting_ns;
    int64_t least_ns, most_ns; /* in it, of a thread */
    int32_t most_rank;
    uint32_t most_thread;
    double imbalance_percent; /* how far the greatest of a rank's threads is above their mean, over the ranks */
};

struct refrain_construct_rows {
    struct refrain_construct_row *rows; /* the most time, waiting included, first */
    size_t n;
    uint64_t approximate; /* events that are */
};

/* Replays the trace: what was learned, or with `recorded` what was recorded. The caller closes. */
enum refrain_status refrain_construct_rows_open(struct refrain_trace *trace, bool recorded, bool compensate,
                                                struct refrain_construct_rows *rows, struct refrain_error *error);
void refrain_construct_rows_close(struct refrain_construct_rows *rows);

#endif
