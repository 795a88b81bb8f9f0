/* what_if.c: writes the trace that a changed run would have left (what_if.h). */
#define _GNU_SOURCE
#include "predict/what_if.h"
#include "match/replay.h"
#include "predict/changed_trace.h"

#include <stdio.h>
#include <stdlib.h>

/* The writer of both walks. */
struct walk {
    struct refrain_writer writer;
    struct refrain_trace *trace;
    const struct refrain_changes *changes;
    struct refrain_survey *survey;
    struct refrain_clocks *clocks; /* null in the first walk */
    struct refrain_changed_trace *changed;
    struct refrain_error *error;
};

static int add(void *data, const struct refrain_event *event, int64_t now_ns) {
    const struct walk *walk = data;
    if (event->kind == REFRAIN_EVENT_COLLECTIVE && refrain_changes_of(walk->changes, event->region)->no_wait)
        return 0;
    return refrain_changed_trace_add(walk->changed, event, now_ns);
}

static enum refrain_status open_changed(struct walk *walk, const struct refrain_what_if_request *request) {
    char *source;
    if (asprintf(&source, "predicted by refrain what-if from %s", walk->trace->path) < 0)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status =
        refrain_changed_trace_open(walk->trace, request->directory, source, &walk->changed, walk->error);
    free(source);
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
    if (!walk->survey)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status = replay(walk, request, report);
    if (status)
        return status;
    if (!refrain_survey_finish(walk->survey) ||
        !(walk->clocks = refrain_clocks_open(walk->trace, walk->changes, walk->survey, add, walk)))
        return REFRAIN_FAIL_MEMORY(walk->error);
    status = open_changed(walk, request);
    if (!status)
        status = replay(walk, request, report);
    int ended = status ? 0 : refrain_clocks_end(walk->clocks);
    if (ended)
        status = ended == REFRAIN_CLOCKS_NO_MEMORY ? REFRAIN_FAIL_MEMORY(walk->error) : (enum refrain_status)ended;
    if (!status)
        *result = refrain_clocks_finish(walk->clocks);
    enum refrain_status finished = refrain_changed_trace_finish(walk->changed, !status);
    return status ? status : finished;
}

enum refrain_status refrain_what_if(struct refrain_trace *trace, const struct refrain_changes *changes,
                                    const struct refrain_what_if_request *request, struct refrain_clocks_result *result,
                                    struct refrain_cursor_report *report, struct refrain_error *error) {
    struct walk walk = {.writer = {.event = take_event},
                        .trace = trace,
                        .changes = changes,
                        .survey = refrain_survey_open(trace, changes),
                        .error = error};
    enum refrain_status status = walk_twice(&walk, request, result, report);
    refrain_clocks_close(walk.clocks);
    refrain_survey_close(walk.survey);
    return status;
}
