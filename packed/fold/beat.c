/* beat.c: finds the beat of a sequence (beat.h).
 *
 * A formula is expanded several times: to count values; to count words that begin with the most frequent value; to list
 * the steps between occurrences of the most frequent word, if it has several values; and to list the steps between
 * occurrences of the most frequent value. The shorter list of steps is used. Both lists are made in the same memory, so
 * the first one is made again if it is the shorter one. */
#include "beat.h"
#include "archive_bytes.h"

#include <string.h>

#define LEAST_ITEMS 16u               /* smallest formula for which a beat is tried */
#define MOST_WORK ((uint64_t)1 << 18) /* limit of emitted values, where equal values in a row count once */
#define MOST_PERIOD 256u
#define VALUES_A_STEP 3u /* with fewer values per step, the sequence has no beat */

/* ---- expanding a formula ---- */

struct expansion {
    struct refrain_beat_room *room;
    void (*consume)(struct expansion *expansion, int64_t value, uint64_t n);
    int64_t counter[REFRAIN_LOOP_HEIGHTS];
    uint64_t left; /* values that may still be emitted */
    uint64_t work; /* emitted values so far, and empty iterations */
    bool failed;
    /* for the consumers */
    int64_t first;                 /* first value of all words */
    struct refrain_beat_word word; /* the current word; width 0: none */
    bool too_long;
    const struct refrain_beat_word *beat;
    uint64_t n_words, n_values, n_steps, beats;
};

static void emit(struct expansion *expansion, int64_t value, uint64_t n) {
    if (n > expansion->left)
        n = expansion->left;
    expansion->left -= n;
    expansion->n_values += n;
    expansion->failed |= expansion->work++ > MOST_WORK;
    if (n > 0 && !expansion->failed)
        expansion->consume(expansion, value, n);
}

static int64_t at_counters(const struct expansion *expansion, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * (uint64_t)expansion->counter[h];
    return (int64_t)value;
}

/* Expands items [i, end) of a term, inside a loop of this height. `is_continuation`: continues the first loop after its
 * learned iterations, until expansion->left is 0. */
static void expand(struct expansion *expansion, const struct refrain_item *items, unsigned i, unsigned end,
                   unsigned height, bool is_continuation) {
    while (i < end && expansion->left > 0 && !expansion->failed) {
        const struct refrain_item *item = &items[i];
        unsigned span = item->span;
        if (item->kind == REFRAIN_ITEM_VALUE && span == 1) {
            emit(expansion, at_counters(expansion, item), 1);
        } else if (item->kind == REFRAIN_ITEM_LOOP && span > 1 && span <= end - i && item->height < height) {
            int64_t n = at_counters(expansion, item), k = is_continuation ? n : 0;
            bool one_value = span == 2 && item[1].kind == REFRAIN_ITEM_VALUE && item[1].stride[item->height] == 0;
            if (is_continuation)
                n = INT64_MAX;
            if (one_value && n > k) {
                emit(expansion, at_counters(expansion, &item[1]), (uint64_t)(n - k));
                k = n;
            }
            for (; k < n && expansion->left > 0 && !expansion->failed; k++) {
                expansion->counter[item->height] = k;
                expand(expansion, items, i + 1, i + span, item->height, false);
                expansion->failed |= expansion->work++ > MOST_WORK; /* an iteration without values */
            }
            expansion->counter[item->height] = 0;
        } else {
            expansion->failed = true;
        }
        i += span;
    }
}

static const void *at(const unsigned char *trace_file, size_t trace_file_bytes, uint32_t reference, size_t bytes) {
    uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
    return offset >= REFRAIN_HEADER_BYTES && offset <= trace_file_bytes && bytes <= trace_file_bytes - offset
               ? trace_file + offset
               : NULL;
}

static void expand_archive(struct expansion *expansion, const unsigned char *trace_file, size_t trace_file_bytes,
                           const struct refrain_formula *formula) {
    for (uint32_t reference = formula->archive_first; reference && !expansion->failed;) {
        const struct refrain_archive *chunk = at(trace_file, trace_file_bytes, reference, sizeof *chunk);
        if (!chunk || !at(trace_file, trace_file_bytes, reference, sizeof *chunk + chunk->used) ||
            expansion->work++ > MOST_WORK) {
            expansion->failed = true;
            return;
        }
        struct refrain_archive_source source = {.bytes = chunk->bytes, .end = chunk->used};
        while (source.at < source.end && !expansion->failed) {
            unsigned n = refrain_archive_get_term(&source, expansion->room->term, REFRAIN_BEAT_TERM_ITEMS);
            expansion->failed = n == 0;
            expand(expansion, expansion->room->term, 0, n, REFRAIN_LOOP_HEIGHTS, false);
        }
        reference = reference == formula->archive_last ? 0 : chunk->next;
    }
}

