/* engine.c: the functions that the page's worker calls (page/engine.ts). They and the reading library are compiled to
 * WebAssembly.
 *
 * An engine has one trace, one cursor and one picture. All data that change during the replay lie in one arena, so the
 * page goes back in time by restoring a checkpoint of it (match/checkpoint.h). The same WebAssembly program also runs
 * in `refrain view` (view_machine.h), with the chunks of the arena at the same addresses, so the page can load
 * checkpoints that `refrain view` made. Numbers are doubles and 32-bit integers, the ones that JavaScript shares with
 * C. */
#include "analysis/followed.h"
#include "match/checkpoint.h"
#include "match/replay.h"
#include "match/saved_parts.h"
#include "model/trace_read.h"
#include "view/picture_colours.h"
#include "view/view_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name

#define MOST_IMAGES (1u << 20)
/* Size of the first chunk of the arena; most runs need no second one. */
#define FIRST_CHUNK_BYTES (4u << 20)
#define PAGE_BYTES 65536u /* WebAssembly's memory grows by pages */

/* page/protocol.ts reads the fields of these records by their offsets. */
_Static_assert(sizeof(struct refrain_picture_location) == 24, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_span) == 56, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_segment) == 32, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_operation) == 64, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_message) == 56, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_collective) == 64, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_share) == 12, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_total) == 32, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_pair) == 32, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_wait) == 32, "as the page reads it");
_Static_assert(sizeof(struct refrain_picture_end) == 32, "as the page reads it");

enum list {
    LIST_SPANS,
    LIST_SEGMENTS,
    LIST_OPERATIONS,
    LIST_MESSAGES,
    LIST_COLLECTIVES,
    LIST_SHARES,
    LIST_PAIRS,
    LIST_ENDS,
    LISTS
};

enum step { STEP_FAILED = -1, STEP_MORE, STEP_DONE, STEP_ENDED };

static struct {
    struct refrain_image *images;
    size_t n_images;
    struct refrain_trace *trace;
    struct refrain_arena *arena;
    struct refrain_cursor *cursor;
    struct refrain_followed *followed; /* the state that follows the cursor */
    struct refrain_picture *picture;   /* the one of `followed` */
    struct refrain_symbol *symbols;    /* sorted by refrain_symbol_compare() */
    size_t n_symbols;
    struct refrain_error error;
} engine;

static int out_of_memory(void) {
    snprintf(engine.error.message, sizeof engine.error.message, "out of memory");
    return 1;
}

/* Allocates memory that the page fills. Null without memory. */
void *EXPORT(engine_reserve)(size_t bytes) {
    return malloc(bytes ? bytes : 1);
}

/* Adds the image of one rank, which its recorded events may follow. 0 if it succeeds; else engine_error() returns the
 * reason. */
int EXPORT(engine_add)(const void *bytes, size_t length, const char *name) {
    struct refrain_image *images = realloc(engine.images, (engine.n_images + 1) * sizeof *images);
    if (!images || engine.n_images >= MOST_IMAGES)
        return out_of_memory();
    engine.images = images;
    struct refrain_image image = {.name = name, .bytes = bytes, .length = length};
    const struct refrain_header *header = bytes;
    if (length > REFRAIN_HEADER_BYTES && header->mode == REFRAIN_MODE_EVENTS && header->pool_used % 8 == 0 &&
        header->pool_used < length) {
        image.length = (size_t)header->pool_used;
        image.events = (const unsigned char *)bytes + image.length;
        image.events_length = length - image.length;
    }
    images[engine.n_images++] = image;
    return 0;
}

static struct refrain_picture_list *list_of(int list) {
    struct refrain_picture *picture = engine.picture;
    struct refrain_picture_list *const lists[] = {&picture->spans,    &picture->segments,    &picture->operations,
                                                  &picture->messages, &picture->collectives, &picture->shares,
                                                  &picture->pairs,    &picture->ends};
    return lists[list];
}

/* ---- names of code addresses, which refrain view looked up ---- */

