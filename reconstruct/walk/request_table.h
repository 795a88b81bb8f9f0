/* request_table.h: a table of the pending requests, with the numbers that the monitor gave them. A request gets the
 * lowest free number (trace.h, enum refrain_operation), so replay computes the numbers and the trace need not hold
 * them (walk_requests.c, translate.c). */
#ifndef REFRAIN_REQUEST_TABLE_H
#define REFRAIN_REQUEST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The user defines the entry. It begins with a bool that is true while the entry is in use. Set entry_bytes, and all
 * else to zero. */
struct refrain_request_table {
    size_t entry_bytes;
    unsigned char *entries;
    size_t n, lowest_free;
};

/* Returns the entry with the lowest free number, set to zero and marked as in use. Null without memory, and if the
 * table has more entries than any monitor keeps. Valid until the next call. */
void *refrain_requests_take(struct refrain_request_table *table);

/* The entry with this number, or null if it is not in use. */
void *refrain_requests_at(const struct refrain_request_table *table, int64_t number);

/* The number of an entry. */
int64_t refrain_requests_number(const struct refrain_request_table *table, const void *entry);

/* Frees an entry. */
void refrain_requests_give(struct refrain_request_table *table, void *entry);

void refrain_requests_close(struct refrain_request_table *table);

#endif
