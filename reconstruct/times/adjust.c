/* adjust.c: moves time between blocks of an entry, and solves for how much (adjust.h). */
#include "times/adjust.h"
#include "common/arena.h"
#include "common/array.h"
#include "times/block_times.h"
#include "times/walk_contexts.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS (1u << 17)
#define LEAST_LEFT 0.05 /* part of its time that a block keeps */

bool refrain_adjustment_open(struct refrain_adjustment *adjustment, uint32_t n_contexts) {
    *adjustment = (struct refrain_adjustment){.n_contexts = n_contexts};
    adjustment->shifts = refrain_calloc((size_t)n_contexts * REFRAIN_ADJUST_TRIALS, sizeof *adjustment->shifts);
    adjustment->local = refrain_calloc(n_contexts, sizeof *adjustment->local);
    return adjustment->shifts && adjustment->local;
}

bool refrain_adjustment_try(struct refrain_adjustment *adjustment) {
    refrain_free(adjustment->ticks);
    refrain_table_close(&adjustment->table);
    adjustment->n_pairs = 0;
    adjustment->ticks = refrain_calloc(adjustment->n_contexts, sizeof *adjustment->ticks);
    return adjustment->ticks;
}

void refrain_adjustment_copy(struct refrain_adjustment *copy, const struct refrain_adjustment *adjustment) {
    if (adjustment->n_shifts == 0 || !refrain_adjustment_open(copy, adjustment->n_contexts)) {
        refrain_adjustment_close(copy);
        return;
    }
    copy->n_shifts = adjustment->n_shifts;
    memcpy(copy->shifts, adjustment->shifts, (size_t)copy->n_contexts * copy->n_shifts * sizeof *copy->shifts);
}

void refrain_adjustment_close(struct refrain_adjustment *adjustment) {
    refrain_free(adjustment->shifts);
    refrain_free(adjustment->local);
    refrain_free(adjustment->ticks);
    refrain_free(adjustment->pairs);
    refrain_table_close(&adjustment->table);
    *adjustment = (struct refrain_adjustment){0};
}

/* ---- an entry ---- */

/* A context with blocks in the entry. */
struct member {
    uint32_t context;
    double ticks, factor;
};

static void add_pair(struct refrain_adjustment *adjustment, uint32_t a, uint32_t b, double ticks) {
    uint32_t one = a < b ? a : b, other = a < b ? b : a;
    size_t number = refrain_table_number(&adjustment->table, one, other);
    if (!number) {
        number = adjustment->n_pairs + 1;
        if (number > MOST_PAIRS ||
            !REFRAIN_ARENA_ROOM(adjustment->pairs, adjustment->n_pairs, adjustment->capacity_pairs) ||
            !refrain_table_put(&adjustment->table, one, other, number))
            return;
        adjustment->pairs[adjustment->n_pairs++] = (struct refrain_adjustment_pair){.one = one, .other = other};
    }
    adjustment->pairs[number - 1].ticks += ticks;
}

static double ticks_of(const struct member *members, unsigned n) {
    double ticks = 0;
    for (unsigned i = 0; i < n; i++)
        ticks += members[i].ticks;
    return ticks;
}

/* Moves time between the members by these shifts. Each member keeps at least LEAST_LEFT of its time. */
static void shift(struct member *members, unsigned n, const double *shifts) {
    double mean = 0, least = INFINITY, ticks = ticks_of(members, n);
    for (unsigned i = 0; i < n; i++) {
        double of_context = shifts[members[i].context];
        mean += members[i].ticks * of_context;
        if (members[i].ticks > 0 && of_context < least)
            least = of_context;
    }
    if (!(ticks > 0))
        return;
    mean /= ticks;
    double part = mean - least > 1 - LEAST_LEFT ? (1 - LEAST_LEFT) / (mean - least) : 1;
    for (unsigned i = 0; i < n; i++) {
        double factor = 1 + part * (shifts[members[i].context] - mean);
        members[i].factor *= factor;
        members[i].ticks *= factor;
    }
}

static bool have_one_context(const struct refrain_kept_block *blocks, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (blocks[i].context != blocks[0].context)
            return false;
    return true;
}

/* Finds the contexts of the blocks and their time. Blocks of contexts beyond REFRAIN_ADJUST_MEMBERS keep their
 * times. */
static unsigned find_members(struct refrain_adjustment *adjustment, const struct refrain_kept_block *blocks, uint32_t n,
                             uint64_t begin_ticks, struct member *members) {
    unsigned n_members = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *local = &adjustment->local[blocks[i].context];
        if (*local == 0 && n_members < REFRAIN_ADJUST_MEMBERS) {
            members[n_members] = (struct member){.context = blocks[i].context, .factor = 1};
            *local = ++n_members;
        }
        if (*local)
            members[*local - 1].ticks += (double)(int64_t)(blocks[i].end_ticks - begin_ticks);
        begin_ticks = blocks[i].end_ticks;
    }
    return n_members;
}

