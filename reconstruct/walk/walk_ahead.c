/* walk_ahead.c: the queue of iterations that have passed but are not delivered (walk_ahead.h). */
#include "walk/walk_ahead.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

/* Removes what has been delivered, to make room. */
static void move_to_front(struct refrain_walk_ahead *ahead) {
    if (ahead->first > 0) {
        memmove(ahead->ticks, ahead->ticks + ahead->first, (ahead->n - ahead->first) * sizeof *ahead->ticks);
        ahead->n -= ahead->first;
        ahead->known -= ahead->first;
        ahead->first = 0;
    }
    if (ahead->first_passed > 0) {
        ahead->n_passed -= ahead->first_passed;
        memmove(ahead->passed, ahead->passed + ahead->first_passed, ahead->n_passed * sizeof *ahead->passed);
        ahead->first_passed = 0;
    }
}

uint64_t *refrain_walk_ahead_room(struct refrain_walk_ahead *ahead, size_t n) {
    move_to_front(ahead);
    return REFRAIN_ARENA_ROOMS(ahead->ticks, ahead->n, n, ahead->capacity) ? ahead->ticks + ahead->n : NULL;
}

static bool add(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle *cycle, uint64_t iterations) {
    if (ahead->n_passed > ahead->first_passed && ahead->passed[ahead->n_passed - 1].cycle == cycle) {
        ahead->passed[ahead->n_passed - 1].iterations += iterations;
        return true;
    }
    if (!REFRAIN_ARENA_ROOM(ahead->passed, ahead->n_passed, ahead->capacity_passed))
        return false;
    ahead->passed[ahead->n_passed++] = (struct refrain_walk_cycle_run){cycle, iterations};
    return true;
}

bool refrain_walk_ahead_add(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle *cycle, uint64_t iterations) {
    if (cycle->n_parts == 0)
        return add(ahead, cycle, iterations);
    for (uint64_t i = 0; i < iterations; i++)
        for (uint32_t j = 0; j < cycle->n_parts; j++)
            if (!add(ahead, cycle->parts[j].cycle, cycle->parts[j].iterations))
                return false;
    return true;
}

const uint64_t *refrain_walk_ahead_give(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle **cycle) {
    while (ahead->first_passed < ahead->n_passed && ahead->passed[ahead->first_passed].iterations == 0)
        ahead->first_passed++;
    if (ahead->first_passed == ahead->n_passed)
        return NULL;
    struct refrain_walk_cycle_run *passed = &ahead->passed[ahead->first_passed];
    if (ahead->known - ahead->first < passed->cycle->n_blocks)
        return NULL;
    *cycle = passed->cycle;
    passed->iterations--;
    const uint64_t *ticks = ahead->ticks + ahead->first;
    ahead->first += passed->cycle->n_blocks;
    return ticks;
}

void refrain_walk_ahead_drop(struct refrain_walk_ahead *ahead) {
    ahead->first = ahead->known = ahead->n = 0;
    ahead->first_passed = ahead->n_passed = 0;
}

bool refrain_walk_ahead_has(const struct refrain_walk_ahead *ahead, const struct refrain_walk_cycle *cycle) {
    for (size_t i = ahead->first_passed; i < ahead->n_passed; i++)
        if (ahead->passed[i].cycle == cycle)
            return true;
    return false;
}

void refrain_walk_ahead_clear_unused(struct refrain_walk_ahead *ahead) {
    move_to_front(ahead);
    if (ahead->ticks)
        memset(ahead->ticks + ahead->n, 0, (ahead->capacity - ahead->n) * sizeof *ahead->ticks);
    if (ahead->passed)
        memset(ahead->passed + ahead->n_passed, 0, (ahead->capacity_passed - ahead->n_passed) * sizeof *ahead->passed);
}

void refrain_walk_ahead_close(struct refrain_walk_ahead *ahead) {
    refrain_free(ahead->ticks);
    refrain_free(ahead->passed);
    *ahead = (struct refrain_walk_ahead){0};
}
