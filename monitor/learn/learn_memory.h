/* learn_memory.h: memory for learners' items, and what happens without it. By the learner's own thread. Memory that was
 * taken from the pool is never given back. */
#ifndef REFRAIN_LEARN_MEMORY_H
#define REFRAIN_LEARN_MEMORY_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Gives the learner an empty formula. False without memory. */
REFRAIN_HIDDEN bool refrain_formula_create(struct refrain_context *context, struct refrain_learner *learner);

/* Makes room for `span` more items: by a larger formula, or by archiving or counting the oldest terms. Returns the
 * formula, which may have moved. Null without memory. */
REFRAIN_HIDDEN struct refrain_formula *refrain_formula_room(struct refrain_context *context,
                                                            struct refrain_learner *learner, unsigned span);

/* Called without memory. What the learner holds stays as the beginning of the sequence. `value` and all later values
 * are counted: by the learner itself or, for REFRAIN_KIND_PARAMETER, by its caller. */
REFRAIN_HIDDEN void refrain_summary_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          int64_t value);
REFRAIN_HIDDEN void refrain_summary_add(struct refrain_context *context, struct refrain_learner *learner,
                                        int64_t value);

#endif
