/* walk_pattern.c: cycles of a loop that take turns become one cycle (walk_cycle.h).
 *
 *     given     7 of A  1 of B  7 of A  1 of B        -->  made of (7 of A, 1 of B), which comes again as a whole
 *
 * An iteration in eight is not like the others, say. Whether iterations are alike is then asked once for all that is to
 * come, and not twice for each eight of them. */
#include "common/arena.h"
#include "walk/walk_parts.h"

#include <string.h>

#define MOST_BLOCKS 512u /* of a cycle that is made */
#define MOST_VALUES 2048u

static bool has_made(const struct refrain_walk_learner *loop) {
    const struct refrain_walk_cycle *cycle = loop->cycles;
    while (cycle && cycle->n_parts == 0)
        cycle = cycle->next;
    return cycle != NULL;
}

void refrain_walk_pattern_forget(struct refrain_walk_pattern *pattern) {
    pattern->n = 0;
}

/* Are the last k turns those before them once more? */
static bool comes_again(const struct refrain_walk_pattern *pattern, unsigned k) {
    const struct refrain_walk_turn *last = pattern->turns + pattern->n - k;
    for (unsigned i = 0; i < k; i++)
        if (last[i].cycle != last[(int)i - (int)k].cycle || last[i].iterations != last[(int)i - (int)k].iterations)
            return false;
    return true;
}

/* Can these be one? Sums up what they take; a learner is among the uses of each. */
static bool add_up(const struct refrain_walk_turn *turns, unsigned k, struct refrain_walk_cycle *sum) {
    uint64_t blocks = 0, values = 0;
    for (unsigned i = 0; i < k; i++) {
        const struct refrain_walk_cycle *cycle = turns[i].cycle;
        uint64_t n = turns[i].iterations;
        if (n > MOST_BLOCKS || cycle->depth != turns[0].cycle->depth || cycle->context != turns[0].cycle->context ||
            cycle->changes != turns[0].cycle->changes)
            return false;
        blocks += n * cycle->n_blocks;
        values += n * cycle->n_values;
        sum->iterations += n;
        sum->steps += n * cycle->steps;
        sum->cost += n * cycle->cost;
        sum->n_uses += cycle->n_uses;
    }
    sum->n_blocks = (uint32_t)blocks;
    sum->n_values = (uint32_t)values;
    return blocks <= MOST_BLOCKS && values <= MOST_VALUES;
}

/* What a cycle takes of the learner; null: nothing. */
static const struct refrain_walk_cycle_use *use_of(const struct refrain_walk_cycle *cycle,
                                                   const struct refrain_walk_learner *learner) {
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        if (cycle->uses[i].learner == learner)
            return &cycle->uses[i];
    return NULL;
}

/* The values that all turns take of a learner, one after the other. */
static void join_uses(struct refrain_walk_cycle *made, struct refrain_walk_learner *learner) {
    struct refrain_walk_cycle_use *use = &made->uses[made->n_uses++];
    *use = (struct refrain_walk_cycle_use){.learner = learner, .first_value = made->n_values};
    for (uint32_t i = 0; i < made->n_parts; i++) {
        const struct refrain_walk_cycle *cycle = made->parts[i].cycle;
        const struct refrain_walk_cycle_use *part = use_of(cycle, learner);
        for (uint64_t j = 0; part && j < made->parts[i].iterations; j++) {
            memcpy(&made->values[made->n_values], &cycle->values[part->first_value],
                   part->values * sizeof *made->values);
            made->n_values += part->values;
            use->rows += part->rows;
            use->is_loop |= part->is_loop;
        }
    }
    use->values = made->n_values - use->first_value;
}

/* The turns as one cycle; null without memory, or where they cannot be one. */
static struct refrain_walk_cycle *join(const struct refrain_walk_turn *turns, unsigned k) {
    struct refrain_walk_cycle sum = {0}, *made;
    if (!add_up(turns, k, &sum))
        return NULL;
    made = refrain_calloc(1, sizeof *made + k * sizeof *made->parts + sum.n_uses * sizeof *made->uses +
                                 sum.n_blocks * sizeof *made->blocks + sum.n_values * sizeof *made->values);
    if (!made)
        return NULL;
    *made = sum;
    made->n_uses = made->n_values = 0; /* counted again as they come */
    made->loop = turns[0].cycle->loop;
    made->depth = turns[0].cycle->depth;
    made->context = turns[0].cycle->context;
    made->changes = turns[0].cycle->changes;
    made->completing_site = turns[k - 1].cycle->completing_site;
    made->parts = (struct refrain_walk_turn *)(made + 1);
    made->values = (int64_t *)(made->parts + k);
    made->uses = (struct refrain_walk_cycle_use *)(made->values + sum.n_values);
    made->blocks = (struct refrain_walk_cycle_block *)(made->uses + sum.n_uses);
    made->n_parts = k;
    memcpy(made->parts, turns, k * sizeof *turns);
    struct refrain_walk_cycle_block *block = made->blocks;
    for (unsigned i = 0; i < k; i++) {
        const struct refrain_walk_cycle *cycle = turns[i].cycle;
        for (uint64_t j = 0; j < turns[i].iterations; j++, block += cycle->n_blocks)
            memcpy(block, cycle->blocks, cycle->n_blocks * sizeof *block);
        for (uint32_t j = 0; j < cycle->n_uses; j++)
            if (!use_of(made, cycle->uses[j].learner))
                join_uses(made, cycle->uses[j].learner);
    }
    return made;
}

bool refrain_walk_cycle_is_part(const struct refrain_walk_learner *loop, const struct refrain_walk_cycle *cycle) {
    for (const struct refrain_walk_cycle *other = loop->cycles; other; other = other->next)
        for (uint32_t i = 0; i < other->n_parts; i++)
            if (other->parts[i].cycle == cycle)
                return true;
    return false;
}

void refrain_walk_pattern_note(struct refrain_walk_pattern *pattern, struct refrain_walk_cycle *cycle) {
    struct refrain_walk_learner *loop = cycle->loop;
    const struct refrain_walk_cycle *last = pattern->n > 0 ? pattern->turns[pattern->n - 1].cycle : NULL;
    if (last == cycle || (last && last->loop != loop))
        pattern->n = 0;
    if (has_made(loop)) {
        pattern->n = 0;
        return;
    }
    if (pattern->n == REFRAIN_WALK_TURNS)
        memmove(pattern->turns, pattern->turns + 1, --pattern->n * sizeof *pattern->turns);
    pattern->turns[pattern->n++] = (struct refrain_walk_turn){cycle, cycle->left};
    for (unsigned k = 2; 2 * k <= pattern->n; k++)
        if (comes_again(pattern, k)) {
            struct refrain_walk_cycle *made = join(pattern->turns + pattern->n - k, k);
            pattern->n = 0;
            if (made) {
                made->next = loop->cycles;
                loop->cycles = made;
            }
            return;
        }
}
