/* walk_shares.c: the time that entries of several blocks have for each place (walk_shares.h). */
#include "walk/walk_shares.h"
#include "common/arena.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b) {
    const struct refrain_walk_share *left = a, *right = b;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Stores what is left in the account of the place. */
static void add(struct refrain_walk_shares *shares, const struct refrain_walk_learner *place) {
    const struct refrain_block_account *account = &place->account;
    if (account->shared_visits == 0)
        return;
    if (!REFRAIN_ARENA_ROOM(shares->shares, shares->n, shares->capacity)) {
        shares->incomplete = true;
        return;
    }
    /* If the walk ended before all blocks had passed: a proportional part. */
    double part = (double)account->shared_visits / (double)(account->shared_visits + place->visits_left);
    shares->shares[shares->n++] = (struct refrain_walk_share){
        .offset = place->offset,
        .ticks = place->visits_left ? (int64_t)((double)account->ticks_left * part) : account->ticks_left,
        .visits = account->shared_visits,
    };
}

void refrain_walk_shares_finish(struct refrain_walk_shares *shares, const struct refrain_walk_learners *learners,
                                uint32_t context) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&learners->table, slot));)
        add(shares, slot->object);
    if (shares->n > 0)
        qsort(shares->shares, shares->n, sizeof *shares->shares, by_place);
    refrain_walk_contexts_end(&shares->contexts, context);
}

void refrain_walk_shares_copy(struct refrain_walk_shares *copy, const struct refrain_walk_shares *shares) {
    *copy = (struct refrain_walk_shares){0};
    if (shares->n == 0 || shares->incomplete || !(copy->shares = refrain_calloc(shares->n, sizeof *copy->shares)))
        return;
    memcpy(copy->shares, shares->shares, shares->n * sizeof *copy->shares);
    copy->n = copy->capacity = shares->n;
    refrain_walk_contexts_copy(&copy->contexts, &shares->contexts);
}

void refrain_walk_shares_get(const struct refrain_walk_shares *shares, uint64_t offset,
                             struct refrain_block_account *account) {
    struct refrain_walk_share key = {.offset = offset};
    const struct refrain_walk_share *share =
        shares->n ? bsearch(&key, shares->shares, shares->n, sizeof key, by_place) : NULL;
    if (!share)
        return;
    account->shared_ticks = (int64_t)((uint64_t)account->shared_ticks + (uint64_t)share->ticks);
    account->shared_visits += share->visits;
}

void refrain_walk_shares_close(struct refrain_walk_shares *shares) {
    refrain_walk_contexts_close(&shares->contexts);
    refrain_free(shares->shares);
    *shares = (struct refrain_walk_shares){0};
}
