/* context.h: what the monitor keeps for a thread: its shadow stack, and what its probes look at first.
 *
 * No function called from a probe allocates, locks, writes a file or touches errno. A probe that a signal handler runs
 * inside another probe of its thread does nothing but count itself. One that is jumped out of leaves its thread so.
 */
#ifndef REFRAIN_CONTEXT_H
#define REFRAIN_CONTEXT_H

#include "arch/arch.h"
#include "timeline.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One activation on the shadow stack; private memory. */
struct refrain_entry {
    struct refrain_slot *last; /* where the activation is */
    uintptr_t address;         /* of its frame; activations below a younger, higher one were abandoned */
    uint64_t id;               /* function: slot number; call: site reference; region, frame: name reference */
    union {
        uint64_t begin_ticks;
        uintptr_t frame_end; /* FRAME: the address behind its frame (CFA) */
    };
    uint64_t *total_ticks; /* of a function or user region: where what its activations took is added up; else null */
    uint32_t kind;         /* enum refrain_entry_kind */
    union {
        int32_t frame;        /* function: distance from `address` to its struct refrain_frame */
        uint32_t called_from; /* FRAME: where it returns to, the low half of the address; with frames between that are
                                 not shown a hash of all these */
    };
};
enum refrain_entry_kind {
    REFRAIN_ENTRY_ROOT,
    REFRAIN_ENTRY_FUNCTION,
    REFRAIN_ENTRY_CALL,
    REFRAIN_ENTRY_REGION,
    REFRAIN_ENTRY_FRAME, /* a function without probes (call_path.h); its address is 0 */
};

struct refrain_events;        /* events.c */
struct refrain_address_entry; /* address_entry.h */
struct refrain_path;          /* call_path.h */
struct refrain_learn_scratch; /* learn_scratch.h */
struct refrain_site_table;    /* site_table.h */
struct refrain_counting;      /* metrics.c */

#define REFRAIN_SPARE_SIZES 6u /* of formulas */
#define REFRAIN_REGION_CACHE 64u
struct refrain_region_cache {
    const char *name;
    struct refrain_region_name *record;
};

#define REFRAIN_LINE_BYTES 64u /* of the processor's caches */

/* Where an MPI call was made from, and the call site that it has: found again by one look (call_place.h). */
#define REFRAIN_CALL_CACHE 64u
struct refrain_call_cache {
    _Alignas(REFRAIN_LINE_BYTES) const void *from; /* refrain_place, or the slot where control was; null: free */
    uintptr_t address;                             /* that the call returns to */
    struct refrain_call_site *call_site;
    struct refrain_slot *at; /* where the call is made: the thread's slot of refrain_place */
    uint32_t function;
    uint32_t inside; /* number of slot [0] of the function that `at` is in */
};

/* What a thread's probes may cost (allowance.h). In ticks. */
struct refrain_allowance {
    uint32_t probes;     /* until the next sample */
    uint32_t cost_ticks; /* of a probe, times 16: the mean of the latest samples */
    int64_t left_ticks;  /* negative: spent */
    int64_t most_ticks;  /* saved up at most; 0: there is no limit to what probes may cost */
    uint64_t sampled_ticks;
    uint64_t wake_ticks; /* dormant probes come back then, if there is something left */
    uint64_t sleep_ticks;
};

/* context->busy: 1: inside a probe; or: */
#define REFRAIN_PAUSED 2u /* the thread is not traced (pause.h) */

#define REFRAIN_ABANDONED 32u
#define REFRAIN_CLOCK_REFRESH_CALLS 1024
#define REFRAIN_CALL_WORDS 12u /* a bit for each MPI function */

/* A thread's context; private memory, found through a thread-local pointer. What a usual MPI call looks at comes first,
 * in two lines. */
struct refrain_context {
    _Alignas(REFRAIN_LINE_BYTES) struct refrain_entry *top;
    struct refrain_entry *stack_end; /* moves (outside.h) */
    struct refrain_thread *thread;
    unsigned char *trace_file;
    struct refrain_events *events;               /* null unless the mode has events */
    const struct refrain_site_table *site_table; /* in which the latest site was found (site_run.c) */
    uint32_t number;                             /* of the thread */
    uint32_t busy;                               /* 0: not inside a probe, nor paused */
    uint16_t learning;                           /* mode has stat */
    uint16_t unusual;                            /* not 0: more is to be looked at when an MPI call begins (call.c) */
    int32_t calls_left;                          /* MPI calls until the clock is refreshed */
    struct refrain_timeline_writer timeline;
    uint32_t n_abandoned;   /* activations that were ended because of where they lay (stacks.h) */
    uint32_t address_pages; /* bit per page of `addresses` that is charged (outside.h) */
    struct refrain_entry *stack;
    struct refrain_allowance allowance; /* what probes may cost */
    struct refrain_journal *journal;
    struct refrain_learn_scratch *scratch;
    struct refrain_path *path;               /* null: no call paths are told */
    struct refrain_address_entry *addresses; /* address_mask + 1 of them, hashed (address_entry.h) */
    uint32_t formula_length;                 /* most items of a formula */
    uint32_t address_mask;                   /* entries of `addresses` less one */
    bool python;                             /* the functions of Python are looked at (python.h) */
    bool filtered;                           /* calls of some MPI functions are left out (left_out.h) */
    _Alignas(REFRAIN_LINE_BYTES) struct refrain_region_cache regions[REFRAIN_REGION_CACHE];
    uint64_t calls_before;                        /* MPI calls before those that calls_left counts */
    uint32_t spare_formulas[REFRAIN_SPARE_SIZES]; /* the first of each size (learn_spare.h) ... */
    uint32_t waiting_formula;                     /* ... and one that the journal has yet to let go of */
    struct refrain_call_cache calls_known[REFRAIN_CALL_CACHE];
    struct refrain_counting *counting; /* null: nothing is counted (metrics.h) */
    struct refrain_counting *counting_room;
    uintptr_t abandoned[REFRAIN_ABANDONED]; /* frames of the latest of them */
    uint64_t called[REFRAIN_CALL_WORDS];    /* bits: MPI functions that have a call site ... */
    uint64_t counted[REFRAIN_CALL_WORDS];   /* ... the first of which is sure of room for counts of its rows */
};

/* MPI calls of the thread so far. */
static inline uint64_t refrain_context_calls(const struct refrain_context *context) {
    return context->calls_before + (uint64_t)(REFRAIN_CLOCK_REFRESH_CALLS - context->calls_left);
}

/* The calling thread's, null where it has none yet. */
extern REFRAIN_SHARED __thread struct refrain_context *refrain_thread_context;

/* The calling thread's context, made on first use (which also opens the trace file); null where nothing is traced. */
REFRAIN_SHARED struct refrain_context *refrain_context(void);

#endif
