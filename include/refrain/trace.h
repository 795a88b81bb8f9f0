/* trace.h: the trace file of one process (monitor -> reader).
 *
 *     0        4096                                              pool_used   times_from    bytes
 *     | header | pool: allocated once, in alignment units of 16 bytes | free | pages of times |
 *                units (tree, strings, slots), threads, calls,
 *                communicators, formulas, archives
 *
 * The free bytes have no meaning. If one thread is traced, the pages of its timeline are at the end of the file, in
 * memory reserved for other uses, and are released when it is needed there. A reader moves these pages to the end of
 * the pool (refrain_image_begin), and so does packing. All that is in use is then the beginning of the image.
 *
 * The size is REFRAIN_TOTAL_MEMORY minus what the monitor needs outside, fixed before the first event. The bytes are
 * reserved on disk, so that a full disk is found at the start. Little-endian. Offsets count bytes from the start of
 * the trace file. A reference is an offset / 16 in 32 bits; 0 is none. The form in memory is that of the file: a
 * killed process leaves all that it had learned, and a reader of a running process copies learner by learner.
 *
 * Structural changes of a learner are guarded by the journal of its thread: the learner is copied there before it
 * changes, so that a reader can undo a change that was interrupted. Every other change is one store of at most 8
 * bytes that commits what was written before it. x86 keeps stores in order, so a compiler barrier is sufficient. */
#ifndef REFRAIN_TRACE_H
#define REFRAIN_TRACE_H

#include <refrain/access.h>
#include <refrain/formula.h>
#include <refrain/time_page.h>
#include <stdint.h>

#define REFRAIN_MAGIC "refrain\n"
/* Raise the version whenever the layout changes. Readers accept versions from the oldest to this one, and refuse all
 * others with a message. If both are equal, there is one layout. */
#define REFRAIN_TRACE_VERSION 41u
#define REFRAIN_TRACE_OLDEST REFRAIN_TRACE_VERSION
#define REFRAIN_HEADER_BYTES 4096u
#define REFRAIN_ALIGNMENT_BYTES 16u /* alignment unit of the pool */
#define REFRAIN_TRACE_SUFFIX ".refrain"
/* In app-<date>-<time>.refrain/: rank-<n>.trace (the trace file), rank-<n>.events (event_file.h) */
#define REFRAIN_TRACE_FILE_NAME "rank-%d.trace"
#define REFRAIN_EVENTS_NAME "rank-%d.events"
#define REFRAIN_NAMES_FILE_NAME "names" /* beside them: names of code addresses found by readers (names_file.h) */

enum refrain_mode { REFRAIN_MODE_OFF = 0, REFRAIN_MODE_STAT = 1, REFRAIN_MODE_EVENTS = 2, REFRAIN_MODE_BOTH = 3 };

/* Losses: data that the trace could not keep. Each kind has a line in `refrain info`. */
enum refrain_loss {
    REFRAIN_LOSS_UNITS,       /* units whose tables did not fit the trace file, or of another version */
    REFRAIN_LOSS_THREADS,     /* threads beyond REFRAIN_THREADS */
    REFRAIN_LOSS_DEPTH,       /* activations beyond the shadow stack */
    REFRAIN_LOSS_INTERRUPTED, /* probes that a signal handler ran inside another probe, or after a jump out of one; or
                                 that a thread ran while another one was opening the trace file */
    REFRAIN_LOSS_LEARNERS,    /* learners that became summaries */
    REFRAIN_LOSS_SUMMARY_VALUES, /* values that are only in a summary */
    REFRAIN_LOSS_CALLS,          /* MPI calls without room for a call site: not in the trace */
    REFRAIN_LOSS_REQUESTS,       /* requests beyond the request table: their completion is not in the trace */
    REFRAIN_LOSS_COMMUNICATORS,  /* communicators beyond the table: shown as an older one of the same members, or
                                    unknown */
    REFRAIN_LOSS_EVENTS,         /* recorded events that could not be written (modes events and both) */
    REFRAIN_LOSS_FORKS,          /* processes forked: the child is not traced */
    REFRAIN_LOSS_REGIONS,        /* user regions and constructs without room; ends of user regions without a begin */
    REFRAIN_LOSS_WINDOWS,        /* windows and files beyond their table */
    REFRAIN_LOSS_TYPES,          /* datatypes beyond their table: bytes of their messages are unknown */
    REFRAIN_LOSS_COUNTS,         /* values without a count of their own, counted as another value */
    REFRAIN_LOSS_CALL_SITES,     /* MPI calls recorded at another call site of their function, as there was no room for
                                    their own */
    REFRAIN_LOSS_PATHS,          /* call paths whose outer part, or a function in it, is unknown */
    REFRAIN_LOSS_METRICS,        /* blocks without counters: no room at their place, or not read */
    REFRAIN_LOSS_FILE_NAMES,     /* opened files without room for their names */
    REFRAIN_LOSS_STACKS,         /* activations that were ended early, since the program continued on another stack */
    REFRAIN_LOSSES
};

