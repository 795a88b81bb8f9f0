/* view_visits.c: collects when each rank visited each construct (view_visits.h). */
#include "view/view_visits.h"
#include "analysis/followed.h"
#include "analysis/open_regions.h"
#include "commands/command.h"
#include "commands/progress.h"
#include "match/cursor_parts.h"
#include "match/replay.h"

#include <stdlib.h>
#include <string.h>

struct frame {
    struct refrain_region_frame head;
    uint32_t stretch; /* index of the stretch that the visit is in */
    uint32_t stride;  /* stride when the visit began */
};

struct location_state {
    struct refrain_region_stack stack; /* of struct frame */
    double since_ns;                   /* the location's own time is counted up to here */
};

/* A writer, so that progress is reported (progress.h). */
struct visitor {
    struct refrain_writer writer;
    struct refrain_visit_table *table;
    struct refrain_location_index index;
    struct location_state *states; /* by location */
    bool no_memory;
};

void refrain_visits_widen(struct refrain_visits *visits, uint32_t stride) {
    while (visits->stretches && visits->stride < stride) {
        for (uint32_t i = 0; i < visits->n; i += 2) {
            struct refrain_stretch *into = &visits->stretches[i / 2];
            *into = visits->stretches[i];
            if (i + 1 < visits->n) {
                into->own_ns += visits->stretches[i + 1].own_ns;
                into->waiting_ns += visits->stretches[i + 1].waiting_ns;
            }
        }
        visits->n = (visits->n + 1) / 2;
        visits->stride *= 2;
    }
}

/* Counts a new visit and returns its stretch. Null without memory. */
static struct refrain_stretch *add_visit(struct visitor *visitor, struct refrain_visits *visits, double now_ns) {
    uint32_t most = visitor->table->most;
    if (!visits->stretches) {
        visits->stretches = calloc(most, sizeof *visits->stretches);
        visits->stride = 1;
    }
    if (!visits->stretches) {
        visitor->no_memory = true;
        return NULL;
    }
    if (visits->count == (uint64_t)most * visits->stride)
        refrain_visits_widen(visits, visits->stride * 2);
    struct refrain_stretch *stretch = &visits->stretches[visits->count / visits->stride];
    if (visits->count % visits->stride == 0) {
        *stretch = (struct refrain_stretch){.enter_ns = now_ns};
        visits->n = (uint32_t)(visits->count / visits->stride) + 1;
    }
    visits->count++;
    return stretch;
}

static struct refrain_visits *visits_of(struct visitor *visitor, size_t location, uint32_t region) {
    return &visitor->table->visits[location * visitor->table->n_regions + region];
}

/* The stretch of an open visit. Strides may have doubled since the visit began. */
static struct refrain_stretch *stretch_of(struct visitor *visitor, size_t location, const struct frame *frame) {
    struct refrain_visits *visits = visits_of(visitor, location, frame->head.region->index);
    return visits->stretches ? &visits->stretches[frame->stretch / (visits->stride / frame->stride)] : NULL;
}

/* The stretch of the innermost open visit; null if no visit is open. */
static struct refrain_stretch *innermost(struct visitor *visitor, size_t location) {
    const struct frame *frame = refrain_region_stack_top(&visitor->states[location].stack);
    return frame ? stretch_of(visitor, location, frame) : NULL;
}

static void account(struct visitor *visitor, size_t location, double now_ns) {
    struct location_state *state = &visitor->states[location];
    struct refrain_stretch *stretch = innermost(visitor, location);
    if (stretch && now_ns > state->since_ns)
        stretch->own_ns += now_ns - state->since_ns;
    state->since_ns = now_ns;
}

static void enter(struct visitor *visitor, size_t location, const struct refrain_event *event) {
    struct frame *frame =
        refrain_region_stack_enter(&visitor->states[location].stack, sizeof *frame, event->region, event->time_ns);
    if (!frame) {
        visitor->no_memory = true;
        return;
    }
    struct refrain_visits *visits = visits_of(visitor, location, event->region->index);
    add_visit(visitor, visits, (double)event->time_ns);
    frame->stretch = visits->n ? visits->n - 1 : 0;
    frame->stride = visits->stride ? visits->stride : 1;
}

