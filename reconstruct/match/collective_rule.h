/* collective_rule.h: which ranks wait for which in a collective operation (align_collectives.c, waiting_collective.c).
 */
#ifndef REFRAIN_COLLECTIVE_RULE_H
#define REFRAIN_COLLECTIVE_RULE_H

#include <refrain/read.h>

/* The lowest bits of a COLLECTIVE's `match` count the operations of its communicator and kind. The bits above are the
 * communicator and the kind. */
#define REFRAIN_MATCH_ORDINAL_BITS 34

enum refrain_collective_rule {
    REFRAIN_RULE_NONE,
    REFRAIN_RULE_ALL,       /* each rank waits for all */
    REFRAIN_RULE_PAIRS,     /* each rank waits for those that send it data, which the call's arguments decide */
    REFRAIN_RULE_FROM_ROOT, /* each rank waits for the root */
    REFRAIN_RULE_TO_ROOT,   /* the root waits for all */
};

static inline enum refrain_collective_rule refrain_collective_rule(enum refrain_collective role) {
    static const unsigned char rules[REFRAIN_COLLECTIVES] = {
        [REFRAIN_COLLECTIVE_BARRIER] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_ALLREDUCE] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_ALLGATHER] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_ALLGATHERV] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_ALLTOALL] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_REDUCE_SCATTER] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK] = REFRAIN_RULE_ALL,
        [REFRAIN_COLLECTIVE_ALLTOALLV] = REFRAIN_RULE_PAIRS,
        [REFRAIN_COLLECTIVE_ALLTOALLW] = REFRAIN_RULE_PAIRS,
        [REFRAIN_COLLECTIVE_BCAST] = REFRAIN_RULE_FROM_ROOT,
        [REFRAIN_COLLECTIVE_SCATTER] = REFRAIN_RULE_FROM_ROOT,
        [REFRAIN_COLLECTIVE_SCATTERV] = REFRAIN_RULE_FROM_ROOT,
        [REFRAIN_COLLECTIVE_REDUCE] = REFRAIN_RULE_TO_ROOT,
        [REFRAIN_COLLECTIVE_GATHER] = REFRAIN_RULE_TO_ROOT,
        [REFRAIN_COLLECTIVE_GATHERV] = REFRAIN_RULE_TO_ROOT,
    };
    return rules[role];
}

#endif
