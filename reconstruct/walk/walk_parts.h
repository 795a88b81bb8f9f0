/* walk_parts.h: the walk's state, and the functions that its files share (walk_rank.h).
 *
 *     walk_counted.c      opens a walk, after trials that find how entries of its timeline are divided
 *     walk_rank.c         the stack machine: takes a step and makes its record
 *     walk_cycle.c        delivers equal iterations without walking
 *     walk_pattern.c      joins cycles that alternate
 *     walk_operations.c   operations of MPI calls, and the requests that they start and complete
 *     walk_open.c         begins and closes a walk
 *     walk_values.c       the next value of a learner, exact or likely
 *     walk_blocks.c       lets many blocks pass at once
 *     walk_time.c         the time of a block, and records that wait for their times (walk_time.h)
 *     walk_ahead.c        iterations that wait for their times
 *     walk_recording.c    records an iteration while it is walked
 *     walk_limits.c       upper bounds of what the thread can have done
 *
 * A file calls only files below it in this list. */
#ifndef REFRAIN_WALK_PARTS_H
#define REFRAIN_WALK_PARTS_H

#include "times/adjust.h"
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
    struct refrain_walk_learner *at;           /* place of its latest slot */
    struct refrain_walk_learner *begun;        /* place of its first slot; null for the outermost */
    const struct refrain_region_info **region; /* shared by its records (struct refrain_record) */
    uint32_t context;                          /* if contexts are in use (walk_contexts.h) */
    uint64_t id;
    uint32_t begin_read, end_read; /* number of clock reads up to its begin and end (struct refrain_record) */
    uint8_t kind;                  /* enum refrain_record_kind of its begin */
    bool returned;
    uint64_t begin_ticks, end_ticks;
    uint64_t begin_cost, end_cost;
};

struct refrain_walk_slot {
    uint64_t offset;
    uint32_t kind; /* enum refrain_node_kind */
};

#define REFRAIN_WALK_CYCLE_RUNS 8u

/* The latest cycles of one loop, delivered without a step between them. Zero at first. */
struct refrain_walk_pattern {
    unsigned n;
    struct refrain_walk_cycle_run runs[REFRAIN_WALK_CYCLE_RUNS];
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
    size_t depth, capacity_stack; /* stack[0] is the root of the thread */
    struct refrain_walk_requests requests;
    uint64_t owed;              /* completions without a pending request: the next requests complete at once */
    uint64_t completing_site;   /* call site of the call that completed a request last */
    int64_t run_next, run_left; /* requests that complete together: number of the next one; how many are left */
    uint64_t ticks;
    uint64_t cost; /* of all probes so far (struct refrain_record) */
    struct refrain_block_times times;
    struct refrain_walk_shares shares;    /* time that entries of several blocks have for each place */
    struct refrain_walk_shares *counting; /* not null: this walk only counts, and fills these shares for another walk */
    struct refrain_walk_contexts *contexts; /* contexts of the shares; null: not in use */
    struct refrain_adjustment adjustment;   /* moves time between contexts */
    struct refrain_record *waiting;         /* records whose times are not known yet */
    size_t first_waiting, n_waiting, capacity_waiting;
    size_t n_known; /* of these, the first ones whose times are known while a cycle is delivered */
    uint32_t reads; /* clock reads while an iteration is recorded, modulo 2^32 */
    bool finds_cycles;
    bool records_steps;
    uint32_t recordings;                    /* number of recordings so far */
    struct refrain_walk_recorder *recorder; /* the current recording of an iteration; null: none */
    struct refrain_walk_cycle *cycle;       /* the cycle that is being delivered; null: none */
    struct refrain_walk_pattern pattern;    /* the cycles delivered last */
    struct refrain_walk_ahead ahead;        /* passed iterations that are not delivered */
    uint64_t steps_allowed;                 /* steps allowed up to the current timeline entry */
    uint64_t steps_left;                    /* the allowed steps that are left */
    uint64_t steps_of_run;                  /* upper bound for the whole run; 0: not computed yet */
    uint64_t uncounted_blocks;              /* blocks beyond the counts of their places */
    uint64_t successors_left;               /* successor values that are not taken; valid if counts_successors */
    bool counts_successors;
    struct refrain_recursion *recursion; /* used once the order is approximate */
    bool knows_recursion;                /* refrain_recursion_open() was called; `recursion` is null if that failed */
    bool approximate;
    bool ended;
    const char *wrong;
    uint64_t wrong_offset;
};

/* Ends the walk because the image is damaged. `at`: position in the image, null unknown. Returns false. */
static inline bool refrain_walk_fail(struct refrain_walk *walk, const void *at, const char *what) {
    if (!walk->wrong) {
        walk->wrong = what;
        walk->wrong_offset = at ? (uint64_t)((const unsigned char *)at - walk->image) : 0;
    }
    walk->ended = true;
    return false;
}

/* The next value contradicts earlier ones. If the order is exact, the image is damaged. If it is approximate, this
 * can happen. Returns false. */
static inline bool refrain_walk_impossible(struct refrain_walk *walk, const void *at, const char *what) {
    return walk->approximate ? false : refrain_walk_fail(walk, at, what);
}

/* The bytes at an offset of the image. If they are outside the image: ends the walk and returns null. */
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

/* As refrain_walk_open(). If `by_cycles` is false, the counting walk takes every step (for a test that compares
 * both). */
struct refrain_walk *refrain_walk_open_counted(const void *image, size_t image_bytes, unsigned thread, bool by_cycles,
                                               const char **what, uint64_t *offset);

/* ---- walk_cycle.c ---- */

