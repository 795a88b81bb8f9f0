/* walk_rank.h: one thread of one process, replayed from what it learned (sequences -> records).
 *
 *     top of the stack is at a slot --> the slot's sequence says what came next --> push, pop or move --> record
 *
 * A stack machine that can stop at any record. It holds the open activations, one sequence per learner it has met and
 * the requests in flight: nothing grows with the number of events. The records are those of event_file.h, so that what
 * follows does not know whether events were recorded or learned.
 */
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
    bool approximate; /* a summary had a part in it */
    uint8_t n_parameters;
    uint8_t unused;     /* 0: records are alike in every replay, byte by byte */
    uint32_t thread;    /* */
    uint32_t operation; /* OPERATION: enum refrain_operation */
    uint32_t read;      /* of a walk that records iterations: clock reads up to the one that told its time */
    uint64_t ticks;     /* of the thread's clock */
    uint64_t cost;      /* what the thread's probes took up to there, in 1 / 2^REFRAIN_PROBE_COST_SHIFT ticks */
    uint64_t id;        /* as event_file.h says */
    int64_t parameters[REFRAIN_PARAMETERS]; /* the first n_parameters, 0 behind them */
    const struct refrain_region_info *
        *region; /* the reader may store here which region `id` is, for the next record with this id; null: it cannot */
};

/* Made where steps are asked for only: the activation on top has come to the slot whose number is `id`. Its time says
 * nothing. In no file. */
#define REFRAIN_RECORD_STEP 255u

struct refrain_walk;

/* Starts at the beginning of `thread`. The image must be as large as its header says and stay unchanged while the walk
 * is used. Null when it is damaged (*wrong and *offset say what and where), or without memory. */
struct refrain_walk *refrain_walk_open(const void *image, size_t image_bytes, unsigned thread, const char **wrong,
                                       uint64_t *offset);

/* As refrain_walk_open(), but at once. Where a timeline has entries of several blocks, refrain_walk_open() walks
 * through the whole thread first, to find out how the entries are to be shared out; this one does not. */
struct refrain_walk *refrain_walk_begin(const void *image, size_t image_bytes, unsigned thread, const char **wrong,
                                        uint64_t *offset);

/* From now on there are records of steps, too. */
void refrain_walk_tell_steps(struct refrain_walk *walk);

/* The next record; false at the end, or where the image is damaged (refrain_walk_wrong). */
bool refrain_walk_next(struct refrain_walk *walk, struct refrain_record *record);

/* The next records, up to n: returns how many, fewer at the end only. */
size_t refrain_walk_read(struct refrain_walk *walk, struct refrain_record *records, size_t n);

/* What stopped the walk before its end, null if nothing did. */
const char *refrain_walk_wrong(const struct refrain_walk *walk, uint64_t *offset);

/* Ticks at the end of the last block that was replayed. */
uint64_t refrain_walk_ticks(const struct refrain_walk *walk);

/* Sets to 0 what lies unused in the walk's memory, so that copies of its state at different moments are alike there. */
void refrain_walk_clear_unused(struct refrain_walk *walk);

/* The addresses of the code that a walk refers to, into room for REFRAIN_WALK_CODE. Returns how many. */
#define REFRAIN_WALK_CODE 4u
size_t refrain_walk_code(uintptr_t *addresses);

void refrain_walk_close(struct refrain_walk *walk);

#endif
