/* test_tally.c: counts of rows for which there is not room for each (monitor/learn/learn_tally.c): totals stay right
 * whatever happens, and those that come most often keep counts of their own, also where they come late. */
#include "learn_alone.h"
#include "learn_tally.h"
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>

#define POOL_BYTES ((size_t)1 << 20)
#define ROWS 200000
#define PARTNERS 2000
#define FREQUENT 8 /* partners that half of the rows are with */

static struct refrain_context context;
static uint64_t state = 88172645463325252u;
static uint64_t messages[PARTNERS], bytes[PARTNERS];
static int failed;

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

static void check(bool holds, const char *what, unsigned long long got, unsigned long long expected) {
    if (holds)
        return;
    printf("FAILED: %s: %llu, of %llu\n", what, got, expected);
    failed++;
}

/* Messages (partner, tag, bytes, communicator); the frequent partners come from row `from` on. */
static void count_rows(uint32_t *tally, unsigned from) {
    static const struct refrain_row row = {4, 1 << 2, {1 << 2, 1 << 1}, 0};
    for (unsigned i = 0; i < PARTNERS; i++)
        messages[i] = bytes[i] = 0;
    *tally = refrain_tally_make(&row, true);
    for (unsigned i = 0; *tally && i < ROWS; i++) {
        unsigned partner = i >= from && chance(2) ? chance(FREQUENT) : FREQUENT + chance(PARTNERS - FREQUENT);
        int64_t values[] = {partner, chance(50), chance(4096), 0};
        messages[partner]++;
        bytes[partner] += (uint64_t)values[2];
        refrain_tally_add(&context, tally, values, 1);
    }
}

static void check_rows(uint32_t reference, bool late) {
    static uint64_t read_messages[PARTNERS], read_bytes[PARTNERS];
    struct refrain_tally_reader reader;
    uint64_t rows = 0, all = 0, given = 0;
    int64_t row[REFRAIN_TALLY_WIDTH];
    for (unsigned i = 0; i < PARTNERS; i++)
        read_messages[i] = read_bytes[i] = 0;
    if (!refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, reference)) {
        check(false, "the tally is read", 0, 1);
        return;
    }
    for (; refrain_tally_next(&reader, row, 0); rows++) {
        given += (uint64_t)row[2];
        if (row[0] < 0 || row[0] >= PARTNERS || reader.gave_rest)
            continue;
        read_messages[row[0]]++;
        read_bytes[row[0]] += (uint64_t)row[2];
    }
    refrain_tally_close(&reader);
    check(rows == ROWS, "rows", rows, ROWS);
    for (unsigned i = 0; i < PARTNERS; i++) {
        all += bytes[i];
        check(read_messages[i] <= messages[i] && read_bytes[i] <= bytes[i], "no partner has more than its own",
              read_messages[i], messages[i]);
    }
    check(given == all, "bytes", given, all);
    for (unsigned i = 0; i < FREQUENT; i++)
        check(read_messages[i] >= messages[i] - messages[i] / (late ? 20 : 50), "a frequent partner", read_messages[i],
              messages[i]);
}

int main(void) {
    void *pool = calloc(1, POOL_BYTES);
    context.scratch = malloc(sizeof *context.scratch);
    context.formula_length = REFRAIN_WINDOW_ITEMS;
    if (!pool || !context.scratch)
        return 2;
    refrain_alone_open(pool, REFRAIN_HEADER_BYTES + 24576);
    for (unsigned from = 0; from < ROWS; from += ROWS / 4) {
        uint32_t tally = 0;
        if (!refrain_alone_begin(&context, 0)) {
            puts("FAILED: the pool is too small");
            return 1;
        }
        count_rows(&tally, from);
        check(tally != 0, "there is room", 0, 1);
        if (tally)
            check_rows(tally, from > 0);
    }
    printf("%s\n", failed ? "failed" : "passed");
    return failed ? 1 : 0;
}
