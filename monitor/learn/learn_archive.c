/* learn_archive.c: writes terms to the archive as bytes, and reads them (learn_archive.h). */
#define _GNU_SOURCE
#include "learn_archive.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_anchors.h"
#include "learn_formula.h"
#include "learn_group.h"
#include "learn_journal.h"
#include "learn_scratch.h"
#include "learn_spare.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define FIRST_ARCHIVE_BYTES 48u
#define LARGEST_ARCHIVE_BYTES 4080u
#define VALUE_BYTES 11u /* most bytes of an archived value */
#define UNGROUPED_VALUES 1024u
#define LEAST_VALUES 8u      /* a group of fewer values is not worth its bytes */
#define LEFT_FOR_FORMULAS 2u /* replaced formulas of each size that archives leave for formulas of later places */

/* ---- terms to bytes ---- */

static unsigned put_signed(unsigned char *out, int64_t value) {
    return refrain_varint_put(out, refrain_zigzag(value));
}

/* True if the item is a value without strides, so that the short form has all of it. */
static bool is_value(const struct refrain_item *term) {
    int64_t strides = 0;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        strides |= term->stride[h];
    return term->kind == REFRAIN_ITEM_VALUE && term->height == 0 && strides == 0;
}

/* Writes a single value. Returns the number of bytes. */
static unsigned put_value(unsigned char *out, int64_t value) {
    if (REFRAIN_IS_SHORT(value)) {
        out[0] = (unsigned char)(REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST);
        return 1;
    }
    out[0] = 0;
    return 1 + put_signed(out + 1, value);
}

/* Writes a term as formula.h describes it. Returns the number of bytes. */
static unsigned encode(const struct refrain_item *term, unsigned char *out) {
    unsigned n = 0;
    for (unsigned i = 0; i < term->span; i++) {
        const struct refrain_item *item = &term[i];
        if (item->kind == REFRAIN_ITEM_REPEAT) {
            out[n++] = REFRAIN_ARCHIVED_REPEAT;
            n += refrain_varint_put(out + n, (uint64_t)item->base);
            for (unsigned j = 0; j < 4; j++)
                n += refrain_varint_put(out + n, (uint64_t)item->stride[j]);
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
            n += refrain_varint_put(out + n, item->span);
        n += put_signed(out + n, item->base);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (item->stride[h] != 0) {
                out[n++] = (unsigned char)h;
                n += put_signed(out + n, item->stride[h]);
            }
    }
    return n;
}

/* Makes a chunk of about `capacity` bytes, but at least `bytes`, at a higher reference than `before`. Its memory is
 * that of a formula that was replaced, or new memory of the pool. Null without memory. */
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
    if (!chunk)
        chunk = refrain_spare_take_bytes(context, sizeof *chunk + bytes, before, 0, &room);
    /* A term of many loops may need more than the usual largest chunk, and has to fit nevertheless. */
    unsigned most = bytes > LARGEST_ARCHIVE_BYTES ? bytes : LARGEST_ARCHIVE_BYTES;
    if (room > sizeof *chunk + most)
        room = sizeof *chunk + most;
    if (chunk)
        chunk->capacity = (uint16_t)(room - sizeof *chunk);
    return chunk;
}

/* Returns a chunk with room for `bytes` bytes: the last one, or a new one after it if that is full or `fresh`. Null
 * without memory. */
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

_Static_assert(sizeof(((struct refrain_learn_scratch *)0)->entries) >= REFRAIN_GROUP_VALUES * sizeof(int64_t) &&
                   sizeof(((struct refrain_learn_scratch *)0)->bytes) >= REFRAIN_GROUP_BYTES,
               "a group's values lie where a tally's entries do, and its bytes where those of a term do");

bool refrain_archive_takes_groups(const struct refrain_formula *formula) {
    const struct refrain_repeat *repeat = refrain_repeat_of(formula);
    uint64_t values = formula->repeat ? repeat->values : formula->archived_terms;
    return values >= UNGROUPED_VALUES;
}

/* A group that was written to the scratch memory. */
struct group {
    unsigned bytes; /* 0: no group is worth its bytes */
    unsigned taken; /* number of values in it */
    unsigned table; /* offset of the chunk's latest table after this group */
    bool fresh;     /* it needs a new chunk */
};

