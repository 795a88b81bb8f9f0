/* view_ahead.h: what the page of a long run would have to replay the run for, replayed before (trace -> bytes that
 * page/ahead.ts reads).
 *
 *     what it is            a number that says which opened engine it belongs to
 *     overview              shares of time of each location over equal intervals of the run
 *     sums                  totals by region, pairs of ranks, longest waits, of the whole run
 *     ends                  when the spans were left that were open at the checkpoints
 *     chunks                addresses and bytes of the engine's arena (common/arena.h)
 *     copies                of that arena: address, address of the base, bytes
 *     checkpoints           time, events, address of the copy, bytes (match/checkpoint.h)
 *
 * The page goes on from the last checkpoint before what it is to show. All numbers are little-endian. */
#ifndef REFRAIN_VIEW_AHEAD_H
#define REFRAIN_VIEW_AHEAD_H

#include "model/trace_read.h"

/* Runs of fewer events are replayed by the page itself, at once. */
#define REFRAIN_AHEAD_EVENTS 1000000 /* less than a second's work */

/* Replays the run; *bytes is null where there is no need for it, where it cannot be done (refrain built without wasm2c,
 * a trace that is damaged), or when it does not fit. `symbols`: as
 * refrain_view_symbols_write gives them. The caller frees
 * *bytes. */
enum refrain_status refrain_view_ahead(const struct refrain_trace *trace, const char *symbols, size_t symbols_bytes,
                                       unsigned char **bytes, size_t *n, struct refrain_error *error);

#endif
