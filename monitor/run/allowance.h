/* allowance.h: limits the time that probes take. All probes of a thread share one allowance.
 *
 *     while the thread runs      REFRAIN_ALLOWANCE_PERCENT of its time is credited, up to REFRAIN_ALLOWANCE_NS
 *     after every 64 probes      64 times the mean cost of a probe is charged; each 64th probe is a sample: it is timed
 *     no credit is left, and the last 64 probes cost more than was credited meanwhile
 *                                the sampled probe is throttled; frequent probes are most likely to be the sampled one
 *     the credit is full again   all throttled probes are enabled again, each time after twice as long a pause
 *
 * When a function is throttled, its open activations still record their end, so the probe at its end stays enabled.
 * This probe may be the costly one: one activation stays open while many others, whose entry is no longer recorded, run
 * it. Then the open activation and those above it end in the trace. Later events in them belong to the activation
 * below.
 *
 * So the cost of probes is bounded for any program: REFRAIN_ALLOWANCE_NS, the percentage, and about 64 probes for each
 * throttled one. The order of events needs no particular probe, since a step past a disabled probe is learned at the
 * place before it. MPI calls are never throttled, nor is the place that the program stores before them. Threads beyond
 * REFRAIN_THREADS are not traced, but run the same probes; they share one allowance for this cost.
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

/* Estimated cost of entering and leaving a probe, outside of the part that a sample measures. */
#define REFRAIN_ENTRY_NS 6u
/* Cost of a probe in a thread that is not traced. */
#define REFRAIN_UNTRACED_NS 8u

/* Initializes the allowance of a thread. `ticks_per_us`: clock ticks per microsecond. `limited` false: no limit. */
REFRAIN_HIDDEN void refrain_allowance_begin(struct refrain_allowance *allowance, uint64_t ticks_per_us, bool limited);

/* Accounts for 64 probes, from the measured time of one that began at `begin_ticks` and reached `slot`. Kept out of the
 * fast path. */
REFRAIN_HIDDEN void refrain_allowance_sample(struct refrain_context *context, const struct refrain_slot *slot,
                                             uint64_t begin_ticks);

/* Called after some MPI calls: enables throttled probes again if it is time. */
REFRAIN_HIDDEN void refrain_allowance_look(struct refrain_context *context);

/* Accounts for a probe at `slot` in a thread that is not traced; `context` is the one that these threads share. False
 * if their allowance is spent and the probe is disabled already, though its code has not been changed yet. */
REFRAIN_HIDDEN bool refrain_allowance_untraced(struct refrain_context *context, const struct refrain_slot *slot);

/* Starts the next 64 probes, and counts the last ones in the trace. The count bounds a reader's work on a damaged
 * trace, since most probes read no clock. */
static inline void refrain_allowance_count(struct refrain_context *context) {
    context->allowance.probes = REFRAIN_ALLOWANCE_PROBES;
    context->thread->samples += context->thread->samples != REFRAIN_SAMPLES_UNKNOWN;
}

/* True for each 64th probe, which is a sample. */
static inline bool refrain_allowance_takes(struct refrain_context *context) {
    return __builtin_expect(--context->allowance.probes == 0, 0);
}

/* Where the cost of the first thread's probes is added up for the MPI part, in ticks. Null: nowhere. */
extern REFRAIN_SHARED uint64_t *refrain_spent_ticks;

#endif
