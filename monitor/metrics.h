/* metrics.h: counts of the processor and the kernel for each block (REFRAIN_METRICS): instructions, cache misses, page
 * faults ... They are added up for each slot (refrain/trace.h).
 *
 *     clock | block | clock, counters | block | clock, counters ...
 *
 * Each thread has its own counters, a group of perf_event_open(2), which are opened when it is first traced. Probes
 * read them from the processor if the kernel allows that (rdpmc, about 30 ns each), else by one read(2) for all. What
 * refrain itself does between two reads counts for the program's block, as its time does. */
#ifndef REFRAIN_METRICS_H
#define REFRAIN_METRICS_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Not 0: metrics are counted, or the clock is the system's, so blocks end by refrain_close_special_block(). Otherwise a
 * block costs one read of the time-stamp counter. Set when the trace file is opened. */
extern REFRAIN_HIDDEN uint32_t refrain_blocks_are_special;

/* refrain_close_block() (step.h) as a function, for any clock, with or without counters. */
REFRAIN_HIDDEN uint64_t refrain_close_special_block(struct refrain_context *context, struct refrain_slot *slot);

/* Bytes outside of the trace file for the counters of `threads` threads, if all requested metrics can be counted. */
REFRAIN_HIDDEN uint64_t refrain_metrics_outside_bytes(uint32_t threads);

/* Finds out which metrics of REFRAIN_METRICS can be counted, and records that in the trace file. To be called once,
 * before any thread is traced. */
REFRAIN_HIDDEN void refrain_metrics_choose(void);

/* Opens, and closes, the counters of the calling thread, which has this context. If they cannot be opened, each block
 * is counted as a loss. */
REFRAIN_HIDDEN void refrain_metrics_open(struct refrain_context *context);
REFRAIN_HIDDEN void refrain_metrics_close(struct refrain_context *context);

#endif