/* Values of the successor sequence of a slot. All other values are numbers of slots: control went there. */
#define REFRAIN_NEXT_EXIT ((int64_t)-1)      /* the activation ended */
#define REFRAIN_NEXT_UNWIND ((int64_t)-2)    /* the activation ended by a jump out of it (longjmp) */
#define REFRAIN_NEXT_ABANDONED ((int64_t)-3) /* it ended by a jump out of one above it, at the same time */
#define REFRAIN_NEXT_GONE                                                                                              \
    ((int64_t)-4) /* an activation of the call path had ended already at the end of the block before */
#define REFRAIN_NEXT_CALL ((int64_t)1 << 32)      /* + number of a struct refrain_call_site: an MPI call began */
#define REFRAIN_NEXT_OPERATION ((int64_t)1 << 33) /* + enum refrain_operation: inside an MPI call */
#define REFRAIN_NEXT_REGION ((int64_t)1 << 34)    /* + number of a struct refrain_region_name: a user region began */
#define REFRAIN_NEXT_VALUE ((int64_t)1 << 35)     /* + number of a struct refrain_region_name: a marker or counter */

#define REFRAIN_SLOT_CALL 1u          /* before a call: when it returns, control is at the next slot */
#define REFRAIN_SLOT_MPI_CALL 2u      /* the call is one of an MPI function by name */
#define REFRAIN_SLOT_FUNCTION 4u      /* slot [0] of a function */
#define REFRAIN_SLOT_THROTTLED_NOW 8u /* its probe is throttled: it runs too often for what it costs */
/* Slot [0] of a loop with a counter instead of a probe per iteration: it has no other probe in it. */
#define REFRAIN_SLOT_COUNTED 16u
#define REFRAIN_SLOT_OFF 32u           /* its probe is disabled: no event depends on it, or it is throttled */
#define REFRAIN_SLOT_WAS_THROTTLED 64u /* its probe was throttled at some time: counts are lower bounds */
#define REFRAIN_SLOT_KIND(flags) ((flags) >> 8 & 15u)   /* enum refrain_arrival: kind of the probe that reaches it */
#define REFRAIN_SLOT_OF_FUNCTION(flags) ((flags) >> 12) /* distance from slot [0] of the function it is in */
#define REFRAIN_SLOT_FLAGS(kind, of_function) ((uint32_t)(kind) << 8 | (uint32_t)(of_function) << 12)

/* How control reaches a slot (unit.h, refrain_probe). Private to the monitor. */
enum refrain_arrival {
    REFRAIN_ARRIVAL_NONE,     /* by no probe: [1] of a call */
    REFRAIN_ARRIVAL_DECISION, /* [0] of a decision: by the probe of [1] or [2], first */
    REFRAIN_ARRIVAL_ENTER,
    REFRAIN_ARRIVAL_LEAVE,
    REFRAIN_ARRIVAL_COUNT, /* [0] of a loop: with a counter by a probe of its own, else by that of [1] or [2], first */
    /* Kinds with this bit are frequent, and stay in the same activation. REFRAIN_ARRIVAL_BACK has the distance from
     * the first slot of the node. */
    REFRAIN_ARRIVAL_OFTEN = 8,
    REFRAIN_ARRIVAL_BACK = 3,
    REFRAIN_ARRIVAL_LOOP = 4, /* bit */
    REFRAIN_ARRIVAL_AT = REFRAIN_ARRIVAL_OFTEN,
    REFRAIN_ARRIVAL_TRUE = REFRAIN_ARRIVAL_OFTEN | 1,
    REFRAIN_ARRIVAL_FALSE = REFRAIN_ARRIVAL_OFTEN | 2,
    REFRAIN_ARRIVAL_AGAIN = REFRAIN_ARRIVAL_OFTEN | REFRAIN_ARRIVAL_LOOP | 1,
    REFRAIN_ARRIVAL_DONE = REFRAIN_ARRIVAL_OFTEN | REFRAIN_ARRIVAL_LOOP | 2,
};

/* A place: which place came next, and how long until the next clock read. 96 bytes. A block is the time from the
 * last clock read before the place was left to the next one; all blocks of a thread add up to its run time. */
struct refrain_slot {
    struct refrain_learner next; /* slot [0] of a decision or loop: decisions or counts instead of successors */
    uint64_t count;  /* blocks that ended here; slot [0] of a loop: iterations that are not yet stored as a count; slot
                        [1] of a function: activations begun (`ticks` is the duration of those ended) */
    uint64_t ticks;  /* their total */
    uint32_t number; /* of this slot, unique in the process and the same for all threads */
    uint32_t flags;  /* REFRAIN_SLOT_* */
    uint32_t throttled_at; /* slot [1] of a function: its last activation before its probe was throttled for the first
                              time, 0 = never */
    uint32_t metrics;      /* reference of header.n_metrics totals of its blocks (uint64_t), 0 = none */
};

