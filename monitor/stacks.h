/* stacks.h: activations that are left behind, and the stacks that they are on.
 *
 * Stacks grow down: an activation whose frame lies below that of the function in which a probe runs has been jumped out
 * of, and ends. That holds on one stack. The monitor recognises the stack of a signal handler (sigaltstack). It does
 * not recognise those of coroutines (swapcontext and the like): when they switch to a higher stack, it ends activations
 * that only wait. Where such an activation goes on, the trace has what comes in it under the activation that is open,
 * and its end is counted as a loss. */
#ifndef REFRAIN_STACKS_H
#define REFRAIN_STACKS_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* The innermost activation that is none of the call path's (call_path.h). */
REFRAIN_HIDDEN struct refrain_entry *refrain_below_path(const struct refrain_context *context);

/* Ends the functions of the call path above `keep`: at the end of the block before, which was the last that is known to
 * be theirs. */
REFRAIN_HIDDEN void refrain_end_path_above(struct refrain_context *context, const struct refrain_entry *keep);

/* Ends the activations above `keep`, which longjmp left behind. */
REFRAIN_HIDDEN void refrain_unwind(struct refrain_context *context, struct refrain_entry *keep);

/* The same for activations that end only because of where their frames lie: they may be waiting coroutines. */
REFRAIN_HIDDEN void refrain_abandon(struct refrain_context *context, struct refrain_entry *keep);

/* A probe runs in a frame at `address`, above that of the activation on top: ends all activations below `address`. */
REFRAIN_HIDDEN void refrain_drop_below(struct refrain_context *context, uintptr_t address);

/* The function with this frame is left at `slot` (null: not known), but has no open activation: counts a loss if its
 * activation was ended because of where it lay. If the function was dormant at some time, its entry may just not have
 * been told. */
REFRAIN_HIDDEN void refrain_stacks_left(struct refrain_context *context, const struct refrain_slot *slot,
                                        uintptr_t frame);

/* Is that the activation of a function with this frame? */
static inline bool refrain_has_frame(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->kind == REFRAIN_ENTRY_FUNCTION && entry->address + (uintptr_t)(intptr_t)entry->frame == frame;
}

/* Ends the activations above that of the function with this frame. False where its entry was not told. `slot`: at which
 * it is left, null: not known. */
REFRAIN_HIDDEN bool refrain_drop_above(struct refrain_context *context, const struct refrain_slot *slot,
                                       uintptr_t frame);

/* Ends the thread's activations of the function with this slot number, with all that are above them, as if they had
 * been jumped out of: what is still to come in them belongs to the activation below. Where a user region or an MPI call
 * is open among them nothing ends. The probe does not end. */
REFRAIN_HIDDEN void refrain_give_up(struct refrain_context *context, uint64_t function);

#endif
