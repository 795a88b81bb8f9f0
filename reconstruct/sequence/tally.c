/* tally.c: gives the rows of a tally evenly spread (tally.h). */
#include "tally.h"
#include "arena.h"

#include <string.h>

#define MOST_ENTRIES ((uint32_t)1 << 20)
#define COMMUNICATOR 8u /* bit of the last of four values: where it is dropped, the oldest of the same members */

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

/* Bits: values that stand for several in this entry; of the amounts among them it has the total. */
static unsigned merged(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry) {
    return reader->has_rest && entry == &reader->entries[reader->n - 1] ? ~0u : reader->tally->dropped;
}

/* `told`: bits of values that tell merged rows apart, too. */
static bool goes_with(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                      const int64_t *row, unsigned known, unsigned told) {
    known &= ~merged(reader, entry) | told;
    for (unsigned i = 0; i < reader->tally->width; i++)
        if (known >> i & 1 && (int64_t)entry->words[1 + i] != row[i])
            return false;
    return true;
}

static struct refrain_tally_entry *due_first(const struct refrain_tally_reader *reader, const int64_t *row,
                                             unsigned known, unsigned told) {
    struct refrain_tally_entry *best = NULL;
    double best_due = 0;
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        if (entry->given >= entry->count)
            continue;
        double due = ((double)entry->given + 0.5) / (double)entry->count;
        if ((!best || due < best_due) && goes_with(reader, entry, row, known, told)) {
            best = entry;
            best_due = due;
        }
    }
    return best;
}

/* The entry that is due first, of those that go with what is known, or else of all; null when none is left. Where
 * communicators are counted as the oldest of theirs, those of this very one come before those of any. */
static struct refrain_tally_entry *due(const struct refrain_tally_reader *reader, const int64_t *row, unsigned known) {
    struct refrain_tally_entry *entry = due_first(reader, row, known, COMMUNICATOR);
    if (!entry)
        entry = due_first(reader, row, known, 0);
    return entry || !known ? entry : due_first(reader, row, 0, 0);
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
    entry->given++;
    reader->left--;
    reader->gave_rest = reader->has_rest && entry == &reader->entries[reader->n - 1];
    return true;
}

bool refrain_tally_peek(const struct refrain_tally_reader *reader, int64_t *row, unsigned known, unsigned i) {
    const struct refrain_tally_entry *entry = due(reader, row, known);
    if (entry)
        row[i] = (int64_t)entry->words[1 + i];
    return entry != NULL;
}

bool refrain_tally_take(struct refrain_tally_reader *reader, int64_t value) {
    for (size_t i = 0; i < reader->n; i++) {
        struct refrain_tally_entry *entry = &reader->entries[i];
        if (entry->given < entry->count && (int64_t)entry->words[1] == value) {
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
