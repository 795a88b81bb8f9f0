/* learner_cost.c: what one value costs the monitor's learner, for each family of sequences, beside an empty call.
 *
 *     cc -O2 -I include -I monitor benchmarks/learner_cost.c benchmarks/empty_call.c monitor/learn*.c \
 *         reconstruct/sequence.c -o learner_cost
 *     ./learner_cost [--values N] [--rounds N] [--memory BYTES] [--only FAMILY] [--growth] [--json]
 *
 * A round gives each family's next so many values to a new learner in an empty pool, one family after the other, then
 * to an empty call; a slow moment of the machine falls on all of them. Values are made in blocks, outside of the time
 * that is taken. Printed are nanoseconds a value: least, median, distance between the quartiles, and the median over
 * that of the empty call; whether what the learner holds gives back every value; and the bytes of pool it took.
 * --growth adds pool, items and resident memory at 1,000, 10,000 ... values.
 */
#define _GNU_SOURCE
#include "../monitor/learn.h"
#include "../monitor/learn_memory.h"
#include "../reconstruct/sequence.h"
#include <refrain/settings.h>

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define VALUES 1000000ull
#define ROUNDS 11
#define MOST_ROUNDS 1000
#define BLOCK 8192u /* values made at a time; they stay in the cache */
#define TABLE 8192u
#define POWERS 20

void empty_call(int64_t value);

/* ---- the pool, in place of region.c's ---- */

struct refrain_region refrain_region;

static size_t pool_bytes = REFRAIN_DEFAULT_TOTAL_MEMORY;
static struct refrain_context context;

void *refrain_pool_take(size_t bytes, bool control) {
    struct refrain_header *header = refrain_region.header;
    bytes = (bytes + REFRAIN_UNIT_BYTES - 1) & ~(size_t)(REFRAIN_UNIT_BYTES - 1);
    if (header->pool_used + bytes > pool_bytes - (control ? 0 : header->pool_control))
        return NULL;
    void *p = refrain_region.base + header->pool_used;
    header->pool_used += bytes;
    return p;
}

void refrain_lose(enum refrain_loss loss, uint64_t n) {
    refrain_region.header->losses[loss] += n;
}

/* An empty pool and a learner in it. `release`: give the pages back too, so that resident memory tells what is used. */
static struct refrain_learner *new_learner(bool release) {
    struct refrain_header *header = refrain_region.header;
    if (release)
        madvise(refrain_region.base, pool_bytes, MADV_DONTNEED);
    else
        memset(refrain_region.base, 0, header->pool_used);
    header->pool_used = REFRAIN_HEADER_BYTES;
    header->pool_control = pool_bytes / 4;
    context.journal = refrain_pool_take(refrain_journal_bytes(), true);
    return refrain_pool_take(sizeof(struct refrain_learner), true);
}

/* ---- the families ---- */

struct source {
    uint64_t i; /* number of the value */
    uint64_t random;
    int64_t a, b, left, kind;
    uint64_t period;
    int64_t table[TABLE];
};

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

static int64_t next_wrapping(struct source *s) { /* a step of nearly a quarter of the range, 10 times */
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

/* A cycle of so many values without a pattern. */
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

static const struct family {
    const char *key, *title;
    int64_t (*next)(struct source *);
    void (*start)(struct source *); /* null: from zero */
} families[] = {
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
#define FAMILIES (sizeof families / sizeof *families)

static void start(const struct family *family, struct source *source) {
    memset(source, 0, sizeof *source);
    source->random = 0x9e3779b97f4a7c15u;
    source->a = family->next == next_of_table ? -1 : 0;
    if (family->start)
        family->start(source);
}

static void fill(const struct family *family, struct source *source, int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++) {
        block[k] = family->next(source);
        source->i++;
    }
}

/* ---- measuring ---- */

struct memory {
    uint64_t values, pool, items, resident;
};

static struct result {
    double ns[MOST_ROUNDS];
    uint64_t pool;  /* bytes the learner took, itself included */
    uint64_t exact; /* values given back as they were, from the first on */
    uint64_t kept;  /* values the learner says it holds exactly */
    bool whole;     /* every value is given back, and the learner says so */
    struct memory growth[POWERS];
    unsigned n_growth;
} results[FAMILIES];
static double call_ns[MOST_ROUNDS], loop_ns[MOST_ROUNDS];

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t resident_bytes(void) {
    unsigned long long total = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file) {
        if (fscanf(file, "%llu %llu", &total, &resident) != 2)
            resident = 0;
        fclose(file);
    }
    return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void note_growth(struct result *result, const struct refrain_learner *learner, uint64_t values,
                        uint64_t before) {
    if (result->n_growth == POWERS)
        return;
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    result->growth[result->n_growth++] = (struct memory){values, refrain_region.header->pool_used - before,
                                                         formula ? formula->n_items : 0, resident_bytes()};
}

/* Kept out of line so that every family runs the same code. */
static __attribute__((noinline)) void feed(struct refrain_learner *learner, const int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++)
        refrain_learn(&context, learner, block[k], false);
}

