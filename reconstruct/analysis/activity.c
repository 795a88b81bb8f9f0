/* activity.c: opens, finishes and frees the sums over the events of a run (activity.h). */
#include "analysis/activity_collect.h"
#include "common/arena.h"
#include "match/replay.h"

#include <stdlib.h>
#include <string.h>

static void add_times(struct refrain_activity_times *sum, const struct refrain_activity_times *times) {
    for (int i = 0; i < REFRAIN_OWN_TIMES; i++)
        sum->own_ns[i] += times->own_ns[i];
    sum->waiting_ns += times->waiting_ns;
}

static struct refrain_activity_path *deepest_first(struct refrain_activity_path *path) {
    while (path && path->first)
        path = path->first;
    return path;
}

/* The next path in post-order (after those below it); null after the root. */
static struct refrain_activity_path *next_or_above(const struct refrain_activity_path *path) {
    return path->next ? deepest_first(path->next) : path->parent;
}

/* No region is twice on a path, so a path is no longer than the number of regions. */
static void sum_below(struct refrain_activity *activity) {
    for (struct refrain_activity_path *path = deepest_first(activity->root); path; path = next_or_above(path)) {
        path->below.waiting_ns += path->waiting_ns;
        if (path->region)
            path->below.own_ns[path->region->own_time] += path->own_ns - path->waiting_ns;
        if (path->region && path->region->index < activity->n_regions)
            add_times(&activity->regions[path->region->index].below, &path->below);
        if (path->parent)
            add_times(&path->parent->below, &path->below);
    }
}

/* Computing is the time that is of no other kind, including time outside of all regions. */
static void sum_ranks(struct refrain_activity *activity) {
    for (size_t i = 0; i < activity->n_ranks; i++) {
        struct refrain_activity_rank *rank = &activity->ranks[i];
        rank->times.own_ns[REFRAIN_OWN_TIME_COMPUTING] =
            rank->run_ns - refrain_activity_mpi_ns(&rank->times) - rank->times.own_ns[REFRAIN_OWN_TIME_PAUSED];
        activity->run_ns += rank->run_ns;
        activity->n_counted += rank->counts;
        add_times(&activity->times, &rank->times);
    }
}

/* Returns the objects of a table as an array, which the caller frees, and empties the table. */
static void **take_objects(struct refrain_table *table, size_t *n) {
    void **objects = calloc(table->n + 1, sizeof *objects);
    *n = 0;
    for (const struct refrain_table_slot *slot = NULL; objects && (slot = refrain_table_next(table, slot));)
        objects[(*n)++] = slot->object;
    if (objects)
        refrain_table_close(table);
    return objects;
}

static int by_rank(const void *a, const void *b) {
    const struct refrain_activity_part *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->region->index != y->region->index)
        return x->region->index < y->region->index ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool finish_parts(struct refrain_activity_collector *collector) {
    size_t n;
    void **parts = take_objects(&collector->parts, &n);
    if (!parts)
        return false;
    qsort(parts, n, sizeof *parts, by_rank);
    for (size_t i = 0, end; i < n; i = end) {
        const struct refrain_activity_part *first = parts[i];
        for (end = i + 1; end < n && ((struct refrain_activity_part *)parts[end])->region == first->region;)
            end++;
        struct refrain_activity_region *region = refrain_activity_region_of(collector, first->region);
        if (region && (region->parts = malloc((end - i) * sizeof *region->parts))) {
            memcpy(region->parts, parts + i, (end - i) * sizeof *region->parts);
            region->n_parts = end - i;
            continue;
        }
        for (size_t k = i; k < end; k++)
            refrain_free(parts[k]);
        collector->no_memory |= region != NULL;
    }
    free(parts);
    return !collector->no_memory;
}

static void finish_location(struct refrain_activity_collector *collector, struct refrain_activity_location *location,
                            const struct refrain_location_info *info) {
    if (!location->begun)
        return;
    if (collector->is_over && info->end_ns > collector->request->to_ns)
        location->last_ns = collector->request->to_ns;
    /* Regions that are open at the end of the trace (a killed run, exit) end there. */
    while (location->stack.depth)
        refrain_activity_pop(collector, location, info->rank, location->last_ns);
    if (refrain_activity_counts(collector, info->rank))
        collector->by_rank[info->rank]->run_ns +=
            refrain_activity_span(collector, location->first_ns, location->last_ns);
}

static bool finish(struct refrain_activity_collector *collector) {
    struct refrain_activity *activity = collector->activity;
    for (size_t i = 0; i < collector->index.n; i++)
        finish_location(collector, &collector->locations[i], &collector->index.locations[i]);
    activity->partners = (struct refrain_activity_partner **)take_objects(&collector->partners, &activity->n_partners);
    activity->waits = (struct refrain_activity_wait **)take_objects(&collector->waits, &activity->n_waits);
    if (!activity->partners || !activity->waits || !finish_parts(collector))
        return false;
    sum_below(activity);
    sum_ranks(activity);
    return true;
}

