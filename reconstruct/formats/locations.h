/* locations.h: the ranks and threads of a trace as one dense list (trace -> writers of formats).
 *
 *     rank 0 thread 0, rank 0 thread 1, rank 1 thread 0, ...
 *
 * Every rank of the run has its thread 0 in it, also one whose file is missing; further threads are those that started.
 * A thread that started after one that did not has both before it. */
#ifndef REFRAIN_LOCATIONS_H
#define REFRAIN_LOCATIONS_H

#include "match/event.h"
#include "model/trace_read.h"

struct refrain_location {
    int32_t rank;
    uint32_t thread;
    const struct refrain_process *process; /* null: no file */
    uint32_t host;                         /* in hosts */
};

struct refrain_locations {
    struct refrain_location *all;
    size_t n;
    size_t *first; /* by rank: its thread 0 */
    int32_t size;  /* ranks */
    bool threads;  /* some rank has more than one */
    const char **hosts;
    uint32_t n_hosts;
    int64_t end_ns; /* of the run, as far as the files tell; events may come somewhat later */
};

/* False without memory; then, too, refrain_locations_free is to be called. */
bool refrain_locations_make(struct refrain_locations *locations, const struct refrain_trace *trace);
void refrain_locations_free(struct refrain_locations *locations);

/* The number of an event's location. */
static inline size_t refrain_locations_of(const struct refrain_locations *locations,
                                          const struct refrain_event *event) {
    return locations->first[event->rank] + event->thread;
}

/* The name of the program that was run, without its directory; "program" when the trace does not say. */
const char *refrain_locations_program(const struct refrain_trace *trace);

#endif
