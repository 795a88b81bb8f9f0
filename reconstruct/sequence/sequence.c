/* sequence.c: expands the terms of a learner into values (sequence.h). */
#include "sequence/sequence.h"
#include "common/arena.h"
#include "packed/archive_bytes.h"
#include <refrain/amounts.h>

#include <string.h>

#define MOST_STEPS ((uint64_t)1 << 28) /* steps without a value, or to count a term: no sound trace needs so many */

/* ---- counting ---- */

/* Number of values of the item at `i`, with these counters of the enclosing loops. If the counts inside a loop do
 * not depend on it, multiplies. */
static uint64_t count_item(const struct refrain_item *items, unsigned i, uint64_t *counter, uint64_t *steps) {
    const struct refrain_item *item = &items[i];
    if (item->kind == REFRAIN_ITEM_VALUE)
        return 1;
    if (item->kind == REFRAIN_ITEM_REPEAT)
        return (uint64_t)item->base;
    uint64_t iterations = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        iterations += (uint64_t)item->stride[h] * counter[h];
    if ((int64_t)iterations <= 0)
        return 0;
    bool depends = false;
    for (unsigned j = i + 1; j < i + item->span; j++)
        depends |= items[j].kind == REFRAIN_ITEM_LOOP && items[j].stride[item->height] != 0;
    uint64_t total = 0;
    for (uint64_t k = 0; k < (depends ? iterations : 1); k++) {
        counter[item->height] = k;
        if ((*steps)++ > MOST_STEPS)
            return UINT64_MAX;
        uint64_t body = 0;
        for (unsigned j = i + 1; j < i + item->span; j += items[j].span)
            body = refrain_sum(body, count_item(items, j, counter, steps));
        total = refrain_sum(total, body);
        if (total == UINT64_MAX)
            break;
    }
    counter[item->height] = 0;
    if (!depends)
        total = total && iterations > UINT64_MAX / total ? UINT64_MAX : total * iterations;
    return total;
}

uint64_t refrain_term_values(const struct refrain_item *term) {
    uint64_t counter[REFRAIN_LOOP_HEIGHTS] = {0}, steps = 0;
    return count_item(term, 0, counter, &steps);
}

uint32_t refrain_learner_tally(const void *image, size_t image_bytes, const struct refrain_learner *learner) {
    struct refrain_terms terms = {.image = image, .image_bytes = image_bytes};
    const struct refrain_tally *tally = learner->tally ? refrain_terms_at(&terms, learner->tally, sizeof *tally) : NULL;
    return tally && !tally->joint ? learner->tally : 0;
}

/* Number of values of the learner that are only in a tally, its own or a joint one. */
static uint64_t counted_values(const void *image, size_t image_bytes, const struct refrain_learner *learner) {
    if (learner->state == REFRAIN_SUMMARY)
        return (uint64_t)learner->stride;
    struct refrain_tally_reader reader;
    uint32_t tally = refrain_learner_tally(image, image_bytes, learner);
    if (!tally || !refrain_tally_open(&reader, image, image_bytes, tally))
        return 0;
    uint64_t n = reader.left;
    refrain_tally_close(&reader);
    return n;
}

uint64_t refrain_learner_values(const void *image, size_t image_bytes, const struct refrain_learner *learner,
                                uint64_t *kept) {
    uint64_t n = 0;
    struct refrain_terms terms;
    refrain_terms_open(&terms, image, image_bytes, learner);
    const struct refrain_item *term;
    while ((term = refrain_terms_next(&terms, NULL)))
        n = refrain_sum(n, refrain_term_values(term));
    if (learner->state != REFRAIN_EMPTY)
        n = refrain_sum(n, learner->confirmed);
    if (kept)
        *kept = n;
    refrain_terms_close(&terms);
    return refrain_sum(n, counted_values(image, image_bytes, learner));
}

/* ---- values ---- */

