/* replay.c: locations as streams: a walk through what was learned, or an event file (replay.h). */
#define _GNU_SOURCE
#include "replay.h"
#include "event_read.h"
#include "trace_parts.h"
#include "translate.h"

#include <stdlib.h>
#include <string.h>

struct location {
    struct refrain_stream stream;
    struct refrain_translation translation;
    struct refrain_walk *walk;
    struct refrain_event_reader *reader;
};

static bool next_event(struct refrain_stream *stream, struct refrain_event *event) {
    struct location *location = (struct location *)stream;
    struct refrain_record record;
    for (;;) {
        bool more = location->walk ? refrain_walk_next(location->walk, &record)
                                   : refrain_event_reader_next(location->reader, &record);
        if (!more)
            return false;
        if (refrain_translate(&location->translation, &record, event))
            return true;
    }
}

static enum refrain_status open_location(struct location *location, const struct refrain_process *process,
                                         uint32_t thread, bool recorded, struct refrain_error *error) {
    location->stream.next = next_event;
    refrain_translation_open(&location->translation, process, thread);
    if (recorded)
        return refrain_event_reader_open(process, thread, &location->reader, error);
    const char *wrong;
    uint64_t offset;
    location->walk = refrain_walk_open(process->region, process->region_bytes, thread, &wrong, &offset);
    return location->walk ? REFRAIN_OK : refrain_process_damaged(process, offset, wrong, error);
}

static void close_location(struct location *location, struct refrain_error *error, enum refrain_status *status) {
    uint64_t offset;
    const char *wrong = location->walk ? refrain_walk_wrong(location->walk, &offset) : NULL;
    if (wrong && !*status)
        *status = refrain_process_damaged(location->translation.process, offset, wrong, error);
    if (location->reader && refrain_event_reader_wrong(location->reader, &offset) && !*status)
        *status = REFRAIN_FAIL(error, "%s: byte %llu: is no event: the file is damaged",
                               location->translation.process->events_path, (unsigned long long)offset);
    if (location->translation.no_memory && !*status)
        *status = REFRAIN_FAIL_MEMORY(error);
    refrain_walk_close(location->walk);
    refrain_event_reader_close(location->reader);
    refrain_translation_close(&location->translation);
}

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

static enum refrain_status run(struct refrain_trace *trace, bool recorded, struct refrain_writer *writer,
                               struct refrain_align_report *report, struct refrain_error *error) {
    enum refrain_status status = refrain_replayable(trace, recorded, error);
    size_t n = 0, most = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        most += trace->processes[i].header->n_threads;
    struct location *locations = calloc(most + 1, sizeof *locations);
    struct refrain_stream **streams = calloc(most + 1, sizeof *streams);
    if (!status && !(locations && streams))
        status = REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        for (uint32_t t = 0; !status && t < process->header->n_threads; t++) {
            if (!process->threads[t].started)
                continue;
            status = open_location(&locations[n], process, t, recorded, error);
            streams[n] = &locations[n].stream;
            n++;
        }
    }
    if (!status && writer->begin && writer->begin(writer, trace))
        status = REFRAIN_ERROR;
    if (!status) {
        int result = refrain_align(streams, n, !recorded, writer, report);
        if (result == -1)
            status = REFRAIN_FAIL_MEMORY(error);
        else if (result)
            status = REFRAIN_ERROR;
    }
    if (writer->end && writer->end(writer) && !status)
        status = REFRAIN_ERROR;
    for (size_t i = 0; locations && i < n; i++)
        close_location(&locations[i], error, &status);
    free(locations);
    free(streams);
    return status;
}

enum refrain_status refrain_replay(struct refrain_trace *trace, struct refrain_writer *writer,
                                   struct refrain_align_report *report, struct refrain_error *error) {
    return run(trace, false, writer, report, error);
}

enum refrain_status refrain_recorded(struct refrain_trace *trace, struct refrain_writer *writer,
                                     struct refrain_align_report *report, struct refrain_error *error) {
    return run(trace, true, writer, report, error);
}
