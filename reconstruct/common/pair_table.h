/* pair_table.h: small objects by a pair of numbers: messages, requests, collectives under way (waiting.c,
 * formats/messages.c). */
#ifndef REFRAIN_PAIR_TABLE_H
#define REFRAIN_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_pair {
    uint64_t a, b;
};

/* The beginning of each object, which belongs to the caller. */
struct refrain_pair_node {
    struct refrain_pair_node *next;
    struct refrain_pair key;
};

/* Starts as zeros. At the end its owner frees all objects, which are in the buckets, and the buckets. */
struct refrain_pair_table {
    struct refrain_pair_node **buckets;
    size_t n, capacity;
};

struct refrain_pair_node *refrain_pair_table_find(const struct refrain_pair_table *table, struct refrain_pair key);

/* Adds an object whose key is set and not yet in the table; false without memory. */
bool refrain_pair_table_add(struct refrain_pair_table *table, struct refrain_pair_node *node);
void refrain_pair_table_remove(struct refrain_pair_table *table, struct refrain_pair_node *node);

#endif
