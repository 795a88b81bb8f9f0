/* beat.c: see beat.h.
 *
 * A formula is played four times: to count values, then words that begin with the most frequent one, then to write down
 * turns between that value alone, and turns between the most frequent word. The fewer turns are taken. */
#include "beat.h"
#include "archive_bytes.h"

#include <string.h>

#define LEAST_ITEMS 16u                 /* of a formula that is worth it */
#define MOST_PLAYED ((uint64_t)1 << 18) /* values, those in a row counted once */
#define MOST_PERIOD 256u
#define VALUES_A_TURN 3u /* less are no beat */

/* ---- playing ---- */

struct playing {
    struct refrain_beat_room *room;
    void (*take)(struct playing *playing, int64_t value, uint64_t n);
    int64_t counter[REFRAIN_LOOP_HEIGHTS];
    uint64_t left;   /* values to be played */
    uint64_t played; /* takes */
    bool failed;
    /* of those that take */
    int64_t first;                 /* words begin with it */
    struct refrain_beat_word word; /* under way; width 0: none */
    bool too_long;
    const struct refrain_beat_word *beat;
    uint64_t n_words, n_values, n_turns, beats;
};

static void give(struct playing *playing, int64_t value, uint64_t n) {
    if (n > playing->left)
        n = playing->left;
    playing->left -= n;
    playing->n_values += n;
    playing->failed |= playing->played++ > MOST_PLAYED;
    if (n > 0 && !playing->failed)
        playing->take(playing, value, n);
}

static int64_t at_counters(const struct playing *playing, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * (uint64_t)playing->counter[h];
    return (int64_t)value;
}

/* Items [i, end) of a term, within a loop of this height. `goes_on`: of the loop they begin with what follows its end.
 */
static void play(struct playing *playing, const struct refrain_item *items, unsigned i, unsigned end, unsigned height,
                 bool goes_on) {
    while (i < end && playing->left > 0 && !playing->failed) {
        const struct refrain_item *item = &items[i];
        unsigned span = item->span;
        if (item->kind == REFRAIN_ITEM_VALUE && span == 1) {
            give(playing, at_counters(playing, item), 1);
        } else if (item->kind == REFRAIN_ITEM_LOOP && span > 1 && span <= end - i && item->height < height) {
            int64_t n = at_counters(playing, item), k = goes_on ? n : 0;
            bool one_value = span == 2 && item[1].kind == REFRAIN_ITEM_VALUE && item[1].stride[item->height] == 0;
            if (goes_on)
                n = INT64_MAX;
            if (one_value && n > k) {
                give(playing, at_counters(playing, &item[1]), (uint64_t)(n - k));
                k = n;
            }
            for (; k < n && playing->left > 0 && !playing->failed; k++) {
                playing->counter[item->height] = k;
                play(playing, items, i + 1, i + span, item->height, false);
                playing->failed |= playing->played++ > MOST_PLAYED; /* where it gives nothing */
            }
            playing->counter[item->height] = 0;
        } else {
            playing->failed = true;
        }
        i += span;
    }
}

static const void *at(const unsigned char *trace_file, size_t trace_file_bytes, uint32_t reference, size_t bytes) {
    uint64_t offset = (uint64_t)reference * REFRAIN_GRAIN_BYTES;
    return offset >= REFRAIN_HEADER_BYTES && offset <= trace_file_bytes && bytes <= trace_file_bytes - offset
               ? trace_file + offset
               : NULL;
}

static void play_archive(struct playing *playing, const unsigned char *trace_file, size_t trace_file_bytes,
                         const struct refrain_formula *formula) {
    for (uint32_t reference = formula->archive_first; reference && !playing->failed;) {
        const struct refrain_archive *chunk = at(trace_file, trace_file_bytes, reference, sizeof *chunk);
        if (!chunk || !at(trace_file, trace_file_bytes, reference, sizeof *chunk + chunk->used) ||
            playing->played++ > MOST_PLAYED) {
            playing->failed = true;
            return;
        }
        struct refrain_archive_source source = {.bytes = chunk->bytes, .end = chunk->used};
        while (source.at < source.end && !playing->failed) {
            unsigned n = refrain_archive_get_term(&source, playing->room->term, REFRAIN_BEAT_TERM_ITEMS);
            playing->failed = n == 0;
            play(playing, playing->room->term, 0, n, REFRAIN_LOOP_HEIGHTS, false);
        }
        reference = reference == formula->archive_last ? 0 : chunk->next;
    }
}

