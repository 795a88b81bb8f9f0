/* clocks.c: computes the time of each event in a changed run (clocks.h). */
#include "predict/clocks.h"
#include "common/array.h"
#include "common/table.h"
#include "match/collective_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A time in the run, and the corresponding time in the changed run. */
struct moment {
    int64_t was_ns, now_ns;
};
static const struct moment none = {INT64_MIN, INT64_MIN};

struct collective {
    struct moment last, root;
    int32_t entered, left, size;
    enum refrain_collective_rule rule;
};

/* The part of a rank in a collective. */
struct part {
    uint64_t match; /* 0: none */
    bool is_root;
};

struct frame {
    struct refrain_region_frame head;
    double speed;    /* factor for computing, from the innermost region with one */
    double balance;  /* factor of a balance change, likewise */
    int64_t mean_ns; /* if the balanced activation did not compute on this rank: the mean, which it now computes */
    bool balanced;   /* the outermost activation of its region is balanced */
    bool known;      /* MPI: its waiting time is known */
};

/* Completions of one call at one time. A call on several requests waits for the last of them, whatever their order. */
struct group {
    struct refrain_event *events;
    uint64_t *numbers; /* of the events in their location */
    size_t n, capacity, capacity_numbers;
    struct moment awaited; /* the latest time that any of them waited for */
};

struct location {
    struct refrain_region_stack stack;
    struct group held;
    struct moment at;
    uint64_t *sends; /* matches of blocking sends in the current call */
    size_t n_sends, capacity_sends;
    struct part inside; /* the blocking collective that the current call does */
    uint64_t n_events;
    struct balanced {
        size_t n;
        unsigned depth;
    } * balanced; /* by number of the change; null: no activation has begun */
    bool begun;
};

enum { MARK_NONE, MARK_INIT, MARK_FINALIZE };

struct refrain_clocks {
    const struct refrain_trace *trace;
    const struct refrain_changes *changes;
    const struct refrain_survey *survey;
    refrain_clocks_emit *emit;
    void *emit_data;
    struct refrain_location_index index;
    struct location *locations; /* by number; one more for locations that the trace does not list */
    struct refrain_table messages, posted, sends, collectives, parts;
    int64_t *kept_ns; /* by region */
    unsigned char *marks;
    struct moment first, init, finalize, last;
    int64_t all_ns;
    bool no_memory;
};

/* ---- open, close ---- */

struct refrain_clocks *refrain_clocks_open(const struct refrain_trace *trace, const struct refrain_changes *changes,
                                           const struct refrain_survey *survey, refrain_clocks_emit *emit,
                                           void *emit_data) {
    struct refrain_clocks *clocks = calloc(1, sizeof *clocks);
    if (!clocks)
        return NULL;
    clocks->emit = emit;
    clocks->emit_data = emit_data;
    clocks->trace = trace;
    clocks->changes = changes;
    clocks->survey = survey;
    clocks->first = clocks->init = clocks->finalize = clocks->last = none;
    clocks->locations = calloc(trace->n_locations + 1, sizeof *clocks->locations);
    clocks->kept_ns = calloc(trace->n_regions + 1, sizeof *clocks->kept_ns);
    clocks->marks = calloc(trace->n_regions + 1, sizeof *clocks->marks);
    if (!clocks->locations || !clocks->kept_ns || !clocks->marks ||
        !refrain_location_index_open(&clocks->index, trace)) {
        refrain_clocks_close(clocks);
        return NULL;
    }
    for (size_t i = 0; i < trace->n_regions; i++) {
        const char *name = trace->regions[i].kind == REFRAIN_REGION_MPI ? trace->regions[i].name : "";
        clocks->marks[i] = strcmp(name, "MPI_Init") == 0 || strcmp(name, "MPI_Init_thread") == 0 ? MARK_INIT
                           : strcmp(name, "MPI_Finalize") == 0                                   ? MARK_FINALIZE
                                                                                                 : MARK_NONE;
    }
    return clocks;
}

void refrain_clocks_close(struct refrain_clocks *clocks) {
    if (!clocks)
        return;
    for (size_t i = 0; clocks->locations && i <= clocks->index.n; i++) {
        free(clocks->locations[i].balanced);
        free(clocks->locations[i].sends);
        free(clocks->locations[i].held.events);
        free(clocks->locations[i].held.numbers);
        refrain_region_stack_free(&clocks->locations[i].stack);
    }
    refrain_table_free(&clocks->messages);
    refrain_table_free(&clocks->posted);
    refrain_table_close(&clocks->sends);
    refrain_table_free(&clocks->collectives);
    refrain_table_free(&clocks->parts);
    refrain_location_index_close(&clocks->index);
    free(clocks->locations);
    free(clocks->kept_ns);
    free(clocks->marks);
    free(clocks);
}

