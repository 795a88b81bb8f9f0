/* learner_bits.c: how many bits a value without a rule takes in the monitor's learner, beside the empirical entropy of
 * the same values (of order 0: independent draws need no more context) and a general compressor (learner_bits.sh).
 *
 *     learner_bits list                      the kinds of sequences
 *     learner_bits KIND VALUES FILE          one line: bits a value in the learner, entropy, ns a value (least of 3);
 *                                            the values to FILE, in as many bytes each as the largest needs
 */
#define _GNU_SOURCE
#include "learn_alone.h"
#include "sequence/sequence.h"
#include <refrain/settings.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define POOL_BYTES ((size_t)256 << 20)
#define ROUNDS 3

static struct refrain_context context;
static uint64_t random_state;

static uint64_t random64(void) {
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t coin(void) {
    return (int64_t)(random64() & 1);
}
static int64_t tenth(void) {
    return random64() % 10 == 0;
}
static int64_t nibble(void) {
    return (int64_t)(random64() & 15);
}
static int64_t byte(void) {
    return (int64_t)(random64() & 255);
}
static int64_t three_places(void) { /* numbers of slots */
    static const int64_t slots[] = {40, 41, 47};
    return slots[random64() % 3];
}
static int64_t geometric(void) {
    return __builtin_ctzll(random64() | (uint64_t)1 << 40);
}
static int64_t partner(void) { /* of 64, the near ones most often */
    uint64_t r = random64() % 64, s = random64() % (r + 1);
    return (int64_t)s;
}
static int64_t power_of_two(void) { /* sizes of messages, 8 bytes to 1 MiB */
    return (int64_t)8 << random64() % 18;
}
static int64_t size(void) { /* any size below 64 KiB */
    return (int64_t)(random64() & 0xffff);
}
static int64_t word(void) {
    return (int64_t)(random64() & 0xffffffff);
}
static int64_t any(void) {
    return (int64_t)random64();
}

static const struct {
    const char *name, *title;
    int64_t (*next)(void);
} kinds[] = {
    {"coin", "a coin toss", coin},
    {"tenth", "1 in one of ten, else 0", tenth},
    {"three", "one of three places", three_places},
    {"geometric", "heads before tails", geometric},
    {"nibble", "a value below 16", nibble},
    {"partner", "one of 64 partners, near ones more often", partner},
    {"byte", "a value below 256", byte},
    {"power", "a power of two, 8 to 2^20", power_of_two},
    {"size", "a value below 2^16", size},
    {"word", "a value below 2^32", word},
    {"any", "64 bits", any},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static int compare(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Entropy in bits a value, from the frequencies of the values. If nearly all values are different, from their range. */
static double entropy(const int64_t *values, size_t n) {
    int64_t *sorted = malloc(n * sizeof *sorted);
    size_t different = 0;
    double bits = 0;
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i; j < n && sorted[j] == sorted[i]; j++)
            ;
        bits -= (double)(j - i) * log2((double)(j - i) / (double)n);
        different++;
    }
    bits /= (double)n;
    if (different > n / 8)
        bits = ceil(log2((double)((uint64_t)sorted[n - 1] - (uint64_t)sorted[0])));
    free(sorted);
    return bits;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    for (size_t k = 0; argc == 2 && strcmp(argv[1], "list") == 0 && k < KINDS; k++)
        puts(kinds[k].name);
    if (argc != 4)
        return argc == 2 ? 0 : 2;
    size_t k = 0, n = strtoul(argv[2], NULL, 10);
    while (k < KINDS && strcmp(kinds[k].name, argv[1]) != 0)
        k++;
    FILE *file = fopen(argv[3], "wb");
    int64_t *values = malloc(n * sizeof *values);
    void *pool = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    context.scratch = malloc(sizeof *context.scratch);
    context.formula_length = REFRAIN_FORMULA_ITEMS;
    if (k == KINDS || n == 0 || !file || !values || pool == MAP_FAILED || !context.scratch)
        return 2;
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        values[i] = kinds[k].next();
        most |= (uint64_t)values[i];
    }
    size_t width = 1;
    while (width < 8 && most >> width * 8)
        width++;
    for (size_t i = 0; i < n; i++)
        fwrite(&values[i], width, 1, file);
    refrain_alone_open(pool, POOL_BYTES);
    double least = 0, bytes = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct refrain_learner *learner = refrain_alone_begin(&context, POOL_BYTES / 4);
        uint64_t before = refrain_trace_file.header->pool_used;
        double begin = seconds();
        for (size_t i = 0; i < n; i++)
            refrain_learn(&context, learner, values[i], REFRAIN_KIND_VALUES);
        double took = seconds() - begin;
        least = round && least < took ? least : took;
        bytes = (double)(refrain_trace_file.header->pool_used - before);
        struct refrain_sequence sequence;
        int64_t value;
        size_t i = 0;
        refrain_sequence_open(&sequence, pool, POOL_BYTES, learner);
        while (i < n && refrain_sequence_next(&sequence, &value) && value == values[i])
            i++;
        refrain_sequence_close(&sequence);
        if (i < n) {
            fprintf(stderr, "learner_bits: %s: value %zu is not given back\n", argv[1], i);
            return 1;
        }
    }
    printf("%s\t%.4f\t%.4f\t%.0f\n", kinds[k].title, bytes * 8 / (double)n, entropy(values, n),
           least * 1e9 / (double)n);
    return fclose(file) != 0;
}
