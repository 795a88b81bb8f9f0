/* activity.c: sums over the events of a run (activity.h). */
#include "activity.h"
#include "replay.h"

#include <stdlib.h>
#include <string.h>

/* A region that is open. */
struct frame {
    struct refrain_activity_path *path;
    int64_t enter_ns;
    int64_t inner_ns; /* of its time, what regions inside have */
    int64_t waited_ns;
    bool outermost;       /* of its region in this stack; a deeper level of a recursion has the path of the outermost */
    size_t first_message; /* MPI: of location->messages */
};

/* A region as one location has it open. */
struct open_region {
    struct refrain_activity_path *path;
    uint32_t levels;
};

struct location {
    struct location *next;
    uint32_t thread;
    struct open_region *open; /* by index of the region */
    struct frame *frames;
    size_t depth, capacity;
    struct refrain_activity_partner **messages; /* that the open calls have moved */
    size_t n_messages, capacity_messages;
    int64_t first_ns, last_ns;
};

struct refrain_activity_pair {
    struct refrain_pair_table table;
};

struct pair_sum {
    struct refrain_pair_node node;
    int64_t ns;
};

struct collector {
    struct refrain_writer writer;
    struct refrain_activity *activity;
    const struct refrain_activity_request *request;
    struct refrain_waiting *waiting;
    struct location **locations; /* by rank */
    struct refrain_activity_rank **by_rank;
    size_t n_locations;
    struct refrain_pair_table parts, partners, waits;
    int64_t last_ns; /* of the last event */
    size_t n_calls;  /* MPI calls that began before the window's end and are open */
    bool is_over;    /* nothing that comes can count */
    bool no_memory;
};

/* ---- the window ---- */

static int64_t cut(const struct collector *collector, int64_t ns) {
    if (ns < collector->request->from_ns)
        return collector->request->from_ns;
    return ns > collector->request->to_ns ? collector->request->to_ns : ns;
}

static int64_t span(const struct collector *collector, int64_t begin_ns, int64_t end_ns) {
    return cut(collector, end_ns) - cut(collector, begin_ns);
}

static bool is_inside(const struct collector *collector, int64_t ns) {
    return ns >= collector->request->from_ns && ns <= collector->request->to_ns;
}

/* What it waits for may count, even where that is known later only. */
static bool is_call_of_window(const struct collector *collector, const struct refrain_region_info *region,
                              int64_t enter_ns) {
    return region->kind == REFRAIN_REGION_MPI && enter_ns <= collector->request->to_ns;
}

static bool counts(const struct collector *collector, int32_t rank) {
    return collector->request->rank < 0 || collector->request->rank == rank;
}

/* ---- places ---- */

static struct location *location_of(struct collector *collector, const struct refrain_event *event) {
    if (event->rank < 0 || (size_t)event->rank >= collector->n_locations)
        return NULL;
    struct location **link = &collector->locations[event->rank];
    while (*link && (*link)->thread != event->thread)
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link))) {
        (*link)->thread = event->thread;
        (*link)->first_ns = event->time_ns;
        (*link)->open = calloc(collector->activity->n_regions + 1, sizeof *(*link)->open);
    }
    if (!*link || !(*link)->open) {
        collector->no_memory = true;
        return NULL;
    }
    return *link;
}

static struct refrain_activity_path *path_below(struct collector *collector, struct refrain_activity_path *parent,
                                                const struct refrain_region_info *region) {
    struct refrain_activity_path **link = &parent->first;
    while (*link && (*link)->region != region)
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link))) {
        (*link)->region = region;
        (*link)->parent = parent;
    }
    collector->no_memory |= !*link;
    return *link;
}

static struct refrain_activity_region *region_of(struct collector *collector,
                                                 const struct refrain_region_info *region) {
    return region->index < collector->activity->n_regions ? &collector->activity->regions[region->index] : NULL;
}

/* An object of a table by a pair of numbers, made when there is none. `bytes`: its size; a struct refrain_pair_node
 * first. */
