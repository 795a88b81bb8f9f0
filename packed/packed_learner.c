/* packed_learner.c: visits learners: their formulas and tallies (packer.h). */
#include "packer.h"

#include <refrain/group.h>

#define CODED_BY_BEAT REFRAIN_LEARNER_STATES /* written instead of a state */

static void items(struct refrain_packer *packer, struct refrain_item *all, unsigned n) {
    for (unsigned i = 0; i < n && !packer->stream->wrong; i++) {
        struct refrain_item *item = &all[i];
        bool repeats = item->kind == REFRAIN_ITEM_REPEAT;
        unsigned strides = 0;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            strides |= (unsigned)(item->stride[h] != 0) << h;
        uint64_t head =
            refrain_packer_value(packer, REFRAIN_PACKED_ITEM_HEAD,
                                 (uint64_t)item->kind | (uint64_t)item->height << 2 | (uint64_t)strides << 6);
        if (packer->to) {
            item->kind = head & 3;
            item->height = head >> 2 & 15;
            strides = (unsigned)(head >> 6) & ((1u << REFRAIN_LOOP_HEIGHTS) - 1);
            repeats = item->kind == REFRAIN_ITEM_REPEAT;
            item->span = 1;
        }
        if (item->kind == REFRAIN_ITEM_LOOP)
            REFRAIN_FIELD(packer, REFRAIN_PACKED_ITEM_SPAN, item->span);
        REFRAIN_SIGNED(packer, item->kind == REFRAIN_ITEM_LOOP ? REFRAIN_PACKED_LOOP : REFRAIN_PACKED_BASE, item->base);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (strides >> h & 1)
                REFRAIN_SIGNED(packer, repeats ? REFRAIN_PACKED_PLACE : REFRAIN_PACKED_STRIDE, item->stride[h]);
    }
}

static void repeat(struct refrain_packer *packer, struct refrain_formula *formula) {
    struct refrain_repeat *repeat =
        refrain_packer_reference(packer, &formula->repeat, sizeof *repeat, REFRAIN_PACKER_NONE);
    if (!repeat)
        return;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PLACE, repeat->first.chunk);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PLACE, repeat->first.at);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PLACE, repeat->end.chunk);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_PLACE, repeat->end.at);
}

static void formula(struct refrain_packer *packer, struct refrain_learner *learner) {
    uint64_t n = 0, n_values = 0;
    if (!packer->to && learner->body) {
        const struct refrain_formula *before =
            refrain_packer_trace_file_at(packer, (uint64_t)learner->body * REFRAIN_ALIGNMENT_BYTES, sizeof *before);
        n = before ? before->n_items : 0;
        n_values = before ? before->n_values : 0;
    }
    n = refrain_packer_value(packer, REFRAIN_PACKED_ITEMS, n);
    struct refrain_packer_elements terms = refrain_packer_bound(packer, n, sizeof(struct refrain_item), UINT16_MAX);
    n_values = refrain_packer_value(packer, REFRAIN_PACKED_ITEMS, n_values);
    struct refrain_packer_elements values =
        refrain_packer_bound(packer, n_values, sizeof(int64_t), REFRAIN_GROUP_VALUES);
    struct refrain_formula *formula =
        refrain_packer_reference(packer, &learner->body, sizeof *formula, values.n > 0 ? values : terms);
    if (!formula)
        return;
    if (packer->to) {
        formula->n_items = (uint16_t)terms.n;
        formula->n_values = (uint16_t)values.n;
    }
    items(packer, (struct refrain_item *)(formula + 1), values.n > 0 ? 0 : (unsigned)terms.n);
    for (uint64_t i = 0; i < values.n && !packer->stream->wrong; i++)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_BASE, ((int64_t *)(formula + 1))[i]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_HAS, formula->repeats);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CHUNK, formula->archived_terms);
    refrain_packer_archive(packer, formula, formula->repeats || learner->state == REFRAIN_REPEAT);
    if (learner->state == REFRAIN_REPEAT)
        repeat(packer, formula);
}

