/* held_locks.h: the mutexes and spin locks that a location holds, so that each lock record gets its release
 * (otf2_threads.c, write_epilog.c).
 *
 *     end of a lock call, or of a wait for a condition           gets
 *     begin of an unlock call, or of a wait for a condition      releases
 *
 * A lock that the location got in another way, or holds twice, has no records. */
#ifndef REFRAIN_HELD_LOCKS_H
#define REFRAIN_HELD_LOCKS_H

#include "model/construct_regions.h"

#define REFRAIN_MOST_HELD_LOCKS 8u /* further ones get no records */

struct refrain_held_locks {
    struct {
        uint32_t lock; /* 0: none */
        uint32_t order;
    } of[REFRAIN_MOST_HELD_LOCKS];
};

enum refrain_held_change { REFRAIN_HELD_SAME, REFRAIN_HELD_GOT, REFRAIN_HELD_RELEASED };

/* What the begin or end of a region changes. `order` is kept from the acquisition to the release. */
static inline enum refrain_held_change refrain_held_change(struct refrain_held_locks *held,
                                                           const struct refrain_construct_region *region, bool enters,
                                                           uint32_t *order) {
    unsigned same = REFRAIN_MOST_HELD_LOCKS, unused = REFRAIN_MOST_HELD_LOCKS;
    if (region->lock == 0 ||
        !(enters ? refrain_construct_unlocks(region->class) : refrain_construct_locks(region->class)))
        return REFRAIN_HELD_SAME;
    for (unsigned i = 0; i < REFRAIN_MOST_HELD_LOCKS; i++) {
        same = held->of[i].lock == region->lock ? i : same;
        unused = held->of[i].lock == 0 ? i : unused;
    }
    if (enters && same < REFRAIN_MOST_HELD_LOCKS) {
        held->of[same].lock = 0;
        *order = held->of[same].order;
        return REFRAIN_HELD_RELEASED;
    }
    if (enters || same < REFRAIN_MOST_HELD_LOCKS || unused == REFRAIN_MOST_HELD_LOCKS)
        return REFRAIN_HELD_SAME;
    held->of[unused].lock = region->lock;
    held->of[unused].order = *order;
    return REFRAIN_HELD_GOT;
}

#endif