/* Writes a group of the first values, for the last chunk or, if it does not fit there, for a new one. */
static struct group make_group(struct refrain_context *context, const struct refrain_formula *formula,
                               const int64_t *values, unsigned n, unsigned alone) {
    const struct refrain_archive *last = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
    struct refrain_chunk_end chunk_end = {.room = LARGEST_ARCHIVE_BYTES};
    unsigned char *out = context->scratch->bytes;
    struct group group = {.fresh = !last};
    if (last)
        chunk_end =
            (struct refrain_chunk_end){last->bytes, last->used, formula->table, (unsigned)last->capacity - last->used};
    group.bytes = refrain_group_encode(values, n, alone, &chunk_end, out, &group.taken);
    if (last && group.bytes > (unsigned)last->capacity - last->used) {
        chunk_end = (struct refrain_chunk_end){.room = LARGEST_ARCHIVE_BYTES};
        group.bytes = refrain_group_encode(values, n, alone, &chunk_end, out, &group.taken);
        group.fresh = true;
    }
    group.table = chunk_end.table;
    return group;
}

/* Writes a group of the first terms that are values or expand to values. *span: number of their items. If no group is
 * worth its bytes, *span is the number of items that have to be written one by one. */
static struct group make_group_of_terms(struct refrain_context *context, const struct refrain_formula *formula,
                                        const struct refrain_item *items, unsigned n_items, unsigned *span) {
    int64_t *values = (int64_t *)context->scratch->entries;
    struct group group = {.bytes = 0};
    unsigned alone, n = 0, most = refrain_formula_most_values(formula);
    do {
        n = refrain_group_expand(items, n_items, most, values, span, &alone);
        if (n < LEAST_VALUES)
            group.bytes = 0;
        else
            group = make_group(context, formula, values, n, alone);
        most = group.taken;
    } while (group.bytes > 0 && group.taken < n); /* so that no term is in two groups */
    if (*span == 0)
        *span = items[0].span;
    return group;
}

/* Appends the bytes in the scratch memory to the archive. Returns the chunk; null without memory. */
static struct refrain_archive *append(struct refrain_context *context, struct refrain_formula *formula, unsigned bytes,
                                      enum refrain_pool_use use, bool fresh) {
    struct refrain_archive *chunk = archive_room(context, formula, bytes, use, fresh);
    if (chunk) {
        memcpy(chunk->bytes + chunk->used, context->scratch->bytes, bytes);
        chunk->used = (uint16_t)(chunk->used + bytes);
    }
    return chunk;
}

/* The end of an archive, for cutting off what is appended later. */
struct end {
    struct refrain_formula formula;
    unsigned used; /* bytes used in its last chunk */
};

static struct end end_of(const struct refrain_formula *formula) {
    const struct refrain_archive *last = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
    return (struct end){*formula, last ? last->used : 0};
}

/* Removes what has been appended since `end`. */
static void go_back_to(const struct end *end, struct refrain_formula *formula) {
    formula->archive_first = end->formula.archive_first;
    formula->archive_last = end->formula.archive_last;
    formula->archived_terms = end->formula.archived_terms;
    formula->table = end->formula.table;
    if (formula->archive_last)
        ((struct refrain_archive *)refrain_at_reference(formula->archive_last))->used = (uint16_t)end->used;
    refrain_anchors_forget(formula);
}

bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner, unsigned keep,
                             unsigned least) {
    if (refrain_learner_counts(learner))
        return false; /* an archive ends where values were counted first */
    enum refrain_pool_use use = refrain_learner_use(learner);
    refrain_journal_begin(context, learner, 0);
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    const struct end before = end_of(formula);
    unsigned moved = 0;
    refrain_anchors_make_room(formula, use);
    unsigned grouped = 0; /* items before this one cannot begin a group */
    while (formula->n_items - moved > keep) {
        struct group group = {.bytes = 0};
        unsigned span = 0;
        if (refrain_archive_takes_groups(formula) && moved >= grouped) {
            group = make_group_of_terms(context, formula, &items[moved], formula->n_items - moved - least, &span);
            grouped = moved + span;
        }
        struct refrain_archive *open = formula->archive_last ? refrain_at_reference(formula->archive_last) : NULL;
        if (group.bytes == 0 && open && (unsigned)open->capacity - open->used >= VALUE_BYTES &&
            is_value(&items[moved])) {
            open->used = (uint16_t)(open->used + put_value(open->bytes + open->used, items[moved].base));
            formula->archived_terms++;
            refrain_anchors_add(formula, &items[moved++], true, open->used);
            continue;
        }
        if (group.bytes == 0)
            span = items[moved].span;
        unsigned bytes = group.bytes ? group.bytes : encode(&items[moved], context->scratch->bytes);
        struct refrain_archive *chunk = append(context, formula, bytes, use, group.bytes && group.fresh);
        if (!chunk) {
            go_back_to(&before, formula);
            return false;
        }
        if (group.bytes)
            formula->table = (uint16_t)group.table;
        for (unsigned end = moved + span; moved < end; moved += items[moved].span) {
            formula->archived_terms++;
            refrain_anchors_add(formula, &items[moved], moved + items[moved].span == end, chunk->used);
        }
    }
    memmove(items, items + moved, (formula->n_items - moved) * sizeof *items);
    formula->n_items = (uint16_t)(formula->n_items - moved);
    return true;
}

