/* replay.c: from a cursor to a writer (replay.h). */
#include "replay.h"

enum refrain_status refrain_replayable(const struct refrain_trace *trace, bool recorded, struct refrain_error *error) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (recorded && !process->events_path)
            return REFRAIN_FAIL(error,
                                "%s: no events were recorded for rank %d; run with REFRAIN_MODE=events or both, or use "
                                "refrain reconstruct",
                                trace->path, process->rank);
        if (!recorded && process->header->mode == REFRAIN_MODE_EVENTS)
            return REFRAIN_FAIL(error, "%s: was written in mode events, which learns no formulas; use refrain events",
                                trace->path);
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_write(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                  struct refrain_writer *writer, struct refrain_cursor_report *report,
                                  struct refrain_error *error) {
    struct refrain_cursor *cursor = NULL;
    enum refrain_status status = refrain_cursor_open(trace, options, &cursor, error);
    if (!status && writer->begin && writer->begin(writer, trace))
        status = REFRAIN_ERROR;
    const struct refrain_event *event;
    while (!status && (event = refrain_cursor_next(cursor)))
        if (writer->event && writer->event(writer, event))
            status = REFRAIN_ERROR;
    if (writer->end && writer->end(writer) && !status)
        status = REFRAIN_ERROR;
    if (cursor && report)
        refrain_cursor_report(cursor, report);
    enum refrain_status damage = refrain_cursor_close(cursor, error);
    return status ? status : damage;
}
