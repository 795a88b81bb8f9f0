/* walk_cycle.c: recording iterations, and what of them is to come again (walk_cycle.h). */
#include "walk_cycle.h"
#include "arena.h"
#include "walk_parts.h"

#include <string.h>

#define MOST_RECORDS 64u
#define MOST_VALUES 192u
#define MOST_BLOCKS 96u
#define MOST_ITERATIONS ((uint64_t)1 << 32) /* given at once */
#define MOST_CYCLES 4u                      /* of a loop */
#define MOST_MISSES 64u                     /* until a cycle is given up */
#define MOST_WAIT (1u << 16)                /* iterations between two that are recorded in vain */

enum noted_kind { NOTED_VALUE, NOTED_COUNT, NOTED_ROW };

/* A value that was taken, the count of a loop, or a row of parameters. */
struct noted {
    struct refrain_walk_learner *place;
    int64_t value;
    enum noted_kind kind;
};

struct refrain_walk_recorder {
    struct refrain_walk_learner *loop;
    size_t depth;
    uint64_t cost, changes;
    uint32_t first_read;
    uint32_t n_records, n_noted, n_blocks, steps;
    struct refrain_record records[MOST_RECORDS];
    struct noted noted[MOST_VALUES];
    struct refrain_walk_learner *blocks[MOST_BLOCKS];
};

struct refrain_walk_cycle_use {
    struct refrain_walk_learner *place;
    uint32_t values, first_value, blocks, rows;
    bool is_loop;
};

void refrain_walk_find_cycles(struct refrain_walk *walk) {
    walk->finds_cycles = true;
}

struct refrain_walk_cycle *refrain_walk_cycle(const struct refrain_walk *walk) {
    return walk->cycle;
}

/* ---- recording ---- */

static void stop_recording(struct refrain_walk *walk) {
    refrain_free(walk->recorder);
    walk->recorder = NULL;
}

/* The loop is left alone for a while, each time for longer. */
static void leave_alone(struct refrain_walk_learner *loop) {
    loop->cycle_penalty = loop->cycle_penalty < MOST_WAIT ? loop->cycle_penalty * 2 + 1 : MOST_WAIT;
    loop->cycle_wait = loop->cycle_penalty;
}

void refrain_walk_give_up_recording(struct refrain_walk *walk) {
    leave_alone(walk->recorder->loop);
    stop_recording(walk);
}

static void begin_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop) {
    struct refrain_walk_recorder *recorder = refrain_calloc(1, sizeof *recorder);
    if (!recorder)
        return; /* then it is walked */
    recorder->loop = loop;
    recorder->depth = walk->depth;
    recorder->cost = walk->cost;
    recorder->changes = walk->requests.changes;
    recorder->first_read = walk->reads;
    walk->recorder = recorder;
    walk->recordings++;
}

static void note(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t value, enum noted_kind kind) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    if (recorder->n_noted == MOST_VALUES)
        refrain_walk_give_up_recording(walk);
    else
        recorder->noted[recorder->n_noted++] = (struct noted){place, value, kind};
}

void refrain_walk_note_step(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t value) {
    walk->recorder->steps++;
    if (walk->depth < walk->recorder->depth)
        refrain_walk_give_up_recording(walk);
    else
        note(walk, place, value, NOTED_VALUE);
}

void refrain_walk_note_value(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t value) {
    note(walk, place, value, NOTED_VALUE);
}

void refrain_walk_note_count(struct refrain_walk *walk, struct refrain_walk_learner *place, int64_t value) {
    place->cycle_counted = walk->recordings;
    if (place == walk->recorder->loop)
        refrain_walk_give_up_recording(walk);
    else
        note(walk, place, value, NOTED_COUNT);
}

bool refrain_walk_knows_count(const struct refrain_walk *walk, const struct refrain_walk_learner *loop) {
    return loop == walk->recorder->loop || loop->cycle_counted == walk->recordings;
}

void refrain_walk_note_row(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    note(walk, place, 0, NOTED_ROW);
}

void refrain_walk_note_block(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    if (recorder->n_blocks == MOST_BLOCKS)
        refrain_walk_give_up_recording(walk);
    else
        recorder->blocks[recorder->n_blocks++] = place;
}

void refrain_walk_note_record(struct refrain_walk *walk, const struct refrain_record *record) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    uint32_t read = record->read - recorder->first_read;
    bool plain = !record->approximate && read >= 1 && read <= recorder->n_blocks;
    if (!plain || recorder->n_records == MOST_RECORDS) {
        refrain_walk_give_up_recording(walk);
        return;
    }
    recorder->records[recorder->n_records] = *record;
    recorder->records[recorder->n_records++].read = read - 1;
}

