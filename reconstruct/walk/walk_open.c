/* walk_open.c: begins and closes a walk (walk_rank.h). */
#include "common/arena.h"
#include "walk/walk_parts.h"

#include <refrain/unit.h>

static bool read_units(struct refrain_walk *walk) {
    const struct refrain_header *header = walk->header;
    if ((uint64_t)header->n_slots * sizeof(struct refrain_slot) > walk->image_bytes)
        return refrain_walk_fail(walk, walk->image, "more slots than the image can hold");
    walk->n_slots = header->n_slots;
    walk->slots = refrain_calloc((size_t)walk->n_slots + 1, sizeof *walk->slots);
    if (!walk->slots)
        return refrain_walk_fail(walk, NULL, "no memory");
    uint64_t previous = 0;
    for (uint64_t offset = header->units; offset;) {
        if (offset <= previous)
            return refrain_walk_fail(walk, walk->image + previous, "unit records run backwards");
        previous = offset;
        const struct refrain_unit_record *unit = refrain_walk_at(walk, offset, sizeof *unit);
        if (!unit)
            return false;
        uint64_t of_thread = (uint64_t)unit->n_slots * sizeof(struct refrain_slot);
        const struct refrain_node *nodes =
            refrain_walk_at(walk, unit->nodes, (uint64_t)unit->n_nodes * sizeof(struct refrain_node));
        if (!nodes || !refrain_walk_at(walk, unit->slots, of_thread * header->n_threads))
            return false;
        if ((uint64_t)unit->first_slot + unit->n_slots > walk->n_slots)
            return refrain_walk_fail(walk, unit, "a unit's slots are numbered beyond the last");
        for (uint32_t i = 0; i < unit->n_slots; i++)
            walk->slots[unit->first_slot + i].offset =
                unit->slots + of_thread * walk->thread_number + i * sizeof(struct refrain_slot);
        for (uint32_t i = 0; i < unit->n_nodes; i++)
            if (nodes[i].slot < unit->n_slots)
                walk->slots[unit->first_slot + nodes[i].slot].kind = nodes[i].kind;
        offset = unit->next;
    }
    return true;
}

struct refrain_walk *refrain_walk_begin(const void *image, size_t image_bytes, unsigned thread, const char **what,
                                        uint64_t *offset) {
    struct refrain_walk *walk = refrain_calloc(1, sizeof *walk);
    if (!walk) {
        *what = "no memory";
        *offset = 0;
        return NULL;
    }
    walk->image = image;
    walk->image_bytes = image_bytes;
    walk->learners.image = image;
    walk->learners.image_bytes = image_bytes;
    walk->header = image;
    walk->thread_number = thread;
    bool sound = thread < walk->header->n_threads &&
                 (walk->thread = refrain_walk_at(walk, walk->header->threads,
                                                 (uint64_t)walk->header->n_threads * sizeof *walk->thread)) != NULL;
    if (sound && !refrain_numbered_open(&walk->numbered, image, image_bytes))
        refrain_walk_fail(walk, NULL, "no memory");
    if (!sound || walk->wrong || !read_units(walk)) {
        *what = walk->wrong ? walk->wrong : "no such thread";
        *offset = walk->wrong_offset;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->thread += thread;
    walk->ticks = walk->thread->start_ticks;
    refrain_block_times_open(&walk->times, image, image_bytes, walk->thread);
    walk->ended = !walk->thread->started;
    walk->capacity_stack = 64;
    walk->stack = refrain_calloc(walk->capacity_stack, sizeof *walk->stack);
    if (!walk->stack) {
        *what = "no memory";
        *offset = 0;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->stack[0].at = refrain_walk_meet_slot(walk, &walk->thread->root);
    if (!walk->stack[0].at) {
        *what = "no memory";
        *offset = 0;
        refrain_walk_close(walk);
        return NULL;
    }
    walk->depth = 1;
    if (thread == 0)
        walk->cost = refrain_probe_setup(walk->header->setup_ticks);
    return walk;
}

const char *refrain_walk_wrong(const struct refrain_walk *walk, uint64_t *offset) {
    if (offset)
        *offset = walk->wrong_offset;
    return walk->wrong;
}

uint64_t refrain_walk_ticks(const struct refrain_walk *walk) {
    return walk->ticks;
}

void refrain_walk_close(struct refrain_walk *walk) {
    if (!walk)
        return;
    refrain_walk_learners_close(&walk->learners);
    refrain_recursion_close(walk->recursion);
    refrain_numbered_close(&walk->numbered);
    refrain_free(walk->slots);
    refrain_free(walk->stack);
    refrain_free(walk->recorder);
    refrain_free(walk->waiting);
    refrain_walk_ahead_close(&walk->ahead);
    refrain_block_times_close(&walk->times);
    refrain_walk_shares_close(&walk->shares);
    refrain_adjustment_close(&walk->adjustment);
    refrain_walk_requests_close(&walk->requests);
    refrain_free(walk);
}
