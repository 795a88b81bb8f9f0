/* calibrate.h: measures the cost of each kind of probe in this process (struct refrain_probe_cost), which readers
 * subtract. */
#ifndef REFRAIN_CALIBRATE_H
#define REFRAIN_CALIBRATE_H

#include "context.h"
#include "visibility.h"
#include <stdint.h>

/* Runs each kind of probe some hundred times, in the memory of `context`, which no thread has taken yet. Afterwards the
 * trace file is as before, but for the costs in its header. Called once, before anything is traced; takes about a tenth
 * of a millisecond. `ticks_per_us`: clock ticks per microsecond. If memory is too small, the costs stay 0. */
REFRAIN_HIDDEN void refrain_calibrate(const struct refrain_context *context, uint64_t ticks_per_us);

#endif
