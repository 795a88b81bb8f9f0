/* test_tally.c: counts of more rows than there is room for (monitor/learn/learn_tally.c). Totals always stay right, and
 * the most frequent rows keep counts of their own, also if they first occur late. */
#include "learn_alone.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_memory.h"
#include "learn_tally.h"
#include "sequence/numbered.h"
#include "sequence/sequence.h"
#include "sequence/tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        if (row[0] < 0 || row[0] >= PARTNERS || reader.gave_other)
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

/* Communicators have all ranks, or two, alternately in the order in which they were made. */
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
            check(!reader.gave_other && values[0] >= 0 && values[0] < 2, "a row of its own", (unsigned)values[0], 2);
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
    static _Alignas(REFRAIN_ALIGNMENT_BYTES) unsigned char
        image[REFRAIN_HEADER_BYTES + COMMUNICATORS * sizeof(struct refrain_communicator)];
    struct refrain_communicator *list = (void *)(image + REFRAIN_HEADER_BYTES);
    uint32_t first = REFRAIN_HEADER_BYTES / REFRAIN_ALIGNMENT_BYTES, step = sizeof *list / REFRAIN_ALIGNMENT_BYTES;
    for (uint32_t i = 0; i < COMMUNICATORS; i++)
        list[i] = (struct refrain_communicator){.next = i + 1 < COMMUNICATORS ? first + (i + 1) * step : 0,
                                                .index = i,
                                                .size = is_of_two(i) ? 2 : 4,
                                                .members = is_of_two(i)};
    ((struct refrain_header *)image)->communicators = first;
    return refrain_numbered_open(numbered, image, sizeof image);
}

/* As above, but the communicator of each row is known: the delivered row must have a communicator with the same
 * members. */
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

/* More different loop counts than there is room for. Their sum must be known after any number of them, and a total must
 * not be taken for the last count. */
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
        check(reader.has_other, "some counts have no room", 0, 1);
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

/* ---- terms ---- */

#define MOST_STEPS 100000  /* values and iterations that are counted at a time, however many a term has */
#define FIXED_VALUES 16    /* 0 and up: they are the same in all iterations ... */
#define FIRST_OTHER 100000 /* ... and values from here on are not */
#define MOST_VALUES 400000 /* of a term that is compared value by value */
#define FEW_VALUES 1000    /* of a term, which are always counted */
#define RAMP_VALUES 4000000

static unsigned long long steps;
void __wrap_refrain_tally_add(struct refrain_context *context, uint32_t *tally, const int64_t *values, uint64_t times);
void __real_refrain_tally_add(struct refrain_context *context, uint32_t *tally, const int64_t *values, uint64_t times);

void __wrap_refrain_tally_add(struct refrain_context *with, uint32_t *tally, const int64_t *values, uint64_t times) {
    if (++steps == 100 * MOST_STEPS) { /* too slow */
        check(false, "values counted one by one", steps, MOST_STEPS);
        exit(1);
    }
    __real_refrain_tally_add(with, tally, values, times);
}

struct term {
    struct refrain_item items[32];
    unsigned n, values;
};

static unsigned add_item(struct term *term, unsigned kind, unsigned height, int64_t base) {
    term->items[term->n] =
        (struct refrain_item){.kind = (uint8_t)kind, .height = (uint8_t)height, .span = 1, .base = base};
    return term->n++;
}

/* A loop over values and loops, which may have counts and values that change with any of the counters. */
static void make_term(struct term *term, unsigned height, unsigned around) {
    unsigned loop = add_item(term, REFRAIN_ITEM_LOOP, height, chance(height == 0 ? 40 : 90));
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        if (around >> h & 1 && chance(2))
            term->items[loop].stride[h] = (int64_t)chance(5) - 2;
    around |= 1u << height;
    for (unsigned n = 1 + chance(3); n > 0 && term->n < 20; n--) {
        if (height > 0 && chance(2)) {
            make_term(term, height - 1, around);
            continue;
        }
        unsigned value = add_item(term, REFRAIN_ITEM_VALUE, 0, term->values % FIXED_VALUES);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (around >> h & 1 && chance(4) == 0)
                term->items[value].stride[h] = 1 + (int64_t)chance(3);
        if (memcmp(term->items[value].stride, (int64_t[REFRAIN_LOOP_HEIGHTS]){0}, sizeof term->items->stride) != 0)
            term->items[value].base += FIRST_OTHER * (1 + (int64_t)term->values);
        term->values++;
    }
    if (term->n == loop + 1)
        add_item(term, REFRAIN_ITEM_VALUE, 0, 0);
    term->items[loop].span = (uint16_t)(term->n - loop);
}

