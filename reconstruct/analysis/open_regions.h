/* open_regions.h: the open regions of each location (events -> profile, waiting, pictures, intervals).
 *
 *     location 0   main > solve > MPI_Recv     a frame for each open region, the innermost last
 *     location 1   main > solve
 *
 * A frame is defined by the user and begins with struct refrain_region_frame. The user chooses the clock: a user
 * that cuts times to a window passes the cut duration when a region is left. Threads: one at a time. */
#ifndef REFRAIN_OPEN_REGIONS_H
#define REFRAIN_OPEN_REGIONS_H

#include "match/event.h"
#include "model/trace_read.h"

/* The first member of a frame. */
struct refrain_region_frame {
    const struct refrain_region_info *region;
    int64_t enter_ns;
    int64_t inner_ns; /* time of finished regions inside it */
};

/* Of one location. Starts as zeros. */
struct refrain_region_stack {
    unsigned char *frames;
    size_t frame_bytes, depth, capacity;
};

/* The frame at a depth; 0 is the outermost. */
static inline void *refrain_region_stack_at(const struct refrain_region_stack *stack, size_t depth) {
    return stack->frames + depth * stack->frame_bytes;
}

/* The innermost frame; null if none is open. */
static inline void *refrain_region_stack_top(const struct refrain_region_stack *stack) {
    return stack->depth ? refrain_region_stack_at(stack, stack->depth - 1) : NULL;
}

/* Enters a region: returns its frame of `frame_bytes` (always the same), zeroed after the head. Null without memory.
 * Frames may move. */
void *refrain_region_stack_enter(struct refrain_region_stack *stack, size_t frame_bytes,
                                 const struct refrain_region_info *region, int64_t now_ns);

/* Leaves the innermost region, which took this time. Returns its frame, valid until the next region is entered. Null
 * if none is open. */
void *refrain_region_stack_leave(struct refrain_region_stack *stack, int64_t took_ns);

void refrain_region_stack_free(struct refrain_region_stack *stack);

/* Numbers of locations in the list of the trace. Starts as zeros. */
struct refrain_location_index {
    const struct refrain_location_info *locations; /* by rank, then thread */
    size_t n;
    uint32_t *first_of_rank; /* n_ranks + 1 entries */
    uint32_t n_ranks;
};

/* False without memory. The trace must stay open. */
bool refrain_location_index_open(struct refrain_location_index *index, const struct refrain_trace *trace);

/* The number of the location of an event; index->n if the trace does not list it. */
static inline size_t refrain_location_index_of(const struct refrain_location_index *index,
                                               const struct refrain_event *event) {
    if ((uint32_t)event->rank < index->n_ranks)
        for (uint32_t i = index->first_of_rank[event->rank]; i < index->first_of_rank[event->rank + 1]; i++)
            if (index->locations[i].thread == event->thread)
                return i;
    return index->n;
}

void refrain_location_index_close(struct refrain_location_index *index);

#endif