/* All values, to `take`. */
static bool play_learner(struct playing *playing, const unsigned char *trace_file, size_t trace_file_bytes,
                         const struct refrain_learner *learner, const struct refrain_formula *formula) {
    const struct refrain_item *items = (const struct refrain_item *)(formula + 1);
    unsigned last = 0, n = formula->n_items;
    playing->left = UINT64_MAX;
    playing->played = playing->n_values = 0;
    play_archive(playing, trace_file, trace_file_bytes, formula);
    for (unsigned i = 0; i < n && !playing->failed; i += items[i].span) {
        if (items[i].span == 0 || items[i].span > n - i)
            return false;
        last = i;
        play(playing, items, i, i + items[i].span, REFRAIN_LOOP_HEIGHTS, false);
    }
    if (learner->state == REFRAIN_PREDICT && learner->confirmed > 0 && !playing->failed) {
        if (n == 0 || items[last].kind != REFRAIN_ITEM_LOOP)
            return false;
        playing->left = learner->confirmed;
        play(playing, items, last, n, REFRAIN_LOOP_HEIGHTS, true);
    }
    return !playing->failed;
}

/* ---- the beat ---- */

static void count(struct playing *playing, const struct refrain_beat_word *word, uint64_t n) {
    struct refrain_beat_word *words = playing->room->words;
    uint64_t i = 0;
    while (i < playing->n_words && (words[i].width != word->width ||
                                    memcmp(words[i].value, word->value, (size_t)word->width * sizeof *word->value)))
        i++;
    if (i == REFRAIN_BEAT_WORDS) {
        playing->failed = true;
    } else if (i < playing->n_words) {
        words[i].n += n;
    } else {
        words[playing->n_words] = *word;
        words[playing->n_words++].n = n;
    }
}

static void count_value(struct playing *playing, int64_t value, uint64_t n) {
    count(playing, &(struct refrain_beat_word){.width = 1, .value = {value}}, n);
}