/* Result for each metric of REFRAIN_METRICS: events of the processor and the kernel, counted per thread. */
#define REFRAIN_MOST_METRICS 8u
enum refrain_metric_state {
    REFRAIN_METRIC_COUNTED,
    REFRAIN_METRIC_USER,      /* counted, except while the kernel works for the program, which is forbidden */
    REFRAIN_METRIC_UNKNOWN,   /* no event has this name */
    REFRAIN_METRIC_ABSENT,    /* this machine has no such event */
    REFRAIN_METRIC_FORBIDDEN, /* the kernel does not let this user count it */
    REFRAIN_METRIC_TOO_MANY,  /* it cannot be counted together with the metrics before it */
    REFRAIN_METRIC_FAILED,    /* for lack of descriptors, memory ... */
    REFRAIN_METRIC_STATES
};
struct refrain_metric {
    uint32_t name;  /* reference of struct refrain_name: name in the setting */
    uint32_t state; /* enum refrain_metric_state */
};
struct refrain_metrics {
    uint32_t n; /* number in the setting; the first header.n_metrics of them are counted */
    uint32_t reserved;
    struct refrain_metric metric[REFRAIN_MOST_METRICS];
};

/* A unit's tables as copied from the executable. */
struct refrain_unit_record {
    uint64_t next;    /* offset of the next unit, 0 = last */
    uint64_t nodes;   /* offset of n_nodes struct refrain_node (unit.h) */
    uint64_t strings; /* offset */
    uint64_t slots;   /* offset of n_slots struct refrain_slot of thread 0; thread t's are t * n_slots further */
    uint32_t n_nodes, n_slots, strings_bytes;
    uint32_t first_slot; /* number of the unit's slot 0 */
};

/* A message that a call on several requests waits for. */
struct refrain_awaited {
    int32_t peer; /* rank that has to send or receive; REFRAIN_NOW_ANY any */
    int32_t tag;  /* -1 any */
};
#define REFRAIN_MOST_AWAITED 32u

/* Current activity of a thread, for refrain top, which looks at a running or hanging program. Replay does not use
 * it. The thread writes it before a call begins to wait. */
struct refrain_now {
    uint32_t call;         /* number + 1 of the call site of the current or last MPI call, 0 = none yet */
    uint32_t inside;       /* 1: the thread is in this call */
    int32_t sends_to;      /* rank of `comm` that has to receive so that the call can end; -1 none or unknown */
    int32_t receives_from; /* rank of `comm` that has to send; -1 none or unknown, REFRAIN_NOW_ANY any */
    uint32_t comm;         /* index + 1 of the communicator of these, or of the collective; 0 none or unknown */
    int32_t tag;           /* of the receive, else of the send; -1 any or unknown */
    /* For a call on several requests, instead of sends_to and receives_from: the message that each of them waits
     * for. If `comm` is 0, they are of several communicators, and peers are ranks in MPI_COMM_WORLD. */
    uint32_t n_awaited; /* 0: none, or some of them are unknown */
    uint32_t sends;     /* bit i: message i is sent, so the peer has to receive it */
    struct refrain_awaited awaited[REFRAIN_MOST_AWAITED];
};
#define REFRAIN_NOW_ANY (-2)

/* Most call sites of a process; their numbers are found through a table outside the trace file. */
#define REFRAIN_MOST_CALL_SITES 65536u

#define REFRAIN_SAMPLES_UNKNOWN UINT32_MAX

/* One per thread, consecutive. Each begins with a cache line of members that change with every MPI call. */
struct refrain_thread {
    uint64_t last_ticks; /* last clock read */
    uint32_t started;    /* 1 once a thread has taken this record */
    uint32_t paused;     /* 1: it is not traced now */
    struct refrain_now now;
    uint64_t start_ticks;
    uint32_t ended;
    uint32_t journal;         /* reference of struct refrain_journal */
    struct refrain_slot root; /* place of the thread outside of its outermost activations */
    uint32_t timeline;        /* reference of struct refrain_timeline, 0 = none */
    uint32_t samples; /* number of samples: one per REFRAIN_ALLOWANCE_PROBES probes; REFRAIN_SAMPLES_UNKNOWN: too many,
                         or unknown */
    uint64_t untold_calls;   /* MPI calls while it was paused: not in the trace */
    uint64_t left_out_calls; /* MPI calls that a filter leaves out */
    uint64_t metrics_ns,
        metrics_counted_ns; /* time since its metrics were opened, and the part of it in which they were counted: 0 for
                               all of it, less if other programs use the same counters */
    uint64_t reserved[7];
};
_Static_assert(sizeof(struct refrain_thread) % 64 == 0, "they begin cache lines");

/* Undo record of one structural change. While `learner` is not 0, that learner and its formula have to be read from
 * here. */
struct refrain_journal {
    uint64_t learner; /* offset of the learner being changed, 0 = none */
    struct refrain_learner before;
    uint32_t formula_bytes;
    uint32_t capacity_bytes;
    uint32_t archive_last_used; /* of the formula's last archive chunk */
    uint32_t first_item;        /* items before this one are unchanged and not copied */
    uint32_t tally_bytes; /* size of the old contents of the tally of the learner, stored after room for the longest
                             formula; 0: none */
    uint32_t tally_at;    /* position of these contents in `formula` */
    uint8_t formula[];    /* struct refrain_formula and its items, at their positions */
};