static __attribute__((noinline)) void feed_call(const int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++)
        empty_call(block[k]);
}

static __attribute__((noinline)) void feed_nothing(const int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++)
        __asm__ volatile("" : : "r"(block[k]));
}

static struct source source;
static int64_t block[BLOCK];

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Reads the learner back and compares it with the sequence. */
static void verify(const struct family *family, struct result *result, const struct refrain_learner *learner,
                   uint64_t values) {
    struct refrain_sequence read;
    uint64_t seen = 0;
    int64_t value;
    bool same = true;
    uint64_t counted = refrain_learner_values(refrain_region.base, pool_bytes, learner, &result->kept);
    start(family, &source);
    refrain_sequence_open(&read, refrain_region.base, pool_bytes, learner);
    while (same && seen < values) {
        size_t n = (size_t)least(values - seen, BLOCK), k = 0;
        fill(family, &source, block, n);
        for (; k < n && same; k += same)
            same = refrain_sequence_next(&read, &value) && !read.approximate && value == block[k];
        seen += k;
    }
    result->exact = seen;
    result->whole = same && counted == values && result->kept == values && !refrain_sequence_next(&read, &value);
    refrain_sequence_close(&read);
    if (result->exact < result->kept) {
        fprintf(stderr, "learner_cost: %s: value %llu is not given back, yet %llu are said to be exact\n", family->key,
                (unsigned long long)result->exact, (unsigned long long)result->kept);
        exit(1);
    }
}

static void measure(size_t f, unsigned round, uint64_t values) {
    const struct family *family = &families[f];
    struct result *result = &results[f];
    struct refrain_learner *learner = new_learner(round == 0);
    uint64_t before = refrain_region.header->pool_used - sizeof *learner, spent_ns = 0, seen = 0, mark = 1000;
    start(family, &source);
    while (seen < values) {
        size_t n = (size_t)least(least(values, mark) - seen, BLOCK);
        fill(family, &source, block, n);
        uint64_t begin = now_ns();
        feed(learner, block, n);
        spent_ns += now_ns() - begin;
        seen += n;
        if (seen == mark || seen == values) {
            if (round == 0)
                note_growth(result, learner, seen, before);
            mark *= 10;
        }
    }
    result->ns[round] = (double)spent_ns / (double)values;
    if (round == 0) {
        result->pool = refrain_region.header->pool_used - before;
        verify(family, result, learner, values);
    }
}

/* The same loop over the same number of blocks, around an empty call and around nothing. */
static void measure_baselines(unsigned round, uint64_t values) {
    uint64_t call = 0, nothing = 0;
    for (uint64_t seen = 0; seen < values; seen += BLOCK) {
        size_t n = (size_t)least(values - seen, BLOCK);
        uint64_t a = now_ns();
        feed_call(block, n);
        uint64_t b = now_ns();
        feed_nothing(block, n);
        call += b - a;
        nothing += now_ns() - b;
    }
    call_ns[round] = (double)call / (double)values;
    loop_ns[round] = (double)nothing / (double)values;
}

/* ---- output ---- */

struct figure {
    double least, median, quartiles;
};

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct figure figure_of(double *ns, unsigned n) {
    qsort(ns, n, sizeof *ns, compare);
    return (struct figure){ns[0], ns[n / 2], ns[n * 3 / 4] - ns[n / 4]};
}

static void print_text(unsigned rounds, uint64_t values, const char *only, bool growth) {
    struct figure call = figure_of(call_ns, rounds), loop = figure_of(loop_ns, rounds);
    printf("%llu values a learner, %u rounds, pool of %zu bytes\n", (unsigned long long)values, rounds, pool_bytes);
    printf("%-32s %9s %9s %9s %8s  %-16s %10s\n", "ns a value", "least", "median", "quartiles", "of call", "exact",
           "pool bytes");
    printf("%-32s %9.2f %9.2f %9.2f %8.2f\n", "nothing", loop.least, loop.median, loop.quartiles,
           loop.median / call.median);
    printf("%-32s %9.2f %9.2f %9.2f %8.2f\n", "empty call", call.least, call.median, call.quartiles, 1.0);
    for (size_t f = 0; f < FAMILIES; f++) {
        if (only && strcmp(only, families[f].key) != 0)
            continue;
        struct result *result = &results[f];
        struct figure cost = figure_of(result->ns, rounds);
        char exact[32] = "all";
        if (!result->whole)
            snprintf(exact, sizeof exact, "first %llu", (unsigned long long)result->kept);
        printf("%-32s %9.2f %9.2f %9.2f %8.2f  %-16s %10llu\n", families[f].title, cost.least, cost.median,
               cost.quartiles, cost.median / call.median, exact, (unsigned long long)result->pool);
        for (unsigned g = 0; growth && g < result->n_growth; g++)
            printf("    after %12llu values: pool %10llu bytes, %4llu items, resident %10llu bytes\n",
                   (unsigned long long)result->growth[g].values, (unsigned long long)result->growth[g].pool,
                   (unsigned long long)result->growth[g].items, (unsigned long long)result->growth[g].resident);
    }
}

