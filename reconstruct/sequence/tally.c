/* tally.c: gives the rows of a tally evenly spread (tally.h). */
#include "sequence/tally.h"
#include "common/arena.h"

#include <string.h>

#define MOST_ENTRIES ((uint32_t)1 << 20)
#define COMMUNICATOR 8u /* bit of the last of four values that may be one */

/* Shares the runs out among the entries: of two values equally many, of more the more the closer a value is to being
 * half of all, as if each came after itself more often than by chance to the same extent. */
static void share_runs(struct refrain_tally_reader *reader) {
    uint64_t runs = reader->tally->runs;
    double all = (double)reader->left, weights = 0;
    for (size_t i = 0; i < reader->n; i++)
        weights += (double)reader->entries[i].count * (all - (double)reader->entries[i].count);
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        double weight = (double)entry->count * (all - (double)entry->count);
        double share = weights > 0 ? (double)runs * weight / weights + 0.5 : 1;
        entry->runs = share < 1 ? 1 : share < (double)entry->count ? (uint64_t)share : entry->count;
    }
    if (reader->n != 2 || reader->has_rest || reader->tally->width != 1)
        return;
    /* Two values take turns: of an odd number of runs the last is of the value that came first. */
    if (((int64_t)reader->entries[0].words[1] == reader->tally->last) != (runs % 2 == 1)) {
        struct refrain_tally_entry second = reader->entries[0];
        reader->entries[0] = reader->entries[1];
        reader->entries[1] = second;
    }
}

bool refrain_tally_open(struct refrain_tally_reader *reader, const void *image, size_t image_bytes,
                        uint32_t reference) {
    memset(reader, 0, sizeof *reader);
    uint64_t offset = (uint64_t)reference * REFRAIN_GRAIN_BYTES;
    const struct refrain_tally *tally = (const void *)((const unsigned char *)image + offset);
    if (offset < REFRAIN_HEADER_BYTES || offset > image_bytes || image_bytes - offset < sizeof *tally ||
        tally->width < 1 || tally->width > REFRAIN_TALLY_WIDTH || tally->capacity > MOST_ENTRIES ||
        refrain_tally_bytes(tally->width, tally->capacity) > image_bytes - offset)
        return false;
    struct refrain_tally_entry *entries = refrain_calloc(1, ((size_t)tally->capacity + 1) * sizeof *entries);
    if (!entries)
        return false;
    reader->tally = tally;
    reader->entries = entries;
    for (uint32_t i = 0; i <= tally->capacity; i++) {
        const uint64_t *words = tally->words + (size_t)i * refrain_tally_entry_words(tally);
        if (words[0] == 0)
            continue;
        entries[reader->n++] = (struct refrain_tally_entry){.words = words, .count = words[0]};
        reader->left = reader->left > UINT64_MAX - words[0] ? UINT64_MAX : reader->left + words[0];
        reader->has_rest = i == tally->capacity;
    }
    share_runs(reader);
    return true;
}

/* Part `k` of `n` of a total, rounded so that all parts together are the total. */
static int64_t part_of(int64_t total, uint64_t k, uint64_t n) {
    if (total < 0)
        return total == INT64_MIN ? total / (int64_t)n : -part_of(-total, k, n);
    uint64_t rest = (uint64_t)total % n;
    return (int64_t)((uint64_t)total / n + (uint64_t)((unsigned __int128)(k + 1) * rest / n) -
                     (uint64_t)((unsigned __int128)k * rest / n));
}

static bool is_rest(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry) {
    return reader->has_rest && entry == &reader->entries[reader->n - 1];
}

/* Bits: values that stand for several in this entry; of the amounts among them it has the total. */
static unsigned merged(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry) {
    return is_rest(reader, entry) ? ~0u : reader->tally->dropped;
}

/* Once communicators are merged an entry has the oldest one of the same members. */
static bool goes_with_communicator(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                                   int64_t known) {
    int64_t counted = (int64_t)entry->words[reader->tally->width];
    return counted == known || (reader->tally->dropped & COMMUNICATOR && reader->numbered &&
                                refrain_numbered_same_members(reader->numbered, (uint64_t)counted, (uint64_t)known));
}

static bool goes_with(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                      const int64_t *row, unsigned known) {
    if (is_rest(reader, entry))
        return known == 0;
    if (known & COMMUNICATOR && !goes_with_communicator(reader, entry, row[reader->tally->width - 1]))
        return false;
    known &= ~((unsigned)reader->tally->dropped | COMMUNICATOR);
    for (unsigned i = 0; i < reader->tally->width; i++)
        if (known >> i & 1 && (int64_t)entry->words[1 + i] != row[i])
            return false;
    return true;
}

