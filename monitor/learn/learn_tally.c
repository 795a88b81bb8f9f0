/* learn_tally.c: counting values whose order is given up (learn_tally.h). */
#define _GNU_SOURCE
#include "learn_tally.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_scratch.h"

#include <string.h>

#define FIRST_ENTRIES 4u
#define FIRST_JOINT_ENTRIES 8u
#define FEW_ENTRIES 16u       /* as many rows may take room of places in need, of control flow all of it; ... */
#define FEW_JOINT_ENTRIES 64u /* ... as many are sure of the room for counts; of places, as many as ... */
#define SOME_ENTRIES 256u     /* ... as many are tried before less is told apart ... */
#define MOST_ENTRIES 4096u    /* ... and as many after it */
#define MOST_PROBES 64u       /* entries that are looked at for a row: a full tally costs no more */

static uint64_t *entry_at(struct refrain_tally *tally, unsigned i) {
    return tally->words + (size_t)i * refrain_tally_entry_words(tally);
}

/* Does the value not tell rows apart? Communicators still do, by their members. */
static bool is_dropped(const struct refrain_tally *tally, unsigned i) {
    return tally->dropped >> i & 1 && !(tally->last_drop & REFRAIN_ROW_COMMUNICATOR & 1u << i);
}

static bool merges_communicators(const struct refrain_tally *tally) {
    return tally->dropped & tally->last_drop & REFRAIN_ROW_COMMUNICATOR;
}

/* Where an entry of these values may be: the first of `probes_of()` entries. */
static unsigned home_of(const struct refrain_tally *tally, const int64_t *values) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < tally->width; i++)
        if (!is_dropped(tally, i))
            hash = (hash ^ (uint64_t)values[i]) * 0x9e3779b97f4a7c15u;
    return (unsigned)(hash >> 40);
}

static unsigned probes_of(const struct refrain_tally *tally) {
    return tally->capacity < MOST_PROBES ? tally->capacity : MOST_PROBES;
}

/* The entry of these values, or a free one where it would be; null when there is neither. */
static uint64_t *find(struct refrain_tally *tally, const int64_t *values) {
    unsigned at = home_of(tally, values), probes = probes_of(tally);
    for (unsigned n = 0; n < probes; n++, at++) {
        uint64_t *entry = entry_at(tally, at & (tally->capacity - 1));
        if (entry[0] == 0)
            return entry;
        bool same = true;
        for (unsigned i = 0; i < tally->width && same; i++)
            same = is_dropped(tally, i) || (int64_t)entry[1 + i] == values[i];
        if (same)
            return entry;
    }
    return NULL;
}

/* Counts rows at an entry; amounts in `totals` (bits) are added up. A new entry gets its values before its count. */
static void count_at(const struct refrain_tally *tally, uint64_t *entry, const int64_t *values, uint64_t times,
                     unsigned totals) {
    for (unsigned i = 0; i < tally->width; i++)
        entry[1 + i] =
            totals >> i & 1 ? (entry[0] ? entry[1 + i] : 0) + (uint64_t)values[i] * times : (uint64_t)values[i];
    refrain_commit();
    entry[0] += times;
}

/* Counts the rows of an entry with the rest. */
static void move_to_rest(struct refrain_tally *tally, const uint64_t *entry) {
    uint64_t *rest = entry_at(tally, tally->capacity);
    for (unsigned i = 0; i < tally->width; i++)
        if (tally->amounts >> i & 1)
            rest[1 + i] += is_dropped(tally, i) ? entry[1 + i] : entry[1 + i] * entry[0];
        else if (rest[0] == 0)
            rest[1 + i] = entry[1 + i];
    refrain_lose(REFRAIN_LOSS_COUNTS, entry[0]);
    rest[0] += entry[0];
}

/* Room for counts. The first of control flow, without which events would be missing, and the least of rows may take
 * what is kept for places too: there are as many of them as places. */
static struct refrain_tally *take(unsigned width, uint32_t capacity, bool joint) {
    size_t bytes = refrain_tally_bytes(width, capacity);
    bool few = capacity <= (joint ? FEW_ENTRIES : SOME_ENTRIES), some = capacity <= FEW_JOINT_ENTRIES;
    struct refrain_tally *tally = refrain_pool_take(bytes, few    ? REFRAIN_POOL_COUNTS
                                                           : some ? REFRAIN_POOL_SOME
                                                                  : REFRAIN_POOL_MANY);
    if (!tally && capacity <= (joint ? REFRAIN_LEAST_ROWS : FEW_ENTRIES))
        tally = refrain_pool_take(bytes, REFRAIN_POOL_FIRST_MET);
    return tally;
}

