/* test_learn.c: learners against a recorder that keeps everything: generated families and random sequences, read back
 * value by value at several moments. Usage: test_learn [SEED [ROUNDS]] */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "learn_formula.h"
#include "sequence/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state;

static uint64_t random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

#define MOST 200000
static int64_t sequence[MOST];
static unsigned length;

static void put(int64_t value) {
    if (length < MOST)
        sequence[length++] = value;
}

/* A random program of nested loops over affine values: cycles, iterations, triangles, prologues, changes of mind. */
static void generate_nest(unsigned depth, const int64_t *counters, unsigned n_counters) {
    unsigned body = 1 + (unsigned)(random_next() % 3);
    uint64_t shape = random_next();
    int64_t inner[8];
    memcpy(inner, counters, sizeof inner);
    int64_t count = 1 + (int64_t)(random_next() % 6);
    if (n_counters && shape % 3 == 0)
        count += counters[n_counters - 1];
    else if (n_counters && shape % 3 == 1) /* down to nothing */
        count += 3 - (1 + (int64_t)(shape >> 8) % 3) * counters[n_counters - 1];
    uint64_t saved = random_next() | 1;
    for (int64_t i = 0; i < count && length < MOST; i++) {
        random_state = saved; /* every iteration is the same program */
        inner[n_counters] = i;
        for (unsigned b = 0; b < body; b++) {
            if (depth > 0 && random_next() % 2) {
                generate_nest(depth - 1, inner, n_counters + 1);
            } else {
                int64_t value = (int64_t)(random_next() % 10) - 5;
                for (unsigned c = 0; c <= n_counters; c++)
                    if (random_next() % 3 == 0)
                        value += inner[c] * ((int64_t)(random_next() % 5) - 2);
                put(value);
            }
        }
    }
}

static void generate(unsigned family) {
    static const int64_t none[8];
    length = 0;
    unsigned want = 1 + (unsigned)(random_next() % 5000);
    switch (family) {
    case 0: /* identity */
        while (length < want)
            put((int64_t)(family * 3));
        break;
    case 1: { /* iteration with restarts, also at the ends of the range */
        int64_t a = random_next() % 4 ? (int64_t)(random_next() % 100) - 50 : (int64_t)random_next();
        int64_t step = random_next() % 4 ? (int64_t)(random_next() % 7) - 3 : (int64_t)random_next();
        unsigned k = 1 + (unsigned)(random_next() % 40);
        while (length < want)
            put((int64_t)((uint64_t)a + (uint64_t)step * (length % k)));
        break;
    }
    case 2: { /* prologue and cycle of runs */
        int64_t cycle[40];
        unsigned n = 1 + (unsigned)(random_next() % 40);
        for (unsigned i = 0; i < n; i++)
            cycle[i] = (int64_t)(random_next() % 4);
        for (unsigned i = (unsigned)(random_next() % 10); i > 0; i--)
            put((int64_t)(random_next() % 9));
        for (unsigned i = 0; length < want; i++)
            put(cycle[i % n]);
        break;
    }
    case 3: /* anything */
        while (length < want)
            put((int64_t)(random_next() >> (random_next() % 64)));
        break;
    case 4: /* branches by chance */
        while (length < want)
            put((int64_t)(random_next() % 8 == 0));
        break;
    case 5: /* nested */
        while (length < want) {
            uint64_t keep = random_next();
            unsigned times = 1 + (unsigned)(random_next() % 20);
            for (unsigned i = 0; i < times && length < want; i++) {
                random_state = keep | 1;
                generate_nest(1 + (unsigned)(keep % 4), none, 0);
            }
        }
        break;
    case 6: { /* a cycle longer than the window, of values, runs and slopes, here and there another value, lost or new
               */
        static int64_t cycle[4000];
        unsigned n = 70 + (unsigned)(random_next() % 3900), range = 2 + (unsigned)(random_next() % 1000);
        unsigned noise = random_next() % 2 ? UINT32_MAX : 50 + (unsigned)(random_next() % 5000);
        for (unsigned i = 0; i < n;) {
            int64_t value = (int64_t)(random_next() % range),
                    step = random_next() % 4 ? 0 : (int64_t)(random_next() % 3);
            for (unsigned run = random_next() % 3 ? 1 : 1 + (unsigned)(random_next() % 9); run > 0 && i < n; run--)
                cycle[i++] = value += step;
        }
        for (unsigned i = (unsigned)(random_next() % 2000); i > 0; i--)
            put((int64_t)(random_next() % range));
        want = 10 * n;
        for (unsigned i = 0; i < want; i++) {
            uint64_t chance = random_next() % noise;
            if (chance != 1)
                put(chance == 0 ? -1 : cycle[i % n]);
            if (chance == 2)
                put(-2);
        }
        break;
    }
    case 7: /* changes of mind: constants, runs and cycles in a row */
        while (length < want) {
            unsigned kind = (unsigned)(random_next() % 3), n = 1 + (unsigned)(random_next() % 8);
            int64_t first = (int64_t)(random_next() % 100), cycle[8];
            for (unsigned i = 0; i < n; i++)
                cycle[i] = (int64_t)(random_next() % 10);
            unsigned left = 1 + (unsigned)(random_next() % 300);
            for (unsigned i = 0; i < left; i++)
                put(kind == 0 ? first : kind == 1 ? first + 2 * (int64_t)i : cycle[i % n]);
        }
        break;
    case 8: { /* sweeps up and down again, the ends once or twice, on levels that change as in multigrid */
        unsigned levels = 1 + (unsigned)(random_next() % 6), twice = (unsigned)(random_next() % 2);
        while (length < want)
            for (unsigned step = 0; step < 2 * levels; step++) {
                int64_t top = INT64_C(2) << (step < levels ? levels - step : step - levels + 1);
                for (int64_t i = 0; i < top; i++)
                    put(i);
                for (int64_t i = top - 2 + twice; i >= 0; i--)
                    put(i);
            }
        break;
    }
    case 9: /* inner loops whose counts fall to 0 and begin again, each of them several times, then something similar */
        while (length < want) {
            int64_t top = 3 + (int64_t)(random_next() % 20), step = 1 + (int64_t)(random_next() % 7);
            unsigned times = 1 + (unsigned)(random_next() % 4);
            for (int64_t inner = top; inner > 0; inner -= step)
                for (unsigned t = 0; t < times; t++) {
                    for (int64_t i = 0; i < inner; i++) {
                        put(179);
                        put(147);
                    }
                    put(random_next() % 200 ? 179 : 147);
                }
        }
        break;
    case 10: { /* chance: of some values, near or far from each other, some more often than others, and later of others
                */
        unsigned n = 1 + (unsigned)(random_next() % 90), width = (unsigned)(random_next() % 64),
                 skewed = random_next() % 3;
        int64_t of[90];
        for (want *= 4; length < want;) {
            for (unsigned i = 0; i < n; i++)
                of[i] = (int64_t)(random_next() >> width) - (int64_t)(random_next() % 3);
            for (unsigned left = (unsigned)(random_next() % 9000); left > 0; left--) {
                unsigned i = (unsigned)(random_next() % n);
                for (unsigned k = 0; k < skewed; k++)
                    i = (unsigned)(random_next() % (i + 1));
                put(random_next() % 500 ? of[i] : (int64_t)random_next());
            }
        }
        break;
    }
    default: /* triangle */
        for (int64_t i = 0; length < want; i++)
            for (int64_t j = 0; j <= i; j++)
                put(j);
        break;
    }
}

