/* block_times.h: how long the blocks of a thread took, in the order of its clock reads (timeline -> walk).
 *
 *     block, its weight --> entry of the timeline: one block: it ends when the entry does
 *                                                 more: kept until the entry ends, then they divide its time
 *
 * A replay meets the blocks of a thread in the order in which they ended, so the timeline (refrain/time_page.h)
 * needs no keys. If an entry has several blocks, they divide its time by their weights. The weight of a block is the
 * time that is expected of its place. The last block of a place gets all that is left of the place's time.
 *
 * Until the entry is complete, its blocks have numbers instead of times: begin_ticks + 1 stands for the end of its
 * first block, begin_ticks + 2 for that of the second. refrain_block_times_resolve() turns them into times
 * afterwards. Only one entry is held: nothing grows with the number of events. */
#ifndef REFRAIN_BLOCK_TIMES_H
#define REFRAIN_BLOCK_TIMES_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_adjustment;

/* Blocks kept at a time; if an entry has more, they divide a part of its time at once. */
#define REFRAIN_BLOCKS_KEPT 65536u

/* A position in a timeline. Also of use without a walk. */
struct refrain_time_reader {
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_time_page *page; /* null: at the end */
    uint64_t end, end_ticks;              /* the first block after the page, and when it begins */
    uint64_t last_block, last_ticks;      /* end of the last page; last_ticks: once the thread has ended */
    uint64_t single_until;                /* up to this block, each entry is one block, and not the last of the page */
    unsigned at;                          /* position of the next entry */
    uint64_t quanta;                      /* sum of the entries of the page before it */
    uint64_t block;                       /* number of the first block of the next entry */
    uint64_t ticks;                       /* when that block begins */
    uint64_t pages;                       /* read so far */
};

/* Goes to the beginning of the timeline; to its end if the thread has none. */
void refrain_time_reader_open(struct refrain_time_reader *reader, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);

/* Consecutive blocks and the end of the last one. */
struct refrain_block_span {
    uint64_t blocks, end_ticks;
    uint64_t quantum_ticks; /* resolution of the end */
};

/* True if the rest of the timeline has entries of several blocks. */
bool refrain_time_reader_shares(const struct refrain_time_reader *reader);

/* Returns the next entry. False at the end, and if the pages are damaged. */
bool refrain_time_reader_next(struct refrain_time_reader *reader, struct refrain_block_span *span);

/* Summary of the times of a thread. */
struct refrain_time_summary {
    uint64_t blocks;        /* blocks in the timeline */
    uint64_t single;        /* blocks that are entries by themselves */
    uint64_t quantum_ticks; /* coarsest resolution of those */
    uint64_t longest_span;  /* blocks of the largest entry */
    uint64_t longest_ticks; /* ticks of the longest entry of several blocks: an upper bound of the error of an event */
    uint64_t bytes, most_bytes;
    uint64_t backwards; /* clock reads that were earlier than the one before */
    bool stopped;       /* the timeline ends before the thread does, for lack of memory */
};

/* Adds the timeline of a thread to a summary. */
void refrain_time_summary_add(struct refrain_time_summary *summary, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);

/* Of all timelines of a trace. The time that a replay takes grows with the number of blocks. */
struct refrain_trace;
struct refrain_time_summary refrain_trace_times(const struct refrain_trace *trace);

/* Time of a place that is left for its later blocks. The weight of a block follows from it. The difference between a
 * block's weight and its time goes back to the account. */
struct refrain_block_account {
    int64_t ticks_left;     /* left for its blocks, corrected by the errors of earlier blocks */
    int64_t shared_ticks;   /* left for its blocks in entries of several blocks, if known */
    uint64_t shared_visits; /* number of these blocks */
};

/* A block of an entry that is not complete yet. */
struct refrain_kept_block {
    uint64_t weight, end_ticks;
    struct refrain_block_account *account;
    uint32_t context; /* context of the block (walk_contexts.h), if contexts are in use */
};

struct refrain_block_times {
    struct refrain_time_reader reader;
    uint64_t last_ticks;             /* of the thread */
    uint64_t begin_ticks;            /* begin of the first kept block */
    struct refrain_block_span entry; /* rest of the current entry */
    struct refrain_kept_block *kept;
    size_t capacity;
    uint32_t n_kept;
    uint32_t n_counted; /* passed blocks of the entry, in a walk that keeps none */
    bool settled;       /* the kept blocks have their times */
    bool ended;         /* the timeline has ended: the caller uses the means of the places instead */
    bool tail;          /* the current entry is not in the timeline: it holds the blocks after the last written entry */
    double scale;       /* ticks per weight in the entry before */
    struct refrain_adjustment *adjustment; /* moves time between the kept blocks; null: nothing is moved */
};