static void resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n) {
    (void)trace;
    for (size_t i = 0; i < n; i++) {
        const struct refrain_symbol *known =
            bsearch(&symbols[i], engine.symbols, engine.n_symbols, sizeof *engine.symbols, refrain_symbol_compare);
        if (!known)
            continue;
        symbols[i].function = known->function;
        symbols[i].file = known->file;
        symbols[i].line = known->line;
    }
}

/* Sets the names from the bytes that refrain_view_symbols_write() made. Caller keeps the bytes. 0, or 1 without memory.
 */
int EXPORT(engine_symbols)(const char *bytes, size_t length) {
    engine.symbols = refrain_view_symbols_read(bytes, length, &engine.n_symbols);
    return engine.symbols ? 0 : 1;
}

/* Adds pages to the program's memory. They are zero and belong to no other allocator. Null if there are no more. */
static void *grow(size_t *bytes) {
    size_t pages = (*bytes + PAGE_BYTES - 1) / PAGE_BYTES, at = __builtin_wasm_memory_grow(0, pages);
    *bytes = pages * PAGE_BYTES;
    return at == SIZE_MAX ? NULL : (void *)(at * PAGE_BYTES);
}

int EXPORT(engine_open)(void) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    if (refrain_trace_open_resolved(engine.images, engine.n_images, resolve, &engine.trace, &engine.error))
        return 1;
    options.recorded = engine.images[0].events != NULL;
    options.at_once = true;
    engine.arena = refrain_arena_open_from(grow);
    const struct refrain_replay replay = {.arena = engine.arena, .follower = &refrain_picture_follower};
    if (!engine.arena || !refrain_arena_add(engine.arena, FIRST_CHUNK_BYTES, 0))
        return out_of_memory();
    if (refrain_cursor_open_as(engine.trace, &options, &replay, &engine.cursor, &engine.error))
        return 1;
    engine.followed = engine.cursor->position.followed;
    engine.picture = engine.followed->pictures;
    return 0;
}

const char *EXPORT(engine_error)(void) {
    return engine.error.message[0] ? engine.error.message : "the trace cannot be read";
}

const struct refrain_picture_location *EXPORT(engine_locations)(void) {
    return engine.picture->locations;
}

uint32_t EXPORT(engine_n_locations)(void) {
    return engine.picture->n_locations;
}

uint32_t EXPORT(engine_n_regions)(void) {
    return engine.picture->n_regions;
}

/* Attributes of a region. Records refer to regions by `index`; engine_n_regions() itself is the unknown region. The
 * page takes names and colours from here only, so they fit the indices. */
uint32_t EXPORT(engine_region_kind)(uint32_t index) {
    return refrain_picture_region(engine.picture, index)->kind;
}

const char *EXPORT(engine_region_name)(uint32_t index) {
    return refrain_picture_region(engine.picture, index)->name;
}

const char *EXPORT(engine_region_file)(uint32_t index) {
    return refrain_picture_region(engine.picture, index)->file;
}

uint32_t EXPORT(engine_region_line)(uint32_t index) {
    return refrain_picture_region(engine.picture, index)->line;
}

const char *EXPORT(engine_region_function)(uint32_t index) {
    return refrain_picture_region(engine.picture, index)->function;
}

/* 0xrrggbb. */
uint32_t EXPORT(engine_region_colour)(uint32_t index) {
    return refrain_region_colour(refrain_picture_region(engine.picture, index));
}

/* The number of communicators, and the name of one; "" if it has none. */
uint32_t EXPORT(engine_n_comms)(void) {
    return (uint32_t)engine.trace->n_comms;
}

const char *EXPORT(engine_comm_name)(uint32_t index) {
    return engine.trace->comms[index].name;
}

double EXPORT(engine_end_ns)(void) {
    return engine.picture->end_ns;
}

double EXPORT(engine_last_ns)(void) {
    return engine.picture->last_ns;
}

double EXPORT(engine_events)(void) {
    return (double)engine.picture->events;
}

