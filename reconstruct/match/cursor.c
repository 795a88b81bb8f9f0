/* cursor.c: delivers the events of a trace, one at a time (refrain/read.h). */
#include "common/array.h"
#include "common/options.h"
#include "match/align_next.h"
#include "match/checkpoint.h"
#include "match/replay.h"
#include "match/replayable.h"
#include "match/saved_states.h"

#include <stdlib.h>
#include <string.h>

#define MOST_CHECKPOINTS 1024u
#define FIRST_INTERVAL 65536u           /* events between two checkpoints; doubled when the checkpoints no longer fit */
#define NO_INTERVAL ((uint64_t)1 << 63) /* no checkpoints are kept */

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

static struct refrain_arena *enter(const struct refrain_cursor *cursor) {
    return cursor->arena ? refrain_arena_use(cursor->arena) : NULL;
}

static void leave(const struct refrain_cursor *cursor, struct refrain_arena *before) {
    if (cursor->arena)
        refrain_arena_use(before);
}

void refrain_cursor_close_position(struct refrain_cursor *cursor) {
    struct refrain_cursor_position *position = &cursor->position;
    if (!cursor->arena) {
        if (position->followed)
            cursor->follower->close(position->followed);
        refrain_align_close(position->align);
        for (size_t i = 0; i < position->n; i++)
            refrain_location_stream_close(&position->locations[i]);
        for (size_t i = 0; position->stacks && i < position->n; i++)
            refrain_free(position->stacks[i].regions);
        refrain_free(position->locations);
        refrain_free(position->streams);
        refrain_free(position->stacks);
    }
    memset(position, 0, sizeof *position);
}

/* The arguments of open_location(), which may run in several threads. */
struct opening {
    struct refrain_cursor *cursor;
    struct refrain_error *errors; /* by location */
};

static void open_location(void *data, size_t i) {
    struct opening *opening = data;
    struct refrain_cursor *cursor = opening->cursor;
    const struct refrain_location_info *info = &cursor->trace->locations[i];
    struct refrain_location_stream *location = &cursor->position.locations[i];
    refrain_location_stream_open(location, refrain_trace_process(cursor->trace, info->rank), info->thread,
                                 &cursor->options, &opening->errors[i]);
}

/* Opens the locations, by several threads if the caller has them (options->each): to open the location of a long run
 * may take a replay of it. */
static enum refrain_status open_locations(struct refrain_cursor *cursor, struct refrain_error *error) {
    const struct refrain_cursor_options *options = &cursor->options;
    const size_t n = cursor->trace->n_locations;
    enum refrain_status status = REFRAIN_OK;
    struct opening opening = {cursor, calloc(n + 1, sizeof *opening.errors)};
    if (!opening.errors)
        return REFRAIN_FAIL_MEMORY(error);
    cursor->position.n = n;
    if (options->each && !cursor->arena)
        options->each(open_location, &opening, n, options->of_each);
    else
        for (size_t i = 0; i < n && (i == 0 || !opening.errors[i - 1].code); i++)
            open_location(&opening, i);
    for (size_t i = 0; i < n && !status; i++)
        if ((status = opening.errors[i].code) && error && !error->code)
            *error = opening.errors[i];
    free(opening.errors);
    return status;
}

/* Opens all locations, and moves the cursor before the first event. Ranks that are not wanted are replayed, too, since
 * the times of one rank depend on the others. */
