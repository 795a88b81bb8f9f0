/* pool.h: the memory of the trace file, from which all parts of the monitor take (pool.c).
 *
 *     | header | tables | memory that was taken, in order  -->   free   <--  pages of the timeline |
 *     0                                                pool_used   times_from           header->bytes
 *
 * There are three classes of uses: values (arguments of MPI calls, metrics, times), structure (control flow, tallies,
 * requests under way) and what is met for the first time (call sites, communicators). A part of the memory is reserved
 * for the second and third class, and may not be taken for values; a part of that is reserved for the third class
 * alone. How much is reserved depends on two things: on what the program's tables announce, less what has come of it
 * already; and on what came so far, since a use that has taken n bytes is expected to take a share of n more
 * (refrain_pool_kept). If no table announces the program's MPI calls, the reserve shrinks in steps, whenever the number
 * of calls has doubled: the less was met for the first time since the step before, the less is reserved (pool.c).
 *
 * The times of single blocks use memory that nothing else needs yet. In a process with one thread, their pages lie at
 * the end of the file, in reserved memory. When another use needs this memory, the timeline merges blocks until its
 * lowest page is free (timeline.h); if the memory is small, until no page is left. With several threads, a thread
 * cannot merge the blocks of another one, so pages are taken as any other memory.
 */
#ifndef REFRAIN_POOL_H
#define REFRAIN_POOL_H

#include "visibility.h"
#include <refrain/amounts.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The uses of the pool's memory, from the first that is refused when the pool is nearly full to the last. Each use may
 * take what is reserved for itself and for the uses before it. */
enum refrain_pool_use {
    /* values */
    REFRAIN_POOL_VALUES, /* arguments of MPI calls, totals of metrics */
    /* structure */
    REFRAIN_POOL_CONTROL, /* control flow */
    REFRAIN_POOL_SHORT,   /* short formulas of learners whose order was given up, or whose place comes late */
    REFRAIN_POOL_MANY,    /* tallies of many different values, whose order was given up */
    REFRAIN_POOL_SOME,    /* tallies of some different values */
    REFRAIN_POOL_COUNTS,  /* tallies of few different values */
    REFRAIN_POOL_OPEN,    /* requests under way, and handles of communicators, datatypes and files */
    /* what is met for the first time */
    REFRAIN_POOL_FIRST_MET,      /* operations, user regions, units loaded later. All following kinds ... */
    REFRAIN_POOL_CALL_SITES,     /* ... are each guaranteed a part of the memory reserved for this class */
    REFRAIN_POOL_OVERFLOW_SITES, /* overflow sites: call sites that use the records of another one */
    REFRAIN_POOL_OVERFLOW_ROWS,  /* the first partner and communicator of each of their operations */
    REFRAIN_POOL_MORE_ROWS,      /* their further partners and communicators; nothing is guaranteed */
    REFRAIN_POOL_COMMUNICATORS,
    REFRAIN_POOL_ALIKE,   /* communicators with the members of an older one, whose record they use */
    REFRAIN_POOL_OBJECTS, /* windows, files */
    REFRAIN_POOL_LAST,    /* the first call site of each MPI function, and the operations of all call sites */
};
#define REFRAIN_POOL_KINDS (REFRAIN_POOL_LAST - REFRAIN_POOL_CALL_SITES)
#define REFRAIN_POOL_USES (REFRAIN_POOL_LAST + 1)

#define REFRAIN_ALIKE_PARTS 16u
#define REFRAIN_ALIKE_COMMUNICATORS 2048u /* in one part of the table */

struct refrain_trace_file {
    unsigned char *base; /* null: nothing is traced */
    struct refrain_header *header;
    int mode; /* enum refrain_mode */
    /* Reserved bytes that are left: for REFRAIN_POOL_OPEN, and for REFRAIN_POOL_LAST: for what the tables announce, for
     * MPI functions that no table names, and for overflow sites (call_room.h). Learners also leave memory to threads
     * that have not begun. */
    uint64_t kept_for_open, kept_for_calls, kept_for_unforeseen, kept_for_overflow_sites, kept_for_threads;
    /* Upper limits of the reserves for what is met for the first time, for tallies, and for control flow. */
    uint64_t most_first_met, most_counts, most_control;
    bool is_foreseen; /* the reserves have their full size from the beginning: the tables announce the program's calls,
                         or the memory is small */
    /* The reserves shrink as less is met for the first time: the process has one thread, and no table announces its
     * calls. doubled_calls: number of MPI calls when it had doubled last. met_at_doubling: bytes of what had been met
     * for the first time at the doubling before the last one, and at the last one. settled_parts: the part of the
     * reserves that is left. */
    bool is_settling;
    uint64_t doubled_calls, met_at_doubling[2];
    uint32_t settled_parts;  /* of REFRAIN_POOL_PARTS */
    uint64_t sure_of_kind;   /* bytes guaranteed to each kind from REFRAIN_POOL_CALL_SITES on (pool.c) */
    uint64_t sure_for_times; /* bytes of the times of single blocks that only short formulas, tallies and later uses may
                                take */
    uint64_t taken[REFRAIN_POOL_USES];           /* bytes by use */
    uint64_t taken_of_kinds[REFRAIN_POOL_KINDS]; /* bytes by kind, from REFRAIN_POOL_CALL_SITES on (pool.c) */
    /* For each communicator, by index: the oldest communicator with the same members. A table in parts, which are made
     * when they are needed. */
    uint16_t *alike[REFRAIN_ALIKE_PARTS];
};
extern REFRAIN_SHARED struct refrain_trace_file refrain_trace_file;