static void *object_of(struct collector *collector, struct refrain_pair_table *table, struct refrain_pair key,
                       size_t bytes, bool *made) {
    struct refrain_pair_node *node = refrain_pair_table_find(table, key);
    *made = false;
    if (node)
        return node;
    node = calloc(1, bytes);
    if (node) {
        node->key = key;
        *made = refrain_pair_table_add(table, node);
        if (!*made) {
            free(node);
            node = NULL;
        }
    }
    collector->no_memory |= !node;
    return node;
}

static struct refrain_activity_part *part_of(struct collector *collector, const struct refrain_region_info *region,
                                             int32_t rank) {
    bool made;
    struct refrain_activity_part *part = object_of(
        collector, &collector->parts, (struct refrain_pair){region->index, (uint32_t)rank}, sizeof *part, &made);
    if (part && made) {
        part->region = region;
        part->rank = rank;
    }
    return part;
}

static struct refrain_activity_partner *partner_of(struct collector *collector,
                                                   const struct refrain_region_info *region, int32_t rank, int32_t peer,
                                                   bool receives) {
    bool made;
    struct refrain_pair key = {(uint64_t)region->index << 1 | receives,
                               (uint64_t)(uint32_t)rank << 32 | (uint32_t)peer};
    struct refrain_activity_partner *partner = object_of(collector, &collector->partners, key, sizeof *partner, &made);
    if (partner && made) {
        partner->region = region;
        partner->rank = rank;
        partner->peer = peer;
        partner->receives = receives;
    }
    return partner;
}

/* ---- waits ---- */

static void add_wait(struct collector *collector, const struct refrain_wait *wait) {
    int64_t ns = span(collector, wait->begin_ns, wait->begin_ns + wait->ns);
    if (ns <= 0)
        return;
    struct refrain_activity *activity = collector->activity;
    if ((size_t)wait->cause_rank < collector->n_locations && collector->by_rank[wait->cause_rank])
        collector->by_rank[wait->cause_rank]->caused_ns += ns;
    if (!counts(collector, wait->rank))
        return;
    struct refrain_activity_path *path = wait->mark;
    struct refrain_activity_region *region = region_of(collector, wait->region);
    struct refrain_activity_part *part = part_of(collector, wait->region, wait->rank);
    if (path)
        path->waiting_ns += ns;
    if (region)
        region->waiting_ns += ns;
    if (part)
        part->waiting_ns += ns;
    collector->by_rank[wait->rank]->waiting_ns += ns;
    activity->waiting_ns += ns;
    bool made, receives = wait->kind == REFRAIN_WAIT_LATE_SENDER || wait->kind == REFRAIN_WAIT_COMPLETION_RECEIVE;
    if (receives || wait->kind == REFRAIN_WAIT_LATE_RECEIVER || wait->kind == REFRAIN_WAIT_COMPLETION_SEND) {
        struct refrain_activity_partner *partner =
            partner_of(collector, wait->region, wait->rank, wait->cause_rank, receives);
        if (partner)
            partner->waiting_ns += ns;
    }
    struct refrain_pair key = {(uint64_t)wait->region->index << 32 | wait->cause->index, wait->kind};
    struct refrain_activity_wait *sum = object_of(collector, &collector->waits, key, sizeof *sum, &made);
    if (!sum)
        return;
    if (made) {
        sum->kind = wait->kind;
        sum->region = wait->region;
        sum->cause = wait->cause;
        sum->pairs = calloc(1, sizeof *sum->pairs);
        collector->no_memory |= !sum->pairs;
    }
    sum->count++;
    sum->ns += ns;
    struct refrain_pair ranks = {(uint32_t)wait->rank, (uint32_t)wait->cause_rank};
    struct pair_sum *pair = sum->pairs ? object_of(collector, &sum->pairs->table, ranks, sizeof *pair, &made) : NULL;
    if (pair && (pair->ns += ns) > sum->worst_ns) {
        sum->worst_ns = pair->ns;
        sum->worst_rank = wait->rank;
        sum->worst_cause = wait->cause_rank;
    }
}

