/* call_path.h: the functions on the way to an MPI call that have no probes (REFRAIN_CALL_PATH).
 *
 *     main            outermost: activations of the shadow stack, of kind FRAME, above the innermost one that has
 *       solve           a probe and told its beginning
 *         exchange
 *           MPI_Send  what call.c tells
 *
 * At each MPI call the monitor follows the stack by the rules of caller.h, at a few loads a frame. As long as return
 * addresses and frames are those of the previous call, it does nothing else. Functions that are no longer on the stack
 * end, new ones begin, and the monitor learns what came next in each, as in functions that have probes. It does not see
 * a function return: the trace shows the function from the first MPI call in it to the last one before a call with
 * another path. The time between two calls belongs to the innermost function that is on both paths. A function is on
 * both if its frame is the same and returns to the same place. One that returns and is called again from the same
 * place, without an MPI call between, is shown as one activation.
 *
 * A function has a record for each place that it is called from (struct refrain_region_name), so that a reader with
 * debug information knows which inlined functions that place is in. Where there is no memory for another record, such
 * calls have one of another place, and are counted as REFRAIN_LOSS_PATHS.
 *
 * All run with context->busy set. */
#ifndef REFRAIN_CALL_PATH_H
#define REFRAIN_CALL_PATH_H

#include "arch/caller.h"
#include "context.h"
#include "python.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Room for the thread's path, where paths are told. False without memory. */
REFRAIN_HIDDEN bool refrain_path_open(struct refrain_context *context);

/* Another thread takes over the context: looks where its stack lies. */
REFRAIN_HIDDEN void refrain_path_reopen(struct refrain_context *context);

/* The thread is about to make an MPI call, or a call of refrain.h, from `caller`: its path becomes the top of the
 * shadow stack. `frame_address`: as for refrain_drop_abandoned(). `python`: where the path is one of Python, its
 * functions, else null. Returns an address in the innermost frame. */
REFRAIN_HIDDEN uintptr_t refrain_path_come(struct refrain_context *context, struct refrain_caller caller,
                                           uintptr_t frame_address, const struct refrain_python_stack *python);

#endif
