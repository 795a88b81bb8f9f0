/* learn_memory.c: room for items, archive, summary, journal (learn_memory.h). */
#define _GNU_SOURCE
#include "learn_memory.h"
#include "learn.h"
#include "learn_group.h"
#include "learn_repeat.h"
#include "learn_spare.h"
#include "learn_tally.h"

#include <string.h>

#define FIRST_CAPACITY 4u
#define SHORT_ITEMS 8u /* formulas up to so many are sure of room for longest; of control flow up to ... */
#define SHORT_CONTROL_ITEMS 16u
#define FIRST_ARCHIVE_BYTES 48u
#define LARGEST_ARCHIVE_BYTES 4080u
#define VALUE_BYTES 11u /* most bytes of an archived value */
#define UNGROUPED_TERMS 1024u
#define LEFT_FOR_FORMULAS 2u        /* outgrown formulas of each size that archives leave to places which come later */
#define LARGEST_JOURNAL_TALLY 2048u /* a larger one is not kept: a kill in the middle may count twice what it gets */

static enum refrain_pool_use use_of(const struct refrain_learner *learner) {
    return learner->kind == REFRAIN_KIND_CONTROL || learner->kind == REFRAIN_KIND_LOOP ? REFRAIN_POOL_CONTROL
                                                                                       : REFRAIN_POOL_VALUES;
}

/* What memory a formula with room for so many items is taken from. */
static enum refrain_pool_use use_for_items(const struct refrain_learner *learner, unsigned items) {
    enum refrain_pool_use use = use_of(learner);
    return items <= (use == REFRAIN_POOL_CONTROL ? SHORT_CONTROL_ITEMS : SHORT_ITEMS) ? REFRAIN_POOL_SHORT : use;
}

/* ---- journal ---- */

size_t refrain_journal_bytes(void) {
    return sizeof(struct refrain_journal) + refrain_formula_bytes(REFRAIN_WINDOW_ITEMS) + LARGEST_JOURNAL_TALLY;
}

static struct refrain_item *journal_items(struct refrain_journal *journal) {
    return refrain_formula_items((struct refrain_formula *)journal->formula);
}

void refrain_journal_begin(struct refrain_context *context, struct refrain_learner *learner, unsigned first) {
    struct refrain_journal *journal = context->journal;
    if (journal->learner) {
        if (first < journal->first_item) {
            const struct refrain_item *items = refrain_formula_items(refrain_at_reference(learner->body));
            memcpy(journal_items(journal) + first, items + first, (journal->first_item - first) * sizeof *items);
            refrain_commit();
            journal->first_item = first;
            refrain_commit();
        }
        return;
    }
    journal->before = *learner;
    journal->formula_bytes = 0;
    journal->first_item = 0;
    journal->archive_last_used = 0;
    journal->tally_bytes = 0;
    if (learner->body) {
        struct refrain_formula *formula = refrain_at_reference(learner->body);
        unsigned n = formula->n_items;
        if (first > n)
            first = n;
        journal->formula_bytes = (uint32_t)refrain_formula_bytes(n);
        journal->first_item = first;
        memcpy(journal->formula, formula, sizeof *formula);
        memcpy(journal_items(journal) + first, refrain_formula_items(formula) + first,
               (n - first) * sizeof(struct refrain_item));
        if (formula->archive_last)
            journal->archive_last_used =
                ((const struct refrain_archive *)refrain_at_reference(formula->archive_last))->used;
    }
    learner->changes++;
    refrain_commit();
    journal->learner = (uint64_t)((const unsigned char *)learner - refrain_trace_file.base);
    refrain_commit();
}

void refrain_journal_tally(struct refrain_context *context, const struct refrain_learner *learner) {
    struct refrain_journal *journal = context->journal;
    if (journal->tally_bytes || !journal->before.tally)
        return;
    const struct refrain_tally *tally = refrain_at_reference(learner->tally);
    uint64_t bytes = refrain_tally_bytes(tally->width, tally->capacity);
    if (bytes > LARGEST_JOURNAL_TALLY)
        return;
    journal->tally_at = (uint32_t)refrain_formula_bytes(REFRAIN_WINDOW_ITEMS);
    memcpy(journal->formula + journal->tally_at, tally, bytes);
    refrain_commit();
    journal->tally_bytes = (uint32_t)bytes;
    refrain_commit();
}