/* Operations inside an MPI call, and the parameters learned for each, in this order. A rank is one of the
 * communicator (for an intercommunicator, of its remote group). `comm` is an index of struct refrain_communicator.
 * `request` is an index in the request table, which allocates the lowest free index, so that a replay can compute
 * it. */
enum refrain_operation {
    REFRAIN_OP_SEND = 1,    /* dest, tag, bytes, comm */
    REFRAIN_OP_RECV,        /* source, tag, bytes, comm: as they actually were; after the call returned */
    REFRAIN_OP_ISEND,       /* dest, tag, bytes, comm; takes a request */
    REFRAIN_OP_IRECV,       /* comm; takes a request. source, tag, bytes are appended when it completes */
    REFRAIN_OP_SEND_INIT,   /* dest, tag, bytes, comm; takes a request, inactive */
    REFRAIN_OP_RECV_INIT,   /* comm; takes a request, inactive. source, tag, bytes are appended at each completion */
    REFRAIN_OP_START,       /* request: of a persistent one */
    REFRAIN_OP_COMPLETE,    /* request: it completed; requests that are not persistent are freed */
    REFRAIN_OP_CANCELLED,   /* request: it completed without a message */
    REFRAIN_OP_FREE,        /* request: freed before its completion was seen */
    REFRAIN_OP_COLLECTIVE,  /* root (or -1), sent, received, comm */
    REFRAIN_OP_ICOLLECTIVE, /* root (or -1), sent, received, comm; takes a request */
    REFRAIN_OP_COLLECTIVE_INIT, /* root, sent, received, comm; takes a request, inactive */
    REFRAIN_OP_RMA,             /* target (in MPI_COMM_WORLD), bytes, window: by number, -1 unknown */
    REFRAIN_OP_IO,              /* bytes, file: by number, -1 unknown */
    REFRAIN_OP_NOTHING,         /* takes a request that carries no message (MPI_PROC_NULL, generalised ...) */
    REFRAIN_OP_COMPLETE_RUN,    /* request, n: n times COMPLETE, of requests with consecutive numbers */
    REFRAIN_OP_COMPLETE_OTHER,  /* operation, comm: completion of a request that another thread started with this
                                   operation, without received data; its owner frees it by FREE */
    REFRAIN_OP_RMA_REQUEST,     /* target, bytes, window: as RMA; takes a request */
    REFRAIN_OP_IO_REQUEST, /* bytes, file: as IO; takes a request. The moved bytes (-1 unknown) are appended when it
                              completes */
    REFRAIN_OP_WINDOW, /* rank (in MPI_COMM_WORLD, -1 none or all), lock (enum refrain_window_lock), window: any other
                          call that names a window. Calls that make or free it are recorded when they have succeeded;
                          calls that name a group once for each rank in it, when they return */
    REFRAIN_OP_FILE,   /* mode (of opening: enum refrain_file_mode, else 0), file: any other call that names a file;
                          opening and closing are recorded when they have succeeded */
    REFRAIN_OP_MOVED, /* bytes (-1 unknown: it failed), file: bytes moved by a blocking access, or by the second half of
                         a split one; after the call returned */
    REFRAIN_OP_SEEK, /* whence (enum refrain_whence), offset, position (the result; -1 unknown), file: a file pointer is
                        set, in units of the view; after the call returned */
    REFRAIN_OP_COMM, /* comm (-1 unknown, REFRAIN_COMM_NULL_OF(parent): the call made MPI_COMM_NULL for this process):
                        the call has made this communicator or freed it; after the call returned */
    REFRAIN_OPERATIONS
};
#define REFRAIN_PARAMETERS 4
#define REFRAIN_PARAMETER_MOVED 2 /* of IO_REQUEST */
#define REFRAIN_RUN_REQUESTS 64   /* most requests of one COMPLETE_RUN */

/* Communicator of REFRAIN_OP_COMM if the call left this process out of a new one: `parent` is the index of the
 * communicator whose members were to make it. The formula is its own inverse. */
#define REFRAIN_COMM_NULL_OF(parent) (-2 - (parent))

/* Root of a collective in an intercommunicator (MPI_ROOT): this rank itself, which is not in the remote group. */
#define REFRAIN_ROOT_SELF (-2)

/* The learners of one operation at one call site. */
struct refrain_operation_record {
    uint32_t next;             /* reference of the site's next operation record */
    uint32_t operation;        /* enum refrain_operation */
    uint64_t after_return;     /* 1: recorded after the MPI function returned, so the time inside ended before it */
    struct refrain_slot after; /* place after the operation */
    struct refrain_learner
        parameter[REFRAIN_PARAMETERS]; /* as listed in enum refrain_operation; for IRECV and RECV_INIT in the order of
                                          RECV; for IO_REQUEST bytes, file, moved */
};

/* Where an MPI function is called from: the slot of a node if the source has one, else the return address. Per
 * thread. */
