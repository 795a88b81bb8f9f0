/* stacks.h: ends activations that were left without a return, on the stacks of the thread.
 *
 * Stacks grow down. If the frame of an activation lies below that of the function in which a probe runs, the program
 * has jumped out of it, so it ends. This holds for one stack. The monitor recognises the stack of a signal handler
 * (sigaltstack), but not those of coroutines (swapcontext and similar functions): when these switch to a higher stack,
 * it ends activations that only wait. If such an activation goes on, its events belong to the activation that is open,
 * and its end is counted as a loss. */
#ifndef REFRAIN_STACKS_H
#define REFRAIN_STACKS_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* The innermost activation that does not belong to a call path (call_path.h). */
REFRAIN_HIDDEN struct refrain_entry *refrain_below_path(const struct refrain_context *context);

/* Ends the functions of the call path above `keep`, at the end of the latest block, the last time at which they are
 * known to be open. */
REFRAIN_HIDDEN void refrain_end_path_above(struct refrain_context *context, const struct refrain_entry *keep);

/* Ends the activations above `keep`, which longjmp has left. */
REFRAIN_HIDDEN void refrain_unwind(struct refrain_context *context, struct refrain_entry *keep);

/* The same for activations that end only because of the addresses of their frames; they may be waiting coroutines. */
REFRAIN_HIDDEN void refrain_abandon(struct refrain_context *context, struct refrain_entry *keep);

/* A probe runs in a frame at `address`, above that of the activation on top: ends all activations below `address`. */
REFRAIN_HIDDEN void refrain_drop_below(struct refrain_context *context, uintptr_t address);

/* The function with this frame is left at `slot` (null: unknown), but has no open activation. Counts a loss if its
 * activation was ended because of its address. If the function was throttled at some time, its entry may not have been
 * recorded. */
REFRAIN_HIDDEN void refrain_stacks_left(struct refrain_context *context, const struct refrain_slot *slot,
                                        uintptr_t frame);

/* True if this is the activation of a function with this frame. */
static inline bool refrain_has_frame(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->kind == REFRAIN_ENTRY_FUNCTION && entry->address + (uintptr_t)(intptr_t)entry->frame == frame;
}

/* Ends the activations above that of the function with this frame. False if its entry was not recorded. `slot`: where
 * it is left; null: unknown. */
REFRAIN_HIDDEN bool refrain_drop_above(struct refrain_context *context, const struct refrain_slot *slot,
                                       uintptr_t frame);

/* Ends the thread's activations of the function with this slot number, and all above them, as if the program had jumped
 * out of them. Later events in them belong to the activation below. Ends nothing if a user region or an MPI call is
 * open among them. The probe does not end. */
REFRAIN_HIDDEN void refrain_give_up(struct refrain_context *context, uint64_t function);

#endif
