/* relearn.c: feeds a sequence to the monitor's learner again (relearn.h). */
#define _GNU_SOURCE
#include "relearn.h"
#include "learn_alone.h"
#include "sequence.h"

#include <stdlib.h>

_Static_assert(REFRAIN_RELEARN_LONGEST == REFRAIN_WINDOW_ITEMS, "the longest formula is the learner's");

#define POOL_BYTES ((size_t)1 << 20) /* many times what a formula of the longest kind takes while it grows */
#define VALUES_BETWEEN_LOOKS 256u    /* how often it is checked whether the formula has been outgrown */
#define MOST_STEPS 100000000u        /* a sequence of more is judged by its beginning */

/* An empty learner in an empty pool; null without memory. The pool stays for the next time. */
static struct refrain_learner *begin(struct refrain_context *context) {
    static struct refrain_learn_scratch *scratch;
    static void *pool;
    if (!scratch)
        scratch = malloc(sizeof *scratch);
    if (!pool && (pool = calloc(1, POOL_BYTES)))
        refrain_alone_open(pool, POOL_BYTES);
    context->scratch = scratch;
    return scratch && pool ? refrain_alone_begin(context, 0) : NULL;
}

static bool outgrown(const struct refrain_learner *learner) {
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    return learner->state == REFRAIN_SUMMARY || (formula && formula->archive_first);
}

/* Values in equal steps that come as the learner expects them are taken at once. */
static void take_run(struct refrain_learner *learner, struct refrain_sequence *sequence) {
    if (sequence->approximate || sequence->value != learner->expect || sequence->stride != learner->stride)
        return;
    uint64_t n = refrain_learn_left(learner) < sequence->run ? refrain_learn_left(learner) : sequence->run;
    learner->confirmed += n;
    learner->expect = sequence->value = (int64_t)((uint64_t)sequence->value + n * (uint64_t)sequence->stride);
    sequence->run -= n;
}

bool refrain_relearn(const void *region, size_t region_bytes, const struct refrain_learner *learner, unsigned length,
                     enum refrain_formula_type *type) {
    struct refrain_context context = {.formula_length = length};
    struct refrain_learner *again = begin(&context);
    if (!again)
        return false;
    struct refrain_sequence sequence;
    int64_t value;
    refrain_sequence_open(&sequence, region, region_bytes, learner);
    for (unsigned n = 1; n < MOST_STEPS && refrain_sequence_next(&sequence, &value) && !sequence.approximate; n++) {
        refrain_learn(&context, again, value, REFRAIN_KIND_VALUES);
        take_run(again, &sequence);
        if (n % VALUES_BETWEEN_LOOKS == 0 && outgrown(again))
            break;
    }
    refrain_sequence_close(&sequence);
    if (outgrown(again)) {
        *type = REFRAIN_TYPE_ARCHIVE;
        return true;
    }
    char *text = refrain_formula_text(refrain_region.base, POOL_BYTES, again, NULL, NULL, NULL, type);
    free(text);
    return text != NULL;
}

/* What a formula takes, in values. */
static size_t size_of(const struct refrain_learner *learner) {
    const struct refrain_formula *formula = learner->body ? refrain_at_reference(learner->body) : NULL;
    return formula ? 2 + 2 * (size_t)formula->n_items : 1;
}

const struct refrain_learner *refrain_relearn_row(const uint64_t *values, size_t n, const void **region,
                                                  size_t *region_bytes) {
    struct refrain_context context = {.formula_length = REFRAIN_RELEARN_LONGEST};
    struct refrain_learner *learner = begin(&context);
    for (size_t i = 0; learner && i < n; i++) {
        refrain_learn(&context, learner, (int64_t)values[i], REFRAIN_KIND_VALUES);
        if (i % VALUES_BETWEEN_LOOKS == VALUES_BETWEEN_LOOKS - 1 && outgrown(learner))
            return NULL;
    }
    if (!learner || outgrown(learner) || size_of(learner) > n)
        return NULL;
    *region = refrain_region.base;
    *region_bytes = POOL_BYTES;
    return learner;
}
