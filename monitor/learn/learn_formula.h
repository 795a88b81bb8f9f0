/* learn_formula.h: the layout of a formula in the trace file, and the order in which it is written. */
#ifndef REFRAIN_LEARN_FORMULA_H
#define REFRAIN_LEARN_FORMULA_H

#include "run/pool.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <refrain/group.h>

static inline struct refrain_item *refrain_formula_items(struct refrain_formula *formula) {
    return (struct refrain_item *)(formula + 1);
}

/* The plain values, in state PLAIN. */
static inline int64_t *refrain_formula_values(struct refrain_formula *formula) {
    return (int64_t *)(formula + 1);
}

/* The number of plain values that fit in place of the items. */
static inline unsigned refrain_formula_most_values(const struct refrain_formula *formula) {
    unsigned room = formula->capacity * (unsigned)(sizeof(struct refrain_item) / sizeof(int64_t));
    return room < REFRAIN_GROUP_VALUES ? room : REFRAIN_GROUP_VALUES;
}

/* Bytes of a formula with room for `items` items. */
static inline size_t refrain_formula_bytes(unsigned items) {
    return sizeof(struct refrain_formula) + items * sizeof(struct refrain_item);
}

/* The pool's use for the memory of a learner's formula. */
static inline enum refrain_pool_use refrain_learner_use(const struct refrain_learner *learner) {
    return learner->kind == REFRAIN_KIND_CONTROL || learner->kind == REFRAIN_KIND_LOOP ? REFRAIN_POOL_CONTROL
                                                                                       : REFRAIN_POOL_VALUES;
}

/* True if the learner has counted values, so its archive is closed. */
static inline bool refrain_learner_counts(const struct refrain_learner *learner) {
    return learner->tally && learner->kind != REFRAIN_KIND_PARAMETER;
}

#endif
