/* walk_parts.h: what the parts of a walk share (walk_rank.h).
 *
 *     walk_counted.c      a walk begins that knows what the entries of its timeline have to share out
 *     walk_rank.c         the stack machine: a step, and the record that it makes
 *     walk_cycle.c        iterations that are alike, which are given without walking
 *     walk_pattern.c      cycles that take turns
 *     walk_operations.c   what MPI calls say, and the requests that they take and complete
 *     walk_values.c       the next value of a learner, also where its order is not known
 *     walk_blocks.c       many blocks that pass at once
 *     walk_ahead.c        iterations that wait for their times
 *     walk_time.c         how long blocks took, and records that wait for their time (walk_time.h)
 *     walk_recording.c    an iteration is recorded while it is walked
 *     walk_limits.c       what is more than the thread can have done
 *     walk_open.c         beginning and end
 *
 * A file calls those below it only. */
#ifndef REFRAIN_WALK_PARTS_H
#define REFRAIN_WALK_PARTS_H

#include "times/balance.h"
#include "times/block_times.h"
#include "times/probe_costs.h"
#include "walk/recursion.h"
#include "walk/walk_ahead.h"
#include "walk/walk_cycle.h"
#include "walk/walk_learners.h"
#include "walk/walk_rank.h"
#include "walk/walk_requests.h"
#include "walk/walk_shares.h"

struct refrain_walk_activation {
    struct refrain_walk_learner *at;           /* of its last slot */
    struct refrain_walk_learner *begun;        /* of its first one; null of the outermost */
    const struct refrain_region_info **region; /* that its records share (struct refrain_record) */
    uint32_t context;                          /* where contexts are told apart (walk_contexts.h) */
    uint64_t id;
    uint32_t begin_read, end_read; /* clock reads up to its begin and end (struct refrain_record) */
    uint8_t kind;                  /* enum refrain_record_kind of its entering */
    bool returned;
    uint64_t begin_ticks, end_ticks;
    uint64_t begin_cost, end_cost;
};

struct refrain_walk_slot {
    uint64_t offset;
    uint32_t kind; /* enum refrain_node_kind */
};

#define REFRAIN_WALK_TURNS 8u

/* The cycles of a loop that were given last, without a step between them. Zero at first. */
struct refrain_walk_pattern {
    unsigned n;
    struct refrain_walk_turn turns[REFRAIN_WALK_TURNS];
};

struct refrain_walk {
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_header *header;
    const struct refrain_thread *thread;
    unsigned thread_number;
    struct refrain_numbered numbered;
    struct refrain_walk_slot *slots; /* by number */
    uint32_t n_slots;
    struct refrain_walk_learners learners;
    struct refrain_walk_activation *stack;
    size_t depth, capacity_stack; /* stack[0] is the thread's root */
    struct refrain_walk_requests requests;
    uint64_t owed; /* completions that came when no request was under way: the next requests complete at once */
    uint64_t completing_site;   /* of the call that completed one last */
    int64_t run_next, run_left; /* requests that complete together: the next one's number, how many are left */
    uint64_t ticks;
    uint64_t cost; /* of the probes so far (struct refrain_record) */
    struct refrain_block_times times;
    struct refrain_walk_shares shares;      /* what the entries of several blocks have for each place */
    struct refrain_walk_shares *counting;   /* it is walked to find that out for another walk */
    struct refrain_walk_contexts *contexts; /* of these shares; null: they are not told apart */
    struct refrain_balance balance;         /* between these contexts */
    struct refrain_record *waiting;         /* records of blocks whose times are not known yet */
    size_t first_waiting, n_waiting, capacity_waiting;
    size_t n_known; /* of those that wait, so many first ones have their times while a cycle is given */
    uint32_t reads; /* of the clock while iterations are recorded, modulo 2^32 */
    bool finds_cycles;
    bool tells_steps;
    uint32_t recordings;                    /* of iterations */
    struct refrain_walk_recorder *recorder; /* of an iteration; null: none is recorded now */
    struct refrain_walk_cycle *cycle;       /* that is given now, null: none */
    struct refrain_walk_pattern pattern;    /* of those that were */
    struct refrain_walk_ahead ahead;        /* of this cycle, and of others before it */
    uint64_t steps_allowed;                 /* that the thread had time for, up to the blocks looked at so far ... */
    uint64_t steps_left;                    /* ... and how many of them are left */
    uint64_t steps_of_run;                  /* the most that the run can have made; 0: not looked at yet */
    uint64_t uncounted_blocks;              /* beyond those that their places have */
    uint64_t successors_left; /* once it is known: values that tell what came next and have not been taken */
    bool counts_successors;
    struct refrain_recursion *recursion; /* once the order is our own ... */
    bool knows_recursion;                /* ... and unless there was no memory for it */
    bool approximate;
    bool ended;
    const char *wrong;
    uint64_t wrong_offset;
};

