/* replay.c: writes the events of a cursor with a writer (replay.h). */
#include "match/replay.h"
#include "match/cursor_parts.h"

/* Writes ENTER or LEAVE of all regions that are open at the edge of a window, so that the output has both of each
 * region. `own_times`: with the times when they were entered. */
static int write_edge(const struct refrain_trace *trace, const struct refrain_cursor *cursor,
                      struct refrain_writer *writer, enum refrain_event_kind kind, int64_t time_ns, bool own_times) {
    int status = 0;
    for (size_t l = 0; !status && writer->event && l < trace->n_locations; l++) {
        size_t n;
        const struct refrain_open_region *open = refrain_cursor_open_regions(cursor, l, &n);
        for (size_t i = 0; !status && i < n; i++) {
            const struct refrain_open_region *region = &open[kind == REFRAIN_EVENT_ENTER ? i : n - 1 - i];
            struct refrain_event event = {.kind = kind,
                                          .approximate = region->approximate,
                                          .rank = trace->locations[l].rank,
                                          .thread = trace->locations[l].thread,
                                          .time_ns = own_times ? region->enter_ns : time_ns,
                                          .region = region->region,
                                          .peer = -1,
                                          .request = -1};
            status = writer->event(writer, &event);
        }
    }
    return status;
}

enum refrain_status refrain_write(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                  struct refrain_writer *writer, struct refrain_cursor_report *report,
                                  struct refrain_error *error) {
    return refrain_write_as(trace, options, &(struct refrain_replay){0}, writer, report, error);
}

/* Writes all events. Returns the writer's last status. */
static int write_events(struct refrain_cursor *cursor, bool by_turns, struct refrain_writer *writer) {
    const struct refrain_event *events;
    int writer_status = 0;
    for (size_t n = 1;
         !writer_status && (events = by_turns ? refrain_cursor_next_run(cursor, &n) : refrain_cursor_step(cursor));)
        for (size_t i = 0; !writer_status && writer->event && i < n; i++)
            writer_status = writer->event(writer, &events[i]);
    return writer_status;
}

enum refrain_status refrain_write_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                     struct refrain_replay *replay, struct refrain_writer *writer,
                                     struct refrain_cursor_report *report, struct refrain_error *error) {
    struct refrain_cursor *cursor = NULL;
    enum refrain_status status = refrain_cursor_open_as(trace, options, replay, &cursor, error);
    replay->followed = cursor ? cursor->position.followed : NULL;
    if (!status && writer->begin && writer->begin(writer, trace))
        status = REFRAIN_ERROR;
    if (!status && options && options->from_ns != REFRAIN_TIME_FIRST &&
        write_edge(trace, cursor, writer, REFRAIN_EVENT_ENTER, options->from_ns, replay->own_times))
        status = REFRAIN_ERROR;
    int writer_status = status ? 0 : write_events(cursor, replay->turns != NULL, writer);
    if (writer_status && writer_status != REFRAIN_WRITER_ENOUGH)
        status = REFRAIN_ERROR;
    if (!status && options && options->to_ns != REFRAIN_TIME_LAST && !replay->own_times &&
        write_edge(trace, cursor, writer, REFRAIN_EVENT_LEAVE, options->to_ns, false))
        status = REFRAIN_ERROR;
    if (writer->end && writer->end(writer) && !status)
        status = REFRAIN_ERROR;
    if (cursor && report)
        *report = *refrain_cursor_report(cursor);
    enum refrain_status damage = refrain_cursor_close(cursor, error);
    return status ? status : damage;
}
