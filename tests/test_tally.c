/* test_tally.c: counts of rows for which there is not room for each (monitor/learn/learn_tally.c): totals stay right
 * whatever happens, and those that come most often keep counts of their own, also where they come late. */
#include "learn_alone.h"
#include "learn_tally.h"
#include "sequence/numbered.h"
#include "sequence/tally.h"

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

/* ---- no memory at all ---- */

#define COMMUNICATORS 24
#define ROUNDS 50

/* A communicator in two is of all ranks, the others of two: in the order of their making. */
static bool is_of_two(int64_t index) {
    return index % 2;
}

static void make_communicators(void) {
    static uint16_t alike[REFRAIN_ALIKE_COMMUNICATORS];
    for (uint16_t i = 0; i < COMMUNICATORS; i++)
        alike[i] = is_of_two(i);
    refrain_trace_file.alike[0] = alike;
}

/* Rows of root, nothing, amount and communicator in a tally that cannot grow: how often each root came in communicators
 * of the same members stays what it is, and the oldest of them stands for all. */
static void check_communicators(void) {
    static const struct refrain_row row = {4, 1 << 2, {1 << 2, 1 << 1}, REFRAIN_ROW_COMMUNICATOR};
    uint64_t came[2][2] = {{0}}, read[2][2] = {{0}}, lost = refrain_trace_file.header->losses[REFRAIN_LOSS_COUNTS];
    struct refrain_tally_reader reader;
    int64_t values[REFRAIN_TALLY_WIDTH];
    uint32_t tally = refrain_tally_make(&row, true);
    size_t before = refrain_alone_bytes;
    make_communicators();
    check(tally != 0, "there is room for the tally", 0, 1);
    refrain_alone_bytes = refrain_trace_file.header->pool_used;
    for (unsigned i = 0; tally && i < ROUNDS * COMMUNICATORS; i++) {
        int64_t comm = i % COMMUNICATORS, root = is_of_two(comm) ? 1 : i / COMMUNICATORS % 2;
        refrain_tally_add(&context, &tally, (int64_t[]){root, i, i % 7, comm}, 1);
        came[is_of_two(comm)][root]++;
    }
    if (tally && refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, tally)) {
        while (refrain_tally_next(&reader, values, 0)) {
            check(!reader.gave_rest && values[0] >= 0 && values[0] < 2, "a row of its own", (unsigned)values[0], 2);
            check(values[3] == is_of_two(values[3]), "the oldest of its members", (unsigned)values[3], COMMUNICATORS);
            read[is_of_two(values[3])][values[0] & 1]++;
        }
        refrain_tally_close(&reader);
    }
    for (unsigned i = 0; i < 4; i++)
        check(read[i / 2][i % 2] == came[i / 2][i % 2], "rows of a root", read[i / 2][i % 2], came[i / 2][i % 2]);
    check(refrain_trace_file.header->losses[REFRAIN_LOSS_COUNTS] > lost, "rows told as another's are counted", 0, 1);
    refrain_alone_bytes = before;
}

/* The communicators as a reader has them. */
static bool number_communicators(struct refrain_numbered *numbered) {
    static _Alignas(REFRAIN_GRAIN_BYTES) unsigned char
        image[REFRAIN_HEADER_BYTES + COMMUNICATORS * sizeof(struct refrain_communicator)];
    struct refrain_communicator *list = (void *)(image + REFRAIN_HEADER_BYTES);
    uint32_t first = REFRAIN_HEADER_BYTES / REFRAIN_GRAIN_BYTES, step = sizeof *list / REFRAIN_GRAIN_BYTES;
    for (uint32_t i = 0; i < COMMUNICATORS; i++)
        list[i] = (struct refrain_communicator){.next = i + 1 < COMMUNICATORS ? first + (i + 1) * step : 0,
                                                .index = i,
                                                .size = is_of_two(i) ? 2 : 4,
                                                .members = is_of_two(i)};
    ((struct refrain_header *)image)->communicators = first;
    return refrain_numbered_open(numbered, image, sizeof image);
}

/* As above, and it is known in which communicator each was: the row is one of a communicator of the same members. */
static void check_known_communicators(void) {
    static const struct refrain_row row = {4, 1 << 2, {1 << 2, 1 << 1}, REFRAIN_ROW_COMMUNICATOR};
    struct refrain_tally_reader reader;
    struct refrain_numbered numbered;
    unsigned strangers = 0;
    uint32_t tally = refrain_tally_make(&row, true);
    size_t before = refrain_alone_bytes;
    make_communicators();
    refrain_alone_bytes = refrain_trace_file.header->pool_used;
    for (unsigned i = 0; tally && i < ROUNDS * COMMUNICATORS; i++)
        refrain_tally_add(&context, &tally, (int64_t[]){is_of_two(i % COMMUNICATORS), i, i, i % COMMUNICATORS}, 1);
    if (tally && number_communicators(&numbered) &&
        refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, tally)) {
        reader.numbered = &numbered;
        for (unsigned i = 0; i < ROUNDS * COMMUNICATORS; i++) {
            int64_t values[REFRAIN_TALLY_WIDTH] = {-1, 0, 0, i / ROUNDS};
            strangers += !refrain_tally_next(&reader, values, 1 << 3) || values[0] != is_of_two(values[3]);
        }
        refrain_tally_close(&reader);
        refrain_numbered_close(&numbered);
    } else {
        strangers++;
    }
    check(strangers == 0, "rows of communicators of other members", strangers, 0);
    refrain_alone_bytes = before;
}