uint32_t refrain_tally_make(const struct refrain_row *row, bool joint) {
    uint32_t capacity = joint ? FIRST_JOINT_ENTRIES : FIRST_ENTRIES;
    struct refrain_tally *tally = take(row->width, capacity, joint);
    if (!tally && joint)
        tally = take(row->width, capacity = REFRAIN_LEAST_ROWS, joint);
    if (!tally)
        return 0;
    tally->capacity = capacity;
    tally->width = row->width;
    tally->joint = joint;
    tally->amounts = row->amounts;
    tally->drop[0] = row->drop[0];
    tally->drop[1] = row->drop[1];
    tally->last_drop = row->last_drop;
    return refrain_reference(tally);
}

/* Moves what a tally holds into a larger one. */
static struct refrain_tally *grow(uint32_t *reference, struct refrain_tally *tally) {
    uint32_t capacity = tally->capacity * 2;
    struct refrain_tally *larger = capacity > MOST_ENTRIES ? NULL : take(tally->width, capacity, tally->joint);
    if (!larger)
        return NULL;
    size_t entry_bytes = refrain_tally_entry_words(tally) * sizeof(uint64_t);
    memcpy(larger, tally, sizeof *tally);
    larger->capacity = capacity;
    memcpy(entry_at(larger, capacity), entry_at(tally, tally->capacity), entry_bytes);
    for (unsigned i = 0; i < tally->capacity; i++) {
        const uint64_t *entry = entry_at(tally, i);
        uint64_t *to = entry[0] ? find(larger, (const int64_t *)entry + 1) : NULL;
        if (to) {
            memcpy(to, entry, entry_bytes);
        } else if (entry[0]) {
            move_to_rest(larger, entry);
            larger->used--;
        }
    }
    refrain_commit();
    *reference = refrain_reference(larger);
    return larger;
}

/* Tells less apart. False when there is nothing left to drop, or too much to move. */
static bool drop(struct refrain_context *context, struct refrain_tally *tally) {
    unsigned what = tally->drop[0] & ~(unsigned)tally->dropped;
    if (!what)
        what = tally->drop[1] & ~(unsigned)tally->dropped;
    if (!what)
        what = tally->last_drop & ~(unsigned)tally->dropped;
    size_t words = refrain_tally_entry_words(tally), bytes = tally->capacity * words * sizeof(uint64_t);
    if (!what || bytes > sizeof context->scratch->entries)
        return false;
    uint64_t *before = context->scratch->entries;
    memcpy(before, tally->words, bytes);
    memset(tally->words, 0, bytes);
    tally->dropped |= (uint8_t)what;
    tally->used = 0;
    unsigned totals = tally->dropped & tally->amounts;
    for (unsigned i = 0; i < tally->capacity; i++) {
        uint64_t *from = before + i * words;
        if (from[0] == 0)
            continue;
        if (merges_communicators(tally))
            from[tally->width] = (uint64_t)refrain_oldest_alike((int64_t)from[tally->width]);
        for (unsigned k = 0; k < tally->width; k++)
            if ((what & tally->amounts) >> k & 1)
                from[1 + k] *= from[0];
        uint64_t *entry = find(tally, (const int64_t *)from + 1);
        if (!entry) {
            move_to_rest(tally, from);
            continue;
        }
        tally->used += entry[0] == 0;
        for (unsigned k = 0; k < tally->width; k++)
            entry[1 + k] = (totals >> k & 1) ? entry[1 + k] + from[1 + k] : from[1 + k];
        entry[0] += from[0];
    }
    return true;
}

/* Makes room for another entry. False when there is none. */
static bool make_room(struct refrain_context *context, uint32_t *reference) {
    struct refrain_tally *tally = refrain_at_reference(*reference);
    if (tally->used < tally->capacity - tally->capacity / 4)
        return true;
    bool can_drop = (tally->drop[0] | tally->drop[1]) & ~(unsigned)tally->dropped;
    if ((tally->capacity < SOME_ENTRIES || !can_drop) && grow(reference, tally))
        return true;
    return drop(context, tally) || tally->used < tally->capacity;
}

