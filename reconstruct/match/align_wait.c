/* align_wait.c: delays groups of events until their causes have happened (align_parts.h). */
#include "match/align_parts.h"

void refrain_align_hold(struct refrain_align *align, struct refrain_align_location *location,
                        const struct refrain_moment *cause) {
    int64_t time_ns = cause->virtual_ns;
    if (align->without_probes) {
        refrain_virtual_cause(&location->virtual_time, cause);
        time_ns = location->virtual_time.cause.virtual_ns; /* the latest cause, whichever was found first */
        location->time_ns = refrain_virtual_ns(&location->virtual_time, refrain_align_last(location)->time_ns,
                                               refrain_align_last(location)->probes_ns);
        if (location->time_ns <= time_ns)
            location->time_ns = time_ns + 1;
        if (location->time_ns < location->now_ns)
            location->time_ns = location->now_ns;
        return;
    }
    if (time_ns <= location->time_ns)
        return;
    align->report.moved++;
    if (time_ns - location->time_ns > align->report.largest_move_ns)
        align->report.largest_move_ns = time_ns - location->time_ns;
    location->time_ns = time_ns;
}

void refrain_align_ready(struct refrain_align *align, uint32_t location) {
    refrain_ready_put(&align->ready, (struct refrain_ready){align->locations[location].time_ns, location});
}

void refrain_align_satisfy(struct refrain_align *align, uint32_t number, const struct refrain_moment *cause) {
    struct refrain_align_location *location = &align->locations[number];
    if (cause)
        refrain_align_hold(align, location, cause);
    if (--location->waiting > 0)
        return;
    /* If the cause never happened, other locations may have continued beyond this one meanwhile. */
    int64_t now_ns = align->turn == 0 ? align->now_ns : cause ? INT64_MIN : align->ending_ns;
    if (location->time_ns < now_ns)
        location->time_ns = now_ns;
    refrain_align_ready(align, number);
}

struct refrain_moment refrain_align_moment(const struct refrain_align *align, uint32_t number) {
    const struct refrain_align_location *location = &align->locations[number];
    return (struct refrain_moment){align->without_probes ? location->virtual_time.last.real_ns : location->time_ns,
                                   location->time_ns};
}

bool refrain_align_gone(const struct refrain_align *align, int32_t rank) {
    return rank < 0 || (size_t)rank >= align->n_ranks || align->running[rank] == 0;
}

void refrain_align_order_matters(struct refrain_align *align, const char *why) {
    if (!align->turns)
        return;
    if (!align->turns->wrong)
        align->turns->wrong = why;
    align->stopped = true;
}