/* ---- events ---- */

static bool push(struct collector *collector, struct location *location, const struct refrain_event *event) {
    if (location->depth == location->capacity) {
        size_t larger = location->capacity ? location->capacity * 2 : 32;
        struct frame *frames = realloc(location->frames, larger * sizeof *frames);
        if (!frames)
            return false;
        location->frames = frames;
        location->capacity = larger;
    }
    collector->n_calls += is_call_of_window(collector, event->region, event->time_ns);
    struct refrain_activity_path *parent =
        location->depth ? location->frames[location->depth - 1].path : collector->activity->root;
    /* What has no index is a region that the trace does not tell of; all of it is one. */
    size_t index =
        event->region->index < collector->activity->n_regions ? event->region->index : collector->activity->n_regions;
    struct open_region *open = &location->open[index];
    bool outermost = open->levels++ == 0;
    struct refrain_activity_path *path = outermost ? path_below(collector, parent, event->region) : open->path;
    if (!path)
        return false;
    open->path = path;
    location->frames[location->depth++] = (struct frame){
        .path = path, .enter_ns = event->time_ns, .outermost = outermost, .first_message = location->n_messages};
    if (event->region->kind == REFRAIN_REGION_MPI)
        refrain_waiting_mark(collector->waiting, event, path);
    return true;
}

/* The call's time that it did not wait, evenly to the messages it moved. */
static void divide_transmission(struct location *location, const struct frame *frame, int64_t transmission_ns) {
    size_t n = location->n_messages - frame->first_message;
    for (size_t i = 0; i < n; i++) {
        int64_t part_ns = transmission_ns * (int64_t)(i + 1) / (int64_t)n - transmission_ns * (int64_t)i / (int64_t)n;
        location->messages[frame->first_message + i]->transmission_ns += part_ns;
    }
    location->n_messages = frame->first_message;
}

static void add_visit(struct refrain_activity_region *region, int64_t ns) {
    uint64_t stretch = (region->count - 1) >> region->shift;
    if (stretch == REFRAIN_HISTORY_STRETCHES) {
        for (unsigned i = 0; i < REFRAIN_HISTORY_STRETCHES; i++)
            region->stretch_ns[i] =
                i < REFRAIN_HISTORY_STRETCHES / 2 ? region->stretch_ns[2 * i] + region->stretch_ns[2 * i + 1] : 0;
        region->shift++;
        stretch /= 2;
    }
    region->stretch_ns[stretch] += (double)ns;
}

static void pop(struct collector *collector, struct location *location, int32_t rank, int64_t now_ns) {
    struct frame *frame = &location->frames[--location->depth];
    int64_t ns = span(collector, frame->enter_ns, now_ns), own_ns = ns - frame->inner_ns;
    bool begun = is_inside(collector, frame->enter_ns);
    if (location->depth)
        location->frames[location->depth - 1].inner_ns += ns;
    const struct refrain_region_info *info = frame->path->region;
    collector->n_calls -= is_call_of_window(collector, info, frame->enter_ns);
    location->open[info->index < collector->activity->n_regions ? info->index : collector->activity->n_regions]
        .levels--;
    if (counts(collector, rank) && (ns > 0 || begun)) {
        struct refrain_activity_region *region = region_of(collector, info);
        struct refrain_activity_part *part = part_of(collector, info, rank);
        frame->path->count += begun;
        frame->path->total_ns += frame->outermost ? ns : 0;
        frame->path->own_ns += own_ns;
        if (region) {
            region->count += begun;
            region->total_ns += frame->outermost ? ns : 0;
            region->own_ns += own_ns;
            region->recursive |= !frame->outermost;
            if (begun)
                add_visit(region, own_ns);
        }
        if (part) {
            part->count += begun;
            part->own_ns += own_ns;
        }
        if (info->kind == REFRAIN_REGION_MPI) {
            collector->by_rank[rank]->mpi_ns += own_ns;
            collector->by_rank[rank]->calls += begun;
            collector->activity->mpi_ns += own_ns;
        }
    }
    if (info->kind == REFRAIN_REGION_MPI)
        divide_transmission(location, frame, own_ns > frame->waited_ns ? own_ns - frame->waited_ns : 0);
}

