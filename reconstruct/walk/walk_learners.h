/* walk_learners.h: the state of each learner that a walk has used, and links between places (learner -> place ->
 * next place).
 *
 *     place of a slot -- value, by its last bits --> link: the place of the slot or operation that the value names
 *
 * An entry is made when the walk first meets the learner, and kept until the walk ends. Nothing grows with the
 * number of events. */
#ifndef REFRAIN_WALK_LEARNERS_H
#define REFRAIN_WALK_LEARNERS_H

#include "common/table.h"
#include "sequence/sequence.h"
#include "sequence/tally.h"
#include "times/block_times.h"

struct refrain_region_info;
struct refrain_walk_cycle;
struct refrain_walk_learner;

/* What the walk does when it takes a value that names the next place. */
enum refrain_walk_action {
    REFRAIN_WALK_ENTERS,        /* begin an activation */
    REFRAIN_WALK_OPERATES,      /* do an operation of the innermost call */
    REFRAIN_WALK_RECORDS_VALUE, /* take the value of a marker, of a counter, or of calls in a pause */
    REFRAIN_WALK_MOVES,
    /* move the activation to a slot */ REFRAIN_WALK_DECIDES, /* take the value of a decision, and continue in its
                                                                 branch */
    REFRAIN_WALK_SKIPS_LOOP,
    /* skip a loop without events */ REFRAIN_WALK_LOOPS, /* begin an iteration of a loop, or continue after it */
};

/* Cached destination of a successor value. */
struct refrain_walk_link {
    int64_t value;
    struct refrain_walk_learner *to; /* place of the slot, or the place after the operation; null: unused link */
    union {
        uint64_t id;                              /* id of the record (ENTERS, RECORDS_VALUE) */
        struct refrain_walk_operation *operation; /* for OPERATES */
    };
    uint8_t action;        /* enum refrain_walk_action */
    uint8_t kind;          /* enum refrain_record_kind (ENTERS) */
    bool is_overflow_site; /* ENTERS: the call site is an overflow site, and `to` is the place inside its host */
};
#define REFRAIN_WALK_LINKS 4 /* of a place, by the last bits of the value */

/* An operation of a call site, and the state of its parameters. */
struct refrain_walk_operation {
    const struct refrain_operation_record *from;
    const struct refrain_learner *learners;
    struct refrain_walk_learner *parameter[REFRAIN_PARAMETERS];
    unsigned n;
    uint32_t number; /* enum refrain_operation */
    bool plain;      /* each parameter has a learner of its own, and none depends on another or is in a joint tally */
    bool no_request; /* it involves no request */
};

/* State of a learner or place. Members that most steps need come first, here and in the sequence. */
struct refrain_walk_learner {
    uint64_t offset;                 /* of the learner in the image */
    const struct refrain_slot *slot; /* the slot that has the learner; null for parameters, and while unknown */
    struct refrain_walk_learner
        *beyond[2];       /* places of slots [1] and [2] after it, null until the walk first moves there */
    uint64_t taken;       /* values taken */
    uint64_t visits;      /* blocks replayed from here */
    uint64_t visits_left; /* visits that are still to come, 0 before the first */
    struct refrain_block_account account; /* time left for its blocks */
    struct refrain_walk_link links[REFRAIN_WALK_LINKS];
    struct refrain_sequence sequence;
    struct refrain_walk_operation
        *operation; /* the operation before this place, null until the walk first gets there */
    const struct refrain_region_info *region; /* region that begins here, set by a reader (struct refrain_record) */
    uint64_t mean_ticks;                      /* of its blocks */
    uint64_t remaining;                       /* loop: iterations left of the current count */
    bool counting;                            /* loop: a count is in use */
    bool pending;                             /* loop: the count is the last one, whose end is not in the trace */
    bool left_early;                          /* loop: after this count the next one follows, not the end */
    bool node_known;
    int node;                           /* node in the recursion graph, -1 none */
    uint32_t cycle_counted;             /* loop: number of the recording in which its count was last taken */
    uint32_t cycle_wait, cycle_penalty; /* loop: iterations until the next recording; the current waiting period */
    uint32_t n_cycles;
    struct refrain_walk_cycle *cycles; /* loop: iterations that may repeat */
    /* of the first of several parameters with a joint tally, which begins when one of their learners runs out of
     * memory */
    struct refrain_tally_reader rows;
    uint64_t rows_taken, rows_before; /* rows taken in all; rows before the tally */
};

/* Takes n of the remaining iterations of a loop. */
static inline void refrain_walk_count_iterations(struct refrain_walk_learner *loop, uint64_t n) {
    loop->remaining -= n;
    if (loop->left_early && loop->remaining == 0)
        loop->counting = false;
}

/* The learners that a walk has used, by offset. Set the image, and all else to zero. */
struct refrain_walk_learners {
    const unsigned char *image;
    size_t image_bytes;
    struct refrain_table table;
};

/* The entry of a learner, made at its first use. Null without memory. */
struct refrain_walk_learner *refrain_walk_learners_get(struct refrain_walk_learners *learners,
                                                       const struct refrain_learner *learner);

/* The entry of a learner, or null if the walk has not used it. */
const struct refrain_walk_learner *refrain_walk_learners_find(const struct refrain_walk_learners *learners,
                                                              const struct refrain_learner *learner);

void refrain_walk_learners_close(struct refrain_walk_learners *learners);

#endif