/* ---- moments ---- */

static struct moment later(struct moment a, struct moment b) {
    return (struct moment){a.was_ns > b.was_ns ? a.was_ns : b.was_ns, a.now_ns > b.now_ns ? a.now_ns : b.now_ns};
}

static void keep(struct refrain_clocks *clocks, struct refrain_table *table, uint64_t a, uint64_t b,
                 struct moment moment) {
    struct moment *kept = refrain_table_make(table, a, b, sizeof *kept);
    clocks->no_memory |= !kept;
    if (kept)
        *kept = moment;
}

/* Removes a kept moment and returns it; `none` if there is none. */
static struct moment take(struct refrain_table *table, uint64_t a, uint64_t b) {
    struct moment *kept = refrain_table_object(table, a, b), moment = kept ? *kept : none;
    refrain_free(kept);
    if (kept)
        refrain_table_remove(table, a, b);
    return moment;
}

static unsigned mark_of(const struct refrain_clocks *clocks, const struct refrain_region_info *region) {
    return region->index < clocks->trace->n_regions ? clocks->marks[region->index] : MARK_NONE;
}

/* ---- collectives ---- */

static void enter_collective(struct refrain_clocks *clocks, uint64_t match, const struct collective *kind,
                             struct moment at, bool is_root) {
    struct collective *collective = refrain_table_object(&clocks->collectives, match, 0);
    if (!collective && (collective = refrain_table_make(&clocks->collectives, match, 0, sizeof *collective)))
        *collective = *kind;
    clocks->no_memory |= !collective;
    if (!collective)
        return;
    collective->entered++;
    collective->last = later(collective->last, at);
    if (is_root)
        collective->root = at;
}

/* The time that the rank had to wait for. */
static struct moment leave_collective(struct refrain_clocks *clocks, const struct part *part) {
    struct collective *collective = refrain_table_object(&clocks->collectives, part->match, 0);
    struct moment awaited = none;
    if (!collective)
        return none;
    if (collective->rule == REFRAIN_RULE_FROM_ROOT)
        awaited = collective->root;
    else if ((collective->rule != REFRAIN_RULE_TO_ROOT || part->is_root) && collective->entered == collective->size)
        awaited = collective->last;
    if (++collective->left == collective->size) {
        refrain_table_remove(&clocks->collectives, part->match, 0);
        refrain_free(collective);
    }
    return awaited;
}

static void begin_collective(struct refrain_clocks *clocks, size_t number, const struct refrain_event *event) {
    struct location *location = &clocks->locations[number];
    enum refrain_collective_rule rule = refrain_collective_rule(event->region->role);
    if (!event->match || rule == REFRAIN_RULE_NONE || !event->comm)
        return;
    struct collective kind = {.last = none, .root = none, .size = event->comm->size, .rule = rule};
    struct part part = {event->match, event->peer == event->rank};
    enter_collective(clocks, event->match, &kind, location->at, part.is_root);
    if (event->request < 0) {
        location->inside = part;
        return;
    }
    struct part *kept = refrain_table_make(&clocks->parts, number, (uint64_t)event->request, sizeof *kept);
    clocks->no_memory |= !kept;
    if (kept)
        *kept = part;
}

/* MPI_Init and MPI_Finalize have no collective event. Their keys are larger than any match. */
static void begin_whole(struct refrain_clocks *clocks, struct location *location, unsigned mark) {
    struct collective kind = {
        .last = none, .root = none, .size = (int32_t)clocks->trace->n_processes, .rule = REFRAIN_RULE_ALL};
    location->inside = (struct part){UINT64_MAX - mark, false};
    enter_collective(clocks, location->inside.match, &kind, location->at, false);
}

static struct moment complete_collective(struct refrain_clocks *clocks, size_t number,
                                         const struct refrain_event *event) {
    struct part *part = refrain_table_object(&clocks->parts, number, (uint64_t)event->request);
    struct moment awaited = part ? leave_collective(clocks, part) : none;
    refrain_free(part);
    refrain_table_remove(&clocks->parts, number, (uint64_t)event->request);
    return awaited;
}

