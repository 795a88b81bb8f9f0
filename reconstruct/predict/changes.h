/* changes.h: the changes of a run that the user asks for, and the regions that they name (command line, trace ->
 * survey.h, clocks.h).
 *
 *     burn()=2                 the function or user region burn, with all that it calls, computes twice as fast
 *     before MPI_Send=2        the time between MPI_Send and the MPI call or function before it is halved
 *     MPI_Alltoall=2           the time of the call besides waiting is halved
 *     app.c:12=2               as above, for a region given by its file and line
 *
 * --faster takes such texts; the options of the other kinds take a region without `=FACTOR`. A region is a name with or
 * without (), or FILE:LINE. If several changes of one kind match a region, the last one holds. Threads: one at a time.
 */
#ifndef REFRAIN_CHANGES_H
#define REFRAIN_CHANGES_H

#include "common/error.h"
#include "model/trace_read.h"
#include <stdbool.h>

enum refrain_change_kind {
    REFRAIN_CHANGE_FASTER,  /* computing takes 1/factor of its time */
    REFRAIN_CHANGE_BEFORE,  /* as FASTER, for the computing that ends with the begin of the region */
    REFRAIN_CHANGE_BALANCE, /* each activation takes the mean time of all ranks */
    REFRAIN_CHANGE_NO_WAIT, /* a blocking collective waits for nobody */
};

struct refrain_change {
    enum refrain_change_kind kind;
    char *name; /* as the user wrote it */
    double factor;
};

/* The changes of one region. */
struct refrain_changed_region {
    double speed, before; /* factors; 0: unchanged */
    size_t balance;       /* position of the change in refrain_changes.changes, + 1; 0: none */
    bool no_wait;
};

/* Starts as zeros, but for `latency`, which is 1. */
struct refrain_changes {
    struct refrain_change *changes;
    size_t n, capacity;
    double latency;                         /* factor for the time, besides waiting, of calls that move data */
    struct refrain_changed_region *regions; /* by index, and one more for events without a region */
    size_t n_regions;
};

/* Adds the change of an option. False without memory, and if the text is not understood: *why then says what was
 * expected. */
bool refrain_changes_add(struct refrain_changes *changes, enum refrain_change_kind kind, const char *text,
                         const char **why);

/* Finds the regions of all changes. An error if a name matches no region, or one that cannot be changed in this way. */
enum refrain_status refrain_changes_find(struct refrain_changes *changes, const struct refrain_trace *trace,
                                         struct refrain_error *error);

/* The changes of a region of the trace. */
static inline const struct refrain_changed_region *refrain_changes_of(const struct refrain_changes *changes,
                                                                      const struct refrain_region_info *region) {
    return &changes->regions[region->index < changes->n_regions ? region->index : changes->n_regions];
}

void refrain_changes_close(struct refrain_changes *changes);

#endif
