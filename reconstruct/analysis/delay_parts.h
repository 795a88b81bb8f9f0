/* delay_parts.h: what is kept while causes of waits are found (private to delay*.c).
 *
 *     delays.c        events --> spans of ranks, waits; the window, what comes out
 *     delay_causes.c  a wait --> the places and ranks that it began with
 *     delay_longer.c  the longest iteration --> what was longer in it
 *     delay_spans.c   what each rank did lately */
#ifndef REFRAIN_DELAY_PARTS_H
#define REFRAIN_DELAY_PARTS_H

#include "analysis/delay_spans.h"
#include "analysis/ideal.h"
#include "model/trace_read.h"

#define REFRAIN_DELAY_MEETINGS 4u /* collectives that are kept of a rank */

/* The first thread of a rank. */
struct refrain_delay_line {
    const struct refrain_region_info **open; /* regions, the outermost first */
    size_t depth, capacity;
    int64_t begin_ns;  /* of what it does now */
    bool begun, ended; /* ended: it has come to MPI_Finalize */
    const struct refrain_region_info *finalize;
    struct refrain_delay_spans spans;
    int64_t met_ns[REFRAIN_DELAY_MEETINGS]; /* ends of waits in collectives, the latest first */
};

/* Two ranks of which one waited for the other, outside of collectives. */
struct refrain_delay_pair {
    int64_t met_ns;
};

struct refrain_delay_parts {
    const struct refrain_trace *trace;
    struct refrain_delay_line *lines; /* by rank */
    struct refrain_table places, pairs;
    struct refrain_ideal *ideal;
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

/* The ranks of a wait meet when it ends. */
void refrain_delay_meet(struct refrain_delays *delays, const struct refrain_wait *wait);

#endif
