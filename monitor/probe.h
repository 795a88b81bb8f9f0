/* probe.h: what a probe does (probe.c). Called by refrain_probe() and by sites (arch/x86_64/site_run.c). */
#ifndef REFRAIN_PROBE_H
#define REFRAIN_PROBE_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Control reaches `slot`, as in refrain_probe() (unit.h). The caller has begun the probe (refrain_begin); this function
 * ends it. */
REFRAIN_HIDDEN void refrain_probe_run(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                                      uint64_t extra);

/* The part of refrain_probe_run() for slot [0] of a function, when it is entered with its frame at `frame`, and for
 * slot [1], when it is left. */
REFRAIN_HIDDEN void refrain_probe_enter(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                                        uintptr_t frame);
REFRAIN_HIDDEN void refrain_probe_leave(struct refrain_context *context, const struct refrain_slot *slot,
                                        uintptr_t frame);

/* Moves the activation of the function to `slot`, the place of an MPI call that the thread is about to make. If the
 * function was not entered, moves the innermost activation. `place`: an address in its frame. */
REFRAIN_HIDDEN void refrain_probe_come(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place);

/* The thread ends: stores the counts of loops whose last visit was not left by the condition. */
REFRAIN_HIDDEN void refrain_probe_end_loops(struct refrain_context *context);

/* Does the same as refrain_probe_run(), measures what it costs (allowance.h), and does not end the probe. */
REFRAIN_HIDDEN void refrain_probe_sample(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                                         uint64_t extra);

#endif