/* ---- messages ---- */

static void send(struct refrain_clocks *clocks, size_t number, const struct refrain_event *event) {
    struct location *location = &clocks->locations[number];
    if (!event->match)
        return;
    keep(clocks, &clocks->messages, event->match, 0, location->at);
    if (!refrain_survey_sender_waits(clocks->survey, event))
        return;
    if (event->request >= 0)
        clocks->no_memory |= !refrain_table_put(&clocks->sends, number, (uint64_t)event->request, event->match);
    else if (REFRAIN_ARRAY_ROOM(location->sends, location->n_sends, location->capacity_sends))
        location->sends[location->n_sends++] = event->match;
    else
        clocks->no_memory = true;
}

static struct moment complete_send(struct refrain_clocks *clocks, size_t number, const struct refrain_event *event) {
    uint64_t match = refrain_table_number(&clocks->sends, number, (uint64_t)event->request);
    refrain_table_remove(&clocks->sends, number, (uint64_t)event->request);
    return match ? take(&clocks->posted, match, 0) : none;
}

/* The time that the call, which ends now, had to wait for. */
static struct moment awaited_in_call(struct refrain_clocks *clocks, struct location *location) {
    struct moment awaited = location->inside.match ? leave_collective(clocks, &location->inside) : none;
    for (size_t i = 0; i < location->n_sends; i++)
        awaited = later(awaited, take(&clocks->posted, location->sends[i], 0));
    location->n_sends = 0;
    location->inside.match = 0;
    return awaited;
}

/* ---- time ---- */

/* How much the second clock moves per nanosecond outside of MPI. */
static double computing_share(const struct refrain_clocks *clocks, const struct frame *top,
                              const struct refrain_event *event) {
    double before = event->kind == REFRAIN_EVENT_ENTER ? refrain_changes_of(clocks->changes, event->region)->before : 0;
    double share = top ? top->balance / top->speed : 1;
    return before > 0 ? share / before : share;
}

static double call_share(const struct refrain_clocks *clocks, const struct refrain_region_info *region) {
    double speed = refrain_changes_of(clocks->changes, region)->speed;
    double latency = region->own_time == REFRAIN_OWN_TIME_TRANSMISSION ? clocks->changes->latency : 1;
    return speed > 0 ? latency / speed : latency;
}

static int64_t scaled(int64_t ns, double share) {
    return share == 1 ? ns : (int64_t)llround((double)ns * share);
}

/* The rest of the call, after the time that it waited for. Messages posted before may arrive while the rank
 * computes. */
static void pass_in_call(const struct refrain_clocks *clocks, struct location *location, const struct frame *top,
                         const struct refrain_event *event, struct moment awaited) {
    const struct refrain_changed_region *changed = refrain_changes_of(clocks->changes, top->head.region);
    const double share = call_share(clocks, top->head.region);
    int64_t from_ns = location->at.was_ns, now_ns = location->at.now_ns;
    const bool waits = awaited.was_ns <= event->time_ns && awaited.was_ns != none.was_ns;
    const bool waited = waits && awaited.was_ns > from_ns;
    int64_t own_ns = scaled(event->time_ns - (waited ? awaited.was_ns : from_ns), share);
    if (changed->no_wait)
        now_ns += top->head.region->role == REFRAIN_COLLECTIVE_BARRIER ? 0 : own_ns;
    else if (waited && event->request >= 0)
        now_ns = awaited.now_ns + own_ns > now_ns ? awaited.now_ns + own_ns : now_ns;
    else
        now_ns = (waits && awaited.now_ns > now_ns ? awaited.now_ns : now_ns) + own_ns;
    location->at.now_ns = now_ns;
}

static void pass(struct refrain_clocks *clocks, struct location *location, const struct refrain_event *event,
                 struct moment awaited) {
    const struct frame *top = refrain_region_stack_top(&location->stack);
    if (top && top->head.region->kind == REFRAIN_REGION_MPI)
        pass_in_call(clocks, location, top, event, awaited);
    else
        location->at.now_ns += scaled(event->time_ns - location->at.was_ns, computing_share(clocks, top, event));
    clocks->all_ns += event->time_ns - location->at.was_ns;
    location->at.was_ns = event->time_ns;
}

/* ---- regions ---- */