struct values {
    uint64_t n, total, fixed[FIXED_VALUES];
};

/* The first values of an item, one by one, `most` at most. */
static void expand_item(const struct refrain_item *item, uint64_t *counter, uint64_t most, struct values *values) {
    int64_t value = item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += item->stride[h] * (int64_t)counter[h];
    if (item->kind == REFRAIN_ITEM_VALUE) {
        if (value < FIXED_VALUES)
            values->fixed[value]++;
        values->total += (uint64_t)value;
        values->n++;
        return;
    }
    for (int64_t k = 0; k < value && values->n < most; k++) {
        counter[item->height] = (uint64_t)k;
        for (unsigned i = 1; i < item->span && values->n < most; i += item[i].span)
            expand_item(&item[i], counter, most, values);
    }
    counter[item->height] = 0;
}

static struct values expand(const struct term *term, uint64_t most) {
    struct values values = {0};
    uint64_t counter[REFRAIN_LOOP_HEIGHTS] = {0};
    expand_item(term->items, counter, most, &values);
    return values;
}

/* The values of a tally. */
static struct values values_of_tally(const struct refrain_tally *tally, bool amounts) {
    struct values values = {.n = tally->count};
    for (unsigned i = 0; i <= tally->capacity; i++) {
        const uint64_t *entry = tally->words + 2 * (size_t)i;
        values.total += amounts && i == tally->capacity ? entry[1] : entry[0] * entry[1];
        if (i < tally->capacity && entry[0] > 0 && entry[1] < FIXED_VALUES)
            values.fixed[entry[1]] += entry[0];
    }
    return values;
}

/* A learner of nothing but the term. */
static struct refrain_learner *learner_of(const struct term *term, enum refrain_learner_kind kind) {
    struct refrain_learner *learner = refrain_alone_begin(&context, 0);
    learner->kind = (uint8_t)kind;
    learner->state = REFRAIN_BUILD;
    struct refrain_formula *formula =
        refrain_formula_create(&context, learner) ? refrain_formula_room(&context, learner, term->n) : NULL;
    if (!formula) {
        puts("FAILED: no room for a term");
        exit(2);
    }
    memcpy(refrain_formula_items(formula), term->items, term->n * sizeof *term->items);
    refrain_formula_items(formula)[term->n - 1].back = (uint16_t)term->n;
    formula->n_items = (uint16_t)term->n;
    return learner;
}

/* Counts the terms of a learner. False if it leaves them, since they take too many steps. */
static bool count_terms(struct refrain_learner *learner, struct values *values) {
    const struct refrain_formula *formula = refrain_at_reference(learner->body);
    unsigned before = formula->n_items;
    steps = 0;
    refrain_journal_begin(&context, learner, 0);
    bool counted = refrain_tally_terms(&context, learner, 0);
    refrain_journal_end(&context);
    check(steps <= MOST_STEPS, "steps", steps, MOST_STEPS);
    check(formula->n_items == (counted ? 0 : before), "items that are left", formula->n_items, before);
    if (!counted) {
        check(learner->tally == 0, "a tally where nothing is counted", learner->tally, 0);
        return false;
    }
    const struct refrain_tally *tally = refrain_at_reference(learner->tally);
    check((tally->runs > 0) == (tally->count > 0) && tally->runs <= tally->count, "runs", tally->runs, tally->count);
    *values = values_of_tally(tally, learner->kind == REFRAIN_KIND_LOOP);
    return true;
}

static void check_values(struct values got, struct values expected, bool amounts, const char *what) {
    check(got.n == expected.n, what, got.n, expected.n);
    if (amounts)
        check(got.total == expected.total, "their total", got.total, expected.total);
    for (unsigned i = 0; i < FIXED_VALUES; i++)
        check(got.fixed[i] == expected.fixed[i], "a value that is the same in all", got.fixed[i], expected.fixed[i]);
}