static struct refrain_context context;
static unsigned char *memory;
static unsigned long checks, values, in_summary;
static unsigned transitions[REFRAIN_LEARNER_STATES]; /* seen: bits, from each state */

static int compare_values(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* True if the values read are those learned, in any order, and the last one is the last. */
static bool same_counts(int64_t *read, unsigned n) {
    static int64_t came[MOST];
    if (read[n - 1] != sequence[n - 1])
        return false;
    memcpy(came, sequence, n * sizeof *came);
    qsort(came, n, sizeof *came, compare_values);
    qsort(read, n, sizeof *read, compare_values);
    return memcmp(came, read, n * sizeof *came) == 0;
}

static unsigned long skipped;

/* Compares the values with those learned. Some are skipped, by the number of repetitions that the sequence returns. */
static bool same_with_skips(const struct refrain_learner *learner, unsigned seen, unsigned family, uint64_t seed) {
    struct refrain_sequence read;
    int64_t value;
    unsigned i = 0;
    bool same = true;
    refrain_sequence_open(&read, memory, refrain_alone_bytes, learner);
    while (same && i < seen) {
        unsigned m = 1 + (unsigned)(random_next() % (random_next() % 4 ? 8 : 64)), at = i;
        uint64_t n = i + m <= seen && random_next() % 4 ? refrain_sequence_repeats(&read, &sequence[i], m) : 0;
        if (n == 0) {
            same = refrain_sequence_next(&read, &value) && !read.approximate && value == sequence[i++];
        } else {
            n = random_next() % 2 ? n : 1 + random_next() % n;
            same = n <= (seen - i) / m;
            for (; same && i < at + n * m; i++)
                same = sequence[i] == sequence[at + (i - at) % m];
            if (same)
                refrain_sequence_skip(&read, &sequence[at], m, n);
            skipped += n * m;
        }
        if (!same && !read.approximate)
            printf("family %u seed %llu: with values %u times %llu skipped, from %u on others than those of %u came\n",
                   family, (unsigned long long)seed, m, (unsigned long long)n, at, seen);
    }
    same |= read.approximate;
    refrain_sequence_close(&read);
    return same;
}

static bool check(const struct refrain_learner *learner, unsigned seen, unsigned family, uint64_t seed) {
    struct refrain_sequence read;
    int64_t value;
    static int64_t all[MOST];
    unsigned i = 0;
    uint64_t kept, counted = refrain_learner_values(memory, refrain_alone_bytes, learner, &kept);
    if (counted != seen || (learner->state != REFRAIN_SUMMARY && !learner->tally && kept != seen)) {
        printf("family %u seed %llu: %llu values counted, %u seen\n", family, (unsigned long long)seed,
               (unsigned long long)counted, seen);
        return false;
    }
    refrain_sequence_open(&read, memory, refrain_alone_bytes, learner);
    bool approximate = false;
    for (; refrain_sequence_next(&read, &value); all[i++] = value, approximate |= read.approximate)
        if (i >= seen || (!read.approximate && value != sequence[i])) {
            printf("family %u seed %llu: value %u of %u is %lld, was %lld\n", family, (unsigned long long)seed, i, seen,
                   (long long)value, i < seen ? (long long)sequence[i] : 0);
            return false;
        }
    bool whole = i == seen && !read.terms.wrong;
    if (!whole)
        printf("family %u seed %llu: %u values of %u (%s)\n", family, (unsigned long long)seed, i, seen,
               read.terms.wrong ? read.terms.wrong : "short");
    in_summary += approximate;
    if (whole && approximate && refrain_trace_file.header->losses[REFRAIN_LOSS_COUNTS] == 0 && learner->tally &&
        !same_counts(all, i)) {
        printf("family %u seed %llu: of %u values, some came more or less often\n", family, (unsigned long long)seed,
               i);
        whole = false;
    }
    refrain_sequence_close(&read);
    checks++;
    return whole && same_with_skips(learner, seen, family, seed);
}

/* Values without a rule must take about as many bits as their entropy. */
static unsigned check_bits(void) {
    enum { N = 100000, FORMULA_BYTES = 9400 }; /* the only one, which grows in place, and the search for repetition */
    static const struct {
        const char *what;
        unsigned n, shift, sixteenths; /* values, n of them; a value times 2^shift; bits allowed */
    } kinds[] = {{"coin tosses", 2, 0, 32},
                 {"three places", 3, 7, 60},
                 {"powers of two", 18, 64, 82},
                 {"16 bits", 1 << 16, 0, 272},
                 {"64 bits", 0, 0, 1060}};
    unsigned failed = 0;
    context.formula_length = REFRAIN_FORMULA_ITEMS;
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct refrain_learner *learner = refrain_alone_begin(&context, 0);
        uint64_t before = refrain_trace_file.header->pool_used;
        for (unsigned i = 0; i < N; i++) {
            uint64_t value = kinds[k].n ? random_next() % kinds[k].n : random_next();
            refrain_learn(&context, learner,
                          kinds[k].shift == 64 ? (int64_t)8 << value : (int64_t)(value << kinds[k].shift),
                          REFRAIN_KIND_VALUES);
        }
        uint64_t took = refrain_trace_file.header->pool_used - before;
        if (took > FORMULA_BYTES + (uint64_t)N * kinds[k].sixteenths / 128) {
            printf("%s: %llu bytes for %d\n", kinds[k].what, (unsigned long long)took, N);
            failed++;
        }
    }
    return failed;
}

