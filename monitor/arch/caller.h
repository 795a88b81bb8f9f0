/* caller.h: finds the program's own code that makes an MPI call, behind the layers between it and the MPI library
 * (call.c).
 *
 *     program's own code          <- the call belongs to this site
 *     Fortran or C++ layer of MPI, or another library that was named (REFRAIN_LAYERS)
 *     wrapper in librefrain-<mpi>.so
 *
 * The unwinding tables say how to get from a return address in a layer to the frame above. They are read once for each
 * return address; the caller of these functions keeps the result as a rule. Then a call costs a few loads from the
 * stack, and no frame pointers are needed. If the tables say nothing, the call belongs to a site in the layer. */
#ifndef REFRAIN_CALLER_H
#define REFRAIN_CALLER_H

#include "run/loaded.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* A frame after the return of a call: return address, stack pointer and frame pointer. */
struct refrain_caller {
    uintptr_t address, stack_pointer, frame_pointer;
};

/* What is known of the code that a return address points to. */
struct refrain_caller_code {
    uint64_t rule;                   /* the rule that leads to the frame above; 0 unknown */
    enum refrain_loaded_owner owner; /* OF_MPI also for a layer that was named (see below) */
    uintptr_t function;              /* address where the function begins; 0 unknown */
    struct refrain_loaded object;
};

/* Finds out about the code before `address`. `layers`: see below. Takes the loader's lock. */
REFRAIN_HIDDEN void refrain_caller_look(uintptr_t address, const char *layers, struct refrain_caller_code *code);

/* The same for the code at `instruction`, in a signal handler: without a lock. Finds nothing if the C library needs
 * one. */
REFRAIN_HIDDEN void refrain_caller_look_at_once(uintptr_t instruction, const char *layers,
                                                struct refrain_caller_code *code);

/* Returns the rule that leads from `address` to the frame above. 0 if this is the program's own code, or unknown.
 * `layers`: the beginnings of names of further libraries, separated by commas or blanks, or null. Takes the loader's
 * lock. */
REFRAIN_HIDDEN uint64_t refrain_caller_rule(uintptr_t address, const char *layers);

/* A rule is one word:
 *
 *     bit 1       always set: no rule is 0 or 1
 *     bit 2       the CFA is relative to the frame pointer, not the stack pointer
 *     bit 3       the caller's frame pointer is saved in this frame
 *     bits 8-31   where, in words below the CFA
 *     bits 32-63  the CFA's distance from the register */
enum { REFRAIN_RULE = 2, REFRAIN_RULE_FROM_FRAME_POINTER = 4, REFRAIN_RULE_FRAME_POINTER_SAVED = 8 };

/* The address behind the frame (CFA), which is the stack pointer in the frame above. */
static inline uintptr_t refrain_caller_frame_end(const struct refrain_caller *caller, uint64_t rule) {
    return (rule & REFRAIN_RULE_FROM_FRAME_POINTER ? caller->frame_pointer : caller->stack_pointer) + (rule >> 32);
}

/* Goes one frame up. */
static inline void refrain_caller_step(struct refrain_caller *caller, uint64_t rule) {
    const uintptr_t *end = (const uintptr_t *)refrain_caller_frame_end(caller, rule);
    if (rule & REFRAIN_RULE_FRAME_POINTER_SAVED)
        caller->frame_pointer = *(end - (rule >> 8 & 0xffffff));
    caller->address = end[-1];
    caller->stack_pointer = (uintptr_t)end;
}

/* The caller of a wrapper. `frame_address`: that of the wrapper (REFRAIN_FRAME_ADDRESS; on x86-64 it has a frame
 * pointer). */
static inline struct refrain_caller refrain_caller_of_wrapper(const void *return_address, const void *frame_address) {
    const uintptr_t *frame = frame_address;
    return (struct refrain_caller){(uintptr_t)return_address, (uintptr_t)(frame + 2), frame[0]};
}

#endif
