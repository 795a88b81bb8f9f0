/* learn_by_key.c: values that follow from another one of the same event (learn_by_key.h).
 *
 * Who asks a master for work next is chance, and so is the sequence of the tags it answers with, but not the tag that
 * each of them gets. A parameter whose own sequence has gone to the archive is tried against each one before it, in
 * turns: would TRIAL_VALUES values, each the third or later of its key, have been predicted by the last one and the
 * step before? What holds for most of them is learned so from there on; what came before stays as it is.
 */
#define _GNU_SOURCE
#include "learn_by_key.h"
#include "arch/arch.h"
#include "context.h"
#include "learn.h"
#include "learn_formula.h"
#include "learn_spare.h"
#include "run/pool.h"
#include <refrain/called.h>
#include <refrain/trace.h>

#include <string.h>

#define TRIAL_VALUES 256u
#define TRIAL_HITS (TRIAL_VALUES / 4 * 3)
#define LONGEST_TRIAL 4096u /* values, for those of keys that hardly come again */
#define FIRST_PAUSE 1024u   /* values after trials that failed; each time twice as many ... */
#define LONGEST_PAUSE (1u << 20)

/* The entry of a key, taken for it when it is new; REFRAIN_KEYS when all are others'. */
static unsigned entry_of(struct refrain_by_key *by, int64_t key) {
    unsigned at = refrain_key_entry(key);
    for (unsigned n = 0; n < REFRAIN_KEYS; n++, at = (at + 1) % REFRAIN_KEYS) {
        if (!(by->used >> at & 1)) {
            by->key[at] = key;
            refrain_commit();
            by->used |= (uint64_t)1 << at;
            return at;
        }
        if (by->key[at] == key)
            return at;
    }
    return REFRAIN_KEYS;
}

/* During a trial a key's learner is only the memory of its last value (`expect`) and the step to it (`stride`). */
static void try_value(struct refrain_by_key *by, int64_t key, int64_t value) {
    by->values++;
    unsigned at = entry_of(by, key);
    if (at == REFRAIN_KEYS) {
        by->judged++;
        return;
    }
    struct refrain_learner *memory = &by->learner[at];
    int64_t step = (int64_t)((uint64_t)value - (uint64_t)memory->expect);
    if (memory->confirmed > 1) {
        by->judged++;
        by->hits += step == 0 || step == memory->stride;
    }
    memory->expect = value;
    memory->stride = step;
    memory->confirmed++;
}

static void forget(struct refrain_by_key *by) {
    by->used = 0;
    by->values = by->judged = by->hits = 0;
    memset(by->learner, 0, sizeof by->learner);
}

/* Goes on with the trial of parameter i, whose own sequence has no formula; begins one when it is time. */
static void try_keys(struct refrain_context *context, struct refrain_learner *learner, const int64_t *values,
                     unsigned i) {
    if (!learner->by_key) {
        struct refrain_by_key *new = refrain_spare_lend(context, &learner->by_key);
        if (!new)
            return;
        new->pause = FIRST_PAUSE;
    }
    struct refrain_by_key *by = refrain_at_reference(learner->by_key);
    if (by->wait > 0) {
        by->wait--;
        return;
    }
    try_value(by, values[by->parameter], values[i]);
    if (by->judged < TRIAL_VALUES && by->values < LONGEST_TRIAL)
        return;
    bool depends = by->hits >= TRIAL_HITS;
    forget(by);
    if (depends) {
        refrain_spare_keep(context, learner->by_key);
        refrain_commit();
        learner->state = REFRAIN_BY_KEY;
    } else if (++by->parameter == i) {
        by->parameter = 0;
        by->wait = by->pause;
        by->pause = by->pause < LONGEST_PAUSE ? 2 * by->pause : by->pause;
    }
}

/* The tally of the rows. What is kept for it is anybody's from then on. */
static bool make_rows(struct refrain_learner *learners, const struct refrain_row *row) {
    if (learners[0].rows_kept)
        __atomic_fetch_sub(&refrain_trace_file.kept_for_calls, refrain_call_rows_bytes(1), __ATOMIC_RELAXED);
    learners[0].rows_kept = 0;
    learners[0].tally = refrain_tally_make(row, true);
    return learners[0].tally != 0;
}

void refrain_learn_parameter_other(struct refrain_context *context, struct refrain_learner *learners,
                                   const int64_t *values, unsigned i, const struct refrain_row *row) {
    struct refrain_learner *learner = &learners[i];
    if (learner->state == REFRAIN_BY_KEY) {
        struct refrain_by_key *by = refrain_at_reference(learner->by_key);
        unsigned at = entry_of(by, values[by->parameter]);
        learner = at < REFRAIN_KEYS ? &by->learner[at] : &by->others;
        refrain_learn(context, learner, values[i], REFRAIN_KIND_PARAMETER);
    } else {
        refrain_learn_other(context, learner, values[i], REFRAIN_KIND_PARAMETER);
    }
    if (learner->state == REFRAIN_SUMMARY && !learners[0].tally && !make_rows(learners, row))
        refrain_lose(REFRAIN_LOSS_COUNTS, 1);
    if (i > 0 && learner == &learners[i] && (learner->state == REFRAIN_BUILD || learner->state == REFRAIN_PLAIN) &&
        ((const struct refrain_formula *)refrain_at_reference(learner->body))->archived_terms > 0)
        try_keys(context, learner, values, i);
}
