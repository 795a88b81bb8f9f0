/* relearn.c: lets the monitor's learner learn a sequence again (relearn.h). */
#define _GNU_SOURCE
#include "commands/relearn.h"
#include "learn.h"
#include "packed/fold/row_learn.h"
#include "run/pool.h"
#include "sequence/sequence.h"

#include <stdlib.h>

_Static_assert(REFRAIN_RELEARN_LONGEST == REFRAIN_FORMULA_ITEMS, "the longest formula is the learner's");

#define MOST_STEPS 100000000u /* longer sequences are judged by their beginning */

/* Takes a run of values in equal steps at once, as long as the learner expects them. */
static void learn_run(struct refrain_learner *learner, struct refrain_sequence *sequence) {
    if (sequence->approximate || sequence->value != learner->expect || sequence->stride != learner->stride)
        return;
    uint64_t n = refrain_learn_left(learner) < sequence->run ? refrain_learn_left(learner) : sequence->run;
    learner->confirmed += n;
    learner->expect = sequence->value = (int64_t)((uint64_t)sequence->value + n * (uint64_t)sequence->stride);
    sequence->run -= n;
}

bool refrain_relearn(const void *image, size_t image_bytes, const struct refrain_learner *learner, unsigned length,
                     enum refrain_formula_type *type) {
    struct refrain_context context = {.formula_length = length};
    struct refrain_learner *again = refrain_row_begin(&context);
    if (!again)
        return false;
    struct refrain_sequence sequence;
    int64_t value;
    refrain_sequence_open(&sequence, image, image_bytes, learner);
    for (unsigned n = 1; n < MOST_STEPS && refrain_sequence_next(&sequence, &value) && !sequence.approximate; n++) {
        refrain_learn(&context, again, value, REFRAIN_KIND_VALUES);
        learn_run(again, &sequence);
        if (n % REFRAIN_ROW_BETWEEN_LOOKS == 0 && refrain_row_is_outgrown(again))
            break;
    }
    refrain_sequence_close(&sequence);
    if (refrain_row_is_outgrown(again)) {
        *type = REFRAIN_TYPE_ARCHIVE;
        return true;
    }
    char *text = refrain_formula_text(refrain_trace_file.base, REFRAIN_ROW_POOL_BYTES, again, NULL, NULL, NULL, type);
    free(text);
    return text != NULL;
}