/* Adds a wait to the innermost open visit. */
static void add_wait(struct visitor *visitor, size_t location, const struct refrain_wait *wait) {
    struct refrain_stretch *stretch = innermost(visitor, location);
    if (stretch && wait)
        stretch->waiting_ns += (double)wait->ns;
}

static int visit(struct refrain_writer *writer, const struct refrain_event *event) {
    struct visitor *visitor = (struct visitor *)writer;
    struct refrain_visit_table *table = visitor->table;
    size_t location = refrain_location_index_of(&visitor->index, event);
    double now_ns = (double)event->time_ns;
    if (location == table->n_locations)
        return 0;
    struct refrain_region_stack *stack = &visitor->states[location].stack;
    if (now_ns > table->end_ns)
        table->end_ns = now_ns;
    add_wait(visitor, location, event->wait);
    if (event->kind == REFRAIN_EVENT_LEAVE)
        add_wait(visitor, location, event->peer_wait);
    if (event->kind == REFRAIN_EVENT_ENTER && event->region->index < table->n_regions) {
        account(visitor, location, now_ns);
        enter(visitor, location, event);
    } else if (event->kind == REFRAIN_EVENT_LEAVE && stack->depth && event->region->index < table->n_regions) {
        account(visitor, location, now_ns);
        refrain_region_stack_leave(stack, 0);
    }
    return visitor->no_memory;
}

/* Passes all events whose waits are known to the writer, until it fails. */
static void write_settled(struct refrain_settled *settled, struct refrain_writer *writer) {
    const struct refrain_event *event;
    while ((event = refrain_settled_get(settled)) && !writer->event(writer, event))
        ;
}

static enum refrain_status replay(struct visitor *visitor, struct refrain_trace *trace, struct refrain_error *error) {
    struct refrain_progress progress;
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    options.at_once = true; /* as the page's engine has it, so that both have the same times */
    options.recorded = trace->processes[0].header->mode == REFRAIN_MODE_EVENTS;
    const struct refrain_replay by = {.follower = &refrain_settled_follower};
    enum refrain_status status = refrain_cursor_open_as(trace, &options, &by, &cursor, error);
    if (status)
        return status;
    struct refrain_settled *settled = ((struct refrain_followed *)cursor->position.followed)->settled;
    visitor->writer.event = visit;
    refrain_progress_open(&progress, &visitor->writer, true);
    progress.writer.begin(&progress.writer, trace);
    while (!visitor->no_memory && refrain_cursor_step(cursor))
        write_settled(settled, &progress.writer);
    refrain_settled_end(settled);
    write_settled(settled, &progress.writer);
    progress.writer.end(&progress.writer);
    status = refrain_cursor_close(cursor, error);
    return visitor->no_memory && !status ? REFRAIN_FAIL_MEMORY(error) : status;
}

enum refrain_status refrain_visits_open(struct refrain_trace *trace, uint32_t most, struct refrain_visit_table *table,
                                        struct refrain_error *error) {
    *table = (struct refrain_visit_table){
        .trace = trace, .n_locations = trace->n_locations, .n_regions = trace->n_regions, .most = most};
    table->visits = calloc(trace->n_locations * trace->n_regions + 1, sizeof *table->visits);
    struct visitor visitor = {.table = table, .states = calloc(trace->n_locations + 1, sizeof *visitor.states)};
    enum refrain_status status = table->visits && visitor.states && refrain_location_index_open(&visitor.index, trace)
                                     ? replay(&visitor, trace, error)
                                     : REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; visitor.states && i < trace->n_locations; i++)
        refrain_region_stack_free(&visitor.states[i].stack);
    free(visitor.states);
    refrain_location_index_close(&visitor.index);
    return status;
}

void refrain_visits_close(struct refrain_visit_table *table) {
    for (size_t i = 0; table->visits && i < table->n_locations * table->n_regions; i++)
        free(table->visits[i].stretches);
    free(table->visits);
    table->visits = NULL;
}
