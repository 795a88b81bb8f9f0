/* learner_cost.c: measures the time that the monitor's learner takes for a value, for each family of sequences, beside
 * an empty call.
 *
 *     cc -O2 -I include -I monitor -I monitor/learn -I packed -I reconstruct/sequence \
 *         benchmarks/learner_cost.c benchmarks/learner_families.c benchmarks/empty_call.c monitor/learn/learn*.c \
 *         reconstruct/sequence/[a-z]*.c -o learner_cost
 *     ./learner_cost [--values N] [--rounds N] [--memory BYTES] [--only FAMILY] [--growth] [--json]
 *
 * A round gives the next values of each family to a new learner in an empty pool, one family after the other, and then
 * to an empty call. So a slow moment of the machine affects all of them. The values are made in blocks, and the time
 * for this is not measured. It prints nanoseconds a value: minimum, median, distance between the quartiles, and the
 * median relative to that of the empty call; whether all values can be read back; and the bytes of pool. --growth adds
 * pool, items and resident memory at 1,000, 10,000 ... values. */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "learner_families.h"
#include "sequence/sequence.h"
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
#define POWERS 20

void empty_call(int64_t value);

static size_t pool_bytes = REFRAIN_DEFAULT_TOTAL_MEMORY;
static struct refrain_context context;

/* `release`: returns the pages to the system, so that resident memory shows what is used. */
static struct refrain_learner *new_learner(bool release) {
    if (release)
        madvise(refrain_trace_file.base, pool_bytes, MADV_DONTNEED);
    return refrain_alone_begin(&context, pool_bytes / 4);
}

/* ---- measuring ---- */

struct memory {
    uint64_t values, pool, items, resident;
};

struct result {
    double ns[MOST_ROUNDS];
    uint64_t pool;  /* bytes the learner took, itself included */
    uint64_t exact; /* number of values from the first on that are read back correctly */
    uint64_t kept;  /* values that the learner has exactly, by its own account */
    bool whole;     /* all values are read back, and are exact by the learner's account */
    struct memory growth[POWERS];
    unsigned n_growth;
};
static struct result *results; /* by family */
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
    result->growth[result->n_growth++] = (struct memory){values, refrain_trace_file.header->pool_used - before,
                                                         formula ? formula->n_items : 0, resident_bytes()};
}

/* Kept out of line so that every family runs the same code. */
static __attribute__((noinline)) void feed(struct refrain_learner *learner, const int64_t *block, size_t n) {
    for (size_t k = 0; k < n; k++)
        refrain_learn(&context, learner, block[k], REFRAIN_KIND_VALUES);
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
    uint64_t counted = refrain_learner_values(refrain_trace_file.base, pool_bytes, learner, &result->kept);
    learner_family_start(family, &source);
    refrain_sequence_open(&read, refrain_trace_file.base, pool_bytes, learner);
    while (same && seen < values) {
        size_t n = (size_t)least(values - seen, BLOCK), k = 0;
        learner_family_fill(family, &source, block, n);
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
    const struct family *family = &learner_families[f];
    struct result *result = &results[f];
    struct refrain_learner *learner = new_learner(round == 0);
    uint64_t before = refrain_trace_file.header->pool_used - sizeof *learner, spent_ns = 0, seen = 0, mark = 1000;
    learner_family_start(family, &source);
    while (seen < values) {
        size_t n = (size_t)least(least(values, mark) - seen, BLOCK);
        learner_family_fill(family, &source, block, n);
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
        result->pool = refrain_trace_file.header->pool_used - before;
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
    for (size_t f = 0; f < learner_families_count; f++) {
        if (only && strcmp(only, learner_families[f].key) != 0)
            continue;
        struct result *result = &results[f];
        struct figure cost = figure_of(result->ns, rounds);
        char exact[32] = "all";
        if (!result->whole)
            snprintf(exact, sizeof exact, "first %llu", (unsigned long long)result->kept);
        printf("%-32s %9.2f %9.2f %9.2f %8.2f  %-16s %10llu\n", learner_families[f].title, cost.least, cost.median,
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
    for (size_t f = 0; f < learner_families_count; f++) {
        if (only && strcmp(only, learner_families[f].key) != 0)
            continue;
        struct result *result = &results[f];
        printf("%s\n    {\"family\": \"%s\", \"title\": \"%s\", ", comma, learner_families[f].key,
               learner_families[f].title);
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
    for (size_t f = 0; f < learner_families_count; f++)
        if (strcmp(learner_families[f].key, key) == 0)
            return key;
    fprintf(stderr, "learner_cost: no family %s; there are", key);
    for (size_t f = 0; f < learner_families_count; f++)
        fprintf(stderr, " %s", learner_families[f].key);
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
    results = calloc(learner_families_count, sizeof *results);
    context.scratch = malloc(sizeof *context.scratch);
    context.formula_length = REFRAIN_FORMULA_ITEMS;
    void *pool = mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!results || !context.scratch || pool == MAP_FAILED) {
        fprintf(stderr, "learner_cost: no memory for a pool of %zu bytes\n", pool_bytes);
        return 1;
    }
    refrain_alone_open(pool, pool_bytes);
    for (unsigned round = 0; round < rounds; round++) {
        for (size_t f = 0; f < learner_families_count; f++)
            if (!only || strcmp(only, learner_families[f].key) == 0)
                measure(f, round, values);
        measure_baselines(round, values);
    }
    if (json)
        print_json(rounds, values, only);
    else
        print_text(rounds, values, only, growth);
    return 0;
}