void refrain_journal_end(struct refrain_context *context) {
    refrain_commit();
    if (!context->journal->learner)
        return;
    struct refrain_learner *learner = (struct refrain_learner *)(refrain_trace_file.base + context->journal->learner);
    context->journal->learner = 0;
    refrain_commit();
    learner->changes++;
    refrain_spare_settle(context, false);
}

void refrain_journal_undo(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_journal *journal = context->journal;
    if (!journal->learner)
        return;
    uint32_t changes = learner->changes;
    *learner = journal->before;
    learner->changes = changes;
    if (learner->body) {
        struct refrain_formula *formula = refrain_at_reference(learner->body);
        memcpy(formula, journal->formula, sizeof *formula);
        memcpy(refrain_formula_items(formula) + journal->first_item, journal_items(journal) + journal->first_item,
               (formula->n_items - journal->first_item) * sizeof(struct refrain_item));
        if (formula->archive_last)
            ((struct refrain_archive *)refrain_at_reference(formula->archive_last))->used =
                (uint16_t)journal->archive_last_used;
    }
    if (journal->tally_bytes)
        memcpy(refrain_at_reference(learner->tally), journal->formula + journal->tally_at, journal->tally_bytes);
    refrain_spare_settle(context, true);
    refrain_journal_end(context);
}

/* ---- archive ---- */

static unsigned put_unsigned(unsigned char *out, uint64_t value) {
    unsigned n = 0;
    for (; value >= 128; value >>= 7)
        out[n++] = (unsigned char)(value | 128);
    out[n++] = (unsigned char)value;
    return n;
}

