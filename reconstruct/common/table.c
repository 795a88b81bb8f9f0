/* table.c: adds, moves and removes slots of a table (table.h). */
#include "common/table.h"
#include "common/arena.h"

#define FIRST_CAPACITY 16u

static bool grow(struct refrain_table *table) {
    struct refrain_table larger = {NULL, table->n, table->capacity ? table->capacity * 2 : FIRST_CAPACITY};
    larger.slots = refrain_calloc(larger.capacity, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(table, slot));)
        *refrain_table_slot(&larger, slot->a, slot->b) = *slot;
    refrain_free(table->slots);
    *table = larger;
    return true;
}

/* The slot of a key, which is set in it if it was free. Null without memory. */
static struct refrain_table_slot *slot_for(struct refrain_table *table, uint64_t a, uint64_t b) {
    if (3 * (table->n + 1) > 2 * table->capacity && !grow(table))
        return NULL;
    struct refrain_table_slot *slot = refrain_table_slot(table, a, b);
    slot->a = a;
    slot->b = b;
    table->n += !slot->number;
    return slot;
}

bool refrain_table_put(struct refrain_table *table, uint64_t a, uint64_t b, uintptr_t number) {
    struct refrain_table_slot *slot = slot_for(table, a, b);
    if (slot)
        slot->number = number;
    return slot;
}

bool refrain_table_put_object(struct refrain_table *table, uint64_t a, uint64_t b, void *object) {
    return refrain_table_put(table, a, b, (uintptr_t)object);
}

void *refrain_table_make(struct refrain_table *table, uint64_t a, uint64_t b, size_t bytes) {
    void *object = refrain_table_object(table, a, b);
    if (object || !(object = refrain_calloc(1, bytes)))
        return object;
    if (refrain_table_put_object(table, a, b, object))
        return object;
    refrain_free(object);
    return NULL;
}

/* Slots after the freed one move up if their hash allows it, so that searches do not end too early. */
void refrain_table_remove(struct refrain_table *table, uint64_t a, uint64_t b) {
    if (!refrain_table_number(table, a, b))
        return;
    size_t most = table->capacity - 1, free = (size_t)(refrain_table_slot(table, a, b) - table->slots);
    for (size_t i = (free + 1) & most; table->slots[i].number; i = (i + 1) & most) {
        size_t first = refrain_table_hash(table->slots[i].a, table->slots[i].b);
        if (((i - first) & most) < ((i - free) & most))
            continue;
        table->slots[free] = table->slots[i];
        free = i;
    }
    table->slots[free] = (struct refrain_table_slot){0};
    table->n--;
}

struct refrain_table_slot *refrain_table_next(const struct refrain_table *table,
                                              const struct refrain_table_slot *slot) {
    for (size_t i = slot ? (size_t)(slot - table->slots) + 1 : 0; i < table->capacity; i++)
        if (table->slots[i].number)
            return &table->slots[i];
    return NULL;
}

void refrain_table_close(struct refrain_table *table) {
    refrain_free(table->slots);
    *table = (struct refrain_table){0};
}

void refrain_table_free(struct refrain_table *table) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(table, slot));)
        refrain_free(slot->object);
    refrain_table_close(table);
}
