/* call_known.h: what a thread's MPI calls are known by: where they come from, and the address that they return to; and
 * whether any is traced. */
#ifndef REFRAIN_CALL_KNOWN_H
#define REFRAIN_CALL_KNOWN_H

#include "monitor.h"

/* The entry of such calls. */
static inline struct refrain_call_cache *refrain_known_call(struct refrain_context *context,
                                                            const struct refrain_slot *from, uintptr_t address) {
    uintptr_t hash = ((uintptr_t)from << 2) + (address << 5); /* without the bits that are mostly alike */
    return &context->calls_known[hash / sizeof *context->calls_known % REFRAIN_CALL_CACHE];
}

/* Is it theirs? */
static inline bool refrain_call_is_known(const struct refrain_call_cache *known, const struct refrain_slot *from,
                                         uintptr_t address, unsigned function) {
    return __builtin_expect(known->from == from && known->address == address && known->function == function, 1);
}

/* Nothing is traced in this process, and that is known. */
static inline bool refrain_is_off(const struct refrain_context *context) {
    return context && !context->trace_file && !refrain_trace_file.header;
}

#endif
