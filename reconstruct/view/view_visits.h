/* view_visits.h: when each rank came to each construct, and what it had of its own there (events -> stretches of
 * visits).
 *
 *     visits   0 1 2 3 4 5 6 7 ...        stride 2: stretch 0 is visits 0 and 1, stretch 1 is 2 and 3 ...
 *
 * Strides are powers of two and double as visits come, so that memory does not depend on their number. Those of two
 * runs with the same number of visits are the same. */
#ifndef REFRAIN_VIEW_VISITS_H
#define REFRAIN_VIEW_VISITS_H

#include "model/trace_read.h"

/* Visits from one on, as many as the stride. */
struct refrain_stretch {
    double enter_ns; /* of its first visit */
    double own_ns, waiting_ns;
};

/* Of a region in a location. */
struct refrain_visits {
    struct refrain_stretch *stretches; /* null: none */
    uint32_t n, stride;
    uint64_t count;
};

struct refrain_visit_table {
    const struct refrain_trace *trace;
    struct refrain_visits *visits; /* of location l and region r: [l * n_regions + r] */
    size_t n_locations, n_regions;
    uint32_t most; /* stretches of one */
    double end_ns;
};

/* Replays the run, with `most` stretches at most of each region in each location (a power of two). The caller closes
 * the table, also when the status is not REFRAIN_OK. */
enum refrain_status refrain_visits_open(struct refrain_trace *trace, uint32_t most, struct refrain_visit_table *table,
                                        struct refrain_error *error);
void refrain_visits_close(struct refrain_visit_table *table);

/* Makes the stride larger, to `stride`, a power of two. */
void refrain_visits_widen(struct refrain_visits *visits, uint32_t stride);

#endif