/* The number of waits of senders that are not shown, since they were known only after their events had been drawn. */
double EXPORT(engine_unseen)(void) {
    return (double)refrain_settled_unseen(engine.followed->settled);
}

/* Sets the window of the picture. 0, or 1 without memory. */
int EXPORT(engine_window)(double from_ns, double to_ns, uint32_t n_bins, int keeps_spans) {
    return refrain_picture_window(engine.picture, from_ns, to_ns, n_bins, keeps_spans != 0) ? 0 : 1;
}

void EXPORT(engine_keep_spans)(int keeps_spans) {
    engine.picture->keeps_spans = keeps_spans != 0;
}

/* Replays up to n_events events into the picture. STEP_DONE: all further events are after the window. STEP_ENDED: there
 * are no more events. */
int EXPORT(engine_step)(uint32_t n_events) {
    enum step step = STEP_MORE;
    for (uint32_t i = 0; i < n_events && step == STEP_MORE; i++)
        if (!refrain_cursor_step(engine.cursor)) {
            refrain_arena_use(engine.arena);
            refrain_followed_end(engine.followed);
            refrain_arena_use(NULL);
            step = engine.picture->done ? STEP_DONE : STEP_ENDED;
        } else if (engine.picture->done)
            step = STEP_DONE;
    if (!engine.cursor->error.code && !engine.picture->no_memory)
        return step;
    out_of_memory();
    return STEP_FAILED;
}

/* Asks for the ends of the spans that are open now; with `later` also of spans that begin later. */
void EXPORT(engine_mark)(int later) {
    refrain_picture_mark(engine.picture, later != 0);
}

/* Ends the replay of a window: appends the spans that are still open, and lists the pairs of ranks. `ended`: the trace
 * is at its end. */
void EXPORT(engine_finish)(int ended) {
    refrain_arena_use(engine.arena);
    refrain_picture_finish(engine.picture, ended != 0);
    refrain_arena_use(NULL);
    refrain_picture_list_pairs(engine.picture);
}

/* 0 if the part replayed so far has no damage; else engine_error() describes it. */
int EXPORT(engine_check)(void) {
    return (int)refrain_cursor_status(engine.cursor, &engine.error);
}

const void *EXPORT(engine_items)(int list) {
    return list_of(list)->items;
}

size_t EXPORT(engine_count)(int list) {
    return list_of(list)->n;
}

/* Empties a list after the page has copied it. */
void EXPORT(engine_clear)(int list) {
    if (list == LIST_OPERATIONS)
        engine.picture->n_operations_copied += engine.picture->operations.n;
    list_of(list)->n = 0;
}

const struct refrain_picture_total *EXPORT(engine_totals)(void) {
    return engine.picture->totals;
}

const struct refrain_picture_wait *EXPORT(engine_waits)(void) {
    return engine.picture->waits;
}

uint32_t EXPORT(engine_n_waits)(void) {
    return engine.picture->n_waits;
}

/* ---- checkpoints ---- */

/* Makes a checkpoint of the replay. Null without memory. */
struct refrain_checkpoint *EXPORT(engine_keep)(void) {
    struct refrain_checkpoint *checkpoint = malloc(sizeof *checkpoint);
    if (checkpoint && refrain_checkpoint_take(engine.cursor, checkpoint))
        return checkpoint;
    free(checkpoint);
    return NULL;
}

/* Goes back to a checkpoint. Records that the page has not copied are lost. */
void EXPORT(engine_restore)(const struct refrain_checkpoint *checkpoint) {
    struct refrain_picture_list
        lists[LISTS]; /* The lists are not in the arena, and may have grown since the checkpoint. */
    for (int list = 0; list < LISTS; list++)
        lists[list] = *list_of(list);
    refrain_checkpoint_restore(engine.cursor, checkpoint);
    for (int list = 0; list < LISTS; list++)
        *list_of(list) = (struct refrain_picture_list){lists[list].items, 0, lists[list].capacity};
}

void EXPORT(engine_drop)(struct refrain_checkpoint *checkpoint) {
    refrain_checkpoint_drop(engine.cursor, checkpoint);
    free(checkpoint);
}

