/* test_parameters.c: compares learned parameters that depend on each other (a tag on its partner, a size on its tag)
 * with a recorder that keeps everything. They are read back event by event, as in a replay, at several points of the
 * sequence, also if memory suffices only for counts. Usage: test_parameters [SEED [ROUNDS]] */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "learn_parameters.h"
#include "sequence/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMETERS 3
static const struct refrain_row row = {PARAMETERS, 1 << 2, {1 << 2, 1 << 1}, 0};
#define MOST 30000
#define COUNTING_BYTES 8192u

enum family {
    FUNCTION,    /* the tag follows from the partner */
    COUNTED,     /* the tag counts the messages of the partner */
    MOSTLY,      /* the tag follows from the partner, but one in 30 is chance */
    LATER,       /* chance first, then as FUNCTION */
    INDEPENDENT, /* chance */
    FAMILIES
};

static uint64_t random_state;

static uint64_t random_next(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int64_t events[MOST][PARAMETERS];

/* Partners come as they like; sizes follow from the tag. */
static void generate(enum family family, unsigned n, unsigned partners) {
    static int64_t messages[256], wide;
    memset(messages, 0, sizeof messages);
    wide = random_next() % 2 ? 1 : INT64_C(0x100000001);
    for (unsigned i = 0; i < n; i++) {
        int64_t partner = (int64_t)(random_next() % partners), tag = (int64_t)(random_next() % 1000);
        int64_t follows = 10 + (partner * 7919 + 13) % 1000;
        if (family == COUNTED)
            tag = messages[partner]++;
        else if (family == FUNCTION || (family == MOSTLY && random_next() % 30) || (family == LATER && i > n / 2))
            tag = follows;
        events[i][0] = partner * wide - 3;
        events[i][1] = tag;
        events[i][2] = tag * tag * 8;
    }
}

static struct refrain_context context;
static unsigned char *memory;
static unsigned long readings, values, in_summary;

static int compare_rows(const void *a, const void *b) {
    for (unsigned p = 0; p < PARAMETERS; p++) {
        int64_t x = ((const int64_t *)a)[p], y = ((const int64_t *)b)[p];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

/* True if the rows read are those learned, in any order. */
static bool same_rows(int64_t (*read)[PARAMETERS], unsigned n) {
    static int64_t came[MOST][PARAMETERS];
    memcpy(came, events, n * sizeof *came);
    qsort(came, n, sizeof *came, compare_rows);
    qsort(read, n, sizeof *read, compare_rows);
    return memcmp(came, read, n * sizeof *came) == 0;
}

/* Rows that are only counted; the first of them is event `before`. */
static struct refrain_tally_reader counted;
static uint64_t before;

static bool check(const struct refrain_learner *learners, unsigned seen) {
    static struct refrain_sequence sequences[PARAMETERS];
    static int64_t rows[MOST][PARAMETERS];
    bool right = true, any_approximate = false;
    before = UINT64_MAX;
    if (learners[0].tally && refrain_tally_open(&counted, memory, refrain_alone_bytes, learners[0].tally)) {
        before = seen - counted.left;
        if (refrain_learner_values(memory, refrain_alone_bytes, &learners[0], NULL) != seen)
            return puts("not all values of the first parameter are counted"), false;
    }
    for (unsigned p = 0; p < PARAMETERS; p++)
        refrain_sequence_open(&sequences[p], memory, refrain_alone_bytes, &learners[p]);
    for (unsigned i = 0; i <= seen && right; i++) {
        int64_t event[PARAMETERS];
        unsigned known = 0;
        for (unsigned step = 0; step < 2 * PARAMETERS && right; step++) {
            unsigned p = step % PARAMETERS;
            bool approximate = false, counts = step >= PARAMETERS && i >= before && i < seen;
            if (known >> p & 1)
                continue;
            bool given = refrain_sequence_next(&sequences[p], &event[p]);
            if (given)
                approximate = sequences[p].approximate;
            else if (counts)
                given = approximate = refrain_tally_peek(&counted, event, known, p);
            known |= (unsigned)given << p;
            any_approximate |= approximate; /* parameters that depend on it may be of another row */
            right = i == seen ? !given || p > 0
                              : (given && (any_approximate || event[p] == events[i][p])) ||
                                    (!given && step < PARAMETERS && i >= before);
            if (!right)
                printf("event %u of %u, parameter %u: %lld, was %lld\n", i, seen, p, (long long)event[p],
                       i < seen ? (long long)events[i][p] : 0);
            if (i == seen)
                break;
        }
        if (right && i < seen && i >= before)
            right = refrain_tally_next(&counted, event, (1u << PARAMETERS) - 1);
        if (i < seen)
            memcpy(rows[i], event, sizeof event);
    }
    if (before != UINT64_MAX) {
        if (right && counted.tally->dropped == 0 && !counted.has_other && !(right = same_rows(rows, seen)))
            printf("of %u events, some came more or less often\n", seen);
        refrain_tally_close(&counted);
    }
    for (unsigned p = 0; p < PARAMETERS; p++)
        refrain_sequence_close(&sequences[p]);
    in_summary += any_approximate;
    readings++;
    return right;
}

static bool one_round(uint64_t seed, size_t bytes) {
    random_state = seed * 0x9e3779b97f4a7c15u | 1;
    for (int i = 0; i < 8; i++)
        random_next();
    refrain_alone_bytes = bytes;
    refrain_alone_begin(&context, 0);
    struct refrain_learner *learners = refrain_pool_take(PARAMETERS * sizeof *learners, REFRAIN_POOL_LAST);
    bool starve = random_next() % 8 == 0;
    if (starve) {                                             /* but for counting */
        refrain_trace_file.most_counts = 16 * COUNTING_BYTES; /* of which a 16th is kept in any case (pool.h) */
        refrain_alone_bytes = refrain_trace_file.header->pool_used + COUNTING_BYTES + random_next() % 32768;
    }
    context.formula_length = random_next() % 2 ? REFRAIN_FORMULA_ITEMS : 4 + (unsigned)(random_next() % 40);
    enum family family = (enum family)(random_next() % FAMILIES);
    unsigned n = 1 + (unsigned)(random_next() % MOST), partners = 2 + (unsigned)(random_next() % 100);
    generate(family, n, partners);
    unsigned next_check = 1 + (unsigned)(random_next() % 50);
    for (unsigned i = 0; i < n; i++) {
        unsigned states[PARAMETERS];
        for (unsigned p = 0; p < PARAMETERS; p++)
            states[p] = learners[p].state;
        refrain_learn_some_parameters(&context, learners, events[i], &row, row.width);
        for (unsigned p = 0; p < PARAMETERS; p++)
            if (!(refrain_learn_table[states[p]] >> learners[p].state & 1)) {
                printf("seed %llu: from state %u to %u is not in the table\n", (unsigned long long)seed, states[p],
                       learners[p].state);
                return false;
            }
        if (i + 1 != next_check && i + 1 != n)
            continue;
        if (!check(learners, i + 1)) {
            printf("family %d seed %llu, %u partners\n", family, (unsigned long long)seed, partners);
            return false;
        }
        next_check = i + 2 + (unsigned)(random_next() % (i + 10));
    }
    values += n * PARAMETERS;
    return true;
}

int main(int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 300, failed = 0;
    size_t bytes = 4u << 20;
    memory = calloc(1, bytes);
    context.scratch = malloc(sizeof *context.scratch);
    refrain_alone_open(memory, bytes);
    for (unsigned round = 0; round < rounds; round++)
        failed += !one_round(first + round, bytes);
    printf("%lu values, %lu readings, %lu of them with a summary\n", values, readings, in_summary);
    printf("%u passed, %u failed\n", rounds - failed, failed);
    return failed != 0;
}
