/* construct_times.c: adds up the times of threads by construct: of OpenMP or of the thread library (construct_times.h).
 */
#include "analysis/construct_times.h"
#include "common/array.h"
#include "common/error.h"

#include <stdlib.h>
#include <string.h>

/* An open construct region of a thread. */
struct frame {
    const struct refrain_region_info *region;
    int64_t begin_ns;
    int64_t waited_ns;  /* waiting in it, for any reason */
    int64_t barrier_ns; /* of that: waiting at its own implicit barrier */
    int64_t block_ns;   /* in the region of its block */
    int64_t tasks_ns;   /* in tasks that began in it */
    bool has_barrier;   /* its own one, at its end */
};

struct stack {
    struct frame *frames;
    size_t n, capacity;
    struct {
        const struct refrain_region_info *region; /* block of a parallel construct without barrier; null: none */
        int64_t end_ns, tasks_ns;                 /* tasks_ns: in tasks after it */
    } ended;
};

/* Times of a thread in a construct. */
struct part {
    uint64_t times;
    int64_t inside_ns, waiting_ns;
};

struct collector {
    struct refrain_construct_regions regions;
    struct refrain_construct_rows *rows;
    size_t *row_of;    /* by region index */
    size_t *place_of;  /* by region index: the first region of a construct with the same place */
    size_t *shares_of; /* by region index: row of the work that is shared at its place, else of the construct around it,
                          NO_ROW */
    struct stack *stacks;
    struct part *parts; /* by row and location */
    const struct refrain_location_info *locations;
    size_t n_locations;
    bool no_memory;
};

/* ---- rows ---- */

static bool same_construct(const char *name, const char *other) {
    const struct refrain_construct_name a = refrain_construct_name(name), b = refrain_construct_name(other);
    return a.class == b.class && strcmp(a.place, b.place) == 0 && a.argument_length == b.argument_length &&
           (a.argument_length == 0 || memcmp(a.argument, b.argument, a.argument_length) == 0);
}

#define NO_ROW SIZE_MAX

static bool shares_work(enum refrain_construct_class class) {
    return class == REFRAIN_CONSTRUCT_FOR || class == REFRAIN_CONSTRUCT_SECTIONS || class == REFRAIN_CONSTRUCT_SINGLE;
}

/* Fills in place_of and shares_of. */
static void find_places(struct collector *collector, const struct refrain_trace *trace) {
    const struct refrain_construct_region *of = collector->regions.of;
    for (size_t i = 0; i < trace->n_regions; i++) {
        const char *place = refrain_construct_name(trace->regions[i].name).place;
        size_t first = 0;
        collector->place_of[i] = i;
        collector->shares_of[i] = NO_ROW;
        if (of[i].class == REFRAIN_CONSTRUCT_NONE || refrain_construct_is_pthread(of[i].class))
            continue;
        while (first < i && (of[first].class == REFRAIN_CONSTRUCT_NONE ||
                             strcmp(refrain_construct_name(trace->regions[first].name).place, place) != 0))
            first++;
        collector->place_of[i] = first;
    }
    for (size_t i = 0; i < trace->n_regions; i++)
        for (size_t k = 0; k < trace->n_regions && shares_work(of[i].class); k++)
            if (collector->place_of[k] == collector->place_of[i])
                collector->shares_of[k] = collector->row_of[i];
}

static bool make_rows(struct collector *collector, const struct refrain_trace *trace) {
    struct refrain_construct_rows *rows = collector->rows;
    collector->row_of = calloc(trace->n_regions + 1, sizeof *collector->row_of);
    collector->place_of = calloc(trace->n_regions + 1, sizeof *collector->place_of);
    collector->shares_of = calloc(trace->n_regions + 1, sizeof *collector->shares_of);
    rows->rows = calloc(trace->n_regions + 1, sizeof *rows->rows);
    for (size_t i = 0; collector->row_of && rows->rows && i < trace->n_regions; i++) {
        const char *name = trace->regions[i].name;
        size_t row = 0;
        if (collector->regions.of[i].class == REFRAIN_CONSTRUCT_NONE)
            continue;
        while (row < rows->n && !same_construct(rows->rows[row].name, name))
            row++;
        if (row == rows->n)
            rows->rows[rows->n++].name = name;
        collector->row_of[i] = row;
    }
    if (!collector->row_of || !collector->place_of || !collector->shares_of || !rows->rows)
        return false;
    find_places(collector, trace);
    collector->stacks = calloc(collector->n_locations + 1, sizeof *collector->stacks);
    collector->parts = calloc((rows->n + 1) * (collector->n_locations + 1), sizeof *collector->parts);
    return collector->stacks && collector->parts;
}

/* ---- events ---- */

