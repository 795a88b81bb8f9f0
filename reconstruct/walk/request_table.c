/* request_table.c: the pending requests, by number (request_table.h). */
#include "walk/request_table.h"
#include "common/arena.h"

#include <string.h>

#define FIRST_ENTRIES 64
#define MOST_ENTRIES ((size_t)1 << 20) /* far more than the table of any monitor */

static bool is_taken(const struct refrain_request_table *table, size_t i) {
    return *(const bool *)(table->entries + i * table->entry_bytes);
}

void *refrain_requests_take(struct refrain_request_table *table) {
    size_t i = table->lowest_free;
    while (i < table->n && is_taken(table, i))
        i++;
    if (i == table->n) {
        size_t n = i ? i * 2 : FIRST_ENTRIES;
        unsigned char *entries = n > MOST_ENTRIES ? NULL : refrain_realloc(table->entries, n * table->entry_bytes);
        if (!entries)
            return NULL;
        memset(entries + i * table->entry_bytes, 0, (n - i) * table->entry_bytes);
        table->entries = entries;
        table->n = n;
    }
    table->lowest_free = i + 1;
    unsigned char *entry = table->entries + i * table->entry_bytes;
    memset(entry, 0, table->entry_bytes);
    *(bool *)entry = true;
    return entry;
}

void *refrain_requests_at(const struct refrain_request_table *table, int64_t number) {
    return number >= 0 && (uint64_t)number < table->n && is_taken(table, (size_t)number)
               ? table->entries + (size_t)number * table->entry_bytes
               : NULL;
}

int64_t refrain_requests_number(const struct refrain_request_table *table, const void *entry) {
    return ((const unsigned char *)entry - table->entries) / (int64_t)table->entry_bytes;
}

void refrain_requests_give(struct refrain_request_table *table, void *entry) {
    *(bool *)entry = false;
    size_t i = (size_t)refrain_requests_number(table, entry);
    if (i < table->lowest_free)
        table->lowest_free = i;
}

void refrain_requests_close(struct refrain_request_table *table) {
    refrain_free(table->entries);
    table->entries = NULL;
    table->n = table->lowest_free = 0;
}