/* A row that there is no room for may take the place of another, which is counted with the rest from then on: any
 * other, but the less likely the more often that one came, so that those that come most often are the ones that stay
 * (after Ben Basat, Einziger, Friedman, Kassner, "Randomized admission policy for efficient top-k and frequency
 * estimation", INFOCOM 2017). Null where it does not. All entries are taken then where the row is looked for. */
static uint64_t *take_from_another(struct refrain_tally *tally, const int64_t *values) {
    uint64_t draw = tally->count * 0x9e3779b97f4a7c15u;
    unsigned at = home_of(tally, values) + (unsigned)(draw >> 40) % probes_of(tally);
    uint64_t *other = entry_at(tally, at & (tally->capacity - 1));
    if (!tally->joint || other[0] > UINT16_MAX || (draw >> 8 & 0xffffffff) % (other[0] * other[0] + 1) != 0)
        return NULL;
    move_to_rest(tally, other);
    memset(other, 0, refrain_tally_entry_words(tally) * sizeof *other);
    return other;
}

/* The values, or `merged` with the communicator that the row is counted under. */
static const int64_t *as_counted(const struct refrain_tally *tally, const int64_t *values, int64_t *merged) {
    if (__builtin_expect(!merges_communicators(tally), 1))
        return values;
    int64_t alike = refrain_oldest_alike(values[tally->width - 1u]);
    if (alike == values[tally->width - 1u])
        return values;
    memcpy(merged, values, tally->width * sizeof *values);
    merged[tally->width - 1u] = alike;
    refrain_lose(REFRAIN_LOSS_COUNTS, 1);
    return merged;
}

void refrain_tally_add(struct refrain_context *context, uint32_t *reference, const int64_t *values, uint64_t times) {
    struct refrain_tally *tally = refrain_at_reference(*reference);
    int64_t merged[REFRAIN_TALLY_WIDTH];
    values = as_counted(tally, values, merged);
    uint64_t *entry = find(tally, values);
    if (__builtin_expect(!entry || entry[0] == 0, 0)) {
        bool room = make_room(context, reference);
        tally = refrain_at_reference(*reference);
        values = as_counted(tally, values, merged);
        entry = room ? find(tally, values) : NULL;
        if (entry && entry[0] == 0)
            tally->used++;
        if (!entry)
            entry = take_from_another(tally, values);
    }
    unsigned totals = tally->dropped & tally->amounts;
    if (__builtin_expect(!entry, 0)) {
        refrain_lose(REFRAIN_LOSS_COUNTS, times);
        entry = entry_at(tally, tally->capacity);
        totals = tally->amounts;
    }
    int64_t last = tally->width == 1 ? values[0] : entry - tally->words;
    tally->runs += tally->count == 0 || last != tally->last;
    tally->last = last;
    tally->count += times;
    count_at(tally, entry, values, times, totals);
}

/* ---- terms ---- */

/* Who counts the values of terms, and how many more. */
struct counting {
    struct refrain_context *context;
    uint32_t *tally;
    uint64_t left;
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
};

static uint64_t value_now(const struct counting *counting, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * counting->counter[h];
    return value;
}

/* Does the body of the loop change from iteration to iteration? */
static bool changes(const struct refrain_item *loop) {
    for (unsigned i = 1; i < loop->span; i++)
        if (loop[i].stride[loop->height] != 0)
            return true;
    return false;
}

/* The first value of an item, about: a loop may have none. */
static int64_t first_value(const struct counting *counting, const struct refrain_item *item) {
    while (item->kind == REFRAIN_ITEM_LOOP)
        item++;
    return (int64_t)value_now(counting, item);
}