/* Expands all values of the learner, to `consume`. */
static bool expand_learner(struct expansion *expansion, const unsigned char *trace_file, size_t trace_file_bytes,
                           const struct refrain_learner *learner, const struct refrain_formula *formula) {
    const struct refrain_item *items = (const struct refrain_item *)(formula + 1);
    unsigned last = 0, n = formula->n_items;
    expansion->left = UINT64_MAX;
    expansion->work = expansion->n_values = 0;
    expand_archive(expansion, trace_file, trace_file_bytes, formula);
    for (unsigned i = 0; i < n && !expansion->failed; i += items[i].span) {
        if (items[i].span == 0 || items[i].span > n - i)
            return false;
        last = i;
        expand(expansion, items, i, i + items[i].span, REFRAIN_LOOP_HEIGHTS, false);
    }
    if (learner->state == REFRAIN_PREDICT && learner->confirmed > 0 && !expansion->failed) {
        if (n == 0 || items[last].kind != REFRAIN_ITEM_LOOP)
            return false;
        expansion->left = learner->confirmed;
        expand(expansion, items, last, n, REFRAIN_LOOP_HEIGHTS, true);
    }
    return !expansion->failed;
}

/* ---- the beat ---- */

static void count(struct expansion *expansion, const struct refrain_beat_word *word, uint64_t n) {
    struct refrain_beat_word *words = expansion->room->words;
    uint64_t i = 0;
    while (i < expansion->n_words && (words[i].width != word->width ||
                                      memcmp(words[i].value, word->value, (size_t)word->width * sizeof *word->value)))
        i++;
    if (i == REFRAIN_BEAT_WORDS) {
        expansion->failed = true;
    } else if (i < expansion->n_words) {
        words[i].n += n;
    } else {
        words[expansion->n_words] = *word;
        words[expansion->n_words++].n = n;
    }
}

static void count_value(struct expansion *expansion, int64_t value, uint64_t n) {
    count(expansion, &(struct refrain_beat_word){.width = 1, .value = {value}}, n);
}

/* The word with the highest count. Of several, the lowest one, so that all ranks use the same. */
static struct refrain_beat_word most_frequent(const struct expansion *expansion) {
    const struct refrain_beat_word *words = expansion->room->words;
    uint64_t best = 0;
    for (uint64_t i = 1; i < expansion->n_words; i++) {
        bool lower = words[i].width < words[best].width;
        if (words[i].width == words[best].width)
            for (uint64_t k = 0; k < words[i].width; k++)
                if (words[i].value[k] != words[best].value[k]) {
                    lower = words[i].value[k] < words[best].value[k];
                    break;
                }
        if (words[i].n > words[best].n || (words[i].n == words[best].n && lower))
            best = i;
    }
    return words[best];
}

static void add_to_word(struct expansion *expansion, int64_t value, uint64_t n) {
    for (; n > 0 && !expansion->too_long; n--) {
        expansion->too_long = expansion->word.width == REFRAIN_BEAT_WIDTH;
        if (!expansion->too_long)
            expansion->word.value[expansion->word.width++] = value;
    }
}

/* A word lasts from one occurrence of `first` to the next. A sequence longer than a word can be is no word. */
static void count_word(struct expansion *expansion, int64_t value, uint64_t n) {
    for (; n > 0 && value == expansion->first && !expansion->failed; n--) {
        if (expansion->word.width > 0 && !expansion->too_long)
            count(expansion, &expansion->word, 1);
        expansion->word = (struct refrain_beat_word){.width = 1, .value = {value}};
        expansion->too_long = false;
        if (n > 2) { /* all but the last one are words of one value */
            count(expansion, &expansion->word, n - 2);
            n = 2;
        }
    }
    if (n > 0 && expansion->word.width > 0)
        add_to_word(expansion, value, n);
}

static void put_step(struct expansion *expansion, int64_t value) {
    if (expansion->n_steps == REFRAIN_BEAT_ALL_STEPS) {
        expansion->failed = true;
        return;
    }
    expansion->room->steps[expansion->n_steps++] = (struct refrain_beat_step){expansion->beats, value};
    expansion->beats = 0;
}

static void step_between_values(struct expansion *expansion, int64_t value, uint64_t n) {
    if (value == expansion->first) {
        expansion->beats += n;
        return;
    }
    for (; n > 0 && !expansion->failed; n--)
        put_step(expansion, value);
}

/* Ends the current word: it is a beat, or its values are steps. */
static void end_word(struct expansion *expansion) {
    const struct refrain_beat_word *word = &expansion->word, *beat = expansion->beat;
    if (!expansion->too_long && word->width == beat->width &&
        memcmp(word->value, beat->value, (size_t)word->width * sizeof *word->value) == 0)
        expansion->beats++;
    else
        for (uint64_t i = 0; i < word->width && !expansion->failed; i++)
            put_step(expansion, word->value[i]);
    expansion->word.width = 0;
}