static void tally(struct refrain_packer *packer, uint32_t *reference) {
    struct refrain_tally shape = {0};
    if (!packer->to && *reference) {
        const struct refrain_tally *before =
            refrain_packer_trace_file_at(packer, (uint64_t)*reference * REFRAIN_ALIGNMENT_BYTES, sizeof shape);
        if (before)
            shape = *before;
    }
    uint64_t width = refrain_packer_value(packer, REFRAIN_PACKED_TALLY, shape.width);
    uint64_t capacity = refrain_packer_value(packer, REFRAIN_PACKED_TALLY, shape.capacity);
    width = refrain_packer_inside(packer, width, REFRAIN_TALLY_WIDTH).n;
    uint64_t entry_bytes = (1 + width) * sizeof(uint64_t);
    struct refrain_packer_elements entries = refrain_packer_bound(packer, capacity, entry_bytes, 1u << 20);
    entries =
        refrain_packer_bound(packer, entries.n + 1, entry_bytes, UINT32_MAX); /* one more entry for all other values */
    struct refrain_tally *tally = refrain_packer_reference(packer, reference, sizeof *tally, entries);
    if (!tally)
        return;
    if (packer->to) {
        tally->width = (uint8_t)width;
        tally->capacity = (uint32_t)(entries.n - 1);
    }
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->used);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->joint);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->amounts);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->drop[0]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->drop[1]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY, tally->dropped);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY_WORD, tally->count);
    REFRAIN_SIGNED(packer, REFRAIN_PACKED_TALLY_WORD, tally->last);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY_WORD, tally->runs);
    for (uint64_t i = 0; i < entries.n && !packer->stream->wrong; i++) {
        uint64_t *words = tally->words + i * (1 + width);
        REFRAIN_FIELD(packer, REFRAIN_PACKED_TALLY_WORD, words[0]);
        for (unsigned k = 1; words[0] && k <= width; k++)
            REFRAIN_SIGNED(packer, REFRAIN_PACKED_TALLY_WORD, words[k]);
    }
}

/* `until`, and `expect` of a learner that predicts by its formula, are not written: only the monitor needs them. */
void refrain_packer_learner(struct refrain_packer *packer, struct refrain_learner *learner) {
    static unsigned const known_kinds = 4;
    struct refrain_packed_stream *stream = packer->stream;
    struct refrain_beat beat;
    bool by_beat =
        !packer->to && stream->beat && stream->beat(stream, packer->from, packer->from_bytes, learner, &beat);
    uint64_t form = by_beat ? CODED_BY_BEAT : learner->state;
    uint64_t state =
        refrain_packer_value(packer, REFRAIN_PACKED_STATE, form * known_kinds + learner->kind % known_kinds);
    if (packer->to) {
        learner->state = (uint8_t)(state / known_kinds);
        learner->kind = (uint8_t)(state % known_kinds);
    }
    if (state / known_kinds == CODED_BY_BEAT) {
        refrain_packer_beat(packer, learner, by_beat ? &beat : NULL);
        return;
    }
    bool joint = learner->tally != 0; /* the first parameter of an operation may have one in any state */
    if (learner->state >= REFRAIN_LEARNER_STATES)
        refrain_packer_fail(packer, "a learner of unknown state");
    if (learner->state > REFRAIN_IDENTITY)
        formula(packer, learner);
    bool has_value = learner->state == REFRAIN_SUMMARY || !learner->body;
    if (learner->state != REFRAIN_EMPTY && has_value)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_EXPECT, learner->expect);
    if (learner->state != REFRAIN_EMPTY)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CONFIRMED, learner->confirmed);
    if (learner->state == REFRAIN_SUMMARY)
        REFRAIN_FIELD(packer, REFRAIN_PACKED_CONFIRMED, learner->stride);
    if (refrain_packer_value(packer, REFRAIN_PACKED_HAS, joint))
        tally(packer, &learner->tally);
    else if (learner->state == REFRAIN_SUMMARY)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_EXPECT, learner->last);
}
