/* cursor.c: the events of a trace, one at a time (refrain/read.h). */
#include "location_stream.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* The regions that a location is in. */
struct stack {
    struct refrain_open_region *regions;
    size_t n, capacity;
};

struct refrain_cursor {
    struct refrain_trace *trace;
    struct refrain_cursor_options options;
    bool *wanted; /* by rank; null: all */
    size_t n_wanted;
    struct refrain_location_stream *locations;
    struct refrain_stream **streams;
    size_t n;
    struct refrain_align *align;
    struct stack *stacks;      /* by location */
    struct refrain_event held; /* the next event, read but not given */
    size_t held_location;
    bool has_held;
    struct refrain_error error; /* met on the way */
};

/* ---- opening ---- */

static enum refrain_status choose_ranks(struct refrain_cursor *cursor, struct refrain_error *error) {
    const struct refrain_cursor_options *options = &cursor->options;
    if (!options->ranks)
        return REFRAIN_OK;
    const struct refrain_trace *trace = cursor->trace;
    cursor->n_wanted = (size_t)trace->size;
    cursor->wanted = calloc(cursor->n_wanted + 1, sizeof *cursor->wanted);
    if (!cursor->wanted)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < options->n_ranks; i++) {
        int32_t rank = options->ranks[i];
        if (!refrain_trace_process(trace, rank))
            return REFRAIN_FAIL_USAGE(error, "%s: holds no rank %d (it has %zu of %d ranks)", trace->path, rank,
                                      trace->n_processes, trace->size);
        cursor->wanted[rank] = true;
    }
    cursor->options.ranks = NULL;
    return REFRAIN_OK;
}

static void close_locations(struct refrain_cursor *cursor) {
    refrain_align_close(cursor->align);
    cursor->align = NULL;
    for (size_t i = 0; i < cursor->n; i++)
        refrain_location_stream_close(&cursor->locations[i]);
    for (size_t i = 0; i < cursor->n; i++)
        cursor->stacks[i].n = 0;
    cursor->n = 0;
    cursor->has_held = false;
}

/* Opens all locations, before the first event of the trace. All ranks are replayed whichever are wanted, since the
 * times of one depend on the others. */