/* The image is damaged: the walk ends here. `at` is where in the image, null unknown. Returns false. */
static inline bool refrain_walk_fail(struct refrain_walk *walk, const void *at, const char *what) {
    if (!walk->wrong) {
        walk->wrong = what;
        walk->wrong_offset = at ? (uint64_t)((const unsigned char *)at - walk->image) : 0;
    }
    walk->ended = true;
    return false;
}

/* The next value contradicts those before it. That is damage, except where the walk chooses the order of values itself.
 * Returns false. */
static inline bool refrain_walk_impossible(struct refrain_walk *walk, const void *at, const char *what) {
    return walk->approximate ? false : refrain_walk_fail(walk, at, what);
}

/* The bytes at an offset of the image; null, and the walk ends, where they do not lie in it. */
static inline const void *refrain_walk_at(struct refrain_walk *walk, uint64_t offset, uint64_t bytes) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 8 || offset > walk->image_bytes ||
        bytes > walk->image_bytes - offset) {
        refrain_walk_fail(walk, walk->image, "a reference leads out of the image");
        walk->wrong_offset = offset;
        return NULL;
    }
    return walk->image + offset;
}

/* ---- walk_counted.c ---- */

/* As refrain_walk_open(); `by_cycles` false: what is counted first is walked step by step, as a test compares it. */
struct refrain_walk *refrain_walk_open_counted(const void *image, size_t image_bytes, unsigned thread, bool by_cycles,
                                               const char **what, uint64_t *offset);

/* ---- walk_cycle.c ---- */

/* An iteration of the loop begins: the walk records it, or has a cycle to give. */
void refrain_walk_begin_iteration(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* A cycle is to be given, but records before it wait for their times: its iterations pass until these have them, or
 * until the cycle ends. */
void refrain_walk_cycle_settle(struct refrain_walk *walk);

/* For a walk that counts: all iterations of the cycle pass. */
void refrain_walk_cycle_skip(struct refrain_walk *walk);

/* ---- walk_pattern.c ---- */

/* The cycle is given from now on. Where cycles have taken turns twice alike, what they are together becomes the loop's
 * first one. */
void refrain_walk_pattern_note(struct refrain_walk_pattern *pattern, struct refrain_walk_cycle *cycle);

/* Something other than a cycle is walked, or a cycle is freed: forgets the turns. */
void refrain_walk_pattern_forget(struct refrain_walk_pattern *pattern);

/* Is it part of another one of the loop's? */
bool refrain_walk_cycle_is_part(const struct refrain_walk_learner *loop, const struct refrain_walk_cycle *cycle);

/* ---- walk_recording.c ---- */

/* An iteration of the loop is recorded from now on. */
void refrain_walk_begin_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* An iteration of the loop begins. If it is the loop that is recorded, the one before it is complete: it becomes one of
 * the loop's cycles, if it can. False for other loops. */
bool refrain_walk_end_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* The loop is not recorded for a while, each time for longer. */
void refrain_walk_leave_alone(struct refrain_walk_learner *loop);

/* Has a loop that begins in the iteration begun already? */
bool refrain_walk_cycle_is_counting(const struct refrain_walk_cycle *cycle);

/* While an iteration is recorded: a step takes that value, something else does, the count of a loop is taken, a row of
 * parameters has been, a block has passed in that context, or a record was made. */
void refrain_walk_note_step(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value);
void refrain_walk_note_value(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value);
void refrain_walk_note_count(struct refrain_walk *walk, struct refrain_walk_learner *loop, int64_t value);
void refrain_walk_note_row(struct refrain_walk *walk, struct refrain_walk_learner *first);
void refrain_walk_note_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context);
void refrain_walk_note_record(struct refrain_walk *walk, const struct refrain_record *record);

