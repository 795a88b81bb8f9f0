/* learn_memory.h: memory of learners: room for items, and the summary once there is none. All of it is the calling
 * thread's own; what is taken from the pool is never given back to it. */
#ifndef REFRAIN_LEARN_MEMORY_H
#define REFRAIN_LEARN_MEMORY_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Gives the learner an empty formula. False when the pool is spent. */
REFRAIN_HIDDEN bool refrain_formula_create(struct refrain_context *context, struct refrain_learner *learner);

/* Makes room for `span` more items, by a larger formula, or by archiving or counting the oldest terms. Returns the
 * formula, which may have moved; null when the pool is spent. */
REFRAIN_HIDDEN struct refrain_formula *refrain_formula_room(struct refrain_context *context,
                                                            struct refrain_learner *learner, unsigned span);

/* The pool is spent: what the learner holds stays as the beginning. `value` and all later values are counted, by the
 * learner itself or, for REFRAIN_KIND_PARAMETER, by its caller. */
REFRAIN_HIDDEN void refrain_summary_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          int64_t value);
REFRAIN_HIDDEN void refrain_summary_add(struct refrain_context *context, struct refrain_learner *learner,
                                        int64_t value);

#endif
