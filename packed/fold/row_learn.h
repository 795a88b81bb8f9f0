/* row_learn.h: learns a row of values over the ranks as a formula, with the learner of the monitor (values ->
 * learner).
 *
 * The learner of monitor/learn/ is linked in, with a pool of its own. One thread. */
#ifndef REFRAIN_ROW_LEARN_H
#define REFRAIN_ROW_LEARN_H

#include "context.h"
#include "learn_scratch.h"
#include "packed_stream.h"

#define REFRAIN_ROW_POOL_BYTES ((size_t)1 << 20) /* many times the size of the longest formula */
#define REFRAIN_ROW_BETWEEN_LOOKS 256u           /* values between two calls of refrain_row_is_outgrown() */

/* Makes an empty learner in an empty pool, for formulas of context->formula_length items. Null without memory. Pool
 * and scratch memory are kept for later calls. */
REFRAIN_PACKED_API struct refrain_learner *refrain_row_begin(struct refrain_context *context);

/* True if the learner has archived terms, or only counts values. */
REFRAIN_PACKED_API bool refrain_row_is_outgrown(const struct refrain_learner *learner);

/* Learns `n` values. Returns a learner that holds exactly these, in a trace file of *trace_file_bytes bytes, valid
 * until the next call. Null if a formula would be longer than the values, and without memory. */
REFRAIN_PACKED_API const struct refrain_learner *refrain_row_learn(const uint64_t *values, size_t n,
                                                                   const void **trace_file, size_t *trace_file_bytes);

/* Frees pool and scratch memory. */
REFRAIN_PACKED_API void refrain_row_end(void);

#endif
