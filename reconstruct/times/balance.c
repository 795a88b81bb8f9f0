/* balance.c: what is moved, and how much of it (balance.h). */
#include "times/balance.h"
#include "common/arena.h"
#include "common/array.h"
#include "times/block_times.h"
#include "times/walk_contexts.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS (1u << 17)
#define LEAST_LEFT 0.05 /* of a block */

bool refrain_balance_open(struct refrain_balance *balance, uint32_t n_contexts) {
    *balance = (struct refrain_balance){.n_contexts = n_contexts};
    balance->shifts = refrain_calloc((size_t)n_contexts * REFRAIN_BALANCE_TRIALS, sizeof *balance->shifts);
    balance->local = refrain_calloc(n_contexts, sizeof *balance->local);
    return balance->shifts && balance->local;
}

bool refrain_balance_try(struct refrain_balance *balance) {
    refrain_free(balance->ticks);
    refrain_table_close(&balance->table);
    balance->n_pairs = 0;
    balance->ticks = refrain_calloc(balance->n_contexts, sizeof *balance->ticks);
    return balance->ticks;
}

void refrain_balance_copy(struct refrain_balance *copy, const struct refrain_balance *balance) {
    if (balance->n_shifts == 0 || !refrain_balance_open(copy, balance->n_contexts)) {
        refrain_balance_close(copy);
        return;
    }
    copy->n_shifts = balance->n_shifts;
    memcpy(copy->shifts, balance->shifts, (size_t)copy->n_contexts * copy->n_shifts * sizeof *copy->shifts);
}

void refrain_balance_close(struct refrain_balance *balance) {
    refrain_free(balance->shifts);
    refrain_free(balance->local);
    refrain_free(balance->ticks);
    refrain_free(balance->pairs);
    refrain_table_close(&balance->table);
    *balance = (struct refrain_balance){0};
}

/* ---- an entry ---- */

/* A context that has blocks in the entry. */
struct member {
    uint32_t context;
    double ticks, factor;
};

static void add_pair(struct refrain_balance *balance, uint32_t a, uint32_t b, double ticks) {
    uint32_t one = a < b ? a : b, other = a < b ? b : a;
    size_t number = refrain_table_number(&balance->table, one, other);
    if (!number) {
        number = balance->n_pairs + 1;
        if (number > MOST_PAIRS || !REFRAIN_ARENA_ROOM(balance->pairs, balance->n_pairs, balance->capacity_pairs) ||
            !refrain_table_put(&balance->table, one, other, number))
            return;
        balance->pairs[balance->n_pairs++] = (struct refrain_balance_pair){.one = one, .other = other};
    }
    balance->pairs[number - 1].ticks += ticks;
}

static double ticks_of(const struct member *members, unsigned n) {
    double ticks = 0;
    for (unsigned i = 0; i < n; i++)
        ticks += members[i].ticks;
    return ticks;
}

/* Moves time between the members by these shifts, of which none loses all that it has. */
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