static enum refrain_status open_position(struct refrain_cursor *cursor, struct refrain_error *error) {
    const struct refrain_trace *trace = cursor->trace;
    const struct refrain_cursor_options *options = &cursor->options;
    struct refrain_cursor_position *position = &cursor->position;
    position->now_ns = INT64_MIN;
    position->locations = refrain_calloc(trace->n_locations + 1, sizeof *position->locations);
    position->streams = refrain_calloc(trace->n_locations + 1, sizeof *position->streams);
    position->stacks = refrain_calloc(trace->n_locations + 1, sizeof *position->stacks);
    if (cursor->follower)
        position->followed = cursor->follower->open(trace);
    if (!position->locations || !position->streams || !position->stacks || (cursor->follower && !position->followed))
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = open_locations(cursor, error);
    if (status)
        return status;
    for (size_t i = 0; i < position->n; i++)
        position->streams[i] = refrain_location_stream_events(&position->locations[i]);
    bool as_they_are = options->recorded || options->unaligned;
    position->align = refrain_align_open(position->streams, position->n,
                                         options->compensate ? REFRAIN_TIMES_WITHOUT_PROBES
                                         : as_they_are       ? REFRAIN_TIMES_AS_THEY_ARE
                                                             : REFRAIN_TIMES_CONSISTENT,
                                         cursor->turns);
    return position->align ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

/* ---- checkpoints ---- */

/* Doubles the interval of checkpoints, and drops those that no longer fit it. The first one, at the beginning, stays.
 */
static void thin_checkpoints(struct refrain_cursor *cursor) {
    size_t kept = 0;
    cursor->interval *= 2;
    for (size_t i = 0; i < cursor->n_checkpoints; i++)
        if (cursor->checkpoints[i].position.events % cursor->interval == 0)
            cursor->checkpoints[kept++] = cursor->checkpoints[i];
        else
            refrain_checkpoint_drop(cursor, &cursor->checkpoints[i]);
    cursor->n_checkpoints = kept;
}

/* Takes a checkpoint if the position is a multiple of the interval. Keeps it only if there is memory for it. */
static void keep_checkpoint(struct refrain_cursor *cursor) {
    const struct refrain_cursor_position *position = &cursor->position;
    if (cursor->n_checkpoints == MOST_CHECKPOINTS)
        thin_checkpoints(cursor);
    bool is_new =
        cursor->n_checkpoints == 0 || position->events > cursor->checkpoints[cursor->n_checkpoints - 1].position.events;
    if (!is_new || (position->events & (cursor->interval - 1)) != 0 ||
        !REFRAIN_ARRAY_ROOM(cursor->checkpoints, cursor->n_checkpoints, cursor->capacity_checkpoints))
        return;
    struct refrain_checkpoint taken;
    if (!refrain_checkpoint_take(cursor, &taken))
        return;
    while (cursor->n_checkpoints > 1 && cursor->checkpoint_bytes > cursor->options.checkpoint_bytes)
        thin_checkpoints(cursor);
    bool fits = position->events == 0 || cursor->checkpoint_bytes <= cursor->options.checkpoint_bytes;
    if (!fits || (position->events & (cursor->interval - 1)) != 0) {
        refrain_checkpoint_drop(cursor, &taken);
        if (!fits)
            refrain_checkpoint_drop_base(cursor);
        return;
    }
    cursor->checkpoints[cursor->n_checkpoints++] = taken;
}

/* Moves the cursor to the last checkpoint or saved state before time_ns, or to the beginning if there is none. The
 * cursor stays where it is if it is nearer than these. */
static enum refrain_status go_back(struct refrain_cursor *cursor, int64_t time_ns, struct refrain_error *error) {
    bool behind = cursor->position.align && cursor->position.now_ns < time_ns;
    if (refrain_saved_state_load(cursor, time_ns))
        return REFRAIN_OK;
    size_t best = cursor->n_checkpoints;
    for (size_t i = 0; i < cursor->n_checkpoints; i++)
        if (cursor->checkpoints[i].position.now_ns < time_ns || i == 0)
            best = i;
    bool nearer = best < cursor->n_checkpoints && cursor->checkpoints[best].position.events > cursor->position.events;
    if (behind && !nearer)
        return REFRAIN_OK;
    if (best < cursor->n_checkpoints) {
        refrain_checkpoint_restore(cursor, &cursor->checkpoints[best]);
        return REFRAIN_OK;
    }
    refrain_cursor_close_position(cursor);
    return open_position(cursor, error);
}

static void free_cursor(struct refrain_cursor *cursor) {
    refrain_cursor_close_position(cursor);
    for (size_t i = 0; i < cursor->n_checkpoints; i++)
        refrain_checkpoint_drop(cursor, &cursor->checkpoints[i]);
    refrain_checkpoint_drop_base(cursor);
    refrain_arena_close(cursor->arena);
    free(cursor->checkpoints);
    free(cursor->wanted);
    free(cursor);
}

/* ---- opening ---- */

enum refrain_status refrain_cursor_open(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                        struct refrain_cursor **result, struct refrain_error *error) {
    return refrain_cursor_open_as(trace, options, &(struct refrain_replay){0}, result, error);
}

enum refrain_status refrain_cursor_open_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                           const struct refrain_replay *replay, struct refrain_cursor **result,
                                           struct refrain_error *error) {
    static const struct refrain_cursor_options all = REFRAIN_CURSOR_ALL;
    *result = NULL;
    struct refrain_cursor *cursor = calloc(1, sizeof *cursor);
    if (!cursor)
        return REFRAIN_FAIL_MEMORY(error);
    cursor->trace = trace;
    cursor->options = all;
    cursor->turns = replay->turns;
    cursor->follower = replay->follower;
    enum refrain_status status = options ? refrain_options_take(&cursor->options, options, error) : REFRAIN_OK;
    if (!status)
        status = refrain_replayable(trace, cursor->options.recorded, error);
    if (!status)
        status = choose_ranks(cursor, error);
    cursor->interval = cursor->options.checkpoint_bytes ? FIRST_INTERVAL : NO_INTERVAL;
    cursor->arena = replay->arena;
    if (!status && cursor->options.checkpoint_bytes && !(cursor->arena = refrain_arena_open()))
        status = REFRAIN_FAIL_MEMORY(error);
    struct refrain_arena *before = enter(cursor);
    if (!status && !refrain_saved_state_load(cursor, cursor->options.from_ns))
        status = open_position(cursor, error);
    if (!status && cursor->options.checkpoint_bytes)
        keep_checkpoint(cursor);
    leave(cursor, before);
    if (!status && cursor->options.from_ns != REFRAIN_TIME_FIRST) {
        status = refrain_cursor_seek(cursor, cursor->options.from_ns, error);
        refrain_saved_states_missed(cursor, cursor->options.from_ns);
    }
    if (status)
        free_cursor(cursor);
    else
        *result = cursor;
    return status;
}

