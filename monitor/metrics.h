/* metrics.h: what the processor and the kernel count beside the time (REFRAIN_METRICS): instructions, cache misses,
 * page faults ... as totals per place, in the history of its blocks (refrain/trace.h).
 *
 *     clock | block | clock, counters | block | clock, counters ...
 *
 * Each thread has its counters, a group of perf_event_open(2), opened when it is first traced. They are read in the
 * probe, from the processor where the kernel allows that (rdpmc, some 30 ns each), else by one read(2) for all of them.
 * What refrain itself does between two reads counts with the program, as its time does. */
#ifndef REFRAIN_METRICS_H
#define REFRAIN_METRICS_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Not 0: blocks end by refrain_close_special_block(), as metrics are counted or the clock is the system's. Otherwise a
 * block costs no more than one read of the time-stamp counter. Set when the trace file is opened. */
extern REFRAIN_HIDDEN uint32_t refrain_blocks_are_special;

/* refrain_close_block() (step.h) out of line, for any clock, with or without counters. */
REFRAIN_HIDDEN uint64_t refrain_close_special_block(struct refrain_context *context, struct refrain_slot *slot);

/* Bytes outside the trace file that counters of so many threads may take, by what is asked for. */
REFRAIN_HIDDEN uint64_t refrain_metrics_outside_bytes(uint32_t threads);

/* Finds out which of the events in REFRAIN_METRICS can be counted, and writes that to the trace file. Called once,
 * before any thread is traced. */
REFRAIN_HIDDEN void refrain_metrics_choose(void);

/* Opens the counters of the calling thread, which has this context; closes them. Where they cannot be opened, each
 * block is counted as a loss. */
REFRAIN_HIDDEN void refrain_metrics_open(struct refrain_context *context);
REFRAIN_HIDDEN void refrain_metrics_close(struct refrain_context *context);

#endif
