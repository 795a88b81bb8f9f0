/* view_ahead.h: replays a long run for its page in advance (trace -> bytes that page/ahead.ts reads).
 *
 *     identity              identifies engines that were opened with the same calls
 *     overview              how each location spends its time, in equal intervals of the run
 *     sums                  totals by region, pairs of ranks, longest waits, of the whole run
 *     ends                  end times of the spans that are open at checkpoints
 *     chunks                addresses and bytes of the engine's arena (common/arena.h)
 *     copies                copies of the arena: address, address of the base, bytes
 *     checkpoints           time, events, address of the copy, bytes (match/checkpoint.h)
 *
 * To show a window, the page continues from the last checkpoint before it. All numbers are little-endian. */
#ifndef REFRAIN_VIEW_AHEAD_H
#define REFRAIN_VIEW_AHEAD_H

#include "model/trace_read.h"

/* The page itself replays runs with fewer events. */
#define REFRAIN_AHEAD_EVENTS 1000000 /* less than a second's work */

/* Replays the run. *bytes is null if the run is short, if refrain was built without wasm2c, if the trace is damaged, or
 * if it does not fit in the engine. `symbols`: bytes of refrain_view_symbols_write(). The caller frees *bytes. */
enum refrain_status refrain_view_ahead(const struct refrain_trace *trace, const char *symbols, size_t symbols_bytes,
                                       unsigned char **bytes, size_t *n, struct refrain_error *error);

#endif