static void add_message(struct collector *collector, struct location *location, const struct refrain_event *event) {
    if (event->peer < 0 || !counts(collector, event->rank) || !is_inside(collector, event->time_ns))
        return;
    bool receives = event->kind == REFRAIN_EVENT_RECV;
    struct refrain_activity_partner *partner = partner_of(collector, event->region, event->rank, event->peer, receives);
    struct refrain_activity_region *region = region_of(collector, event->region);
    uint64_t bytes = event->bytes > 0 ? (uint64_t)event->bytes : 0;
    struct refrain_activity_rank *rank = collector->by_rank[event->rank];
    if (!partner)
        return;
    partner->messages++;
    partner->bytes += bytes;
    if (region) {
        region->messages++;
        region->bytes += bytes;
    }
    if (receives) {
        rank->received++;
        rank->received_bytes += bytes;
    } else {
        rank->sent++;
        rank->sent_bytes += bytes;
    }
    if (location->n_messages == location->capacity_messages) {
        size_t larger = location->capacity_messages ? location->capacity_messages * 2 : 8;
        struct refrain_activity_partner **list = realloc(location->messages, larger * sizeof *list);
        if (!list) {
            collector->no_memory = true;
            return;
        }
        location->messages = list;
        location->capacity_messages = larger;
    }
    location->messages[location->n_messages++] = partner;
}

static int take(struct refrain_writer *writer, const struct refrain_event *given) {
    struct collector *collector = (struct collector *)writer;
    struct refrain_event event = *given;
    /* Of times without probes the end of a location is not known before. */
    if (event.time_ns > collector->request->to_ns && collector->n_calls == 0 && !collector->request->compensate) {
        collector->is_over = true;
        return REFRAIN_WRITER_ENOUGH;
    }
    struct location *location = location_of(collector, &event);
    collector->activity->events++;
    collector->last_ns = event.time_ns;
    collector->activity->approximate += event.approximate;
    if (!location || !collector->by_rank[event.rank])
        return collector->no_memory ? -1 : 0;
    location->last_ns = event.time_ns;
    if (!refrain_waiting_event(collector->waiting, &event))
        return -1;
    if (event.wait)
        add_wait(collector, event.wait);
    if (event.peer_wait)
        add_wait(collector, event.peer_wait);
    if (event.wait && location->depth)
        location->frames[location->depth - 1].waited_ns +=
            span(collector, event.wait->begin_ns, event.wait->begin_ns + event.wait->ns);
    if (event.kind == REFRAIN_EVENT_ENTER)
        collector->no_memory |= !push(collector, location, &event);
    else if (event.kind == REFRAIN_EVENT_LEAVE && location->depth)
        pop(collector, location, event.rank, event.time_ns);
    else if (event.kind == REFRAIN_EVENT_SEND || event.kind == REFRAIN_EVENT_RECV || event.kind == REFRAIN_EVENT_RMA)
        add_message(collector, location, &event);
    return collector->no_memory ? -1 : 0;
}

/* ---- open and close ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct collector *collector = (struct collector *)writer;
    collector->waiting = refrain_waiting_open(trace);
    return collector->waiting ? 0 : -1;
}

/* No region is twice on a path, so that a path is no longer than there are regions. */
static void sum_below(struct refrain_activity *activity, struct refrain_activity_path *path) {
    bool is_mpi = path->region && path->region->kind == REFRAIN_REGION_MPI;
    path->below_mpi_ns = is_mpi ? path->own_ns : 0;
    path->below_waiting_ns = path->waiting_ns;
    for (struct refrain_activity_path *child = path->first; child; child = child->next) {
        sum_below(activity, child);
        path->below_mpi_ns += child->below_mpi_ns;
        path->below_waiting_ns += child->below_waiting_ns;
    }
    if (!path->region || path->region->index >= activity->n_regions)
        return;
    activity->regions[path->region->index].below_mpi_ns += path->below_mpi_ns;
    activity->regions[path->region->index].below_waiting_ns += path->below_waiting_ns;
}

