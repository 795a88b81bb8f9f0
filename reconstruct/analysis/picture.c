/* picture.c: follows the open regions of each location, and makes records of those in the window (picture.h). */
#include "analysis/picture.h"
#include "analysis/open_regions.h"
#include "analysis/picture_match.h"
#include "analysis/picture_shares.h"
#include "analysis/waiting.h" /* struct refrain_wait */
#include "common/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVERY SIZE_MAX

/* An open region. */
struct frame {
    struct refrain_region_frame head;
    double from_ns, waits_until_ns;
    uint32_t region, flags;
    uint32_t wait_kind;
    int32_t cause_rank;
};

struct location {
    struct refrain_region_stack stack; /* of struct frame */
    double since_ns;                   /* end of the time that is in the sums */
    struct refrain_picture_bin bin;
    struct refrain_picture_joined *joined;     /* the collective that it is in; null: none */
    struct refrain_picture_operation *pending; /* operations of the open MPI call */
    size_t n_pending, capacity_pending;
    size_t unfinished; /* depth of the MPI call that is open at the window's end; 0: none */
    size_t marked;     /* number of the outermost frames that are marked; EVERY: all, also later ones */
};

struct refrain_picture_state {
    struct location *locations;
    struct refrain_location_index index;
    struct refrain_picture_match *match;
};

/* ---- locations ---- */

static bool list_locations(struct refrain_picture *picture) {
    struct refrain_picture_state *state = picture->state;
    if (!refrain_location_index_open(&state->index, picture->trace))
        return false;
    size_t n = state->index.n;
    const struct refrain_location_info *locations = state->index.locations;
    picture->locations = refrain_calloc(n + 1, sizeof *picture->locations);
    state->locations = refrain_calloc(n + 1, sizeof *state->locations);
    if (!picture->locations || !state->locations)
        return false;
    for (uint32_t i = 0; i < n; i++)
        picture->locations[i] = (struct refrain_picture_location){
            locations[i].rank, locations[i].thread, (double)locations[i].start_ns, (double)locations[i].end_ns};
    picture->n_locations = (uint32_t)n;
    picture->end_ns = (double)refrain_trace_end_ns(picture->trace);
    return true;
}

struct refrain_picture *refrain_picture_open(const struct refrain_trace *trace) {
    struct refrain_picture *picture = refrain_calloc(1, sizeof *picture);
    if (!picture)
        return NULL;
    size_t n_regions;
    refrain_trace_regions(trace, &n_regions);
    picture->trace = trace;
    picture->n_regions = (uint32_t)n_regions;
    picture->state = refrain_calloc(1, sizeof *picture->state);
    picture->totals = refrain_calloc(n_regions + 1, sizeof *picture->totals);
    if (!picture->state || !picture->totals || !(picture->state->match = refrain_picture_match_open()) ||
        !list_locations(picture) || !refrain_picture_window(picture, INFINITY, INFINITY, 1, false)) {
        refrain_picture_close(picture);
        return NULL;
    }
    return picture;
}

void refrain_picture_free_records(struct refrain_picture *picture) {
    struct refrain_picture_list *lists[] = {&picture->spans,    &picture->segments,    &picture->operations,
                                            &picture->messages, &picture->collectives, &picture->shares,
                                            &picture->pairs,    &picture->ends};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        free(lists[i]->items);
        *lists[i] = (struct refrain_picture_list){0};
    }
}

void refrain_picture_close(struct refrain_picture *picture) {
    if (!picture)
        return;
    struct refrain_picture_state *state = picture->state;
    if (state) {
        for (uint32_t i = 0; state->locations && i < picture->n_locations; i++) {
            refrain_region_stack_free(&state->locations[i].stack);
            refrain_free(state->locations[i].bin.parts);
            refrain_free(state->locations[i].pending);
        }
        refrain_picture_match_close(state->match);
        refrain_free(state->locations);
        refrain_location_index_close(&state->index);
        refrain_free(state);
    }
    refrain_picture_free_records(picture);
    refrain_free(picture->totals);
    refrain_free(picture->locations);
    refrain_free(picture);
}

const struct refrain_region_info *refrain_picture_region(const struct refrain_picture *picture, uint32_t index) {
    static const struct refrain_region_info unknown = {
        .index = UINT32_MAX, .name = "(unknown)", .file = "", .function = "", .collective = ""};
    size_t n;
    const struct refrain_region_info *regions = refrain_trace_regions(picture->trace, &n);
    return index < n ? &regions[index] : &unknown;
}

