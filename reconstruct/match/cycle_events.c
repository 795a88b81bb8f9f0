/* cycle_events.c: events of a loop's equal iterations, delivered without walking (cycle_events.h). */
#include "match/cycle_events.h"
#include "common/arena.h"

#include <string.h>

struct cycle_events {
    uint32_t n;
    uint32_t n_changed;           /* number of events that readers may change, or whose requests differ by iteration */
    int64_t requests;             /* number of requests that an iteration begins */
    struct refrain_event *events; /* as they are delivered */
    struct refrain_event *
        changed; /* the original of each such event without its time; `request` counts from the iteration's first one */
    uint32_t *places;  /* indices of these events in `events` */
    uint32_t *reads;   /* by event: index of its time in times_ns */
    int64_t *times_ns; /* of an iteration's clock reads */
};

static struct cycle_events *make(const struct refrain_walk_cycle *cycle) {
    size_t n = cycle->n_records;
    struct cycle_events *made =
        refrain_calloc(1, sizeof *made + n * (2 * sizeof *made->events + sizeof *made->places + sizeof *made->reads) +
                              cycle->n_blocks * sizeof *made->times_ns);
    if (!made)
        return NULL;
    made->events = (struct refrain_event *)(made + 1);
    made->changed = made->events + n;
    made->times_ns = (int64_t *)(made->changed + n);
    made->places = (uint32_t *)(made->times_ns + cycle->n_blocks);
    made->reads = made->places + n;
    return made;
}

/* Translates the records of an iteration. All requests that it begins complete in it. Null without memory. */
static struct cycle_events *translate(const struct refrain_walk_cycle *cycle, struct refrain_translation *translation) {
    struct cycle_events *made = make(cycle);
    if (!made)
        return NULL;
    int64_t first_id = translation->next_id;
    for (uint32_t i = 0; i < cycle->n_records; i++) {
        struct refrain_event *event = &made->events[made->n];
        if (refrain_translate(translation, &cycle->records[i], 1, event) == 0)
            continue;
        event->request -= event->request >= 0 ? first_id : 0;
        if (event->kind > REFRAIN_EVENT_LEAVE) {
            made->places[made->n_changed] = made->n;
            made->changed[made->n_changed++] = *event;
        }
        made->reads[made->n++] = cycle->records[i].read;
    }
    made->requests = translation->next_id - first_id;
    translation->next_id = first_id;
    return made;
}

struct refrain_event *refrain_cycle_events_next(struct refrain_walk *walk, struct refrain_translation *translation,
                                                uint32_t *n) {
    struct refrain_walk_cycle *cycle;
    const uint64_t *ticks = refrain_walk_cycle_next(walk, &cycle);
    if (!ticks)
        return NULL;
    if (!cycle->events && !(cycle->events = translate(cycle, translation))) {
        translation->no_memory = true;
        return NULL;
    }
    const struct cycle_events *given = cycle->events;
    struct refrain_event *events = given->events;
    int64_t *times_ns = given->times_ns;
    for (uint32_t i = 0, n_blocks = cycle->n_blocks; i < n_blocks; i++)
        times_ns[i] = refrain_trace_time_ns(translation->process, ticks[i]);
    for (uint32_t i = 0, n_changed = given->n_changed; i < n_changed; i++) {
        struct refrain_event *event = &events[given->places[i]];
        *event = given->changed[i];
        event->request += event->request >= 0 ? translation->next_id : 0;
    }
    const uint32_t *reads = given->reads;
    for (uint32_t i = 0, n_events = given->n; i < n_events; i++)
        events[i].time_ns = times_ns[reads[i]];
    translation->next_id += given->requests;
    *n = given->n;
    return events;
}

static bool is_other(const void *made, const void *events) {
    return ((const struct cycle_events *)made)->events != events;
}

void refrain_cycle_events_clear_unused(struct refrain_walk *walk, const struct refrain_event *events) {
    refrain_walk_cycles_free_events(walk, is_other, events);
}