/* Moves time between the blocks, by the factors of their contexts. */
static void move(const struct refrain_adjustment *adjustment, struct refrain_kept_block *blocks, uint32_t n,
                 uint64_t begin_ticks, const struct member *members) {
    uint64_t before = begin_ticks, last = blocks[n - 1].end_ticks;
    double so_far = 0.5 /* for rounding */, ticks = (double)(int64_t)(last - begin_ticks);
    for (uint32_t i = 0; i < n - 1; i++) {
        uint32_t local = adjustment->local[blocks[i].context];
        so_far += (double)(int64_t)(blocks[i].end_ticks - before) * (local ? members[local - 1].factor : 1);
        before = blocks[i].end_ticks;
        blocks[i].end_ticks = so_far < ticks ? begin_ticks + (uint64_t)(int64_t)so_far : last;
    }
}

/* Adds up the time of each context, and of each pair of contexts with blocks in this entry. */
static void count(struct refrain_adjustment *adjustment, const struct refrain_kept_block *blocks, uint32_t n,
                  uint64_t begin_ticks, const struct member *members, unsigned n_members) {
    for (uint32_t i = 0; i < n; i++) {
        adjustment->ticks[blocks[i].context] += (int64_t)(blocks[i].end_ticks - begin_ticks);
        begin_ticks = blocks[i].end_ticks;
    }
    double ticks = ticks_of(members, n_members);
    for (unsigned i = 0; i < n_members && ticks > 0; i++)
        for (unsigned j = 0; j < i && members[i].ticks > 0; j++)
            if (members[j].ticks > 0)
                add_pair(adjustment, members[i].context, members[j].context,
                         members[i].ticks * members[j].ticks / ticks);
}

void refrain_adjustment_entry(struct refrain_adjustment *adjustment, struct refrain_kept_block *blocks, uint32_t n,
                              uint64_t begin_ticks) {
    if (n == 0 || have_one_context(blocks, n)) {
        if (n > 0 && adjustment->ticks)
            adjustment->ticks[blocks[0].context] += (int64_t)(blocks[n - 1].end_ticks - begin_ticks);
        return;
    }
    struct member members[REFRAIN_ADJUST_MEMBERS];
    unsigned n_members = find_members(adjustment, blocks, n, begin_ticks, members);
    for (unsigned s = 0; s < adjustment->n_shifts; s++)
        shift(members, n_members, adjustment->shifts + (size_t)s * adjustment->n_contexts);
    if (adjustment->n_shifts > 0)
        move(adjustment, blocks, n, begin_ticks, members);
    if (adjustment->ticks)
        count(adjustment, blocks, n, begin_ticks, members, n_members);
    for (unsigned i = 0; i < n_members; i++)
        adjustment->local[members[i].context] = 0;
}

/* ---- the shifts ---- */

#define CLOSE_ENOUGH 0.5 /* ticks by which a total may differ */
#define MOST_CUT 2e-7    /* fraction of the run; above it, another trial is made */
#define MOST_ROUNDS 2000u
/* Fraction of what a kind's shift moves; makes the system regular if some kinds always occur together. */
#define RIDGE 1e-9

/* The linear system. */
struct system {
    const struct refrain_adjustment *adjustment;
    const struct refrain_walk_contexts *contexts;
    double *of_context, *gained; /* by context */
    double *moves;               /* by kind: the most time that a shift of 1 moves; 0: it cannot be shifted */
};

/* Shift of each context: the sum of the shifts of the kinds open in it. */
static void add_up(const struct system *system, const double *of_kind, double *of_context) {
    const struct refrain_walk_context *contexts = system->contexts->contexts;
    of_context[0] = 0;
    for (size_t i = 1; i < system->contexts->n_contexts; i++)
        of_context[i] = of_context[contexts[i].parent] + of_kind[contexts[i].kind];
}

/* Time that all activations of each kind gain by these shifts. */
static void gain(const struct system *system, const double *of_kind, double *by_kind) {
    const struct refrain_walk_contexts *all = system->contexts;
    const struct refrain_adjustment *adjustment = system->adjustment;
    add_up(system, of_kind, system->of_context);
    memset(system->gained, 0, all->n_contexts * sizeof *system->gained);
    memset(by_kind, 0, all->n_kinds * sizeof *by_kind);
    for (size_t i = 0; i < adjustment->n_pairs; i++) {
        const struct refrain_adjustment_pair *pair = &adjustment->pairs[i];
        double moved = pair->ticks * (system->of_context[pair->one] - system->of_context[pair->other]);
        system->gained[pair->one] += moved;
        system->gained[pair->other] -= moved;
    }
    for (size_t i = all->n_contexts; i-- > 1;) {
        by_kind[all->contexts[i].kind] += system->gained[i];
        system->gained[all->contexts[i].parent] += system->gained[i];
    }
    for (size_t i = 0; i < all->n_kinds; i++)
        by_kind[i] = system->moves[i] > 0 ? by_kind[i] + RIDGE * system->moves[i] * of_kind[i] : 0;
}

