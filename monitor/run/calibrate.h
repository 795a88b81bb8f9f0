/* calibrate.h: what each kind of probe costs here (struct refrain_probe_cost), so that readers can take it out again.
 */
#ifndef REFRAIN_CALIBRATE_H
#define REFRAIN_CALIBRATE_H

#include "context.h"
#include "visibility.h"
#include <stdint.h>

/* Runs each kind of probe some hundred times, as if in a thread that used the memory of `context`, which no thread has
 * taken yet, and leaves the trace file as it was but for the costs in its header. Called once, before anything is
 * traced; takes about a tenth of a millisecond. `ticks_per_us`: ticks of the clock in a microsecond. Without enough
 * memory the costs stay 0. */
REFRAIN_HIDDEN void refrain_calibrate(const struct refrain_context *context, uint64_t ticks_per_us);

#endif