void refrain_block_times_open(struct refrain_block_times *times, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);
void refrain_block_times_close(struct refrain_block_times *times);

/* Sets unused memory to 0. Not between REFRAIN_BLOCK_SETTLED and the resolution of its blocks. */
void refrain_block_times_clear_unused(struct refrain_block_times *times);

/* Sets *end_ticks to the end of the current or next entry. False if the timeline has ended. */
bool refrain_block_times_end(const struct refrain_block_times *times, uint64_t *end_ticks);

/* A block that began at `ticks` ends. If it is an entry by itself, sets *end_ticks. Else returns false without any
 * change: the caller has to use refrain_block_times_pass(). */
bool refrain_block_times_single(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks);

/* Fast path of refrain_block_times_single(), for an entry of one or two bytes in a page of single blocks. */
static inline bool refrain_block_times_short(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks) {
    struct refrain_time_reader *reader = &times->reader;
    if (reader->block >= reader->single_until || times->n_kept > 0 || times->entry.blocks > 0 || times->ended ||
        reader->at + 2 > REFRAIN_TIME_ENTRIES_BYTES)
        return false;
    const struct refrain_time_page *page = reader->page;
    unsigned low = page->entries[reader->at], high = 0, bytes = 1;
    if (low >= 128) {
        high = page->entries[reader->at + 1];
        bytes = 2;
    }
    if (low == 0 || high >= 128)
        return false;
    uint64_t quanta = reader->quanta + ((low & 127) | high << 7) - 1;
    uint64_t end = refrain_time_page_ticks(page, quanta);
    end = (int64_t)(end - reader->ticks) < 0 ? reader->ticks : end;
    reader->quanta = quanta;
    reader->at += bytes;
    reader->block++;
    reader->ticks = end;
    times->begin_ticks = ticks;
    *end_ticks = (int64_t)(end - ticks) < 0 ? ticks : end; /* the clock went back */
    return true;
}

/* As refrain_block_times_single(), for up to n blocks, the first of which begins at `ticks`. Sets end_ticks[].
 * Returns how many passed. 0 if the next entry is not in a page of single blocks, or is longer than two bytes. */
uint32_t refrain_block_times_singles(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks,
                                     uint32_t n);

enum refrain_block_passed {
    REFRAIN_BLOCK_UNTIMED, /* the timeline has ended; *ticks is unchanged */
    REFRAIN_BLOCK_KEPT,    /* *ticks is the number of the block in the entry */
    REFRAIN_BLOCK_SETTLED, /* *ticks is the end of the block, and blocks kept before it can be resolved now */
};

/* A block that began at *ticks ends. It is not an entry by itself. */
enum refrain_block_passed refrain_block_times_pass(struct refrain_block_times *times, uint64_t weight,
                                                   struct refrain_block_account *account, uint32_t context,
                                                   uint64_t *ticks);

/* As refrain_block_times_pass(), in a walk that only counts blocks. *ticks changes only at the last block of an entry,
 * and after each REFRAIN_BLOCKS_KEPT of its blocks. False if the timeline has ended. */
bool refrain_block_times_count(struct refrain_block_times *times, uint64_t *ticks);

/* A block begins at `ticks`: returns how many blocks of its entry are left, including this one. 0 if the timeline
 * has ended, or if they are more than can be kept. */
uint64_t refrain_block_times_left(struct refrain_block_times *times, uint64_t ticks);

/* Room for n further kept blocks, which the caller fills in. Null without memory. */
struct refrain_kept_block *refrain_block_times_room(struct refrain_block_times *times, uint32_t n);

/* Keeps these n blocks. Returns the end of the last one, or its number. *settled: as REFRAIN_BLOCK_SETTLED. */
uint64_t refrain_block_times_keep(struct refrain_block_times *times, uint32_t n, bool *settled);

/* Lets n blocks pass in a walk that only counts. The first begins at `ticks`. Returns the end of the last one. */
uint64_t refrain_block_times_skip(struct refrain_block_times *times, uint64_t ticks, uint32_t n);

/* The time of a block end that may be a number. Only between REFRAIN_BLOCK_SETTLED and the next block. */
static inline uint64_t refrain_block_times_resolve(const struct refrain_block_times *times, uint64_t ticks) {
    uint64_t number = ticks - times->begin_ticks;
    return ticks > times->begin_ticks && number <= times->n_kept ? times->kept[number - 1].end_ticks : ticks;
}

/* The walk ends, or its order is not the run's from here on: kept blocks get their weights as times. `at_end`: the
 * thread ended, so they and further blocks of weight `further` divide the time up to its last clock read. Returns
 * the end of the last kept block. Kept blocks can then be resolved. */
uint64_t refrain_block_times_give_up(struct refrain_block_times *times, bool at_end, uint64_t further);

#endif