static void print_figure_json(const char *name, struct figure cost) {
    printf("\"%s\": {\"least_ns\": %.3f, \"median_ns\": %.3f, \"quartiles_ns\": %.3f}", name, cost.least, cost.median,
           cost.quartiles);
}

static void print_json(unsigned rounds, uint64_t values, const char *only) {
    const char *comma = "";
    printf("{\n  \"values\": %llu, \"rounds\": %u, \"memory_bytes\": %zu,\n  ", (unsigned long long)values, rounds,
           pool_bytes);
    print_figure_json("nothing", figure_of(loop_ns, rounds));
    printf(",\n  ");
    print_figure_json("empty_call", figure_of(call_ns, rounds));
    printf(",\n  \"families\": [");
    for (size_t f = 0; f < FAMILIES; f++) {
        if (only && strcmp(only, families[f].key) != 0)
            continue;
        struct result *result = &results[f];
        printf("%s\n    {\"family\": \"%s\", \"title\": \"%s\", ", comma, families[f].key, families[f].title);
        print_figure_json("cost", figure_of(result->ns, rounds));
        printf(", \"exact\": %s, \"values_exact\": %llu, \"pool_bytes\": %llu,\n     \"growth\": [",
               result->whole ? "true" : "false", (unsigned long long)result->kept, (unsigned long long)result->pool);
        for (unsigned g = 0; g < result->n_growth; g++)
            printf("%s{\"values\": %llu, \"pool_bytes\": %llu, \"items\": %llu, \"resident_bytes\": %llu}",
                   g ? ", " : "", (unsigned long long)result->growth[g].values,
                   (unsigned long long)result->growth[g].pool, (unsigned long long)result->growth[g].items,
                   (unsigned long long)result->growth[g].resident);
        printf("]}");
        comma = ",";
    }
    printf("\n  ]\n}\n");
}

/* ---- command line ---- */

static uint64_t read_number(const char *option, const char *text, uint64_t lowest, uint64_t highest) {
    uint64_t number;
    if (refrain_settings_size(text, &number) && number >= lowest && number <= highest)
        return number;
    fprintf(stderr, "learner_cost: --%s takes a number from %llu to %llu, not %s\n", option, (unsigned long long)lowest,
            (unsigned long long)highest, text);
    exit(2);
}

static const char *read_family(const char *key) {
    for (size_t f = 0; f < FAMILIES; f++)
        if (strcmp(families[f].key, key) == 0)
            return key;
    fprintf(stderr, "learner_cost: no family %s; there are", key);
    for (size_t f = 0; f < FAMILIES; f++)
        fprintf(stderr, " %s", families[f].key);
    fputc('\n', stderr);
    exit(2);
}

int main(int argc, char **argv) {
    static const struct option options[] = {{"values", required_argument, NULL, 'v'},
                                            {"rounds", required_argument, NULL, 'r'},
                                            {"memory", required_argument, NULL, 'm'},
                                            {"only", required_argument, NULL, 'o'},
                                            {"growth", no_argument, NULL, 'g'},
                                            {"json", no_argument, NULL, 'j'},
                                            {0}};
    uint64_t values = VALUES;
    unsigned rounds = ROUNDS;
    const char *only = NULL;
    bool growth = false, json = false;
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (option) {
        case 'v':
            values = read_number("values", optarg, 1, UINT64_C(1) << 50);
            break;
        case 'r':
            rounds = (unsigned)read_number("rounds", optarg, 1, MOST_ROUNDS);
            break;
        case 'm':
            pool_bytes = (size_t)read_number("memory", optarg, 1u << 20, UINT64_C(1) << 35);
            break;
        case 'o':
            only = read_family(optarg);
            break;
        case 'g':
            growth = true;
            break;
        case 'j':
            json = true;
            break;
        default:
            return 2;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "learner_cost: %s is no option\n", argv[optind]);
        return 2;
    }
    context.scratch = malloc(sizeof *context.scratch);
    context.formula_length = REFRAIN_WINDOW_ITEMS;
    refrain_region.base =
        mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!context.scratch || refrain_region.base == MAP_FAILED) {
        fprintf(stderr, "learner_cost: no memory for a pool of %zu bytes\n", pool_bytes);
        return 1;
    }
    refrain_region.header = (struct refrain_header *)refrain_region.base;
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t f = 0; f < FAMILIES; f++)
            if (!only || strcmp(only, families[f].key) == 0)
                measure(f, round, values);
        measure_baselines(round, values);
    }
    if (json)
        print_json(rounds, values, only);
    else
        print_text(rounds, values, only, growth);
    return 0;
}
