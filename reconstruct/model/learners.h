/* learners.h: all learners of a process with what they learn (image -> info, formulas). */
#ifndef REFRAIN_LEARNERS_H
#define REFRAIN_LEARNERS_H

#include "model/trace_read.h"

enum refrain_subject {
    REFRAIN_SUBJECT_BRANCH,    /* decisions of if, ?:, &&, || */
    REFRAIN_SUBJECT_LOOP,      /* loop counts */
    REFRAIN_SUBJECT_SUCCESSOR, /* what came next at a slot */
    REFRAIN_SUBJECT_DEST,      /* ranks that messages go to */
    REFRAIN_SUBJECT_SOURCE,
    REFRAIN_SUBJECT_SEND_TAG,
    REFRAIN_SUBJECT_RECV_TAG,
    REFRAIN_SUBJECT_BYTES,
    REFRAIN_SUBJECT_COMM,
    REFRAIN_SUBJECT_ROOT,
    REFRAIN_SUBJECT_REQUEST,
    REFRAIN_SUBJECT_VALUE, /* of a counter or marker */
    REFRAIN_SUBJECTS
};

/* In lower case: "branch", "loop", "next", "dest" ... */
const char *refrain_subject_name(enum refrain_subject subject);

struct refrain_learner_view {
    const struct refrain_learner *learner;
    enum refrain_subject subject;
    uint32_t thread;
    const char *label; /* what the value is called where it is: "dest", "sent", "count" ... */
    const char *name;  /* of the construct: "for", "MPI_Send" ... */
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t slot;  /* BRANCH, LOOP, SUCCESSOR of a place in the program tree: number of the slot */
    bool absent;    /* a parameter that no call had: the root of a barrier, the target of a fence */
    bool throttled; /* its probe was switched off, since it came too often: what came after is not in the learner */
};

/* Calls `visit` with each learner that has seen a value, in the order of the program tree, then of the call sites.
 * The view lives as long as the trace, save for itself. A nonzero result ends the visit and is returned. */
int refrain_learners_visit(const struct refrain_process *process,
                           int (*visit)(void *data, const struct refrain_learner_view *view), void *data);

/* Is that what a reader wants to see? Not the control flow, nor the requests, nor a parameter that is absent. */
bool refrain_learner_is_for_readers(const struct refrain_learner_view *view);

/* Reads the terms of all learners; the error names the first offset in the image at which they are damaged. */
enum refrain_status refrain_learners_check(const struct refrain_process *process, struct refrain_error *error);

#endif
