/* saved_states.c: makes the bytes of states, and cursors that continue from them (saved_states.h). */
#include "match/saved_states.h"
#include "common/array.h"
#include "common/difference.h"
#include "common/error.h"
#include "match/cursor_parts.h"
#include "match/replay.h"
#include "match/saved_parts.h"
#include "model/trace_read.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC 0x3245544154534652u /* "RFSTATE2" */

struct refrain_saved_states {
    uint64_t magic, key, bytes, n, checksum; /* checksum: of this header, with 0 in its place, and of the table */
    uint64_t compensate;                     /* 1: times are without the time in probes */
};

struct row {
    uint64_t events;
    int64_t now_ns;
    uint64_t at, bytes, checksum;
    uint64_t base; /* number of the state that it is a difference from; its own: stored whole */
};

/* The beginning of a state's bytes. */
struct lengths {
    uint64_t words, words_bytes, marks_bytes;
};

static const struct row *rows_of(const struct refrain_saved_states *states) {
    return (const struct row *)(states + 1);
}

static uint64_t checksum_of_table(const struct refrain_saved_states *states) {
    struct refrain_saved_states header = *states;
    header.checksum = 0;
    return refrain_saved_sum(refrain_saved_sum(0, &header, sizeof header), rows_of(states),
                             states->n * sizeof(struct row));
}

/* ---- a state as words ---- */

static size_t marks_words(size_t words) {
    return (words + 63) / 64;
}

/* The words of a state, and a bit for each: is it an address? */
struct flat {
    uint64_t *words, *marks;
    size_t n;
};

static bool flat_open(struct flat *flat, size_t n) {
    *flat = (struct flat){calloc(n + 1, sizeof(uint64_t)), calloc(marks_words(n) + 1, sizeof(uint64_t)), n};
    return flat->words && flat->marks;
}

static void flat_close(struct flat *flat) {
    free(flat->words);
    free(flat->marks);
    *flat = (struct flat){0};
}

/* The order of a state's words: [position][lists][number of chunks][bytes, used of each][chunks]. */
#define POSITION_WORDS (sizeof(struct refrain_cursor_position) / sizeof(uint64_t))

static size_t words_of(struct refrain_arena *arena) {
    size_t lists, chunk_bytes, used, words = POSITION_WORDS + 1;
    refrain_arena_lists(arena, &lists);
    words += lists / sizeof(uint64_t);
    for (size_t i = 0; i < refrain_arena_chunks(arena); i++) {
        refrain_arena_chunk(arena, i, &chunk_bytes, &used);
        words += 2 + used / sizeof(uint64_t);
    }
    return words;
}

/* Two replays at the same event, and the state that is made from them. */
struct pair {
    const struct refrain_cursor *one, *other;
    struct refrain_saved_parts one_parts, other_parts;
    struct flat flat;
    size_t at; /* index of the next word in `flat` */
};

/* Adds the words at `one` and `other`. False if they differ and are not addresses of the same place. */
static bool put_words(struct pair *pair, const void *one, const void *other, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(uint64_t); i++, pair->at++) {
        uint64_t a, b;
        memcpy(&a, (const unsigned char *)one + i * sizeof a, sizeof a);
        memcpy(&b, (const unsigned char *)other + i * sizeof b, sizeof b);
        bool is_address;
        if (!refrain_saved_parts_place(&pair->one_parts, &pair->other_parts, a, b, &pair->flat.words[pair->at],
                                       &is_address))
            return false;
        pair->flat.marks[pair->at / 64] |= (uint64_t)is_address << pair->at % 64;
    }
    return true;
}

static bool put_chunks(struct pair *pair) {
    size_t n = refrain_arena_chunks(pair->one->arena), bytes, used, other_bytes, other_used;
    pair->flat.words[pair->at++] = n;
    if (refrain_arena_chunks(pair->other->arena) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        refrain_arena_chunk(pair->one->arena, i, &bytes, &used);
        refrain_arena_chunk(pair->other->arena, i, &other_bytes, &other_used);
        if (other_bytes != bytes || other_used != used)
            return false;
        pair->flat.words[pair->at++] = bytes;
        pair->flat.words[pair->at++] = used;
    }
    for (size_t i = 0; i < n; i++) {
        const void *one = refrain_arena_chunk(pair->one->arena, i, &bytes, &used);
        if (!put_words(pair, one, refrain_arena_chunk(pair->other->arena, i, &other_bytes, &other_used), used))
            return false;
    }
    return true;
}

