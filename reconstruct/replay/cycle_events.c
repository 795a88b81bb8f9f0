/* cycle_events.c: iterations that are alike, event by event (cycle_events.h). */
#include "cycle_events.h"
#include "arena.h"

struct cycle_event {
    struct refrain_event event; /* but for its time; `request` counts from the first one of the iteration */
    uint32_t read;              /* clock read of its time */
};

struct cycle_events {
    uint32_t n;
    int64_t requests;  /* that an iteration takes */
    int64_t first_id;  /* of those of the iteration that is given now */
    int64_t *times_ns; /* of its clock reads */
    struct cycle_event events[];
};

/* Translates an iteration, of which all requests that it takes complete in it. Null without memory. */
static struct cycle_events *translate(const struct refrain_walk_cycle *cycle, struct refrain_translation *translation) {
    struct cycle_events *made =
        refrain_calloc(1, sizeof *made + cycle->n_records * sizeof *made->events + cycle->n_blocks * sizeof(int64_t));
    if (!made)
        return NULL;
    int64_t first_id = translation->next_id;
    for (uint32_t i = 0; i < cycle->n_records; i++) {
        struct cycle_event *next = &made->events[made->n];
        next->read = cycle->records[i].read;
        if (refrain_translate(translation, &cycle->records[i], 1, &next->event) == 0)
            continue;
        next->event.request -= next->event.request >= 0 ? first_id : 0;
        made->n++;
    }
    made->times_ns = (int64_t *)(made->events + cycle->n_records);
    made->requests = translation->next_id - first_id;
    translation->next_id = first_id;
    return made;
}

/* Goes on to the next iteration; false where there is none. */
static bool begin_iteration(struct refrain_walk *walk, struct refrain_translation *translation) {
    struct refrain_walk_cycle *cycle = refrain_walk_cycle(walk);
    if (!cycle->events && !(cycle->events = translate(cycle, translation))) {
        translation->no_memory = true;
        return false;
    }
    const uint64_t *ticks = refrain_walk_cycle_next(walk);
    if (!ticks)
        return refrain_walk_cycle(walk) && begin_iteration(walk, translation);
    struct cycle_events *given = cycle->events;
    for (uint32_t i = 0, n = cycle->n_blocks; i < n; i++)
        given->times_ns[i] = refrain_trace_time_ns(translation->process, ticks[i]);
    given->first_id = translation->next_id;
    translation->next_id += given->requests;
    return true;
}

size_t refrain_cycle_events_read(struct refrain_walk *walk, struct refrain_translation *translation, uint32_t *at,
                                 struct refrain_event *events, size_t n) {
    size_t i = 0;
    while (i < n) {
        if (*at == 0 && !begin_iteration(walk, translation))
            break;
        const struct cycle_events *given = refrain_walk_cycle(walk)->events;
        const struct cycle_event *next = &given->events[*at];
        const int64_t *times_ns = given->times_ns, first_id = given->requests > 0 ? given->first_id : 0;
        uint32_t left = given->n - *at, k = left < n - i ? left : (uint32_t)(n - i);
        for (const struct cycle_event *end = next + k; next < end; next++, i++) {
            events[i] = next->event;
            events[i].time_ns = times_ns[next->read];
            events[i].request += next->event.request >= 0 ? first_id : 0;
        }
        *at = k < left ? *at + k : 0;
    }
    return i;
}
