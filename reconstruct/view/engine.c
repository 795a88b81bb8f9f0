/* engine.c: what the page's worker calls: the reading library and a picture, compiled to WebAssembly (page/engine.ts).
 *
 * One trace, one cursor, one picture. All state is in memory, so that the page goes back in time by copying back what
 * it kept of it. Numbers are doubles and 32-bit integers, since JavaScript has these. */
#include "analysis/waiting_settled.h"
#include "model/trace_read.h"
#include "view/picture.h"
#include "view/picture_colours.h"
#include "view/view_keep.h"
#include "view/view_symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), used)) name

#define MOST_IMAGES (1u << 20)
#define RESERVED_RECORDS 16384u
/* Memory that is had from the start, so that going back and forth does not make it grow time and again. */
#define HEADROOM_BYTES (8u << 20)

/* The records are read byte by byte (page/protocol.ts). */
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
    LIST_ENDS
};

enum step { STEP_FAILED = -1, STEP_MORE, STEP_DONE, STEP_ENDED };

static struct {
    struct refrain_image *images;
    size_t n_images;
    struct refrain_trace *trace;
    struct refrain_cursor *cursor;
    struct refrain_settled *settled;
    struct refrain_picture *picture;
    struct refrain_symbol *symbols; /* in order */
    size_t n_symbols;
    struct refrain_error error;
} engine;

/* Which states are kept (view_keep.h). */
uint32_t EXPORT(engine_most_words)(uint32_t key_words) {
    return refrain_keep_most_words(key_words);
}

int EXPORT(engine_stays)(uint32_t n) {
    return refrain_keep_stays(n);
}

/* Memory for bytes that the page puts in; 0 without memory. */
void *EXPORT(engine_reserve)(size_t bytes) {
    return malloc(bytes ? bytes : 1);
}

/* Adds the image of one rank; behind it there may be its recorded events. 0, or another number: engine_error
 * says why. */
int EXPORT(engine_add)(const void *bytes, size_t length, const char *name) {
    struct refrain_image *images = realloc(engine.images, (engine.n_images + 1) * sizeof *images);
    if (!images || engine.n_images >= MOST_IMAGES) {
        snprintf(engine.error.message, sizeof engine.error.message, "out of memory");
        return 1;
    }
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

static const size_t record_bytes[] = {sizeof(struct refrain_picture_span),       sizeof(struct refrain_picture_segment),
                                      sizeof(struct refrain_picture_operation),  sizeof(struct refrain_picture_message),
                                      sizeof(struct refrain_picture_collective), sizeof(struct refrain_picture_share),
                                      sizeof(struct refrain_picture_pair),       sizeof(struct refrain_picture_end)};

/* Room for what a step gives. It holds zeros whenever the page keeps the state (engine_take), so that this costs
 * nothing. */
static bool reserve_lists(void) {
    for (int list = LIST_SPANS; list <= LIST_ENDS; list++) {
        struct refrain_picture_list *of = list_of(list);
        of->items = calloc(RESERVED_RECORDS, record_bytes[list]);
        of->capacity = of->items ? RESERVED_RECORDS : 0;
        if (!of->items)
            return false;
    }
    return true;
}

/* ---- names of code addresses: what refrain view found out of them ---- */

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

/* Bytes as refrain_view_symbols_write made them; they stay. 0, or 1 without memory. */
int EXPORT(engine_symbols)(const char *bytes, size_t length) {
    engine.symbols = refrain_view_symbols_read(bytes, length, &engine.n_symbols);
    return engine.symbols ? 0 : 1;
}

int EXPORT(engine_open)(void) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    if (refrain_trace_open_resolved(engine.images, engine.n_images, resolve, &engine.trace, &engine.error))
        return 1;
    options.recorded = engine.images[0].events != NULL;
    options.at_once = true;
    if (refrain_cursor_open(engine.trace, &options, &engine.cursor, &engine.error))
        return 1;
    engine.picture = refrain_picture_open(engine.trace);
    engine.settled = refrain_settled_open(engine.trace);
    if (!engine.picture || !engine.settled || !reserve_lists()) {
        snprintf(engine.error.message, sizeof engine.error.message, "out of memory");
        return 1;
    }
    void *volatile headroom = malloc(HEADROOM_BYTES); /* volatile, or the compiler leaves it out */
    free(headroom);
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

/* What the page shows of a region, index <= engine_n_regions, the last of which is the unknown one: the only source of
 * its names and colours, so that they are those of the indices in records. */
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

/* The same of a communicator; "" has no name. */
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

/* Waits of senders that are not shown, since they were found out too late. */
double EXPORT(engine_unseen)(void) {
    return (double)refrain_settled_unseen(engine.settled);
}

/* The window from now on. */
int EXPORT(engine_window)(double from_ns, double to_ns, uint32_t n_bins, int keeps_spans) {
    return refrain_picture_window(engine.picture, from_ns, to_ns, n_bins, keeps_spans != 0) ? 0 : 1;
}

void EXPORT(engine_keep_spans)(int keeps_spans) {
    engine.picture->keeps_spans = keeps_spans != 0;
}

/* Feeds the picture so many events. STEP_DONE: the rest lies behind the window; STEP_ENDED: there are no more. */
int EXPORT(engine_step)(uint32_t n_events) {
    enum step step = STEP_MORE;
    for (uint32_t i = 0; i < n_events && step == STEP_MORE; i++) {
        const struct refrain_event *event = refrain_settled_next(engine.settled, engine.cursor);
        if (!event)
            step = STEP_ENDED;
        else if (refrain_picture_event(engine.picture, event) == REFRAIN_PICTURE_DONE)
            step = STEP_DONE;
    }
    if (!refrain_settled_failed(engine.settled) && !engine.picture->no_memory)
        return step;
    snprintf(engine.error.message, sizeof engine.error.message, "out of memory");
    return STEP_FAILED;
}

/* The ends of the spans that are open now are wanted, and with `later` of those that begin later. */
void EXPORT(engine_mark)(int later) {
    refrain_picture_mark(engine.picture, later != 0);
}

/* Gives what is still open, and the pairs of ranks. */
void EXPORT(engine_finish)(int ended) {
    refrain_picture_finish(engine.picture, ended != 0);
    refrain_picture_list_pairs(engine.picture);
}

/* Closes the cursor after the last event: 0, or engine_error says what is damaged. */
int EXPORT(engine_check)(void) {
    enum refrain_status status = refrain_cursor_close(engine.cursor, &engine.error);
    engine.cursor = NULL;
    return (int)status;
}

const void *EXPORT(engine_items)(int list) {
    return list_of(list)->items;
}

size_t EXPORT(engine_count)(int list) {
    return list_of(list)->n;
}

/* The page has copied them. */
void EXPORT(engine_take)(int list) {
    if (list == LIST_OPERATIONS)
        engine.picture->n_operations_given += engine.picture->operations.n;
    memset(list_of(list)->items, 0, list_of(list)->n * record_bytes[list]);
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
