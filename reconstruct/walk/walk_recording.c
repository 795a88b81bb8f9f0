/* walk_recording.c: records an iteration while it is walked (walk_cycle.h). */
#include "common/arena.h"
#include "walk/walk_parts.h"

#include <string.h>

#define MOST_RECORDS 64u
#define MOST_VALUES 192u
#define MOST_BLOCKS 96u
#define MOST_WAIT (1u << 16) /* iterations between two recordings that led to no cycle */

enum noted_kind { NOTED_VALUE, NOTED_COUNT, NOTED_ROW };

/* A value that was taken, the count of a loop, or a row of parameters. */
struct noted {
    struct refrain_walk_learner *learner;
    int64_t value;
    enum noted_kind kind;
};

struct refrain_walk_recorder {
    struct refrain_walk_learner *loop;
    size_t depth;
    uint32_t context;
    uint64_t cost, changes;
    uint32_t first_read;
    uint32_t n_records, n_noted, n_blocks, steps;
    struct refrain_record records[MOST_RECORDS];
    struct noted noted[MOST_VALUES];
    struct refrain_walk_cycle_block blocks[MOST_BLOCKS];
};

static void stop_recording(struct refrain_walk *walk) {
    refrain_free(walk->recorder);
    walk->recorder = NULL;
}

void refrain_walk_postpone_recording(struct refrain_walk_learner *loop) {
    loop->cycle_penalty = loop->cycle_penalty < MOST_WAIT ? loop->cycle_penalty * 2 + 1 : MOST_WAIT;
    loop->cycle_wait = loop->cycle_penalty;
}

void refrain_walk_give_up_recording(struct refrain_walk *walk) {
    refrain_walk_postpone_recording(walk->recorder->loop);
    stop_recording(walk);
}

void refrain_walk_begin_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop) {
    struct refrain_walk_recorder *recorder = refrain_calloc(1, sizeof *recorder);
    if (!recorder)
        return; /* without memory: walk on without recording */
    recorder->loop = loop;
    recorder->depth = walk->depth;
    recorder->context = walk->stack[walk->depth - 1].context;
    recorder->cost = walk->cost;
    recorder->changes = walk->requests.changes;
    recorder->first_read = walk->reads;
    walk->recorder = recorder;
    walk->recordings++;
}

static void note(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value, enum noted_kind kind) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    if (recorder->n_noted == MOST_VALUES)
        refrain_walk_give_up_recording(walk);
    else
        recorder->noted[recorder->n_noted++] = (struct noted){learner, value, kind};
}

void refrain_walk_note_step(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value) {
    walk->recorder->steps++;
    if (walk->depth < walk->recorder->depth)
        refrain_walk_give_up_recording(walk);
    else
        note(walk, learner, value, NOTED_VALUE);
}

void refrain_walk_note_value(struct refrain_walk *walk, struct refrain_walk_learner *learner, int64_t value) {
    note(walk, learner, value, NOTED_VALUE);
}

void refrain_walk_note_count(struct refrain_walk *walk, struct refrain_walk_learner *loop, int64_t value) {
    loop->cycle_counted = walk->recordings;
    if (loop == walk->recorder->loop)
        refrain_walk_give_up_recording(walk);
    else
        note(walk, loop, value, NOTED_COUNT);
}

bool refrain_walk_knows_count(const struct refrain_walk *walk, const struct refrain_walk_learner *loop) {
    return loop == walk->recorder->loop || loop->cycle_counted == walk->recordings;
}

void refrain_walk_note_row(struct refrain_walk *walk, struct refrain_walk_learner *first) {
    note(walk, first, 0, NOTED_ROW);
}

void refrain_walk_note_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    walk->reads++;
    if (recorder->n_blocks == MOST_BLOCKS)
        refrain_walk_give_up_recording(walk);
    else
        recorder->blocks[recorder->n_blocks++] = (struct refrain_walk_cycle_block){.place = place, .context = context};
}

void refrain_walk_note_record(struct refrain_walk *walk, const struct refrain_record *record) {
    struct refrain_walk_recorder *recorder = walk->recorder;
    uint32_t read = record->read - recorder->first_read;
    if (read == 0 && record->kind == REFRAIN_RECORD_STEP) /* a step before the first clock read of the iteration */
        read = 1;
    bool plain =
        !record->approximate && read >= 1 && read <= recorder->n_blocks + (record->kind == REFRAIN_RECORD_STEP);
    if (!plain || recorder->n_records == MOST_RECORDS) {
        refrain_walk_give_up_recording(walk);
        return;
    }
    recorder->records[recorder->n_records] = *record;
    recorder->records[recorder->n_records++].read = read - 1;
}

