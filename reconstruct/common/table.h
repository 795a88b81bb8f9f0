/* table.h: a hash table with one or two numbers as the key (used all over reconstruct/).
 *
 *     slots  [a b value] [ free ] [a b value] [a b value] ...      a power of two of them, at least a third free
 *                                     ^ hash of (a, b); a key is here or in one of the next slots, before a free one
 *
 * A value is a number other than 0, such as the index of an array entry from 1, or a pointer to an object. A table
 * starts as zeros. It owns objects made by refrain_table_make(), and no others. Slots and own objects are from
 * refrain_calloc() (arena.h). Threads: one at a time. */
#ifndef REFRAIN_TABLE_H
#define REFRAIN_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_table_slot {
    uint64_t a, b;
    union {
        uintptr_t number; /* 0: the slot is free */
        void *object;
    };
};

struct refrain_table {
    struct refrain_table_slot *slots;
    size_t n, capacity; /* capacity: 0 or a power of two */
};

static inline size_t refrain_table_hash(uint64_t a, uint64_t b) {
    uint64_t h = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
    return (size_t)(h ^ h >> 29 ^ h >> 43);
}

/* Hash of the bytes of a text (FNV-1a), for use as a key. Different texts may have the same hash. */
static inline uint64_t refrain_table_text(uint64_t before, const char *text) {
    for (; *text; text++)
        before = (before ^ (unsigned char)*text) * 1099511628211u;
    return before;
}
#define REFRAIN_TABLE_TEXT 1469598103934665603u /* `before` for the first text */

/* The slot of a key, or the free slot where the key would be. The table must have slots. */
static inline struct refrain_table_slot *refrain_table_slot(const struct refrain_table *table, uint64_t a, uint64_t b) {
    size_t i = refrain_table_hash(a, b) & (table->capacity - 1);
    while (table->slots[i].number && (table->slots[i].a != a || table->slots[i].b != b))
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

/* The value of a key; 0 or null if it has none. */
static inline uintptr_t refrain_table_number(const struct refrain_table *table, uint64_t a, uint64_t b) {
    return table->n ? refrain_table_slot(table, a, b)->number : 0;
}
static inline void *refrain_table_object(const struct refrain_table *table, uint64_t a, uint64_t b) {
    return table->n ? refrain_table_slot(table, a, b)->object : NULL;
}

/* Sets or replaces the value of a key. The value must not be 0 or null. False without memory. */
bool refrain_table_put(struct refrain_table *table, uint64_t a, uint64_t b, uintptr_t number);
bool refrain_table_put_object(struct refrain_table *table, uint64_t a, uint64_t b, void *object);

/* The object of a key, made with `bytes` zeroed bytes if there is none. Null without memory. */
void *refrain_table_make(struct refrain_table *table, uint64_t a, uint64_t b, size_t bytes);

/* Removes a key, if it is there, but not its object. Pointers to slots become invalid. */
void refrain_table_remove(struct refrain_table *table, uint64_t a, uint64_t b);

/* The slot in use after `slot` (null: the first one), in no particular order; null after the last one. The table
 * must not change meanwhile. */
struct refrain_table_slot *refrain_table_next(const struct refrain_table *table, const struct refrain_table_slot *slot);

/* Empty the table. The second function also frees the objects that the table owns. */
void refrain_table_close(struct refrain_table *table);
void refrain_table_free(struct refrain_table *table);

#endif
