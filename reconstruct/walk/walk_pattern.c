/* walk_pattern.c: joins cycles of a loop that alternate into one cycle (walk_cycle.h).
 *
 *     delivered     7 of A  1 of B  7 of A  1 of B        -->  joined cycle (7 of A, 1 of B), which repeats as a whole
 *
 * Example: every eighth iteration differs from the others. The search for equal iterations then runs once for all of
 * them, not twice for every eight. */
#include "common/arena.h"
#include "walk/walk_parts.h"

#include <string.h>

#define MOST_BLOCKS 512u /* of a joined cycle */
#define MOST_VALUES 2048u

static bool has_joined_cycle(const struct refrain_walk_learner *loop) {
    const struct refrain_walk_cycle *cycle = loop->cycles;
    while (cycle && cycle->n_parts == 0)
        cycle = cycle->next;
    return cycle != NULL;
}

void refrain_walk_pattern_forget(struct refrain_walk_pattern *pattern) {
    pattern->n = 0;
}

/* True if the last k runs equal the k runs before them. */
static bool repeats_before(const struct refrain_walk_pattern *pattern, unsigned k) {
    const struct refrain_walk_cycle_run *last = pattern->runs + pattern->n - k;
    for (unsigned i = 0; i < k; i++)
        if (last[i].cycle != last[(int)i - (int)k].cycle || last[i].iterations != last[(int)i - (int)k].iterations)
            return false;
    return true;
}

/* Adds up the sizes of the runs. A learner may be counted in several of them. False if they cannot be one cycle. */
static bool add_up(const struct refrain_walk_cycle_run *runs, unsigned k, struct refrain_walk_cycle *sum) {
    uint64_t blocks = 0, values = 0;
    for (unsigned i = 0; i < k; i++) {
        const struct refrain_walk_cycle *cycle = runs[i].cycle;
        uint64_t n = runs[i].iterations;
        if (n > MOST_BLOCKS || cycle->depth != runs[0].cycle->depth || cycle->context != runs[0].cycle->context ||
            cycle->changes != runs[0].cycle->changes)
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

/* The values that a cycle takes of the learner, or null. */
static const struct refrain_walk_cycle_use *use_of(const struct refrain_walk_cycle *cycle,
                                                   const struct refrain_walk_learner *learner) {
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        if (cycle->uses[i].learner == learner)
            return &cycle->uses[i];
    return NULL;
}

/* Joins the values that all runs take of a learner, in order. */
static void join_uses(struct refrain_walk_cycle *joined, struct refrain_walk_learner *learner) {
    struct refrain_walk_cycle_use *use = &joined->uses[joined->n_uses++];
    *use = (struct refrain_walk_cycle_use){.learner = learner, .first_value = joined->n_values};
    for (uint32_t i = 0; i < joined->n_parts; i++) {
        const struct refrain_walk_cycle *cycle = joined->parts[i].cycle;
        const struct refrain_walk_cycle_use *part = use_of(cycle, learner);
        for (uint64_t j = 0; part && j < joined->parts[i].iterations; j++) {
            memcpy(&joined->values[joined->n_values], &cycle->values[part->first_value],
                   part->values * sizeof *joined->values);
            joined->n_values += part->values;
            use->rows += part->rows;
            use->is_loop |= part->is_loop;
        }
    }
    use->values = joined->n_values - use->first_value;
}

/* Makes one cycle of the runs. Null without memory, or if they cannot be one cycle. */
static struct refrain_walk_cycle *join(const struct refrain_walk_cycle_run *runs, unsigned k) {
    struct refrain_walk_cycle sum = {0}, *joined;
    if (!add_up(runs, k, &sum))
        return NULL;
    joined = refrain_calloc(1, sizeof *joined + k * sizeof *joined->parts + sum.n_uses * sizeof *joined->uses +
                                   sum.n_blocks * sizeof *joined->blocks + sum.n_values * sizeof *joined->values);
    if (!joined)
        return NULL;
    *joined = sum;
    joined->n_uses = joined->n_values = 0; /* counted again, exactly */
    joined->loop = runs[0].cycle->loop;
    joined->depth = runs[0].cycle->depth;
    joined->context = runs[0].cycle->context;
    joined->changes = runs[0].cycle->changes;
    joined->completing_site = runs[k - 1].cycle->completing_site;
    joined->parts = (struct refrain_walk_cycle_run *)(joined + 1);
    joined->values = (int64_t *)(joined->parts + k);
    joined->uses = (struct refrain_walk_cycle_use *)(joined->values + sum.n_values);
    joined->blocks = (struct refrain_walk_cycle_block *)(joined->uses + sum.n_uses);
    joined->n_parts = k;
    memcpy(joined->parts, runs, k * sizeof *runs);
    struct refrain_walk_cycle_block *block = joined->blocks;
    for (unsigned i = 0; i < k; i++) {
        const struct refrain_walk_cycle *cycle = runs[i].cycle;
        for (uint64_t j = 0; j < runs[i].iterations; j++, block += cycle->n_blocks)
            memcpy(block, cycle->blocks, cycle->n_blocks * sizeof *block);
        for (uint32_t j = 0; j < cycle->n_uses; j++)
            if (!use_of(joined, cycle->uses[j].learner))
                join_uses(joined, cycle->uses[j].learner);
    }
    return joined;
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
    const struct refrain_walk_cycle *last = pattern->n > 0 ? pattern->runs[pattern->n - 1].cycle : NULL;
    if (last == cycle || (last && last->loop != loop))
        pattern->n = 0;
    if (has_joined_cycle(loop)) {
        pattern->n = 0;
        return;
    }
    if (pattern->n == REFRAIN_WALK_CYCLE_RUNS)
        memmove(pattern->runs, pattern->runs + 1, --pattern->n * sizeof *pattern->runs);
    pattern->runs[pattern->n++] = (struct refrain_walk_cycle_run){cycle, cycle->left};
    for (unsigned k = 2; 2 * k <= pattern->n; k++)
        if (repeats_before(pattern, k)) {
            struct refrain_walk_cycle *joined = join(pattern->runs + pattern->n - k, k);
            pattern->n = 0;
            if (joined) {
                joined->next = loop->cycles;
                loop->cycles = joined;
            }
            return;
        }
}