/* An iteration of the loop begins: starts to deliver a cycle, or to record the iteration, if either is possible. */
void refrain_walk_begin_iteration(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* Lets iterations of the current cycle pass until the records before them have their times, or until the cycle ends. */
void refrain_walk_cycle_settle(struct refrain_walk *walk);

/* Lets all iterations of the current cycle pass, for a walk that only counts. */
void refrain_walk_cycle_skip(struct refrain_walk *walk);

/* ---- walk_pattern.c ---- */

/* Notes that the cycle is being delivered. If cycles have alternated twice in the same way, joins them into a new
 * first cycle of the loop. */
void refrain_walk_pattern_note(struct refrain_walk_pattern *pattern, struct refrain_walk_cycle *cycle);

/* Forgets the cycles noted so far: a step was taken between cycles, or a cycle is freed. */
void refrain_walk_pattern_forget(struct refrain_walk_pattern *pattern);

/* True if the cycle is a part of another cycle of the loop. */
bool refrain_walk_cycle_is_part(const struct refrain_walk_learner *loop, const struct refrain_walk_cycle *cycle);

/* ---- walk_recording.c ---- */

/* Starts to record an iteration of the loop. */
void refrain_walk_begin_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* An iteration of `loop` begins. If this loop is being recorded, its previous iteration is complete: makes a cycle
 * of it, if possible. Returns false if another loop is being recorded. */
bool refrain_walk_end_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop);

/* Postpones the next recording of the loop, each time for longer. */
void refrain_walk_postpone_recording(struct refrain_walk_learner *loop);

/* True if a loop inside the iteration is in the middle of a count. */
bool refrain_walk_cycle_is_counting(const struct refrain_walk_cycle *cycle);

/* While an iteration is recorded, note: a step took this value; something else took it; a loop took this count; a
 * row of parameters was taken; a block passed in this context; a record was joined. */
void refrain_walk_note_step(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value);
void refrain_walk_note_value(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value);
void refrain_walk_note_count(struct refrain_walk *walk, struct refrain_walk_learner *loop, int64_t value);
void refrain_walk_note_row(struct refrain_walk *walk, struct refrain_walk_learner *first);
void refrain_walk_note_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context);
void refrain_walk_note_record(struct refrain_walk *walk, const struct refrain_record *record);

/* True if the loop is the one whose iteration is recorded, or if it began in the recorded iteration. */
bool refrain_walk_knows_count(const struct refrain_walk *walk, const struct refrain_walk_learner *loop);

/* Stops recording: this iteration cannot repeat exactly. */
void refrain_walk_give_up_recording(struct refrain_walk *walk);

static inline void refrain_walk_note(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value) {
    if (walk->recorder)
        refrain_walk_note_value(walk, learner, value);
}

/* ---- walk_values.c ---- */

/* The entry of a learner, or of a slot. Without memory: ends the walk and returns null. */
struct refrain_walk_learner *refrain_walk_meet(struct refrain_walk *walk, const struct refrain_learner *learner);
struct refrain_walk_learner *refrain_walk_meet_slot(struct refrain_walk *walk, const struct refrain_slot *slot);

/* The number of the place in the recursion graph; -1 if it has none, or if the order is still exact. */
int refrain_walk_recursive_node(struct refrain_walk *walk, struct refrain_walk_learner *place);

/* Takes the next value of a place. False if none is left, which ends the walk. */
bool refrain_walk_take(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value,
                       bool *approximate);

/* Takes the next value of a place whose order is approximate, or which has no value left. In a recursion, chooses a
 * value so that all remaining steps can be taken. */
bool refrain_walk_take_likely_step(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t *value);

/* Takes the n parameters of an event. If a learner has only a tally, its value comes from a counted row that agrees
 * with the values of the other learners. A row has `width` values. Those after the first n have no learner: they are
 * set by the caller, and the row must agree with them, too. */
bool refrain_walk_take_row(struct refrain_walk *walk, const struct refrain_learner *learners, int64_t *values,
                           unsigned n, unsigned width, bool *approximate);

/* ---- walk_limits.c ---- */

/* Upper bound of the steps of the whole run. */
uint64_t refrain_walk_steps_of_run(const struct refrain_walk *walk);

/* Called when steps_left is 0: allows the steps for which there was time until the end of the next timeline entry.
 * False if that is none. */
bool refrain_walk_allow_steps(struct refrain_walk *walk);

/* A block passes from a place beyond its count. After many such blocks the walk ends, if the process stored its last
 * counts. */
void refrain_walk_pass_uncounted(struct refrain_walk *walk, const struct refrain_walk_learner *place);

/* ---- walk_blocks.c ---- */

/* Lets blocks of the cycle pass at once, from `first` on, at most `most`: either blocks that are entries of their own,
 * or blocks of one common entry. ticks[] gets the end of each block; for blocks of a common entry its number. Returns
 * how many passed. 0: none has passed, and the next one has to use refrain_walk_pass_block_of(). */
uint32_t refrain_walk_pass_blocks(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle, uint32_t first,
                                  uint32_t most, uint64_t *ticks);

/* ---- walk_operations.c ---- */

/* Fills in a record without parameters. */
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

/* The entry of an operation of the innermost call, and the place after it. Null if the call has no such operation. */
struct refrain_walk_operation *refrain_walk_operation(struct refrain_walk *walk, uint32_t operation,
                                                      struct refrain_walk_learner **after);

/* Does the operation to which the link leads. False if the walk ends. */
bool refrain_walk_operate(struct refrain_walk *walk, const struct refrain_walk_link *link,
                          struct refrain_record *record);

/* Completes the next of several requests that complete together. The record equals that of a single completion. */
bool refrain_walk_complete_next(struct refrain_walk *walk, struct refrain_record *record);

#endif
