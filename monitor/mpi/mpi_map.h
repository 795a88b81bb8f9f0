/* mpi_map.h: a hash table from handles to numbers. It uses open addressing, is at most half full while there is memory,
 * and moves later entries up when one is deleted, so it stays fast with any number of changes. Key 0 is not used. It
 * begins as an array in the library's data, and grows into the pool. */
#ifndef REFRAIN_MPI_MAP_H
#define REFRAIN_MPI_MAP_H

#include "run/pool.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_map_entry {
    uint64_t key;
    int64_t value;
};

struct refrain_map {
    struct refrain_map_entry *entries; /* mask + 1 of them, a power of two */
    uint32_t capacity, used;
};

/* A map over an array whose size the compiler knows. */
#define REFRAIN_MAP(array)                                                                                             \
    { array, sizeof(array) / sizeof *(array), 0 }

static inline uint32_t refrain_map_home(const struct refrain_map *map, uint64_t key) {
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32) & (map->capacity - 1);
}

/* The entry of the key, or the free entry where it would be inserted. */
static inline struct refrain_map_entry *refrain_map_entry_of(const struct refrain_map *map, uint64_t key) {
    uint32_t i = refrain_map_home(map, key);
    while (map->entries[i].key != 0 && map->entries[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->entries[i];
}

/* The value of the key. `otherwise` if the key is not in the map. */
static inline int64_t refrain_map_get(const struct refrain_map *map, uint64_t key, int64_t otherwise) {
    const struct refrain_map_entry *entry = refrain_map_entry_of(map, key);
    return key != 0 && entry->key != 0 ? entry->value : otherwise;
}

/* Doubles the map. False without memory. Memory that it had in the pool is not used again. */
static inline bool refrain_map_grow(struct refrain_map *map) {
    struct refrain_map larger = {NULL, map->capacity * 2, map->used};
    larger.entries = refrain_pool_take_for_open(sizeof *larger.entries * larger.capacity);
    if (!larger.entries)
        return false;
    for (uint32_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key != 0)
            *refrain_map_entry_of(&larger, map->entries[i].key) = map->entries[i];
    *map = larger;
    return true;
}

/* Sets the value of a key. False if the map is full. */
static inline bool refrain_map_put(struct refrain_map *map, uint64_t key, int64_t value) {
    struct refrain_map_entry *entry = refrain_map_entry_of(map, key);
    if (key == 0)
        return false;
    if (entry->key == 0 && map->used >= map->capacity / 2) {
        if (!refrain_map_grow(map) && map->used >= map->capacity - map->capacity / 8)
            return false;
        entry = refrain_map_entry_of(map, key);
    }
    map->used += entry->key == 0;
    *entry = (struct refrain_map_entry){key, value};
    return true;
}

static inline void refrain_map_remove(struct refrain_map *map, uint64_t key) {
    struct refrain_map_entry *hole = refrain_map_entry_of(map, key);
    if (key == 0 || hole->key == 0)
        return;
    uint32_t mask = map->capacity - 1, i = (uint32_t)(hole - map->entries);
    for (uint32_t j = (i + 1) & mask; map->entries[j].key != 0; j = (j + 1) & mask)
        if (((j - refrain_map_home(map, map->entries[j].key)) & mask) >= ((j - i) & mask)) {
            map->entries[i] = map->entries[j];
            i = j;
        }
    map->entries[i].key = 0;
    map->used--;
}

#endif