struct refrain_call_site {
    uint32_t next;           /* reference of the thread's next call site */
    uint32_t function;       /* index in mpi_calls.def */
    uint32_t slot;           /* number of the slot that the call was made from, when first seen */
    uint32_t operations;     /* reference of the first operation record */
    uint64_t return_address; /* minus the load address of its object; 0 if `slot` is an MPI_CALL for this function */
    uint32_t object;         /* reference of struct refrain_name: the object's path, 0 with return_address 0; Python:
                                the source file */
    uint32_t thread;
    uint64_t shared; /* calls from other places that are recorded here, as there was no room for a site of their own */
    uint32_t number; /* of the call site in its process, in the order of first use, from 0 */
    uint32_t line;   /* Python: of the source file, from 1; else 0 */
    uint32_t within; /* Python: reference of struct refrain_name: the function */
    uint32_t grown_kib;         /* growth of the process's high-water mark of memory before calls from here */
    struct refrain_slot inside; /* begins with the call; its blocks are time spent in MPI */
};

/* An overflow site: a call site without room for records of its own. Its calls are recorded at another
 * call site of the same function and thread, the host, and use its slots and operations. It has a number of its own,
 * which learned values contain. So the number of calls from each place is exact. Parameters of its operations are
 * counted by partner (struct refrain_overflow_row). */
struct refrain_overflow_site {
    uint32_t next; /* reference of the next one */
    uint32_t number;
    uint16_t host;                 /* number of the call site that is its host */
    uint16_t flags;                /* REFRAIN_OVERFLOW_* */
    uint32_t host_reference;       /* private to the monitor: reference of the host */
    uint64_t where;                /* return address as in a call site; or the line of Python */
    uint32_t slot, object, within; /* as in a call site */
    uint32_t rows;                 /* reference of the first row */
    uint64_t calls;
};
#define REFRAIN_OVERFLOW_PYTHON 1u
/* There was no room for all its rows: parameters of some operations were learned at the host. */
#define REFRAIN_OVERFLOW_MIXED 2u

/* Operations of an overflow site that agree in all values except amounts and tags. */
struct refrain_overflow_row {
    uint32_t next;     /* reference of the next row of the overflow site */
    uint8_t operation; /* enum refrain_operation */
    uint8_t amounts;   /* bits: values that are totals */
    uint8_t differ; /* bits: values that were not always equal: of an amount, only the total is known; of another value,
                       the latest */
    uint8_t reserved;
    uint64_t count;
    int64_t values[REFRAIN_PARAMETERS];
};

struct refrain_name {
    uint32_t length;
    char text[]; /* NUL-terminated */
};

enum refrain_region_use {
    REFRAIN_USE_REGION,   /* a user region (refrain.h); with an object, a call of the thread library (thread_calls.h) */
    REFRAIN_USE_FUNCTION, /* a function without probes on the way to an MPI call (REFRAIN_CALL_PATH) */
    REFRAIN_USE_PYTHON,   /* one of Python (and REFRAIN_PYTHON) */
    REFRAIN_USE_PHASE,    /* a phase (refrain.h) */
    REFRAIN_USE_PAUSE,    /* the thread is not traced (refrain_pause) */
    REFRAIN_USE_MARKER,  /* no activation: a marker; `inside.next` gets a 0 each time, `inside.count` is their number */
    REFRAIN_USE_COUNTER, /* no activation: a counter; `inside.next` is its values */
    REFRAIN_USE_UNTOLD, /* no activation: calls that were not traced, in a pause or by a filter. For each, `inside.next`
                           gets REFRAIN_UNTOLD_VALUES values, without a block: enum refrain_untold, peer, tag, comm,
                           number of calls */
};

/* True if a record of this use has values and is never entered. */
static inline int refrain_use_is_value(uint32_t use) {
    return use == REFRAIN_USE_MARKER || use == REFRAIN_USE_COUNTER || use == REFRAIN_USE_UNTOLD;
}

/* Communication that was not traced, as far as replay needs it to match later messages and collectives. Ranks are
 * those of the communicator, as in operations. */
enum refrain_untold {
    REFRAIN_UNTOLD_SEND,        /* peer: destination */
    REFRAIN_UNTOLD_RECEIVE,     /* peer: source; also for a receive that was freed before completion (MPI_Request_free):
                                   peer and tag are -1 if it accepts any and had no message yet */
    REFRAIN_UNTOLD_COLLECTIVE,  /* blocking; peer is the function, an index in mpi_calls.def */
    REFRAIN_UNTOLD_ICOLLECTIVE, /* nonblocking; the same */
};
#define REFRAIN_UNTOLD_VALUES 5u

/* The kind of an activation without a slot in a unit: a user region, or a function without probes. Each thread has
 * records of its own. */
