/* tally.c: delivers the rows of a tally, evenly spread (tally.h). */
#include "sequence/tally.h"
#include "common/arena.h"

#include <string.h>

#define MOST_ENTRIES ((uint32_t)1 << 20)
#define COMMUNICATOR 8u /* bit of the last of four values, which may be a communicator */

/* Divides the runs among the entries. Two values get equally many. Of more values, one gets more the closer it is to
 * half of all: as if each followed itself more often than by chance, all to the same extent. */
static void divide_runs(struct refrain_tally_reader *reader) {
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
    if (reader->n != 2 || reader->has_other || reader->tally->width != 1)
        return;
    /* Two values alternate: if the number of runs is odd, the first value is also the last. */
    if (((int64_t)reader->entries[0].words[1] == reader->tally->last) != (runs % 2 == 1)) {
        struct refrain_tally_entry second = reader->entries[0];
        reader->entries[0] = reader->entries[1];
        reader->entries[1] = second;
    }
}

bool refrain_tally_open(struct refrain_tally_reader *reader, const void *image, size_t image_bytes,
                        uint32_t reference) {
    memset(reader, 0, sizeof *reader);
    uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
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
        reader->has_other = i == tally->capacity;
    }
    divide_runs(reader);
    return true;
}

/* Part `k` of `n` of a total, rounded so that all parts add up to the total. */
static int64_t part_of(int64_t total, uint64_t k, uint64_t n) {
    if (total < 0)
        return total == INT64_MIN ? total / (int64_t)n : -part_of(-total, k, n);
    uint64_t rest = (uint64_t)total % n;
    return (int64_t)((uint64_t)total / n + (uint64_t)((unsigned __int128)(k + 1) * rest / n) -
                     (uint64_t)((unsigned __int128)k * rest / n));
}

static bool is_other(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry) {
    return reader->has_other && entry == &reader->entries[reader->n - 1];
}

/* Bit mask of the values that were merged in this entry. Where such a value is an amount, the entry has the total. */
static unsigned merged(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry) {
    return is_other(reader, entry) ? ~0u : reader->tally->dropped;
}

/* If communicators are merged, an entry has the oldest communicator with the same members. */
static bool fits_communicator(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                              int64_t known) {
    int64_t counted = (int64_t)entry->words[reader->tally->width];
    return counted == known || (reader->tally->dropped & COMMUNICATOR && reader->numbered &&
                                refrain_numbered_same_members(reader->numbered, (uint64_t)counted, (uint64_t)known));
}

static bool fits(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry, const int64_t *row,
                 unsigned known) {
    if (is_other(reader, entry))
        return known == 0;
    if (known & COMMUNICATOR && !fits_communicator(reader, entry, row[reader->tally->width - 1]))
        return false;
    known &= ~((unsigned)reader->tally->dropped | COMMUNICATOR);
    for (unsigned i = 0; i < reader->tally->width; i++)
        if (known >> i & 1 && (int64_t)entry->words[1 + i] != row[i])
            return false;
    return true;
}

/* Length of the next run of the entry. */
static uint64_t next_run(const struct refrain_tally_entry *entry) {
    uint64_t left = entry->count - entry->given, runs = entry->runs > entry->begun ? entry->runs - entry->begun : 1;
    return left / runs + (left % runs > 0);
}

static struct refrain_tally_entry *next_fitting(const struct refrain_tally_reader *reader, const int64_t *row,
                                                unsigned known) {
    struct refrain_tally_entry *best = reader->current;
    double best_due = 0;
    if (reader->run_left > 0 && best->given < best->count && fits(reader, best, row, known))
        return best;
    best = NULL;
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        if (entry->given >= entry->count)
            continue;
        double due = ((double)entry->given + 0.5 * (double)next_run(entry)) / (double)entry->count;
        if ((!best || due < best_due) && fits(reader, entry, row, known)) {
            best = entry;
            best_due = due;
        }
    }
    return best;
}

/* The entry to deliver next: the first due among those that fit the known values, else the entry for all others. If
 * neither is left, drops known values one by one, in the order in which the monitor merges them. So each partner is
 * delivered as often as it occurred. Null if no entry is left. */
static struct refrain_tally_entry *next_entry(const struct refrain_tally_reader *reader, const int64_t *row,
                                              unsigned known) {
    const unsigned weaker[] = {reader->tally->drop[0], reader->tally->drop[1], COMMUNICATOR, ~0u};
    struct refrain_tally_entry *entry = next_fitting(reader, row, known);
    struct refrain_tally_entry *other = reader->has_other ? &reader->entries[reader->n - 1] : NULL;
    if (!entry && other && other->given < other->count)
        return other;
    for (unsigned i = 0; !entry && known; i++)
        if (known & weaker[i])
            entry = next_fitting(reader, row, known &= ~weaker[i]);
    return entry;
}

bool refrain_tally_next(struct refrain_tally_reader *reader, int64_t *row, unsigned known) {
    struct refrain_tally_entry *entry = next_entry(reader, row, known);
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
    reader->gave_other = is_other(reader, entry);
    return true;
}

bool refrain_tally_peek(const struct refrain_tally_reader *reader, int64_t *row, unsigned known, unsigned i) {
    const struct refrain_tally_entry *entry = next_entry(reader, row, known);
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
