/* test_adjust.c: tests that time is moved between the blocks of an entry so that totals are exact
 * (reconstruct/times/adjust.c). Each case has some entries, whose blocks are in contexts, and the time that all blocks
 * of each context took in the run. Trials are made until no further one is needed, or their number reaches its limit.
 * In each trial, every entry must end where it ended, and no block may end before the block before it. */
#include "times/adjust.h"
#include "times/block_times.h"
#include "times/walk_contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CONTEXTS 64u
#define BEGIN_TICKS 1000u
#define CLOSE_ENOUGH 2 /* ticks: ends of blocks are whole ones */

struct entry {
    unsigned n;
    uint64_t ticks[MOST_CONTEXTS];    /* of its blocks before anything is moved */
    uint32_t contexts[MOST_CONTEXTS]; /* that they are in */
};

static const char *now;
static unsigned failed;

static void check(bool holds, const char *what) {
    if (!holds) {
        printf("FAILED: %s: %s\n", now, what);
        failed++;
    }
}

/* Context i, from 1 on, is that of a function which is called from outside and takes totals[i]. */
static void make_contexts(struct refrain_walk_contexts *all, const uint64_t *totals, unsigned n) {
    refrain_walk_contexts_open(all);
    for (unsigned i = 1; i <= n; i++)
        check(refrain_walk_contexts_enter(all, 0, 8 * (uint64_t)i, totals[i]) == i, "contexts have other numbers");
}

/* Passes the entries as they are shared out; what the blocks of each context get is in `given`. */
static void pass(struct refrain_adjustment *adjustment, const struct entry *entries, unsigned n_entries,
                 uint64_t *given) {
    memset(given, 0, MOST_CONTEXTS * sizeof *given);
    for (unsigned i = 0; i < n_entries; i++) {
        struct refrain_kept_block blocks[MOST_CONTEXTS] = {0};
        uint64_t end = BEGIN_TICKS, before = BEGIN_TICKS;
        for (unsigned k = 0; k < entries[i].n; k++) {
            blocks[k].context = entries[i].contexts[k];
            blocks[k].end_ticks = end += entries[i].ticks[k];
        }
        refrain_adjustment_entry(adjustment, blocks, entries[i].n, BEGIN_TICKS);
        check(blocks[entries[i].n - 1].end_ticks == end, "an entry ends elsewhere");
        for (unsigned k = 0; k < entries[i].n; k++) {
            check(blocks[k].end_ticks >= before, "a block ends before it begins");
            given[entries[i].contexts[k]] += blocks[k].end_ticks - before;
            before = blocks[k].end_ticks;
        }
    }
}

/* Trials until the totals hold; returns how many found a shift. `given` is what the walk after them gives. */
static unsigned adjust_entries(const struct entry *entries, unsigned n_entries, const uint64_t *totals,
                               unsigned n_contexts, uint64_t *given) {
    struct refrain_walk_contexts contexts;
    struct refrain_adjustment adjustment, copy = {0};
    make_contexts(&contexts, totals, n_contexts);
    check(refrain_adjustment_open(&adjustment, (uint32_t)contexts.n_contexts), "no memory");
    bool enough = false;
    while (!enough && refrain_adjustment_try(&adjustment)) {
        pass(&adjustment, entries, n_entries, given);
        enough = refrain_adjustment_solve(&adjustment, &contexts);
    }
    refrain_adjustment_copy(&copy, &adjustment);
    unsigned n_shifts = copy.n_shifts;
    check(n_shifts == adjustment.n_shifts, "the copy has other shifts");
    pass(n_shifts ? &copy : &adjustment, entries, n_entries, given);
    refrain_adjustment_close(&copy);
    refrain_adjustment_close(&adjustment);
    refrain_walk_contexts_close(&contexts);
    return n_shifts;
}

static void check_totals(const uint64_t *given, const uint64_t *totals, unsigned n) {
    for (unsigned i = 1; i <= n; i++)
        if (llabs((long long)(given[i] - totals[i])) > CLOSE_ENOUGH) {
            printf("FAILED: %s: context %u has %llu ticks of %llu\n", now, i, (unsigned long long)given[i],
                   (unsigned long long)totals[i]);
            failed++;
        }
}

int main(void) {
    uint64_t given[MOST_CONTEXTS];

    now = "nothing is off";
    static const struct entry two_alike = {2, {100000, 100000}, {1, 2}};
    check(adjust_entries(&two_alike, 1, (uint64_t[]){0, 100000, 100000}, 2, given) == 0, "something is moved");
    check(given[1] == 100000 && given[2] == 100000, "blocks have other times");

    now = "one entry: what one gains the other loses";
    check(adjust_entries(&two_alike, 1, (uint64_t[]){0, 120000, 80000}, 2, given) == 1, "not by one shift");
    check_totals(given, (uint64_t[]){0, 120000, 80000}, 2);

    now = "three contexts by three entries";
    static const struct entry three[] = {
        {2, {100000, 100000}, {1, 2}}, {3, {50000, 200000, 50000}, {2, 3, 2}}, {2, {10000, 90000}, {3, 1}}};
    check(adjust_entries(three, 3, (uint64_t[]){0, 185000, 205000, 210000}, 3, given) == 1, "not by one shift");
    check_totals(given, (uint64_t[]){0, 185000, 205000, 210000}, 3);

    now = "a block that would go below nothing";
    static const struct entry unequal[] = {{2, {10000, 990000}, {1, 2}}, {2, {100000, 100000}, {1, 2}}};
    check(adjust_entries(unequal, 2, (uint64_t[]){0, 15000, 1185000}, 2, given) > 1, "one shift is enough");
    check_totals(given, (uint64_t[]){0, 15000, 1185000}, 2);

    now = "more contexts in an entry than time is moved between";
    static struct entry many = {.n = REFRAIN_ADJUST_MEMBERS + 8};
    uint64_t totals[MOST_CONTEXTS] = {0};
    for (unsigned i = 0; i < many.n; i++) {
        many.ticks[i] = totals[i + 1] = 10000;
        many.contexts[i] = i + 1;
    }
    totals[1] += 2000;
    totals[2] -= 2000;
    check(adjust_entries(&many, 1, totals, many.n, given) > 0, "nothing is moved");
    check_totals(given, totals, many.n);

    now = "what is off lies within no entry of several contexts";
    static const struct entry alone = {2, {100000, 100000}, {1, 1}};
    adjust_entries(&alone, 1, (uint64_t[]){0, 150000}, 1, given);
    check(given[1] == 200000, "an entry's time is another");

    printf("%s\n", failed ? "FAILED" : "ok");
    return failed != 0;
}
