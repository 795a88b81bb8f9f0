/* store.c: entries by number and by key (store.h). */
#include "common/store.h"
#include "common/arena.h"

#include <string.h>

static struct refrain_store_entry *entry_at(const struct refrain_store *store, uint32_t number) {
    return refrain_store_at(store, number);
}

static uint32_t bucket_of(const struct refrain_store *store, uint64_t a, uint64_t b) {
    uint64_t h = (a * 0x9e3779b97f4a7c15u) ^ (b * 0xc2b2ae3d27d4eb4fu);
    return (uint32_t)(h ^ h >> 29 ^ h >> 43) & (store->n_buckets - 1);
}

uint32_t refrain_store_find(const struct refrain_store *store, uint64_t a, uint64_t b) {
    uint32_t number = store->n_buckets ? store->buckets[bucket_of(store, a, b)] : 0;
    while (number && (entry_at(store, number)->a != a || entry_at(store, number)->b != b))
        number = entry_at(store, number)->next;
    return number;
}

uint32_t refrain_store_take(struct refrain_store *store) {
    uint32_t number = store->given_back;
    if (number) {
        store->given_back = entry_at(store, number)->next;
    } else {
        if (store->n >= store->capacity) {
            uint32_t capacity = store->capacity ? store->capacity * 2 : 64;
            unsigned char *entries = capacity > store->capacity && capacity < (uint32_t)1 << 31
                                         ? refrain_realloc(store->entries, capacity * store->entry_bytes)
                                         : NULL;
            if (!entries)
                return 0;
            store->entries = entries;
            store->capacity = capacity;
            if (store->n == 0)
                store->n = 1;
        }
        number = store->n++;
    }
    memset(entry_at(store, number), 0, store->entry_bytes);
    return number;
}

static bool grow_buckets(struct refrain_store *store) {
    uint32_t n = store->n_buckets ? store->n_buckets * 2 : 64;
    uint32_t *buckets = refrain_calloc(n, sizeof *buckets);
    if (!buckets)
        return false;
    refrain_free(store->buckets);
    store->buckets = buckets;
    store->n_buckets = n;
    for (uint32_t i = 1; i < store->n; i++) {
        struct refrain_store_entry *entry = entry_at(store, i);
        if (!entry->keyed)
            continue;
        uint32_t *bucket = &buckets[bucket_of(store, entry->a, entry->b)];
        entry->next = *bucket;
        *bucket = i;
    }
    return true;
}

uint32_t refrain_store_add(struct refrain_store *store, uint64_t a, uint64_t b) {
    if (store->live >= store->n_buckets && !grow_buckets(store))
        return 0;
    uint32_t number = refrain_store_take(store);
    if (!number)
        return 0;
    struct refrain_store_entry *entry = entry_at(store, number);
    uint32_t *bucket = &store->buckets[bucket_of(store, a, b)];
    *entry = (struct refrain_store_entry){a, b, *bucket, 1};
    *bucket = number;
    store->live++;
    return number;
}

void refrain_store_give(struct refrain_store *store, uint32_t number) {
    *entry_at(store, number) = (struct refrain_store_entry){.next = store->given_back};
    store->given_back = number;
}

void refrain_store_remove(struct refrain_store *store, uint32_t number) {
    struct refrain_store_entry *entry = entry_at(store, number);
    uint32_t *link = &store->buckets[bucket_of(store, entry->a, entry->b)];
    while (*link != number)
        link = &entry_at(store, *link)->next;
    *link = entry->next;
    store->live--;
    refrain_store_give(store, number);
}

bool refrain_store_live(const struct refrain_store *store, uint32_t number) {
    return entry_at(store, number)->keyed != 0;
}

void refrain_store_insert(struct refrain_store *store, struct refrain_store_list *list, uint32_t before,
                          uint32_t number) {
    uint32_t *link = before ? &entry_at(store, before)->next : &list->first;
    entry_at(store, number)->next = *link;
    *link = number;
    if (list->last == before)
        list->last = number;
}

void refrain_store_unlink(struct refrain_store *store, struct refrain_store_list *list, uint32_t before) {
    uint32_t *link = before ? &entry_at(store, before)->next : &list->first;
    if (list->last == *link)
        list->last = before;
    *link = entry_at(store, *link)->next;
}

void refrain_store_close(struct refrain_store *store) {
    refrain_free(store->entries);
    refrain_free(store->buckets);
    *store = (struct refrain_store){.entry_bytes = store->entry_bytes};
}
