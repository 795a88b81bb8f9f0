/* call_operation.h: the operations of a call site, and the meaning of their parameters. */
#ifndef REFRAIN_CALL_OPERATION_H
#define REFRAIN_CALL_OPERATION_H

#include "learn_tally.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The meaning of an operation's parameters in counts. */
extern REFRAIN_HIDDEN const struct refrain_row refrain_operation_rows[REFRAIN_OPERATIONS];

/* The learners that take an operation's values when it is recorded. A receive that is posted has only the communicator
 * then. */
static inline struct refrain_learner *refrain_operation_learners(struct refrain_operation_record *record) {
    bool posts = record->operation == REFRAIN_OP_IRECV || record->operation == REFRAIN_OP_RECV_INIT;
    return &record->parameter[posts ? REFRAIN_PARAMETERS - 1 : 0];
}

/* The record of an operation at the call site. Null if it has none yet. */
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

#endif
