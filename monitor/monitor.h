/* monitor.h: what the files of the monitor share.
 *
 *     probes (probe.c) ---\                          /--> slots, learners (learn.c) in the trace file (pool.c)
 *                          >-- context of the thread <
 *     MPI wrappers (mpi_*.c) -> calls (call.c) ------/\--> event records (record.c)
 *
 * No function called from a probe allocates, locks, writes a file or touches errno. A probe that a signal handler runs
 * inside another probe of its thread does nothing but count itself. One that is jumped out of leaves its thread so.
 */
#ifndef REFRAIN_MONITOR_H
#define REFRAIN_MONITOR_H

#include "arch/arch.h"
#include "pool.h"
#include "timeline.h"
#include <refrain/event_file.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#pragma GCC visibility push(default)
#include <refrain/unit.h>
#pragma GCC visibility pop


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

struct refrain_events;        /* record.c */
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
    _Alignas(REFRAIN_LINE_BYTES) const struct refrain_slot *from; /* null: free */
    uintptr_t address;                                            /* that the call returns to */
    struct refrain_slot *at; /* the place that it comes to first, whose site is quiet; `from` where it comes to none */
    struct refrain_call_site *call_site;
    uint32_t function;
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
    uintptr_t latest_site;  /* of a place that control passes: the address that it returned to */
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
    uint32_t spare_formulas[REFRAIN_SPARE_SIZES]; /* the first of each size (learn_spare.h) ... */
    uint32_t waiting_formula;                     /* ... and one that the journal has yet to let go of */
    uint32_t trials;                              /* the first trial whose room may be taken back (learn_spare.h) */
    struct refrain_call_cache calls_known[REFRAIN_CALL_CACHE];
    struct refrain_counting *counting; /* null: nothing is counted (metrics.h) */
    struct refrain_counting *counting_room;
    uintptr_t abandoned[REFRAIN_ABANDONED]; /* frames of the latest of them */
    uint64_t called[REFRAIN_CALL_WORDS];    /* bits: MPI functions that have a call site ... */
    uint64_t counted[REFRAIN_CALL_WORDS];   /* ... the first of which is sure of room for counts of its rows */
};

/* ---- unit.c ---- */

/* Makes the probe of this slot dormant: a function's, with all that is in the function where no activation of it is
 * open. False when another thread is changing probes: it is to be tried again. Any thread. */
REFRAIN_HIDDEN bool refrain_units_rest(uint32_t number);

/* All dormant probes come back. False as above. */
REFRAIN_HIDDEN bool refrain_units_wake(void);

/* A site in code runs although its probe is off: brings the code in line if that was put off. */
REFRAIN_HIDDEN void refrain_units_settle(void);

/* The slots of so many threads are made; in a call of refrain_units_change_sites(). */
REFRAIN_HIDDEN uint32_t refrain_units_threads(void);

/* Calls `change`, alone, and where it returns true brings the code in line with what is wanted of the sites. False, and
 * nothing was done, when another thread is changing probes. Any thread. */
REFRAIN_HIDDEN bool refrain_units_change_sites(bool (*change)(void *), void *data);

/* Has anything been loaded since the tables of sites were made? A site that is in none is one of a unit of another
 * version otherwise. */
REFRAIN_HIDDEN bool refrain_units_have_new_sites(void);

/* A site runs that is in no table: makes the tables (site_table.h) of what was loaded since they were made. */
REFRAIN_HIDDEN void refrain_units_make_site_tables(void);

/* ---- contexts.c, context.c ---- */

/* The calling thread's, null where it has none yet. */
extern REFRAIN_SHARED __thread struct refrain_context *refrain_thread_context;

/* The calling thread's context, made on first use (which also opens the trace file); null where nothing is traced. */
REFRAIN_SHARED struct refrain_context *refrain_context(void);

/* ---- region_list.c ---- */

/* Puts a new record into the list of regions. Any thread. */
REFRAIN_HIDDEN void refrain_region_add(struct refrain_region_name *record);

/* ---- own_files.c: where the files belong ---- */

/* Called by MPI_Init[_thread] after PMPI_Init: rank and size are known and `directory` (absolute or relative to the
 * start directory), the same on all ranks, is where the trace file belongs; rank 0 has proposed it with
 * refrain_directory_propose(). Moves the files there. */
REFRAIN_SHARED void refrain_trace_file_move(int rank, int size, const char *directory);

/* Rank 0: chooses the run's directory (never an existing one), creates it, writes its path to `path`. */
REFRAIN_SHARED void refrain_directory_propose(char *path, size_t path_bytes);

/* Called by MPI_Abort before PMPI_Abort, of which no process returns to say that it has ended: the trace ends here, and
 * says so, and its file is packed. The process is not traced any more. */
REFRAIN_SHARED void refrain_trace_file_abort(int32_t code);

/* ---- launcher.c ---- */

/* Says in one process of the job where its launcher started several processes, but each is an MPI job of one rank: it is
 * that of another MPI. `size` of MPI_COMM_WORLD; `library` is the program's MPI. */
REFRAIN_SHARED void refrain_launcher_check(int size, const char *library);

/* ---- pool.c, clock.c, configure.c, allowance.c: clocks and settings ---- */

/* Refreshes header.last from the clocks. Cheap enough for once in some thousand calls. */
REFRAIN_SHARED void refrain_trace_file_refresh_clock(void);

/* The probes' clock, for the MPI part. */
REFRAIN_SHARED uint64_t refrain_ticks(void);

