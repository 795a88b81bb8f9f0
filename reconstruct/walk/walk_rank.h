/* walk_rank.h: replays one thread of one process from its learners (sequences -> records).
 *
 *     innermost activation is at a slot --> the slot's sequence names the next place --> push, pop or move --> record
 *
 * A stack machine that can stop at any record. It holds the open activations, one sequence for each learner that it
 * has used, and the pending requests. Nothing grows with the number of events. The records are those of
 * event_file.h, so a reader need not know whether events were recorded or learned. */
#ifndef REFRAIN_WALK_RANK_H
#define REFRAIN_WALK_RANK_H

#include <refrain/event_file.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_region_info;

/* An event before names and ranks are resolved. */
struct refrain_record {
    uint8_t kind;     /* enum refrain_record_kind */
    bool approximate; /* a tally or summary had a part in it */
    uint8_t n_parameters;
    uint8_t unused;     /* 0, so that equal records have equal bytes */
    uint32_t thread;    /* number of the thread in its process */
    uint32_t operation; /* OPERATION: enum refrain_operation */
    uint32_t read;      /* if the walk records iterations: number of clock reads up to the one that gave its time */
    uint64_t ticks;     /* clock of the thread */
    uint64_t cost;      /* time of the thread's probes up to here, in 1 / 2^REFRAIN_PROBE_COST_SHIFT ticks */
    uint64_t id;        /* see event_file.h */
    int64_t parameters[REFRAIN_PARAMETERS]; /* the first n_parameters; 0 after them */
    const struct refrain_region_info *
        *region; /* a reader may store the region of `id` here, for the next record with this id; null: not possible */
};

/* Made after refrain_walk_record_steps() only: the innermost activation has moved to the slot with number `id`. Its
 * time has no meaning. Not in event files. */
#define REFRAIN_RECORD_STEP 255u

struct refrain_walk;

/* Starts at the beginning of `thread`. The image must be as large as its header says, and must not change or move
 * while the walk is used. Null without memory, and if the image is damaged: then *wrong says what is damaged, and
 * *offset where. */
struct refrain_walk *refrain_walk_open(const void *image, size_t image_bytes, unsigned thread, const char **wrong,
                                       uint64_t *offset);

/* As refrain_walk_open(), but without trials. If a timeline has entries of several blocks, refrain_walk_open() first
 * walks through the whole thread to find how to divide the time of these entries. */
struct refrain_walk *refrain_walk_begin(const void *image, size_t image_bytes, unsigned thread, const char **wrong,
                                        uint64_t *offset);

/* Makes the walk return records of steps, too. */
void refrain_walk_record_steps(struct refrain_walk *walk);

/* Returns the next record. False at the end, and if the image is damaged (refrain_walk_wrong). */
bool refrain_walk_next(struct refrain_walk *walk, struct refrain_record *record);

/* Returns up to n records. Fewer than n: the end was reached, or a cycle comes next (refrain_walk_find_cycles). */
size_t refrain_walk_read(struct refrain_walk *walk, struct refrain_record *records, size_t n);

/* The damage that stopped the walk; null if it is sound so far. */
const char *refrain_walk_wrong(const struct refrain_walk *walk, uint64_t *offset);

/* Ticks at the end of the last block that was replayed. */
uint64_t refrain_walk_ticks(const struct refrain_walk *walk);

/* Sets unused memory of the walk to 0, so that equal states have equal bytes. */
void refrain_walk_clear_unused(struct refrain_walk *walk);

/* Stores the addresses of the functions that the state of a walk refers to, at most REFRAIN_WALK_CODE. Returns how
 * many. */
#define REFRAIN_WALK_CODE 4u
size_t refrain_walk_code(uintptr_t *addresses);

void refrain_walk_close(struct refrain_walk *walk);

#endif
