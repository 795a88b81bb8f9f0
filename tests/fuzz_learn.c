/* fuzz_learn.c: fuzzes learners: makes a sequence from the input, learns it, and reads it back. Values that are said to
 * be exact must equal the input, and all values must be counted. Built with -fsanitize=fuzzer it is a libFuzzer target.
 * Otherwise: fuzz_learn SEED ROUNDS makes the input itself. The input:
 *
 *     byte                 formula length, from 4 on
 *     byte                 pool: 0 to 127: this number times 64 bytes, else plenty
 *     then operations: a byte whose low bits select
 *       0 value            one value, a signed byte
 *       1 wide             one value, eight bytes
 *       2 n step           the last value, then n more in steps
 *       3 k n              the last k values, n more times
 *       4                  read all values back
 *       5 n count step k   the last k values count times, then one more value; this n times, with count growing by
 *                          step; the high bits of n: each of these so many times more
 *       6 n                another learner takes n alignment units of the pool, so that no formula can grow in place
 *       7 n k              16 n random values, few of them different; the larger k, the longer the runs of a value */
#include "learn_alone.h"
#include "sequence/sequence.h"

#include <stdio.h>
#include <stdlib.h>

#define MOST_VALUES 30000u
#define POOL_BYTES ((size_t)4 << 20)

static int64_t values[MOST_VALUES];
static unsigned n_values;
static struct refrain_context context;
static struct refrain_learner *learner;

static void put(int64_t value) {
    if (n_values == MOST_VALUES)
        return;
    values[n_values++] = value;
    refrain_learn(&context, learner, value, REFRAIN_KIND_VALUES);
}

/* Rounds of `times` times `count` times the last k values and a value more; `count` changes by `step` from round to
 * round. */
static void put_triangle(unsigned rounds, unsigned times, int count, int step, unsigned k) {
    if (n_values < k)
        return;
    unsigned first = n_values - k;
    for (unsigned round = 0; round < rounds; round++, count += step) {
        for (unsigned t = 0; t < times; t++) {
            for (int i = 0; i < count; i++)
                for (unsigned j = 0; j < k; j++)
                    put(values[first + j]);
            put(values[first]);
        }
    }
}

/* Values without a rule: each is the one before, or one of seven. */
static void put_chance(unsigned n, unsigned lasts) {
    uint64_t random = n_values * UINT64_C(0x9e3779b97f4a7c15) + lasts;
    for (int64_t value = 0; n > 0; n--) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        if ((random >> 40 & 255) >= lasts)
            value = (int64_t)((random >> 56) % 7);
        put(value);
    }
}

static void fail(const char *what, unsigned at) {
    fprintf(stderr, "fuzz_learn: %s at value %u of %u\n", what, at, n_values);
    abort();
}

static void check(void) {
    struct refrain_sequence sequence;
    uint64_t kept, counted = refrain_learner_values(refrain_trace_file.base, POOL_BYTES, learner, &kept);
    int64_t value;
    unsigned i = 0, exact = 0;
    if (counted != n_values)
        fail("values are not counted", (unsigned)counted);
    refrain_sequence_open(&sequence, refrain_trace_file.base, POOL_BYTES, learner);
    for (; refrain_sequence_next(&sequence, &value); i++) {
        if (i == n_values)
            fail("more values come back than there were", i);
        if (!sequence.approximate && value != values[i])
            fail("a value that is called exact is not", i);
        exact += !sequence.approximate;
    }
    if (sequence.terms.wrong)
        fail(sequence.terms.wrong, i);
    refrain_sequence_close(&sequence);
    if (i != n_values || exact != kept)
        fail("values are missing", i);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n) {
    if (!context.scratch) {
        void *pool = calloc(1, POOL_BYTES);
        context.scratch = malloc(sizeof *context.scratch);
        if (!pool || !context.scratch)
            abort();
        refrain_alone_open(pool, POOL_BYTES);
    }
    if (n < 2)
        return 0;
    refrain_alone_bytes = POOL_BYTES;
    learner = refrain_alone_begin(&context, 0);
    context.formula_length = 4 + bytes[0] % (REFRAIN_FORMULA_ITEMS - 3);
    if (bytes[1] < 128)
        refrain_alone_bytes = (size_t)refrain_trace_file.header->pool_used + bytes[1] * 64u;
    n_values = 0;
    for (size_t at = 2; at < n;) {
        unsigned operation = bytes[at++] % 8, left = (unsigned)(n - at);
        int64_t last = n_values ? values[n_values - 1] : 0;
        if (operation == 0 && left >= 1) {
            put((signed char)bytes[at++]);
        } else if (operation == 1 && left >= 8) {
            memcpy(&last, bytes + at, 8);
            put(last);
            at += 8;
        } else if (operation == 2 && left >= 2) {
            for (unsigned i = 0; i < bytes[at]; i++)
                put(last = (int64_t)((uint64_t)last + (uint64_t)(signed char)bytes[at + 1]));
            at += 2;
        } else if (operation == 3 && left >= 2) {
            unsigned k = 1 + bytes[at] * 4u;
            for (unsigned i = 0; k <= n_values && i < k * bytes[at + 1] && n_values < MOST_VALUES; i++)
                put(values[n_values - k]);
            at += 2;
        } else if (operation == 4) {
            check();
        } else if (operation == 5 && left >= 4) {
            put_triangle(bytes[at] % 32u, 1 + bytes[at] / 64u, bytes[at + 1] % 64, (signed char)bytes[at + 2] % 16,
                         1 + bytes[at + 3] % 4u);
            at += 4;
        } else if (operation == 6 && left >= 1) {
            refrain_pool_take(bytes[at++] * REFRAIN_ALIGNMENT_BYTES, REFRAIN_POOL_VALUES);
        } else if (operation == 7 && left >= 2) {
            put_chance(bytes[at] * 16u, bytes[at + 1]);
            at += 2;
        } else {
            break;
        }
    }
    check();
    return 0;
}

#ifndef REFRAIN_LIBFUZZER
int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: fuzz_learn SEED ROUNDS\n");
        return 2;
    }
    uint64_t random = strtoull(argv[1], NULL, 0) * 2 + 1, total = 0;
    unsigned char bytes[200];
    for (long round = atol(argv[2]); round > 0; round--) {
        size_t n = 2 + (size_t)(random >> 33) % (sizeof bytes - 2);
        for (size_t i = 0; i < n; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            bytes[i] = (unsigned char)(random >> 56);
        }
        LLVMFuzzerTestOneInput(bytes, n);
        total += n_values;
    }
    printf("%llu values\n%s passed, 0 failed\n", (unsigned long long)total, argv[2]);
    return 0;
}
#endif