static void begin_activation(struct refrain_clocks *clocks, struct location *location, struct frame *frame,
                             const struct refrain_event *event, size_t balance) {
    if (!location->balanced && !(location->balanced = calloc(clocks->changes->n, sizeof *location->balanced))) {
        clocks->no_memory = true;
        return;
    }
    struct balanced *balanced = &location->balanced[balance];
    if (balanced->depth++ > 0)
        return;
    int64_t own_ns;
    double mean_ns = refrain_survey_mean_ns(clocks->survey, balance, event->rank, balanced->n++, &own_ns);
    frame->balanced = true;
    frame->balance = own_ns > 0 ? mean_ns / (double)own_ns : 1;
    frame->mean_ns = own_ns > 0 ? 0 : (int64_t)llround(mean_ns / frame->speed);
}

static void enter(struct refrain_clocks *clocks, struct location *location, const struct refrain_event *event) {
    const struct refrain_changed_region *changed = refrain_changes_of(clocks->changes, event->region);
    const struct frame *outer = refrain_region_stack_top(&location->stack);
    double speed = changed->speed > 0 ? changed->speed : outer ? outer->speed : 1, balance = outer ? outer->balance : 1;
    struct frame *frame =
        refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, location->at.was_ns);
    clocks->no_memory |= !frame;
    if (!frame)
        return;
    frame->speed = event->region->kind == REFRAIN_REGION_MPI && outer ? outer->speed : speed;
    frame->balance = balance;
    if (changed->balance && event->thread == 0)
        begin_activation(clocks, location, frame, event, changed->balance - 1);
    const unsigned mark = mark_of(clocks, event->region);
    frame->known = mark != MARK_NONE;
    if (mark != MARK_NONE)
        begin_whole(clocks, location, mark);
    if (mark == MARK_FINALIZE)
        clocks->finalize = later(clocks->finalize, location->at);
}

static void leave(struct refrain_clocks *clocks, struct location *location, const struct refrain_event *event) {
    const struct frame *frame = refrain_region_stack_top(&location->stack);
    const struct refrain_changed_region *changed = refrain_changes_of(clocks->changes, event->region);
    if (frame && event->region->kind == REFRAIN_REGION_MPI && !frame->known &&
        event->region->index < clocks->trace->n_regions)
        clocks->kept_ns[event->region->index] += location->at.was_ns - frame->head.enter_ns;
    if (frame && frame->balanced)
        location->at.now_ns += frame->mean_ns;
    if (changed->balance && event->thread == 0 && location->balanced &&
        location->balanced[changed->balance - 1].depth > 0)
        location->balanced[changed->balance - 1].depth--;
    refrain_region_stack_leave(&location->stack, 0);
    if (mark_of(clocks, event->region) == MARK_INIT)
        clocks->init = later(clocks->init, location->at);
}

/* ---- events ---- */

/* A further thread begins as long after the first thread as in the run. */
static void begin(struct refrain_clocks *clocks, struct location *location, const struct refrain_event *event) {
    struct refrain_event of_first = {.rank = event->rank};
    const struct location *first = &clocks->locations[refrain_location_index_of(&clocks->index, &of_first)];
    location->begun = true;
    location->at = (struct moment){event->time_ns, event->time_ns};
    if (first->begun && first != location)
        location->at.now_ns += first->at.now_ns - first->at.was_ns;
    if (clocks->first.was_ns == none.was_ns)
        clocks->first = location->at;
}

/* The time that the event had to wait for. */
static struct moment awaited_by(struct refrain_clocks *clocks, size_t number, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_LEAVE:
        return event->region->kind == REFRAIN_REGION_MPI ? awaited_in_call(clocks, &clocks->locations[number]) : none;
    case REFRAIN_EVENT_RECV:
        return event->match ? take(&clocks->messages, event->match, 0) : none;
    case REFRAIN_EVENT_SEND_COMPLETE:
        return complete_send(clocks, number, event);
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        return complete_collective(clocks, number, event);
    default:
        return none;
    }
}

/* Emits the event at its new time. `number`: of the event in its location. */
static int put(struct refrain_clocks *clocks, struct location *location, const struct refrain_event *event,
               uint64_t number) {
    const size_t index = (size_t)(location - clocks->locations);
    uint64_t posts = refrain_survey_posts(clocks->survey, index, number);
    if (posts)
        keep(clocks, &clocks->posted, posts, 0, location->at);
    struct frame *top = refrain_region_stack_top(&location->stack);
    if (event->kind == REFRAIN_EVENT_ENTER)
        enter(clocks, location, event);
    else if (event->kind == REFRAIN_EVENT_LEAVE)
        leave(clocks, location, event);
    else if (top && event->kind <= REFRAIN_EVENT_COLLECTIVE_COMPLETE)
        top->known |= event->kind != REFRAIN_EVENT_COLLECTIVE || refrain_collective_rule(event->region->role);
    if (event->kind == REFRAIN_EVENT_SEND)
        send(clocks, index, event);
    else if (event->kind == REFRAIN_EVENT_COLLECTIVE)
        begin_collective(clocks, index, event);
    clocks->last = later(clocks->last, location->at);
    return clocks->emit(clocks->emit_data, event, location->at.now_ns);
}

