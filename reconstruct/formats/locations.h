/* locations.h: the ranks and threads of a trace as one list without gaps (trace -> writers of formats).
 *
 *     rank 0 thread 0, rank 0 thread 1, rank 1 thread 0, ...
 *
 * Every rank of the run has a thread 0 here, even if its file is missing. Further threads are those up to the last
 * one that started. */
#ifndef REFRAIN_LOCATIONS_H
#define REFRAIN_LOCATIONS_H

#include "match/event.h"
#include "model/trace_read.h"

struct refrain_location {
    int32_t rank;
    uint32_t thread;
    const struct refrain_process *process; /* null: no file */
    uint32_t host;                         /* index in hosts */
};

struct refrain_locations {
    struct refrain_location *all;
    size_t n;
    size_t *first; /* by rank: location of its thread 0 */
    int32_t size;  /* number of ranks */
    bool threads;  /* some rank has several threads */
    const char **hosts;
    uint32_t n_hosts;
    int64_t end_ns; /* of the run, as far as the files say; later events are possible */
};

/* False without memory; refrain_locations_free() must be called even then. */
bool refrain_locations_make(struct refrain_locations *locations, const struct refrain_trace *trace);
void refrain_locations_free(struct refrain_locations *locations);

/* The number of the location of an event. */
static inline size_t refrain_locations_of(const struct refrain_locations *locations,
                                          const struct refrain_event *event) {
    return locations->first[event->rank] + event->thread;
}

/* The name of the traced program, without its directory; "program" if the trace does not say. */
const char *refrain_locations_program(const struct refrain_trace *trace);

#endif
