/* late_writer.c: see late_writer.h. */
#include "late_writer.h"
#include "warn.h"

#include <inttypes.h>
#include <stdlib.h>

struct late_writer {
    struct refrain_writer writer, *inner;
    int64_t from_ns;
    const char *format;
    bool quiet;
    uint64_t left_out;
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct refrain_writer *inner = ((struct late_writer *)writer)->inner;
    return inner->begin ? inner->begin(inner, trace) : 0;
}

static int event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct late_writer *late = (struct late_writer *)writer;
    if (event->kind == REFRAIN_EVENT_RECV && event->match && event->match_time_ns < late->from_ns) {
        late->left_out++;
        return 0;
    }
    return late->inner->event ? late->inner->event(late->inner, event) : 0;
}

static int end(struct refrain_writer *writer) {
    struct late_writer *late = (struct late_writer *)writer;
    int result = late->inner->end ? late->inner->end(late->inner) : 0;
    if (result == 0 && late->left_out > 0 && !late->quiet)
        refrain_warn("%s pairs messages by their order: the receives of %" PRIu64
                     " that were sent before the part are left out",
                     late->format, late->left_out);
    free(late);
    return result;
}

struct refrain_writer *refrain_late_writer(struct refrain_writer *inner, int64_t from_ns, const char *format,
                                           bool quiet) {
    struct late_writer *late = malloc(sizeof *late);
    if (!late)
        return NULL;
    *late = (struct late_writer){{begin, event, end}, inner, from_ns, format, quiet, 0};
    return &late->writer;
}