/* Makes what the learner has the archive, and then that a repetition of its first `values` values, over and over. */
static void repeat_archived(struct refrain_learner *learner, uint64_t values) {
    check(refrain_formula_archive(&context, learner, 0, 0), "the term is archived", 0, 1);
    refrain_journal_end(&context);
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    const struct refrain_archive *last = refrain_at_reference(formula->archive_last);
    *refrain_formula_items(formula) = (struct refrain_item){
        .kind = REFRAIN_ITEM_REPEAT,
        .span = 1,
        .back = 1,
        .base = (int64_t)values,
        .stride = {formula->archive_first, 0, formula->archive_last, last->used},
    };
    formula->n_items = 1;
}

/* Counts terms of some hundred thousand values, and compares the counts with those of the single values. Only terms of
 * many values may be left as they are. */
static void check_terms(void) {
    unsigned n_counted = 0;
    for (unsigned i = 0; i < 300; i++) {
        struct term term = {.n = 0};
        bool amounts = chance(2);
        make_term(&term, 1 + chance(3), 0);
        struct values expected = expand(&term, MOST_VALUES), got;
        if (expected.n == 0 || expected.n >= MOST_VALUES)
            continue;
        enum refrain_learner_kind kind = amounts ? REFRAIN_KIND_LOOP : REFRAIN_KIND_CONTROL;
        bool counted = count_terms(learner_of(&term, kind), &got);
        check(counted || expected.n > FEW_VALUES, "a term of few values is counted", expected.n, FEW_VALUES);
        if (counted)
            check_values(got, expected, amounts, "values of a term");
        uint64_t times = chance(1000), more = chance((unsigned)expected.n);
        struct refrain_learner *learner = learner_of(&term, kind);
        repeat_archived(learner, times * expected.n + more);
        struct values beginning = more > 0 ? expand(&term, more) : (struct values){0};
        bool few = expected.n <= FEW_VALUES;
        expected.n = times * expected.n + more;
        expected.total = times * expected.total + beginning.total;
        for (unsigned v = 0; v < FIXED_VALUES; v++)
            expected.fixed[v] = times * expected.fixed[v] + beginning.fixed[v];
        counted = count_terms(learner, &got);
        check(counted || !few, "a repetition of few values is counted", expected.n, FEW_VALUES);
        if (counted)
            check_values(got, expected, amounts, "values of a repetition");
        n_counted += counted;
    }
    check(n_counted > 100, "repetitions that are counted", n_counted, 100);
}

/* Equal iterations must be counted in one step, even as many as in a long run. If each iteration has another value, or
 * an inner loop that is longer than the last, nothing may be counted. */
static void check_long_terms(void) {
    struct term same = {.n = 0}, ramp = {.n = 0}, triangle = {.n = 0};
    uint64_t n = 3000000000u;
    struct values got;
    add_item(&same, REFRAIN_ITEM_LOOP, 1, (int64_t)n);
    add_item(&same, REFRAIN_ITEM_LOOP, 0, 1000);
    add_item(&same, REFRAIN_ITEM_VALUE, 0, 3);
    add_item(&same, REFRAIN_ITEM_VALUE, 0, 4);
    same.items[0].span = 4;
    same.items[1].span = 2;
    if (count_terms(learner_of(&same, REFRAIN_KIND_CONTROL), &got)) {
        check(got.fixed[3] == 1000 * n, "values of an inner loop", got.fixed[3], 1000 * n);
        check(got.fixed[4] == n, "values behind it", got.fixed[4], n);
    } else {
        check(false, "iterations that are alike are counted", 0, 1);
    }
    add_item(&ramp, REFRAIN_ITEM_LOOP, 0, (int64_t)n);
    ramp.items[add_item(&ramp, REFRAIN_ITEM_VALUE, 0, 1)].stride[0] = 1;
    ramp.items[0].span = 2;
    check(!count_terms(learner_of(&ramp, REFRAIN_KIND_LOOP), &got), "values that all differ are left", 1, 0);
    add_item(&triangle, REFRAIN_ITEM_LOOP, 1, 2000000);
    triangle.items[add_item(&triangle, REFRAIN_ITEM_LOOP, 0, 1)].stride[1] = 1;
    add_item(&triangle, REFRAIN_ITEM_VALUE, 0, 3);
    triangle.items[0].span = 3;
    triangle.items[1].span = 2;
    check(!count_terms(learner_of(&triangle, REFRAIN_KIND_CONTROL), &got), "longer and longer loops are left", 1, 0);
}

/* Ramps between values of chance, in memory that is soon spent, until the formula is full of ramps that are left as
 * they are: in what is read all values are there, and no value took more than a few steps. */
