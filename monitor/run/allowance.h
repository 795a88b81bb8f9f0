/* allowance.h: what probes may cost. Every probe pays for itself out of one allowance, whatever it is a probe of.
 *
 *     a thread's time goes by       REFRAIN_ALLOWANCE_PERCENT of it is added; at most REFRAIN_ALLOWANCE_NS are saved up
 *     64 probes have run            64 times the mean cost of a probe is taken off; every 64th probe is measured
 *     nothing is left, and these 64 took more than was added since the 64 before
 *                                   the 64th probe goes dormant: probes that come often are met most often
 *     later, when it is saved up again, all dormant probes come back, each time after twice as long a sleep
 *
 * When a function goes dormant, its open activations still tell their end, so the probe at its end stays on. That probe
 * may be what takes the time: one activation stays open, and many others, whose entry is not told any more, run the
 * probe at their end. Then the open activation and those above it end in the trace, and what comes in them belongs to
 * the activation below.
 *
 * So what probes take is bounded whatever the program does: REFRAIN_ALLOWANCE_NS, the percentage, and some 64 probes
 * for each one that goes dormant. Order needs no particular probe: what happens where a probe is dormant follows from
 * the place before it. MPI calls are no probes in this sense: they are always told, and so is the place that they are
 * made from. Threads that are not traced (beyond REFRAIN_THREADS) meet the same probes: what that costs comes out of an
 * allowance that they share.
 */
#ifndef REFRAIN_ALLOWANCE_H
#define REFRAIN_ALLOWANCE_H

#include "arch/clock.h"
#include "context.h"
#include "visibility.h"
#include <refrain/settings.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* What the entry of a probe costs before and after what is measured. */
#define REFRAIN_ENTRY_NS 6u
/* What a probe costs a thread that is not traced. */
#define REFRAIN_UNTRACED_NS 8u

/* The thread begins. `ticks_per_us`: ticks of the clock in a microsecond. `limited` false: probes may cost anything. */
REFRAIN_HIDDEN void refrain_allowance_begin(struct refrain_allowance *allowance, uint64_t ticks_per_us, bool limited);

/* A sample: the probe that began at `begin_ticks` has been at `slot`. Out of line, every 64th probe. */
REFRAIN_HIDDEN void refrain_allowance_sample(struct refrain_context *context, const struct refrain_slot *slot,
                                             uint64_t begin_ticks);

/* Some MPI calls were made: dormant probes come back if it is time. */
REFRAIN_HIDDEN void refrain_allowance_look(struct refrain_context *context);

/* A probe at `slot` was met by a thread that is not traced; `context` is what those threads share. False: such probes
 * have no allowance left. This one counts as off, though its code has not been changed yet. */
REFRAIN_HIDDEN bool refrain_allowance_untraced(struct refrain_context *context, const struct refrain_slot *slot);

/* So many probes have run again: the trace says how many, as most of them read no clock. A reader does not go further
 * than that in a damaged trace. */
static inline void refrain_allowance_count(struct refrain_context *context) {
    context->allowance.probes = REFRAIN_ALLOWANCE_PROBES;
    context->thread->samples += context->thread->samples != REFRAIN_SAMPLES_UNKNOWN;
}

/* Is this probe to be measured? */
static inline bool refrain_allowance_takes(struct refrain_context *context) {
    return __builtin_expect(--context->allowance.probes == 0, 0);
}

/* Where the MPI part wants to know what probes have taken, in ticks; null: nowhere. Those of the first thread. */
extern REFRAIN_SHARED uint64_t *refrain_spent_ticks;

#endif