void refrain_sequence_open(struct refrain_sequence *sequence, const void *image, size_t image_bytes,
                           const struct refrain_learner *learner) {
    memset(sequence, 0, sizeof *sequence);
    sequence->learner = learner;
    refrain_terms_open(&sequence->terms, image, image_bytes, learner);
    sequence->innermost = REFRAIN_LOOP_HEIGHTS;
    sequence->stage = learner->state == REFRAIN_EMPTY ? REFRAIN_STAGE_END
                      : sequence->terms.formula       ? REFRAIN_STAGE_TERMS
                                                      : REFRAIN_STAGE_IDENTITY;
}

static int64_t evaluate(const struct refrain_sequence *sequence, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    if (sequence->flat)
        return item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * sequence->loops[h].counter;
    return (int64_t)value;
}

static void enter_loop(struct refrain_sequence *sequence, unsigned item, uint64_t counter, uint64_t limit) {
    unsigned height = sequence->term[item].height;
    sequence->loops[height] = (struct refrain_open_loop){counter, limit, item, sequence->innermost};
    sequence->innermost = height;
    sequence->position = item + 1;
}

/* Starts the next run of the term. False if the term has none left. */
static bool next_run_of_term(struct refrain_sequence *sequence) {
    bool fruitless = false;
    for (uint64_t steps = 0;; steps++) {
        if (steps > MOST_STEPS)
            return refrain_terms_damaged(&sequence->terms, 0, "a formula goes on without giving a value");
        const struct refrain_item *loop = NULL;
        struct refrain_open_loop *within = NULL;
        if (sequence->innermost < REFRAIN_LOOP_HEIGHTS) {
            within = &sequence->loops[sequence->innermost];
            loop = &sequence->term[within->item];
            if (sequence->position == within->item + loop->span) {
                within->counter++;
                if (within->counter < within->limit) {
                    sequence->position = within->item + 1;
                    if (within->outer == REFRAIN_LOOP_HEIGHTS) {
                        if (fruitless && within->limit == UINT64_MAX)
                            return false;
                        fruitless = true;
                    }
                } else {
                    within->counter = 0;
                    sequence->innermost = within->outer;
                }
                continue;
            }
        } else if (sequence->position == sequence->term->span) {
            return false;
        }
        const struct refrain_item *item = &sequence->term[sequence->position];
        int64_t value = evaluate(sequence, item);
        if (item->kind == REFRAIN_ITEM_LOOP) {
            if (value <= 0)
                sequence->position += item->span;
            else
                enter_loop(sequence, sequence->position, 0, (uint64_t)value);
            continue;
        }
        sequence->value = value;
        if (loop && loop->span == 2) {
            sequence->stride = item->stride[loop->height];
            sequence->run = within->limit - within->counter;
            within->counter = within->limit - 1;
        } else {
            sequence->stride = 0;
            sequence->run = 1;
        }
        sequence->position++;
        return true;
    }
}

/* Called after a single value of a term without strides. Returns how many single values follow it in the same loop,
 * at most `most`. They are then returned without a look at the loops. */
static uint64_t begin_row(struct refrain_sequence *sequence, uint64_t most) {
    if (!sequence->flat || sequence->run != 1 || sequence->innermost == REFRAIN_LOOP_HEIGHTS)
        return 0;
    unsigned loop = sequence->loops[sequence->innermost].item, end = loop + sequence->term[loop].span, n = 0;
    while (n < most && sequence->position + n < end &&
           sequence->term[sequence->position + n].kind == REFRAIN_ITEM_VALUE)
        n++;
    return sequence->row = n;
}

/* ---- repeating the archive ---- */

static bool same_position(struct refrain_archive_position a, struct refrain_archive_position b) {
    return a.chunk == b.chunk && a.at == b.at;
}

/* Starts a repetition of `values` values between two positions of the archive. No learner nests deeper than
 * REFRAIN_REPEAT_DEPTH, so more is damage. */
