/* terms.c: reads the terms of a learner and checks them (terms.h). */
#include "sequence/terms.h"
#include "common/arena.h"
#include "packed/archive_bytes.h"

#include <string.h>

bool refrain_terms_damaged(struct refrain_terms *terms, uint64_t offset, const char *what) {
    if (!terms->wrong) {
        terms->wrong = what;
        terms->wrong_offset = offset;
    }
    return false;
}

const void *refrain_terms_at(struct refrain_terms *terms, uint32_t reference, size_t bytes) {
    uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    if (offset < REFRAIN_HEADER_BYTES || offset + bytes > terms->image_bytes) {
        refrain_terms_damaged(terms, offset, "a reference leads out of the image");
        return NULL;
    }
    return terms->image + offset;
}

/* True if the loops of the term are nested, with heights that decrease inwards. */
static bool term_is_sound(struct refrain_terms *terms, const struct refrain_item *term, unsigned available,
                          uint64_t offset) {
    unsigned end[REFRAIN_LOOP_HEIGHTS + 1], height[REFRAIN_LOOP_HEIGHTS + 1], depth = 0;
    if (term->kind == REFRAIN_ITEM_REPEAT && term->span == 1)
        return true;
    if (term->span == 0 || term->span > available || term->span > REFRAIN_SEQUENCE_TERM_ITEMS)
        return refrain_terms_damaged(terms, offset, "a term's span is impossible");
    end[0] = term->span;
    height[0] = REFRAIN_LOOP_HEIGHTS;
    for (unsigned i = 0; i < term->span; i++) {
        while (depth > 0 && i == end[depth])
            depth--;
        const struct refrain_item *item = &term[i];
        if (item->kind == REFRAIN_ITEM_VALUE) {
            if (item->span != 1)
                return refrain_terms_damaged(terms, offset, "a value spans more than itself");
        } else if (item->kind == REFRAIN_ITEM_LOOP) {
            if (item->span < 2 || i + item->span > end[depth] || item->height >= height[depth])
                return refrain_terms_damaged(terms, offset, "a loop does not lie within the one around it");
            depth++;
            end[depth] = i + item->span;
            height[depth] = item->height;
        } else {
            return refrain_terms_damaged(terms, offset, "an item of unknown kind");
        }
    }
    return true;
}

void refrain_terms_open(struct refrain_terms *terms, const void *image, size_t image_bytes,
                        const struct refrain_learner *learner) {
    memset(terms, 0, sizeof *terms);
    terms->image = image;
    terms->image_bytes = image_bytes;
    if (learner->state < REFRAIN_PREDICT || !learner->body)
        return;
    const struct refrain_formula *formula = refrain_terms_at(terms, learner->body, sizeof *formula);
    if (!formula)
        return;
    if (!refrain_terms_at(terms, learner->body, sizeof *formula + formula->n_items * sizeof(struct refrain_item)))
        return;
    if (formula->n_values > 0 &&
        (formula->n_items > 0 || formula->n_values > REFRAIN_GROUP_VALUES ||
         !refrain_terms_at(terms, learner->body, sizeof *formula + formula->n_values * sizeof(int64_t)))) {
        refrain_terms_damaged(terms, (uint64_t)learner->body * REFRAIN_ALIGNMENT_BYTES,
                              "plain values that cannot be any");
        return;
    }
    terms->formula = formula;
    terms->items = (const struct refrain_item *)(formula + 1);
    terms->n_items = formula->n_items;
    terms->n_values = formula->n_values;
    terms->archived.chunk = formula->archive_first;
}

/* Allocates room for a term that is not in the image. */
static bool has_room(struct refrain_terms *terms, uint64_t offset) {
    if (!terms->decoded)
        terms->decoded = refrain_calloc(1, REFRAIN_SEQUENCE_TERM_ITEMS * sizeof *terms->decoded);
    return terms->decoded || refrain_terms_damaged(terms, offset, "no memory to read it");
}

/* Makes a term of values. */
static unsigned term_of(struct refrain_terms *terms, const int64_t *values, unsigned n) {
    _Static_assert(REFRAIN_GROUP_ITEMS <= REFRAIN_SEQUENCE_TERM_ITEMS, "a group is a term");
    return n ? refrain_group_term(values, n, terms->decoded) : 0;
}

const struct refrain_item *refrain_terms_archived(struct refrain_terms *terms,
                                                  struct refrain_archive_position *position) {
    while (position->chunk) {
        uint64_t offset = (uint64_t)position->chunk * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_archive *chunk = refrain_terms_at(terms, position->chunk, sizeof *chunk);
        if (!chunk || !refrain_terms_at(terms, position->chunk, sizeof *chunk + chunk->used))
            return NULL;
        if (position->at >= chunk->used) {
            uint32_t next = position->chunk == terms->formula->archive_last ? 0 : chunk->next;
            if (next && next <= position->chunk) { /* references of chunks must increase */
                refrain_terms_damaged(terms, offset, "archive chunks run backwards");
                return NULL;
            }
            position->chunk = next;
            position->at = 0;
            continue;
        }
        if (!has_room(terms, offset))
            return NULL;
        int64_t values[REFRAIN_GROUP_VALUES];
        struct refrain_archive_source source = {.bytes = chunk->bytes, .end = chunk->used, .at = position->at};
        bool group = REFRAIN_IS_GROUP(chunk->bytes[source.at]);
        unsigned n = group ? term_of(terms, values, refrain_group_decode(chunk->bytes, chunk->used, &source.at, values))
                           : refrain_archive_get_term(&source, terms->decoded, REFRAIN_SEQUENCE_TERM_ITEMS);
        if (n == 0) {
            refrain_terms_damaged(terms, offset,
                                  group ? "an archived group is cut off" : "an archived term is cut off");
            return NULL;
        }
        position->at = source.at;
        return term_is_sound(terms, terms->decoded, n, offset) ? terms->decoded : NULL;
    }
    return NULL;
}

const struct refrain_item *refrain_terms_next(struct refrain_terms *terms, bool *last) {
    if (last)
        *last = false;
    if (!terms->formula || terms->wrong)
        return NULL;
    if (terms->archived.chunk) {
        const struct refrain_item *term = refrain_terms_archived(terms, &terms->archived);
        if (term || terms->wrong)
            return term;
    }
    if (terms->n_values > 0) {
        if (!has_room(terms, (uint64_t)((const unsigned char *)terms->items - terms->image)))
            return NULL;
        term_of(terms, (const int64_t *)terms->items, terms->n_values);
        terms->n_values = 0;
        return terms->decoded;
    }
    if (terms->at >= terms->n_items)
        return NULL;
    const struct refrain_item *term = &terms->items[terms->at];
    uint64_t offset = (uint64_t)((const unsigned char *)term - terms->image);
    if (!term_is_sound(terms, term, terms->n_items - terms->at, offset))
        return NULL;
    terms->at += term->span;
    if (last)
        *last = terms->at == terms->n_items;
    return term;
}

void refrain_terms_close(struct refrain_terms *terms) {
    refrain_free(terms->decoded);
    terms->decoded = NULL;
}
