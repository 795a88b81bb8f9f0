/* construct_times.h: times of threads in constructs of OpenMP and calls of the thread library (events -> stats
 * --by=construct).
 *
 *     parallel sblock |---work---|~~wait at a critical~~|--work--|~~implicit barrier~~|
 *                      in it      not in it              in it    waiting
 *
 * The barrier of a loop, or of other work that is shared, lies in its region or after it. A thread of a team may have
 * no barrier at the end of its block (refrain record with OMPT): then it waits until the construct ends on the thread
 * that made the team.
 *
 * A row is a construct, i.e. a place in the program. The time in it is that in its block without all waiting there,
 * so a construct around others shows the work in them. Its waiting is that at its own barrier, or before its
 * critical or ordered section, or for its lock, condition, thread or tasks. Tasks that a thread executes while it waits
 * are work. */
#ifndef REFRAIN_CONSTRUCT_TIMES_H
#define REFRAIN_CONSTRUCT_TIMES_H

#include "model/construct_regions.h"

struct refrain_construct_row {
    const char *name;  /* of one of its regions */
    uint64_t times;    /* teams, or blocks of single, critical and ordered; else how often a thread reached it */
    uint32_t threads;  /* number of threads that were in it, over all ranks */
    int64_t inside_ns; /* of all these threads */
    int64_t waiting_ns;
    int64_t least_ns, most_ns; /* time in it of the threads with least and most */
    int32_t most_rank;
    uint32_t most_thread;
    double imbalance_percent; /* how far the largest time of a thread is above the mean of its rank, over the ranks */
};

struct refrain_construct_rows {
    struct refrain_construct_row *rows; /* sorted by time including waiting, the longest first */
    size_t n;
    uint64_t approximate; /* number of approximate events */
};

/* Replays the trace, from learned events or, with `recorded`, from recorded ones. The caller closes the rows. */
enum refrain_status refrain_construct_rows_open(struct refrain_trace *trace, bool recorded, bool compensate,
                                                struct refrain_construct_rows *rows, struct refrain_error *error);
void refrain_construct_rows_close(struct refrain_construct_rows *rows);

#endif
