/* location_stream.c: translates the records of a walk or an event file (location_stream.h). */
#include "match/location_stream.h"
#include "model/trace_parts.h"
#include "times/probe_costs.h"

/* The time in probes up to a recorded event, from a walk through the same events. Without a walk (mode events), only
 * probes that make events ran, and the time is computed from the kinds of records. */
static uint64_t cost_of(struct refrain_location_stream *location, const struct refrain_record *record) {
    struct refrain_record twin;
    if (location->costs) {
        bool same = refrain_walk_next(location->costs, &twin) && twin.kind == record->kind && twin.id == record->id;
        if (same)
            return location->cost = twin.cost;
        refrain_walk_close(location->costs); /* the formulas and the event file differ from here on */
        location->costs = NULL;
    }
    bool enters = record->kind == REFRAIN_RECORD_ENTER || record->kind == REFRAIN_RECORD_CALL_ENTER ||
                  record->kind == REFRAIN_RECORD_REGION_ENTER;
    enum refrain_probe_kind kind = record->kind == REFRAIN_RECORD_OPERATION ? REFRAIN_PROBE_OPERATION
                                   : enters                                 ? refrain_probe_entering(record->kind)
                                            : refrain_probe_leaving((uint8_t)(record->kind - 1));
    const struct refrain_probe_cost *cost = &location->translation.process->header->probe_costs[kind];
    uint64_t until = location->cost + cost->before;
    location->cost = until + cost->after;
    return until;
}

/* The next events. May return none before the end of the walk, where equal iterations begin or end. */
static size_t read_events_of_walk(struct refrain_location_stream *location, struct refrain_event *events, size_t n) {
    struct refrain_record records[REFRAIN_STREAM_EVENTS];
    if (refrain_walk_gives_cycle(location->walk)) {
        uint32_t made = 0;
        struct refrain_event *from = refrain_cycle_events_next(location->walk, &location->translation, &made);
        location->stream.from = from ? from : events;
        location->ended = location->translation.no_memory;
        return made;
    }
    size_t most = n < REFRAIN_STREAM_EVENTS ? n : REFRAIN_STREAM_EVENTS;
    size_t k = refrain_walk_read(location->walk, records, most);
    location->ended = k < most && !refrain_walk_gives_cycle(location->walk);
    return refrain_translate(&location->translation, records, k, events);
}

static size_t read_records(struct refrain_location_stream *location, struct refrain_record *records, size_t n) {
    size_t k = 0;
    while (k < n && refrain_event_reader_next(location->reader, &records[k]))
        k++;
    return k;
}

static size_t read_events(struct refrain_stream *stream, struct refrain_event *events, size_t n) {
    struct refrain_location_stream *location = (struct refrain_location_stream *)stream;
    struct refrain_record records[REFRAIN_STREAM_EVENTS];
    size_t made = 0;
    while (made == 0 && !location->ended && location->walk)
        made = read_events_of_walk(location, events, n);
    while (made == 0 && !location->ended) {
        size_t most = n < REFRAIN_STREAM_EVENTS ? n : REFRAIN_STREAM_EVENTS;
        size_t k = read_records(location, records, most);
        location->ended = k < most;
        for (size_t i = 0; i < k && location->with_costs; i++)
            records[i].cost = cost_of(location, &records[i]);
        made = refrain_translate(&location->translation, records, k, events);
    }
    return made;
}

uintptr_t refrain_location_stream_code(void) {
    return (uintptr_t)read_events;
}

enum refrain_status refrain_location_stream_open(struct refrain_location_stream *location,
                                                 const struct refrain_process *process, uint32_t thread,
                                                 const struct refrain_cursor_options *options,
                                                 struct refrain_error *error) {
    bool costs = options->compensate;
    location->stream.read = read_events;
    location->stream.rank = process->rank;
    refrain_translation_open(&location->translation, process, thread, costs);
    refrain_inlined_stream_open(&location->inlined, &location->stream);
    const char *wrong;
    uint64_t offset;
    if (options->recorded) {
        location->with_costs = costs;
        if (costs && process->header->mode & REFRAIN_MODE_STAT)
            location->costs = refrain_walk_begin(process->image, process->image_bytes, thread, &wrong, &offset);
        return refrain_event_reader_open(process, thread, &location->reader, error);
    }
    location->walk = options->at_once
                         ? refrain_walk_begin(process->image, process->image_bytes, thread, &wrong, &offset)
                         : refrain_walk_open(process->image, process->image_bytes, thread, &wrong, &offset);
    if (location->walk && !costs && !options->at_once)
        refrain_walk_find_cycles(location->walk);
    return location->walk ? REFRAIN_OK : refrain_process_damaged(process, offset, wrong, error);
}

struct refrain_stream *refrain_location_stream_events(struct refrain_location_stream *location) {
    const struct refrain_process *process = location->translation.process;
    return process && process->has_inlined ? &location->inlined.stream : &location->stream;
}

enum refrain_status refrain_location_stream_status(const struct refrain_location_stream *location,
                                                   struct refrain_error *error) {
    uint64_t offset;
    const char *wrong = location->walk ? refrain_walk_wrong(location->walk, &offset) : NULL;
    if (wrong)
        return refrain_process_damaged(location->translation.process, offset, wrong, error);
    if (location->reader && refrain_event_reader_wrong(location->reader, &offset))
        return REFRAIN_FAIL(error, "%s: byte %llu: is no event: the file is damaged",
                            location->translation.process->events_path, (unsigned long long)offset);
    return location->translation.no_memory || location->inlined.no_memory ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

void refrain_location_stream_clear_unused(struct refrain_location_stream *location) {
    if (!location->walk)
        return;
    refrain_cycle_events_clear_unused(location->walk, location->stream.from);
    refrain_walk_clear_unused(location->walk);
}

void refrain_location_stream_close(struct refrain_location_stream *location) {
    refrain_walk_close(location->walk);
    refrain_walk_close(location->costs);
    refrain_event_reader_close(location->reader);
    refrain_translation_close(&location->translation);
    refrain_inlined_stream_close(&location->inlined);
}
