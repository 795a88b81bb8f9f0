/* learner_families.c: makes the sequences (learner_families.h). */
#include "learner_families.h"

#include <string.h>

static uint64_t random_next(struct source *s) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

static int64_t next_constant(struct source *s) {
    (void)s;
    return 42;
}

static int64_t next_affine(struct source *s) {
    return 3 * (int64_t)s->i - 100;
}

static int64_t next_iteration(struct source *s) {
    return 5 - (int64_t)(s->i % 10);
}

static int64_t next_wrapping(struct source *s) { /* steps of about a quarter of the range, 10 times */
    return (int64_t)(s->i % 10 * 0x3fffffffffffff01u + 0x7ffffffffffffff0u);
}

/* The table over and over. */
static int64_t next_of_table(struct source *s) {
    return s->table[s->a = s->a + 1 == (int64_t)s->period ? 0 : s->a + 1];
}

/* Seven values, then runs of 3, 2, 4, 1, 2. */
static int64_t next_prologue(struct source *s) {
    return s->i < 7 ? (int64_t)(s->i * s->i) : s->table[(s->i - 7) % s->period];
}

static void start_prologue(struct source *s) {
    static const int64_t cycle[] = {4, 4, 4, 9, 9, 1, 1, 1, 1, 6, 2, 2};
    memcpy(s->table, cycle, sizeof cycle);
    s->period = sizeof cycle / sizeof *cycle;
}

/* ((1 2)^40 (3 4 5)^60 6)^n */
static int64_t next_cycles(struct source *s) {
    uint64_t at = s->i % (40 * 2 + 60 * 3 + 1);
    return at < 80 ? 1 + (int64_t)(at % 2) : at < 260 ? 3 + (int64_t)((at - 80) % 3) : 6;
}

/* for a in 0 .. 99: for b in 0 .. a */
static int64_t next_triangle(struct source *s) {
    if (s->b > s->a) {
        s->b = 0;
        s->a = s->a == 99 ? 0 : s->a + 1;
    }
    return s->b++;
}

/* The same without end. */
static int64_t next_growing_triangle(struct source *s) {
    if (s->b > s->a) {
        s->b = 0;
        s->a++;
    }
    return s->b++;
}

static void cycle_levels(struct source *s, int64_t level, unsigned visits) {
    s->table[s->period++] = level;
    if (level == 0)
        return;
    for (unsigned v = 0; v < visits; v++) {
        cycle_levels(s, level - 1, visits);
        s->table[s->period++] = level;
    }
}

static void start_v_cycle(struct source *s) {
    cycle_levels(s, 9, 1);
}

static void start_w_cycle(struct source *s) {
    cycle_levels(s, 6, 2);
}

/* Message sizes of a V-cycle: six faces on each level, a fourth of the size on each coarser one. */
static void start_v_sizes(struct source *s) {
    for (int level = 18; level > 0; level--)
        for (int face = 0; face < 6; face++)
            s->table[s->period++] = INT64_C(1) << (level < 10 ? 2 * (9 - level) : 2 * (level - 10));
}

/* Up 0 .. 63, down 63 .. 0. */
static int64_t next_sweep(struct source *s) {
    uint64_t at = s->i % 128;
    return at < 64 ? (int64_t)at : 127 - (int64_t)at;
}

/* Partners of rank 37: along a hypercube, then left and right three times. */
static int64_t next_partner(struct source *s) {
    uint64_t at = s->i % 12;
    return at < 6 ? 37 ^ (INT64_C(1) << at) : 37 + (at % 2 ? -1 : 1);
}

/* A new formula every 1,000 to 9,000 values: a constant, a run or a cycle of up to 8. */
static int64_t next_changing(struct source *s) {
    if (s->left == 0) {
        s->left = 1000 + (int64_t)(random_next(s) % 8000);
        s->kind = (int64_t)(random_next(s) % 3);
        s->period = 1 + random_next(s) % 8;
        s->a = s->b = 0;
        for (unsigned i = 0; i < s->period; i++)
            s->table[i] = (int64_t)(random_next(s) % 1000);
    }
    s->left--;
    return s->kind == 0 ? s->table[0] : s->kind == 1 ? s->table[0] + s->b++ : next_of_table(s);
}

/* A condition that holds 20 to 23 times, then fails once: a solver that converges. */
static int64_t next_run_lengths(struct source *s) {
    if (s->left == 0) {
        s->left = 20 + (int64_t)(random_next(s) % 4);
        return 0;
    }
    s->left--;
    return 1;
}

static int64_t next_rare(struct source *s) {
    return random_next(s) % 64 == 0;
}

static int64_t next_coin(struct source *s) {
    return (int64_t)(random_next(s) >> 63);
}

static int64_t next_small(struct source *s) {
    return (int64_t)(random_next(s) >> 60);
}

static int64_t next_any(struct source *s) {
    return (int64_t)random_next(s);
}

/* A cycle of `period` values without a pattern. */
static void start_period(struct source *s, uint64_t period) {
    s->period = period;
    for (uint64_t i = 0; i < period; i++)
        s->table[i] = (int64_t)(random_next(s) % 1000);
}

static void start_10(struct source *s) {
    start_period(s, 10);
}

static void start_100(struct source *s) {
    start_period(s, 100);
}

static void start_1000(struct source *s) {
    start_period(s, 1000);
}

static void start_5000(struct source *s) {
    start_period(s, 5000);
}

const struct family learner_families[] = {
    {"constant", "constant", next_constant, NULL},
    {"affine", "affine run", next_affine, NULL},
    {"iteration", "iteration with restarts", next_iteration, NULL},
    {"wrapping", "iteration that wraps around", next_wrapping, NULL},
    {"prologue", "cycle of runs with a prologue", next_prologue, start_prologue},
    {"cycles", "cycle of cycles", next_cycles, NULL},
    {"triangle", "triangular loop, repeated", next_triangle, NULL},
    {"growing-triangle", "triangular loop, growing", next_growing_triangle, NULL},
    {"v-cycle", "multigrid V-cycle, levels", next_of_table, start_v_cycle},
    {"v-sizes", "multigrid V-cycle, sizes", next_of_table, start_v_sizes},
    {"w-cycle", "multigrid W-cycle, levels", next_of_table, start_w_cycle},
    {"sweep", "sweep that changes direction", next_sweep, NULL},
    {"partner", "partners relative to the rank", next_partner, NULL},
    {"changing", "changes of mind", next_changing, NULL},
    {"period-10", "cycle of 10 irregular values", next_of_table, start_10},
    {"period-100", "cycle of 100 irregular values", next_of_table, start_100},
    {"period-1000", "cycle of 1000 irregular values", next_of_table, start_1000},
    {"period-5000", "cycle of 5000 irregular values", next_of_table, start_5000},
    {"run-lengths", "branch, 20 to 23 times true", next_run_lengths, NULL},
    {"rare", "branch by chance, 1 in 64", next_rare, NULL},
    {"coin", "branch by chance, 1 in 2", next_coin, NULL},
    {"small", "irregular values below 16", next_small, NULL},
    {"any", "irregular 64-bit values", next_any, NULL},
};
const size_t learner_families_count = sizeof learner_families / sizeof *learner_families;

void learner_family_start(const struct family *family, struct source *source) {
    memset(source, 0, sizeof *source);
    source->random = 0x9e3779b97f4a7c15u;
    source->a = family->next == next_of_table ? -1 : 0;
    if (family->start)
        family->start(source);
}

void learner_family_fill(const struct family *family, struct source *source, int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++) {
        block[k] = family->next(source);
        source->i++;
    }
}
