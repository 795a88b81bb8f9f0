/* part_writer.c: see part_writer.h. */
#include "part_writer.h"

#include <stdlib.h>

struct part_writer {
    struct refrain_writer writer, *inner;
    int64_t from_ns, to_ns;
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct refrain_writer *inner = ((struct part_writer *)writer)->inner;
    return inner->begin ? inner->begin(inner, trace) : 0;
}

static int event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct part_writer *part = (struct part_writer *)writer;
    bool is_in = event->time_ns >= part->from_ns && (event->time_ns < part->to_ns || part->to_ns == REFRAIN_TIME_LAST);
    return is_in && part->inner->event ? part->inner->event(part->inner, event) : 0;
}

static int end(struct refrain_writer *writer) {
    struct refrain_writer *inner = ((struct part_writer *)writer)->inner;
    free(writer);
    return inner->end ? inner->end(inner) : 0;
}

struct refrain_writer *refrain_part_writer(struct refrain_writer *inner, int64_t from_ns, int64_t to_ns) {
    struct part_writer *part = malloc(sizeof *part);
    if (!part)
        return NULL;
    *part = (struct part_writer){{begin, event, end}, inner, from_ns, to_ns};
    return &part->writer;
}
