/* view_visits.h: when each rank visited each construct, and its own time and waiting there (events -> stretches of
 * visits).
 *
 *     visits   0 1 2 3 4 5 6 7 ...        stride 2: stretch 0 is visits 0 and 1, stretch 1 is 2 and 3 ...
 *
 * Strides are powers of two. They double when the table is full, so that memory does not depend on the number of
 * visits. Two runs with the same number of visits have the same strides. */
#ifndef REFRAIN_VIEW_VISITS_H
#define REFRAIN_VIEW_VISITS_H

#include "model/trace_read.h"

/* As many successive visits as the stride. */
struct refrain_stretch {
    double enter_ns; /* of the first visit */
    double own_ns, waiting_ns;
};

/* The visits of a region in a location. */
struct refrain_visits {
    struct refrain_stretch *stretches; /* null: no visits */
    uint32_t n, stride;
    uint64_t count;
};

struct refrain_visit_table {
    const struct refrain_trace *trace;
    struct refrain_visits *visits; /* visits[l * n_regions + r]: of region r in location l */
    size_t n_locations, n_regions;
    uint32_t most; /* limit of the stretches of one region in one location */
    double end_ns;
};

/* Replays the run. `most`: limit of stretches of each region in each location, a power of two. The caller closes the
 * table even if the status is not REFRAIN_OK. */
enum refrain_status refrain_visits_open(struct refrain_trace *trace, uint32_t most, struct refrain_visit_table *table,
                                        struct refrain_error *error);
void refrain_visits_close(struct refrain_visit_table *table);

/* Doubles the stride until it is `stride`, a power of two. */
void refrain_visits_widen(struct refrain_visits *visits, uint32_t stride);

#endif
