/* pool.h: the one allocation of a process, its trace file, as all parts of the monitor take from it (pool.c).
 *
 *     | header | tables | what is taken, one after the other  -->   free   <--  pages of the timeline |
 *     0                                                   pool_used   times_from           header->bytes
 *
 * Memory has three kinds of uses: values (what MPI calls tell, histories, times), structure (control flow, counts of
 * what is not kept in order, what is under way) and what is met for the first time (call sites, communicators). Some of
 * it is kept for the latter two from the first, and for what is met for the first time from the second. How much is
 * kept follows from what is foreseen (the program's tables say so, and it becomes less with each thing that comes), and
 * from what came so far: a use that has taken n bytes is expected to take a part of n more (refrain_pool_kept). Where
 * no table tells of the program's calls, what is kept is given out in steps, each time the number of calls has doubled:
 * the less has been met for the first time meanwhile, the less is kept (pool.c).
 *
 * The times of single blocks take what nothing else has needed yet: of a process with one thread their pages lie at the
 * end of the file, where memory is kept for others. When it is needed there, blocks are added up, so that the lowest
 * page becomes free (timeline.h), in little memory down to the last one. So what is kept is in use, and is there all
 * the same when it is needed. Where there are several threads, one cannot add up the blocks of another: pages are taken
 * like all else then.
 */
#ifndef REFRAIN_POOL_H
#define REFRAIN_POOL_H

#include "visibility.h"
#include <refrain/amounts.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What memory of the pool is for, in the order in which it is refused when the pool comes to its end: each may use what
 * is kept for itself and for those before it. */
enum refrain_pool_use {
    /* values */
    REFRAIN_POOL_VALUES, /* what MPI calls say, histories of durations */
    /* structure */
    REFRAIN_POOL_CONTROL, /* control flow */
    REFRAIN_POOL_SHORT,   /* short formulas: what is regular after a phase of chance, at places that come late */
    REFRAIN_POOL_MANY,    /* counts of many different values, where the order is given up */
    REFRAIN_POOL_SOME,    /* counts of some */
    REFRAIN_POOL_COUNTS,  /* counts of few */
    REFRAIN_POOL_OPEN,    /* what is under way or open: requests, handles of communicators, datatypes, files */
    /* what is met for the first time */
    REFRAIN_POOL_FIRST_MET,  /* operations, user regions, units loaded later; and the kinds of things ... */
    REFRAIN_POOL_CALL_SITES, /* ... of which each is sure of a part of what is kept for them */
    REFRAIN_POOL_GUESTS,     /* call sites that share another one's records ... */
    REFRAIN_POOL_GUEST_ROWS, /* ... and what each operation of theirs told first ... */
    REFRAIN_POOL_MORE_ROWS,  /* ... and with others than its first partner or communicator: not sure of any */
    REFRAIN_POOL_COMMUNICATORS,
    REFRAIN_POOL_ALIKE,   /* communicators of the members of an older one, which stands for them without a record */
    REFRAIN_POOL_OBJECTS, /* windows, files */
    REFRAIN_POOL_LAST,    /* the first call site of each MPI function, and the operations of all call sites */
};
#define REFRAIN_POOL_KINDS (REFRAIN_POOL_LAST - REFRAIN_POOL_CALL_SITES)
#define REFRAIN_POOL_USES (REFRAIN_POOL_LAST + 1)

#define REFRAIN_ALIKE_PARTS 16u
#define REFRAIN_ALIKE_COMMUNICATORS 2048u /* in one part */

