/* loop_exits.c: searches the places inside a loop for steps out of it (loop_exits.h). */
#include "analysis/loop_exits.h"
#include "sequence/sequence.h"

#define MOST_RUNS 1000000u /* of a place; the rest counts as equal to these */
#define MOST_OF_RUN 64u    /* values compared in a run with a stride */

/* A loop, in a function with the slots [first, end). */
struct loop {
    const struct refrain_process *process;
    const struct refrain_node *node;
    uint32_t first, end;
};

static bool is_function(const struct refrain_process *process, uint32_t number) {
    const struct refrain_node *node = process->slots[number].node;
    return node && node->kind == REFRAIN_FUNCTION;
}

/* True if the slot belongs to the loop or to a construct inside. */
static bool is_inside(const struct loop *loop, uint32_t number) {
    const struct refrain_slot_view *slot = &loop->process->slots[number];
    const struct refrain_node *node = slot->node;
    while (node && node != loop->node && node->parent < (uint32_t)(node - slot->unit->nodes))
        node = &slot->unit->nodes[node->parent];
    return node == loop->node;
}

/* True if this value of a place inside the loop leads out of it. Calls stay inside. */
static bool leads_out(const struct loop *loop, int64_t value) {
    if (value < 0)
        return true;
    return value >= loop->first && value < loop->end && !is_function(loop->process, (uint32_t)value) &&
           !is_inside(loop, (uint32_t)value);
}

static bool leaves(const struct loop *loop, const struct refrain_slot *place) {
    const struct refrain_process *process = loop->process;
    struct refrain_sequence sequence;
    bool found = false;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, &place->next);
    for (unsigned runs = 0; !found && runs < MOST_RUNS && refrain_sequence_advance(&sequence); runs++) {
        uint64_t n = sequence.stride == 0 ? 1 : sequence.run < MOST_OF_RUN ? sequence.run : MOST_OF_RUN;
        for (uint64_t i = 0; !found && i < n; i++)
            found = leads_out(loop, (int64_t)((uint64_t)sequence.value + i * (uint64_t)sequence.stride));
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return found;
}

/* True if the slot is a place inside the loop with successors. False for its count, and for the place after it. */
static bool is_place_inside(const struct loop *loop, uint32_t number) {
    const struct refrain_slot_view *slot = &loop->process->slots[number];
    if (!slot->node || !is_inside(loop, number))
        return false;
    bool counts_or_decides = slot->part == 0 && slot->node->kind >= REFRAIN_IF && slot->node->kind <= REFRAIN_DO;
    return slot->node == loop->node ? slot->part == 1 : !counts_or_decides;
}

bool refrain_loop_left_early(const struct refrain_process *process, uint32_t thread, uint32_t number) {
    const struct refrain_slot *slot = refrain_process_slot(process, thread, number);
    uint32_t n = process->header->n_slots, to_function = slot ? REFRAIN_SLOT_OF_FUNCTION(slot->flags) : 0;
    if (!slot || !process->slots[number].node || to_function > number)
        return false;
    struct loop loop = {process, process->slots[number].node, number - to_function, number + 1};
    while (loop.end < n && !is_function(process, loop.end))
        loop.end++;
    for (uint32_t i = number + 1; i < loop.end; i++) {
        const struct refrain_slot *place = is_place_inside(&loop, i) ? refrain_process_slot(process, thread, i) : NULL;
        if (place && place->next.state != REFRAIN_EMPTY && leaves(&loop, place))
            return true;
    }
    return false;
}