static enum refrain_status open_locations(struct refrain_cursor *cursor, struct refrain_error *error) {
    const struct refrain_trace *trace = cursor->trace;
    enum refrain_status status = REFRAIN_OK;
    memset(cursor->locations, 0, trace->n_locations * sizeof *cursor->locations);
    for (size_t i = 0; !status && i < trace->n_locations; i++) {
        const struct refrain_location_info *info = &trace->locations[i];
        status = refrain_location_stream_open(&cursor->locations[i], refrain_trace_process(trace, info->rank),
                                              info->thread, cursor->options.recorded, error);
        cursor->streams[i] = &cursor->locations[i].stream;
        cursor->n = i + 1;
    }
    if (status)
        return status;
    cursor->align =
        refrain_align_open(cursor->streams, cursor->n, !cursor->options.recorded && !cursor->options.unaligned);
    return cursor->align ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

static void free_cursor(struct refrain_cursor *cursor) {
    close_locations(cursor);
    for (size_t i = 0; cursor->stacks && i < cursor->trace->n_locations; i++)
        free(cursor->stacks[i].regions);
    free(cursor->stacks);
    free(cursor->wanted);
    free(cursor->locations);
    free(cursor->streams);
    free(cursor);
}

enum refrain_status refrain_cursor_open(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                        struct refrain_cursor **result, struct refrain_error *error) {
    static const struct refrain_cursor_options all = REFRAIN_CURSOR_ALL;
    *result = NULL;
    struct refrain_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return REFRAIN_FAIL_MEMORY(error);
    cursor->trace = trace;
    cursor->options = options ? *options : all;
    cursor->locations = calloc(trace->n_locations + 1, sizeof *cursor->locations);
    cursor->streams = calloc(trace->n_locations + 1, sizeof *cursor->streams);
    cursor->stacks = calloc(trace->n_locations + 1, sizeof *cursor->stacks);
    enum refrain_status status =
        cursor->locations && cursor->streams && cursor->stacks ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    if (!status)
        status = refrain_replayable(trace, cursor->options.recorded, error);
    if (!status)
        status = choose_ranks(cursor, error);
    if (!status)
        status = open_locations(cursor, error);
    if (!status && cursor->options.from_ns != REFRAIN_TIME_FIRST)
        status = refrain_cursor_seek(cursor, cursor->options.from_ns, error);
    if (status)
        free_cursor(cursor);
    else
        *result = cursor;
    return status;
}

/* ---- events ---- */

static bool is_wanted(const struct refrain_cursor *cursor, int32_t rank) {
    return !cursor->wanted || ((size_t)rank < cursor->n_wanted && cursor->wanted[rank]);
}

/* Follows the regions that the event's location is in. */
static bool follow(struct refrain_cursor *cursor, size_t location, const struct refrain_event *event) {
    struct stack *stack = &cursor->stacks[location];
    if (event->kind == REFRAIN_EVENT_LEAVE)
        stack->n -= stack->n > 0;
    if (event->kind != REFRAIN_EVENT_ENTER)
        return true;
    if (stack->n == stack->capacity) {
        size_t capacity = stack->capacity ? stack->capacity * 2 : 16;
        struct refrain_open_region *regions = realloc(stack->regions, capacity * sizeof *regions);
        if (!regions) {
            REFRAIN_FAIL_MEMORY(&cursor->error);
            return false;
        }
        stack->regions = regions;
        stack->capacity = capacity;
    }
    stack->regions[stack->n++] = (struct refrain_open_region){event->region, event->time_ns, event->approximate};
    return true;
}

/* The next event of all; null at the end. It is behind the cursor once it has been followed. */
static const struct refrain_event *peek(struct refrain_cursor *cursor, size_t *location) {
    if (cursor->has_held) {
        *location = cursor->held_location;
        return &cursor->held;
    }
    const struct refrain_event *event = cursor->error.code ? NULL : refrain_align_next(cursor->align);
    if (!event && refrain_align_failed(cursor->align))
        REFRAIN_FAIL_MEMORY(&cursor->error);
    *location = refrain_align_location(cursor->align);
    return event;
}

static void hold(struct refrain_cursor *cursor, const struct refrain_event *event, size_t location) {
    if (!cursor->has_held)
        cursor->held = *event;
    cursor->held_location = location;
    cursor->has_held = true;
}

const struct refrain_event *refrain_cursor_next(struct refrain_cursor *cursor) {
    const struct refrain_event *event;
    size_t location;
    while ((event = peek(cursor, &location))) {
        if (event->time_ns >= cursor->options.to_ns) {
            hold(cursor, event, location);
            return NULL;
        }
        cursor->has_held = false;
        if (!follow(cursor, location, event))
            return NULL;
        if (is_wanted(cursor, event->rank))
            return event;
    }
    return NULL;
}

/* Goes on to the first event at or after time_ns. */
static void pass(struct refrain_cursor *cursor, int64_t time_ns) {
    const struct refrain_event *event;
    size_t location;
    while ((event = peek(cursor, &location))) {
        if (event->time_ns >= time_ns) {
            hold(cursor, event, location);
            return;
        }
        cursor->has_held = false;
        if (!follow(cursor, location, event))
            return;
    }
}

const struct refrain_open_region *refrain_cursor_open_regions(const struct refrain_cursor *cursor, size_t location,
                                                              size_t *n) {
    bool is_there = location < cursor->n && is_wanted(cursor, cursor->trace->locations[location].rank);
    *n = is_there ? cursor->stacks[location].n : 0;
    return is_there ? cursor->stacks[location].regions : NULL;
}

enum refrain_status refrain_cursor_seek(struct refrain_cursor *cursor, int64_t time_ns, struct refrain_error *error) {
    close_locations(cursor);
    enum refrain_status status = open_locations(cursor, error);
    if (!status)
        pass(cursor, time_ns);
    return status;
}

void refrain_cursor_set_end(struct refrain_cursor *cursor, int64_t to_ns) {
    cursor->options.to_ns = to_ns;
}

void refrain_cursor_report(const struct refrain_cursor *cursor, struct refrain_cursor_report *report) {
    memset(report, 0, sizeof *report);
    if (cursor->align)
        refrain_align_report(cursor->align, report);
}

enum refrain_status refrain_cursor_close(struct refrain_cursor *cursor, struct refrain_error *error) {
    if (!cursor)
        return REFRAIN_OK;
    enum refrain_status status = cursor->error.code;
    if (status && error && error->code == REFRAIN_OK)
        *error = cursor->error;
    for (size_t i = 0; !status && i < cursor->n; i++)
        status = refrain_location_stream_status(&cursor->locations[i], error);
    free_cursor(cursor);
    return status;
}