/* ---- events ---- */

static inline bool is_wanted(const struct refrain_cursor *cursor, int32_t rank) {
    return !cursor->wanted || ((size_t)rank < cursor->n_wanted && cursor->wanted[rank]);
}

static bool grow(struct refrain_cursor *cursor, struct refrain_cursor_stack *stack) {
    struct refrain_arena *before = enter(cursor);
    bool room = REFRAIN_ARENA_ROOM(stack->regions, stack->n, stack->capacity);
    leave(cursor, before);
    if (!room)
        REFRAIN_FAIL_MEMORY(&cursor->error);
    return room;
}

/* Updates the open regions of the event's location. */
static inline bool follow(struct refrain_cursor *cursor, size_t location, const struct refrain_event *event) {
    if (event->kind > REFRAIN_EVENT_LEAVE)
        return true;
    struct refrain_cursor_stack *stack = &cursor->position.stacks[location];
    if (event->kind == REFRAIN_EVENT_LEAVE) {
        stack->n -= stack->n > 0;
        return true;
    }
    if (stack->n == stack->capacity && !grow(cursor, stack))
        return false;
    stack->regions[stack->n++] = (struct refrain_open_region){event->region, event->time_ns, event->approximate};
    return true;
}

/* Takes a checkpoint if it is time for one. This frees unused memory of the arena first, so the arena has to be the
 * current one. */
static void look_at_checkpoints(struct refrain_cursor *cursor) {
    struct refrain_arena *before = enter(cursor);
    keep_checkpoint(cursor);
    leave(cursor, before);
}

/* Gives the event to the follower. Returns the event with the fields that the follower sets. Null without memory. */
static const struct refrain_event *show_follower(struct refrain_cursor *cursor, const struct refrain_event *event) {
    struct refrain_arena *before = enter(cursor);
    cursor->followed_event = *event;
    bool sound = cursor->follower->event(cursor->position.followed, &cursor->followed_event);
    leave(cursor, before);
    if (sound)
        return &cursor->followed_event;
    REFRAIN_FAIL_MEMORY(&cursor->error);
    return NULL;
}

