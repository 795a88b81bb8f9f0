/* packed_beat.c: visits a sequence that is written by its beat (packed_stream.h). When it is read, it becomes an
 * archive of terms (packer.h). */
#include "archive_bytes.h"
#include "packer.h"

#include <string.h>

#define MOST_TERM_ITEMS 1000u /* of a term that is written; readers accept some more */
#define LOOP_BYTES (1 + 2 + REFRAIN_VARINT_BYTES)
#define VALUE_BYTES (1 + REFRAIN_VARINT_BYTES)

/* Destination of the terms. When writing, `chunk` is null. */
struct terms {
    struct refrain_packer *packer;
    const struct refrain_beat *beat;
    struct refrain_archive *chunk;
    unsigned items; /* of all terms: number of items, except the head of a loop */
    uint64_t n;     /* number of terms */
};

static void put_beats(struct terms *terms, uint64_t beats) {
    unsigned width = (unsigned)terms->beat->width;
    if (!terms->chunk || beats == 0)
        return;
    if (beats > 1)
        refrain_archive_put_loop(terms->chunk, 0, 1 + width, beats);
    for (unsigned i = 0; i < width; i++)
        refrain_archive_put_value(terms->chunk, terms->beat->word[i]);
    terms->items += (beats > 1) + width;
    terms->n += beats > 1 ? 1 : width;
}

static void steps(struct terms *terms, const struct refrain_beat_step *all, uint64_t n) {
    for (uint64_t i = 0; i < n && !terms->packer->stream->wrong; i++) {
        struct refrain_beat_step step = {0};
        if (all)
            step = all[i];
        REFRAIN_FIELD(terms->packer, REFRAIN_PACKED_CONFIRMED, step.beats);
        REFRAIN_SIGNED(terms->packer, REFRAIN_PACKED_BASE, step.value);
        if (!terms->chunk || terms->packer->stream->wrong)
            continue;
        put_beats(terms, step.beats);
        refrain_archive_put_value(terms->chunk, step.value);
        terms->items++;
        terms->n++;
    }
}

/* The repeated steps become one term. Its head is inserted when the size of its body is known. */
static void rounds(struct terms *terms, const struct refrain_beat_step *all) {
    uint64_t terms_before = terms->n;
    unsigned items_before = terms->items, at = terms->chunk ? terms->chunk->used : 0;
    steps(terms, all, terms->beat->period);
    if (!terms->chunk || terms->beat->period == 0)
        return;
    struct refrain_archive *chunk = terms->chunk;
    unsigned body = chunk->used - at;
    memmove(chunk->bytes + at + LOOP_BYTES, chunk->bytes + at, body);
    chunk->used = (uint16_t)at;
    refrain_archive_put_loop(chunk, 1, 1 + terms->items - items_before, terms->beat->rounds);
    memmove(chunk->bytes + chunk->used, chunk->bytes + at + LOOP_BYTES, body);
    chunk->used = (uint16_t)(chunk->used + body);
    terms->n = terms_before + 1;
}

/* Upper bound of the bytes of the terms. */
static uint64_t most_bytes(const struct refrain_beat *beat) {
    uint64_t a_step = LOOP_BYTES + (beat->width + 1) * VALUE_BYTES;
    return (beat->before + beat->period + beat->after + 1) * a_step + LOOP_BYTES;
}

bool refrain_beat_is_possible(const struct refrain_beat *beat) {
    return beat->width >= 1 && beat->width <= REFRAIN_BEAT_WIDTH && beat->before <= REFRAIN_BEAT_STEPS &&
           beat->period <= REFRAIN_BEAT_STEPS && beat->after <= REFRAIN_BEAT_STEPS &&
           1 + beat->period * (2 + beat->width) <= MOST_TERM_ITEMS && beat->rounds <= INT64_MAX &&
           most_bytes(beat) <= UINT16_MAX;
}

void refrain_packer_beat(struct refrain_packer *packer, struct refrain_learner *learner,
                         const struct refrain_beat *written) {
    struct refrain_beat beat = {0};
    if (written)
        beat = *written;
    REFRAIN_FIELD(packer, REFRAIN_PACKED_ITEMS, beat.width);
    for (uint64_t i = 0; i < beat.width && i < REFRAIN_BEAT_WIDTH; i++)
        REFRAIN_SIGNED(packer, REFRAIN_PACKED_BASE, beat.word[i]);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_ITEMS, beat.before);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_ITEMS, beat.period);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_ITEMS, beat.after);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_LOOP, beat.rounds);
    if (packer->stream->wrong)
        return;
    if (!refrain_beat_is_possible(&beat)) {
        refrain_packer_fail(packer, "a sequence has a beat that cannot be");
        return;
    }
    struct terms terms = {.packer = packer, .beat = &beat};
    uint64_t at_formula, at_chunk;
    struct refrain_packer_elements room = refrain_packer_bound(packer, most_bytes(&beat), 1, UINT16_MAX);
    if (!refrain_packer_room(packer, sizeof(struct refrain_formula), REFRAIN_PACKER_NONE, &at_formula) ||
        !refrain_packer_room(packer, sizeof(struct refrain_archive), room, &at_chunk))
        return;
    if (packer->to)
        terms.chunk = (struct refrain_archive *)(void *)(packer->to + at_chunk);
    steps(&terms, beat.steps, beat.before);
    rounds(&terms, beat.steps ? beat.steps + beat.before : NULL);
    steps(&terms, beat.steps ? beat.steps + beat.before + beat.period : NULL, beat.after);
    REFRAIN_FIELD(packer, REFRAIN_PACKED_CONFIRMED, beat.last);
    if (!terms.chunk || packer->stream->wrong)
        return;
    put_beats(&terms, beat.last);
    terms.chunk->capacity = terms.chunk->used;
    struct refrain_formula *formula = (struct refrain_formula *)(void *)(packer->to + at_formula);
    formula->archive_first = formula->archive_last = (uint32_t)(at_chunk / REFRAIN_ALIGNMENT_BYTES);
    formula->archived_terms = terms.n;
    learner->state = REFRAIN_BUILD;
    learner->body = (uint32_t)(at_formula / REFRAIN_ALIGNMENT_BYTES);
}
