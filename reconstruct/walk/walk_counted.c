/* walk_counted.c: a walk begins; where its timeline has entries of several blocks, after others that count what these
 * have to share out, and try whether totals hold (walk_rank.h, walk_shares.h, balance.h). */
#include "common/arena.h"
#include "walk/walk_parts.h"

/* A walk that nobody reads. */
static struct refrain_walk *begin_again(const struct refrain_walk *walk) {
    const char *ignored;
    return refrain_walk_begin(walk->image, walk->image_bytes, walk->thread_number, &ignored, &(uint64_t){0});
}

static void take_shares(struct refrain_walk *walk, const struct refrain_walk_shares *shares) {
    refrain_walk_shares_copy(&walk->shares, shares); /* without memory: by the profiles alone */
    walk->contexts = walk->shares.contexts.n_contexts ? &walk->shares.contexts : NULL;
}

/* A walk that nobody reads goes on to its next record, or past a cycle; false at its end. */
static bool go_on(struct refrain_walk *walk) {
    struct refrain_record record;
    if (walk->cycle)
        refrain_walk_cycle_skip(walk);
    else if (!refrain_walk_next(walk, &record))
        return walk->cycle != NULL;
    return true;
}

static bool count(const struct refrain_walk *walk, bool by_cycles, struct refrain_walk_shares *shares) {
    struct refrain_walk *counting = begin_again(walk);
    if (!counting)
        return false;
    counting->counting = shares;
    refrain_walk_contexts_open(&shares->contexts);
    counting->contexts = &shares->contexts;
    counting->finds_cycles = by_cycles;
    while (!counting->approximate && !counting->times.ended && go_on(counting))
        continue;
    shares->contexts.incomplete |= counting->approximate || !counting->ended;
    refrain_walk_shares_finish(shares, &counting->learners, counting->stack[counting->depth - 1].context);
    refrain_walk_close(counting);
    return true;
}

/* Shares out as the walk will, and finds what is to be moved. False: there is no more to be found. */
static bool try_shares(const struct refrain_walk *walk, bool by_cycles, const struct refrain_walk_shares *shares,
                       struct refrain_balance *balance) {
    struct refrain_walk *trial = begin_again(walk);
    bool more = trial && refrain_balance_try(balance);
    if (more) {
        take_shares(trial, shares);
        trial->times.balance = balance;
        trial->finds_cycles = by_cycles;
        while (trial->contexts && go_on(trial))
            continue;
        more = trial->contexts && !refrain_balance_solve(balance, trial->contexts);
    }
    refrain_walk_close(trial);
    return more;
}

struct refrain_walk *refrain_walk_open_counted(const void *image, size_t image_bytes, unsigned thread, bool by_cycles,
                                               const char **what, uint64_t *offset) {
    struct refrain_walk *walk = refrain_walk_begin(image, image_bytes, thread, what, offset);
    if (!walk || !refrain_time_reader_shares(&walk->times.reader))
        return walk;
    struct refrain_arena *arena = refrain_arena_use(NULL); /* what finds out does not outlast this call */
    struct refrain_walk_shares shares = {0};
    struct refrain_balance balance = {0};
    if (count(walk, by_cycles, &shares)) {
        refrain_arena_use(arena);
        take_shares(walk, &shares);
        refrain_arena_use(NULL);
        if (walk->contexts && refrain_balance_open(&balance, (uint32_t)walk->contexts->n_contexts))
            while (try_shares(walk, by_cycles, &shares, &balance))
                continue;
        refrain_arena_use(arena);
        refrain_balance_copy(&walk->balance, &balance);
        walk->times.balance = walk->balance.n_shifts ? &walk->balance : NULL;
        refrain_arena_use(NULL);
        refrain_balance_close(&balance);
        refrain_walk_shares_close(&shares);
    }
    refrain_arena_use(arena);
    return walk;
}

struct refrain_walk *refrain_walk_open(const void *image, size_t image_bytes, unsigned thread, const char **what,
                                       uint64_t *offset) {
    return refrain_walk_open_counted(image, image_bytes, thread, true, what, offset);
}