/* Which came most often; of several the one that is lowest, so that ranks take the same. */
static struct refrain_beat_word most_frequent(const struct playing *playing) {
    const struct refrain_beat_word *words = playing->room->words;
    uint64_t best = 0;
    for (uint64_t i = 1; i < playing->n_words; i++) {
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

static void add_to_word(struct playing *playing, int64_t value, uint64_t n) {
    for (; n > 0 && !playing->too_long; n--) {
        playing->too_long = playing->word.width == REFRAIN_BEAT_WIDTH;
        if (!playing->too_long)
            playing->word.value[playing->word.width++] = value;
    }
}

/* Words go from one `first` to the next. What is longer than a word can be is none. */
static void count_word(struct playing *playing, int64_t value, uint64_t n) {
    for (; n > 0 && value == playing->first && !playing->failed; n--) {
        if (playing->word.width > 0 && !playing->too_long)
            count(playing, &playing->word, 1);
        playing->word = (struct refrain_beat_word){.width = 1, .value = {value}};
        playing->too_long = false;
        if (n > 2) { /* all but the last are words of their own */
            count(playing, &playing->word, n - 2);
            n = 2;
        }
    }
    if (n > 0 && playing->word.width > 0)
        add_to_word(playing, value, n);
}

static void put_step(struct playing *playing, int64_t value) {
    if (playing->n_turns == REFRAIN_BEAT_ALL_TURNS) {
        playing->failed = true;
        return;
    }
    playing->room->turns[playing->n_turns++] = (struct refrain_beat_turn){playing->beats, value};
    playing->beats = 0;
}

static void step_between_values(struct playing *playing, int64_t value, uint64_t n) {
    if (value == playing->first) {
        playing->beats += n;
        return;
    }
    for (; n > 0 && !playing->failed; n--)
        put_step(playing, value);
}

/* The word that ends here is a beat, or its values are turns. */
static void end_word(struct playing *playing) {
    const struct refrain_beat_word *word = &playing->word, *beat = playing->beat;
    if (!playing->too_long && word->width == beat->width &&
        memcmp(word->value, beat->value, (size_t)word->width * sizeof *word->value) == 0)
        playing->beats++;
    else
        for (uint64_t i = 0; i < word->width && !playing->failed; i++)
            put_step(playing, word->value[i]);
    playing->word.width = 0;
}

static void step_between_words(struct playing *playing, int64_t value, uint64_t n) {
    for (; n > 0 && !playing->failed; n--) {
        bool begins = value == playing->first;
        if (begins) {
            end_word(playing);
            playing->too_long = false;
        }
        if (begins || (playing->word.width > 0 && playing->word.width < REFRAIN_BEAT_WIDTH && !playing->too_long)) {
            playing->word.value[playing->word.width++] = value;
        } else {
            playing->too_long = true;
            end_word(playing);
            put_step(playing, value);
        }
    }
}

/* ---- rounds ---- */

static bool is_turn(const struct refrain_beat_turn *a, const struct refrain_beat_turn *b) {
    return a->beats == b->beats && a->value == b->value;
}

static uint64_t turns_of(const struct refrain_beat *beat) {
    return beat->before + beat->period + beat->after;
}

/* The shortest way to tell turns as some that come once, and a period that comes again. Periods begin at a multiple of
 * their length, so that ranks which differ in a few turns have the same. */
static void find_period(const struct refrain_beat_turn *turns, uint64_t n, struct refrain_beat *beat) {
    beat->before = n;
    beat->period = beat->after = beat->rounds = 0;
    for (uint64_t p = 1; p <= MOST_PERIOD && p <= n / 2; p++) {
        uint64_t from = n - p;
        while (from > 0 && is_turn(&turns[from - 1], &turns[from - 1 + p]))
            from--;
        from = (from + p - 1) / p * p;
        uint64_t rounds = (n - from) / p, after = (n - from) % p;
        if (rounds >= 2 && from + p + after < turns_of(beat)) {
            beat->before = from;
            beat->period = p;
            beat->rounds = rounds;
            beat->after = after;
        }
    }
}

/* Sets the word, and how many turns and beats there are; the period where it is worth while. */
static void settle(struct playing *playing, const struct refrain_beat_word *word, struct refrain_beat *beat) {
    beat->width = word->width;
    memcpy(beat->word, word->value, sizeof beat->word);
    beat->last = playing->beats;
    find_period(playing->room->turns, playing->n_turns, beat);
}

/* Puts the turns behind each other; false where they are more than a reader takes. */
static bool place_turns(struct refrain_beat_room *room, struct refrain_beat *beat) {
    if (turns_of(beat) > REFRAIN_BEAT_TURNS || !refrain_beat_is_possible(beat))
        return false;
    memmove(room->turns + beat->before + beat->period, room->turns + beat->before + beat->period * beat->rounds,
            (size_t)beat->after * sizeof *room->turns);
    beat->turns = room->turns;
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
    struct playing playing = {.room = room, .take = count_value};
    if (!play_learner(&playing, trace_file, trace_file_bytes, learner, formula))
        return false;
    uint64_t n_values = playing.n_values;
    struct refrain_beat_word value = most_frequent(&playing), word;
    playing = (struct playing){.room = room, .take = count_word, .first = value.value[0]};
    if (!play_learner(&playing, trace_file, trace_file_bytes, learner, formula) || playing.n_words == 0)
        word = value;
    else
        word = most_frequent(&playing);
    struct refrain_beat by_word = {0};
    bool done = false;
    if (word.width > 1) {
        playing = (struct playing){.room = room, .take = step_between_words, .first = value.value[0], .beat = &word};
        done = play_learner(&playing, trace_file, trace_file_bytes, learner, formula);
        if (done)
            end_word(&playing);
        done = done && !playing.failed;
        if (done)
            settle(&playing, &word, &by_word);
    }
    playing = (struct playing){.room = room, .take = step_between_values, .first = value.value[0]};
    bool by_value = play_learner(&playing, trace_file, trace_file_bytes, learner, formula);
    if (by_value)
        settle(&playing, &value, beat);
    if (done && (!by_value || turns_of(&by_word) < turns_of(beat))) {
        playing = (struct playing){.room = room, .take = step_between_words, .first = value.value[0], .beat = &word};
        play_learner(&playing, trace_file, trace_file_bytes, learner, formula);
        end_word(&playing);
        *beat = by_word;
    }
    return (done || by_value) && place_turns(room, beat) && n_values >= VALUES_A_TURN * turns_of(beat) &&
           turns_of(beat) <= 2 * (formula->n_items + formula->archived_terms) + 48;
}
