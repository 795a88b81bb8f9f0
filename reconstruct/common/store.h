/* store.h: small entries of one size, found by number and by a pair of keys (channels.c, align_collectives.c).
 *
 *     keys     (a, b) -> number of the entry; 0 is none
 *     entries  [unused] [1] [2] ... [n)                                       freed entries are linked by `next`
 *
 * Entries begin with struct refrain_store_entry. A number is valid until its entry is freed, a pointer until the
 * next entry is made. Entries may also have no keys. A store begins as { .entry_bytes = sizeof(the entry) }. */
#ifndef REFRAIN_STORE_H
#define REFRAIN_STORE_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_store_entry {
    uint64_t a, b;
    uint32_t next;  /* link in a list of the user, or in the list of freed entries */
    uint32_t keyed; /* 1: the entry has keys; 0: it has none, or is freed */
};

struct refrain_store {
    size_t entry_bytes;
    unsigned char *entries;
    size_t capacity;
    uint32_t n;          /* one more than the highest number; 0: no entry was made yet */
    uint32_t given_back; /* the entry that was freed last; 0: none */
    struct refrain_table keys;
};

static inline void *refrain_store_at(const struct refrain_store *store, uint32_t number) {
    return store->entries + number * store->entry_bytes;
}

/* The entry with these keys; 0 if there is none. */
uint32_t refrain_store_find(const struct refrain_store *store, uint64_t a, uint64_t b);

/* Makes an entry with these keys; its other bytes are 0. Returns 0 without memory. No entry may have these keys yet. */
uint32_t refrain_store_add(struct refrain_store *store, uint64_t a, uint64_t b);

/* Makes a zeroed entry without keys; 0 without memory. */
uint32_t refrain_store_take(struct refrain_store *store);

/* Frees an entry with keys. */
void refrain_store_remove(struct refrain_store *store, uint32_t number);

/* Frees an entry without keys. */
void refrain_store_give(struct refrain_store *store, uint32_t number);

/* True if the entry with that number has keys and is not freed. For loops over all entries: i = 1; i < n. */
bool refrain_store_live(const struct refrain_store *store, uint32_t number);

void refrain_store_close(struct refrain_store *store);

/* A list of entries, linked by `next`; 0 = empty. An entry is in one list at most. */
struct refrain_store_list {
    uint32_t first, last;
};

/* The entry after this one; 0: it is the last. */
static inline uint32_t refrain_store_next(const struct refrain_store *store, uint32_t number) {
    return ((const struct refrain_store_entry *)refrain_store_at(store, number))->next;
}

/* Inserts an entry after `before` (0: at the beginning). */
void refrain_store_insert(struct refrain_store *store, struct refrain_store_list *list, uint32_t before,
                          uint32_t number);

/* Removes the entry after `before` (0: the first one) from the list. That entry has to exist; it is not freed. */
void refrain_store_unlink(struct refrain_store *store, struct refrain_store_list *list, uint32_t before);

#endif