/* The objects of a table as an array, for the caller to free; the table is emptied. */
static void **take_objects(struct refrain_pair_table *table, size_t *n) {
    void **objects = calloc(table->n + 1, sizeof *objects);
    *n = 0;
    for (size_t b = 0; objects && b < table->capacity; b++)
        for (struct refrain_pair_node *node = table->buckets[b]; node; node = node->next)
            objects[(*n)++] = node;
    if (objects) {
        free(table->buckets);
        *table = (struct refrain_pair_table){0};
    }
    return objects;
}

static int by_rank(const void *a, const void *b) {
    const struct refrain_activity_part *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->region->index != y->region->index)
        return x->region->index < y->region->index ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool finish_parts(struct collector *collector) {
    size_t n;
    void **parts = take_objects(&collector->parts, &n);
    if (!parts)
        return false;
    qsort(parts, n, sizeof *parts, by_rank);
    for (size_t i = 0, end; i < n; i = end) {
        const struct refrain_activity_part *first = parts[i];
        for (end = i + 1; end < n && ((struct refrain_activity_part *)parts[end])->region == first->region;)
            end++;
        struct refrain_activity_region *region = region_of(collector, first->region);
        if (region && (region->parts = malloc((end - i) * sizeof *region->parts))) {
            memcpy(region->parts, parts + i, (end - i) * sizeof *region->parts);
            region->n_parts = end - i;
            continue;
        }
        for (size_t k = i; k < end; k++)
            free(parts[k]);
        collector->no_memory |= region != NULL;
    }
    free(parts);
    return !collector->no_memory;
}

/* Does the location end behind that moment? */
static bool goes_on(const struct refrain_trace *trace, int32_t rank, uint32_t thread, int64_t ns) {
    size_t n;
    const struct refrain_location_info *locations = refrain_trace_locations(trace, &n);
    for (size_t i = 0; i < n; i++)
        if (locations[i].rank == rank && locations[i].thread == thread)
            return locations[i].end_ns > ns;
    return false;
}

static bool finish(struct collector *collector, const struct refrain_trace *trace) {
    struct refrain_activity *activity = collector->activity;
    for (size_t rank = 0; rank < collector->n_locations; rank++)
        for (struct location *location = collector->locations[rank]; location; location = location->next) {
            if (collector->is_over && goes_on(trace, (int32_t)rank, location->thread, collector->request->to_ns))
                location->last_ns = collector->request->to_ns;
            /* What is open when the trace ends (a run that was killed, exit) ends there. */
            while (location->depth)
                pop(collector, location, (int32_t)rank, location->last_ns);
            if (counts(collector, (int32_t)rank)) {
                int64_t ns = span(collector, location->first_ns, location->last_ns);
                collector->by_rank[rank]->run_ns += ns;
                activity->run_ns += ns;
            }
        }
    activity->partners = (struct refrain_activity_partner **)take_objects(&collector->partners, &activity->n_partners);
    activity->waits = (struct refrain_activity_wait **)take_objects(&collector->waits, &activity->n_waits);
    if (!activity->partners || !activity->waits || !finish_parts(collector))
        return false;
    sum_below(activity, activity->root);
    return true;
}

static void free_objects(struct refrain_pair_table *table) {
    for (size_t b = 0; b < table->capacity; b++)
        for (struct refrain_pair_node *node = table->buckets[b], *next; node; node = next) {
            next = node->next;
            free(node);
        }
    free(table->buckets);
}

static void close_collector(struct collector *collector) {
    for (size_t rank = 0; collector->locations && rank < collector->n_locations; rank++)
        for (struct location *location = collector->locations[rank], *next; location; location = next) {
            next = location->next;
            free(location->open);
            free(location->frames);
            free(location->messages);
            free(location);
        }
    free(collector->locations);
    free(collector->by_rank);
    free_objects(&collector->parts);
    free_objects(&collector->partners);
    free_objects(&collector->waits);
    refrain_waiting_close(collector->waiting);
}