static void close_collector(struct refrain_activity_collector *collector) {
    for (size_t i = 0; collector->locations && i < collector->index.n; i++) {
        free(collector->locations[i].open);
        refrain_region_stack_free(&collector->locations[i].stack);
        free(collector->locations[i].messages);
    }
    refrain_location_index_close(&collector->index);
    free(collector->locations);
    free(collector->by_rank);
    refrain_table_free(&collector->parts);
    refrain_table_free(&collector->partners);
    refrain_table_free(&collector->waits);
}

static bool prepare(struct refrain_activity_collector *collector, const struct refrain_trace *trace) {
    struct refrain_activity *activity = collector->activity;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= collector->n_ranks)
            collector->n_ranks = (size_t)trace->processes[i].rank + 1;
    collector->locations = calloc(trace->n_locations + 1, sizeof *collector->locations);
    collector->by_rank = calloc(collector->n_ranks + 1, sizeof *collector->by_rank);
    activity->root = calloc(1, sizeof *activity->root);
    activity->regions = calloc(trace->n_regions + 1, sizeof *activity->regions);
    activity->ranks = calloc(trace->n_processes + 1, sizeof *activity->ranks);
    if (!refrain_location_index_open(&collector->index, trace) || !collector->locations || !collector->by_rank ||
        !activity->root || !activity->regions || !activity->ranks)
        return false;
    activity->n_regions = trace->n_regions;
    collector->capacity_regions = trace->n_regions + 1;
    for (size_t i = 0; i < trace->n_regions; i++)
        activity->regions[i].region = &trace->regions[i];
    for (size_t i = 0; i < trace->n_processes; i++) {
        int32_t rank = trace->processes[i].rank;
        if (rank < 0)
            continue;
        activity->ranks[activity->n_ranks].rank = rank;
        activity->ranks[activity->n_ranks].counts = refrain_activity_counts(collector, rank);
        collector->by_rank[rank] = &activity->ranks[activity->n_ranks++];
    }
    return true;
}

enum refrain_status refrain_activity_open(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                          struct refrain_activity **result, struct refrain_error *error) {
    struct refrain_activity *activity = calloc(1, sizeof *activity);
    struct refrain_activity_collector collector = {
        .writer = {NULL, refrain_activity_take, NULL},
        .activity = activity,
        .request = request,
        .replay = {.follower = &refrain_waiting_follower, .own_times = true},
    };
    *result = activity;
    if (!activity || !prepare(&collector, trace)) {
        close_collector(&collector);
        refrain_activity_close(activity);
        *result = NULL;
        return REFRAIN_FAIL_MEMORY(error);
    }
    if (request->layers)
        refrain_layers_begin(request->layers);
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = request->recorded;
    options.compensate = request->compensate;
    if (request->from_ns > 0 && !request->layers)
        options.from_ns = request->from_ns;
    struct refrain_writer *writer =
        request->around ? request->around(request->around_data, &collector.writer) : &collector.writer;
    enum refrain_status status = refrain_write_as(trace, &options, &collector.replay, writer, &activity->report, error);
    if (collector.no_memory || !finish(&collector))
        status = REFRAIN_FAIL_MEMORY(error);
    activity->from_ns = request->from_ns > 0 ? request->from_ns : 0;
    int64_t end_ns = request->compensate ? collector.last_ns : refrain_trace_end_ns(trace);
    activity->to_ns = request->to_ns < end_ns ? request->to_ns : end_ns;
    close_collector(&collector);
    return status;
}

static void free_paths(struct refrain_activity_path *root) {
    for (struct refrain_activity_path *path = deepest_first(root), *next; path; path = next) {
        next = next_or_above(path);
        free(path);
    }
}

void refrain_activity_close(struct refrain_activity *activity) {
    if (!activity)
        return;
    free_paths(activity->root);
    for (size_t i = 0; i < activity->n_regions; i++) {
        for (size_t k = 0; k < activity->regions[i].n_parts; k++)
            refrain_free(activity->regions[i].parts[k]);
        free(activity->regions[i].parts);
    }
    for (size_t i = 0; i < activity->n_partners; i++)
        refrain_free(activity->partners[i]);
    for (size_t i = 0; i < activity->n_waits; i++) {
        if (activity->waits[i]->pairs)
            refrain_table_free(&activity->waits[i]->pairs->table);
        free(activity->waits[i]->pairs);
        refrain_free(activity->waits[i]);
    }
    free(activity->regions);
    free(activity->ranks);
    free(activity->partners);
    free(activity->waits);
    free(activity);
}
