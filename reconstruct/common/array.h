/* array.h: arrays that grow by an entry at a time (used all over reconstruct/).
 *
 *     struct thing *all = refrain_array_room(list->all, list->n, &list->capacity, sizeof *all);
 *     if (!all)
 *         return false;
 *     list->all = all;
 *     list->all[list->n++] = thing;
 */
#ifndef REFRAIN_ARRAY_H
#define REFRAIN_ARRAY_H

#include <stddef.h>
#include <stdlib.h>

#define REFRAIN_ARRAY_FIRST 8u /* entries that an array has room for at first */

/* The array, which may have moved, with room for an entry behind the `n` there are; *capacity is the number of entries
 * there is room for. `array` is from `reallocate` (realloc(), refrain_realloc() in sequence/arena.h), or null with a
 * capacity of 0. Null without memory: then array and capacity are as they were. */
static inline void *refrain_array_room_of(void *(*reallocate)(void *, size_t), void *array, size_t n, size_t *capacity,
                                          size_t entry_bytes) {
    if (n < *capacity)
        return array;
    size_t larger = *capacity ? *capacity * 2 : REFRAIN_ARRAY_FIRST;
    void *moved = reallocate(array, larger * entry_bytes);
    if (moved)
        *capacity = larger;
    return moved;
}

/* The same of an array that is from realloc(). */
static inline void *refrain_array_room(void *array, size_t n, size_t *capacity, size_t entry_bytes) {
    return refrain_array_room_of(realloc, array, n, capacity, entry_bytes);
}

#endif
