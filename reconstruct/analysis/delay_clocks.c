/* delay_clocks.c: computes when the run would have ended if some place took no time, and how many ranks compute at a
 * time (delay_parts.h). */
#include "analysis/delay_parts.h"

#include <stdlib.h>

enum refrain_doing refrain_delay_doing(const struct refrain_region_info *region) {
    static const enum refrain_doing doings[REFRAIN_OWN_TIMES] = {
        [REFRAIN_OWN_TIME_COMPUTING] = REFRAIN_DOING_COMPUTING,
        [REFRAIN_OWN_TIME_TRANSMISSION] = REFRAIN_DOING_TRANSMISSION,
        [REFRAIN_OWN_TIME_MANAGEMENT] = REFRAIN_DOING_MANAGEMENT,
        [REFRAIN_OWN_TIME_PAUSED] = REFRAIN_DOING_PAUSED};
    return region ? doings[region->own_time] : REFRAIN_DOING_COMPUTING;
}

/* ---- runs in which a place takes no time ---- */

const struct refrain_delay_group refrain_delay_no_group = {UINT64_MAX, UINT64_MAX};

struct refrain_delay_group refrain_delay_group(const struct refrain_delay_place *place) {
    return (struct refrain_delay_group){place->before, place->function ? UINT64_MAX : place->at};
}

void refrain_delay_clocks_move(struct refrain_delays *delays, int32_t rank, const struct refrain_delay_place *place,
                               int64_t ns) {
    bool is_call = place->call && place->doing != REFRAIN_DOING_COMPUTING;
    struct refrain_delay_group group = refrain_delay_group(place);
    for (size_t i = 0; i < delays->parts->n_clocks; i++) {
        const struct refrain_delay_clock *clock = &delays->parts->clocks[i];
        if (refrain_delay_group_is(group, clock->without))
            continue;
        if (is_call && clock->has_calls)
            refrain_ideal_call(clock->ideal, rank, ns);
        else if (!is_call && (clock->has_calls || place->doing == REFRAIN_DOING_COMPUTING))
            refrain_ideal_compute(clock->ideal, rank, ns);
    }
}

void refrain_delay_clocks_reset(struct refrain_delays *delays, int64_t now_ns) {
    for (size_t i = 0; i < delays->parts->n_clocks; i++)
        refrain_ideal_reset(delays->parts->clocks[i].ideal, now_ns);
}

bool refrain_delay_clocks_event(struct refrain_delays *delays, const struct refrain_event *event) {
    bool done = true;
    for (size_t i = 0; i < delays->parts->n_clocks; i++)
        done = refrain_ideal_event(delays->parts->clocks[i].ideal, event) && done;
    return done;
}

static bool add_clock(struct refrain_delay_parts *parts, size_t n_ranks, bool has_calls,
                      struct refrain_delay_group without) {
    struct refrain_delay_clock *clock = &parts->clocks[parts->n_clocks];
    *clock = (struct refrain_delay_clock){refrain_ideal_open(n_ranks), has_calls, without};
    parts->n_clocks += clock->ideal != NULL;
    return clock->ideal;
}

bool refrain_delays_without(struct refrain_delays *delays, const struct refrain_delay_group *groups, size_t n) {
    struct refrain_delay_parts *parts = delays->parts;
    struct refrain_delay_clock *clocks = realloc(parts->clocks, (n + 1) * sizeof *clocks);
    if (!clocks)
        return false;
    parts->clocks = clocks;
    delays->without_ns = calloc(n + 1, sizeof *delays->without_ns);
    for (size_t i = 0; i < n; i++)
        if (!add_clock(parts, delays->n_ranks, true, groups[i]))
            return false;
    return delays->without_ns;
}

bool refrain_delay_clocks_open(struct refrain_delays *delays) {
    struct refrain_delay_parts *parts = delays->parts;
    parts->clocks = calloc(1, sizeof *parts->clocks);
    return parts->clocks && add_clock(parts, delays->n_ranks, false, refrain_delay_no_group);
}