/* Is that the loop whose iteration is recorded, or one that began in it? */
bool refrain_walk_knows_count(const struct refrain_walk *walk, const struct refrain_walk_learner *loop);

/* Stops recording: this iteration cannot come again in just the same way. */
void refrain_walk_give_up_recording(struct refrain_walk *walk);

static inline void refrain_walk_note(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value) {
    if (walk->recorder)
        refrain_walk_note_value(walk, learner, value);
}

/* ---- walk_values.c ---- */

/* The place of a learner, and that of a slot's; null without memory, and the walk ends. */
struct refrain_walk_learner *refrain_walk_meet(struct refrain_walk *walk, const struct refrain_learner *learner);
struct refrain_walk_learner *refrain_walk_meet_slot(struct refrain_walk *walk, const struct refrain_slot *slot);

/* The place's number in the recursion; -1 none, or the order is still that of the run. */
int refrain_walk_recursive_node(struct refrain_walk *walk, struct refrain_walk_learner *place);

/* Takes the next value of a place; false at its end, which is where the walk ends. */
bool refrain_walk_take(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value,
                       bool *approximate);

/* Takes the next value of a place where its order is not known to be the run's, or where it has none left: in a
 * recursion one that leaves nothing over. */
bool refrain_walk_take_likely_step(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value);

/* Takes the n parameters of an event. Where a learner has given up, its value is one of a row that was counted, and
 * that agrees with the values of the other learners. Rows are `width` values, of which those behind the first n have no
 * learner: they are known, and the row agrees with them, too. */
bool refrain_walk_take_row(struct refrain_walk *walk, const struct refrain_learner *learners, int64_t *values,
                           unsigned n, unsigned width, bool *approximate);

/* ---- walk_limits.c ---- */

/* The most steps that the whole run can have made. */
uint64_t refrain_walk_steps_of_run(const struct refrain_walk *walk);

/* There are no steps left: allows those that there was time for until the end of what the timeline tells of next. False
 * where that allows none. */
bool refrain_walk_allow_steps(struct refrain_walk *walk);

/* A block passes of a place that has no blocks left: after many such blocks the walk ends. */
void refrain_walk_pass_uncounted(struct refrain_walk *walk, const struct refrain_walk_learner *place);

/* ---- walk_blocks.c ---- */

/* Blocks of the cycle pass at once, from `first` on, at most `most`: those of which the timeline tells alone, or those
 * of one entry. `ticks` gets when each of them ended, or its number. Returns how many they are. 0, and nothing has
 * passed: the next one has to pass by refrain_walk_pass_block_of(). */
uint32_t refrain_walk_pass_blocks(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t first,
                                  uint32_t most, uint64_t *ticks);

/* ---- walk_operations.c ---- */

/* A record without parameters. */
static inline void refrain_walk_fill(struct refrain_walk *walk, struct refrain_record *record, uint8_t kind,
                                     uint64_t ticks, uint64_t cost, uint64_t id,
                                     const struct refrain_region_info **region) {
    record->kind = kind;
    record->read = walk->reads;
    record->approximate = walk->approximate;
    record->thread = walk->thread_number;
    record->operation = 0;
    record->n_parameters = 0;
    record->unused = 0;
    record->ticks = ticks;
    record->cost = cost;
    record->id = id;
    record->region = region;
    for (unsigned i = 0; i < REFRAIN_PARAMETERS; i++)
        record->parameters[i] = 0;
}

/* What is known of an operation of the call on top; null when it has none such. */
struct refrain_walk_operation *refrain_walk_operation(struct refrain_walk *walk, uint32_t operation,
                                                      struct refrain_walk_learner **after);

/* The call on top does the operation to which the link leads. False where the walk ends. */
bool refrain_walk_operate(struct refrain_walk *walk, const struct refrain_walk_link *link,
                          struct refrain_record *record);

/* The next of requests that complete together; a record like that of one that completes alone. */
bool refrain_walk_complete_next(struct refrain_walk *walk, struct refrain_record *record);

#endif
