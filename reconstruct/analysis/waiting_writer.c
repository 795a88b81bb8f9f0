/* waiting_writer.c: a writer that adds waits to events and passes them to another writer (waiting.h). */
#include "analysis/waiting.h"

#include <stdlib.h>

struct waiting_writer {
    struct refrain_writer writer;
    struct refrain_writer *inner;
    struct refrain_waiting *waiting;
    struct refrain_error *error;
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    own->waiting = refrain_waiting_open(trace);
    if (!own->waiting)
        return (int)REFRAIN_FAIL_MEMORY(own->error);
    return own->inner->begin ? own->inner->begin(own->inner, trace) : 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    struct refrain_event with_waits = *event;
    if (!refrain_waiting_event(own->waiting, &with_waits))
        return (int)REFRAIN_FAIL_MEMORY(own->error);
    return own->inner->event ? own->inner->event(own->inner, &with_waits) : 0;
}

static int end(struct refrain_writer *writer) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    int status = own->inner->end ? own->inner->end(own->inner) : 0;
    refrain_waiting_close(own->waiting);
    free(own);
    return status;
}

struct refrain_writer *refrain_waiting_writer(struct refrain_writer *inner, struct refrain_error *error) {
    struct waiting_writer *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->writer = (struct refrain_writer){begin, write_event, end};
    own->inner = inner;
    own->error = error;
    return &own->writer;
}
