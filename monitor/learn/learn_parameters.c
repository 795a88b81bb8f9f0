/* learn_parameters.c: learns parameters that were not predicted (learn_parameters.h). */
#define _GNU_SOURCE
#include "learn_parameters.h"
#include "context.h"
#include "learn.h"
#include "run/pool.h"
#include <refrain/called.h>
#include <refrain/trace.h>

/* Makes the joint tally. The memory that was reserved for it becomes free for all uses first. */
static bool make_rows(struct refrain_learner *learners, const struct refrain_row *row) {
    if (learners[0].rows_kept)
        __atomic_fetch_sub(&refrain_trace_file.kept_for_calls, refrain_call_rows_bytes(1), __ATOMIC_RELAXED);
    learners[0].rows_kept = 0;
    learners[0].tally = refrain_tally_make(row, true);
    return learners[0].tally != 0;
}

void refrain_learn_parameter_other(struct refrain_context *context, struct refrain_learner *learners,
                                   const int64_t *values, unsigned i, const struct refrain_row *row) {
    refrain_learn_other(context, &learners[i], values[i], REFRAIN_KIND_PARAMETER);
    if (learners[i].state == REFRAIN_SUMMARY && !learners[0].tally && !make_rows(learners, row))
        refrain_lose(REFRAIN_LOSS_COUNTS, 1);
}