/* Bytes of one checkpoint, without the copy that it differs from. Null: bytes of all checkpoints and all copies. */
double EXPORT(engine_kept_bytes)(const struct refrain_checkpoint *checkpoint) {
    return checkpoint ? (double)refrain_arena_copy_bytes(checkpoint->memory) : (double)engine.cursor->checkpoint_bytes;
}

/* ---- checkpoints as bytes, for an engine that was opened with the same calls (view_ahead.c, page/ahead.ts) ---- */

/* A checksum of the state after opening: contents and addresses of the arena and the size of the memory before it. Two
 * engines with equal sums can exchange checkpoints. */
uint32_t EXPORT(engine_opened)(void) {
    uint64_t sum = __builtin_wasm_memory_size(0);
    for (size_t i = 0; i < refrain_arena_chunks(engine.arena); i++) {
        size_t bytes, used;
        const void *chunk = refrain_arena_chunk(engine.arena, i, &bytes, &used);
        const uint64_t place[] = {(uintptr_t)chunk, bytes};
        sum = refrain_saved_sum(refrain_saved_sum(sum, place, sizeof place), chunk, used);
    }
    return (uint32_t)(sum ^ sum >> 32);
}

/* Address and size of the i-th chunk of the arena; null after the last one. */
const void *EXPORT(engine_chunk)(uint32_t i) {
    size_t bytes, used;
    return i < refrain_arena_chunks(engine.arena) ? refrain_arena_chunk(engine.arena, i, &bytes, &used) : NULL;
}

uint32_t EXPORT(engine_chunk_bytes)(uint32_t i) {
    size_t bytes, used;
    refrain_arena_chunk(engine.arena, i, &bytes, &used);
    return (uint32_t)bytes;
}

/* Provides a chunk with the same address and size as in another engine: this engine's own one, or a new one, for which
 * the memory grows up to `at`. 0, or 1 if this is impossible. */
int EXPORT(engine_add_chunk)(uint32_t i, uint32_t at, uint32_t bytes) {
    size_t end = __builtin_wasm_memory_size(0), before = at / PAGE_BYTES;
    if (i < refrain_arena_chunks(engine.arena))
        return (uintptr_t)engine_chunk(i) != at || engine_chunk_bytes(i) != bytes;
    if (before < end || __builtin_wasm_memory_grow(0, before - end) == SIZE_MAX)
        return 1;
    return (uintptr_t)refrain_arena_add(engine.arena, bytes, 0) != at;
}

uint32_t EXPORT(engine_checkpoint_bytes)(void) {
    return sizeof(struct refrain_checkpoint);
}

/* A checkpoint's copy of the arena; the size of a copy; the copy that it is the difference from, or null. */
const struct refrain_arena_copy *EXPORT(engine_copy)(const struct refrain_checkpoint *checkpoint) {
    return checkpoint->memory;
}

uint32_t EXPORT(engine_copy_bytes)(const struct refrain_arena_copy *copy) {
    return (uint32_t)refrain_arena_copy_bytes(copy);
}

const struct refrain_arena_copy *EXPORT(engine_copy_base)(const struct refrain_arena_copy *copy) {
    return refrain_arena_copy_base(copy);
}

/* Makes a copy of the arena, and a checkpoint, from bytes of another engine. Both take over the memory of `bytes`,
 * which engine_reserve() allocated. */
struct refrain_arena_copy *EXPORT(engine_load_copy)(void *bytes, struct refrain_arena_copy *base) {
    struct refrain_arena_copy *copy = refrain_arena_copy_of(bytes, base);
    engine.cursor->checkpoint_bytes += refrain_arena_copy_bytes(copy);
    return copy;
}

struct refrain_checkpoint *EXPORT(engine_load)(void *bytes, struct refrain_arena_copy *copy) {
    struct refrain_checkpoint *checkpoint = bytes;
    checkpoint->memory = refrain_arena_copy_hold(copy);
    return checkpoint;
}
