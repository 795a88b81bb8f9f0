/* call_other.h: what call_usual.c, which tells of MPI calls that go as expected, leaves to call.c. */
#ifndef REFRAIN_CALL_OTHER_H
#define REFRAIN_CALL_OTHER_H

#include "call_known.h"
#include "learn_tally.h"

#define REFRAIN_CLOCK_REFRESH_CALLS 1024

/* The functions of the same names without "_other", for whatever comes. */
REFRAIN_HIDDEN void refrain_call_begin_other(struct refrain_call *call, unsigned function, void *return_address,
                                             void *frame_address);
REFRAIN_HIDDEN void refrain_call_returned_other(struct refrain_call *call);
REFRAIN_HIDDEN struct refrain_operation_record *refrain_call_operation_other(struct refrain_call *call,
                                                                             enum refrain_operation operation,
                                                                             const int64_t *parameters, unsigned n);
REFRAIN_HIDDEN void refrain_call_end_other(struct refrain_call *call);

/* The activation has moved to the operation's record, and its values before `from` are learned: the others are, and the
 * probe ends. Returns the record. */
REFRAIN_HIDDEN struct refrain_operation_record *refrain_call_operation_rest(struct refrain_call *call,
                                                                            struct refrain_operation_record *record,
                                                                            const int64_t *parameters, unsigned n,
                                                                            unsigned from);

REFRAIN_HIDDEN bool refrain_call_complete_other(struct refrain_call *call, uint32_t request,
                                                const struct refrain_completion *completions, unsigned n);

/* Writes the records of completions, in the mode that has records. Within a probe. */
REFRAIN_HIDDEN void refrain_call_record_completions(struct refrain_call *call, uint32_t request,
                                                    const struct refrain_completion *completions, unsigned n);

/* What a completion says is learned where the request was posted. Within a probe. */
REFRAIN_HIDDEN void refrain_learn_completion(struct refrain_context *context,
                                             const struct refrain_completion *completion);

/* What an operation's parameters mean where they are only counted. */
extern REFRAIN_HIDDEN const struct refrain_row refrain_operation_rows[REFRAIN_OPERATIONS];

/* The learners of an operation that take its values when it is told; those of a receive that is posted have only the
 * communicator yet. */
static inline struct refrain_learner *refrain_operation_learners(struct refrain_operation_record *record) {
    bool posts = record->operation == REFRAIN_OP_IRECV || record->operation == REFRAIN_OP_RECV_INIT;
    return &record->parameter[posts ? REFRAIN_PARAMETERS - 1 : 0];
}

/* The record of an operation at the call site; null where it has none yet. */
static inline struct refrain_operation_record *refrain_operation_find(const struct refrain_call_site *call_site,
                                                                      enum refrain_operation operation) {
    for (uint32_t link = call_site->operations; link;) {
        struct refrain_operation_record *record = refrain_at_reference(link);
        if (record->operation == operation)
            return record;
        link = record->next;
    }
    return NULL;
}

/* The thread is in a call from this call site, of which nothing else is known yet. */
static inline void refrain_now_calls(struct refrain_thread *thread, uint32_t call_site) {
    struct refrain_now *now = &thread->now;
    now->call = call_site + 1;
    now->inside = 1;
    now->sends_to = now->receives_from = -1;
    now->comm = 0;
    now->tag = -1;
    now->n_awaited = 0;
}

#endif
