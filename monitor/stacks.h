/* stacks.h: activations that are left behind, and the stacks that they are on.
 *
 * Stacks grow down: what is above the frame in which a probe runs has been jumped out of, and is ended. That holds on
 * one stack. A signal handler on a stack of its own (sigaltstack) is known as such. Of coroutines (swapcontext and the
 * like) nothing is known: where they switch to a higher stack, activations are ended that only wait. Those that go on
 * afterwards are counted when they end; what came in them since belongs to whatever is open. */
#ifndef REFRAIN_STACKS_H
#define REFRAIN_STACKS_H

#include "monitor.h"

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

#endif
