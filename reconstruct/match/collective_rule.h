/* collective_rule.h: who has to wait for whom in a collective operation (align_collectives.c, waiting_collective.c). */
#ifndef REFRAIN_COLLECTIVE_RULE_H
#define REFRAIN_COLLECTIVE_RULE_H

#include <refrain/read.h>

/* `match` of a COLLECTIVE: communicator and kind, and in so many low bits its number among these. */
#define REFRAIN_MATCH_ORDINAL_BITS 34

enum refrain_collective_rule {
    REFRAIN_RULE_NONE,
    REFRAIN_RULE_ALL,       /* all for all */
    REFRAIN_RULE_PAIRS,     /* all for all who send them anything: each pair of ranks has a length of its own */
    REFRAIN_RULE_FROM_ROOT, /* the others for the root */
    REFRAIN_RULE_TO_ROOT,   /* the root for the others */
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
