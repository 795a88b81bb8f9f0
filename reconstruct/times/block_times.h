/* block_times.h: how long the blocks of a thread took, in the order of its clock reads (timeline -> walk).
 *
 *     block, its weight --> entry of the timeline: one block: it ends when the entry does
 *                                                 more: kept until the entry's last, then they share its time
 *
 * A replay meets a thread's blocks in the order in which they ended, so that the timeline (refrain/time_page.h) needs
 * no keys. Where an entry spans several blocks its time is shared out between them by their weights, which are what the
 * places' histories expect of them; the last of a stretch gets all that is left. Until the last of them has come their
 * ends are only numbered: times above `begin_ticks` stand for the first block, the second ... of the entry, and are
 * told by refrain_block_times_resolve() once it is complete. Holds one entry: nothing grows with the number of events.
 */
#ifndef REFRAIN_BLOCK_TIMES_H
#define REFRAIN_BLOCK_TIMES_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_balance;

#define REFRAIN_BLOCKS_KEPT 65536u /* of an entry that spans more, so many share out a part of its time at once */

/* Where a timeline is read; also of use without a walk. */
struct refrain_time_reader {
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_time_page *page; /* null: at the end */
    uint64_t end, end_ticks;              /* the first block that is not of the page, and when it begins */
    uint64_t last_block, last_ticks;      /* that of the last page, once the thread has ended */
    uint64_t single_until;                /* before this block each entry is one block that is not the page's last */
    unsigned at;                          /* the next entry in it */
    uint64_t quanta;                      /* of the entries of the page before it */
    uint64_t block;                       /* number of the next entry's first block */
    uint64_t ticks;                       /* when that block begins */
    uint64_t pages;                       /* gone through */
};

/* Goes to the timeline's beginning; at its end when the thread has none. */
void refrain_time_reader_open(struct refrain_time_reader *reader, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);

/* Some blocks that follow each other: when the last of them ended. */
struct refrain_block_span {
    uint64_t blocks, end_ticks;
    uint64_t quantum_ticks; /* what the end is exact to */
};

/* Does a thread's timeline have entries of several blocks? Between them and its end. */
bool refrain_time_reader_shares(const struct refrain_time_reader *reader);

/* The next entry; false at the end of what was written, or where the pages do not hold together. */
bool refrain_time_reader_next(struct refrain_time_reader *reader, struct refrain_block_span *span);

/* What is known of a thread's times. */
struct refrain_time_summary {
    uint64_t blocks;        /* that a timeline tells of, ... */
    uint64_t single;        /* each by itself, and ... */
    uint64_t quantum_ticks; /* what these are exact to at most */
    uint64_t longest_span;  /* blocks of the largest entry */
    uint64_t longest_ticks; /* of an entry of several blocks: no event in one is further off */
    uint64_t bytes, most_bytes;
    uint64_t backwards; /* clock reads that told an earlier time than the one before */
    bool stopped;       /* it ends before the thread does, since there was no memory to go on */
};

/* Adds a thread's timeline to a summary. */
void refrain_time_summary_add(struct refrain_time_summary *summary, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);

/* Of all timelines of a trace. How long a replay takes goes by the blocks. */
struct refrain_trace;
struct refrain_time_summary refrain_trace_times(const struct refrain_trace *trace);

/* What is left of a place's total for its later blocks. A block's weight follows from it; what the block got less or
 * more than that is added to it or taken off. */
struct refrain_block_account {
    int64_t ticks_left;     /* to those left of a stretch, with what those before them took too much or too little */
    int64_t shared_ticks;   /* to those of them that are in entries of several blocks, where that is known ... */
    uint64_t shared_visits; /* ... and how many these are */
};

/* A block of the entry that is not complete yet. */
struct refrain_kept_block {
    uint64_t weight, end_ticks;
    struct refrain_block_account *account;
    uint32_t context; /* that it is in (walk_contexts.h), where that is told apart */
};

