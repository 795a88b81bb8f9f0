/* context.h: the monitor's data of a thread: its shadow stack, and what its probes read first.
 *
 * Functions that a probe calls do not allocate, lock, write to files or change errno. If a signal handler runs a probe
 * inside another probe of its thread, the inner probe only counts itself. If the program jumps out of a probe, its
 * thread is no longer traced. */
#ifndef REFRAIN_CONTEXT_H
#define REFRAIN_CONTEXT_H

#include "arch/arch.h"
#include "timeline.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An activation on the shadow stack; in private memory. */
struct refrain_entry {
    struct refrain_slot *last; /* the activation's current place */
    uintptr_t address;         /* of its frame; if a later frame is higher, this activation has been abandoned */
    uint64_t id; /* function: slot number; call: reference of the call site; region, frame: reference of the name */
    union {
        uint64_t begin_ticks;
        uintptr_t frame_end; /* FRAME: the address behind its frame (CFA) */
    };
    uint64_t *total_ticks; /* where the durations of all activations of this function or user region are added up; else
                              null */
    uint32_t kind;         /* enum refrain_entry_kind */
    union {
        int32_t frame;        /* function: distance from `address` to its struct refrain_frame */
        uint32_t called_from; /* FRAME: low half of the return address; if frames in between are not shown, a hash of
                                 all their addresses */
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

#define REFRAIN_SPARE_SIZES 6u /* size classes of formulas */
#define REFRAIN_REGION_CACHE 64u
struct refrain_region_cache {
    const char *name;
    struct refrain_region_name *record;
};

#define REFRAIN_LINE_BYTES 64u /* size of a line in the processor's caches */

/* A cache of MPI calls: where a call was made, and its call site (call_place.h). */
#define REFRAIN_CALL_CACHE 64u
struct refrain_call_cache {
    _Alignas(REFRAIN_LINE_BYTES) const void *from; /* refrain_place, or the current slot; null: free */
    uintptr_t address;                             /* return address of the call */
    struct refrain_call_site *call_site;
    struct refrain_slot *at; /* the thread's slot of refrain_place */
    uint32_t function;
    uint32_t inside; /* number of slot [0] of the function that contains `at` */
};

/* The time that a thread's probes may take (allowance.h), in clock ticks. */
struct refrain_allowance {
    uint32_t probes;     /* number of probes until the next sample */
    uint32_t cost_ticks; /* mean cost of a probe in the latest samples, times 16 */
    int64_t left_ticks;  /* negative: used up */
    int64_t most_ticks;  /* limit of what is saved up; 0: probes may take any time */
    uint64_t sampled_ticks;
    uint64_t wake_ticks; /* throttled probes become active at this time, if time is left */
    uint64_t sleep_ticks;
};

/* Values of context->busy. 1: inside a probe. */
#define REFRAIN_PAUSED 2u /* the thread is not traced (pause.h) */

#define REFRAIN_ABANDONED 32u
#define REFRAIN_CLOCK_REFRESH_CALLS 1024
#define REFRAIN_CALL_WORDS 12u /* one bit for each MPI function */

/* A thread's context; private memory, found through a thread-local pointer. The fields that most MPI calls use come
 * first, in two cache lines. */
struct refrain_context {
    _Alignas(REFRAIN_LINE_BYTES) struct refrain_entry *top;
    struct refrain_entry *stack_end; /* moves when the stack grows (outside.h) */
    struct refrain_thread *thread;
    unsigned char *trace_file;
    struct refrain_events *events;               /* null unless the mode records events */
    const struct refrain_site_table *site_table; /* the table that had the latest site (site_run.c) */
    uint32_t number;                             /* number of the thread */
    uint32_t busy;                               /* 0: neither inside a probe nor paused */
    uint16_t learning;                           /* the mode learns (stat) */
    uint16_t unusual;                            /* not 0: call.c has to check more when an MPI call begins */
    int32_t calls_left;                          /* MPI calls until header.last is refreshed */
    struct refrain_timeline_writer timeline;
    uint32_t n_abandoned;   /* activations that ended because of their addresses (stacks.h) */
    uint32_t address_pages; /* one bit for each page of `addresses`: it is charged (outside.h) */
    struct refrain_entry *stack;
    struct refrain_allowance allowance; /* the time that probes may take */
    struct refrain_journal *journal;
    struct refrain_learn_scratch *scratch;
    struct refrain_path *path;               /* null: call paths are not recorded */
    struct refrain_address_entry *addresses; /* hash table with address_mask + 1 entries (address_entry.h) */
    uint32_t formula_length;                 /* largest number of items in a formula */
    uint32_t address_mask;                   /* number of entries of `addresses`, less one */
    bool python;                             /* functions of Python are recorded (python.h) */
    bool filtered;                           /* calls of some MPI functions are left out (left_out.h) */
    _Alignas(REFRAIN_LINE_BYTES) struct refrain_region_cache regions[REFRAIN_REGION_CACHE];
    uint64_t calls_before;                        /* MPI calls before those of the current count in calls_left */
    uint32_t spare_formulas[REFRAIN_SPARE_SIZES]; /* the first spare formula of each size class (learn_spare.h) ... */
    uint32_t waiting_formula;                     /* ... and one that the journal still needs */
    struct refrain_call_cache calls_known[REFRAIN_CALL_CACHE];
    struct refrain_counting *counting; /* null: no metrics (metrics.h) */
    struct refrain_counting *counting_room;
    uintptr_t abandoned[REFRAIN_ABANDONED]; /* frames of the latest abandoned activations */
    uint64_t called[REFRAIN_CALL_WORDS];    /* one bit for each MPI function: it has a call site ... */
    uint64_t counted[REFRAIN_CALL_WORDS];   /* ... whose counts have their guaranteed memory */
};

/* The number of the thread's MPI calls so far. */
static inline uint64_t refrain_context_calls(const struct refrain_context *context) {
    return context->calls_before + (uint64_t)(REFRAIN_CLOCK_REFRESH_CALLS - context->calls_left);
}

/* The context of the calling thread. Null if it has none yet. */
extern REFRAIN_SHARED __thread struct refrain_context *refrain_thread_context;

/* The context of the calling thread. The first call makes it, and opens the trace file if necessary. Null if nothing is
 * traced. */
REFRAIN_SHARED struct refrain_context *refrain_context(void);

#endif
