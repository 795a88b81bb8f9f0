/* request_table.h: requests under way, numbered by the monitor's rule (trace.h, enum refrain_operation): a request
 * takes the lowest number that is free, so that replay knows it without being told (walk_requests.c, translate.c). */
#ifndef REFRAIN_REQUEST_TABLE_H
#define REFRAIN_REQUEST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Entries are the user's; each begins with a bool, whether it is taken. Zero but for entry_bytes at first. */
struct refrain_request_table {
    size_t entry_bytes;
    unsigned char *entries;
    size_t n, lowest_free;
};

/* The entry with the lowest free number, zeroed but for being taken; null without memory, or beyond what any monitor
 * keeps. Valid until the next one is taken. */
void *refrain_requests_take(struct refrain_request_table *table);

/* The entry of that number; null when it is not taken. */
void *refrain_requests_at(const struct refrain_request_table *table, int64_t number);

/* The number of an entry. */
int64_t refrain_requests_number(const struct refrain_request_table *table, const void *entry);

/* Gives an entry back. */
void refrain_requests_give(struct refrain_request_table *table, void *entry);

void refrain_requests_close(struct refrain_request_table *table);

#endif