/* ---- values without a rule ---- */

static void learn_next(struct refrain_learner *learner, int64_t value) {
    unsigned before = learner->state;
    put(value);
    refrain_learn(&context, learner, value, REFRAIN_KIND_VALUES);
    transitions[before] |= 1u << learner->state;
}

/* A learner in state PLAIN, after some 10,000 values below `range`; the latest of them have not been archived. */
static struct refrain_learner *learn_plain(uint64_t control, unsigned range) {
    struct refrain_learner *learner = refrain_alone_begin(&context, control);
    context.formula_length = REFRAIN_FORMULA_ITEMS;
    length = 0;
    for (unsigned more = 10000 + (unsigned)(random_next() % 10000); more > 0 || learner->state != REFRAIN_PLAIN;
         more -= more > 0)
        learn_next(learner, (int64_t)(random_next() % range));
    return learner;
}

/* Memory runs out while values are plain: none is lost, and each is counted as often as it came. */
static unsigned check_plain_spent(size_t bytes) {
    enum { COUNTS_BYTES = 8192, MORE = 20000, ROUNDS = 20 };
    unsigned failed = 0, counted = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        refrain_alone_bytes = bytes;
        struct refrain_learner *learner = learn_plain(COUNTS_BYTES, 12);
        refrain_alone_bytes = refrain_trace_file.header->pool_used + COUNTS_BYTES + random_next() % 6000;
        for (unsigned i = 0; i < MORE; i++) {
            learn_next(learner, (int64_t)(random_next() % 12));
            if (i % 5000 == 250 * round)
                failed += !check(learner, length, 100, round);
        }
        failed += !check(learner, length, 100, round) || refrain_trace_file.header->losses[REFRAIN_LOSS_COUNTS] > 0;
        counted += learner->tally != 0;
    }
    refrain_alone_bytes = bytes;
    if (counted < ROUNDS) {
        printf("memory did not run out in %u rounds of %u\n", ROUNDS - counted, ROUNDS);
        failed++;
    }
    return failed;
}

