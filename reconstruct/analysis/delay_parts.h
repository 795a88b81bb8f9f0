/* delay_parts.h: what is kept while causes of waits are found (private to delay*.c).
 *
 *     delays.c        events --> spans of ranks, waits; the window, what comes out
 *     delay_causes.c  a wait --> the places and ranks that it began with
 *     delay_longer.c  the longest iteration --> what was longer in it
 *     delay_clocks.c  when the run would have ended if something took no time; how many ranks compute at a time
 *     delay_spans.c   what each rank did lately
 *     delay_path.c    at the end: the path of the rank that ended last */
#ifndef REFRAIN_DELAY_PARTS_H
#define REFRAIN_DELAY_PARTS_H

#include "analysis/critical_path.h"
#include "analysis/delay_spans.h"
#include "analysis/ideal.h"
#include "analysis/open_regions.h"
#include "analysis/team_load.h"

#define REFRAIN_DELAY_MEETINGS 4u /* collectives that are kept of a rank */

/* The first thread of a rank. */
struct refrain_delay_line {
    struct refrain_region_stack stack; /* of struct refrain_region_frame */
    int64_t begin_ns;                  /* of what it does now */
    bool begun, ended;                 /* ended: it has come to MPI_Finalize */
    bool computing, gone;              /* gone: the thread has read its clock for the last time */
    const struct refrain_region_info *finalize;
    struct refrain_delay_spans spans;
    int64_t met_ns[REFRAIN_DELAY_MEETINGS]; /* ends of waits in collectives, the latest first */
};

/* Two ranks of which one waited for the other, outside of collectives. */
struct refrain_delay_pair {
    int64_t met_ns;
};

/* The innermost region that is open; null: none is. */
static inline const struct refrain_region_info *refrain_delay_in(const struct refrain_delay_line *line) {
    const struct refrain_region_frame *top = refrain_region_stack_top(&line->stack);
    return top ? top->region : NULL;
}

/* A run in which something takes no time. */
struct refrain_delay_clock {
    struct refrain_ideal *ideal;
    bool has_calls;                     /* MPI calls take their time, but for waiting; else they take none */
    struct refrain_delay_group without; /* takes no time */
};

struct refrain_delay_parts {
    const struct refrain_trace *trace;
    struct refrain_delay_line *lines; /* by rank */
    struct refrain_table places, pairs;
    struct refrain_delay_clock *clocks; /* the first: the ideal network */
    size_t n_clocks;
    struct refrain_critical_path *path;
    size_t n_computing;                        /* ranks, at this moment ... */
    int64_t computing_from_ns;                 /* ... and since when */
    const struct refrain_location_info **ends; /* first threads, by when they end ... */
    size_t n_ends, next_end;                   /* ... and the next one to end */
    struct refrain_rhythm *rhythm;
    unsigned char *marks; /* by index of the region: enum mark of delays.c */
    unsigned stamp;
    bool no_memory;
};

/* The places and ranks that a wait began with; null where none are found, or without memory (parts->no_memory). Sets
 * `met_ns`, when the ranks had met before, and `cut`, whether less than since then was looked at. The caller frees. */
struct refrain_delay_roots *refrain_delay_find(struct refrain_delays *delays, const struct refrain_wait *wait,
                                               int64_t *met_ns, bool *cut);

/* Sets what some rank had most more of in the longest iteration than in the others so far. */
void refrain_delay_find_longer(struct refrain_delays *delays, struct refrain_beat *beat);

/* What the region's own time counts as; null: outside of all. */
enum refrain_doing refrain_delay_doing(const struct refrain_region_info *region);

/* The first clock. False without memory. */
bool refrain_delay_clocks_open(struct refrain_delays *delays);
void refrain_delay_clocks_close(struct refrain_delay_parts *parts);

/* The rank spent so long at a place. Less than 0: that was waiting after all. */
void refrain_delay_clocks_move(struct refrain_delays *delays, int32_t rank, const struct refrain_delay_place *place,
                               int64_t ns);
bool refrain_delay_clocks_event(struct refrain_delays *delays, const struct refrain_event *event);

/* All ranks, or this one with its first event, are at that moment, or were before it. */
void refrain_delay_clocks_reset(struct refrain_delays *delays, int64_t now_ns);
void refrain_delay_clocks_begin(struct refrain_delays *delays, int32_t rank, int64_t now_ns);

/* Fills what is known at the end. */
void refrain_delay_clocks_finish(struct refrain_delays *delays);

/* Does the rank compute from now on? At the end of the run: without a rank. */
void refrain_delay_follow_computing(struct refrain_delays *delays, struct refrain_delay_line *line, int64_t now_ns);

/* Before the first event. False without memory. */
bool refrain_delay_find_ends(struct refrain_delays *delays);

/* At the end: fills what is known of the critical path, and of ranks that compute at a time. False without memory. */
bool refrain_delay_find_path(struct refrain_delays *delays);

/* The ranks of a wait meet when it ends. */
void refrain_delay_meet(struct refrain_delays *delays, const struct refrain_wait *wait);

#endif