/* Emits the held completions at their common time. */
static int put_held(struct refrain_clocks *clocks, struct location *location) {
    struct group *held = &location->held;
    int status = 0;
    if (held->n == 0)
        return 0;
    pass(clocks, location, &held->events[0], held->awaited);
    for (size_t i = 0; !status && i < held->n; i++)
        status = put(clocks, location, &held->events[i], held->numbers[i]);
    held->n = 0;
    held->awaited = none;
    return status;
}

static bool is_completion(const struct location *location, const struct refrain_event *event) {
    const struct frame *top = refrain_region_stack_top(&location->stack);
    return top && top->head.region->kind == REFRAIN_REGION_MPI &&
           (event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_SEND_COMPLETE ||
            event->kind == REFRAIN_EVENT_COLLECTIVE_COMPLETE);
}

static bool hold(struct group *held, const struct refrain_event *event, uint64_t number, struct moment awaited) {
    if (!REFRAIN_ARRAY_ROOM(held->events, held->n, held->capacity) ||
        !REFRAIN_ARRAY_ROOM(held->numbers, held->n, held->capacity_numbers))
        return false;
    held->awaited = held->n ? later(held->awaited, awaited) : awaited;
    held->events[held->n] = *event;
    held->numbers[held->n++] = number;
    return true;
}

int refrain_clocks_event(struct refrain_clocks *clocks, const struct refrain_event *event) {
    const size_t index = refrain_location_index_of(&clocks->index, event);
    struct location *location = &clocks->locations[index];
    struct group *held = &location->held;
    if (!location->begun)
        begin(clocks, location, event);
    const bool together = held->n > 0 && held->events[0].time_ns == event->time_ns;
    const bool completes = is_completion(location, event);
    int status =
        held->n > 0 && !(together && completes) && event->kind != REFRAIN_EVENT_LEAVE ? put_held(clocks, location) : 0;
    struct moment awaited = awaited_by(clocks, index, event);
    if (!status && held->n > 0 && event->kind == REFRAIN_EVENT_LEAVE) {
        /* the call ends together with its completions */
        if (together)
            held->awaited = later(held->awaited, awaited);
        status = put_held(clocks, location);
    }
    const uint64_t number = location->n_events++;
    if (!status && completes && !clocks->no_memory) {
        clocks->no_memory |= !hold(held, event, number, awaited);
    } else if (!status && !clocks->no_memory) {
        pass(clocks, location, event, awaited);
        status = put(clocks, location, event, number);
    }
    return status ? status : clocks->no_memory ? REFRAIN_CLOCKS_NO_MEMORY : 0;
}

int refrain_clocks_end(struct refrain_clocks *clocks) {
    int status = 0;
    for (size_t i = 0; !status && i <= clocks->index.n; i++)
        status = put_held(clocks, &clocks->locations[i]);
    return status ? status : clocks->no_memory ? REFRAIN_CLOCKS_NO_MEMORY : 0;
}

struct refrain_clocks_result refrain_clocks_finish(const struct refrain_clocks *clocks) {
    const struct moment from = clocks->init.was_ns != none.was_ns ? clocks->init : clocks->first;
    const struct moment to = clocks->finalize.was_ns != none.was_ns ? clocks->finalize : clocks->last;
    struct refrain_clocks_result result = {.all_ns = clocks->all_ns};
    if (from.was_ns != none.was_ns) {
        result.was_ns = to.was_ns - from.was_ns;
        result.now_ns = to.now_ns - from.now_ns;
    }
    int64_t most_ns = 0;
    for (size_t i = 0; i < clocks->trace->n_regions; i++) {
        result.kept_ns += clocks->kept_ns[i];
        if (clocks->kept_ns[i] > most_ns) {
            most_ns = clocks->kept_ns[i];
            result.kept = &clocks->trace->regions[i];
        }
    }
    return result;
}