bool refrain_archive_values(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    const int64_t *values = refrain_formula_values(formula);
    const struct end before = end_of(formula);
    refrain_journal_begin(context, learner, 0);
    for (unsigned done = 0; done < formula->n_values;) {
        struct group group = make_group(context, formula, values + done, formula->n_values - done, UINT32_MAX);
        struct refrain_archive *chunk =
            append(context, formula, group.bytes, refrain_learner_use(learner), group.fresh);
        if (!chunk) {
            go_back_to(&before, formula);
            return false;
        }
        formula->table = (uint16_t)group.table;
        formula->archived_terms += group.taken;
        done += group.taken;
    }
    refrain_commit();
    formula->n_values = 0;
    return true;
}

/* ---- bytes to terms ---- */

static uint64_t get_unsigned(const struct refrain_archive *chunk, uint32_t *at) {
    uint64_t number;
    refrain_varint_get(chunk->bytes, chunk->used, at, &number);
    return number;
}

/* A number that is mostly a single byte. */
static uint64_t get_small(const struct refrain_archive *chunk, uint32_t *at) {
    unsigned char byte = chunk->bytes[*at];
    if (byte >= 128)
        return get_unsigned(chunk, at);
    ++*at;
    return byte;
}

static int64_t get_signed(const struct refrain_archive *chunk, uint32_t *at) {
    return refrain_unzigzag(get_unsigned(chunk, at));
}

unsigned refrain_archive_read(struct refrain_archive_position *position, struct refrain_item *out) {
    const struct refrain_archive *chunk = refrain_at_reference(position->chunk);
    if (position->at >= chunk->used) {
        position->chunk = chunk->next;
        position->at = 0;
        chunk = refrain_at_reference(position->chunk);
    }
    unsigned first = chunk->bytes[position->at];
    if (REFRAIN_IS_GROUP(first))
        return refrain_group_decode(chunk->bytes, chunk->used, &position->at, (int64_t *)out);
    if (first == 0) { /* a single value, the most frequent term in repetitions */
        position->at++;
        *out = (struct refrain_item){.kind = REFRAIN_ITEM_VALUE, .span = 1, .base = get_signed(chunk, &position->at)};
        return 0;
    }
    unsigned n = 1;
    for (unsigned i = 0; i < n; i++) {
        unsigned char head = chunk->bytes[position->at++];
        struct refrain_item *item = &out[i];
        memset(item, 0, sizeof *item);
        item->span = 1;
        if (head == REFRAIN_ARCHIVED_REPEAT) {
            item->kind = REFRAIN_ITEM_REPEAT;
            item->base = (int64_t)get_unsigned(chunk, &position->at);
            for (unsigned j = 0; j < 4; j++)
                item->stride[j] = (int64_t)get_unsigned(chunk, &position->at);
            return 0;
        }
        if (REFRAIN_IS_SHORT_BYTE(head)) {
            item->base = head - REFRAIN_SHORT_FIRST + REFRAIN_SHORT_LEAST;
            continue;
        }
        item->kind = head >> 7;
        item->height = head >> 4 & 7;
        if (item->kind == REFRAIN_ITEM_LOOP)
            item->span = (uint16_t)get_small(chunk, &position->at);
        if (i == 0)
            n = item->span;
        item->base = refrain_unzigzag(get_small(chunk, &position->at));
        for (unsigned strides = head & 15; strides > 0; strides--) {
            unsigned height = chunk->bytes[position->at++];
            item->stride[height] = refrain_unzigzag(get_small(chunk, &position->at));
        }
    }
    return 0;
}
