/* stacks.h: activations that are left behind, and the stacks that they are on.
 *
 * Stacks grow down: what is above the frame in which a probe runs has been jumped out of, and is ended. That holds on
 * one stack. A signal handler on a stack of its own (sigaltstack) is known as such. Of coroutines (swapcontext and the
 * like) nothing is known: where they switch to a higher stack, activations are ended that only wait. Those that go on
 * afterwards are counted when they end; what came in them since belongs to whatever is open. */
#ifndef REFRAIN_STACKS_H
#define REFRAIN_STACKS_H

#include "monitor.h"

/* The innermost activation that is none of the call path's (call_path.h). */
REFRAIN_HIDDEN struct refrain_entry *refrain_below_path(const struct refrain_context *context);

/* Ends the functions of the call path above `keep`: at the end of the block before, which was the last that is known to
 * be theirs. */
REFRAIN_HIDDEN void refrain_end_path_above(struct refrain_context *context, const struct refrain_entry *keep);

/* Ends the activations above `keep`, which longjmp left behind. */
REFRAIN_HIDDEN void refrain_unwind(struct refrain_context *context, struct refrain_entry *keep);

/* The same because of where they lie: they may go on after all. */
REFRAIN_HIDDEN void refrain_abandon(struct refrain_context *context, struct refrain_entry *keep);

/* The one on top lies below a frame at `address` in which something comes: ends all that do. */
REFRAIN_HIDDEN void refrain_drop_below(struct refrain_context *context, uintptr_t address);

/* A function is left at `slot` (null: nobody knows) with this frame, of which no activation is open: counts it as lost
 * where one was ended only because of where it lay. A function that was dormant at some time may just not have been
 * entered. */
REFRAIN_HIDDEN void refrain_stacks_left(struct refrain_context *context, const struct refrain_slot *slot,
                                        uintptr_t frame);

/* Is that the activation of a function with this frame? */
static inline bool refrain_has_frame(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->kind == REFRAIN_ENTRY_FUNCTION && entry->address + (uintptr_t)(intptr_t)entry->frame == frame;
}

/* Ends what was abandoned above the activation with this frame; false where it was not entered. `slot`: where it is
 * left, null: nobody knows. */
REFRAIN_HIDDEN bool refrain_drop_above(struct refrain_context *context, const struct refrain_slot *slot,
                                       uintptr_t frame);

/* Ends the thread's activations of the function with this slot number, with all that are above them, as if they had
 * been jumped out of: what is still to come in them belongs to the activation below. Where a user region or an MPI call
 * is open among them nothing ends. The probe does not end. */
REFRAIN_HIDDEN void refrain_give_up(struct refrain_context *context, uint64_t function);

#endif
