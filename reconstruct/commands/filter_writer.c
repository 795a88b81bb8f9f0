/* filter_writer.c: a writer that leaves out receives of messages from before the part (filter_writer.h). */
#include "commands/filter_writer.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdlib.h>

struct filter_writer {
    struct refrain_writer writer, *inner;
    struct refrain_filter filter;
    uint64_t late; /* number of receives that were left out */
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct refrain_writer *inner = ((struct filter_writer *)writer)->inner;
    return inner->begin ? inner->begin(inner, trace) : 0;
}

static int event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct filter_writer *filtered = (struct filter_writer *)writer;
    const struct refrain_filter *filter = &filtered->filter;
    if (event->kind == REFRAIN_EVENT_RECV && event->match && event->match_time_ns < filter->sent_from_ns) {
        filtered->late++;
        return 0;
    }
    return filtered->inner->event ? filtered->inner->event(filtered->inner, event) : 0;
}

static int end(struct refrain_writer *writer) {
    struct filter_writer *filtered = (struct filter_writer *)writer;
    int result = filtered->inner->end ? filtered->inner->end(filtered->inner) : 0;
    if (result == 0 && filtered->late > 0 && filtered->filter.format)
        refrain_warn("%s pairs messages by their order: the receives of %" PRIu64
                     " that were sent before the part are left out",
                     filtered->filter.format, filtered->late);
    free(filtered);
    return result;
}

struct refrain_writer *refrain_filter_writer(struct refrain_writer *inner, const struct refrain_filter *filter) {
    if (filter->sent_from_ns == REFRAIN_TIME_FIRST)
        return inner;
    struct filter_writer *filtered = malloc(sizeof *filtered);
    if (!filtered)
        return NULL;
    *filtered = (struct filter_writer){{begin, event, end}, inner, *filter, 0};
    return &filtered->writer;
}
