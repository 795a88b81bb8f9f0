/* timeline.h: writes the timeline of a thread (refrain/time_page.h) as its blocks end.
 *
 *     clock read --> refrain_timeline_block() --> an entry of one block: one or two bytes, written here
 *                                            \--> any other entry: timeline.c */
#ifndef REFRAIN_MONITOR_TIMELINE_H
#define REFRAIN_MONITOR_TIMELINE_H

#include "arch/arch.h"
#include <refrain/time_page.h>
#include <stdbool.h>

struct refrain_context;

/* The end of the thread's timeline, where it is written; part of its context. */
struct refrain_timeline_writer {
    /* Used for every block: */
    unsigned char *at;    /* position of the next entry, */
    unsigned char *limit; /* if that is below `limit`; null unless an entry is one block */
    uint64_t entry_ticks; /* if entries have several blocks: begin of the current entry, ... */
    uint64_t most_ticks;  /* ... and how long it may last; more than any duration: no timeline */
    uint64_t blocks;      /* number of blocks in it so far */
    uint32_t quantum_shift;
    /* Used rarely: */
    uint16_t first_quantum_shift;
    uint16_t longer; /* how much longer entries had to be than their mean at the last merge of pages, in parts */
    uint64_t block;  /* number of the entry's first block; while an entry is one block, of the page's first block */
    unsigned char *almost;             /* from this position on an entry may be the last one of the page */
    struct refrain_timeline *timeline; /* null: none */
    struct refrain_time_page *page;    /* the current page */
    struct refrain_time_page *spare;   /* free pages for the next merge */
    struct refrain_time_page *swept;   /* merges continue after this page; null: at the first one */
    uint64_t merged_ticks;             /* how long entries of the pages that were merged last may be */
};

/* Opens the timeline of a thread that starts. Without memory it has none. */
void refrain_timeline_open(struct refrain_context *context);

/* Writes the current entry of several blocks. The thread's last block has ended `now`. */
void refrain_timeline_finish(struct refrain_timeline_writer *writer, uint64_t now);

/* Frees the page of the timeline with the lowest address in the trace file, by merging blocks. Then the pool may use it
 * (pool.h). False if the timeline has the least number of pages. Called by the writer's thread, not inside any of these
 * functions. */
bool refrain_timeline_give_page(struct refrain_timeline_writer *writer);

/* Frees all pages. The thread then has no timeline, as if there had been no memory to continue it. False if it has no
 * pages. Called as above. */
bool refrain_timeline_give_all(struct refrain_timeline_writer *writer);

/* The rest of refrain_timeline_block(). */
__attribute__((visibility("default"))) void refrain_timeline_entry(struct refrain_timeline_writer *writer, uint64_t now,
                                                                   uint64_t elapsed);

/* Adds a block that ended with a clock read at `now`, `elapsed` after the one before. False if its entry needs more
 * than two bytes; then refrain_timeline_entry() adds it. The first byte is stored last (refrain/time_page.h). */
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

/* The same for entries of any size. */
static inline void refrain_timeline_block(struct refrain_timeline_writer *writer, uint64_t now, uint64_t elapsed) {
    if (!refrain_timeline_takes(writer, now, elapsed))
        refrain_timeline_entry(writer, now, elapsed);
}

#endif
