/* call_path.h: the functions on the way to an MPI call that have no probes (REFRAIN_CALL_PATH).
 *
 *     main            outermost: activations of the shadow stack, of kind FRAME, above the innermost one that has
 *       solve           a probe and told its beginning
 *         exchange
 *           MPI_Send  what call.c tells
 *
 * At each MPI call the stack is followed by the rules of caller.h, a few loads a frame. As long as return addresses and
 * frames are those of the call before, nothing else happens. Functions that are not there any more are ended, those
 * that are new are entered, and what is learned is what came next in each, as in functions that have probes. A function
 * that returns is not seen to do so: it is shown from the first MPI call in it to the last one before another path is
 * met, and what was between two paths belongs to the innermost function that both have. A function that is entered
 * again from the same frame, with no other call between, is one that goes on.
 *
 * All run with context->busy set. */
#ifndef REFRAIN_CALL_PATH_H
#define REFRAIN_CALL_PATH_H

#include "caller.h"
#include "python.h"

/* Room for the thread's path, where paths are told. False without memory. */
REFRAIN_HIDDEN bool refrain_path_open(struct refrain_context *context);

/* The context goes on with another thread. */
REFRAIN_HIDDEN void refrain_path_reopen(struct refrain_context *context);

/* The thread is about to make an MPI call, or what else is told, from `caller`: its path becomes the top of the shadow
 * stack. `frame_address`: as for refrain_drop_abandoned(). `python`: where the path is one of Python, its
 * functions, else null. Returns an address in the innermost frame. */
REFRAIN_HIDDEN uintptr_t refrain_path_come(struct refrain_context *context, struct refrain_caller caller,
                                           uintptr_t frame_address, const struct refrain_python_stack *python);

#endif