/* A pair moves time of those activations that are open in only one of its contexts. */
static void find_moves(struct system *system) {
    const struct refrain_walk_contexts *all = system->contexts;
    for (size_t i = 0; i < system->adjustment->n_pairs; i++) {
        uint32_t one = system->adjustment->pairs[i].one, other = system->adjustment->pairs[i].other;
        while (one != other) {
            uint32_t *inner = one > other ? &one : &other; /* the number of a context is above that of its parent */
            system->moves[all->contexts[*inner].kind] += system->adjustment->pairs[i].ticks;
            *inner = all->contexts[*inner].parent;
        }
    }
    for (size_t i = 0; i < all->n_kinds; i++)
        if (all->kinds[i].loose)
            system->moves[i] = 0;
}

/* How much less time each kind has than the run measured. */
static void find_missing(const struct system *system, double *missing) {
    const struct refrain_walk_contexts *all = system->contexts;
    for (size_t i = 0; i < all->n_kinds; i++)
        missing[i] = (double)all->kinds[i].total_ticks;
    for (size_t i = 0; i < all->n_contexts; i++)
        system->gained[i] = (double)(all->contexts[i].single_ticks + system->adjustment->ticks[i]);
    for (size_t i = all->n_contexts; i-- > 1;) {
        missing[all->contexts[i].kind] -= system->gained[i];
        system->gained[all->contexts[i].parent] += system->gained[i];
    }
    for (size_t i = 0; i < all->n_kinds; i++)
        missing[i] = system->moves[i] > 0 ? missing[i] : 0;
}

static double product(const double *a, const double *b, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double largest(const double *values, size_t n) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fabs(values[i]) > most ? fabs(values[i]) : most;
    return most;
}

/* Conjugate gradients (Hestenes and Stiefel 1952), each kind scaled by the time that its shift moves. Keeps the best
 * solution on the way. */
static void solve(const struct system *system, double *missing, double *found, double *room) {
    size_t n = system->contexts->n_kinds;
    double *shifts = room, *scaled = room + n, *direction = room + 2 * n, *gained = room + 3 * n;
    double least = largest(missing, n), before = 0;
    for (unsigned round = 0; round < MOST_ROUNDS && least > CLOSE_ENOUGH; round++) {
        for (size_t i = 0; i < n; i++)
            scaled[i] = system->moves[i] > 0 ? missing[i] / system->moves[i] : 0;
        double now = product(missing, scaled, n);
        for (size_t i = 0; i < n; i++)
            direction[i] = scaled[i] + (round > 0 ? now / before * direction[i] : 0);
        before = now;
        gain(system, direction, gained);
        double curvature = product(direction, gained, n);
        if (!(curvature > 0) || !isfinite(now / curvature))
            return;
        for (size_t i = 0; i < n; i++) {
            shifts[i] += now / curvature * direction[i];
            missing[i] -= now / curvature * gained[i];
        }
        double most = largest(missing, n);
        if (most < least) {
            least = most;
            memcpy(found, shifts, n * sizeof *found);
        }
    }
}

/* Estimates the time that these shifts cannot move, because each block keeps LEAST_LEFT of its time. */
static double find_cut(const struct refrain_adjustment *adjustment, const double *shifts) {
    double cut = 0;
    for (size_t i = 0; i < adjustment->n_pairs; i++) {
        const struct refrain_adjustment_pair *pair = &adjustment->pairs[i];
        double most = fabs(shifts[pair->one] - shifts[pair->other]);
        cut += most > 1 - LEAST_LEFT ? pair->ticks * (most - (1 - LEAST_LEFT)) : 0;
    }
    return cut;
}

bool refrain_adjustment_solve(struct refrain_adjustment *adjustment, const struct refrain_walk_contexts *contexts) {
    size_t n_contexts = contexts->n_contexts, n_kinds = contexts->n_kinds;
    double *room = refrain_calloc(2 * n_contexts + 7 * n_kinds, sizeof *room);
    if (!room || adjustment->n_contexts != n_contexts || adjustment->n_shifts == REFRAIN_ADJUST_TRIALS) {
        refrain_free(room);
        return true;
    }
    struct system system = {.adjustment = adjustment,
                            .contexts = contexts,
                            .of_context = room,
                            .gained = room + n_contexts,
                            .moves = room + 2 * n_contexts};
    double *missing = system.moves + n_kinds, *found = missing + n_kinds;
    find_moves(&system);
    find_missing(&system, missing);
    bool enough = largest(missing, n_kinds) <= CLOSE_ENOUGH;
    if (!enough) {
        double *shifts = adjustment->shifts + adjustment->n_shifts++ * n_contexts;
        solve(&system, missing, found, found + n_kinds);
        add_up(&system, found, shifts);
        double ticks = 0;
        for (size_t i = 0; i < n_contexts; i++)
            ticks += (double)(contexts->contexts[i].single_ticks + adjustment->ticks[i]);
        enough = find_cut(adjustment, shifts) <= MOST_CUT * ticks;
    }
    refrain_free(room);
    return enough;
}