bool refrain_picture_window(struct refrain_picture *picture, double from_ns, double to_ns, uint32_t n_bins,
                            bool keeps_spans) {
    picture->from_ns = from_ns;
    picture->to_ns = to_ns > from_ns ? to_ns : from_ns + 1;
    picture->n_bins = n_bins ? n_bins : 1;
    picture->keeps_spans = keeps_spans;
    picture->spans.n = picture->segments.n = picture->operations.n = picture->messages.n = picture->collectives.n = 0;
    picture->shares.n = picture->pairs.n = picture->ends.n = 0;
    picture->n_operations_copied = 0;
    picture->n_unfinished = picture->events_behind = 0;
    picture->done = false;
    picture->n_waits = 0;
    memset(picture->totals, 0, (picture->n_regions + 1) * sizeof *picture->totals);
    refrain_picture_drop_pairs(picture->state->match);
    for (uint32_t i = 0; i < picture->n_locations; i++) {
        picture->state->locations[i].bin.bin = picture->state->locations[i].bin.n = 0;
        picture->state->locations[i].unfinished = 0;
    }
    return true;
}

/* ---- time ---- */

static void add_time(struct refrain_picture *picture, uint32_t number, uint32_t region, uint32_t flags, double from_ns,
                     double to_ns) {
    if (from_ns < picture->from_ns)
        from_ns = picture->from_ns;
    if (to_ns > picture->to_ns)
        to_ns = picture->to_ns;
    if (to_ns <= from_ns)
        return;
    picture->totals[region].own_ns += to_ns - from_ns;
    if (flags & REFRAIN_PICTURE_WAITING)
        picture->totals[region].waiting_ns += to_ns - from_ns;
    refrain_picture_share_add(picture, number, &picture->state->locations[number].bin, region, flags, from_ns, to_ns);
    if (!picture->keeps_spans)
        return;
    struct refrain_picture_segment *segment = refrain_picture_append(picture, &picture->segments, sizeof *segment);
    if (segment)
        *segment = (struct refrain_picture_segment){
            from_ns, to_ns, region, number, flags, (uint32_t)picture->state->locations[number].stack.depth - 1};
}

/* Adds the location's time up to `now_ns` to the innermost open region. */
static void account(struct refrain_picture *picture, uint32_t number, double now_ns) {
    struct location *location = &picture->state->locations[number];
    const struct frame *top = refrain_region_stack_top(&location->stack);
    if (top && now_ns > location->since_ns) {
        double until_ns = top->waits_until_ns < now_ns ? top->waits_until_ns : now_ns;
        uint32_t flags = top->flags & REFRAIN_PICTURE_APPROXIMATE;
        double from_ns = location->since_ns;
        if (until_ns > from_ns) {
            add_time(picture, number, top->region, flags | REFRAIN_PICTURE_WAITING, from_ns, until_ns);
            from_ns = until_ns;
        }
        add_time(picture, number, top->region, flags, from_ns, now_ns);
    }
    location->since_ns = now_ns;
}

/* ---- spans ---- */

static void append_operations(struct refrain_picture *picture, struct location *location,
                              struct refrain_picture_span *span) {
    span->first_operation = (uint32_t)(picture->n_operations_copied + picture->operations.n);
    span->n_operations = (uint32_t)location->n_pending;
    for (size_t i = 0; i < location->n_pending; i++) {
        struct refrain_picture_operation *given = refrain_picture_append(picture, &picture->operations, sizeof *given);
        if (given)
            *given = location->pending[i];
    }
}

/* Appends a span for the frame at `depth`, with the end `to_ns`. */
static void append_span(struct refrain_picture *picture, uint32_t number, size_t depth, double to_ns, uint32_t flags) {
    struct location *location = &picture->state->locations[number];
    const struct frame *frame = refrain_region_stack_at(&location->stack, depth);
    double inside_ns = fmin(to_ns, picture->to_ns) - fmax(frame->from_ns, picture->from_ns);
    if (inside_ns < 0 || frame->from_ns > picture->to_ns)
        return;
    picture->totals[frame->region].inclusive_ns += inside_ns;
    if (!picture->keeps_spans)
        return;
    struct refrain_picture_span *span = refrain_picture_append(picture, &picture->spans, sizeof *span);
    if (!span)
        return;
    *span = (struct refrain_picture_span){.from_ns = frame->from_ns,
                                          .to_ns = to_ns,
                                          .waits_until_ns = frame->waits_until_ns,
                                          .region = frame->region,
                                          .location = number,
                                          .depth = (uint32_t)depth,
                                          .flags = frame->flags | flags,
                                          .wait_kind = frame->wait_kind,
                                          .cause_rank = frame->cause_rank};
    if (depth + 1 == location->stack.depth)
        append_operations(picture, location, span);
}