void refrain_delay_clocks_close(struct refrain_delay_parts *parts) {
    for (size_t i = 0; i < parts->n_clocks; i++)
        refrain_ideal_close(parts->clocks[i].ideal);
    free(parts->clocks);
    free(parts->ends);
}

void refrain_delay_clocks_begin(struct refrain_delays *delays, int32_t rank, int64_t now_ns) {
    for (size_t i = 0; i < delays->parts->n_clocks; i++) {
        struct refrain_ideal *ideal = delays->parts->clocks[i].ideal;
        int64_t behind_ns = now_ns - refrain_ideal_now_ns(ideal, rank);
        if (behind_ns > 0)
            refrain_ideal_compute(ideal, rank, behind_ns);
    }
}

/* The end of the last rank. */
static int64_t end_of(const struct refrain_delays *delays, const struct refrain_delay_clock *clock) {
    int64_t end_ns = 0;
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known && refrain_ideal_now_ns(clock->ideal, (int32_t)i) > end_ns)
            end_ns = refrain_ideal_now_ns(clock->ideal, (int32_t)i);
    return end_ns;
}

void refrain_delay_clocks_finish(struct refrain_delays *delays) {
    const struct refrain_delay_clock *clocks = delays->parts->clocks;
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known)
            delays->ranks[i].ideal_ns = refrain_ideal_now_ns(clocks[0].ideal, (int32_t)i);
    delays->ideal_end_ns = end_of(delays, &clocks[0]);
    for (size_t i = 1; i < delays->parts->n_clocks; i++)
        delays->without_ns[i - 1] = end_of(delays, &clocks[i]);
}

/* ---- how many ranks compute at a time ---- */

/* Notes that the rank computes from now on, or no longer. */
static void set_computing(struct refrain_delays *delays, struct refrain_delay_line *line, bool computing,
                          int64_t now_ns) {
    struct refrain_delay_parts *parts = delays->parts;
    if (line->computing == computing)
        return;
    if (now_ns > parts->computing_from_ns) {
        delays->at_a_time_ns[parts->n_computing] += now_ns - parts->computing_from_ns;
        parts->computing_from_ns = now_ns;
    }
    line->computing = computing;
    parts->n_computing += computing ? 1 : (size_t)-1;
}

static void end_ranks(struct refrain_delays *delays, int64_t now_ns) {
    struct refrain_delay_parts *parts = delays->parts;
    for (; parts->next_end < parts->n_ends && parts->ends[parts->next_end]->end_ns < now_ns; parts->next_end++) {
        struct refrain_delay_line *line = &parts->lines[parts->ends[parts->next_end]->rank];
        line->gone = true;
        set_computing(delays, line, false, parts->ends[parts->next_end]->end_ns);
    }
}

void refrain_delay_follow_computing(struct refrain_delays *delays, struct refrain_delay_line *line, int64_t now_ns) {
    end_ranks(delays, now_ns);
    if (!line || line->gone)
        return;
    set_computing(delays, line, !line->ended && refrain_delay_doing(refrain_delay_in(line)) == REFRAIN_DOING_COMPUTING,
                  now_ns);
}

static int by_end(const void *a, const void *b) {
    const struct refrain_location_info *x = *(void *const *)a, *y = *(void *const *)b;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

bool refrain_delay_find_ends(struct refrain_delays *delays) {
    struct refrain_delay_parts *parts = delays->parts;
    const struct refrain_trace *trace = parts->trace;
    parts->ends = calloc(trace->n_locations + 1, sizeof *parts->ends);
    for (size_t i = 0; parts->ends && i < trace->n_locations; i++)
        if (trace->locations[i].thread == 0 && trace->locations[i].rank >= 0)
            parts->ends[parts->n_ends++] = &trace->locations[i];
    if (parts->ends)
        qsort(parts->ends, parts->n_ends, sizeof *parts->ends, by_end);
    return parts->ends;
}
