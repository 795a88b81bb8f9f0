/* store.h: small entries of one size, by number and by a pair of keys (channels.c, align_collectives.c).
 *
 *     keys     (a, b) -> number of the entry; 0 is none
 *     entries  [unused] [1] [2] ... [n)                                       given-back ones are listed through `next`
 *
 * Entries begin with struct refrain_store_entry. Numbers stay valid until the entry is given back; pointers until the
 * next one is taken. A store with entries of no key is a plain pool. */
#ifndef REFRAIN_STORE_H
#define REFRAIN_STORE_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_store_entry {
    uint64_t a, b;
    uint32_t next;  /* in a list, as its user likes; of those given back */
    uint32_t keyed; /* 1: it was added */
};

struct refrain_store {
    size_t entry_bytes;
    unsigned char *entries;
    size_t capacity;
    uint32_t n, given_back;
    struct refrain_table keys;
};

static inline void *refrain_store_at(const struct refrain_store *store, uint32_t number) {
    return store->entries + number * store->entry_bytes;
}

/* The entry of these keys; 0 when there is none. */
uint32_t refrain_store_find(const struct refrain_store *store, uint64_t a, uint64_t b);

/* A new entry of these keys, else zero; 0 without memory. No other one has them. */
uint32_t refrain_store_add(struct refrain_store *store, uint64_t a, uint64_t b);

/* A new entry without keys, zeroed, which refrain_store_find does not find; 0 without memory. */
uint32_t refrain_store_take(struct refrain_store *store);

/* Give back an entry that was added, or one that was taken. */
void refrain_store_remove(struct refrain_store *store, uint32_t number);
void refrain_store_give(struct refrain_store *store, uint32_t number);

/* Whether the entry with that number is one that was added and not removed; for going through all, from 1 to n - 1. */
bool refrain_store_live(const struct refrain_store *store, uint32_t number);

void refrain_store_close(struct refrain_store *store);

/* A list of entries that were taken, linked by `next`; 0 = empty. */
struct refrain_store_list {
    uint32_t first, last;
};

/* The entry behind that one; 0: it is the last. */
static inline uint32_t refrain_store_next(const struct refrain_store *store, uint32_t number) {
    return ((const struct refrain_store_entry *)refrain_store_at(store, number))->next;
}

/* Puts an entry behind `before` (0: at the beginning). */
void refrain_store_insert(struct refrain_store *store, struct refrain_store_list *list, uint32_t before,
                          uint32_t number);

/* Takes the entry behind `before` out of the list, without giving it back. */
void refrain_store_unlink(struct refrain_store *store, struct refrain_store_list *list, uint32_t before);

#endif
