/* delay_parts.h: the state while causes of waits are found (private to delay*.c).
 *
 *     delays.c        events --> spans of ranks, waits; the window, results
 *     delay_causes.c  a wait --> the places and ranks where it has its roots
 *     delay_longer.c  the longest iteration --> the place that made it longer
 *     delay_clocks.c  when the run would have ended if some place took no time; how many ranks compute at a time
 *     delay_spans.c   recent activities of each rank
 *     delay_path.c    at the end: the path of the rank that ended last */
#ifndef REFRAIN_DELAY_PARTS_H
#define REFRAIN_DELAY_PARTS_H

#include "analysis/critical_path.h"
#include "analysis/delay_spans.h"
#include "analysis/ideal.h"
#include "analysis/open_regions.h"
#include "analysis/team_load.h"

#define REFRAIN_DELAY_MEETINGS 4u /* recent collectives kept for each rank */

/* State of a rank, i.e. of its first thread. */
struct refrain_delay_line {
    struct refrain_region_stack stack; /* of struct refrain_region_frame */
    int64_t begin_ns;                  /* of its current activity */
    bool begun, ended;                 /* ended: it has reached MPI_Finalize */
    bool computing, gone;              /* gone: the thread has read its clock for the last time */
    const struct refrain_region_info *finalize;
    struct refrain_delay_spans spans;
    int64_t met_ns[REFRAIN_DELAY_MEETINGS]; /* ends of waits in collectives, the latest first */
};

/* Two ranks of which one waited for the other, outside of collectives. */
struct refrain_delay_pair {
    int64_t met_ns;
};

/* The innermost open region; null: none. */
static inline const struct refrain_region_info *refrain_delay_in(const struct refrain_delay_line *line) {
    const struct refrain_region_frame *top = refrain_region_stack_top(&line->stack);
    return top ? top->region : NULL;
}

/* A hypothetical run in which some place takes no time. */
struct refrain_delay_clock {
    struct refrain_ideal *ideal;
    bool has_calls;                     /* MPI calls take their time besides waiting; false: no time */
    struct refrain_delay_group without; /* this takes no time */
};

struct refrain_delay_parts {
    const struct refrain_trace *trace;
    struct refrain_delay_line *lines; /* by rank */
    struct refrain_table places, pairs;
    struct refrain_delay_clock *clocks; /* the first: the ideal network */
    size_t n_clocks;
    struct refrain_critical_path *path;
    size_t n_computing;                        /* ranks that compute now */
    int64_t computing_from_ns;                 /* since when they are so many */
    const struct refrain_location_info **ends; /* first threads, sorted by their ends */
    size_t n_ends, next_end;                   /* next_end: the next one to end */
    struct refrain_rhythm *rhythm;
    unsigned char *marks; /* by region index: enum mark of delays.c */
    unsigned stamp;
    bool no_memory;
};

/* Finds the places and ranks where a wait has its roots. Null if none are found, and without memory
 * (parts->no_memory). Sets `met_ns`, when the ranks had met before, and `cut`: true if the spans do not reach back
 * to then. The caller frees the result. */
struct refrain_delay_roots *refrain_delay_find(struct refrain_delays *delays, const struct refrain_wait *wait,
                                               int64_t *met_ns, bool *cut);

/* Sets the place of which some rank had most more in the longest iteration than in the others so far. */
void refrain_delay_find_longer(struct refrain_delays *delays, struct refrain_beat *beat);

/* Activity of the own time of a region; null: outside of all regions. */
enum refrain_doing refrain_delay_doing(const struct refrain_region_info *region);

/* Opens the first clock. False without memory. */
bool refrain_delay_clocks_open(struct refrain_delays *delays);
void refrain_delay_clocks_close(struct refrain_delay_parts *parts);

/* The rank spent this time at a place. Negative: the time was waiting after all. */
void refrain_delay_clocks_move(struct refrain_delays *delays, int32_t rank, const struct refrain_delay_place *place,
                               int64_t ns);
bool refrain_delay_clocks_event(struct refrain_delays *delays, const struct refrain_event *event);

/* reset: all ranks are at this time. begin: this rank starts with its first event at this time, unless it has
 * started before. */
void refrain_delay_clocks_reset(struct refrain_delays *delays, int64_t now_ns);
void refrain_delay_clocks_begin(struct refrain_delays *delays, int32_t rank, int64_t now_ns);

/* Sets the results at the end. */
void refrain_delay_clocks_finish(struct refrain_delays *delays);

/* Updates whether the rank computes. At the end of the run: `line` is null. */
void refrain_delay_follow_computing(struct refrain_delays *delays, struct refrain_delay_line *line, int64_t now_ns);

/* To be called before the first event. False without memory. */
bool refrain_delay_find_ends(struct refrain_delays *delays);

/* Sets the results about the critical path and about ranks that compute at a time. False without memory. */
bool refrain_delay_find_path(struct refrain_delays *delays);

/* The ranks of a wait meet when it ends. */
void refrain_delay_meet(struct refrain_delays *delays, const struct refrain_wait *wait);

#endif