/* The use of that place, a new one where there is none yet. */
static struct refrain_walk_cycle_use *use_of(struct refrain_walk_cycle *cycle, struct refrain_walk_learner *place) {
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        if (cycle->uses[i].place == place)
            return &cycle->uses[i];
    cycle->uses[cycle->n_uses] = (struct refrain_walk_cycle_use){.place = place};
    return &cycle->uses[cycle->n_uses++];
}

/* What was recorded, without its uses; null without memory. */
static struct refrain_walk_cycle *make_cycle(const struct refrain_walk_recorder *recorder) {
    size_t n_uses = (size_t)recorder->n_noted + recorder->n_blocks, records = recorder->n_records;
    struct refrain_walk_cycle *cycle =
        refrain_calloc(1, sizeof *cycle + records * sizeof *cycle->records + n_uses * sizeof *cycle->uses +
                              recorder->n_blocks * (sizeof *cycle->blocks + sizeof *cycle->ticks) +
                              recorder->n_noted * sizeof *cycle->values);
    if (!cycle)
        return NULL;
    cycle->records = (struct refrain_record *)(cycle + 1);
    cycle->ticks = (uint64_t *)(cycle->records + records);
    cycle->values = (int64_t *)(cycle->ticks + recorder->n_blocks);
    cycle->blocks = (struct refrain_walk_learner **)(cycle->values + recorder->n_noted);
    cycle->uses = (struct refrain_walk_cycle_use *)(cycle->blocks + recorder->n_blocks);
    memcpy(cycle->records, recorder->records, records * sizeof *cycle->records);
    memcpy(cycle->blocks, recorder->blocks, recorder->n_blocks * sizeof(struct refrain_walk_learner *));
    cycle->n_records = recorder->n_records;
    cycle->n_blocks = recorder->n_blocks;
    cycle->loop = recorder->loop;
    cycle->depth = recorder->depth;
    cycle->changes = recorder->changes;
    cycle->steps = recorder->steps;
    return cycle;
}

/* The values of each place, in the order in which they were taken, and how often it was come to. */
static void group_values(struct refrain_walk_cycle *cycle, const struct refrain_walk_recorder *recorder) {
    for (uint32_t i = 0; i < recorder->n_blocks; i++)
        use_of(cycle, recorder->blocks[i])->blocks++;
    for (uint32_t i = 0; i < recorder->n_noted; i++) {
        const struct noted *noted = &recorder->noted[i];
        struct refrain_walk_cycle_use *use = use_of(cycle, noted->place);
        use->rows += noted->kind == NOTED_ROW;
        use->is_loop |= noted->kind == NOTED_COUNT;
        if (noted->kind == NOTED_ROW || use->values > 0)
            continue;
        use->first_value = cycle->n_values;
        for (uint32_t j = i; j < recorder->n_noted; j++)
            if (recorder->noted[j].place == noted->place && recorder->noted[j].kind != NOTED_ROW)
                cycle->values[cycle->n_values++] = recorder->noted[j].value;
        use->values = cycle->n_values - use->first_value;
    }
}

static bool is_counting(const struct refrain_walk_cycle *cycle) {
    bool counting = false;
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        counting |= cycle->uses[i].is_loop && cycle->uses[i].place->counting;
    return counting;
}

/* An iteration has been recorded from its beginning to that of the next. */
static void end_recording(struct refrain_walk *walk) {
    const struct refrain_walk_recorder *recorder = walk->recorder;
    struct refrain_walk_learner *loop = recorder->loop;
    bool plain = recorder->n_records > 0 && recorder->changes == walk->requests.changes && walk->requests.active == 0 &&
                 walk->depth == recorder->depth;
    struct refrain_walk_cycle *cycle = plain ? make_cycle(recorder) : NULL;
    if (cycle) {
        group_values(cycle, recorder);
        cycle->cost = walk->cost - recorder->cost;
        cycle->completing_site = walk->completing_site;
    }
    if (!cycle || is_counting(cycle)) {
        refrain_free(cycle);
        refrain_walk_give_up_recording(walk);
        return;
    }
    cycle->next = loop->cycles;
    loop->cycles = cycle;
    loop->n_cycles++;
    stop_recording(walk);
}

/* ---- what comes again ---- */

