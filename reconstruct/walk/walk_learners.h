/* walk_learners.h: what a walk knows of the learners it has met, and where their values led (learner -> place -> next
 * place).
 *
 *     place of a slot -- value, by its last bits --> link: the place of the slot or operation that the value names
 *
 * Made when a learner is first met, kept until the walk ends: nothing grows with the number of events. */
#ifndef REFRAIN_WALK_LEARNERS_H
#define REFRAIN_WALK_LEARNERS_H

#include "common/table.h"
#include "sequence/sequence.h"
#include "sequence/tally.h"
#include "times/block_times.h"

struct refrain_region_info;
struct refrain_walk_cycle;
struct refrain_walk_learner;

/* What is done where a value leads. */
enum refrain_walk_action {
    REFRAIN_WALK_ENTERS,   /* an activation begins */
    REFRAIN_WALK_OPERATES, /* the call on top does an operation */
    REFRAIN_WALK_TELLS,    /* a marker, a counter, or what passed in a pause */
    REFRAIN_WALK_GOES_ON,  /* the activation goes on at a slot */
    REFRAIN_WALK_DECIDES,
    REFRAIN_WALK_COUNTED, /* a loop in which nothing happens */
    REFRAIN_WALK_LOOPS,
};

/* Where a value led that told what came next: the slot that it names, or the operation. */
struct refrain_walk_link {
    int64_t value;
    struct refrain_walk_learner *to; /* of the slot, or of what came after the operation; null: nothing is kept here */
    union {
        uint64_t id;                              /* ENTERS, TELLS: of the record */
        struct refrain_walk_operation *operation; /* OPERATES */
    };
    uint8_t action; /* enum refrain_walk_action */
    uint8_t kind;   /* ENTERS: enum refrain_record_kind */
    bool is_guest;  /* ENTERS: a call from a guest, `to` is inside its host */
};
#define REFRAIN_WALK_LINKS 4 /* of a place, by the value's last bits */

/* An operation of a call site, with what the walk knows of its parameters. */
struct refrain_walk_operation {
    const struct refrain_operation_record *from;
    const struct refrain_learner *learners;
    struct refrain_walk_learner *parameter[REFRAIN_PARAMETERS];
    unsigned n;
    uint32_t number; /* enum refrain_operation */
    bool plain;      /* none of them depends on another one's value or was counted together with others */
    bool alone;      /* it concerns no request */
};

/* What the walk knows of a learner or place that it has met. The members that most steps need come first, here and in
 * the sequence. */
struct refrain_walk_learner {
    uint64_t offset;                        /* of the learner in the image */
    const struct refrain_slot *slot;        /* whose learner it is; null until it is known, and of parameters */
    struct refrain_walk_learner *beyond[2]; /* of the slots behind it, null until the walk first gets there */
    uint64_t taken;                         /* values */
    uint64_t visits;                        /* blocks replayed from here */
    uint64_t visits_left;                   /* of the stretch of its history */
    struct refrain_block_account account;   /* what its blocks have to share */
    struct refrain_walk_link links[REFRAIN_WALK_LINKS];
    struct refrain_sequence sequence;
    struct refrain_walk_operation *operation; /* that it comes after, null until the walk first gets there */
    const struct refrain_region_info *region; /* which begins here, once a reader knows (struct refrain_record) */
    uint64_t mean_ticks;                      /* of all its visits */
    uint32_t stretch;                         /* number of the one its visits are in, from 1 */
    uint64_t remaining;                       /* loop: iterations left of the count taken */
    bool counting;                            /* loop: a count has been taken */
    bool pending;                             /* loop: it is the count that was not fed yet */
    bool node_known;
    int node;                           /* in the recursion, -1 none */
    uint32_t cycle_counted;             /* loop: number of the recording in which its count was taken last */
    uint32_t cycle_wait, cycle_penalty; /* loop: iterations until one is recorded; the longest such wait so far */
    uint32_t n_cycles;
    struct refrain_walk_cycle *cycles; /* loop: iterations that may come again */
    /* first parameter of several that were counted together, once one of them had no memory left */
    struct refrain_tally_reader rows;
    uint64_t rows_taken, rows_before; /* all in all; before any was counted */
};

/* The learners that a walk has met, by offset. Zero but for the image at first. */
struct refrain_walk_learners {
    const unsigned char *image;
    size_t image_bytes;
    struct refrain_table table;
};

/* What the walk knows of a learner, made where it meets it first; null without memory. */
struct refrain_walk_learner *refrain_walk_learners_get(struct refrain_walk_learners *learners,
                                                       const struct refrain_learner *learner);

/* The same, null where the walk has not met it. */
const struct refrain_walk_learner *refrain_walk_learners_find(const struct refrain_walk_learners *learners,
                                                              const struct refrain_learner *learner);

void refrain_walk_learners_close(struct refrain_walk_learners *learners);

#endif
