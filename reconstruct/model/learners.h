/* learners.h: all learners of a process, and the meaning of their values (image -> info, formulas). */
#ifndef REFRAIN_LEARNERS_H
#define REFRAIN_LEARNERS_H

#include "model/trace_read.h"

enum refrain_subject {
    REFRAIN_SUBJECT_BRANCH,    /* decisions of if, ?:, &&, || */
    REFRAIN_SUBJECT_LOOP,      /* loop counts */
    REFRAIN_SUBJECT_SUCCESSOR, /* next place after a slot */
    REFRAIN_SUBJECT_DEST,      /* destination ranks of messages */
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
    const char *label; /* name of the value at its place: "dest", "sent", "count" ... */
    const char *name;  /* of the construct: "for", "MPI_Send" ... */
    const char *function;
    const char *file;
    uint32_t line;
    uint32_t slot;  /* number of the slot (BRANCH, LOOP, and SUCCESSOR of a place of the program tree) */
    bool absent;    /* no call had this parameter: the root of a barrier, the target of a fence */
    bool throttled; /* its probe was throttled, so values are missing */
};

/* Calls `visit` with each learner that has a value: first those of the program tree, in its order, then those of call
 * sites and of user regions. The view lives only during the call; what it refers to lives as long as the trace. A
 * nonzero result ends the visit and is returned. */
int refrain_learners_visit(const struct refrain_process *process,
                           int (*visit)(void *data, const struct refrain_learner_view *view), void *data);

/* True if a user wants to see the learner: no control flow, no requests, no absent parameter. */
bool refrain_learner_is_for_readers(const struct refrain_learner_view *view);

/* Reads the terms of all learners. An error names the first damaged offset in the image. */
enum refrain_status refrain_learners_check(const struct refrain_process *process, struct refrain_error *error);

#endif