/* Values with a rule: a cycle of `n` values, or if n is 0 three nested loops. */
static int64_t regular_value(unsigned i, const int64_t *cycle, unsigned n) {
    return n ? cycle[i % n] : i % 5 + 100 * (i / 5 % 7) - 3 * (i / 35 % 4);
}

/* A rule that values follow after a long time without one is found, and holds. */
static unsigned check_found(void) {
    enum { LONGEST = 5000, HOLDS = 30000 };
    static const struct {
        unsigned n, rounds, found; /* values of a cycle, or 0: a nest; found: after at most so many values */
    } rules[] = {{0, 15, 10000},  {129, 15, 6000},   {150, 15, 6000},    {200, 15, 6000},
                 {767, 15, 6000}, {1000, 60, 11192}, {2000, 120, 14192}, {LONGEST, 15, 23192}};
    static int64_t cycle[LONGEST];
    unsigned failed = 0;
    for (unsigned k = 0; k < sizeof rules / sizeof *rules; k++)
        for (unsigned round = 0; round < rules[k].rounds; round++) {
            struct refrain_learner *learner = learn_plain(0, 1000);
            unsigned began = length, last = 0;
            for (unsigned i = 0; i < rules[k].n; i++)
                cycle[i] = (int64_t)(random_next() % 1000);
            for (unsigned i = 0; i < HOLDS; i++) {
                learn_next(learner, regular_value(i, cycle, rules[k].n));
                last = learner->state == REFRAIN_PREDICT || learner->state == REFRAIN_REPEAT ? last : i;
            }
            if (last > rules[k].found || (round % 8 == 0 && !check(learner, length, 101, k))) {
                printf("%u values, after %u of chance: not found before %u\n", rules[k].n, began, last);
                failed++;
            }
        }
    return failed;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 2000, failed = 0;
    size_t bytes = 4u << 20;
    memory = calloc(1, bytes);
    context.scratch = malloc(sizeof *context.scratch);
    refrain_alone_open(memory, bytes);
    for (unsigned round = 0; round < rounds; round++) {
        uint64_t seed = first + round;
        random_state = seed * 0x9e3779b97f4a7c15u | 1;
        for (int i = 0; i < 8; i++)
            random_next();
        refrain_alone_bytes = bytes;
        struct refrain_learner *learner = refrain_alone_begin(&context, 0);
        bool starve = random_next() % 8 == 0;
        if (starve)
            refrain_alone_bytes = refrain_trace_file.header->pool_used + random_next() % 4096;
        context.formula_length = random_next() % 2 ? REFRAIN_FORMULA_ITEMS : 4 + (unsigned)(random_next() % 40);
        unsigned family = (unsigned)(random_next() % 12);
        generate(family);
        enum refrain_learner_kind kind = (enum refrain_learner_kind)(random_next() % 3);
        unsigned next_check = 1 + (unsigned)(random_next() % 50);
        for (unsigned i = 0; starve && kind == REFRAIN_KIND_LOOP && i < length; i++)
            sequence[i] &= INT64_MAX; /* without memory, loops left early are added to others (test_tally) */
        for (unsigned i = 0; i < length; i++) {
            unsigned before = learner->state;
            refrain_learn(&context, learner, sequence[i], kind);
            transitions[before] |= 1u << learner->state;
            if (i + 1 >= next_check || i + 1 == length) {
                if (!check(learner, i + 1, family, seed)) {
                    failed++;
                    break;
                }
                next_check = i + 2 + (unsigned)(random_next() % (i + 10));
            }
        }
        values += length;
    }
    refrain_alone_bytes = bytes;
    failed += check_bits();
    failed += check_plain_spent(bytes);
    failed += check_found();
    for (unsigned s = 0; s < REFRAIN_LEARNER_STATES; s++)
        if (transitions[s] & ~refrain_learn_table[s]) {
            printf("from state %u to states %x, but the table has only %x\n", s, transitions[s],
                   refrain_learn_table[s]);
            failed++;
        }
    printf("%lu values, %lu readings, %lu of them with a summary, %lu values skipped\n", values, checks, in_summary,
           skipped);
    printf("%u passed, %u failed\n", rounds - failed, failed);
    return failed != 0;
}