static bool enter_repeat(struct refrain_sequence *sequence, struct refrain_archive_position first,
                         struct refrain_archive_position end, uint64_t values) {
    struct refrain_terms *terms = &sequence->terms;
    uint64_t offset = (uint64_t)first.chunk * REFRAIN_ALIGNMENT_BYTES;
    if (sequence->depth == REFRAIN_REPEAT_DEPTH)
        return refrain_terms_damaged(terms, offset, "repetitions lie too deep in each other");
    sequence->frame[sequence->depth++] = (struct refrain_repeat_frame){first, first, end, values};
    return true;
}

static bool enter_repeat_term(struct refrain_sequence *sequence, const struct refrain_item *term) {
    return enter_repeat(
        sequence, (struct refrain_archive_position){(uint32_t)term->stride[0], (uint32_t)term->stride[1]},
        (struct refrain_archive_position){(uint32_t)term->stride[2], (uint32_t)term->stride[3]}, (uint64_t)term->base);
}

static bool is_flat(const struct refrain_item *term) {
    for (unsigned i = 0; i < term->span; i++)
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (term[i].stride[h])
                return false;
    return true;
}

static void begin_term(struct refrain_sequence *sequence, const struct refrain_item *term) {
    sequence->term = term;
    sequence->flat = term->span > 1 && is_flat(term);
    sequence->position = 0;
    sequence->innermost = REFRAIN_LOOP_HEIGHTS;
}

/* Starts the next run of the current repetitions. False if none is left. */
static bool next_run_of_repeat(struct refrain_sequence *sequence) {
    struct refrain_terms *terms = &sequence->terms;
    while (sequence->depth > 0) {
        struct refrain_repeat_frame *frame = &sequence->frame[sequence->depth - 1];
        if (frame->left == 0) {
            sequence->depth--;
            sequence->term = NULL;
            continue;
        }
        if (sequence->term && next_run_of_term(sequence)) {
            for (unsigned d = 0; d < sequence->depth; d++)
                if (sequence->run > sequence->frame[d].left)
                    sequence->run = sequence->frame[d].left;
            for (unsigned d = 0; d < sequence->depth; d++)
                sequence->frame[d].left -= sequence->run;
            for (unsigned d = 0; d < sequence->depth; d++)
                if (sequence->frame[d].left == 0) {
                    sequence->depth = d;
                    sequence->term = NULL;
                }
            sequence->fruitless = 0;
            return true;
        }
        sequence->term = NULL;
        uint64_t offset = (uint64_t)frame->at.chunk * REFRAIN_ALIGNMENT_BYTES;
        if (same_position(frame->at, frame->end)) {
            if (sequence->fruitless++ == REFRAIN_REPEAT_DEPTH)
                return refrain_terms_damaged(terms, offset, "a repetition gives no value");
            frame->at = frame->first;
        }
        const struct refrain_item *term = refrain_terms_archived(terms, &frame->at);
        if (!term)
            return refrain_terms_damaged(terms, offset, "a repetition leads out of the archive");
        if (term->kind != REFRAIN_ITEM_REPEAT)
            begin_term(sequence, term);
        else if (!enter_repeat_term(sequence, term))
            return false;
    }
    return false;
}

/* True if the archive has a term that is not delivered yet. */
static bool archive_left(const struct refrain_terms *terms) {
    if (!terms->archived.chunk || !terms->formula || terms->wrong)
        return false;
    if (terms->archived.chunk != terms->formula->archive_last)
        return true;
    uint64_t offset = (uint64_t)terms->archived.chunk * REFRAIN_ALIGNMENT_BYTES;
    return offset + sizeof(struct refrain_archive) <= terms->image_bytes &&
           terms->archived.at < ((const struct refrain_archive *)(terms->image + offset))->used;
}

/* Opens the tally of the learner. If the learner had no memory from the start, the last value is known: it is kept
 * for the end. */
