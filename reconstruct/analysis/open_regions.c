/* open_regions.c: the stack of open regions, and the index of locations (open_regions.h). */
#include "analysis/open_regions.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

void *refrain_region_stack_enter(struct refrain_region_stack *stack, size_t frame_bytes,
                                 const struct refrain_region_info *region, int64_t now_ns) {
    if (!refrain_array_room(refrain_realloc, &stack->frames, stack->depth, 1, &stack->capacity, frame_bytes))
        return NULL;
    stack->frame_bytes = frame_bytes;
    struct refrain_region_frame *open = refrain_region_stack_at(stack, stack->depth++);
    memset(open, 0, frame_bytes);
    open->region = region;
    open->enter_ns = now_ns;
    return open;
}

void *refrain_region_stack_leave(struct refrain_region_stack *stack, int64_t took_ns) {
    if (stack->depth == 0)
        return NULL;
    void *left = refrain_region_stack_at(stack, --stack->depth);
    struct refrain_region_frame *around = refrain_region_stack_top(stack);
    if (around)
        around->inner_ns += took_ns;
    return left;
}

void refrain_region_stack_free(struct refrain_region_stack *stack) {
    refrain_free(stack->frames);
    *stack = (struct refrain_region_stack){0};
}

bool refrain_location_index_open(struct refrain_location_index *index, const struct refrain_trace *trace) {
    index->locations = refrain_trace_locations(trace, &index->n);
    index->n_ranks = index->n ? (uint32_t)index->locations[index->n - 1].rank + 1 : 0;
    index->first_of_rank = refrain_calloc((size_t)index->n_ranks + 1, sizeof *index->first_of_rank);
    if (!index->first_of_rank)
        return false;
    for (uint32_t i = 0, rank = 0; rank <= index->n_ranks; rank++) {
        while (i < index->n && (uint32_t)index->locations[i].rank < rank)
            i++;
        index->first_of_rank[rank] = i;
    }
    return true;
}

void refrain_location_index_close(struct refrain_location_index *index) {
    refrain_free(index->first_of_rank);
    *index = (struct refrain_location_index){0};
}