static void enter(struct collector *collector, const struct refrain_trace_event *event) {
    struct stack *stack = &collector->stacks[event->location];
    if (!REFRAIN_ARRAY_ROOM(stack->frames, stack->n, stack->capacity)) {
        collector->no_memory = true;
        return;
    }
    stack->frames[stack->n++] = (struct frame){.region = event->region, .begin_ns = event->time_ns};
}

/* The region was a wait of `ns`, except for the tasks that the thread executed in it. */
static struct part wait_of(struct frame *frame, int64_t ns) {
    frame->waited_ns += ns - frame->tasks_ns;
    return (struct part){1, 0, ns - frame->tasks_ns};
}

/* Times that the end of a region adds; the region took `ns`. */
static struct part part_of(const struct refrain_construct_region *region, struct frame *frame, int64_t ns) {
    switch (region->class) {
    case REFRAIN_CONSTRUCT_IMPLICIT_BARRIER:
    case REFRAIN_CONSTRUCT_BARRIER:
    case REFRAIN_CONSTRUCT_TASKWAIT:
    case REFRAIN_CONSTRUCT_SET_LOCK:
        return wait_of(frame, ns);
    case REFRAIN_CONSTRUCT_CRITICAL:
    case REFRAIN_CONSTRUCT_ORDERED:
        if (!region->block) {
            frame->waited_ns += ns - frame->block_ns;
            return (struct part){0, 0, ns - frame->block_ns};
        }
        break;
    case REFRAIN_CONSTRUCT_PARALLEL:
        if (!region->block)
            return (struct part){1, 0, 0};
        return (struct part){0, ns - frame->waited_ns, frame->barrier_ns};
    case REFRAIN_CONSTRUCT_SINGLE:
        if (!region->block)
            return (struct part){0, 0, frame->barrier_ns};
        break;
    default:
        if (refrain_construct_waits(region->class))
            return wait_of(frame, ns);
        break;
    }
    return (struct part){1, ns - frame->waited_ns, frame->barrier_ns};
}

static struct part *part_at(const struct collector *collector, size_t row, size_t location) {
    return &collector->parts[row * collector->n_locations + location];
}

/* The block of a parallel construct ends: without a barrier, its thread now waits for the team. */
static void end_block(struct stack *stack, const struct refrain_trace_event *event, const struct frame *frame) {
    stack->ended.region = frame->has_barrier ? NULL : event->region;
    stack->ended.end_ns = event->time_ns;
    stack->ended.tasks_ns = 0;
}

/* A team ends on the thread that made it: its other threads waited until now. */
static void end_team(struct collector *collector, const struct refrain_trace_event *event, const struct frame *frame) {
    size_t row = collector->row_of[event->region->index], shares = collector->shares_of[event->region->index];
    for (size_t i = 0; i < collector->n_locations; i++) {
        struct stack *of = &collector->stacks[i];
        if (!of->ended.region || collector->row_of[of->ended.region->index] != row ||
            collector->locations[i].rank != collector->locations[event->location].rank ||
            of->ended.end_ns < frame->begin_ns)
            continue;
        int64_t ns = event->time_ns - of->ended.end_ns - of->ended.tasks_ns;
        part_at(collector, shares == NO_ROW ? row : shares, i)->waiting_ns += ns > 0 ? ns : 0;
        of->ended.region = NULL;
    }
}

static void leave(struct collector *collector, const struct refrain_trace_event *event) {
    const struct refrain_construct_region *region = refrain_construct_region(&collector->regions, event->region);
    struct stack *stack = &collector->stacks[event->location];
    if (stack->n == 0 || stack->frames[stack->n - 1].region != event->region)
        return;
    struct frame *frame = &stack->frames[--stack->n], *around = stack->n ? frame - 1 : NULL;
    size_t index = event->region->index, shares = collector->shares_of[index];
    int64_t ns = event->time_ns - frame->begin_ns;
    const struct part part = part_of(region, frame, ns);
    bool is_barrier = region->class == REFRAIN_CONSTRUCT_IMPLICIT_BARRIER;
    struct part *sum = part_at(collector, collector->row_of[index], event->location);
    if (!is_barrier) { /* else it counts for the construct around it */
        sum->times += part.times;
        sum->inside_ns += part.inside_ns;
        sum->waiting_ns += part.waiting_ns;
    }
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL)
        region->block ? end_block(stack, event, frame) : end_team(collector, event, frame);
    if (region->class == REFRAIN_CONSTRUCT_TASK)
        *(around ? &around->tasks_ns : &stack->ended.tasks_ns) += ns;
    if (!around)
        return;
    bool in_its_construct = is_barrier && shares == collector->row_of[around->region->index];
    around->waited_ns += frame->waited_ns;
    around->block_ns += region->block ? ns : 0;
    if (is_barrier && shares != NO_ROW && !in_its_construct)
        part_at(collector, shares, event->location)->waiting_ns += part.waiting_ns;
    else if (is_barrier)
        around->barrier_ns += part.waiting_ns;
    around->has_barrier |=
        (is_barrier || frame->has_barrier) && collector->place_of[index] == collector->place_of[around->region->index];
}