struct refrain_region_name {
    uint32_t next;
    union {
        uint32_t name;          /* reference of struct refrain_name */
        uint32_t called_object; /* FUNCTION: reference of struct refrain_name: path of the object that contains
                                   `called_from` */
    };
    uint32_t thread;
    uint32_t number;  /* as for a call site, among the user regions */
    uint64_t address; /* FUNCTION: address of its first instruction, minus the load address of its object; REGION:
                         return address of the call, minus that; PYTHON: line */
    uint32_t object; /* FUNCTION, REGION, PYTHON: reference of struct refrain_name: path of the object or source file */
    uint32_t use;    /* enum refrain_region_use */
    struct refrain_slot inside;
    union {
        uint64_t total_ticks; /* REGION, PHASE: total duration of its finished activations */
        uint64_t called_from; /* FUNCTION: return address of its calls, minus the load address of that object. There is
                                 a record for each such address, since it shows which functions were inlined there; 0:
                                 its caller is not recorded */
    };
    uint64_t begun; /* activations */
};

/* Communicators, in the order of their index. 0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF. The pair (leader, ordinal) is
 * the same on all members of a communicator and identifies it: the rank in MPI_COMM_WORLD of its rank 0, and a
 * number given by this rank. */
struct refrain_communicator {
    uint32_t next; /* reference of the next one */
    uint32_t index;
    int32_t leader; /* -1: not agreed upon (beyond the table, or not within this MPI_COMM_WORLD) */
    uint32_t ordinal;
    int32_t size; /* of the local group */
    int32_t my_rank;
    int32_t remote_size;  /* intercommunicator, else 0 */
    uint32_t members;     /* reference of size + remote_size int32_t world ranks (-1 unknown); 0: all, in order */
    uint32_t name;        /* reference of struct refrain_name, 0 = none */
    uint32_t parent;      /* index + 1 of the communicator it was made from, 0 = none */
    uint32_t topology;    /* reference of struct refrain_topology, 0 = none */
    uint32_t collectives; /* blocking collectives that this process has entered on it, modulo 2^32 (refrain top) */
};

struct refrain_topology {
    uint32_t n_dimensions; /* Cartesian */
    uint32_t reserved[3];
    int32_t values[]; /* dimensions, then periods, then own coordinates */
};

/* Windows and files by their numbers in operations, in the order of first use. A number is used again when its
 * window or file is closed. Among the windows (or files with one name) that a communicator has at the same time, a
 * new one gets the lowest free `slot`. All members get the same slot, as they make and free windows and files
 * together. */
enum refrain_object_kind { REFRAIN_OBJECT_WINDOW = 1, REFRAIN_OBJECT_FILE };
struct refrain_object {
    uint32_t next;   /* reference of the next one */
    uint32_t kind;   /* enum refrain_object_kind */
    uint32_t number; /* among those of its kind */
    uint32_t comm;   /* index + 1 of the communicator on which it was made, 0 = unknown */
    uint32_t slot;
    uint32_t name; /* of a file: reference of struct refrain_name; 0: no room */
    uint32_t open; /* 1: it exists now */
    uint32_t reserved;
};

/* A file with code of MPI calls or of functions on the way to them: the executable, or a library. A reader uses
 * names from a file only if this record shows that the file is the one that ran. */
struct refrain_binary {
    uint32_t next;     /* reference of the next one */
    uint32_t path;     /* reference of struct refrain_name: as call sites and functions name it */
    uint32_t build_id; /* reference of struct refrain_name: in hexadecimal; 0: the file has none; then size and time
                          identify it */
    uint32_t reserved;
    uint64_t file_bytes; /* size */
    uint64_t changed_ns; /* time of change (CLOCK_REALTIME); both 0: unknown */
};

/* Samples of one thread (REFRAIN_SAMPLE): how often each function was running, by its callers. The thread itself
 * writes its samples, in a signal handler. Nodes and counts are only appended; n_nodes and n_counts grow when the
 * new entry is complete.
 *
 *     nodes    main <- solve <- pair_force            a node is a function under its caller, which comes before it
 *     counts   (pair_force, after call site 7, stretch 12): 312   for each MPI call that the thread was in or after
 *
 * The run is divided into stretches, which become longer with it. So that at most REFRAIN_SAMPLE_STRETCHES are in use,
 * or if there is no room for a further count, the stretches become twice as long, and counts are joined: n_counts
 * becomes smaller. A count without samples is not in use. Whoever reads a running process meanwhile may see some
 * samples twice or not at all. */
struct refrain_samples {
    uint32_t next;   /* reference of the next thread's */
    uint32_t thread; /* number of the thread + 1; 0: it ran no probe and made no MPI call */
    uint32_t n_nodes, most_nodes;
    uint32_t n_counts, most_counts;
    uint32_t nodes, counts; /* references: of most_nodes struct refrain_sample_node, and of the counts */
    uint64_t taken;         /* samples; each is in a count, or lost */
    uint64_t cut;           /* of these: the stack could be followed only in part, so outer functions are missing */
    uint64_t merged;        /* of these: counted at a caller, or at another call, since a table was full */
    uint64_t lost;          /* of these: in no count */
};
struct refrain_sample_node {
    uint32_t parent;  /* index + 1 of the caller, which is less than its own; 0: no caller */
    uint32_t object;  /* reference of struct refrain_name: path of the object; 0: code that is in no file */
    uint64_t address; /* of the function, minus the load address of its object; 0: unknown */
};
struct refrain_sample_count {
    uint32_t node; /* index */
    uint32_t call; /* number + 1 of the call site of the latest call of the thread, 0 none; and REFRAIN_SAMPLE_INSIDE */
    uint32_t samples;
    uint32_t
        stretch; /* shift << 8 | index: from index << shift ticks after `start` of the header, for 1 << shift ticks */
};
#define REFRAIN_SAMPLE_STRETCHES 64u
#define REFRAIN_SAMPLE_INSIDE 0x80000000u /* it was in the MPI call, not after it */