/* If the frame at `depth` is marked, appends its end. */
static void append_end(struct refrain_picture *picture, uint32_t number, size_t depth, double to_ns, uint32_t flags) {
    struct location *location = &picture->state->locations[number];
    if (depth >= location->marked)
        return;
    const struct frame *frame = refrain_region_stack_at(&location->stack, depth);
    if (location->marked != EVERY)
        location->marked = depth;
    struct refrain_picture_end *end = refrain_picture_append(picture, &picture->ends, sizeof *end);
    if (end)
        *end = (struct refrain_picture_end){frame->from_ns,  to_ns,         number,
                                            (uint32_t)depth, frame->region, frame->flags | flags};
}

static void note_wait(struct refrain_picture *picture, uint32_t number, size_t depth) {
    const struct frame *frame = refrain_region_stack_at(&picture->state->locations[number].stack, depth);
    double ns = frame->waits_until_ns - frame->from_ns;
    if (ns <= 0 || frame->waits_until_ns < picture->from_ns || frame->from_ns > picture->to_ns)
        return;
    uint32_t at = picture->n_waits;
    while (at > 0 && picture->waits[at - 1].to_ns - picture->waits[at - 1].from_ns < ns)
        at--;
    if (at == REFRAIN_PICTURE_WAITS)
        return;
    uint32_t kept = picture->n_waits < REFRAIN_PICTURE_WAITS ? picture->n_waits : REFRAIN_PICTURE_WAITS - 1;
    memmove(&picture->waits[at + 1], &picture->waits[at], (kept - at) * sizeof *picture->waits);
    picture->waits[at] = (struct refrain_picture_wait){.from_ns = frame->from_ns,
                                                       .to_ns = frame->waits_until_ns,
                                                       .location = number,
                                                       .region = frame->region,
                                                       .depth = (uint32_t)depth,
                                                       .cause_rank = frame->cause_rank};
    picture->n_waits = kept + 1;
}

static void enter(struct refrain_picture *picture, uint32_t number, const struct refrain_event *event) {
    struct location *location = &picture->state->locations[number];
    double now_ns = (double)event->time_ns;
    account(picture, number, now_ns);
    struct frame *frame = refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, event->time_ns);
    if (!frame) {
        picture->no_memory = true;
        return;
    }
    location->n_pending = 0;
    frame->from_ns = now_ns;
    frame->region = refrain_picture_number(picture, event->region);
    frame->flags = event->approximate ? REFRAIN_PICTURE_APPROXIMATE : 0;
    frame->cause_rank = -1;
}

static void leave(struct refrain_picture *picture, uint32_t number, const struct refrain_event *event) {
    struct location *location = &picture->state->locations[number];
    double now_ns = (double)event->time_ns;
    struct frame *top = refrain_region_stack_top(&location->stack);
    size_t depth = location->stack.depth;
    if (!top)
        return;
    if (event->approximate)
        top->flags |= REFRAIN_PICTURE_APPROXIMATE;
    if (location->joined && event->region->kind == REFRAIN_REGION_MPI) {
        refrain_picture_leaves(picture, picture->state->match, location->joined, now_ns);
        location->joined = NULL;
    }
    if (top->waits_until_ns > now_ns)
        top->waits_until_ns = now_ns;
    account(picture, number, now_ns);
    if (now_ns >= picture->from_ns) {
        if (now_ns <= picture->to_ns)
            picture->totals[top->region].count++;
        note_wait(picture, number, depth - 1);
        append_span(picture, number, depth - 1, now_ns, 0);
    }
    append_end(picture, number, depth - 1, now_ns, 0);
    location->n_pending = 0;
    if (location->unfinished == depth) {
        location->unfinished = 0;
        picture->n_unfinished--;
    }
    refrain_region_stack_leave(&location->stack, 0);
}

/* ---- operations ---- */

/* The open call of the location waited. A wait in the middle of a call is shown from the beginning of the call. */
static void waited(struct location *location, const struct refrain_wait *wait) {
    struct frame *top = refrain_region_stack_top(&location->stack);
    double until_ns = (double)wait->begin_ns + (double)wait->ns;
    if (!top || until_ns <= top->from_ns || until_ns <= top->waits_until_ns)
        return;
    top->waits_until_ns = until_ns;
    top->wait_kind = wait->kind;
    top->cause_rank = wait->cause_rank;
}

