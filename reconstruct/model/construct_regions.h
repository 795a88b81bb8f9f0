/* construct_regions.h: finds the user regions that are constructs of OpenMP or calls of the thread library, by their
 * names (refrain/construct_names.h). */
#ifndef REFRAIN_CONSTRUCT_REGIONS_H
#define REFRAIN_CONSTRUCT_REGIONS_H

#include "model/trace_read.h"
#include <refrain/construct_names.h>

struct refrain_construct_region {
    enum refrain_construct_class class;
    bool block;    /* the block of the construct, on each thread that executes it */
    bool number;   /* the counter with the numbers of threads (REFRAIN_PTHREAD_NUMBER) */
    uint32_t lock; /* number of the lock of a critical construct, mutex, spin lock or of the mutex of a condition wait,
                      from 1 on; 0: none, or unknown */
};

struct refrain_construct_regions {
    struct refrain_construct_region
        *of;             /* by region index; one more entry at the end is for regions that are no constructs */
    size_t n;            /* regions */
    bool any;            /* the trace has a construct */
    bool teams, threads; /* it has parallel constructs, numbers of threads */
};

/* True for waits for a condition: the call releases the mutex, and has it again at its end. */
static inline bool refrain_construct_gives_back(enum refrain_construct_class class) {
    return class == REFRAIN_CONSTRUCT_COND_WAIT || class == REFRAIN_CONSTRUCT_COND_TIMEDWAIT ||
           class == REFRAIN_CONSTRUCT_COND_CLOCKWAIT;
}

/* True for calls after which the thread has a mutex or spin lock: those of a `try`, `timed` or `clock` call may have
 * failed. Locks of readers and writers are not among them: formats have only locks that one thread holds at a time. */
static inline bool refrain_construct_locks(enum refrain_construct_class class) {
    return class == REFRAIN_CONSTRUCT_MUTEX_LOCK || class == REFRAIN_CONSTRUCT_SPIN_LOCK ||
           refrain_construct_gives_back(class);
}

/* True for calls that release such a lock. */
static inline bool refrain_construct_unlocks(enum refrain_construct_class class) {
    return class == REFRAIN_CONSTRUCT_MUTEX_UNLOCK || class == REFRAIN_CONSTRUCT_SPIN_UNLOCK ||
           refrain_construct_gives_back(class);
}

/* Classifies all regions of the trace. False without memory; refrain_construct_regions_free() must be called even then.
 */
bool refrain_construct_regions_make(struct refrain_construct_regions *regions, const struct refrain_trace *trace);
void refrain_construct_regions_free(struct refrain_construct_regions *regions);

/* The class of a region: REFRAIN_CONSTRUCT_NONE if it is no construct, or no region of the trace. */
static inline const struct refrain_construct_region *
refrain_construct_region(const struct refrain_construct_regions *regions, const struct refrain_region_info *region) {
    return &regions->of[region->index < regions->n ? region->index : regions->n];
}

#endif