/* Which contexts the blocks are in, and how long; those beyond the most keep their times. */
static unsigned find_members(struct refrain_balance *balance, const struct refrain_kept_block *blocks, uint32_t n,
                             uint64_t begin_ticks, struct member *members) {
    unsigned n_members = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *local = &balance->local[blocks[i].context];
        if (*local == 0 && n_members < REFRAIN_BALANCE_MEMBERS) {
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
static void move(const struct refrain_balance *balance, struct refrain_kept_block *blocks, uint32_t n,
                 uint64_t begin_ticks, const struct member *members) {
    uint64_t before = begin_ticks, last = blocks[n - 1].end_ticks;
    double so_far = 0.5 /* ends are rounded */, ticks = (double)(int64_t)(last - begin_ticks);
    for (uint32_t i = 0; i < n - 1; i++) {
        uint32_t local = balance->local[blocks[i].context];
        so_far += (double)(int64_t)(blocks[i].end_ticks - before) * (local ? members[local - 1].factor : 1);
        before = blocks[i].end_ticks;
        blocks[i].end_ticks = so_far < ticks ? begin_ticks + (uint64_t)(int64_t)so_far : last;
    }
}

/* Counts what the blocks were given, and the pairs that could take it from each other. */
static void count(struct refrain_balance *balance, const struct refrain_kept_block *blocks, uint32_t n,
                  uint64_t begin_ticks, const struct member *members, unsigned n_members) {
    for (uint32_t i = 0; i < n; i++) {
        balance->ticks[blocks[i].context] += (int64_t)(blocks[i].end_ticks - begin_ticks);
        begin_ticks = blocks[i].end_ticks;
    }
    double ticks = ticks_of(members, n_members);
    for (unsigned i = 0; i < n_members && ticks > 0; i++)
        for (unsigned j = 0; j < i && members[i].ticks > 0; j++)
            if (members[j].ticks > 0)
                add_pair(balance, members[i].context, members[j].context, members[i].ticks * members[j].ticks / ticks);
}

void refrain_balance_entry(struct refrain_balance *balance, struct refrain_kept_block *blocks, uint32_t n,
                           uint64_t begin_ticks) {
    if (n == 0 || have_one_context(blocks, n)) {
        if (n > 0 && balance->ticks)
            balance->ticks[blocks[0].context] += (int64_t)(blocks[n - 1].end_ticks - begin_ticks);
        return;
    }
    struct member members[REFRAIN_BALANCE_MEMBERS];
    unsigned n_members = find_members(balance, blocks, n, begin_ticks, members);
    for (unsigned s = 0; s < balance->n_shifts; s++)
        shift(members, n_members, balance->shifts + (size_t)s * balance->n_contexts);
    if (balance->n_shifts > 0)
        move(balance, blocks, n, begin_ticks, members);
    if (balance->ticks)
        count(balance, blocks, n, begin_ticks, members, n_members);
    for (unsigned i = 0; i < n_members; i++)
        balance->local[members[i].context] = 0;
}

/* ---- the shifts ---- */

#define CLOSE_ENOUGH 0.5 /* ticks by which a total may differ */
#define MOST_CUT 2e-7    /* of the run: what is worth another trial */
#define MOST_ROUNDS 2000u
#define RIDGE 1e-9 /* of what a kind's shift moves: for sums of kinds that no entry tells apart */

/* The equations. */
struct system {
    const struct refrain_balance *balance;
    const struct refrain_walk_contexts *contexts;
    double *of_context, *gained; /* for each context */
    double *moves;               /* what a shift of 1 of a kind would move at most; 0: it cannot be shifted */
};

/* What each context's shift is when each kind has that one. */
static void add_up(const struct system *system, const double *of_kind, double *of_context) {
    const struct refrain_walk_context *contexts = system->contexts->contexts;
    of_context[0] = 0;
    for (size_t i = 1; i < system->contexts->n_contexts; i++)
        of_context[i] = of_context[contexts[i].parent] + of_kind[contexts[i].kind];
}

/* What all activations of each kind gain by these shifts. */
static void gain(const struct system *system, const double *of_kind, double *by_kind) {
    const struct refrain_walk_contexts *all = system->contexts;
    const struct refrain_balance *balance = system->balance;
    add_up(system, of_kind, system->of_context);
    memset(system->gained, 0, all->n_contexts * sizeof *system->gained);
    memset(by_kind, 0, all->n_kinds * sizeof *by_kind);
    for (size_t i = 0; i < balance->n_pairs; i++) {
        const struct refrain_balance_pair *pair = &balance->pairs[i];
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

/* Where the activations of a pair that are open in one only begin. */
static void find_moves(struct system *system) {
    const struct refrain_walk_contexts *all = system->contexts;
    for (size_t i = 0; i < system->balance->n_pairs; i++) {
        uint32_t one = system->balance->pairs[i].one, other = system->balance->pairs[i].other;
        while (one != other) {
            uint32_t *inner = one > other ? &one : &other; /* a context's number is higher than that around it */
            system->moves[all->contexts[*inner].kind] += system->balance->pairs[i].ticks;
            *inner = all->contexts[*inner].parent;
        }
    }
    for (size_t i = 0; i < all->n_kinds; i++)
        if (all->kinds[i].loose)
            system->moves[i] = 0;
}

/* What each kind has less than the run measured. */
static void find_missing(const struct system *system, double *missing) {
    const struct refrain_walk_contexts *all = system->contexts;
    for (size_t i = 0; i < all->n_kinds; i++)
        missing[i] = (double)all->kinds[i].total_ticks;
    for (size_t i = 0; i < all->n_contexts; i++)
        system->gained[i] = (double)(all->contexts[i].told_ticks + system->balance->ticks[i]);
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

/* By conjugate gradients (Hestenes and Stiefel 1952), each kind scaled by what its shift moves. Of the solutions on the
 * way the one that leaves least is taken. */
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

/* What these shifts would move but cannot, where blocks would be left with less than nothing: about so much. */
static double find_cut(const struct refrain_balance *balance, const double *shifts) {
    double cut = 0;
    for (size_t i = 0; i < balance->n_pairs; i++) {
        const struct refrain_balance_pair *pair = &balance->pairs[i];
        double most = fabs(shifts[pair->one] - shifts[pair->other]);
        cut += most > 1 - LEAST_LEFT ? pair->ticks * (most - (1 - LEAST_LEFT)) : 0;
    }
    return cut;
}

bool refrain_balance_solve(struct refrain_balance *balance, const struct refrain_walk_contexts *contexts) {
    size_t n_contexts = contexts->n_contexts, n_kinds = contexts->n_kinds;
    double *room = refrain_calloc(2 * n_contexts + 7 * n_kinds, sizeof *room);
    if (!room || balance->n_contexts != n_contexts || balance->n_shifts == REFRAIN_BALANCE_TRIALS) {
        refrain_free(room);
        return true;
    }
    struct system system = {.balance = balance,
                            .contexts = contexts,
                            .of_context = room,
                            .gained = room + n_contexts,
                            .moves = room + 2 * n_contexts};
    double *missing = system.moves + n_kinds, *found = missing + n_kinds;
    find_moves(&system);
    find_missing(&system, missing);
    bool enough = largest(missing, n_kinds) <= CLOSE_ENOUGH;
    if (!enough) {
        double *shifts = balance->shifts + balance->n_shifts++ * n_contexts;
        solve(&system, missing, found, found + n_kinds);
        add_up(&system, found, shifts);
        double ticks = 0;
        for (size_t i = 0; i < n_contexts; i++)
            ticks += (double)(contexts->contexts[i].told_ticks + balance->ticks[i]);
        enough = find_cut(balance, shifts) <= MOST_CUT * ticks;
    }
    refrain_free(room);
    return enough;
}