static bool open_tally(struct refrain_sequence *sequence) {
    const struct refrain_learner *learner = sequence->learner;
    struct refrain_terms *terms = &sequence->terms;
    uint32_t tally = refrain_learner_tally(terms->image, terms->image_bytes, learner);
    if (!tally)
        return false;
    if (!refrain_tally_open(&sequence->tally, terms->image, terms->image_bytes, tally))
        return refrain_terms_damaged(terms, (uint64_t)tally * REFRAIN_ALIGNMENT_BYTES,
                                     "counts of values that cannot be any");
    if (sequence->tally.tally->width != 1)
        return refrain_terms_damaged(terms, (uint64_t)tally * REFRAIN_ALIGNMENT_BYTES,
                                     "counts of several values where one is learned");
    sequence->last_left =
        learner->state == REFRAIN_SUMMARY && refrain_tally_take(&sequence->tally, sequence->tally.tally->last);
    return true;
}

/* Next run if there was no memory even for a tally. Known are the number of values and the last one; of loop counts,
 * also their sum. */
static bool next_of_uncounted(struct refrain_sequence *sequence) {
    const struct refrain_learner *learner = sequence->learner;
    uint64_t n = (uint64_t)learner->stride;
    if (learner->state != REFRAIN_SUMMARY || learner->kind == REFRAIN_KIND_PARAMETER || sequence->terms.wrong)
        n = 0;
    bool begins = !sequence->tally_given && n > 0, loop = learner->kind == REFRAIN_KIND_LOOP && learner->last >= 0;
    uint64_t at_the_end = loop && n > 0 ? (uint64_t)learner->last % n : 1;
    sequence->tally_given = true;
    sequence->run = 0;
    if (begins) {
        sequence->last_left = at_the_end > 0;
        sequence->value = loop ? (int64_t)((uint64_t)learner->last / n) : learner->expect;
        sequence->run = n - at_the_end;
        sequence->unknown = !loop;
    }
    if (sequence->run == 0 && sequence->last_left) {
        sequence->last_left = false;
        sequence->value = loop ? (int64_t)((uint64_t)learner->last / n) + 1 : learner->last;
        sequence->run = at_the_end;
        sequence->unknown = false;
    }
    return sequence->run > 0;
}

/* Next run of values whose order is not known. False if none is left. */
static bool next_of_tally(struct refrain_sequence *sequence) {
    sequence->stride = 0;
    sequence->run = 1;
    if (!sequence->tally.tally && !open_tally(sequence))
        return next_of_uncounted(sequence);
    if (refrain_tally_next(&sequence->tally, &sequence->value, 0)) {
        sequence->unknown = sequence->tally.gave_other;
        return true;
    }
    bool last = sequence->last_left;
    sequence->value = sequence->tally.tally->last;
    sequence->run = last;
    sequence->last_left = false;
    return last;
}

/* State REPEAT: starts the repetition that the learner was in. */
static void continue_repeat(struct refrain_sequence *sequence) {
    struct refrain_terms *terms = &sequence->terms;
    sequence->term = NULL;
    sequence->depth = 0;
    const struct refrain_repeat *repeat = refrain_terms_at(terms, terms->formula->repeat, sizeof *repeat);
    if (repeat)
        enter_repeat(sequence, repeat->first, repeat->end, sequence->continuation);
}

/* After the last term: starts the values by which the learner continued it. */
static void begin_continuation(struct refrain_sequence *sequence) {
    sequence->stage = REFRAIN_STAGE_CONTINUATION;
    sequence->continuation = sequence->learner->confirmed;
    if (sequence->learner->state == REFRAIN_REPEAT)
        continue_repeat(sequence);
    else if (sequence->continuation && sequence->term && sequence->term->kind == REFRAIN_ITEM_LOOP) {
        sequence->innermost = REFRAIN_LOOP_HEIGHTS;
        enter_loop(sequence, 0, (uint64_t)sequence->term->base, UINT64_MAX);
    }
}

static bool next_run_of_continuation(struct refrain_sequence *sequence) {
    if (sequence->learner->state == REFRAIN_REPEAT)
        return next_run_of_repeat(sequence);
    if (!sequence->continuation || sequence->innermost == REFRAIN_LOOP_HEIGHTS || !next_run_of_term(sequence))
        return false;
    if (sequence->run > sequence->continuation)
        sequence->run = sequence->continuation;
    sequence->continuation -= sequence->run;
    sequence->continuation -= begin_row(sequence, sequence->continuation);
    return true;
}

