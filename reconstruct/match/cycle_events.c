/* cycle_events.c: iterations that are alike, one after the other (cycle_events.h). */
#include "match/cycle_events.h"
#include "common/arena.h"

#include <string.h>

struct cycle_events {
    uint32_t n;
    uint32_t n_changed;            /* events that readers change, or whose requests differ */
    int64_t requests;              /* that an iteration takes */
    struct refrain_event *events;  /* as they are given */
    struct refrain_event *changed; /* but for their times; `request` counts from the first one of the iteration */
    uint32_t *places;              /* of those in `events` */
    uint32_t *reads;               /* by event: clock read of its time */
    int64_t *times_ns;             /* of clock reads */
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

/* Translates an iteration, of which all requests that it takes complete in it. Null without memory. */
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