/* Makes the state of two replays that are at the same event. False without memory, or if the replays do not agree. */
static bool flatten(struct pair *pair) {
    size_t lists;
    const void *one = refrain_arena_lists(pair->one->arena, &lists),
               *other = refrain_arena_lists(pair->other->arena, &lists);
    pair->at = 0;
    bool sound = refrain_saved_parts_open(&pair->one_parts, pair->one->trace, pair->one->arena) &&
                 refrain_saved_parts_open(&pair->other_parts, pair->other->trace, pair->other->arena) &&
                 flat_open(&pair->flat, words_of(pair->one->arena)) &&
                 put_words(pair, &pair->one->position, &pair->other->position, sizeof pair->one->position) &&
                 put_words(pair, one, other, lists) && put_chunks(pair);
    refrain_saved_parts_close(&pair->one_parts);
    refrain_saved_parts_close(&pair->other_parts);
    return sound;
}

/* ---- making the bytes ---- */

struct making {
    struct refrain_cursor *one, *other;
    unsigned char *bytes; /* of the states, without header and table */
    size_t n, capacity, most;
    struct row *rows;
    size_t n_rows;
    struct flat base;
    size_t base_row;
};

static bool add_bytes(struct making *making, const struct flat *flat, const struct flat *base) {
    struct lengths lengths = {flat->n, 0, 0};
    size_t words = flat->n * 8, marks = marks_words(flat->n) * 8;
    size_t base_words = base ? base->n * 8 : 0, base_marks = base ? marks_words(base->n) * 8 : 0;
    const uint64_t *from = base ? base->words : NULL, *from_marks = base ? base->marks : NULL;
    lengths.words_bytes = refrain_difference(flat->words, words, from, base_words, NULL);
    lengths.marks_bytes = refrain_difference(flat->marks, marks, from_marks, base_marks, NULL);
    if (!REFRAIN_ARRAY_ROOMS(making->bytes, making->n, sizeof lengths + lengths.words_bytes + lengths.marks_bytes,
                             making->capacity))
        return false;
    struct row *row = &making->rows[making->n_rows];
    unsigned char *to = making->bytes + making->n;
    memcpy(to, &lengths, sizeof lengths);
    refrain_difference(flat->words, words, from, base_words, to + sizeof lengths);
    refrain_difference(flat->marks, marks, from_marks, base_marks, to + sizeof lengths + lengths.words_bytes);
    row->at = making->n;
    row->bytes = sizeof lengths + lengths.words_bytes + lengths.marks_bytes;
    row->checksum = refrain_saved_sum(0, to, row->bytes);
    making->n += row->bytes;
    return true;
}

/* Adds the state at a checkpoint of both replays, as the difference from the base. If the difference has more than half
 * of the state's bytes, the state is stored whole and becomes the base. Adds nothing if the replays do not agree, or
 * without memory. */
static void add_state(struct making *making, const struct refrain_checkpoint *one,
                      const struct refrain_checkpoint *other) {
    struct pair pair = {.one = making->one, .other = making->other};
    refrain_arena_restore(making->one->arena, one->memory);
    refrain_arena_restore(making->other->arena, other->memory);
    making->one->position = one->position;
    making->other->position = other->position;
    size_t before = making->n;
    struct row *row = &making->rows[making->n_rows];
    *row = (struct row){.events = one->position.events, .now_ns = one->position.now_ns, .base = making->base_row};
    bool sound = flatten(&pair) && (!making->base.n || add_bytes(making, &pair.flat, &making->base));
    if (sound && (!making->base.n || row->bytes > pair.flat.n * 4)) {
        making->n = before;
        row->base = making->base_row = making->n_rows;
        sound = add_bytes(making, &pair.flat, NULL);
        flat_close(&making->base);
        making->base = sound ? pair.flat : (struct flat){0};
        pair.flat = sound ? (struct flat){0} : pair.flat;
    }
    if (sound)
        making->n_rows++;
    else
        making->n = before;
    flat_close(&pair.flat);
}

/* Adds the state of each checkpoint that both replays have after a multiple of `events` events. Leaves out states in
 * which the replays do not agree: this can happen in bytes that nobody reads. */