/* How long its next run is to be. */
static uint64_t next_run(const struct refrain_tally_entry *entry) {
    uint64_t left = entry->count - entry->given, runs = entry->runs > entry->begun ? entry->runs - entry->begun : 1;
    return left / runs + (left % runs > 0);
}

static struct refrain_tally_entry *due_first(const struct refrain_tally_reader *reader, const int64_t *row,
                                             unsigned known) {
    struct refrain_tally_entry *best = reader->current;
    double best_due = 0;
    if (reader->run_left > 0 && best->given < best->count && goes_with(reader, best, row, known))
        return best;
    best = NULL;
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        if (entry->given >= entry->count)
            continue;
        double due = ((double)entry->given + 0.5 * (double)next_run(entry)) / (double)entry->count;
        if ((!best || due < best_due) && goes_with(reader, entry, row, known)) {
            best = entry;
            best_due = due;
        }
    }
    return best;
}

/* The entry that is due first, of those that go with what is known; else the rest. Where neither is left, rows go with
 * less and less of it, in the order in which the monitor tells less apart, so that a partner is given as often as it
 * came. Null when none is left at all. */
static struct refrain_tally_entry *due(const struct refrain_tally_reader *reader, const int64_t *row, unsigned known) {
    const unsigned less[] = {reader->tally->drop[0], reader->tally->drop[1], COMMUNICATOR, ~0u};
    struct refrain_tally_entry *entry = due_first(reader, row, known);
    struct refrain_tally_entry *rest = reader->has_rest ? &reader->entries[reader->n - 1] : NULL;
    if (!entry && rest && rest->given < rest->count)
        return rest;
    for (unsigned i = 0; !entry && known; i++)
        if (known & less[i])
            entry = due_first(reader, row, known &= ~less[i]);
    return entry;
}

bool refrain_tally_next(struct refrain_tally_reader *reader, int64_t *row, unsigned known) {
    struct refrain_tally_entry *entry = due(reader, row, known);
    if (!entry)
        return false;
    unsigned several = merged(reader, entry), totals = several & reader->tally->amounts;
    for (unsigned i = 0; i < reader->tally->width; i++)
        if (totals >> i & 1)
            row[i] = part_of((int64_t)entry->words[1 + i], entry->given, entry->words[0]);
        else if (!(known >> i & 1))
            row[i] = (int64_t)entry->words[1 + i];
    if (entry != reader->current || reader->run_left == 0) {
        reader->current = entry;
        reader->run_left = next_run(entry);
        entry->begun++;
    }
    reader->run_left--;
    entry->given++;
    reader->left--;
    reader->gave_rest = is_rest(reader, entry);
    return true;
}

bool refrain_tally_peek(const struct refrain_tally_reader *reader, int64_t *row, unsigned known, unsigned i) {
    const struct refrain_tally_entry *entry = due(reader, row, known);
    if (entry)
        row[i] = (int64_t)entry->words[1 + i];
    return entry != NULL;
}

int64_t refrain_tally_total_left(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                                 unsigned i) {
    int64_t amount = (int64_t)entry->words[1 + i];
    if (!(merged(reader, entry) >> i & 1))
        return (int64_t)((uint64_t)amount * (entry->count - entry->given));
    uint64_t n = entry->words[0], given = entry->given;
    return amount < 0 ? amount
                      : amount - (int64_t)((uint64_t)amount / n * given +
                                           (uint64_t)((unsigned __int128)given * ((uint64_t)amount % n) / n));
}

uint64_t refrain_tally_left(const struct refrain_tally_reader *reader, int64_t value) {
    for (size_t i = 0; i < reader->n; i++) {
        const struct refrain_tally_entry *entry = &reader->entries[i];
        if (!(merged(reader, entry) & 1) && (int64_t)entry->words[1] == value)
            return entry->count - entry->given;
    }
    return 0;
}

bool refrain_tally_take(struct refrain_tally_reader *reader, int64_t value) {
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        bool is_total = merged(reader, entry) & reader->tally->amounts & 1 && entry->count > 1;
        if (entry->given < entry->count && !is_total && (int64_t)entry->words[1] == value) {
            entry->count--;
            reader->left--;
            return true;
        }
    }
    return false;
}

void refrain_tally_close(struct refrain_tally_reader *reader) {
    refrain_free(reader->entries);
    memset(reader, 0, sizeof *reader);
}
