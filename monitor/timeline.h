/* timeline.h: the timeline of a thread (refrain/time_page.h), written as its blocks end.
 *
 *     clock read --> refrain_timeline_block() --> entry of one block: one byte or two, here
 *                                            \--> anything else: timeline.c
 */
#ifndef REFRAIN_MONITOR_TIMELINE_H
#define REFRAIN_MONITOR_TIMELINE_H

#include "arch/arch.h"
#include <refrain/time_page.h>
#include <stdbool.h>

struct refrain_context;

/* Where the thread's timeline is written; part of its context. */
struct refrain_timeline_writer {
    /* Looked at with every block. */
    unsigned char *at;    /* where the next entry goes, */
    unsigned char *limit; /* here if that is below `limit`; null unless an entry is one block */
    uint64_t entry_ticks; /* where entries are of several blocks: when the one begun began, ... */
    uint64_t most_ticks;  /* ... and how long it may last; more than it can: no timeline */
    uint64_t blocks;      /* that it has so far */
    uint32_t quantum_shift;
    /* Looked at seldom. */
    uint16_t first_quantum_shift;
    uint16_t longer; /* by how much entries had to be longer than the mean when pages were merged last, in parts */
    uint64_t block;  /* number of the entry's first block; while an entry is one block, of the page's */
    unsigned char *almost;             /* from there on an entry may be the page's last */
    struct refrain_timeline *timeline; /* null: none */
    struct refrain_time_page *page;    /* that is written */
    struct refrain_time_page *spare;   /* pages that are free, for the next merge */
    struct refrain_time_page *swept;   /* merges go on after this one; null: from the start */
    uint64_t merged_ticks;             /* how long entries of the pages merged last may be */
};

/* Opens the timeline of a thread that starts; without memory for one there is none. */
void refrain_timeline_open(struct refrain_context *context);

/* The thread's last block has ended `now`: what is there of an entry of several blocks is written. */
void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now);

/* Gives back the page of the timeline that lies lowest in the trace file, by adding up blocks: from then on the pool
 * may use it (pool.h). False where the timeline has the least number of pages. For the writer's thread, not within any
 * of these functions. */
bool refrain_timeline_give_page(struct refrain_timeline_writer *writer);

/* Gives back all pages: the thread has no timeline from now on, as if there had been no memory to go on with it. False
 * where it has no pages. As above. */
bool refrain_timeline_give_all(struct refrain_timeline_writer *writer);

/* The rest of refrain_timeline_block(). */
__attribute__((visibility("default"))) void refrain_timeline_entry(struct refrain_timeline_writer *writer, uint64_t now,
                                                                   uint64_t elapsed);

/* A block has ended with a clock read at `now`, `elapsed` after the one before. False where it takes an entry that is
 * more than two bytes: that is told to refrain_timeline_entry(). The first byte is stored last (refrain/time_page.h).
 */
static inline bool refrain_timeline_takes(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    unsigned char *at = writer->at;
    if (__builtin_expect(at < writer->limit, 1)) {
        uint64_t quanta = (now >> writer->quantum_shift) - ((now - elapsed) >> writer->quantum_shift);
        if (quanta < 127) {
            writer->at = at + 1;
            *at = (unsigned char)(quanta + 1);
            return true;
        }
        if (__builtin_expect(quanta < 128 * 128 - 1, 1)) {
            writer->at = at + 2;
            at[1] = (unsigned char)((quanta + 1) >> 7);
            refrain_publish(at, (unsigned char)((quanta + 1) | 128));
            return true;
        }
    } else if (now - writer->entry_ticks <= writer->most_ticks) {
        writer->blocks++;
        return true;
    }
    return false;
}

/* The same, whatever it takes. */
static inline void refrain_timeline_block(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if (!refrain_timeline_takes(writer, now, elapsed))
        refrain_timeline_entry(writer, now, elapsed);
}

#endif