struct refrain_trace_file {
    unsigned char *base; /* null: nothing is traced */
    struct refrain_header *header;
    int mode; /* enum refrain_mode */
    /* Bytes that are kept, still: for REFRAIN_POOL_OPEN, and for
     * REFRAIN_POOL_LAST: for what is foreseen, for functions that no table names, and for guests (call_room.h).
     * Learners leave room for threads that have not begun, too. */
    uint64_t kept_for_open, kept_for_calls, kept_for_unforeseen, kept_for_guests, kept_for_threads;
    /* Bytes that are kept at most: for things that are met for the first time, for counts, for control flow. */
    uint64_t most_first_met, most_counts, most_control;
    bool is_foreseen; /* the tables tell of the program's calls, or there is little memory: as much is kept in any case
                       */
    /* No table tells of the calls of the one thread: what is kept becomes less as less is met for the first time. MPI
     * calls when their number had doubled last; bytes of what had been met by then, and by the doubling before; the
     * share that is kept, in parts. */
    bool is_settling;
    uint64_t doubled_calls, met_at_doubling[2];
    uint32_t settled_parts;  /* of REFRAIN_POOL_PARTS */
    uint64_t sure_of_kind;   /* bytes that each kind of what shares the room for first met things is sure of (pool.c) */
    uint64_t sure_for_times; /* bytes that the times of single blocks leave to nothing but counts */
    uint64_t taken[REFRAIN_POOL_USES];           /* bytes so far */
    uint64_t taken_of_kinds[REFRAIN_POOL_KINDS]; /* the same of things of which each kind is sure of a part (pool.c) */
    /* Of communicators, by index, in parts that are made when they are needed: the oldest one of the same members. */
    uint16_t *alike[REFRAIN_ALIKE_PARTS];
};
extern REFRAIN_SHARED struct refrain_trace_file refrain_trace_file;

/* Takes `bytes` from the pool, zeroed, 16-byte aligned; null when what is not kept for others does not suffice. Any
 * thread. */
REFRAIN_SHARED void *refrain_pool_take(size_t bytes, enum refrain_pool_use use);

/* Makes what was taken from the pool and ends at `end` longer by `bytes` bytes, a multiple of 16. False where something
 * else has been taken since, or what is not kept for others does not suffice. Any thread. */
REFRAIN_SHARED bool refrain_pool_extend(const void *end, size_t bytes, enum refrain_pool_use use);

/* A page for times of single blocks, zeroed, 16-byte aligned; null when there is no memory. By the thread whose they
 * are. */
REFRAIN_HIDDEN struct refrain_time_page *refrain_pool_take_page(void);

/* Are pages of times taken from the file's end, from where they are given back? */
static inline bool refrain_pool_lends_pages(void) {
    return refrain_trace_file.header->n_threads == 1;
}

/* Room for what is under way or open, zeroed, aligned as above: of the pool, and once control flow has none there of
 * what is kept for this, else where a formula of the calling thread was that is not needed any more. Null where there
 * is none of that. */
REFRAIN_SHARED void *refrain_pool_take_for_open(size_t bytes);

/* May a thing of that kind, which takes `bytes`, have them, so that what every other kind is sure of stays free? The
 * bytes are counted as the kind's where it may. */
REFRAIN_HIDDEN bool refrain_pool_share(size_t bytes, enum refrain_pool_use kind);

/* Takes `bytes` from what is kept: the rest of the pool's end is for others. False where less is left. */
REFRAIN_HIDDEN bool refrain_pool_take_kept(uint64_t *kept, uint64_t bytes);

/* Of at most so many bytes those that are kept for uses that have taken some: a part of as many, and a part of all. */
static inline uint64_t refrain_pool_expected(uint64_t most, uint64_t taken) {
    uint64_t least = refrain_trace_file.is_foreseen ? most : most / 8, more = taken;
    return refrain_least(most, more > least ? more : least);
}

/* Bytes that the uses from `first` to `last` have taken. */
static inline uint64_t refrain_pool_taken(enum refrain_pool_use first, enum refrain_pool_use last) {
    uint64_t bytes = 0;
    for (unsigned use = first; use <= last; use++)
        bytes += __atomic_load_n(&refrain_trace_file.taken[use], __ATOMIC_RELAXED);
    return bytes;
}

/* Bytes that are kept for what is met for the first time, but for what is sure of its room in any case. */
static inline uint64_t refrain_pool_kept_first_met(void) {
    uint64_t met = refrain_pool_taken(REFRAIN_POOL_FIRST_MET, REFRAIN_POOL_LAST);
    return refrain_pool_expected(refrain_trace_file.most_first_met, refrain_trace_file.most_first_met / 2 + met / 2);
}