/* Takes `bytes` bytes from the pool, zeroed and 16-byte aligned. Null if only memory reserved for other uses is left.
 * Any thread. */
REFRAIN_SHARED void *refrain_pool_take(size_t bytes, enum refrain_pool_use use);

/* Enlarges the memory that was taken last and ends at `end` by `bytes` bytes, a multiple of 16. False if other memory
 * has been taken since, or if only memory reserved for other uses is left. Any thread. */
REFRAIN_SHARED bool refrain_pool_extend(const void *end, size_t bytes, enum refrain_pool_use use);

/* Takes a page for the times of single blocks of the calling thread, zeroed and 16-byte aligned. Null without memory.
 */
REFRAIN_HIDDEN struct refrain_time_page *refrain_pool_take_page(void);

/* True if pages of times lie at the file's end and can be given back. */
static inline bool refrain_pool_lends_pages(void) {
    return refrain_trace_file.header->n_threads == 1;
}

/* Takes memory for a request or handle, zeroed and 16-byte aligned: from the pool; if control flow has used up what the
 * pool had for this, from a formula of the calling thread that is no longer needed. Null if there is neither. */
REFRAIN_SHARED void *refrain_pool_take_for_open(size_t bytes);

/* True if a thing of this kind may take `bytes` bytes without touching what is guaranteed to the other kinds. Then the
 * bytes are counted for the kind. */
REFRAIN_HIDDEN bool refrain_pool_share(size_t bytes, enum refrain_pool_use kind);

/* Takes `bytes` from a reserve, one of the kept_for_ members. False if it has less. */
REFRAIN_HIDDEN bool refrain_pool_take_kept(uint64_t *kept, uint64_t bytes);

/* The part of a reserve of at most `most` bytes that is expected to be needed by uses that have taken `taken` bytes. */
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

/* Bytes reserved for what is met for the first time, without those of the kept_for_ members. */
static inline uint64_t refrain_pool_kept_first_met(void) {
    uint64_t met = refrain_pool_taken(REFRAIN_POOL_FIRST_MET, REFRAIN_POOL_LAST);
    return refrain_pool_expected(refrain_trace_file.most_first_met, refrain_trace_file.most_first_met / 2 + met / 2);
}

/* Bytes at the end of the pool that are reserved for later uses than this one, before the reserves shrink
 * (is_settling). */
static inline uint64_t refrain_pool_kept_unsettled(enum refrain_pool_use use) {
    const struct refrain_trace_file *file = &refrain_trace_file;
    if (use == REFRAIN_POOL_LAST)
        return 0;
    uint64_t met = refrain_pool_taken(REFRAIN_POOL_FIRST_MET, REFRAIN_POOL_LAST);
    uint64_t last = file->kept_for_calls + file->kept_for_overflow_sites +
                    refrain_pool_expected(file->kept_for_unforeseen, met / 8);
    if (use >= REFRAIN_POOL_FIRST_MET)
        return last;
    last += file->kept_for_threads;
    uint64_t first_met = refrain_pool_kept_first_met();
    if (use == REFRAIN_POOL_OPEN)
        return last + first_met / 2;
    uint64_t open = refrain_pool_expected(file->kept_for_open, 0);
    if (use == REFRAIN_POOL_COUNTS) /* tallies may take most of what is reserved for call sites */
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

/* The least that shrinking leaves reserved for later uses than this one: the guaranteed memory, and a tenth of the file
 * or what a dozen call sites take. Tallies may have half of the latter. */
static inline uint64_t refrain_pool_kept_settled(enum refrain_pool_use use) {
    uint64_t tenth = refrain_trace_file.header->bytes / 10;
    uint64_t late = tenth > REFRAIN_POOL_LATE_BYTES ? tenth : REFRAIN_POOL_LATE_BYTES;
    return refrain_pool_kept_unsettled(REFRAIN_POOL_FIRST_MET) + (use < REFRAIN_POOL_MANY ? late : late / 2);
}

/* Bytes at the end of the pool that are reserved for later uses than this one. */
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
    return (uint32_t)(((const unsigned char *)p - refrain_trace_file.base) / REFRAIN_ALIGNMENT_BYTES);
}
static inline void *refrain_at_reference(uint32_t reference) {
    return refrain_trace_file.base + (size_t)reference * REFRAIN_ALIGNMENT_BYTES;
}
/* Copies `text` into the pool as a struct refrain_name, and returns its reference. 0 without memory. */
REFRAIN_SHARED uint32_t refrain_pool_name(const char *text);

/* Counts a loss. Any thread. */
REFRAIN_SHARED void refrain_lose(enum refrain_loss loss, uint64_t n);

/* Sets header.last from the clocks. Cheap enough to be called once in some thousand MPI calls. */
REFRAIN_SHARED void refrain_trace_file_refresh_clock(void);

#endif