/* Between the archive and the formula: values that were only counted. */
static bool next_run_between(struct refrain_sequence *sequence) {
    sequence->term = NULL;
    sequence->approximate = true;
    if (next_of_tally(sequence))
        return true;
    sequence->approximate = false;
    sequence->tally_given = true;
    return false;
}

/* Starts the next run of the current term. False: no run was left, and another term or stage has begun. */
static bool next_run_of_terms(struct refrain_sequence *sequence) {
    if (sequence->depth > 0 && next_run_of_repeat(sequence))
        return true;
    if (sequence->depth == 0 && sequence->term && next_run_of_term(sequence)) {
        begin_row(sequence, UINT64_MAX);
        return true;
    }
    if (sequence->learner->state != REFRAIN_SUMMARY && !sequence->tally_given && !archive_left(&sequence->terms) &&
        next_run_between(sequence))
        return true;
    bool last;
    const struct refrain_item *term = refrain_terms_next(&sequence->terms, &last);
    if (sequence->terms.wrong) {
        sequence->stage = REFRAIN_STAGE_END;
    } else if (!term) {
        begin_continuation(sequence);
    } else {
        begin_term(sequence, term);
        if (term->kind == REFRAIN_ITEM_REPEAT) {
            sequence->term = NULL;
            enter_repeat_term(sequence, term);
        }
    }
    return false;
}

bool refrain_sequence_advance(struct refrain_sequence *sequence) {
    if (sequence->row > 0) {
        sequence->row--;
        sequence->value = sequence->term[sequence->position++].base;
        sequence->run = 1;
        return true;
    }
    const struct refrain_learner *learner = sequence->learner;
    sequence->unknown = false;
    for (;;) {
        switch (sequence->stage) {
        case REFRAIN_STAGE_IDENTITY:
            sequence->value = learner->expect;
            sequence->stride = 0;
            sequence->run = learner->confirmed;
            sequence->stage = learner->state == REFRAIN_SUMMARY ? REFRAIN_STAGE_TALLY : REFRAIN_STAGE_END;
            if (sequence->run > 0)
                return true;
            break;
        case REFRAIN_STAGE_TERMS:
            if (next_run_of_terms(sequence))
                return true;
            break;
        case REFRAIN_STAGE_CONTINUATION:
            if (next_run_of_continuation(sequence))
                return true;
            sequence->stage = learner->state == REFRAIN_SUMMARY ? REFRAIN_STAGE_TALLY : REFRAIN_STAGE_END;
            break;
        case REFRAIN_STAGE_TALLY: /* of a learner without exact values after it */
            sequence->approximate = true;
            if (next_of_tally(sequence))
                return true;
            sequence->stage = REFRAIN_STAGE_END;
            break;
        default:
            return false;
        }
    }
}

void refrain_sequence_close(struct refrain_sequence *sequence) {
    refrain_tally_close(&sequence->tally);
    refrain_terms_close(&sequence->terms);
}

/* ---- loop counts ---- */

static uint64_t sum_of(uint64_t first, uint64_t stride, uint64_t n) {
    uint64_t pairs = n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
    return n * first + pairs * stride;
}

uint64_t refrain_sequence_iterations(const struct refrain_sequence *sequence) {
    uint64_t first = (uint64_t)sequence->value, stride = (uint64_t)sequence->stride, n = sequence->run;
    bool begins_below = sequence->value<0, rises = sequence->stride> 0;
    uint64_t before = n; /* values before the sign changes */
    if (begins_below && rises)
        before = refrain_least(n, (0 - first + stride - 1) / stride);
    else if (!begins_below && sequence->stride < 0)
        before = refrain_least(n, first / (0 - stride) + 1);
    uint64_t sum = sum_of(first, stride, before), rest = sum_of(first + before * stride, stride, n - before);
    return begins_below ? rest - sum : sum - rest;
}
