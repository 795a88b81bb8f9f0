/* walk_counted.c: opens a walk (walk_rank.h). If its timeline has entries of several blocks, other walks come first:
 * one counts, for each place, the time of such entries that its blocks have; trials then compare the totals of regions
 * with the measured ones, and adjust (walk_shares.h, adjust.h). */
#include "common/arena.h"
#include "walk/walk_parts.h"

/* Begins another walk of the same thread, whose records are not read. */
static struct refrain_walk *begin_trial(const struct refrain_walk *walk) {
    const char *ignored;
    return refrain_walk_begin(walk->image, walk->image_bytes, walk->thread_number, &ignored, &(uint64_t){0});
}

static void use_shares(struct refrain_walk *walk, const struct refrain_walk_shares *shares) {
    refrain_walk_shares_copy(&walk->shares, shares); /* without memory: only the means of the places decide */
    walk->contexts = walk->shares.contexts.n_contexts ? &walk->shares.contexts : NULL;
}

/* Advances such a walk to its next record, or past a cycle. False at its end. */
static bool advance(struct refrain_walk *walk) {
    struct refrain_record record;
    if (walk->cycle)
        refrain_walk_cycle_skip(walk);
    else if (!refrain_walk_next(walk, &record))
        return walk->cycle != NULL;
    return true;
}

static bool count(const struct refrain_walk *walk, bool by_cycles, struct refrain_walk_shares *shares) {
    struct refrain_walk *counting = begin_trial(walk);
    if (!counting)
        return false;
    counting->counting = shares;
    refrain_walk_contexts_open(&shares->contexts);
    counting->contexts = &shares->contexts;
    counting->finds_cycles = by_cycles;
    while (!counting->approximate && !counting->times.ended && advance(counting))
        continue;
    shares->contexts.incomplete |= counting->approximate || !counting->ended;
    refrain_walk_shares_finish(shares, &counting->learners, counting->stack[counting->depth - 1].context);
    refrain_walk_close(counting);
    return true;
}

/* Replays the thread as the opened walk will, and computes further adjustments. False if no further trial is needed,
 * and without memory. */
static bool try_shares(const struct refrain_walk *walk, bool by_cycles, const struct refrain_walk_shares *shares,
                       struct refrain_adjustment *adjustment) {
    struct refrain_walk *trial = begin_trial(walk);
    bool more = trial && refrain_adjustment_try(adjustment);
    if (more) {
        use_shares(trial, shares);
        trial->times.adjustment = adjustment;
        trial->finds_cycles = by_cycles;
        while (trial->contexts && advance(trial))
            continue;
        more = trial->contexts && !refrain_adjustment_solve(adjustment, trial->contexts);
    }
    refrain_walk_close(trial);
    return more;
}

struct refrain_walk *refrain_walk_open_counted(const void *image, size_t image_bytes, unsigned thread, bool by_cycles,
                                               const char **what, uint64_t *offset) {
    struct refrain_walk *walk = refrain_walk_begin(image, image_bytes, thread, what, offset);
    if (!walk || !refrain_time_reader_shares(&walk->times.reader))
        return walk;
    struct refrain_arena *arena =
        refrain_arena_use(NULL); /* trials allocate outside of the caller's arena, as they end before this returns */
    struct refrain_walk_shares shares = {0};
    struct refrain_adjustment adjustment = {0};
    if (count(walk, by_cycles, &shares)) {
        refrain_arena_use(arena);
        use_shares(walk, &shares);
        refrain_arena_use(NULL);
        if (walk->contexts && refrain_adjustment_open(&adjustment, (uint32_t)walk->contexts->n_contexts))
            while (try_shares(walk, by_cycles, &shares, &adjustment))
                continue;
        refrain_arena_use(arena);
        refrain_adjustment_copy(&walk->adjustment, &adjustment);
        walk->times.adjustment = walk->adjustment.n_shifts ? &walk->adjustment : NULL;
        refrain_arena_use(NULL);
        refrain_adjustment_close(&adjustment);
        refrain_walk_shares_close(&shares);
    }
    refrain_arena_use(arena);
    return walk;
}

struct refrain_walk *refrain_walk_open(const void *image, size_t image_bytes, unsigned thread, const char **what,
                                       uint64_t *offset) {
    return refrain_walk_open_counted(image, image_bytes, thread, true, what, offset);
}