struct refrain_clock_pair {
    uint64_t ticks;
    uint64_t realtime_ns;  /* CLOCK_REALTIME, since the epoch */
    uint64_t monotonic_ns; /* CLOCK_MONOTONIC */
};

/* Comparison of the clock of this node with that of another node, by messages that went there and back; the fastest
 * of several counts. Nodes are those with a boot id of their own. They form a tree, with one rank of each node. */
struct refrain_clock_meeting {
    uint64_t own_ticks;        /* in the middle between sending and getting the answer */
    uint64_t parent_ticks;     /* time of the answer by the other clock */
    uint64_t round_trip_ticks; /* own ticks there and back: twice the largest error of own_ticks */
};
struct refrain_clock_sync {
    uint32_t n;     /* meetings: 0, 1 (in MPI_Init) or 2 (in MPI_Finalize) */
    int32_t parent; /* the other one's rank in MPI_COMM_WORLD */
    struct refrain_clock_meeting meeting[2];
};

/* Costs of refrain itself, by kind of probe. Each process measures them at its start: it runs each probe in the mode of
 * the run, and MPI calls whose values are predicted. In sixteenths of a tick: `before` up to the end of the clock read
 * of the probe, `after` from there on. A probe without a clock read has only `before`. */
enum refrain_probe_kind {
    REFRAIN_PROBE_ENTER,        /* a function is entered */
    REFRAIN_PROBE_LEAVE,        /* ... and left */
    REFRAIN_PROBE_PLACE,        /* control is at a call, at a switch ... */
    REFRAIN_PROBE_DECISION,     /* a condition was true, or false */
    REFRAIN_PROBE_ITERATION,    /* a loop begins another iteration */
    REFRAIN_PROBE_LOOP_END,     /* ... and ends */
    REFRAIN_PROBE_COUNT,        /* a loop with a counter records its count */
    REFRAIN_PROBE_REGION_BEGIN, /* a user region */
    REFRAIN_PROBE_REGION_END,
    REFRAIN_PROBE_CALL_BEGIN,  /* an MPI call: before the MPI library's part */
    REFRAIN_PROBE_CALL_RETURN, /* ... its clock read after that part */
    REFRAIN_PROBE_OPERATION,   /* ... a message, a collective, a request that completes ... */
    REFRAIN_PROBE_CALL_END,    /* ... its end, without a clock read */
    REFRAIN_PROBE_KINDS
};
#define REFRAIN_PROBE_COST_SHIFT 4u
struct refrain_probe_cost {
    uint32_t before, after;
};

/* Result of REFRAIN_ORDER=virtual. */
enum refrain_order { REFRAIN_ORDER_AS_IT_COMES, REFRAIN_ORDER_VIRTUAL, REFRAIN_ORDER_REFUSED };
struct refrain_order_counts {
    uint32_t state; /* enum refrain_order; REFUSED: requested, but not possible here */
    uint32_t reserved;
    uint64_t receives; /* receives from any source whose source was chosen */
    uint64_t held;     /* of these, receives that waited for a message that might come earlier */
    uint64_t given_up; /* of these, receives that stopped waiting */
};

/* How the process ended. */
enum refrain_finished {
    REFRAIN_UNFINISHED,        /* it runs, or was killed */
    REFRAIN_FINISHED,          /* by itself */
    REFRAIN_FINISHED_WITH_MPI, /* tracing ended in MPI_Finalize (REFRAIN_PACK=on); the process may have continued */
    REFRAIN_FINISHED_BY_ABORT  /* tracing ended when the process called MPI_Abort */
};

/* Memory of the process that is resident, as the kernel counts it. Points lie at least apart_ticks apart, in time
 * order; each has the most that was read until the next one. When there is no room, every other point goes, and the
 * distance doubles. */
#define REFRAIN_RESIDENT_POINTS 128u
struct refrain_resident_point {
    uint64_t ticks;
    uint32_t kib;
    uint32_t reserved;
};
struct refrain_resident {
    uint32_t n;                   /* number of points; 0: nothing could be read */
    uint32_t first_kib, high_kib; /* high-water mark when tracing began, and at the latest reading */
    uint32_t reserved;
    uint64_t apart_ticks;
    struct refrain_resident_point points[REFRAIN_RESIDENT_POINTS];
};

