/* store.c: makes, frees and links entries, and finds them by their keys (store.h). */
#include "common/store.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

#define MOST_ENTRIES ((uint32_t)1 << 30)

static struct refrain_store_entry *entry_at(const struct refrain_store *store, uint32_t number) {
    return refrain_store_at(store, number);
}

uint32_t refrain_store_find(const struct refrain_store *store, uint64_t a, uint64_t b) {
    return (uint32_t)refrain_table_number(&store->keys, a, b);
}

uint32_t refrain_store_take(struct refrain_store *store) {
    uint32_t number = store->given_back;
    if (number) {
        store->given_back = entry_at(store, number)->next;
    } else {
        if (store->n == 0)
            store->n = 1; /* number 0 stands for no entry */
        if (store->n >= MOST_ENTRIES ||
            !refrain_array_room(refrain_realloc, &store->entries, store->n, 1, &store->capacity, store->entry_bytes))
            return 0;
        number = store->n++;
    }
    memset(entry_at(store, number), 0, store->entry_bytes);
    return number;
}

uint32_t refrain_store_add(struct refrain_store *store, uint64_t a, uint64_t b) {
    uint32_t number = refrain_store_take(store);
    if (!number)
        return 0;
    if (!refrain_table_put(&store->keys, a, b, number)) {
        refrain_store_give(store, number);
        return 0;
    }
    *entry_at(store, number) = (struct refrain_store_entry){a, b, 0, 1};
    return number;
}

void refrain_store_give(struct refrain_store *store, uint32_t number) {
    *entry_at(store, number) = (struct refrain_store_entry){.next = store->given_back};
    store->given_back = number;
}

void refrain_store_remove(struct refrain_store *store, uint32_t number) {
    const struct refrain_store_entry *entry = entry_at(store, number);
    refrain_table_remove(&store->keys, entry->a, entry->b);
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
    if (list->last == before) /* also in an empty list, where both are 0 */
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
    refrain_table_close(&store->keys);
    *store = (struct refrain_store){.entry_bytes = store->entry_bytes};
}
