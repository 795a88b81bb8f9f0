/* caller.h: out of the layers between the program and the MPI library (call.c).
 *
 *     program's own code          <- the call is filed here
 *     Fortran or C++ layer of MPI, or another library that was named (REFRAIN_LAYERS)
 *     wrapper in librefrain-<mpi>.so
 *
 * What a return address in a layer takes to come to the frame above is read from the unwinding tables once, and then
 * remembered by the caller of these functions as a rule: from there on a call costs a few loads from the stack. No
 * frame pointers are needed. Where the tables say nothing, the call is filed under the layer.
 */
#ifndef REFRAIN_CALLER_H
#define REFRAIN_CALLER_H

#include "monitor.h"

/* The frame that a call returns to: return address, stack pointer and frame pointer behind the call. */
struct refrain_caller {
    uintptr_t address, stack_pointer, frame_pointer;
};

/* What is above: 0, this is the program's own code (or unknown); else a rule, greater than 1. `layers`: further
 * libraries by the beginning of their names, separated by commas or blanks, or null. Takes the loader's lock. */
REFRAIN_HIDDEN uint64_t refrain_caller_rule(uintptr_t address, const char *layers);

/* Goes one frame up. */
REFRAIN_HIDDEN void refrain_caller_step(struct refrain_caller *caller, uint64_t rule);

/* The caller of a wrapper whose frame is at `frame_address` (__builtin_frame_address(0), so it has a frame pointer). */
static inline struct refrain_caller refrain_caller_of_wrapper(const void *return_address, const void *frame_address) {
    const uintptr_t *frame = frame_address;
    return (struct refrain_caller){(uintptr_t)return_address, (uintptr_t)(frame + 2), frame[0]};
}

#endif