static void add_states(struct making *making, uint64_t events) {
    const struct refrain_cursor *one = making->one, *other = making->other;
    making->n = making->n_rows = making->base_row = 0;
    flat_close(&making->base);
    for (size_t i = 0, k = 0; i < one->n_checkpoints && making->n <= making->most; i++) {
        const struct refrain_checkpoint *checkpoint = &one->checkpoints[i];
        while (k < other->n_checkpoints && other->checkpoints[k].position.events < checkpoint->position.events)
            k++;
        if (k < other->n_checkpoints && other->checkpoints[k].position.events == checkpoint->position.events &&
            checkpoint->position.events % events == 0)
            add_state(making, checkpoint, &other->checkpoints[k]);
    }
}

static bool finish(struct making *making, const struct refrain_saved_states_options *how, unsigned char **result,
                   size_t *n) {
    size_t head = sizeof(struct refrain_saved_states) + making->n_rows * sizeof *making->rows;
    unsigned char *bytes = calloc(1, head + making->n);
    if (!bytes)
        return false;
    struct refrain_saved_states *states = (struct refrain_saved_states *)bytes;
    *states = (struct refrain_saved_states){
        .magic = MAGIC,
        .key = refrain_saved_states_key(making->one->trace, how->build, how->compensate),
        .bytes = head + making->n,
        .n = making->n_rows,
        .compensate = how->compensate,
    };
    for (size_t i = 0; i < making->n_rows; i++)
        making->rows[i].at += head;
    memcpy(states + 1, making->rows, making->n_rows * sizeof *making->rows);
    memcpy(bytes + head, making->bytes, making->n);
    states->checksum = checksum_of_table(states);
    *result = bytes;
    *n = head + making->n;
    return true;
}

/* Two cursors with checkpoints all over the trace. A job opens each of them and moves it to the end. */
struct replays {
    const struct refrain_saved_states_options *how;
    struct refrain_trace *traces[2];
    struct refrain_cursor *cursors[2]; /* null after an error, which is in `errors` */
    struct refrain_error errors[2];
};

static void replay(void *data, size_t i) {
    struct replays *replays = data;
    const struct refrain_saved_states_options *how = replays->how;
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor **cursor = &replays->cursors[i];
    struct refrain_error *error = &replays->errors[i];
    options.checkpoint_bytes = how->most_bytes;
    options.compensate = how->compensate;
    if (refrain_cursor_open_as(replays->traces[i], &options, &(struct refrain_replay){.follower = how->follower},
                               cursor, error))
        return;
    if (how->events)
        (*cursor)->interval = how->events;
    if (!refrain_cursor_seek(*cursor, REFRAIN_TIME_LAST, error) && !(*cursor)->error.code)
        return;
    refrain_cursor_close(*cursor, error);
    *cursor = NULL;
}

/* Makes the bytes of the states in which both replays agree. Makes none if there is no such state. */
static bool make_bytes(struct making *making, const struct refrain_saved_states_options *how, unsigned char **bytes,
                       size_t *n) {
    making->rows = calloc(making->one->n_checkpoints + 1, sizeof *making->rows);
    if (!making->rows)
        return false;
    uint64_t events = making->one->interval;
    add_states(making, events);
    while (making->n > making->most && making->n_rows > 1)
        add_states(making, events *= 2);
    return making->n_rows == 0 || finish(making, how, bytes, n);
}

