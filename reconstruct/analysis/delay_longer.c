/* delay_longer.c: finds the place that made an iteration longer than others (delay_parts.h). */
#include "analysis/delay_parts.h"

#define MOST_PLACES 64u

struct touched {
    struct refrain_delay_place *places[MOST_PLACES];
    int64_t ns[MOST_PLACES];
    uint32_t n;
};

static void add(struct touched *touched, struct refrain_delay_parts *parts, struct refrain_delay_place *place,
                int64_t ns) {
    if (place->stamp != parts->stamp) {
        if (touched->n == MOST_PLACES)
            return;
        place->stamp = parts->stamp;
        place->item = touched->n;
        touched->places[touched->n] = place;
        touched->ns[touched->n++] = 0;
    }
    touched->ns[place->item] += ns;
}

static void look_at_rank(struct refrain_delays *delays, struct refrain_beat *beat, int32_t rank) {
    struct refrain_delay_parts *parts = delays->parts;
    const struct refrain_delay_spans *list = &parts->lines[rank].spans;
    struct touched touched = {.n = 0};
    int64_t from_ns = beat->longest_from_ns, to_ns = beat->longest_to_ns;
    parts->stamp++;
    for (size_t i = refrain_delay_spans_after(list, from_ns); i < list->n && list->spans[i].begin_ns < to_ns; i++) {
        const struct refrain_delay_span *span = &list->spans[i];
        int64_t begin_ns = span->begin_ns > from_ns ? span->begin_ns : from_ns;
        if (span->place)
            add(&touched, parts, span->place, (span->end_ns < to_ns ? span->end_ns : to_ns) - begin_ns);
    }
    for (uint32_t i = 0; i < touched.n; i++) {
        int64_t others_ns = touched.places[i]->spent_ns[rank] - touched.ns[i];
        int64_t more_ns = touched.ns[i] - others_ns / (int64_t)(beat->count > 1 ? beat->count - 1 : 1);
        if (beat->place && more_ns <= beat->more_ns)
            continue;
        beat->place = touched.places[i];
        beat->late_rank = rank;
        beat->more_ns = more_ns;
    }
}

/* The current span of the rank has no end yet; it counts if it is at the place. */
static int64_t open_at(const struct refrain_delay_line *line, const struct refrain_delay_place *place, int64_t from_ns,
                       int64_t to_ns) {
    const struct refrain_region_info *in = refrain_delay_in(line);
    int64_t begin_ns = line->begin_ns > from_ns ? line->begin_ns : from_ns;
    bool there = in == (place->doing == REFRAIN_DOING_COMPUTING ? place->function : place->call);
    return there && to_ns > begin_ns ? to_ns - begin_ns : 0;
}

/* How much longer the rank was at the place than in the mean of the other iterations. */
static int64_t more_at(struct refrain_delays *delays, const struct refrain_beat *beat, int32_t rank) {
    const struct refrain_delay_spans *list = &delays->parts->lines[rank].spans;
    int64_t from_ns = beat->longest_from_ns, to_ns = beat->longest_to_ns, ns = 0;
    for (size_t i = refrain_delay_spans_after(list, from_ns); i < list->n && list->spans[i].begin_ns < to_ns; i++) {
        const struct refrain_delay_span *span = &list->spans[i];
        int64_t begin_ns = span->begin_ns > from_ns ? span->begin_ns : from_ns;
        if (span->place == beat->place)
            ns += (span->end_ns < to_ns ? span->end_ns : to_ns) - begin_ns;
    }
    int64_t open_ns = open_at(&delays->parts->lines[rank], beat->place, from_ns, to_ns);
    return open_ns + ns - (beat->place->spent_ns[rank] - ns) / (int64_t)(beat->count > 1 ? beat->count - 1 : 1);
}

void refrain_delay_find_longer(struct refrain_delays *delays, struct refrain_beat *beat) {
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known)
            look_at_rank(delays, beat, (int32_t)i);
    beat->n_late = 0;
    for (size_t i = 0; beat->place && i < delays->n_ranks; i++)
        beat->n_late += delays->ranks[i].known && 2 * more_at(delays, beat, (int32_t)i) >= beat->more_ns;
}
