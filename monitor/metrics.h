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

#include "monitor.h"

/* Do blocks end by refrain_close_special_block()? That is so where something is counted or the clock is the system's,
 * so that where neither is the case blocks cost nothing more. Set when the trace file is opened. */
extern REFRAIN_HIDDEN uint32_t refrain_blocks_are_special;

/* refrain_close_block() (step.h) out of line, for any clock, with or without counters. */
REFRAIN_HIDDEN uint64_t refrain_close_special_block(struct refrain_context *context, struct refrain_slot *slot);

/* Bytes outside the trace file that counters of so many threads may take, by what is asked for. */
REFRAIN_HIDDEN uint64_t refrain_metrics_outside_bytes(uint32_t threads);

/* Finds out which of the events that are asked for can be counted, and says so in the trace file; once, before any
 * thread is traced. */
REFRAIN_HIDDEN void refrain_metrics_choose(void);

/* The calling thread's counters, for this context; where they cannot be had, its blocks are counted as lost. */
REFRAIN_HIDDEN void refrain_metrics_open(struct refrain_context *context);
REFRAIN_HIDDEN void refrain_metrics_close(struct refrain_context *context);

#endif
