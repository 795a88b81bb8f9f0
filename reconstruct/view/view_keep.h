/* view_keep.h: which states of a replay are kept, to go on from them later: by refrain itself (view_ahead.h) and by the
 * page (page/worker.ts, which asks engine.c).
 *
 *     key                what differs from the state right after opening
 *     told by a key      what differs from the key; where that is too much, the state becomes a key itself
 *
 * Where they become too many, or take too much, every second one goes of those told by a key, and then of the keys by
 * which no other one is told any more. The interval between new ones doubles. */
#ifndef REFRAIN_VIEW_KEEP_H
#define REFRAIN_VIEW_KEEP_H

#include <stdbool.h>
#include <stdint.h>

/* The most words in which a state may differ from its key, which has so many itself. */
static inline uint32_t refrain_keep_most_words(uint32_t key_words) {
    return key_words / 2;
}

/* Does the n-th one stay, from 0? Those told by a key are counted apart from keys by which none is told. */
static inline bool refrain_keep_stays(uint32_t n) {
    return n % 2 == 1;
}

#endif
