/* probe.h: what a probe does (probe.c). Its callers are refrain_probe() and the sites (arch/x86_64/site_run.c). */
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

/* What refrain_probe_run() does for slot [0] of a function, which is entered, with its frame at `frame`, and for [1],
 * where it is left. */
REFRAIN_HIDDEN void refrain_probe_enter(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                                        uintptr_t frame);
REFRAIN_HIDDEN void refrain_probe_leave(struct refrain_context *context, const struct refrain_slot *slot,
                                        uintptr_t frame);

/* The thread is about to make an MPI call at `slot`: the activation of its function comes there, or the innermost one
 * where that was not entered. `place`: an address in its frame. */
REFRAIN_HIDDEN void refrain_probe_come(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place);

/* The thread ends: stores the counts of the loops whose last visits were left other than by their conditions. */
REFRAIN_HIDDEN void refrain_probe_end_loops(struct refrain_context *context);

/* What refrain_probe_run() does, but what it costs is measured (allowance.h), and the probe does not end. */
REFRAIN_HIDDEN void refrain_probe_sample(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                                         uint64_t extra);

#endif