static bool prepare(struct collector *collector, const struct refrain_trace *trace) {
    struct refrain_activity *activity = collector->activity;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= collector->n_locations)
            collector->n_locations = (size_t)trace->processes[i].rank + 1;
    collector->locations = calloc(collector->n_locations + 1, sizeof *collector->locations);
    collector->by_rank = calloc(collector->n_locations + 1, sizeof *collector->by_rank);
    activity->root = calloc(1, sizeof *activity->root);
    activity->regions = calloc(trace->n_regions + 1, sizeof *activity->regions);
    activity->ranks = calloc(trace->n_processes + 1, sizeof *activity->ranks);
    if (!collector->locations || !collector->by_rank || !activity->root || !activity->regions || !activity->ranks)
        return false;
    activity->n_regions = trace->n_regions;
    for (size_t i = 0; i < trace->n_regions; i++)
        activity->regions[i].region = &trace->regions[i];
    for (size_t i = 0; i < trace->n_processes; i++) {
        int32_t rank = trace->processes[i].rank;
        if (rank < 0)
            continue;
        activity->ranks[activity->n_ranks].rank = rank;
        collector->by_rank[rank] = &activity->ranks[activity->n_ranks++];
    }
    return true;
}

/* When the last location ended. */
static int64_t end_of(const struct refrain_trace *trace) {
    int64_t end_ns = 0;
    for (size_t i = 0; i < trace->n_locations; i++)
        end_ns = trace->locations[i].end_ns > end_ns ? trace->locations[i].end_ns : end_ns;
    return end_ns;
}

enum refrain_status refrain_activity_open(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                          struct refrain_activity **result, struct refrain_error *error) {
    struct refrain_activity *activity = calloc(1, sizeof *activity);
    struct collector collector = {.writer = {begin, take, NULL}, .activity = activity, .request = request};
    *result = activity;
    if (!activity || !prepare(&collector, trace)) {
        close_collector(&collector);
        refrain_activity_close(activity);
        *result = NULL;
        return REFRAIN_FAIL_MEMORY(error);
    }
    struct refrain_cursor_report report = {0};
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = request->recorded;
    options.compensate = request->compensate;
    struct refrain_writer *writer =
        request->around ? request->around(request->around_data, &collector.writer) : &collector.writer;
    enum refrain_status status = refrain_write(trace, &options, writer, &report, error);
    if (collector.no_memory || !finish(&collector, trace))
        status = REFRAIN_FAIL_MEMORY(error);
    activity->from_ns = request->from_ns > 0 ? request->from_ns : 0;
    int64_t end_ns = request->compensate ? collector.last_ns : end_of(trace);
    activity->to_ns = request->to_ns < end_ns ? request->to_ns : end_ns;
    activity->unmatched = report.unmatched_sends + report.unmatched_receives + report.unmatched_collectives;
    close_collector(&collector);
    return status;
}

static void free_path(struct refrain_activity_path *path) {
    for (struct refrain_activity_path *child = path ? path->first : NULL, *next; child; child = next) {
        next = child->next;
        free_path(child);
    }
    free(path);
}

void refrain_activity_close(struct refrain_activity *activity) {
    if (!activity)
        return;
    free_path(activity->root);
    for (size_t i = 0; i < activity->n_regions; i++) {
        for (size_t k = 0; k < activity->regions[i].n_parts; k++)
            free(activity->regions[i].parts[k]);
        free(activity->regions[i].parts);
    }
    for (size_t i = 0; i < activity->n_partners; i++)
        free(activity->partners[i]);
    for (size_t i = 0; i < activity->n_waits; i++) {
        if (activity->waits[i]->pairs)
            free_objects(&activity->waits[i]->pairs->table);
        free(activity->waits[i]->pairs);
        free(activity->waits[i]);
    }
    free(activity->regions);
    free(activity->ranks);
    free(activity->partners);
    free(activity->waits);
    free(activity);
}
