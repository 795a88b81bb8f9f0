/* array.h: arrays that grow by doubling (used all over reconstruct/).
 *
 *     if (!REFRAIN_ARRAY_ROOM(list->all, list->n, list->capacity))
 *         return false;
 *     list->all[list->n++] = thing;
 *
 * Array and capacity start as zeros. Without memory, both stay unchanged. */
#ifndef REFRAIN_ARRAY_H
#define REFRAIN_ARRAY_H

#include "common/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REFRAIN_ARRAY_FIRST 8u /* first capacity */

/* Makes room for `more` entries after the `n` entries of the array; false without memory. `array`: pointer to the
 * pointer to the entries, which are from `reallocate`. */
static inline bool refrain_array_room(void *(*reallocate)(void *, size_t), void *array, size_t n, size_t more,
                                      size_t *capacity, size_t entry_bytes) {
    if (more <= *capacity && n <= *capacity - more)
        return true;
    size_t larger = *capacity ? *capacity : REFRAIN_ARRAY_FIRST;
    while (larger < n || larger - n < more)
        if (larger > SIZE_MAX / 2 / entry_bytes)
            return false;
        else
            larger *= 2;
    void *entries;
    memcpy(&entries, array, sizeof entries);
    entries = reallocate(entries, larger * entry_bytes);
    if (!entries)
        return false;
    memcpy(array, &entries, sizeof entries);
    *capacity = larger;
    return true;
}

/* Room for one more entry (ROOMS: for `more`) after the `n` entries of an array from realloc(). The capacity is a
 * size_t. */
#define REFRAIN_ARRAY_ROOM(array, n, capacity) REFRAIN_ARRAY_ROOMS(array, n, 1, capacity)
#define REFRAIN_ARRAY_ROOMS(array, n, more, capacity)                                                                  \
    refrain_array_room(realloc, &(array), (n), (more), &(capacity), sizeof *(array))

/* The same for an array from refrain_realloc() (arena.h): for all data that a cursor can restore. */
#define REFRAIN_ARENA_ROOM(array, n, capacity) REFRAIN_ARENA_ROOMS(array, n, 1, capacity)
#define REFRAIN_ARENA_ROOMS(array, n, more, capacity)                                                                  \
    refrain_array_room(refrain_realloc, &(array), (n), (more), &(capacity), sizeof *(array))

#endif