/* Messages to one partner, of amounts that no row has, leave another one its rows. */
static void check_unknown_amounts(void) {
    static const struct refrain_row row = {4, 1 << 2, {1 << 2, 1 << 1}, REFRAIN_ROW_COMMUNICATOR};
    struct refrain_tally_reader reader;
    unsigned left = 0;
    uint32_t tally = refrain_tally_make(&row, true);
    for (unsigned i = 0; tally && i < 2 * ROUNDS; i++)
        refrain_tally_add(&context, &tally, (int64_t[]){i % 2, 0, 5, 0}, 1);
    if (tally && refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, tally)) {
        for (unsigned i = 0; i < 2 * ROUNDS; i++) {
            int64_t values[REFRAIN_TALLY_WIDTH] = {1, 0, 6, 0};
            bool given = refrain_tally_next(&reader, values, i < ROUNDS ? 0xf : 0);
            left += given && i >= ROUNDS && values[0] == 0;
        }
        refrain_tally_close(&reader);
    }
    check(left == ROUNDS, "rows left to a partner", left, ROUNDS);
}

/* Loop counts, more different ones than there is room for: what they add up to is known however many have been given,
 * and a total is not taken for the last count. */
static void check_totals(void) {
    static const struct refrain_row row = {1, 1, {0, 0}, 0};
    struct refrain_tally_reader reader;
    uint64_t all = 0, given = 0;
    int64_t value;
    uint32_t tally = refrain_tally_make(&row, false);
    size_t before = refrain_alone_bytes;
    refrain_alone_bytes = refrain_trace_file.header->pool_used;
    for (int64_t i = 0; tally && i < ROUNDS; i++) {
        refrain_tally_add(&context, &tally, &i, 1);
        all += (uint64_t)i;
    }
    if (tally && refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, tally)) {
        check(reader.has_rest, "some counts have no room", 0, 1);
        check(!refrain_tally_take(&reader, (int64_t)reader.entries[reader.n - 1].words[1]), "a total is no count", 1,
              0);
        for (bool more = true; more; given += more ? (uint64_t)value : 0) {
            uint64_t left = 0;
            for (size_t i = 0; i < reader.n; i++)
                left += (uint64_t)refrain_tally_total_left(&reader, &reader.entries[i], 0);
            check(given + left == all, "iterations given and left", given + left, all);
            more = refrain_tally_next(&reader, &value, 0);
        }
        refrain_tally_close(&reader);
    }
    check(given == all && all > 0, "iterations", given, all);
    refrain_alone_bytes = before;
}

/* Accesses to windows, which stand for each other there: targets and bytes stay what they are. */
static void check_windows(void) {
    static const struct refrain_row row = {3, 1 << 1, {1 << 1, 0}, 1 << 2};
    uint64_t read[2] = {0}, given[2] = {0};
    struct refrain_tally_reader reader;
    int64_t values[REFRAIN_TALLY_WIDTH];
    uint32_t tally = refrain_tally_make(&row, true);
    size_t before = refrain_alone_bytes;
    check(tally != 0, "there is room for windows", 0, 1);
    refrain_alone_bytes = refrain_trace_file.header->pool_used;
    for (unsigned i = 0; tally && i < 1000; i++)
        refrain_tally_add(&context, &tally, (int64_t[]){i % 2, i % 2 + 5, i % 40}, 1);
    if (tally && refrain_tally_open(&reader, refrain_trace_file.base, POOL_BYTES, tally)) {
        while (refrain_tally_next(&reader, values, 0)) {
            read[values[0] & 1]++;
            given[values[0] & 1] += (uint64_t)values[1];
        }
        refrain_tally_close(&reader);
    }
    for (unsigned i = 0; i < 2; i++) {
        check(read[i] == 500, "accesses to a target", read[i], 500);
        check(given[i] == 500 * (i + 5), "bytes to a target", given[i], 500 * (i + 5));
    }
    refrain_alone_bytes = before;
}

int main(void) {
    void *pool = calloc(1, POOL_BYTES);
    context.scratch = malloc(sizeof *context.scratch);
    context.formula_length = REFRAIN_FORMULA_ITEMS;
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
    if (!refrain_alone_begin(&context, 0))
        return 2;
    check_communicators();
    check_known_communicators();
    check_unknown_amounts();
    check_totals();
    check_windows();
    printf("%s\n", failed ? "failed" : "passed");
    return failed ? 1 : 0;
}
