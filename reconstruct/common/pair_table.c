/* pair_table.c: a hash table by a pair of numbers (pair_table.h). */
#include "common/pair_table.h"

#include <stdlib.h>

static size_t bucket_of(const struct refrain_pair_table *table, struct refrain_pair key) {
    uint64_t h = (key.a * 0x9e3779b97f4a7c15u) ^ (key.b * 0xc2b2ae3d27d4eb4fu);
    return (size_t)(h ^ h >> 29) & (table->capacity - 1);
}

struct refrain_pair_node *refrain_pair_table_find(const struct refrain_pair_table *table, struct refrain_pair key) {
    struct refrain_pair_node *node = table->capacity ? table->buckets[bucket_of(table, key)] : NULL;
    while (node && (node->key.a != key.a || node->key.b != key.b))
        node = node->next;
    return node;
}

bool refrain_pair_table_add(struct refrain_pair_table *table, struct refrain_pair_node *node) {
    if (table->n >= table->capacity) {
        struct refrain_pair_table larger = {NULL, table->n, table->capacity ? table->capacity * 2 : 64};
        larger.buckets = calloc(larger.capacity, sizeof *larger.buckets);
        if (!larger.buckets)
            return false;
        for (size_t i = 0; i < table->capacity; i++)
            for (struct refrain_pair_node *at = table->buckets[i], *next; at; at = next) {
                next = at->next;
                size_t b = bucket_of(&larger, at->key);
                at->next = larger.buckets[b];
                larger.buckets[b] = at;
            }
        free(table->buckets);
        *table = larger;
    }
    size_t b = bucket_of(table, node->key);
    node->next = table->buckets[b];
    table->buckets[b] = node;
    table->n++;
    return true;
}

void refrain_pair_table_remove(struct refrain_pair_table *table, struct refrain_pair_node *node) {
    struct refrain_pair_node **link = &table->buckets[bucket_of(table, node->key)];
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    table->n--;
}
