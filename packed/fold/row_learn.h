/* row_learn.h: a row of values over the ranks as a formula, by the monitor's own learner (values -> learner).
 *
 * The learner is that of monitor/, linked in, with a pool of its own beside it. One thread. */
#ifndef REFRAIN_ROW_LEARN_H
#define REFRAIN_ROW_LEARN_H

#include "context.h"
#include "learn_scratch.h"
#include "packed_stream.h"

#define REFRAIN_ROW_POOL_BYTES ((size_t)1 << 20) /* many times what the longest formula takes while it grows */
#define REFRAIN_ROW_BETWEEN_LOOKS 256u           /* values between two looks whether it has been outgrown */

/* An empty learner in an empty pool, for formulas of context->formula_length items; null without memory. Pool and
 * scratch stay for the next time. */
REFRAIN_PACKED_API struct refrain_learner *refrain_row_begin(struct refrain_context *context);

/* Has the learner more than fits a formula? */
REFRAIN_PACKED_API bool refrain_row_is_outgrown(const struct refrain_learner *learner);

/* Learns `n` values and gives the learner that holds exactly these, in a trace file of *trace_file_bytes bytes, until
 * the next call; null where a formula would not be shorter than the values. */
REFRAIN_PACKED_API const struct refrain_learner *refrain_row_learn(const uint64_t *values, size_t n,
                                                                   const void **trace_file, size_t *trace_file_bytes);

/* Gives pool and scratch back. */
REFRAIN_PACKED_API void refrain_row_end(void);

#endif
