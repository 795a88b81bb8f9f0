/* row_learn.c: learns a row of values with the monitor's learner, in a pool of its own (row_learn.h). */
#define _GNU_SOURCE
#include "row_learn.h"
#include "learn_alone.h"
#include <refrain/settings.h>

#include <stdlib.h>

static struct refrain_learn_scratch *scratch;
static void *pool;

struct refrain_learner *refrain_row_begin(struct refrain_context *context) {
    if (!scratch)
        scratch = malloc(sizeof *scratch);
    if (!pool && (pool = calloc(1, REFRAIN_ROW_POOL_BYTES)))
        refrain_alone_open(pool, REFRAIN_ROW_POOL_BYTES);
    context->scratch = scratch;
    return scratch && pool ? refrain_alone_begin(context, 0) : NULL;
}

void refrain_row_end(void) {
    free(scratch);
    free(pool);
    scratch = NULL;
    pool = NULL;
}

bool refrain_row_is_outgrown(const struct refrain_learner *learner) {
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    return learner->state == REFRAIN_SUMMARY || (formula && formula->archive_first);
}

/* Size of a formula, in values: what a plain row of the same size would hold. */
static size_t size_of(const struct refrain_learner *learner) {
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    return formula ? 2 + 2 * (size_t)formula->n_items : 1;
}

const struct refrain_learner *refrain_row_learn(const uint64_t *values, size_t n, const void **trace_file,
                                                size_t *trace_file_bytes) {
    struct refrain_context context = {.formula_length = REFRAIN_MAXIMUM_FORMULA_LENGTH};
    struct refrain_learner *learner = refrain_row_begin(&context);
    for (size_t i = 0; learner && i < n; i++) {
        refrain_learn(&context, learner, (int64_t)values[i], REFRAIN_KIND_VALUES);
        if (i % REFRAIN_ROW_BETWEEN_LOOKS == REFRAIN_ROW_BETWEEN_LOOKS - 1 && refrain_row_is_outgrown(learner))
            return NULL;
    }
    if (!learner || refrain_row_is_outgrown(learner) || size_of(learner) > n)
        return NULL;
    *trace_file = refrain_trace_file.base;
    *trace_file_bytes = REFRAIN_ROW_POOL_BYTES;
    return learner;
}