/* Counts the values of an item, `times` times; their runs once. */
static void count_item(struct counting *counting, const struct refrain_item *item, uint64_t times) {
    uint64_t value = value_now(counting, item);
    if (item->kind == REFRAIN_ITEM_VALUE) {
        refrain_tally_add(counting->context, counting->tally, (const int64_t *)&value, times);
        return;
    }
    if ((int64_t)value <= 0)
        return;
    bool each = changes(item);
    const struct refrain_tally *tally = refrain_at_reference(*counting->tally);
    int64_t first = first_value(counting, item + 1);
    uint64_t before = tally->runs + (tally->count == 0 || first != tally->last);
    for (uint64_t k = 0; k < (each ? value : 1); k++) {
        counting->counter[item->height] = k;
        for (unsigned i = 1; i < item->span; i += item[i].span)
            count_item(counting, &item[i], each ? times : times * value);
    }
    counting->counter[item->height] = 0;
    if (each)
        return;
    struct refrain_tally *after = refrain_at_reference(*counting->tally);
    uint64_t inside = after->runs > before ? after->runs - before : 0;
    after->runs += (value - 1) * (inside + (first != after->last));
}

/* Counts the first `left` values of an item, one by one. */
static void count_beginning(struct counting *counting, const struct refrain_item *item) {
    uint64_t value = value_now(counting, item);
    if (item->kind == REFRAIN_ITEM_VALUE) {
        refrain_tally_add(counting->context, counting->tally, (const int64_t *)&value, 1);
        counting->left--;
        return;
    }
    for (uint64_t k = 0; (int64_t)k < (int64_t)value && counting->left > 0; k++) {
        counting->counter[item->height] = k;
        for (unsigned i = 1; i < item->span && counting->left > 0; i += item[i].span)
            count_beginning(counting, &item[i]);
    }
    counting->counter[item->height] = 0;
}

static bool same_position(struct refrain_archive_position a, struct refrain_archive_position b) {
    return a.chunk == b.chunk && a.at == b.at;
}

/* Counts `values` values of what lies between two positions of the archive, over and over. */
static void count_repetition(struct counting *counting, const struct refrain_item *repeat, uint64_t values) {
    struct refrain_item *term = counting->context->scratch->term;
    struct refrain_archive_position first = {(uint32_t)repeat->stride[0], (uint32_t)repeat->stride[1]};
    struct refrain_archive_position end = {(uint32_t)repeat->stride[2], (uint32_t)repeat->stride[3]}, at = first;
    while (values > 0) {
        if (same_position(at, end))
            at = first;
        unsigned n_values = refrain_archive_read(&at, term);
        for (unsigned i = 0; i < n_values && values > 0; i++, values--)
            refrain_tally_add(counting->context, counting->tally, &((const int64_t *)term)[i], 1);
        if (n_values > 0)
            continue;
        if (term->kind == REFRAIN_ITEM_REPEAT) {
            struct refrain_item inner = *term;
            uint64_t n = (uint64_t)inner.base < values ? (uint64_t)inner.base : values;
            count_repetition(counting, &inner, n);
            values -= n;
            continue;
        }
        counting->left = values;
        count_beginning(counting, term);
        values = counting->left;
    }
}

bool refrain_tally_terms(struct refrain_context *context, struct refrain_learner *learner, unsigned keep) {
    static const struct refrain_row values = {.width = 1}, counts = {.width = 1, .amounts = 1};
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    if (!learner->tally) {
        learner->tally = refrain_tally_make(learner->kind == REFRAIN_KIND_LOOP ? &counts : &values, false);
        if (!learner->tally)
            return false;
        refrain_lose(REFRAIN_LOSS_LEARNERS, 1);
    }
    refrain_journal_tally(context, learner);
    struct counting counting = {.context = context, .tally = &learner->tally};
    uint64_t before = ((const struct refrain_tally *)refrain_at_reference(learner->tally))->count;
    unsigned moved = 0;
    for (; formula->n_items - moved > keep; moved += items[moved].span)
        if (items[moved].kind == REFRAIN_ITEM_REPEAT)
            count_repetition(&counting, &items[moved], (uint64_t)items[moved].base);
        else
            count_item(&counting, &items[moved], 1);
    for (unsigned i = 0; i < formula->n_values; i++)
        refrain_tally_add(context, &learner->tally, &refrain_formula_values(formula)[i], 1);
    formula->n_values = 0;
    memmove(items, items + moved, (formula->n_items - moved) * sizeof *items);
    formula->n_items = (uint16_t)(formula->n_items - moved);
    refrain_lose(REFRAIN_LOSS_SUMMARY_VALUES,
                 ((const struct refrain_tally *)refrain_at_reference(learner->tally))->count - before);
    return true;
}
