/* walk_blocks.c: lets many blocks of a cycle pass at once (walk_parts.h).
 *
 *     cycle's blocks   | a  b  c  a  d | a  b  c  a  d |
 *     entries                 '-----'  '----'  '-----'        underlined: one timeline entry of several blocks
 *                                                             else: an entry for each block
 *
 * The result equals that of refrain_walk_pass_block_of() for each block in turn: first each block gets its weight, in
 * the order of the blocks; then the time of the entry is divided by the weights. This works for many blocks at once,
 * since all weights of an entry are computed before its first block passes. */
#include "walk/walk_parts.h"
#include "walk/walk_time.h"

/* Counts a visit of the place. */
static inline void pass_visit(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    if (place->visits_left == 0)
        refrain_walk_open_account(walk, place);
    place->visits_left -= place->visits_left > 0;
    place->visits++;
}

/* In a walk that only counts (walk->counting): adds a visit to the account of each block. It needs no times. */
static void count_blocks(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t at, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, at = at + 1 < cycle->n_blocks ? at + 1 : 0) {
        struct refrain_walk_learner *place = cycle->blocks[at].place;
        pass_visit(walk, place);
        place->account.shared_visits++;
    }
}

/* Gives each block its expected time as its weight, and takes that time from what its account has left. Differences
 * are unsigned, since the values of a damaged trace may overflow. */
static void expect(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t at,
                   struct refrain_kept_block *kept, uint32_t n) {
    for (uint32_t i = 0; i < n; i++, at = at + 1 < cycle->n_blocks ? at + 1 : 0) {
        struct refrain_walk_cycle_block *block = &cycle->blocks[at];
        pass_visit(walk, block->place);
        struct refrain_block_account *account = &block->place->account;
        uint64_t ticks = refrain_walk_expected_share(account);
        account->ticks_left = (int64_t)((uint64_t)account->ticks_left - ticks);
        account->shared_ticks = (int64_t)((uint64_t)account->shared_ticks - ticks);
        kept[i].weight = ticks;
        kept[i].account = account;
        kept[i].context = block->context;
    }
}

/* Passes blocks that have a timeline entry each, and sets walk->ticks. Returns how many. */
static uint32_t pass_singles(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t at,
                             uint32_t most, uint64_t *ticks) {
    uint64_t begin = walk->ticks;
    uint32_t n = refrain_block_times_singles(&walk->times, begin, ticks, most);
    for (uint32_t i = 0; i < n; i++, at = at + 1 < cycle->n_blocks ? at + 1 : 0) {
        const struct refrain_walk_cycle_block *block = &cycle->blocks[at];
        struct refrain_block_account *account = &block->place->account;
        pass_visit(walk, block->place);
        account->ticks_left = (int64_t)((uint64_t)account->ticks_left - (ticks[i] - begin));
        if (walk->counting)
            refrain_walk_count_single(walk, block->context, ticks[i] - begin);
        begin = ticks[i];
    }
    walk->ticks = begin;
    return n;
}

/* Passes the remaining blocks of the current timeline entry, which has several. Returns how many. 0 if the entry has
 * one block or more than can be kept, if the timeline has ended, and without memory. A walk that only counts does not
 * set ticks[]. */
static uint32_t pass_entry(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t first,
                           uint32_t most, uint64_t *ticks) {
    struct refrain_block_times *times = &walk->times;
    bool was_pending = refrain_walk_is_time_pending(walk), settled;
    uint64_t left = refrain_block_times_left(times, walk->ticks);
    if (left == 0 || times->entry.blocks == 1)
        return 0;
    uint32_t n = left < most ? (uint32_t)left : most;
    if (walk->counting) {
        count_blocks(walk, cycle, first, n);
        walk->ticks = refrain_block_times_skip(times, walk->ticks, n);
        return n;
    }
    struct refrain_kept_block *kept = refrain_block_times_room(times, n);
    if (!kept)
        return 0;
    expect(walk, cycle, first, kept, n);
    walk->ticks = refrain_block_times_keep(times, n, &settled);
    for (uint32_t i = 0; i < n; i++) /* until the entry is settled, numbers of blocks stand for their times */
        ticks[i] = settled ? kept[i].end_ticks : walk->ticks - (n - 1 - i);
    if (settled && was_pending)
        refrain_walk_settle(walk);
    return n;
}

uint32_t refrain_walk_pass_blocks(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t first,
                                  uint32_t most, uint64_t *ticks) {
    if (walk->approximate)
        return 0;
    uint32_t n = pass_singles(walk, cycle, first, most, ticks);
    bool has_shared_entries = walk->counting || walk->shares.n > 0;
    return n == 0 && has_shared_entries ? pass_entry(walk, cycle, first, most, ticks) : n;
}