static void step_between_words(struct expansion *expansion, int64_t value, uint64_t n) {
    for (; n > 0 && !expansion->failed; n--) {
        bool begins = value == expansion->first;
        if (begins) {
            end_word(expansion);
            expansion->too_long = false;
        }
        if (begins ||
            (expansion->word.width > 0 && expansion->word.width < REFRAIN_BEAT_WIDTH && !expansion->too_long)) {
            expansion->word.value[expansion->word.width++] = value;
        } else {
            expansion->too_long = true;
            end_word(expansion);
            put_step(expansion, value);
        }
    }
}

/* ---- repeated steps ---- */

static bool is_equal_step(const struct refrain_beat_step *a, const struct refrain_beat_step *b) {
    return a->beats == b->beats && a->value == b->value;
}

static uint64_t steps_of(const struct refrain_beat *beat) {
    return beat->before + beat->period + beat->after;
}

/* Splits the steps into a beginning, a period that repeats, and an end, so that together they are shortest. A period
 * begins at a multiple of its length, so that ranks with slightly different beginnings have the same period. */
static void find_period(const struct refrain_beat_step *steps, uint64_t n, struct refrain_beat *beat) {
    beat->before = n;
    beat->period = beat->after = beat->rounds = 0;
    for (uint64_t p = 1; p <= MOST_PERIOD && p <= n / 2; p++) {
        uint64_t from = n - p;
        while (from > 0 && is_equal_step(&steps[from - 1], &steps[from - 1 + p]))
            from--;
        from = (from + p - 1) / p * p;
        uint64_t rounds = (n - from) / p, after = (n - from) % p;
        if (rounds >= 2 && from + p + after < steps_of(beat)) {
            beat->before = from;
            beat->period = p;
            beat->rounds = rounds;
            beat->after = after;
        }
    }
}

/* Sets the word, the steps and their period. */
static void set_beat(struct expansion *expansion, const struct refrain_beat_word *word, struct refrain_beat *beat) {
    beat->width = word->width;
    memcpy(beat->word, word->value, sizeof beat->word);
    beat->last = expansion->beats;
    find_period(expansion->room->steps, expansion->n_steps, beat);
}

/* Moves the steps of the beat together. False if a reader would not accept so many. */
static bool move_steps(struct refrain_beat_room *room, struct refrain_beat *beat) {
    if (steps_of(beat) > REFRAIN_BEAT_STEPS || !refrain_beat_is_possible(beat))
        return false;
    memmove(room->steps + beat->before + beat->period, room->steps + beat->before + beat->period * beat->rounds,
            (size_t)beat->after * sizeof *room->steps);
    beat->steps = room->steps;
    return true;
}

bool refrain_beat_find(struct refrain_beat_room *room, const void *trace_file, size_t trace_file_bytes,
                       const struct refrain_learner *learner, struct refrain_beat *beat) {
    if ((learner->state != REFRAIN_PREDICT && learner->state != REFRAIN_BUILD) || learner->tally)
        return false;
    const struct refrain_formula *formula = at(trace_file, trace_file_bytes, learner->body, sizeof *formula);
    if (!formula || formula->repeats || formula->n_values > 0 ||
        !at(trace_file, trace_file_bytes, learner->body,
            sizeof *formula + formula->n_items * sizeof(struct refrain_item)) ||
        formula->n_items + formula->archived_terms < LEAST_ITEMS)
        return false;
    struct expansion expansion = {.room = room, .consume = count_value};
    if (!expand_learner(&expansion, trace_file, trace_file_bytes, learner, formula))
        return false;
    uint64_t n_values = expansion.n_values;
    struct refrain_beat_word value = most_frequent(&expansion), word;
    expansion = (struct expansion){.room = room, .consume = count_word, .first = value.value[0]};
    if (!expand_learner(&expansion, trace_file, trace_file_bytes, learner, formula) || expansion.n_words == 0)
        word = value;
    else
        word = most_frequent(&expansion);
    struct refrain_beat by_word = {0};
    bool done = false;
    if (word.width > 1) {
        expansion =
            (struct expansion){.room = room, .consume = step_between_words, .first = value.value[0], .beat = &word};
        done = expand_learner(&expansion, trace_file, trace_file_bytes, learner, formula);
        if (done)
            end_word(&expansion);
        done = done && !expansion.failed;
        if (done)
            set_beat(&expansion, &word, &by_word);
    }
    expansion = (struct expansion){.room = room, .consume = step_between_values, .first = value.value[0]};
    bool by_value = expand_learner(&expansion, trace_file, trace_file_bytes, learner, formula);
    if (by_value)
        set_beat(&expansion, &value, beat);
    if (done && (!by_value || steps_of(&by_word) < steps_of(beat))) {
        expansion =
            (struct expansion){.room = room, .consume = step_between_words, .first = value.value[0], .beat = &word};
        expand_learner(&expansion, trace_file, trace_file_bytes, learner, formula);
        end_word(&expansion);
        *beat = by_word;
    }
    return (done || by_value) && move_steps(room, beat) && n_values >= VALUES_A_STEP * steps_of(beat) &&
           steps_of(beat) <= 2 * (formula->n_items + formula->archived_terms) + 48;
}
