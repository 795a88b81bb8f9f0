/* call_place.h: finds the call site of an MPI call: by the slot of its place if the source names the function, else by
 * the return address, or by a line of Python. By the calling thread, inside a probe.
 *
 *     return address and current place --> calls_known (context), a cache --> the call site
 *                                      \--> not there: the thread's table of addresses; then it is added to the cache
 */
#ifndef REFRAIN_CALL_PLACE_H
#define REFRAIN_CALL_PLACE_H

#include "context.h"
#include "entry.h"
#include "probe.h"
#include "python.h"
#include "step.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stddef.h>
#include <stdint.h>

/* Where an MPI call is recorded. */
struct refrain_call_place {
    struct refrain_call_site *call_site;    /* null: nowhere */
    struct refrain_overflow_site *overflow; /* the overflow site that made the call; else null */
};

/* The thread's own slot of a refrain_place. Null if the place is not in the trace file. */
REFRAIN_HIDDEN struct refrain_slot *refrain_call_place_slot(const struct refrain_context *context, const void *stored);

/* Finds or makes the call site of a call that the cache does not have. */
REFRAIN_HIDDEN struct refrain_call_place refrain_call_place_look(struct refrain_context *context, unsigned function,
                                                                 const void *stored, void *return_address,
                                                                 const void *frame_address);

/* The call site in a line of Python. The interpreter is locked. */
REFRAIN_HIDDEN struct refrain_call_place refrain_call_place_python(struct refrain_context *context,
                                                                   const struct refrain_slot *from, unsigned function,
                                                                   const struct refrain_python_frame *frame);

/* The cache entry of calls that return to `address` while control is at `from`. */
static inline struct refrain_call_cache *refrain_known_call(struct refrain_context *context, const void *from,
                                                            uintptr_t address) {
    uintptr_t hash = ((uintptr_t)from << 2) + (address << 5); /* without the bits that are mostly equal */
    return &context->calls_known[hash / sizeof *context->calls_known % REFRAIN_CALL_CACHE];
}

/* Finds the call site, and moves the innermost activation to the call's place. `stored`: refrain_place. */
static inline struct refrain_call_place refrain_call_place(struct refrain_context *context, unsigned function,
                                                           const void *stored, void *return_address,
                                                           const void *frame_address) {
    struct refrain_entry *caller = context->top;
    const void *from = stored ? stored : caller->last;
    const struct refrain_call_cache *known = refrain_known_call(context, from, (uintptr_t)return_address);
    if (__builtin_expect(
            known->from != from || known->address != (uintptr_t)return_address || known->function != function, 0))
        return refrain_call_place_look(context, function, stored, return_address, frame_address);
    if (stored) {
        if (__builtin_expect(caller->id == known->inside && caller->kind == REFRAIN_ENTRY_FUNCTION, 1)) {
            refrain_step(context, caller, known->at->number);
            caller->last = known->at;
        } else {
            refrain_probe_come(context, known->at, refrain_caller_frames(frame_address));
        }
    }
    return (struct refrain_call_place){known->call_site, NULL};
}

#endif