/* Can iterations be given or recorded from here? */
static bool is_plain(const struct refrain_walk *walk) {
    const struct refrain_block_times *times = &walk->times;
    return !walk->approximate && !walk->counting && !walk->requests.guessed && walk->requests.active == 0 &&
           walk->n_waiting == 0 && walk->run_left <= 0 && walk->owed == 0 && times->n_kept == 0 &&
           times->item.blocks == 0 && !times->ended && times->cursor.page && times->cursor.page->item_shift == 0;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Is a run of that value given? That is so of most learners. */
static inline bool is_run(const struct refrain_sequence *sequence, int64_t value) {
    return sequence->run > 0 && sequence->value == value && sequence->stride == 0 && !sequence->approximate;
}

/* How many further iterations are like that, as far as it is known here. */
static uint64_t iterations_of(struct refrain_walk *walk, const struct refrain_walk_cycle *cycle) {
    uint64_t n = smaller(cycle->loop->remaining, MOST_ITERATIONS);
    if (cycle->depth != walk->depth || cycle->changes != walk->requests.changes || is_counting(cycle))
        return 0;
    if (walk->steps_left < cycle->steps && !refrain_walk_allow_steps(walk))
        return 0;
    n = smaller(n, walk->steps_left / cycle->steps);
    for (uint32_t i = 0; i < cycle->n_uses && n > 0; i++) {
        const struct refrain_walk_cycle_use *use = &cycle->uses[i];
        if (use->blocks > 0)
            n = smaller(n, use->place->visits_left / use->blocks);
        const struct refrain_sequence *sequence = &use->place->sequence;
        if (use->values == 1 && is_run(sequence, cycle->values[use->first_value]))
            n = smaller(n, sequence->run);
        else if (use->values > 0 && n > 0)
            n = smaller(n,
                        refrain_sequence_repeats(&use->place->sequence, &cycle->values[use->first_value], use->values));
    }
    return n;
}

/* One that did not come for long is forgotten. */
static void forget(struct refrain_walk_learner *loop, struct refrain_walk_cycle **link) {
    struct refrain_walk_cycle *cycle = *link;
    *link = cycle->next;
    loop->n_cycles--;
    leave_alone(loop);
    refrain_free(cycle->events);
    refrain_free(cycle);
}

void refrain_walk_begin_iteration(struct refrain_walk *walk, struct refrain_walk_learner *loop) {
    if (walk->recorder) {
        if (walk->recorder->loop != loop)
            return;
        end_recording(walk);
    }
    if (!loop->cycles && loop->cycle_wait > 0) {
        loop->cycle_wait--;
        return;
    }
    if (!is_plain(walk))
        return;
    for (struct refrain_walk_cycle **link = &loop->cycles; *link;) {
        struct refrain_walk_cycle *cycle = *link;
        uint64_t n = iterations_of(walk, cycle);
        if (n > 0) {
            cycle->left = n;
            cycle->given = 0;
            cycle->misses = 0;
            walk->cycle = cycle;
            return;
        }
        if (cycle->misses++ < MOST_MISSES)
            link = &cycle->next;
        else
            forget(loop, link);
    }
    if (loop->cycle_wait > 0)
        loop->cycle_wait--;
    else if (loop->n_cycles < MOST_CYCLES)
        begin_recording(walk, loop);
}

/* ---- giving ---- */

/* The walk is behind the iterations that were given. */
static void end_cycle(struct refrain_walk *walk) {
    const struct refrain_walk_cycle *cycle = walk->cycle;
    uint64_t n = cycle->given;
    walk->cycle = NULL;
    if (n == 0)
        return;
    for (uint32_t i = 0; i < cycle->n_uses; i++) {
        const struct refrain_walk_cycle_use *use = &cycle->uses[i];
        struct refrain_walk_learner *place = use->place;
        if (use->values == 1 && place->sequence.run >= n && place->sequence.stride == 0)
            place->sequence.run -= n;
        else if (use->values > 0)
            refrain_sequence_skip(&place->sequence, use->values, n);
        place->taken += n * use->values;
        place->rows_taken += n * use->rows;
        place->visits += n * use->blocks;
        place->visits_left -= n * use->blocks;
    }
    cycle->loop->remaining -= n;
    walk->steps_left -= n * cycle->steps;
    walk->cost += n * cycle->cost;
    walk->completing_site = cycle->completing_site;
}

bool refrain_walk_cycle_next(struct refrain_walk *walk) {
    struct refrain_walk_cycle *cycle = walk->cycle;
    uint64_t begin = walk->ticks;
    if (cycle->left == 0 || !refrain_block_times_singles(&walk->times, begin, cycle->ticks, cycle->n_blocks)) {
        bool goes_on = cycle->left == 0;
        end_cycle(walk);
        if (goes_on)
            refrain_walk_begin_iteration(walk, cycle->loop);
        return false;
    }
    struct refrain_walk_learner *const *blocks = cycle->blocks;
    const uint64_t *ticks = cycle->ticks;
    for (uint32_t i = 0, n = cycle->n_blocks; i < n; i++) {
        uint64_t end = ticks[i];
        int64_t *left = &blocks[i]->account.ticks_left;
        *left = (int64_t)((uint64_t)*left - (end - begin));
        begin = end;
    }
    walk->ticks = begin;
    cycle->left--;
    cycle->given++;
    return true;
}

void refrain_walk_cycles_close(struct refrain_walk_cycle *first) {
    for (struct refrain_walk_cycle *cycle = first, *next; cycle; cycle = next) {
        next = cycle->next;
        refrain_free(cycle->events);
        refrain_free(cycle);
    }
}
