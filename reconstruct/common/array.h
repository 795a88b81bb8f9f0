/* array.h: arrays that grow by doubling (used all over reconstruct/).
 *
 *     if (!REFRAIN_ARRAY_ROOM(list->all, list->n, list->capacity))
 *         return false;
 *     list->all[list->n++] = thing;
 *
 * Array and capacity start as zeros. Without memory both are as they were. */
#ifndef REFRAIN_ARRAY_H
#define REFRAIN_ARRAY_H

#include "common/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REFRAIN_ARRAY_FIRST 8u /* entries that an array has room for at first */

/* Room for `more` entries behind the `n` that the array has; false without memory. `array`: a pointer to the pointer to
 * the entries, which are from `reallocate`. */
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

/* Room for one more entry (`more` of them) behind the `n` of an array from realloc(). The capacity is a size_t. */
#define REFRAIN_ARRAY_ROOM(array, n, capacity) REFRAIN_ARRAY_ROOMS(array, n, 1, capacity)
#define REFRAIN_ARRAY_ROOMS(array, n, more, capacity)                                                                  \
    refrain_array_room(realloc, &(array), (n), (more), &(capacity), sizeof *(array))

/* The same of an array from refrain_realloc() (arena.h): of all that a cursor can go back to. */
#define REFRAIN_ARENA_ROOM(array, n, capacity) REFRAIN_ARENA_ROOMS(array, n, 1, capacity)
#define REFRAIN_ARENA_ROOMS(array, n, more, capacity)                                                                  \
    refrain_array_room(refrain_realloc, &(array), (n), (more), &(capacity), sizeof *(array))

#endif