static unsigned put_signed(unsigned char *out, int64_t value) {
    return put_unsigned(out, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

/* Is the term a single value? Strides of one that stands for itself are those of loops it was in. */
static bool is_value(const struct refrain_item *term) {
    int64_t strides = 0;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        strides |= term->stride[h];
    return term->kind == REFRAIN_ITEM_VALUE && term->height == 0 && strides == 0;
}

/* A value alone. */
static unsigned put_value(unsigned char *out, int64_t value) {
    if (REFRAIN_IS_SHORT(value)) {
        out[0] = (unsigned char)(REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST);
        return 1;
    }
    out[0] = 0;
    return 1 + put_signed(out + 1, value);
}

/* Writes a term in the archive's form; returns its bytes. */
static unsigned encode(const struct refrain_item *term, unsigned char *out) {
    unsigned n = 0;
    for (unsigned i = 0; i < term->span; i++) {
        const struct refrain_item *item = &term[i];
        if (item->kind == REFRAIN_ITEM_REPEAT) {
            out[n++] = REFRAIN_ARCHIVED_REPEAT;
            n += put_unsigned(out + n, (uint64_t)item->base);
            for (unsigned j = 0; j < 4; j++)
                n += put_unsigned(out + n, (uint64_t)item->stride[j]);
            continue;
        }
        if (is_value(item)) {
            n += put_value(out + n, item->base);
            continue;
        }
        unsigned strides = 0;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            strides += item->stride[h] != 0;
        out[n++] = (unsigned char)(item->kind << 7 | item->height << 4 | strides);
        if (item->kind == REFRAIN_ITEM_LOOP)
            n += put_unsigned(out + n, item->span);
        n += put_signed(out + n, item->base);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (item->stride[h] != 0) {
                out[n++] = (unsigned char)h;
                n += put_signed(out + n, item->stride[h]);
            }
    }
    return n;
}

/* Room for a chunk of about `capacity` bytes, behind the one before it: where a formula was that has been outgrown,
 * else from the pool. */
static struct refrain_archive *new_chunk(struct refrain_context *context, uint32_t before, unsigned bytes,
                                         unsigned capacity, enum refrain_pool_use use) {
    unsigned least = capacity / 2 > bytes ? capacity / 2 : bytes;
    size_t room;
    struct refrain_archive *chunk =
        refrain_spare_take_bytes(context, sizeof *chunk + least, before, LEFT_FOR_FORMULAS, &room);
    if (!chunk) {
        room = sizeof *chunk + (capacity + 7u) / 16u * 16u + 8u; /* a multiple of 16 */
        chunk = refrain_pool_take(room, use);
    }
    if (room > sizeof *chunk + LARGEST_ARCHIVE_BYTES)
        room = sizeof *chunk + LARGEST_ARCHIVE_BYTES;
    if (chunk)
        chunk->capacity = (uint16_t)(room - sizeof *chunk);
    return chunk;
}

/* A chunk with room for `bytes`, the last one or, if that has none or a `fresh` one is wanted, a new one after it. */
static struct refrain_archive *archive_room(struct refrain_context *context, struct refrain_formula *formula,
                                            unsigned bytes, enum refrain_pool_use use, bool fresh) {
    struct refrain_archive *last = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
    if (last && !fresh && (unsigned)last->capacity - last->used >= bytes)
        return last;
    unsigned capacity = last ? last->capacity * 2u + 8u : FIRST_ARCHIVE_BYTES - 8u;
    if (capacity > LARGEST_ARCHIVE_BYTES)
        capacity = LARGEST_ARCHIVE_BYTES;
    if (capacity < bytes)
        capacity = bytes;
    struct refrain_archive *chunk = new_chunk(context, formula->archive_last, bytes, capacity, use);
    if (!chunk)
        return NULL;
    uint32_t reference = refrain_reference(chunk);
    if (last)
        last->next = reference;
    else
        formula->archive_first = reference;
    formula->archive_last = reference;
    formula->table = 0;
    return chunk;
}

/* Values go to the archive in groups once a sequence has shown no rule for long: repetition of it is found between
 * groups only, and one value in them that is another the next time ends it. */
static bool takes_groups(const struct refrain_formula *formula) {
    return formula->archived_terms >= UNGROUPED_TERMS && !refrain_repeat_is_fruitful(formula);
}

/* A group in the scratch. */
struct group {
    unsigned bytes; /* 0: none is worth it */
    unsigned span;  /* items that are in it, or that are not worth it */
    unsigned table; /* of the chunk then */
    bool fresh;     /* it is for a new chunk */
};

/* Writes one of the terms from item `from` on: for the last chunk or, where it does not fit, a new one. */
static struct group make_group(struct refrain_context *context, const struct refrain_formula *formula,
                               const struct refrain_item *items, unsigned n_items) {
    const struct refrain_archive *last = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
    struct refrain_group_place place = {.room = LARGEST_ARCHIVE_BYTES};
    struct group group = {.fresh = !last};
    unsigned most = formula->capacity;
    if (last)
        place = (struct refrain_group_place){last->bytes, last->used, formula->table,
                                             (unsigned)last->capacity - last->used};
    group.bytes = refrain_group_encode(items, n_items, most, &place, context->scratch, &group.span);
    if (last && group.bytes > (unsigned)last->capacity - last->used) {
        place = (struct refrain_group_place){.room = LARGEST_ARCHIVE_BYTES};
        group.bytes = refrain_group_encode(items, n_items, most, &place, context->scratch, &group.span);
        group.fresh = true;
    }
    group.table = place.table;
    return group;
}

bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner, unsigned keep,
                             unsigned least) {
    if (refrain_learner_counts(learner))
        return false; /* the archive is what came before all that is counted */
    enum refrain_pool_use use = use_of(learner);
    refrain_journal_begin(context, learner, 0);
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    const struct refrain_formula before = *formula;
    struct refrain_archive *last = before.archive_last ? refrain_at_reference(before.archive_last) : NULL;
    unsigned moved = 0, last_used = last ? last->used : 0;
    refrain_repeat_make_room(formula, use);
    unsigned grouped = 0; /* items up to there make no group */
    while (formula->n_items - moved > keep) {
        struct group group = {.bytes = 0};
        if (takes_groups(formula) && moved >= grouped) {
            group = make_group(context, formula, &items[moved], formula->n_items - moved - least);
            grouped = moved + group.span;
        }
        struct refrain_archive *open = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
        if (group.bytes == 0 && open && (unsigned)open->capacity - open->used >= VALUE_BYTES &&
            is_value(&items[moved])) {
            open->used = (uint16_t)(open->used + put_value(open->bytes + open->used, items[moved].base));
            formula->archived_terms++;
            refrain_repeat_archived(formula, &items[moved++], true, open->used);
            continue;
        }
        unsigned span = group.bytes ? group.span : items[moved].span;
        unsigned bytes = group.bytes ? group.bytes : encode(&items[moved], context->scratch->bytes);
        struct refrain_archive *chunk = archive_room(context, formula, bytes, use, group.bytes && group.fresh);
        if (!chunk) {
            formula->archive_first = before.archive_first;
            formula->archive_last = before.archive_last;
            formula->archived_terms = before.archived_terms;
            formula->table = before.table;
            if (last)
                last->used = (uint16_t)last_used;
            refrain_repeat_forget(formula);
            return false;
        }
        memcpy(chunk->bytes + chunk->used, context->scratch->bytes, bytes);
        chunk->used = (uint16_t)(chunk->used + bytes);
        if (group.bytes)
            formula->table = (uint8_t)group.table;
        for (unsigned end = moved + span; moved < end; moved += items[moved].span) {
            formula->archived_terms++;
            refrain_repeat_archived(formula, &items[moved], moved + items[moved].span == end, chunk->used);
        }
    }
    memmove(items, items + moved, (formula->n_items - moved) * sizeof *items);
    formula->n_items = (uint16_t)(formula->n_items - moved);
    return true;
}

/* ---- items ---- */

bool refrain_formula_create(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula =
        refrain_spare_take(context, FIRST_CAPACITY, use_for_items(learner, FIRST_CAPACITY));
    if (!formula)
        return false;
    refrain_commit();
    learner->body = refrain_reference(formula);
    return true;
}

/* The oldest terms go to the archive, or are counted where there is no memory for one. */
static bool give_way(struct refrain_context *context, struct refrain_learner *learner, unsigned keep) {
    if (refrain_formula_archive(context, learner, keep, keep / 16))
        return true;
    if (learner->kind == REFRAIN_KIND_PARAMETER)
        return false;
    refrain_journal_begin(context, learner, 0);
    return refrain_tally_terms(context, learner, keep);
}

struct refrain_formula *refrain_formula_room(struct refrain_context *context, struct refrain_learner *learner,
                                             unsigned span) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    while (formula->n_items + span > formula->capacity) {
        unsigned capacity = formula->capacity * 2u;
        if (capacity > context->formula_length)
            capacity = context->formula_length;
        struct refrain_formula *larger = capacity > formula->capacity
                                             ? refrain_spare_take(context, capacity, use_for_items(learner, capacity))
                                             : NULL;
        if (larger) {
            refrain_journal_begin(context, learner, UINT32_MAX);
            capacity = larger->capacity;
            memcpy(larger, formula, refrain_formula_bytes(formula->n_items));
            larger->capacity = (uint16_t)capacity;
            refrain_commit();
            learner->body = refrain_reference(larger);
            refrain_spare_give(context, formula);
            formula = larger;
        } else if (formula->n_items == 0 || !give_way(context, learner, formula->capacity / 2u)) {
            return NULL;
        }
    }
    return formula;
}

/* ---- summary ---- */

void refrain_summary_begin(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    static const struct refrain_row values = {.width = 1}, counts = {.width = 1, .amounts = 1};
    refrain_lose(REFRAIN_LOSS_LEARNERS, 1);
    refrain_journal_begin(context, learner, UINT32_MAX);
    learner->stride = 0;
    learner->until = learner->confirmed;
    if (learner->kind != REFRAIN_KIND_PARAMETER)
        learner->tally = refrain_tally_make(learner->kind == REFRAIN_KIND_LOOP ? &counts : &values, false);
    learner->state = REFRAIN_SUMMARY;
    refrain_journal_end(context);
    refrain_summary_add(context, learner, value);
}

void refrain_summary_add(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    refrain_lose(REFRAIN_LOSS_SUMMARY_VALUES, 1);
    learner->stride++;
    if (learner->kind != REFRAIN_KIND_PARAMETER && learner->tally)
        refrain_tally_add(context, &learner->tally, &value, 1);
}
