/* learn_tally.c: counts values whose order is given up (learn_tally.h). */
#define _GNU_SOURCE
#include "learn_tally.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_formula.h"
#include "learn_scratch.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define FIRST_ENTRIES 4u
#define FIRST_JOINT_ENTRIES 8u
/* Sizes up to which a tally takes memory of a use that is refused late (take()). Any tally grows to SOME_ENTRIES before
 * values are dropped, and to MOST_ENTRIES after that. */
#define FEW_ENTRIES 16u       /* joint: REFRAIN_POOL_COUNTS; of one learner: all memory */
#define FEW_JOINT_ENTRIES 64u /* joint: REFRAIN_POOL_SOME */
#define SOME_ENTRIES 256u     /* of one learner: REFRAIN_POOL_COUNTS */
#define MOST_ENTRIES 4096u
#define MOST_PROBES 64u /* entries that are searched for a row, so that a full tally does not cost more */

static uint64_t *entry_at(struct refrain_tally *tally, unsigned i) {
    return tally->words + (size_t)i * refrain_tally_entry_words(tally);
}

/* True if value i no longer distinguishes rows. Merged communicators still do, by their members. */
static bool is_dropped(const struct refrain_tally *tally, unsigned i) {
    return tally->dropped >> i & 1 && !(tally->last_drop & REFRAIN_ROW_COMMUNICATOR & 1u << i);
}

static bool merges_communicators(const struct refrain_tally *tally) {
    return tally->dropped & tally->last_drop & REFRAIN_ROW_COMMUNICATOR;
}

/* Position of the first of the probes_of() entries that may have these values. */
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

/* The entry of these values, or a free entry for them. Null if there is neither. */
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

/* Counts rows at an entry. Values in the set `totals` are added up. A new entry gets its values before its count, so
 * that a killed process leaves no count without values. */
static void count_at(const struct refrain_tally *tally, uint64_t *entry, const int64_t *values, uint64_t times,
                     unsigned totals) {
    for (unsigned i = 0; i < tally->width; i++)
        entry[1 + i] = totals >> i & 1 ? entry[1 + i] + (uint64_t)values[i] * times : (uint64_t)values[i];
    refrain_commit();
    entry[0] += times;
}

/* True if the value is a count of a loop that was left early (REFRAIN_KIND_LOOP). */
static bool is_left_early(const struct refrain_tally *tally, int64_t value) {
    return !tally->joint && tally->amounts && value < 0;
}

/* Adds an entry to that of all other rows. A loop that was left early adds only its iterations there, and no visit. So
 * the number of visits that the loop's condition ended stays exact. */
static void move_to_rest(struct refrain_tally *tally, const uint64_t *entry) {
    uint64_t *rest = entry_at(tally, tally->capacity);
    if (is_left_early(tally, (int64_t)entry[1])) {
        refrain_lose(REFRAIN_LOSS_COUNTS, entry[0]);
        rest[1] -= entry[1] * entry[0];
        tally->count -= entry[0];
        return;
    }
    for (unsigned i = 0; i < tally->width; i++)
        if (tally->amounts >> i & 1)
            rest[1 + i] += is_dropped(tally, i) ? entry[1 + i] : entry[1 + i] * entry[0];
        else if (rest[0] == 0)
            rest[1 + i] = entry[1 + i];
    refrain_lose(REFRAIN_LOSS_COUNTS, entry[0]);
    rest[0] += entry[0];
}

/* Takes memory for a tally. A small tally of one learner may hold control flow, without which events would be missing.
 * It and the smallest joint tally may also take memory that is reserved for what is met for the first time: there are
 * no more of them than places. */
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

bool refrain_tally_of_values(struct refrain_learner *learner) {
    static const struct refrain_row values = {.width = 1}, counts = {.width = 1, .amounts = 1};
    if (learner->tally)
        return true;
    learner->tally = refrain_tally_make(learner->kind == REFRAIN_KIND_LOOP ? &counts : &values, false);
    if (learner->tally)
        refrain_lose(REFRAIN_LOSS_LEARNERS, 1);
    return learner->tally != 0;
}

/* Moves the entries to a tally of twice the size. Null without memory, or if that is too large. */
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

/* Drops the next set of values: rows that differ only in these become one. False if nothing is left to drop, or if
 * there are too many entries to move. */
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

/* Makes room for another entry. False if there is none. */
static bool make_room(struct refrain_context *context, uint32_t *reference) {
    struct refrain_tally *tally = refrain_at_reference(*reference);
    if (tally->used < tally->capacity - tally->capacity / 4)
        return true;
    bool can_drop = (tally->drop[0] | tally->drop[1]) & ~(unsigned)tally->dropped;
    if ((tally->capacity < SOME_ENTRIES || !can_drop) && grow(reference, tally))
        return true;
    return drop(context, tally) || tally->used < tally->capacity;
}

/* All entries where the row may be have other rows. The row may replace one of these, drawn at random, which is then
 * counted with all other rows. The larger its count, the less likely it is replaced, so the most frequent rows stay
 * (after Ben Basat, Einziger, Friedman, Kassner, "Randomized admission policy for efficient top-k and frequency
 * estimation", INFOCOM 2017). Null if it is not replaced. */
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

/* The values as they are counted. If communicators are merged, `merged`, with the oldest communicator that has the same
 * members. */
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
        if (is_left_early(tally, values[0])) {
            entry[1] -= (uint64_t)values[0] * times;
            return;
        }
    }
    int64_t last = tally->width == 1 ? values[0] : entry - tally->words;
    tally->runs += tally->count == 0 || last != tally->last;
    tally->last = last;
    tally->count += times;
    count_at(tally, entry, values, times, totals);
}