static void check_ramps(void) {
    struct refrain_learner *learner = refrain_alone_begin(&context, 0);
    struct refrain_sequence sequence;
    uint64_t total = 0, read_total = 0;
    unsigned n = 0, n_read = 0, left_as_it_is = 0;
    refrain_alone_bytes = refrain_trace_file.header->pool_used + 8192;
    while (n < RAMP_VALUES) {
        unsigned length = chance(3) ? 1 + chance(5) : 9000 + chance(4000), first = chance(1000);
        for (unsigned i = 0; i < length && n < RAMP_VALUES; i++, n++) {
            steps = 0;
            refrain_learn(&context, learner, first + i, REFRAIN_KIND_LOOP);
            total += first + i;
            check(steps <= MOST_STEPS, "steps of a value", steps, MOST_STEPS);
        }
        left_as_it_is += learner->state == REFRAIN_SUMMARY && learner->body;
    }
    refrain_sequence_open(&sequence, refrain_trace_file.base, POOL_BYTES, learner);
    for (int64_t value; n_read < RAMP_VALUES && refrain_sequence_next(&sequence, &value); n_read++)
        read_total += (uint64_t)value;
    int64_t more;
    check(n_read == n && !refrain_sequence_next(&sequence, &more), "values of ramps", n_read, n);
    refrain_sequence_close(&sequence);
    check(read_total == total, "their total", read_total, total);
    uint64_t kept, counted = refrain_learner_values(refrain_trace_file.base, POOL_BYTES, learner, &kept);
    check(counted == n && kept < n, "values that the learner tells of", counted, n);
    check(left_as_it_is > 0, "terms that are left as they are", left_as_it_is, 1);
    refrain_alone_bytes = POOL_BYTES;
}

/* Loop counts by chance, half of them of loops that were left early, in memory that is soon spent: how many iterations
 * there were stays right, and how often the condition ended the loop. As the monitor does, a learner that only counts
 * gets the iterations of a loop that was left early with the next count. `bytes`: memory that is left. */
static void check_left_early(size_t bytes) {
    struct refrain_learner *learner = refrain_alone_begin(&context, 0);
    struct refrain_sequence sequence;
    uint64_t iterations = 0, ends = 0, read_iterations = 0, read_ends = 0;
    int64_t pending = 0;
    refrain_alone_bytes = refrain_trace_file.header->pool_used + bytes;
    for (unsigned n = 0; n <= 100000; n++) {
        steps = 0;
        int64_t count = 1 + chance(30000);
        bool early = chance(2) == 0 && n < 100000;
        iterations += (uint64_t)count;
        ends += !early;
        pending += count;
        if (early && (learner->tally || learner->state == REFRAIN_SUMMARY))
            continue;
        refrain_learn(&context, learner, early ? -pending : pending, REFRAIN_KIND_LOOP);
        pending = 0;
    }
    refrain_sequence_open(&sequence, refrain_trace_file.base, POOL_BYTES, learner);
    for (; refrain_sequence_advance(&sequence); sequence.run = 0) {
        read_iterations += refrain_sequence_iterations(&sequence);
        read_ends += sequence.value >= 0 ? sequence.run : 0;
    }
    refrain_sequence_close(&sequence);
    check(read_iterations == iterations, "iterations of loops left early", read_iterations, iterations);
    check(read_ends == ends, "ends of loops left early", read_ends, ends);
    refrain_alone_bytes = POOL_BYTES;
}

/* The iterations of runs whose counts change their sign, beside a sum value by value. */
static void check_iterations(void) {
    for (int64_t first = -7; first <= 7; first++)
        for (int64_t stride = -3; stride <= 3; stride++) {
            struct refrain_sequence run = {.value = first, .stride = stride};
            uint64_t sum = 0;
            for (int64_t value = first; run.run < 9; value += stride) {
                check(refrain_sequence_iterations(&run) == sum, "iterations of a run",
                      refrain_sequence_iterations(&run), sum);
                sum += (uint64_t)(value < 0 ? -value : value);
                run.run++;
            }
        }
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
    refrain_alone_bytes = POOL_BYTES;
    check_long_terms();
    check_terms();
    check_ramps();
    for (size_t bytes = 0; bytes <= 131072; bytes = bytes ? bytes * 2 : 16)
        check_left_early(bytes);
    check_iterations();
    printf("%s\n", failed ? "failed" : "passed");
    return failed ? 1 : 0;
}