struct refrain_block_times {
    struct refrain_time_reader reader;
    uint64_t last_ticks;             /* of the thread */
    uint64_t begin_ticks;            /* of the first block that is kept */
    struct refrain_block_span entry; /* what is left of it */
    struct refrain_kept_block *kept;
    size_t capacity;
    uint32_t n_kept;
    uint32_t n_counted;              /* of the entry, by a walk that keeps none */
    bool settled;                    /* those kept have their times */
    bool ended;                      /* the timeline has ended: the caller uses the histories instead */
    bool tail;                       /* the entry is what came after the last that was written */
    double scale;                    /* ticks per weight in the entry before */
    struct refrain_balance *balance; /* moves time between those kept; null: it stays as it was shared out */
};

void refrain_block_times_open(struct refrain_block_times *times, const void *image, size_t image_bytes,
                              const struct refrain_thread *thread);
void refrain_block_times_close(struct refrain_block_times *times);

/* Sets to 0 what is kept of blocks that have their times. Not between REFRAIN_BLOCK_SETTLED and what it is for. */
void refrain_block_times_clear_unused(struct refrain_block_times *times);

/* When the last of the blocks ends that the timeline tells of next; false where it tells of none. */
bool refrain_block_times_end(const struct refrain_block_times *times, uint64_t *end_ticks);

/* A block that began at `ticks` ends: sets *end_ticks to when, if it is an entry by itself. False if it is not, and
 * nothing has changed: the caller then calls refrain_block_times_pass(). */
bool refrain_block_times_single(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks);

/* The same where the entry is the next of a page whose entries are single blocks, and short, as most are. */
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

/* As refrain_block_times_single() for up to n blocks, the first of which begins at `ticks`: when each of them ends.
 * Returns how many have passed, 0 where the next one's entry is not of a page of single blocks, or is long. */
uint32_t refrain_block_times_singles(struct refrain_block_times *times, uint64_t ticks, uint64_t *end_ticks,
                                     uint32_t n);

enum refrain_block_passed {
    REFRAIN_BLOCK_UNTOLD,  /* nothing is known of it; *ticks is as it was */
    REFRAIN_BLOCK_KEPT,    /* *ticks is its number in the entry */
    REFRAIN_BLOCK_SETTLED, /* *ticks is when it ended, and those that were kept before it can be resolved now */
};

/* A block that began at *ticks ends, and is not an entry by itself. */
enum refrain_block_passed refrain_block_times_pass(struct refrain_block_times *times, uint64_t weight,
                                                   struct refrain_block_account *account, uint32_t context,
                                                   uint64_t *ticks);

/* The same in a walk that only counts blocks: *ticks does not change before the last block of an entry ends. */
bool refrain_block_times_count(struct refrain_block_times *times, uint64_t *ticks);

/* A block begins at `ticks`: returns how many blocks of its entry are left, with this one. 0 where the timeline has
 * ended, or where they are more than can be kept. */
uint64_t refrain_block_times_left(struct refrain_block_times *times, uint64_t ticks);

/* The next n of these pass at once. The caller fills in what is kept of them, here: null without memory. */
struct refrain_kept_block *refrain_block_times_room(struct refrain_block_times *times, uint32_t n);

/* They are kept: returns when the last of them ended, or its number. True in *settled: as REFRAIN_BLOCK_SETTLED. */
uint64_t refrain_block_times_keep(struct refrain_block_times *times, uint32_t n, bool *settled);

/* The next n of these pass in a walk that only counts them, of which the first begins at `ticks`: when the last ends.
 */
uint64_t refrain_block_times_skip(struct refrain_block_times *times, uint64_t ticks, uint32_t n);

/* The time for one that may be a number. Between REFRAIN_BLOCK_SETTLED and the next block. */
static inline uint64_t refrain_block_times_resolve(const struct refrain_block_times *times, uint64_t ticks) {
    uint64_t number = ticks - times->begin_ticks;
    return ticks > times->begin_ticks && number <= times->n_kept ? times->kept[number - 1].end_ticks : ticks;
}

/* The walk ends, or its order is not the thread's any longer: those that are kept last as long as their weights say; at
 * the end of the thread, `further` being the weight of what else came in it, up to its last clock read. Returns when
 * the last of them ended; they can be resolved. */
uint64_t refrain_block_times_give_up(struct refrain_block_times *times, bool at_end, uint64_t further);

#endif
