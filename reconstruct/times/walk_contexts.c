/* walk_contexts.c: makes, counts and copies contexts (walk_contexts.h). */
#include "times/walk_contexts.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

#define MOST_CONTEXTS 8192u

void refrain_walk_contexts_open(struct refrain_walk_contexts *all) {
    *all = (struct refrain_walk_contexts){0};
    all->incomplete = !REFRAIN_ARENA_ROOM(all->contexts, all->n_contexts, all->capacity_contexts) ||
                      !REFRAIN_ARENA_ROOM(all->kinds, all->n_kinds, all->capacity_kinds);
    if (all->incomplete)
        return;
    all->contexts[0] = (struct refrain_walk_context){0};
    all->kinds[0] = (struct refrain_walk_kind){.loose = true}; /* of the thread */
    all->n_contexts = all->n_kinds = 1;
}

/* The number of the kind that begins at that place; 0 without memory. */
static uint32_t kind_of(struct refrain_walk_contexts *all, uint64_t offset, uint64_t total_ticks) {
    for (uint32_t i = 1; i < all->n_kinds; i++)
        if (all->kinds[i].offset == offset)
            return i;
    if (!REFRAIN_ARENA_ROOM(all->kinds, all->n_kinds, all->capacity_kinds)) {
        all->incomplete = true;
        return 0;
    }
    all->kinds[all->n_kinds] = (struct refrain_walk_kind){.offset = offset, .total_ticks = total_ticks};
    return (uint32_t)all->n_kinds++;
}

uint32_t refrain_walk_contexts_enter(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset,
                                     uint64_t total_ticks) {
    uint32_t inner = all->incomplete ? context : refrain_walk_contexts_inner(all, context, offset);
    if (inner || all->counted || all->incomplete)
        return inner ? inner : context;
    uint32_t kind = kind_of(all, offset, total_ticks);
    if (kind == 0)
        return context;
    inner = (uint32_t)all->n_contexts;
    if (inner == MOST_CONTEXTS || !REFRAIN_ARENA_ROOM(all->contexts, all->n_contexts, all->capacity_contexts) ||
        !refrain_table_put(&all->inner, context, offset, inner)) {
        all->kinds[kind].loose = true; /* no context for it: its time counts as that of its caller */
        return context;
    }
    all->contexts[all->n_contexts++] = (struct refrain_walk_context){.parent = context, .kind = kind};
    return inner;
}

void refrain_walk_contexts_end(struct refrain_walk_contexts *all, uint32_t context) {
    for (; context < all->n_contexts && context > 0; context = all->contexts[context].parent)
        all->kinds[all->contexts[context].kind].loose = true;
}

static void *copy_of(const void *array, size_t n, size_t bytes) {
    void *copy = refrain_calloc(n, bytes);
    if (copy)
        memcpy(copy, array, n * bytes);
    return copy;
}

void refrain_walk_contexts_copy(struct refrain_walk_contexts *copy, const struct refrain_walk_contexts *all) {
    *copy = (struct refrain_walk_contexts){0};
    if (all->incomplete || all->n_kinds < 2)
        return;
    *copy = *all;
    copy->counted = true;
    copy->kinds = copy_of(all->kinds, all->n_kinds, sizeof *all->kinds);
    copy->contexts = copy_of(all->contexts, all->n_contexts, sizeof *all->contexts);
    copy->inner = (struct refrain_table){0};
    bool sound = copy->kinds && copy->contexts;
    for (const struct refrain_table_slot *slot = NULL; sound && (slot = refrain_table_next(&all->inner, slot));)
        sound = refrain_table_put(&copy->inner, slot->a, slot->b, slot->number);
    if (!sound)
        refrain_walk_contexts_close(copy);
}

void refrain_walk_contexts_close(struct refrain_walk_contexts *all) {
    refrain_free(all->kinds);
    refrain_free(all->contexts);
    refrain_table_close(&all->inner);
    *all = (struct refrain_walk_contexts){0};
}