/* Bytes at the end of the pool that are kept for uses after this one, as long as new things come. */
static inline uint64_t refrain_pool_kept_unsettled(enum refrain_pool_use use) {
    const struct refrain_trace_file *file = &refrain_trace_file;
    if (use == REFRAIN_POOL_LAST)
        return 0;
    uint64_t met = refrain_pool_taken(REFRAIN_POOL_FIRST_MET, REFRAIN_POOL_LAST);
    uint64_t last =
        file->kept_for_calls + file->kept_for_guests + refrain_pool_expected(file->kept_for_unforeseen, met / 8);
    if (use >= REFRAIN_POOL_FIRST_MET)
        return last;
    last += file->kept_for_threads;
    uint64_t first_met = refrain_pool_kept_first_met();
    if (use == REFRAIN_POOL_OPEN)
        return last + first_met / 2;
    uint64_t open = refrain_pool_expected(file->kept_for_open, 0);
    if (use == REFRAIN_POOL_COUNTS) /* and most of what is kept for places, in need */
        return last + first_met / (file->is_foreseen ? 2 : 4) + open;
    uint64_t formulas = refrain_pool_taken(REFRAIN_POOL_SHORT, REFRAIN_POOL_SHORT);
    uint64_t tallies = refrain_pool_taken(REFRAIN_POOL_MANY, REFRAIN_POOL_COUNTS);
    uint64_t counts = refrain_pool_expected(file->most_counts, file->most_counts / 4 + (formulas + tallies) / 4);
    uint64_t flow = refrain_pool_taken(REFRAIN_POOL_CONTROL, REFRAIN_POOL_CONTROL) + formulas / 4;
    uint64_t control = refrain_pool_expected(file->most_control, flow);
    switch (use) {
    case REFRAIN_POOL_SOME:
        return last + first_met + open;
    case REFRAIN_POOL_MANY:
        return last + first_met + open + counts / 2;
    case REFRAIN_POOL_SHORT:
        return last + first_met + open + counts;
    case REFRAIN_POOL_CONTROL:
        return last + first_met + open + counts + control / 4;
    default:
        return last + first_met + open + counts + control;
    }
}

#define REFRAIN_POOL_PARTS 256u

#define REFRAIN_POOL_LATE_BYTES ((uint64_t)16 << 10)

/* Bytes that are kept for uses after this one although nothing has been met for the first time for long: besides what
 * is sure of its room a tenth of the file, or what a dozen call sites take, of which counts may have half. */
static inline uint64_t refrain_pool_kept_settled(enum refrain_pool_use use) {
    uint64_t tenth = refrain_trace_file.header->bytes / 10;
    uint64_t late = tenth > REFRAIN_POOL_LATE_BYTES ? tenth : REFRAIN_POOL_LATE_BYTES;
    return refrain_pool_kept_unsettled(REFRAIN_POOL_FIRST_MET) + (use < REFRAIN_POOL_MANY ? late : late / 2);
}

/* Bytes at the end of the pool that are kept for uses after this one. */
static inline uint64_t refrain_pool_kept(enum refrain_pool_use use) {
    const struct refrain_trace_file *file = &refrain_trace_file;
    uint64_t kept = refrain_pool_kept_unsettled(use);
    if (!file->is_settling || use >= REFRAIN_POOL_OPEN)
        return kept;
    uint64_t least = refrain_least(kept, refrain_pool_kept_settled(use));
    uint64_t still = kept / REFRAIN_POOL_PARTS * file->settled_parts;
    return still > least ? still : least;
}

static inline uint32_t refrain_reference(const void *p) {
    return (uint32_t)(((const unsigned char *)p - refrain_trace_file.base) / REFRAIN_GRAIN_BYTES);
}
static inline void *refrain_at_reference(uint32_t reference) {
    return refrain_trace_file.base + (size_t)reference * REFRAIN_GRAIN_BYTES;
}
/* Copies `text` into the pool as struct refrain_name; 0 when it does not fit. */
REFRAIN_SHARED uint32_t refrain_pool_name(const char *text);

/* Counts a loss. Any thread. */
REFRAIN_SHARED void refrain_lose(enum refrain_loss loss, uint64_t n);

/* Refreshes header.last from the clocks. Cheap enough for once in some thousand calls. */
REFRAIN_SHARED void refrain_trace_file_refresh_clock(void);

#endif