/* Moves the cursor behind the event, which the follower gets. False without memory. */
static inline bool take(struct refrain_cursor *cursor, size_t location, const struct refrain_event **event) {
    cursor->position.has_held = false;
    cursor->position.events++;
    cursor->position.now_ns = (*event)->time_ns;
    if (!follow(cursor, location, *event) || (cursor->follower && !(*event = show_follower(cursor, *event))))
        return false;
    if (cursor->arena && (cursor->position.events & (cursor->interval - 1)) == 0)
        look_at_checkpoints(cursor);
    return true;
}

/* Reads the next event. Slow path, which may allocate. */
static const struct refrain_event *read_on(struct refrain_cursor *cursor, size_t *location) {
    if (cursor->error.code)
        return NULL;
    struct refrain_arena *before = enter(cursor);
    const struct refrain_event *event = refrain_align_next(cursor->position.align, location);
    leave(cursor, before);
    if (!event && refrain_align_failed(cursor->position.align))
        REFRAIN_FAIL_MEMORY(&cursor->error);
    return event;
}

/* Returns the next event of all ranks; null at the end. The cursor stays before the event until take(). */
static inline const struct refrain_event *peek(struct refrain_cursor *cursor, size_t *location) {
    if (cursor->position.has_held) {
        *location = cursor->position.held_location;
        return &cursor->position.held;
    }
    const struct refrain_event *event = refrain_align_next_read(cursor->position.align, location);
    return event ? event : read_on(cursor, location);
}

static void hold(struct refrain_cursor *cursor, const struct refrain_event *event, size_t location) {
    if (!cursor->position.has_held)
        cursor->position.held = *event;
    cursor->position.held_location = location;
    cursor->position.has_held = true;
}

/* Returns the next event that is wanted. Slow path. */
static __attribute__((noinline)) const struct refrain_event *next_wanted(struct refrain_cursor *cursor,
                                                                         size_t *location) {
    const struct refrain_event *event;
    while ((event = peek(cursor, location))) {
        if (event->time_ns >= cursor->options.to_ns) {
            hold(cursor, event, *location);
            return NULL;
        }
        if (!take(cursor, *location, &event))
            return NULL;
        if (is_wanted(cursor, event->rank) && (event->kind < REFRAIN_EVENT_UNTOLD_SENDS || cursor->options.untold))
            return event;
    }
    return NULL;
}

/* Slow path for an event that was read, but ends the window, needs memory or is not wanted. */
static __attribute__((noinline)) const struct refrain_event *
give_held(struct refrain_cursor *cursor, const struct refrain_event *event, size_t *location) {
    hold(cursor, event, *location);
    return next_wanted(cursor, location);
}

/* Returns the next event that is wanted. Fast path: the event is wanted, and there is room for its region. */
static inline const struct refrain_event *next(struct refrain_cursor *cursor, size_t *location) {
    struct refrain_cursor_position *position = &cursor->position;
    bool keeps = cursor->arena && ((position->events + 1) & (cursor->interval - 1)) == 0;
    if (position->has_held || cursor->wanted || keeps)
        return next_wanted(cursor, location);
    const struct refrain_event *event = refrain_align_next_read(position->align, location);
    if (!event && !cursor->arena && !cursor->error.code)
        event = refrain_align_next(position->align, location);
    if (!event)
        return next_wanted(cursor, location);
    struct refrain_cursor_stack *stack = &position->stacks[*location];
    if (event->time_ns >= cursor->options.to_ns || event->kind >= REFRAIN_EVENT_UNTOLD_SENDS ||
        stack->n == stack->capacity)
        return give_held(cursor, event, location);
    position->events++;
    position->now_ns = event->time_ns;
    if (event->kind == REFRAIN_EVENT_ENTER)
        stack->regions[stack->n++] = (struct refrain_open_region){event->region, event->time_ns, event->approximate};
    else
        stack->n -= event->kind == REFRAIN_EVENT_LEAVE && stack->n > 0;
    return cursor->follower ? show_follower(cursor, event) : event;
}