struct refrain_header {
    char magic[8];    /* REFRAIN_MAGIC; written last */
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    uint32_t header_bytes;
    uint64_t bytes;     /* of the trace file */
    uint64_t pool_used; /* offset of the first free byte */
    /* Offset of the lowest page of a timeline at the end of the file, after the free bytes; `bytes`: there is none. */
    uint64_t times_from;
    uint32_t mode; /* enum refrain_mode */
    uint32_t formula_length;
    int32_t rank; /* in MPI_COMM_WORLD; -1 while unknown, 0 without MPI */
    int32_t size; /* of MPI_COMM_WORLD; 0 while unknown, 1 without MPI */
    uint32_t pid;
    uint32_t finished; /* enum refrain_finished */
    uint32_t clock;    /* 0 TSC, 1 clock_gettime */
    uint32_t n_threads;
    uint64_t threads;       /* offset of struct refrain_thread[n_threads] */
    uint64_t units;         /* offset of the first unit */
    uint64_t call_sites;    /* reference of the first */
    uint64_t regions;       /* reference of the first user region name */
    uint64_t communicators; /* reference of the first */
    uint32_t n_slots;
    uint32_t n_communicators;
    uint32_t n_call_sites;                 /* numbers given to call sites ... */
    uint32_t n_regions;                    /* ... and to user regions */
    struct refrain_clock_pair start, last; /* last: updated now and then, and at the end */
    uint64_t outside_bytes;                /* memory that the monitor reserved outside the trace file */
    uint64_t losses[REFRAIN_LOSSES];
    uint32_t executable; /* reference of struct refrain_name: path */
    /* Reference of struct refrain_name: REFRAIN_* settings, and the variables of OpenMP and of MPI libraries, one
     * NAME=value a line. */
    uint32_t environment;
    uint32_t host;
    uint32_t mpi_library; /* version string, 0 without MPI */
    uint32_t start_directory;
    uint32_t call_slots; /* number of MPI functions known to the writer (length of mpi_calls.def) */
    uint32_t mpi_thread_level;
    uint32_t request_high_water;
    uint64_t boot_id[2]; /* same on processes that share a TSC */
    uint32_t pause;      /* 1: threads should pause; also written from outside (refrain pause) */
    uint32_t reserved_pause;
    uint32_t n_throttled;                 /* number of throttled probes */
    uint32_t code_is_kept;                /* 1: the system forbids changes of code, so disabled probes cost a call */
    uint64_t tree_bytes, slot_bytes;      /* parts of the pool used by tables */
    uint64_t time_bytes;                  /* limit for the timelines of all threads together */
    struct refrain_clock_sync clock_sync; /* of one rank of each node, except that of rank 0 */
    struct refrain_probe_cost probe_costs[REFRAIN_PROBE_KINDS]; /* all 0: not measured */
    uint64_t setup_ticks;                                       /* from `start` until the first probe could run */
    uint64_t init_ticks;                                        /* of MPI_Init: time that refrain spent in it */
    uint64_t image_bytes, image_used; /* of a packed file: `bytes` and `pool_used` of its image; else 0 */
    struct refrain_order_counts order;
    uint64_t formulas_reused; /* how often a formula was put where another had been; for readers of a running process */
    uint32_t n_metrics;       /* totals of each slot that has metrics */
    uint32_t metrics;         /* reference of struct refrain_metrics, 0 = none requested */
    uint32_t objects;         /* reference of the first window or file */
    uint32_t n_objects;       /* of both */
    uint64_t overflow_sites;  /* reference of the first */
    struct refrain_clock_pair first; /* soon after `start`: gives the rate of the clock at first; all 0: unknown */
    /* Start of the process, in clock ticks since boot (/proc/PID/stat). With `pid` and `boot_id` it identifies the
     * process; 0: unknown. */
    uint64_t process_start;
    /* CLOCK_REALTIME when refrain record saw that the job was over, if the process did not end by itself; 0: not
     * seen. */
    uint64_t over_realtime_ns;
    int32_t abort_code; /* FINISHED_BY_ABORT: of MPI_Abort */
    /* As probe_costs, if the nearest caches have none of the monitor's data: of one probe of each kind except those
     * of MPI calls, and of an MPI call that sends a message. 0: not measured. */
    uint32_t cold_probes, cold_call;
    uint32_t page_ticks; /* ticks of the first store to a page of the trace file; 0: not measured */
    uint32_t binaries;   /* reference of the first file with code, the newest */
    uint32_t arguments;  /* reference of struct refrain_name: arguments of the program, quoted for a shell */
    uint64_t pack_ns;    /* processor time of packing this file when the process ended; 0: it was not packed */
    uint32_t samples;    /* reference of the first thread's samples */
    uint32_t sample_hz;  /* samples per second of processor time, 0: none are taken */
    struct refrain_resident resident;
};

/* Where the free bytes that begin at pool_used end. All other bytes are in use. */
static inline uint64_t refrain_free_until(const struct refrain_header *header) {
    uint64_t until = header->times_from < header->bytes ? header->times_from : header->bytes;
    return until > header->pool_used ? until : header->pool_used;
}

/* Where the bytes in use end. */
static inline uint64_t refrain_used_until(const struct refrain_header *header) {
    return refrain_free_until(header) < header->bytes ? header->bytes : header->pool_used;
}

static inline uint64_t refrain_used_bytes(const struct refrain_header *header) {
    return header->bytes - (refrain_free_until(header) - header->pool_used);
}

#endif