/* REFRAIN_ORDER=virtual, for the MPI part. */
REFRAIN_SHARED bool refrain_order_is_virtual(void);

/* Where the MPI part wants to know what probes have taken, in ticks; null: nowhere. Those of the first thread. */
extern REFRAIN_SHARED uint64_t *refrain_spent_ticks;

/* Set to 1 by a constructor of the MPI part: the rank is not known before MPI_Init. */
extern REFRAIN_SHARED int refrain_mpi_linked;

/* ---- call.c: MPI calls as the wrappers tell them ----
 *
 *     struct refrain_call call;
 *     refrain_call_begin(&call, REFRAIN_CALL_MPI_Send, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
 *     refrain_call_operation(&call, REFRAIN_OP_SEND, (int64_t[]){dest, tag, bytes, comm}, 4);
 *     int rc = PMPI_Send(...);
 *     refrain_call_end(&call);
 *
 * An operation that sends is told before the PMPI call and bears the time of begin; one that receives is told after it,
 * and then bears the time of end, which must follow with no other call between. All of it is harmless when nothing is
 * traced (`call.entry` is null). */
struct refrain_call {
    struct refrain_context *context;     /* the thread's; null: nothing is known of the call */
    struct refrain_entry *entry;         /* null: not traced */
    struct refrain_call_site *call_site; /* of a guest, its host's */
    struct refrain_guest *guest;         /* that the call is from, else null */
    uint64_t begin_ticks;
    uint64_t end_ticks; /* read at the first operation told after refrain_call_returned(), or by end */
};

/* Is the call one that is left out on purpose: its thread is paused, or a filter says so? It has no entry then, but a
 * context. */
static inline bool refrain_call_is_untold(const struct refrain_call *call) {
    return __builtin_expect(!call->entry && call->context, 0);
}

/* Counts a message or a collective of such a call (untold.h); parameters as enum refrain_untold has them. */
REFRAIN_SHARED void refrain_call_count_untold(const struct refrain_call *call, enum refrain_untold what, int64_t peer,
                                              int64_t tag, int64_t comm);

/* Tells what has been counted, behind a call that was traced and has ended; else it is told with the rest. */
REFRAIN_SHARED void refrain_call_tell_untold(const struct refrain_call *call);

/* `function`: index in mpi_calls.def. `frame_address`: REFRAIN_FRAME_ADDRESS of the wrapper. */
REFRAIN_SHARED void refrain_call_begin(struct refrain_call *call, unsigned function, void *return_address,
                                       void *frame_address);

/* What the call will wait for, as struct refrain_now has it (-1: nothing); `comm` is the communicator's index, -1
 * unknown. */
static inline void refrain_call_awaits(const struct refrain_call *call, int64_t sends_to, int64_t receives_from,
                                       int64_t comm, int64_t tag) {
    if (!call->entry)
        return;
    struct refrain_now *now = &call->context->thread->now;
    now->sends_to = (int32_t)sends_to;
    now->receives_from = (int32_t)receives_from;
    now->comm = (uint32_t)(comm + 1);
    now->tag = (int32_t)tag;
}

/* It also waits for a message, or only. */
static inline void refrain_call_awaits_message(const struct refrain_call *call, int64_t receives_from, int64_t comm,
                                               int64_t tag) {
    struct refrain_now *now = &call->context->thread->now;
    now->receives_from = (int32_t)receives_from;
    now->comm = (uint32_t)(comm + 1);
    now->tag = (int32_t)tag;
}

/* The PMPI call has returned: reads the clock that closes the call. Optional; refrain_call_end reads it otherwise.
 * Needed before operations that come after the PMPI call. */
REFRAIN_SHARED void refrain_call_returned(struct refrain_call *call);

/* Feeds an operation with its n parameters (trace.h's order) at this call site. Returns the operation's record, for
 * REFRAIN_OP_IRECV and RECV_INIT to be kept with the request; null where nothing is traced. */
REFRAIN_SHARED struct refrain_operation_record *refrain_call_operation(struct refrain_call *call,
                                                                       enum refrain_operation operation,
                                                                       const int64_t *parameters, unsigned n);

/* What a request's completion tells: source, tag and bytes of a receive, bytes of an access to a file go to the record
 * of the posting site; null: the request is neither. */
struct refrain_completion {
    struct refrain_operation_record *posted;
    int64_t source, tag, bytes, comm;
};

/* The requests with numbers `request` and up have completed, n of them, in this order: COMPLETE at this site for one,
 * COMPLETE_RUN for several. False where it could not be told: their numbers must stay taken then, as a replay does not
 * give them back. */
REFRAIN_SHARED bool refrain_call_complete(struct refrain_call *call, uint32_t request,
                                          const struct refrain_completion *completions, unsigned n);

REFRAIN_SHARED void refrain_call_end(struct refrain_call *call);

/* ---- record.c: events as they happen (modes events and both) ---- */

/* Makes the file; what comes back is that of thread 0. Null with errno where it cannot be. */
REFRAIN_SHARED struct refrain_events *refrain_events_open(int directory_fd, const char *name, uint32_t threads);
/* That of another thread; null for null. */
REFRAIN_HIDDEN struct refrain_events *refrain_events_of_thread(struct refrain_events *events, uint32_t thread);
/* Takes back all events of the thread's first extent of its event file: what was written there was not the program's.
 */
REFRAIN_HIDDEN void refrain_events_clear(struct refrain_events *events);
REFRAIN_SHARED void refrain_events_write(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id,
                                         uint32_t value, const int64_t *parameters, unsigned n);

#endif