static void collect(struct collector *collector, struct refrain_cursor *cursor) {
    const struct refrain_trace_event *event;
    while (!collector->no_memory && (event = refrain_cursor_next(cursor))) {
        collector->rows->approximate += event->approximate;
        if ((event->kind != REFRAIN_EVENT_ENTER && event->kind != REFRAIN_EVENT_LEAVE) ||
            refrain_construct_region(&collector->regions, event->region)->class == REFRAIN_CONSTRUCT_NONE)
            continue;
        event->kind == REFRAIN_EVENT_ENTER ? enter(collector, event) : leave(collector, event);
    }
}

/* ---- sums ---- */

/* Adds the times of the threads of one rank, from location `first` on, to the row, and how uneven they are. */
static size_t add_rank(const struct collector *collector, struct refrain_construct_row *row, const struct part *parts,
                       size_t first, double *most, double *mean) {
    int32_t rank = collector->locations[first].rank;
    int64_t most_ns = 0, sum_ns = 0;
    uint32_t threads = 0;
    size_t i = first;
    for (; i < collector->n_locations && collector->locations[i].rank == rank; i++) {
        const struct part *part = &parts[i];
        row->times += part->times;
        row->waiting_ns += part->waiting_ns;
        if (!part->times && !part->inside_ns && !part->waiting_ns)
            continue;
        if (row->threads == 0 || part->inside_ns < row->least_ns)
            row->least_ns = part->inside_ns;
        if (row->threads == 0 || part->inside_ns > row->most_ns) {
            row->most_ns = part->inside_ns;
            row->most_rank = rank;
            row->most_thread = collector->locations[i].thread;
        }
        row->threads++;
        threads++;
        sum_ns += part->inside_ns;
        most_ns = part->inside_ns > most_ns ? part->inside_ns : most_ns;
    }
    row->inside_ns += sum_ns;
    *most += (double)most_ns;
    *mean += threads ? (double)sum_ns / threads : 0;
    return i;
}

static int by_time(const void *a, const void *b) {
    const struct refrain_construct_row *x = a, *y = b;
    int64_t x_ns = x->inside_ns + x->waiting_ns, y_ns = y->inside_ns + y->waiting_ns;
    return x_ns != y_ns ? (x_ns < y_ns ? 1 : -1) : strcmp(x->name, y->name);
}

static void add_up(struct collector *collector) {
    struct refrain_construct_rows *rows = collector->rows;
    size_t n = 0;
    for (size_t r = 0; r < rows->n; r++) {
        struct refrain_construct_row *row = &rows->rows[r];
        double most = 0, mean = 0;
        for (size_t i = 0; i < collector->n_locations;)
            i = add_rank(collector, row, collector->parts + r * collector->n_locations, i, &most, &mean);
        row->imbalance_percent = mean > 0 ? 100 * (most - mean) / mean : 0;
        if (row->threads > 0)
            rows->rows[n++] = *row;
    }
    rows->n = n;
    qsort(rows->rows, n, sizeof *rows->rows, by_time);
}

enum refrain_status refrain_construct_rows_open(struct refrain_trace *trace, bool recorded, bool compensate,
                                                struct refrain_construct_rows *rows, struct refrain_error *error) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct collector collector = {.rows = rows};
    struct refrain_cursor *cursor = NULL;
    options.recorded = recorded;
    options.compensate = compensate;
    *rows = (struct refrain_construct_rows){0};
    collector.locations = refrain_trace_locations(trace, &collector.n_locations);
    enum refrain_status status = REFRAIN_OK;
    if (!refrain_construct_regions_make(&collector.regions, trace) || !make_rows(&collector, trace))
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status)
        status = refrain_cursor_open(trace, &options, &cursor, error);
    if (!status) {
        collect(&collector, cursor);
        status = refrain_cursor_close(cursor, error);
        add_up(&collector);
    }
    if (!status && collector.no_memory)
        status = REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; collector.stacks && i < collector.n_locations; i++)
        free(collector.stacks[i].frames);
    free(collector.stacks);
    free(collector.parts);
    free(collector.row_of);
    free(collector.place_of);
    free(collector.shares_of);
    refrain_construct_regions_free(&collector.regions);
    return status;
}

void refrain_construct_rows_close(struct refrain_construct_rows *rows) {
    free(rows->rows);
    *rows = (struct refrain_construct_rows){0};
}
