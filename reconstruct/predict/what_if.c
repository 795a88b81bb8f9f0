/* what_if.c: see what_if.h. */
#define _GNU_SOURCE
#include "predict/what_if.h"
#include "formats/event_names.h"
#include "import/import_trace.h"
#include "match/replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The writer of both walks. */
struct walk {
    struct refrain_writer writer;
    struct refrain_trace *trace;
    const struct refrain_changes *changes;
    struct refrain_survey *survey;
    struct refrain_clocks *clocks; /* null in the first walk */
    struct refrain_import *import;
    uint32_t *numbers; /* by region: its number in the import + 1; 0: none yet */
    struct refrain_error *error;
};

/* ---- events of the new trace ---- */

static uint32_t make_region(const struct walk *walk, const struct refrain_event *event) {
    const struct refrain_region_info *region = event->region;
    switch (event->kind) {
    case REFRAIN_EVENT_MARKER:
        return refrain_import_value(walk->import, REFRAIN_USE_MARKER, region->name);
    case REFRAIN_EVENT_COUNTER:
        return refrain_import_value(walk->import, REFRAIN_USE_COUNTER, region->name);
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        return refrain_import_value(walk->import, REFRAIN_USE_UNTOLD, region->name);
    default:
        return refrain_import_region(walk->import, region->kind, region->name, region->file, region->line);
    }
}

static uint32_t region_of(const struct walk *walk, const struct refrain_event *event) {
    if (event->region->index >= walk->trace->n_regions || event->kind >= REFRAIN_EVENT_UNTOLD_SENDS)
        return make_region(walk, event);
    uint32_t *number = &walk->numbers[event->region->index];
    if (!*number)
        *number = make_region(walk, event) + 1;
    return *number - 1;
}

static int add(void *data, const struct refrain_event *event, int64_t now_ns) {
    const struct walk *walk = data;
    if (event->kind == REFRAIN_EVENT_COLLECTIVE && refrain_changes_of(walk->changes, event->region)->no_wait)
        return 0;
    struct refrain_import_event added = {.kind = event->kind,
                                         .rank = event->rank,
                                         .thread = event->thread,
                                         .time_ns = now_ns > 0 ? now_ns : 0,
                                         .region = region_of(walk, event),
                                         .comm = event->comm ? event->comm->index : REFRAIN_IMPORT_NO_COMM,
                                         .peer = event->peer,
                                         .tag = event->tag,
                                         .bytes = event->bytes,
                                         .received = event->received,
                                         .request = event->request,
                                         .value = event->value};
    if (refrain_event_names_window(event->kind) || refrain_event_names_file(event->kind))
        added.tag = refrain_event_object(walk->trace, event);
    if (event->kind == REFRAIN_EVENT_FILE)
        added.name = refrain_event_file_name(walk->trace, event);
    return refrain_import_add(walk->import, &added);
}

static enum refrain_status add_comm(const struct walk *walk, const struct refrain_comm_info *comm) {
    int32_t *all = comm->members ? NULL : malloc(((size_t)comm->size + 1) * sizeof *all);
    if (!comm->members && !all)
        return REFRAIN_FAIL_MEMORY(walk->error);
    for (int32_t i = 0; all && i < comm->size; i++)
        all[i] = i;
    refrain_import_comm(walk->import, comm->name, all ? all : comm->members, comm->size, comm->remote_members,
                        comm->remote_size);
    free(all);
    return REFRAIN_OK;
}

static enum refrain_status open_import(struct walk *walk, const struct refrain_what_if_request *request) {
    const struct refrain_trace *trace = walk->trace;
    char *source;
    if (asprintf(&source, "predicted by refrain what-if from %s", trace->path) < 0)
        return REFRAIN_FAIL_MEMORY(walk->error);
    const char *program = trace->n_processes ? trace->process_infos[0].executable : "";
    enum refrain_status status = refrain_import_open(request->directory, trace->size, program, source,
                                                     trace->start_realtime_ns, &walk->import, walk->error);
    free(source);
    for (size_t i = 2; !status && i < trace->n_comms; i++)
        status = add_comm(walk, &trace->comms[i]);
    return status;
}

/* ---- walks ---- */

static int take_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct walk *walk = (struct walk *)writer;
    if (!walk->clocks)
        return refrain_survey_event(walk->survey, event) ? 0 : (int)REFRAIN_FAIL_MEMORY(walk->error);
    int status = refrain_clocks_event(walk->clocks, event);
    return status == REFRAIN_CLOCKS_NO_MEMORY ? (int)REFRAIN_FAIL_MEMORY(walk->error) : status;
}

static enum refrain_status replay(struct walk *walk, const struct refrain_what_if_request *request,
                                  struct refrain_cursor_report *report) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = request->recorded;
    options.untold = true;
    struct refrain_writer *writer =
        request->around ? request->around(request->around_data, &walk->writer) : &walk->writer;
    return refrain_write(walk->trace, &options, writer, report, walk->error);
}

static enum refrain_status walk_twice(struct walk *walk, const struct refrain_what_if_request *request,
                                      struct refrain_clocks_result *result, struct refrain_cursor_report *report) {
    if (!walk->survey || !walk->numbers)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status = replay(walk, request, report);
    if (status)
        return status;
    if (!refrain_survey_finish(walk->survey) ||
        !(walk->clocks = refrain_clocks_open(walk->trace, walk->changes, walk->survey, add, walk)))
        return REFRAIN_FAIL_MEMORY(walk->error);
    status = open_import(walk, request);
    if (!status)
        status = replay(walk, request, report);
    int ended = status ? 0 : refrain_clocks_end(walk->clocks);
    if (ended)
        status = ended == REFRAIN_CLOCKS_NO_MEMORY ? REFRAIN_FAIL_MEMORY(walk->error) : (enum refrain_status)ended;
    if (!status)
        *result = refrain_clocks_finish(walk->clocks);
    if (walk->import) {
        enum refrain_status finished = refrain_import_finish(walk->import, !status);
        status = status ? status : finished;
    }
    return status;
}

enum refrain_status refrain_what_if(struct refrain_trace *trace, const struct refrain_changes *changes,
                                    const struct refrain_what_if_request *request, struct refrain_clocks_result *result,
                                    struct refrain_cursor_report *report, struct refrain_error *error) {
    struct walk walk = {.writer = {.event = take_event},
                        .trace = trace,
                        .changes = changes,
                        .survey = refrain_survey_open(trace, changes),
                        .numbers = calloc(trace->n_regions + 1, sizeof *walk.numbers),
                        .error = error};
    enum refrain_status status = walk_twice(&walk, request, result, report);
    refrain_clocks_close(walk.clocks);
    refrain_survey_close(walk.survey);
    free(walk.numbers);
    return status;
}
