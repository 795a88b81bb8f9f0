/* table.h: a hash table by one or two numbers (used all over reconstruct/).
 *
 *     slots  [a b value] [ free ] [a b value] [a b value] ...      a power of two of them, a third of them free
 *                                     ^ hash of (a, b); a key is there or in one of the next slots, before a free one
 *
 * A value is a number other than 0, such as that of an entry in an array from 1, or an object. A table starts as zeros,
 * with objects of its own (refrain_table_make) or the caller's. Slots and objects of its own are from refrain_calloc()
 * (arena.h). Threads: one at a time. */
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

/* Of a text's bytes (FNV-1a), for a key. Texts that differ may have the same. */
static inline uint64_t refrain_table_text(uint64_t before, const char *text) {
    for (; *text; text++)
        before = (before ^ (unsigned char)*text) * 1099511628211u;
    return before;
}
#define REFRAIN_TABLE_TEXT 1469598103934665603u /* `before` the first one */

/* The slot of a key, or the free one where it would be. The table has slots. */
static inline struct refrain_table_slot *refrain_table_slot(const struct refrain_table *table, uint64_t a, uint64_t b) {
    size_t i = refrain_table_hash(a, b) & (table->capacity - 1);
    while (table->slots[i].number && (table->slots[i].a != a || table->slots[i].b != b))
        i = (i + 1) & (table->capacity - 1);
    return &table->slots[i];
}

/* The value of a key: 0 or null where it has none. */
static inline uintptr_t refrain_table_number(const struct refrain_table *table, uint64_t a, uint64_t b) {
    return table->n ? refrain_table_slot(table, a, b)->number : 0;
}
static inline void *refrain_table_object(const struct refrain_table *table, uint64_t a, uint64_t b) {
    return table->n ? refrain_table_slot(table, a, b)->object : NULL;
}

/* Sets the value of a key, in place of one that it had. Not 0 or null. False without memory. */
bool refrain_table_put(struct refrain_table *table, uint64_t a, uint64_t b, uintptr_t number);
bool refrain_table_put_object(struct refrain_table *table, uint64_t a, uint64_t b, void *object);

/* The object of a key, made with `bytes` zeroed bytes where there is none; null without memory. */
void *refrain_table_make(struct refrain_table *table, uint64_t a, uint64_t b, size_t bytes);

/* Takes a key out, which may have no value; its object stays. Pointers to slots are no longer valid. */
void refrain_table_remove(struct refrain_table *table, uint64_t a, uint64_t b);

/* The slot in use behind `slot` (null: the first one), in no order; null behind the last one. Nothing is added or taken
 * out meanwhile. */
struct refrain_table_slot *refrain_table_next(const struct refrain_table *table, const struct refrain_table_slot *slot);

/* Empties the table. The second one frees its own objects, too. */
void refrain_table_close(struct refrain_table *table);
void refrain_table_free(struct refrain_table *table);

#endif
