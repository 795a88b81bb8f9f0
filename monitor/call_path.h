/* call_path.h: the functions without probes on the call path of an MPI call (REFRAIN_CALL_PATH).
 *
 *     main            outermost; activations of kind FRAME on the shadow stack, above the innermost function with
 *       solve           a probe
 *         exchange
 *           MPI_Send  recorded by call.c
 *
 * At each MPI call the monitor follows the stack by the rules of caller.h, which takes a few loads a frame. It does
 * nothing else while return addresses and frames are those of the previous call. Functions that are no longer on the
 * stack end, new ones begin, and the monitor learns what came next in each, as in functions with probes. It does not
 * see a function return: the trace shows the function from the first MPI call in it to the last one before a call with
 * another path. The time between two calls belongs to the innermost function that is on both paths. A function is on
 * both if its frame and its return address are the same. If it returns and is called again from the same place without
 * an MPI call in between, it is shown as one activation.
 *
 * A function has a record for each place from which it is called (struct refrain_region_name), so that debug
 * information can tell which inlined functions the place is in. Without memory for another record, such calls use that
 * of another place, and are counted as REFRAIN_LOSS_PATHS.
 *
 * All functions run with context->busy set. */
#ifndef REFRAIN_CALL_PATH_H
#define REFRAIN_CALL_PATH_H

#include "arch/caller.h"
#include "context.h"
#include "python.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Allocates the thread's path, if call paths are recorded. False without memory. */
REFRAIN_HIDDEN bool refrain_path_open(struct refrain_context *context);

/* Another thread takes over the context: finds its stack. */
REFRAIN_HIDDEN void refrain_path_reopen(struct refrain_context *context);

/* Makes the call path of the thread the top of the shadow stack. The thread is about to make an MPI call, or a call of
 * refrain.h, from `caller`. `frame_address`: as for refrain_drop_abandoned(). `python`: the functions of a Python
 * program, else null. Returns an address in the innermost frame. */
REFRAIN_HIDDEN uintptr_t refrain_path_come(struct refrain_context *context, struct refrain_caller caller,
                                           uintptr_t frame_address, const struct refrain_python_stack *python);

#endif