static void received(struct refrain_picture *picture, uint32_t number, const struct refrain_event *event,
                     struct refrain_picture_operation *operation) {
    double sent_ns = refrain_picture_received(picture, picture->state->match, number, event);
    double now_ns = (double)event->time_ns;
    if (operation)
        operation->other_ns = sent_ns;
    if (event->peer >= 0 && now_ns >= picture->from_ns && now_ns <= picture->to_ns)
        refrain_picture_add_pair(picture, picture->state->match, event->peer, event->rank, (double)event->bytes,
                                 (event->wait ? (double)event->wait->ns : 0) +
                                     (event->peer_wait ? (double)event->peer_wait->ns : 0));
}

static void operate(struct refrain_picture *picture, uint32_t number, const struct refrain_event *event) {
    struct location *location = &picture->state->locations[number];
    struct refrain_picture_operation *operation = NULL;
    if (!REFRAIN_ARENA_ROOM(location->pending, location->n_pending, location->capacity_pending))
        picture->no_memory = true;
    else
        *(operation = &location->pending[location->n_pending++]) =
            (struct refrain_picture_operation){.time_ns = (double)event->time_ns,
                                               .bytes = (double)event->bytes,
                                               .received = (double)event->received,
                                               .tag = (double)event->tag,
                                               .request = (double)event->request,
                                               .other_ns = -1,
                                               .peer = event->peer,
                                               .comm = event->comm ? (int32_t)event->comm->index : -1,
                                               .kind = event->kind,
                                               .flags = event->approximate ? REFRAIN_PICTURE_APPROXIMATE : 0};
    if (event->kind == REFRAIN_EVENT_SEND)
        refrain_picture_sent(picture, picture->state->match, number, event);
    else if (event->kind == REFRAIN_EVENT_RECV)
        received(picture, number, event, operation);
    else if (event->kind == REFRAIN_EVENT_COLLECTIVE && !location->joined)
        location->joined = refrain_picture_joins(picture, picture->state->match, number, event);
}

/* At the first event behind the window: finds the locations that are in an MPI call. */
static void note_unfinished(struct refrain_picture *picture) {
    for (uint32_t number = 0; number < picture->n_locations; number++) {
        struct location *location = &picture->state->locations[number];
        const struct frame *top = refrain_region_stack_top(&location->stack);
        bool inside = top && top->head.region->kind == REFRAIN_REGION_MPI;
        location->unfinished = inside ? location->stack.depth : 0;
        picture->n_unfinished += inside;
    }
}

void refrain_picture_event(struct refrain_picture *picture, const struct refrain_event *event) {
    if (picture->done)
        return;
    if ((double)event->time_ns > picture->to_ns && picture->to_ns < picture->end_ns) {
        if (picture->events_behind++ == 0)
            note_unfinished(picture);
        picture->done = picture->n_unfinished == 0 || picture->events_behind > REFRAIN_PICTURE_BEHIND;
        if (picture->done)
            return;
    }
    picture->last_ns = (double)event->time_ns;
    uint32_t number = (uint32_t)refrain_location_index_of(&picture->state->index, event);
    if (number >= picture->n_locations)
        return;
    picture->events++;
    if (event->wait)
        waited(&picture->state->locations[number], event->wait);
    if (event->kind == REFRAIN_EVENT_LEAVE && event->peer_wait)
        waited(&picture->state->locations[number], event->peer_wait);
    if (event->kind == REFRAIN_EVENT_ENTER)
        enter(picture, number, event);
    else if (event->kind == REFRAIN_EVENT_LEAVE)
        leave(picture, number, event);
    else
        operate(picture, number, event);
}

void refrain_picture_mark(struct refrain_picture *picture, bool later) {
    for (uint32_t number = 0; number < picture->n_locations; number++)
        picture->state->locations[number].marked = later ? EVERY : picture->state->locations[number].stack.depth;
}

void refrain_picture_finish(struct refrain_picture *picture, bool ended) {
    for (uint32_t number = 0; number < picture->n_locations; number++) {
        struct location *location = &picture->state->locations[number];
        double now_ns = ended ? fmax(location->since_ns, picture->locations[number].end_ns) : picture->to_ns;
        account(picture, number, fmin(now_ns, picture->to_ns));
        for (size_t depth = 0; depth < location->stack.depth; depth++)
            append_span(picture, number, depth, ended ? now_ns : INFINITY, REFRAIN_PICTURE_OPEN);
        for (size_t depth = location->stack.depth; ended && depth-- > 0;)
            append_end(picture, number, depth, now_ns, REFRAIN_PICTURE_OPEN);
        refrain_picture_share_flush(picture, number, &location->bin);
    }
    refrain_picture_append_pending(picture, picture->state->match);
}

bool refrain_picture_list_pairs(struct refrain_picture *picture) {
    refrain_picture_append_pairs(picture, picture->state->match);
    return !picture->no_memory;
}