const struct refrain_event *refrain_cursor_step(struct refrain_cursor *cursor) {
    size_t location;
    return next(cursor, &location);
}

const struct refrain_trace_event *refrain_cursor_next(struct refrain_cursor *cursor) {
    size_t location;
    const struct refrain_event *event = next(cursor, &location);
    if (!event)
        return NULL;
    refrain_trace_event_set(&cursor->given, event, location);
    return &cursor->given;
}

size_t refrain_cursor_rows(struct refrain_cursor *cursor, void *rows, size_t row_bytes, size_t n) {
    const size_t known = sizeof(struct refrain_event_row), given = row_bytes < known ? row_bytes : known;
    const struct refrain_event *event;
    size_t location, i = 0;
    for (; i < n && (event = next(cursor, &location)); i++) {
        struct refrain_event_row row;
        refrain_event_row_set(&row, event, location);
        memcpy((char *)rows + i * row_bytes, &row, given);
    }
    return i;
}

const struct refrain_event *refrain_cursor_next_run(struct refrain_cursor *cursor, size_t *n) {
    struct refrain_align *align = cursor->position.align;
    const struct refrain_event *events;
    size_t location;
    do {
        *n = refrain_align_next_run(align, &events);
        if (*n == 0 && (events = refrain_align_next(align, &location)))
            *n = 1;
    } while (*n > 0 && !is_wanted(cursor, events->rank));
    if (*n == 0 && refrain_align_failed(align))
        REFRAIN_FAIL_MEMORY(&cursor->error);
    return *n > 0 ? events : NULL;
}

/* Moves the cursor to the first event at or after time_ns. */
static void pass(struct refrain_cursor *cursor, int64_t time_ns) {
    const struct refrain_event *event;
    size_t location;
    while ((event = peek(cursor, &location))) {
        if (event->time_ns >= time_ns) {
            hold(cursor, event, location);
            return;
        }
        if (!take(cursor, location, &event))
            return;
    }
}

const struct refrain_open_region *refrain_cursor_open_regions(const struct refrain_cursor *cursor, size_t location,
                                                              size_t *n) {
    bool is_there = location < cursor->position.n && is_wanted(cursor, cursor->trace->locations[location].rank);
    *n = is_there ? cursor->position.stacks[location].n : 0;
    return is_there ? cursor->position.stacks[location].regions : NULL;
}

enum refrain_status refrain_cursor_seek(struct refrain_cursor *cursor, int64_t time_ns, struct refrain_error *error) {
    memset(&cursor->error, 0, sizeof cursor->error);
    struct refrain_arena *before = enter(cursor);
    enum refrain_status status = go_back(cursor, time_ns, error);
    leave(cursor, before);
    if (!status)
        pass(cursor, time_ns);
    return status;
}

void refrain_cursor_set_end(struct refrain_cursor *cursor, int64_t to_ns) {
    cursor->options.to_ns = to_ns;
}

const struct refrain_cursor_report *refrain_cursor_report(struct refrain_cursor *cursor) {
    cursor->report = (struct refrain_cursor_report){0};
    if (cursor->position.align)
        refrain_align_report(cursor->position.align, &cursor->report);
    return &cursor->report;
}

enum refrain_status refrain_cursor_status(const struct refrain_cursor *cursor, struct refrain_error *error) {
    enum refrain_status status = cursor->error.code;
    if (status && error && error->code == REFRAIN_OK)
        *error = cursor->error;
    for (size_t i = 0; !status && i < cursor->position.n; i++)
        status = refrain_location_stream_status(&cursor->position.locations[i], error);
    return status;
}

enum refrain_status refrain_cursor_close(struct refrain_cursor *cursor, struct refrain_error *error) {
    if (!cursor)
        return REFRAIN_OK;
    enum refrain_status status = refrain_cursor_status(cursor, error);
    free_cursor(cursor);
    return status;
}
