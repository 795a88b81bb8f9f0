/* changes.h: what is to be different in a run, as the user says it, and the regions that are meant (command line, trace
 * -> survey.h, clocks.h).
 *
 *     burn()=2                 the function or user region burn, with all that it calls, computes twice as fast
 *     before MPI_Send=2        so does what lies between MPI_Send and the MPI call or function before it
 *     MPI_Alltoall=2           what the call takes besides waiting
 *     app.c:12=2               the same of a region by its file and line
 *
 * The text before `=` is a name with or without (), or FILE:LINE. Threads: one at a time. */
#ifndef REFRAIN_CHANGES_H
#define REFRAIN_CHANGES_H

#include "common/error.h"
#include "model/trace_read.h"
#include <stdbool.h>

enum refrain_change_kind {
    REFRAIN_CHANGE_FASTER,  /* computing takes 1/factor of its time */
    REFRAIN_CHANGE_BEFORE,  /* the same of computing that ends with the entry of the region */
    REFRAIN_CHANGE_BALANCE, /* each activation takes the mean over the ranks */
    REFRAIN_CHANGE_NO_WAIT, /* a blocking collective waits for nobody */
};

struct refrain_change {
    enum refrain_change_kind kind;
    char *name; /* as the user wrote it */
    double factor;
};

/* What the changes mean for a region. */
struct refrain_changed_region {
    double speed, before; /* 0: as it was */
    size_t balance;       /* number of the change + 1; 0: none */
    bool no_wait;
};

/* Starts as zeros, but for `latency`, which is 1. */
struct refrain_changes {
    struct refrain_change *changes;
    size_t n, capacity;
    double latency; /* of what calls that move data take besides waiting: so many times as long */
    struct refrain_changed_region *regions; /* by index, and one for regions without */
    size_t n_regions;
};

/* Adds what an option says. False where the text is not understood, or without memory; then *why says what was
 * expected. */
bool refrain_changes_add(struct refrain_changes *changes, enum refrain_change_kind kind, const char *text,
                         const char **why);

/* Finds the regions that are meant. An error where a name means none, or one that cannot be changed so. */
enum refrain_status refrain_changes_find(struct refrain_changes *changes, const struct refrain_trace *trace,
                                         struct refrain_error *error);

/* What is to be different in a region of the trace. */
static inline const struct refrain_changed_region *refrain_changes_of(const struct refrain_changes *changes,
                                                                      const struct refrain_region_info *region) {
    return &changes->regions[region->index < changes->n_regions ? region->index : changes->n_regions];
}

void refrain_changes_close(struct refrain_changes *changes);

#endif