enum refrain_status refrain_saved_states_make(struct refrain_trace *one, struct refrain_trace *other,
                                              const struct refrain_saved_states_options *how, unsigned char **bytes,
                                              size_t *n, struct refrain_error *error) {
    struct replays replays = {.how = how, .traces = {one, other}};
    *bytes = NULL;
    *n = 0;
    if (refrain_saved_states_key(one, how->build, how->compensate) !=
        refrain_saved_states_key(other, how->build, how->compensate))
        return REFRAIN_OK;
    if (how->each)
        how->each(replay, &replays, 2, how->of_each);
    else
        for (size_t i = 0; i < 2; i++)
            replay(&replays, i);
    struct making making = {.one = replays.cursors[0], .other = replays.cursors[1], .most = how->most_bytes};
    const bool replayed = making.one && making.other, made = replayed && make_bytes(&making, how, bytes, n);
    flat_close(&making.base);
    free(making.rows);
    free(making.bytes);
    for (size_t i = 0; i < 2; i++)
        if (replays.cursors[i])
            refrain_cursor_close(replays.cursors[i], NULL);
        else if (error && !error->code)
            *error = replays.errors[i];
    return !replayed ? REFRAIN_ERROR : made ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

/* ---- using them ---- */

/* True if the state's bytes are inside of the file, and its base is stored whole. */
static bool is_row_sound(const struct refrain_saved_states *states, uint64_t i) {
    const struct row *row = &rows_of(states)[i];
    return row->at % 8 == 0 && row->at <= states->bytes && row->bytes <= states->bytes - row->at &&
           row->bytes >= sizeof(struct lengths) && row->base <= i && rows_of(states)[row->base].base == row->base;
}

void (*refrain_saved_states_keeper)(struct refrain_trace *trace, bool compensate, int64_t time_ns, uint64_t passed);

bool refrain_saved_states_use(struct refrain_trace *trace, uint64_t build, bool compensate, const void *bytes,
                              size_t n) {
    const struct refrain_saved_states *states = bytes;
    bool sound = n >= sizeof *states && states->magic == MAGIC && states->bytes == n &&
                 states->n <= (n - sizeof *states) / sizeof(struct row) &&
                 states->checksum == checksum_of_table(states) && states->compensate == compensate &&
                 states->key == refrain_saved_states_key(trace, build, compensate);
    for (uint64_t i = 0; sound && i < states->n; i++)
        sound = is_row_sound(states, i);
    if (sound)
        trace->states = states;
    return sound;
}

size_t refrain_saved_states_count(const void *bytes, uint64_t *most_events) {
    const struct refrain_saved_states *states = bytes;
    *most_events = 0;
    for (uint64_t i = 1; i < states->n; i++)
        if (rows_of(states)[i].events - rows_of(states)[i - 1].events > *most_events)
            *most_events = rows_of(states)[i].events - rows_of(states)[i - 1].events;
    return (size_t)states->n;
}

/* Restores the words of a state from its bytes and `base` (null: it is stored whole). False if the bytes are damaged,
 * or without memory. */
static bool unpack(const struct refrain_saved_states *states, const struct row *row, const struct flat *base,
                   struct flat *flat) {
    const unsigned char *from = (const unsigned char *)states + row->at;
    struct lengths lengths;
    if (refrain_saved_sum(0, from, row->bytes) != row->checksum)
        return false;
    memcpy(&lengths, from, sizeof lengths);
    size_t left = row->bytes - sizeof lengths, words = lengths.words * 8, marks;
    if (lengths.words < POSITION_WORDS || lengths.words > SIZE_MAX / 64 || lengths.words_bytes > left ||
        lengths.marks_bytes != left - lengths.words_bytes)
        return false;
    marks = marks_words(lengths.words) * 8;
    from += sizeof lengths;
    if (!refrain_difference_fits(words, from, lengths.words_bytes) ||
        !refrain_difference_fits(marks, from + lengths.words_bytes, lengths.marks_bytes) ||
        !flat_open(flat, lengths.words))
        return false;
    refrain_difference_apply(flat->words, words, base ? base->words : NULL, base ? base->n * 8 : 0, from);
    refrain_difference_apply(flat->marks, marks, base ? base->marks : NULL, base ? marks_words(base->n) * 8 : 0,
                             from + lengths.words_bytes);
    return true;
}

static bool unpack_state(const struct refrain_saved_states *states, uint64_t i, struct flat *flat) {
    const struct row *row = &rows_of(states)[i];
    struct flat base = {0};
    bool sound = row->base == i || unpack(states, &rows_of(states)[row->base], NULL, &base);
    sound = sound && unpack(states, row, row->base == i ? NULL : &base, flat);
    flat_close(&base);
    return sound;
}

/* Adds the state's chunks to the arena. *at: index of the first word after their sizes. */
static bool add_chunks(struct refrain_arena *arena, const struct flat *flat, size_t lists_words, size_t *at) {
    size_t sizes = POSITION_WORDS + lists_words, n = flat->n > sizes ? flat->words[sizes] : 0;
    if (flat->n <= sizes || n > (flat->n - sizes - 1) / 2)
        return false;
    size_t left = flat->n - sizes - 1 - 2 * n;
    for (size_t i = 0; i < n; i++) {
        uint64_t bytes = flat->words[sizes + 1 + 2 * i], used = flat->words[sizes + 2 + 2 * i];
        if (used > bytes || used % 8 || used / 8 > left || bytes > SIZE_MAX / 8 ||
            !refrain_arena_add(arena, bytes, used))
            return false;
        left -= used / 8;
    }
    *at = sizes + 1 + 2 * n;
    return left == 0;
}

/* Copies words to memory, with addresses of this process. False if an address is in no part (saved_parts.h). */
static bool copy_words(const struct flat *flat, const struct refrain_saved_parts *parts, size_t at, void *to,
                       size_t bytes) {
    for (size_t i = 0; i < bytes / 8; i++, at++) {
        uint64_t word = flat->words[at];
        if ((flat->marks[at / 64] >> at % 64 & 1) && !refrain_saved_parts_address(parts, &word))
            return false;
        memcpy((unsigned char *)to + i * 8, &word, 8);
    }
    return true;
}

/* Makes the position and the arena of a state. Null if the state is damaged, or without memory. */
static struct refrain_arena *make_arena(const struct refrain_trace *trace, const struct flat *flat,
                                        struct refrain_cursor_position *position) {
    struct refrain_arena *arena = refrain_arena_open();
    struct refrain_saved_parts parts = {0};
    size_t lists_bytes, bytes, used, at;
    void *lists = arena ? refrain_arena_lists(arena, &lists_bytes) : NULL;
    bool sound = lists && add_chunks(arena, flat, lists_bytes / 8, &at);
    size_t n = sound ? flat->words[POSITION_WORDS + lists_bytes / 8] : 0;
    sound = sound && refrain_saved_parts_open_chunks(&parts, trace, arena, n) &&
            copy_words(flat, &parts, 0, position, sizeof *position) &&
            copy_words(flat, &parts, POSITION_WORDS, lists, lists_bytes) && refrain_arena_chunks(arena) == n;
    for (size_t i = 0; sound && i < n; i++) {
        void *chunk = refrain_arena_chunk(arena, i, &bytes, &used);
        sound = copy_words(flat, &parts, at, chunk, used);
        at += used / 8;
    }
    refrain_saved_parts_close(&parts);
    if (sound)
        return arena;
    refrain_arena_close(arena);
    return NULL;
}

/* Index of the last state before time_ns; states->n if there is none. */
static uint64_t last_before(const struct refrain_saved_states *states, int64_t time_ns) {
    uint64_t found = states->n;
    for (uint64_t i = 0; i < states->n && rows_of(states)[i].now_ns < time_ns; i++)
        found = i;
    return found;
}

/* True if states can exist for the options of the cursor. */
static bool may_have_states(const struct refrain_cursor *cursor, int64_t time_ns) {
    const struct refrain_cursor_options *options = &cursor->options;
    return time_ns > 0 && !cursor->turns && !options->checkpoint_bytes && !options->recorded && !options->unaligned &&
           !options->at_once;
}

/* The trace's states with the cursor's kind of times; null if there are none. */
static const struct refrain_saved_states *states_of(const struct refrain_cursor *cursor) {
    const struct refrain_saved_states *states = cursor->trace->states;
    return states && states->compensate == cursor->options.compensate ? states : NULL;
}

bool refrain_saved_state_load(struct refrain_cursor *cursor, int64_t time_ns) {
    if (!may_have_states(cursor, time_ns))
        return false;
    if (refrain_saved_states_keeper && !states_of(cursor))
        refrain_saved_states_keeper(cursor->trace, cursor->options.compensate, time_ns, 0);
    const struct refrain_saved_states *states = states_of(cursor);
    uint64_t i = states ? last_before(states, time_ns) : 0;
    bool is_there = cursor->position.align && cursor->position.now_ns < time_ns;
    if (!states || i == states->n || (is_there && cursor->position.events >= rows_of(states)[i].events))
        return false;
    struct flat flat = {0};
    struct refrain_cursor_position position;
    struct refrain_arena *arena = unpack_state(states, i, &flat) ? make_arena(cursor->trace, &flat, &position) : NULL;
    flat_close(&flat);
    if (arena && cursor->follower && !position.followed) {
        refrain_arena_close(arena);
        arena = NULL;
    }
    if (!arena)
        return false;
    refrain_cursor_close_position(cursor);
    refrain_arena_close(cursor->arena);
    cursor->arena = arena;
    cursor->position = position;
    if (cursor->follower && cursor->follower->loaded) {
        struct refrain_arena *before = refrain_arena_use(arena);
        cursor->follower->loaded(position.followed);
        refrain_arena_use(before);
    }
    return true;
}

void refrain_saved_states_missed(struct refrain_cursor *cursor, int64_t time_ns) {
    if (refrain_saved_states_keeper && may_have_states(cursor, time_ns) && !states_of(cursor))
        refrain_saved_states_keeper(cursor->trace, cursor->options.compensate, time_ns, cursor->position.events);
}