/* The entry for the learner among the uses, added if it is missing. */
static struct refrain_walk_cycle_use *use_of(struct refrain_walk_cycle *cycle, struct refrain_walk_learner *learner) {
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        if (cycle->uses[i].learner == learner)
            return &cycle->uses[i];
    cycle->uses[cycle->n_uses] = (struct refrain_walk_cycle_use){.learner = learner};
    return &cycle->uses[cycle->n_uses++];
}

/* Makes a cycle of the recording, still without its uses. Null without memory. */
static struct refrain_walk_cycle *make_cycle(const struct refrain_walk_recorder *recorder) {
    size_t n_uses = recorder->n_noted, records = recorder->n_records;
    struct refrain_walk_cycle *cycle =
        refrain_calloc(1, sizeof *cycle + records * sizeof *cycle->records + n_uses * sizeof *cycle->uses +
                              recorder->n_blocks * sizeof *cycle->blocks + recorder->n_noted * sizeof *cycle->values);
    if (!cycle)
        return NULL;
    cycle->records = (struct refrain_record *)(cycle + 1);
    cycle->values = (int64_t *)(cycle->records + records);
    cycle->blocks = (struct refrain_walk_cycle_block *)(cycle->values + recorder->n_noted);
    cycle->uses = (struct refrain_walk_cycle_use *)(cycle->blocks + recorder->n_blocks);
    memcpy(cycle->records, recorder->records, records * sizeof *cycle->records);
    memcpy(cycle->blocks, recorder->blocks, recorder->n_blocks * sizeof *cycle->blocks);
    cycle->n_records = recorder->n_records;
    cycle->n_blocks = recorder->n_blocks;
    cycle->loop = recorder->loop;
    cycle->depth = recorder->depth;
    cycle->context = recorder->context;
    cycle->changes = recorder->changes;
    cycle->iterations = 1;
    cycle->steps = recorder->steps;
    return cycle;
}

/* Groups the values by learner, each in the order in which they were taken. */
static void group_values(struct refrain_walk_cycle *cycle, const struct refrain_walk_recorder *recorder) {
    for (uint32_t i = 0; i < recorder->n_noted; i++) {
        const struct noted *noted = &recorder->noted[i];
        struct refrain_walk_cycle_use *use = use_of(cycle, noted->learner);
        use->rows += noted->kind == NOTED_ROW;
        use->is_loop |= noted->kind == NOTED_COUNT;
        if (noted->kind == NOTED_ROW || use->values > 0)
            continue;
        use->first_value = cycle->n_values;
        for (uint32_t j = i; j < recorder->n_noted; j++)
            if (recorder->noted[j].learner == noted->learner && recorder->noted[j].kind != NOTED_ROW)
                cycle->values[cycle->n_values++] = recorder->noted[j].value;
        use->values = cycle->n_values - use->first_value;
    }
}

bool refrain_walk_cycle_is_counting(const struct refrain_walk_cycle *cycle) {
    bool counting = false;
    for (uint32_t i = 0; i < cycle->n_uses; i++)
        counting |= cycle->uses[i].is_loop && cycle->uses[i].learner->counting;
    return counting;
}

bool refrain_walk_end_recording(struct refrain_walk *walk, struct refrain_walk_learner *loop) {
    const struct refrain_walk_recorder *recorder = walk->recorder;
    if (recorder->loop != loop)
        return false;
    bool plain = recorder->n_records > 0 && recorder->n_blocks > 0 && recorder->changes == walk->requests.changes &&
                 walk->requests.active == 0 && walk->depth == recorder->depth;
    struct refrain_walk_cycle *cycle = plain ? make_cycle(recorder) : NULL;
    if (cycle) {
        group_values(cycle, recorder);
        cycle->cost = walk->cost - recorder->cost;
        cycle->completing_site = walk->completing_site;
    }
    if (!cycle || refrain_walk_cycle_is_counting(cycle)) {
        refrain_free(cycle);
        refrain_walk_give_up_recording(walk);
        return true;
    }
    cycle->next = loop->cycles;
    loop->cycles = cycle;
    loop->n_cycles++;
    stop_recording(walk);
    return true;
}
