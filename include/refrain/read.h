/* read.h: the library that reads refrain traces (librefrain-read): what a run consisted of, and its events.
 *
 *     rank-N.trace images --open_images--> struct refrain_trace --cursor_open--> struct refrain_cursor --next--> events
 *     a trace directory   --open---------^   ranks, threads, regions,              a window of time,
 *                                            communicators, losses                 some ranks or all
 *                                                   |
 *                                                   '---table_open---> struct refrain_trace_table: columns of
 *                                                                  the profile, of waiting, formulas ...
 *
 * A complete program that prints who sent how many bytes to whom:
 *
 *     struct refrain_trace *trace;
 *     struct refrain_cursor *cursor;
 *     struct refrain_error error = {0};
 *     if (refrain_trace_open("app-20260101-120000.refrain", false, &trace, &error) ||
 *         refrain_cursor_open(trace, NULL, &cursor, &error))
 *         return fprintf(stderr, "%s\n", error.message), 1;
 *     for (const struct refrain_trace_event *event; (event = refrain_cursor_next(cursor));)
 *         if (event->kind == REFRAIN_EVENT_SEND)
 *             printf("%d -> %d: %lld bytes\n", event->rank, event->send.dest, (long long)event->send.bytes);
 *     enum refrain_status status = refrain_cursor_close(cursor, &error); // says whether the trace was damaged
 *     refrain_trace_close(trace);
 *
 * Link with -lrefrain-read (pkg-config refrain-read; CMake: find_package(refrain), refrain::refrain-read). The same for
 * Python is docs/python.md.
 *
 * Versions. What is compiled against this header runs with every later library of the same soname whose
 * refrain_read_version() is no smaller than its REFRAIN_READ_VERSION. The version goes up by one when something is
 * added; the soname changes when something is changed or taken away. So structures that the library gives one at a time
 * (events, reports) and options may grow at their end; those that it gives as arrays do not.
 *
 * Memory. What a function returns belongs to the trace, cursor or table that it was asked of, and lives as long as
 * that, unless the function says otherwise. No function here ends the program or prints. The memory of a cursor does
 * not grow with the number of events; it grows with the messages in flight, and by checkpoints up to a bound that the
 * caller sets.
 *
 * Threads. An open trace may be read by any number of threads at once. A cursor is used by one thread at a time.
 *
 * Null. Pointers are not null, except where a function allows it; an error, and options, may always be null.
 *
 * Files. refrain_trace_open is the only function that opens files or starts processes. All others work on bytes in
 * memory, so that they run in a browser, in a fuzzer, or in many processes of which each reads its part.
 *
 * Damage. Any bytes may be given: a trace that contradicts itself is refused, with a message of one line that names the
 * image, the byte and what is wrong. */
#ifndef REFRAIN_READ_H
#define REFRAIN_READ_H

#include <refrain/access.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define REFRAIN_READ_API __attribute__((visibility("default")))
#else
#define REFRAIN_READ_API
#endif

/* ================ Version ================ */

#define REFRAIN_READ_VERSION 1

/* The version of the library that runs. */
REFRAIN_READ_API int refrain_read_version(void);

/* ================ Errors ================ */

enum refrain_status {
    REFRAIN_OK = 0,
    REFRAIN_ERROR = 1, /* in data or system */
    REFRAIN_USAGE = 2, /* the caller asked for something that is not possible */
};

/* The caller sets it to zero before its first use. The first failure stays in it; later ones do not overwrite it. Every
 * function takes null instead, where the caller needs no message. */
struct refrain_error {
    enum refrain_status code;
    const char *file; /* and line: where in the library's source the failure was found */
    int line;
    char message[1024]; /* one line without a line feed: what was read, where, what is wrong, what to do */
};

/* ================ Opening ================ */

struct refrain_trace;

/* The bytes of one rank's files. They belong to the caller, who keeps them unchanged until the trace is closed. */
struct refrain_image {
    const char *name;  /* for messages; null: "image N" */
    const void *bytes; /* of rank-N.trace: the whole file or, where the process ended by itself, at least its first
                          header.pool_used bytes */
    size_t length;
    const void *events; /* of rank-N.events, null when there is none */
    size_t events_length;
};

/* Opens a trace from the images of its ranks, in any order; ranks may be missing. The caller closes *trace, which is
 * null when the status is not REFRAIN_OK. */
REFRAIN_READ_API enum refrain_status refrain_trace_open_images(const struct refrain_image *images, size_t n,
                                                               struct refrain_trace **trace,
                                                               struct refrain_error *error);

/* Opens a trace directory, one rank-N.trace in it, or a pack of all ranks. The program may still run: then the trace
 * ends where the program is now. `resolve`: call sites and functions that are known by their address only get function,
 * file and line: those that are stored with the trace, and what is missing there from the symbols and the debug
 * information of the files that ran, by their build ids (within them, apart, or from DEBUGINFOD_URLS). What was found
 * out so is stored with the trace, where that may be written to. */
REFRAIN_READ_API enum refrain_status refrain_trace_open(const char *path, bool resolve, struct refrain_trace **trace,
                                                        struct refrain_error *error);

/* Frees the trace and all that its functions returned. The caller has closed its cursors before. Null is allowed. */
REFRAIN_READ_API void refrain_trace_close(struct refrain_trace *trace);

/* ================ What the run consisted of ================ */

/* Number of ranks of MPI_COMM_WORLD, as far as known; ranks without an image included. */
REFRAIN_READ_API int32_t refrain_trace_ranks(const struct refrain_trace *trace);

/* When the run began, in nanoseconds since the epoch. All other times count from there. */
REFRAIN_READ_API uint64_t refrain_trace_start_ns(const struct refrain_trace *trace);

/* A process of the run. */
struct refrain_process_info {
    int32_t rank; /* in MPI_COMM_WORLD; a process that ended before it knew its rank has a number after the last rank */
    uint32_t pid;
    bool finished;          /* the process ended by itself; else it was killed, or still runs */
    bool learned, recorded; /* the trace has learned sequences; recorded events. Both may be true */
    const char *executable; /* paths, names and texts: "" unknown */
    const char *host;
    const char *mpi_library; /* version string */
    const char *directory;   /* working directory at its start */
    const char *environment; /* REFRAIN_* settings, one NAME=value a line */
};

/* The processes by rank; *n is their number. */
REFRAIN_READ_API const struct refrain_process_info *refrain_trace_processes(const struct refrain_trace *trace,
                                                                            size_t *n);

/* A location: a thread of a process. Every event belongs to one. */
struct refrain_location_info {
    int32_t rank;
    uint32_t thread;
    int64_t start_ns, end_ns; /* its first and last clock read; reconstructed events may end a little later */
};

/* The locations that have run, by rank and thread. */
REFRAIN_READ_API const struct refrain_location_info *refrain_trace_locations(const struct refrain_trace *trace,
                                                                             size_t *n);

enum refrain_region_kind {
    REFRAIN_REGION_FUNCTION,
    REFRAIN_REGION_MPI,
    REFRAIN_REGION_USER,  /* a region or phase of the program (refrain.h), or "paused" */
    REFRAIN_REGION_VALUE, /* a marker or counter, which is never entered */
    REFRAIN_REGION_IO,    /* a function of the C library for files, with the line that calls it: POSIX_write ... */
};

/* The collective operation that an MPI function takes part in, blocking or not. */
enum refrain_collective {
    REFRAIN_COLLECTIVE_NONE = 0,
    REFRAIN_COLLECTIVE_BARRIER,
    REFRAIN_COLLECTIVE_BCAST,
    REFRAIN_COLLECTIVE_SCATTER,
    REFRAIN_COLLECTIVE_SCATTERV,
    REFRAIN_COLLECTIVE_GATHER,
    REFRAIN_COLLECTIVE_GATHERV,
    REFRAIN_COLLECTIVE_REDUCE,
    REFRAIN_COLLECTIVE_ALLGATHER,
    REFRAIN_COLLECTIVE_ALLGATHERV,
    REFRAIN_COLLECTIVE_ALLREDUCE,
    REFRAIN_COLLECTIVE_ALLTOALL,
    REFRAIN_COLLECTIVE_ALLTOALLV,
    REFRAIN_COLLECTIVE_ALLTOALLW,
    REFRAIN_COLLECTIVE_REDUCE_SCATTER,
    REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK,
    REFRAIN_COLLECTIVE_SCAN,
    REFRAIN_COLLECTIVE_EXSCAN,
    REFRAIN_COLLECTIVE_NEIGHBOR_ALLGATHER,
    REFRAIN_COLLECTIVE_NEIGHBOR_ALLGATHERV,
    REFRAIN_COLLECTIVE_NEIGHBOR_ALLTOALL,
    REFRAIN_COLLECTIVE_NEIGHBOR_ALLTOALLV,
    REFRAIN_COLLECTIVE_NEIGHBOR_ALLTOALLW,
    REFRAIN_COLLECTIVES
};

/* What a region's own time counts as, without what it calls. Of MPI calls, that part of it which is not waiting. */
enum refrain_own_time {
    REFRAIN_OWN_TIME_COMPUTING = 0, /* outside of MPI */
    REFRAIN_OWN_TIME_TRANSMISSION,  /* an MPI call moves data, or starts, completes, synchronises or looks for what does
                                     */
    REFRAIN_OWN_TIME_MANAGEMENT,    /* an MPI call begins or ends MPI, or makes, changes, frees or asks for something */
    REFRAIN_OWN_TIME_PAUSED,        /* nothing is known: the thread was not traced (refrain_pause) */
    REFRAIN_OWN_TIMES
};

/* A region of the trace: a function of the program; an MPI function together with the line that calls it; or a user
 * region. The same MPI function called from two lines is two regions. */
struct refrain_region_info {
    uint32_t index; /* from 0 without gaps, over the whole trace; UINT32_MAX: the trace does not name this region */
    enum refrain_region_kind kind;
    const char *name;
    const char *file;             /* "" unknown */
    uint32_t line;                /* 0 unknown */
    uint32_t mpi;                 /* MPI, IO: the function's number in traces + 1, 0 unknown */
    const char *function;         /* MPI, IO: the function of the program that makes the call; "" unknown. Without debug
                                     information: the nearest symbol before the call and the distance, or
                                     else the file and the address in it. "f, inlined into g" if the
                                     compiler inlined f */
    const char *collective;       /* MPI: name of the collective in lower case, "" for other functions */
    enum refrain_collective role; /* the same as a number */
    enum refrain_own_time own_time;
};

/* The regions by index. */
REFRAIN_READ_API const struct refrain_region_info *refrain_trace_regions(const struct refrain_trace *trace, size_t *n);

/* A communicator. All its members share this one object. */
struct refrain_comm_info {
    uint32_t index;   /* from 0 without gaps, over the whole trace; 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF */
    const char *name; /* "" none */
    int32_t size;
    const int32_t *members; /* ranks in MPI_COMM_WORLD; null: identity */
    int32_t remote_size;    /* of an intercommunicator, else 0 */
    const int32_t *remote_members;
};

/* The communicators by index. */
REFRAIN_READ_API const struct refrain_comm_info *refrain_trace_communicators(const struct refrain_trace *trace,
                                                                             size_t *n);

/* The ranks that should have an image and have none. */
REFRAIN_READ_API const int32_t *refrain_trace_missing(const struct refrain_trace *trace, size_t *n);

/* A loss: data that a process could not keep in its trace, mostly for lack of memory. */
struct refrain_loss_info {
    int32_t rank;
    const char *what; /* "learners that fell back to a summary" */
    uint64_t count;
};

/* The losses of all processes, by rank; usually *n is 0. */
REFRAIN_READ_API const struct refrain_loss_info *refrain_trace_losses(const struct refrain_trace *trace, size_t *n);

/* Cost of one kind of probe in a process, measured at its start. */
struct refrain_probe_cost_info {
    const char *kind; /* "enter", "leave", "place", "decision" ... (docs/virtual-time.md) */
    double
        before_ns; /* from the begin of the probe to the end of its clock read; the whole probe if it reads no clock */
    double after_ns; /* from there to the probe's end */
};

/* Costs of the probes of a rank; *n is 0 if they were not measured, or if there is no such rank. */
REFRAIN_READ_API const struct refrain_probe_cost_info *refrain_trace_probe_costs(const struct refrain_trace *trace,
                                                                                 int32_t rank, size_t *n);

/* ================ Events ================ */

/* Each kind names the member of struct refrain_trace_event that has its fields. */
enum refrain_event_kind {
    REFRAIN_EVENT_ENTER,               /* none */
    REFRAIN_EVENT_LEAVE,               /* none */
    REFRAIN_EVENT_SEND,                /* send: a message leaves */
    REFRAIN_EVENT_SEND_COMPLETE,       /* completion: a nonblocking send completed */
    REFRAIN_EVENT_RECV_POST,           /* completion: of the nonblocking receive that is posted here */
    REFRAIN_EVENT_RECV,                /* recv: a message has arrived */
    REFRAIN_EVENT_CANCEL,              /* completion: without a message */
    REFRAIN_EVENT_COLLECTIVE,          /* collective: the operation begins on this rank */
    REFRAIN_EVENT_COLLECTIVE_COMPLETE, /* completion: a nonblocking collective completed */
    REFRAIN_EVENT_RMA,                 /* rma: a one-sided access begins */
    REFRAIN_EVENT_IO,                  /* io: an access to a file begins */
    REFRAIN_EVENT_WINDOW, /* window: the call makes, frees or synchronises (...) a window; for a group, one event for
                             each rank. Calls that make or free the window have succeeded */
    REFRAIN_EVENT_FILE,   /* file: the call opens, closes, seeks in (...) a file; opening and closing have
                             succeeded */
    REFRAIN_EVENT_ACCESS_COMPLETE, /* access: an RMA or IO with a request completed */
    REFRAIN_EVENT_MOVED,           /* io: this call, or the split access that it ends, has read or written `bytes` */
    REFRAIN_EVENT_SEEK,            /* seek: a file pointer is set */
    REFRAIN_EVENT_MARKER,          /* none: a moment that the program named */
    REFRAIN_EVENT_COUNTER,         /* counter: it has this value from now on */
    /* Messages and collectives in the pause that begins here, which have no events of their own. A cursor returns
     * these events only on request (`untold` in struct refrain_cursor_options). */
    REFRAIN_EVENT_UNTOLD_SENDS,       /* untold_messages: they leave */
    REFRAIN_EVENT_UNTOLD_RECEIVES,    /* untold_messages: they arrive */
    REFRAIN_EVENT_UNTOLD_COLLECTIVES, /* untold_collectives */
};

/* In the following, `comm` is null if it is unknown; ranks are those of MPI_COMM_WORLD, -1 unknown; a `request` is
 * unique in its location, -1 none: the call is blocking. */

/* Events that belong together have the same `match`: the SEND and the RECV of one message, and the COLLECTIVEs of
 * one operation on all members; 0 is unknown. A message that is never received has a match, too, and so has a
 * collective that some member never entered. */
struct refrain_event_send {
    const struct refrain_comm_info *comm;
    int32_t dest;
    int64_t tag, bytes, request;
    uint64_t match;
};

struct refrain_event_recv {
    const struct refrain_comm_info *comm;
    int32_t source;
    int64_t tag, bytes, request;
    uint64_t match;
    int64_t sent_ns;      /* with a match: when the message was sent */
    uint32_t sent_thread; /* thread of `source` that sent it */
    uint32_t overtook; /* number of receives with the same source, tag and communicator that its thread posted before it
                          and that complete later */
    bool unsure; /* another receive of the thread may have had its message, because that was posted in another order and
                    freed, or completed long before; the event is then approximate */
};

struct refrain_event_completion {
    const struct refrain_comm_info *comm; /* RECV_POST, COLLECTIVE_COMPLETE; else null */
    int64_t request;                      /* -1: another thread began it */
};

struct refrain_event_collective {
    const struct refrain_comm_info *comm;
    int32_t root;           /* -1: none */
    int64_t sent, received; /* bytes */
    int64_t request;
    uint64_t match;
};

struct refrain_event_rma {
    const struct refrain_comm_info *comm; /* the window's */
    int64_t window;                       /* its number in the process, -1 unknown */
    int32_t target;
    int64_t bytes, request;
};

struct refrain_event_io {
    const struct refrain_comm_info *comm; /* the file's */
    int64_t file;                         /* its number in the process, -1 unknown */
    int64_t bytes;                        /* IO: requested. MOVED: moved, -1 unknown, for example after a failure */
    int64_t request;                      /* IO */
};

struct refrain_event_window {
    const struct refrain_comm_info *comm;
    int64_t window;                /* as in refrain_event_rma */
    int32_t rank;                  /* rank that the call names, -1 none or all */
    enum refrain_window_lock lock; /* requested lock */
};

struct refrain_event_file {
    const struct refrain_comm_info *comm;
    int64_t file;  /* as in refrain_event_io */
    uint32_t mode; /* how it is opened: bits of enum refrain_file_mode; 0 where it is not */
};

struct refrain_event_access {
    int64_t request; /* -1: another thread began it */
    int64_t bytes;   /* that an IO has moved; -1 unknown, or an RMA */
};

struct refrain_event_seek {
    const struct refrain_comm_info *comm;
    int64_t file; /* as in refrain_event_io */
    enum refrain_whence whence;
    int64_t offset;   /* requested offset, from there, in units of the view of the file */
    int64_t position; /* resulting position, -1 unknown */
};

struct refrain_event_counter {
    int64_t value;
};

struct refrain_event_untold_messages {
    const struct refrain_comm_info *comm;
    int64_t count;
    int32_t peer;    /* dest or source */
    int64_t tag;     /* of receives -1: any, unknown which */
    int64_t request; /* the freed receive that had the message; -1 none */
    bool unsure;     /* as in refrain_event_recv */
};

struct refrain_event_untold_collectives {
    const struct refrain_comm_info *comm;
    int64_t count;
    enum refrain_collective collective;
    bool nonblocking;
};

struct refrain_trace_event {
    enum refrain_event_kind kind;
    bool approximate;  /* some field may not be exact */
    uint32_t location; /* in refrain_trace_locations(): rank and thread */
    int32_t rank;
    uint32_t thread;
    int64_t time_ns;   /* since the start of the run */
    int64_t probes_ns; /* time that the probes of refrain had taken in this location by then, if it was measured; 0
                          unless the cursor compensates */
    const struct refrain_region_info *region; /* ENTER, LEAVE, MARKER, COUNTER: its own region; else the call that
                                                 contains the event. Never null */
    union {
        struct refrain_event_send send;
        struct refrain_event_recv recv;
        struct refrain_event_completion completion;
        struct refrain_event_collective collective;
        struct refrain_event_rma rma;
        struct refrain_event_io io;
        struct refrain_event_window window;
        struct refrain_event_file file;
        struct refrain_event_access access;
        struct refrain_event_seek seek;
        struct refrain_event_counter counter;
        struct refrain_event_untold_messages untold_messages;
        struct refrain_event_untold_collectives untold_collectives;
    };
};

/* ================ The cursor ================ */

struct refrain_cursor;

#define REFRAIN_TIME_FIRST INT64_MIN
#define REFRAIN_TIME_LAST INT64_MAX

/* Selects the events of a cursor. Start with REFRAIN_CURSOR_ALL and change members. */
struct refrain_cursor_options {
    size_t size; /* of this structure, as the caller knows it: members that it does not have are as in CURSOR_ALL */
    const int32_t *ranks; /* ranks whose events are returned; null: all. Read by refrain_cursor_open only */
    size_t n_ranks;
    int64_t from_ns, to_ns;  /* events at from_ns <= time < to_ns */
    bool recorded;           /* recorded events with their recorded times, instead of learned events */
    size_t checkpoint_bytes; /* memory for going back fast (refrain_cursor_seek); 0: none */
    bool unaligned;  /* reconstructed events keep the times of their thread's clock: they are not moved to be consistent
                        with other ranks */
    bool compensate; /* times are those that the run would have had without probes, as far as their cost was measured
                        (docs/virtual-time.md) */
    bool untold;     /* also returns the UNTOLD_* events about communication during pauses */
    bool at_once;    /* opening does not replay the whole run first. Merged blocks then share their time by the mean
                        durations of their places, without a correction over the whole run: totals of places may be off
                        by some thousandths of the run (docs/time.md). The cursor also keeps no recorded iterations of
                        loops, so it is slower, and smaller for callers that keep many checkpoints of it */
    /* Opens locations by several threads at once, if the caller has them: calls job(data, i) for each i < n, in any
     * order, and returns when all have returned. Not used with checkpoints. Null: one after the other */
    void (*each)(void (*job)(void *data, size_t i), void *data, size_t n, void *of_each);
    void *of_each; /* passed to each() */
};
#define REFRAIN_CURSOR_ALL                                                                                             \
    {                                                                                                                  \
        sizeof(struct refrain_cursor_options), NULL, 0, REFRAIN_TIME_FIRST, REFRAIN_TIME_LAST, false, 0, false, false, \
            false, false, NULL, NULL                                                                                   \
    }

/* Opens a cursor before the first event of its window. It returns the events of all locations in time order, and
 * those of one location in the order in which they happened. Times of reconstructed events (docs/time.md) are moved
 * so that no message is received before it was sent, and no rank leaves a collective before a rank whose data it
 * needs has entered. They are the same in any window and for any choice of ranks. `options` null: the whole trace.
 * The caller closes *cursor. */
REFRAIN_READ_API enum refrain_status refrain_cursor_open(struct refrain_trace *trace,
                                                         const struct refrain_cursor_options *options,
                                                         struct refrain_cursor **cursor, struct refrain_error *error);

/* The name of the kind in lower case, as in the text format: "enter", "send-complete"; null if there is no such
 * kind. */
REFRAIN_READ_API const char *refrain_event_name(enum refrain_event_kind kind);

/* Returns the next event. Null at the end of the window or of the trace, and after an error (refrain_cursor_close).
 * Valid until the next call with this cursor. */
REFRAIN_READ_API const struct refrain_trace_event *refrain_cursor_next(struct refrain_cursor *cursor);

/* An event as a row of a table, for callers that read many at a time. A field that the kind does not have is 0, or
 * -1 if 0 is a value. Fields that are not here are returned by refrain_cursor_next() only: probes_ns, sent_thread,
 * overtook, unsure, the offset of a SEEK, the request of UNTOLD_RECEIVES. */
struct refrain_event_row {
    int64_t time_ns;
    uint32_t location; /* in refrain_trace_locations() */
    uint32_t region;   /* in refrain_trace_regions(); UINT32_MAX: the trace does not name it */
    int32_t comm;      /* in refrain_trace_communicators(), -1 */
    int32_t peer;      /* dest, source, root or target, -1 */
    int32_t object;    /* number of the window or file in its process, -1 */
    uint8_t kind;      /* enum refrain_event_kind */
    uint8_t approximate;
    uint16_t
        detail;    /* WINDOW: lock; FILE: mode; SEEK: whence; COLLECTIVE, UNTOLD_COLLECTIVES: enum refrain_collective */
    int64_t tag;   /* of messages */
    int64_t bytes; /* of messages and accesses, as there; of collectives: sent */
    int64_t received; /* of collectives */
    int64_t request;  /* -1 */
    int64_t value;    /* COUNTER: its value; SEEK: position; UNTOLD_*: count */
    uint64_t match;
    int64_t sent_ns; /* RECV */
};

/* Returns the next events, at most n of them, in rows that are `row_bytes` apart: sizeof(struct refrain_event_row)
 * as the caller knows it. Returns how many; 0 where refrain_cursor_next() returns null. */
REFRAIN_READ_API size_t refrain_cursor_rows(struct refrain_cursor *cursor, void *rows, size_t row_bytes, size_t n);

/* Moves the cursor before the first event at or after time_ns, forwards or backwards; the window then is [time_ns,
 * to_ns). It takes as long as the replay from the last checkpoint before time_ns. The cursor makes checkpoints when
 * it first reaches a part of the trace, so returning to it is fast. */
REFRAIN_READ_API enum refrain_status refrain_cursor_seek(struct refrain_cursor *cursor, int64_t time_ns,
                                                         struct refrain_error *error);

/* A region that a location is in: entered, and not yet left. */
struct refrain_open_region {
    const struct refrain_region_info *region;
    int64_t enter_ns;
    bool approximate; /* its ENTER was */
};

/* The open regions of a location at the position of the cursor, the outermost first: after the event returned last,
 * or before the first one if none was returned yet or the cursor was moved. `location` is an index in
 * refrain_trace_locations(). Valid until the next call with this cursor. */
REFRAIN_READ_API const struct refrain_open_region *refrain_cursor_open_regions(const struct refrain_cursor *cursor,
                                                                               size_t location, size_t *n);

/* Moves the end of the window. */
REFRAIN_READ_API void refrain_cursor_set_end(struct refrain_cursor *cursor, int64_t to_ns);

/* Counts of matched and unmatched events so far. */
struct refrain_cursor_report {
    uint64_t events; /* number of events of all ranks up to now, those before the window included */
    uint64_t matched_messages;
    uint64_t unmatched_sends, unmatched_receives; /* messages with one end only; sends without a receive are counted
                                                     when the cursor reaches the end of the trace */
    uint64_t unmatched_collectives;               /* calls of collectives that some member did not make */
    uint64_t other_end_untold; /* ends of messages and calls of collectives whose other ends were in a pause */
    /* Receives that may have had another message of their channel: a receive posted before them accepted any message,
     * and was freed or completed long after them. Their events are marked approximate, unless the cursor returned them
     * before this was known. Of these, only one is counted for each receive that completed so late. */
    uint64_t unsure_receives;
    uint64_t moved; /* how often a location had to wait for another one */
    int64_t largest_move_ns;
};
/* Valid until the next call with this cursor. */
REFRAIN_READ_API const struct refrain_cursor_report *refrain_cursor_report(struct refrain_cursor *cursor);

/* Frees the cursor. The status is an error if the trace turned out to be damaged: all events before the damage have
 * been returned. Null is allowed. */
REFRAIN_READ_API enum refrain_status refrain_cursor_close(struct refrain_cursor *cursor, struct refrain_error *error);

/* ================ Tables ================ */

struct refrain_trace_table;

enum refrain_trace_table_kind {
    /* What the run consisted of: as the structures above have it, a row each, in their order. */
    REFRAIN_TABLE_PROCESSES,
    REFRAIN_TABLE_LOCATIONS,
    REFRAIN_TABLE_REGIONS,
    REFRAIN_TABLE_COMMUNICATORS,
    REFRAIN_TABLE_LOSSES,
    /* Where the time went, as `refrain stats --by`: the columns of its --csv, of WAITS those of its --json. These
     * replay the trace. Times are in nanoseconds. Of CALL_PATHS each row comes after that of the path above it, the one
     * before it with a smaller `depth`. */
    REFRAIN_TABLE_FUNCTIONS,
    REFRAIN_TABLE_CALL_PATHS,
    REFRAIN_TABLE_SOURCE_LINES,
    REFRAIN_TABLE_PARTNERS,
    REFRAIN_TABLE_RANKS,
    REFRAIN_TABLE_WAITS,
    /* What each branch, loop and MPI call did, as `refrain formulas --json`. */
    REFRAIN_TABLE_FORMULAS,
    /* Samples of processor time (refrain record --sample): a row for each rank, call path, MPI call and stretch of the
     * run from from_ns to to_ns. `function` is the innermost one; `stack` has all, the outermost first, separated by
     * semicolons. The MPI call `call` is the one that the thread was in (`in_call`), or the one before. */
    REFRAIN_TABLE_SAMPLES,
    /* Resident memory of each rank: from time_ns until the next row at most `bytes`. */
    REFRAIN_TABLE_MEMORY
};

/* Selects the contents of a table. Start with REFRAIN_TABLE_ALL and change members. */
struct refrain_trace_table_options {
    size_t size;               /* of this structure, as the caller knows it */
    int32_t rank;              /* only this rank; -1 all */
    int64_t from_ns, to_ns;    /* FUNCTIONS to WAITS: events outside do not count */
    bool recorded, compensate; /* FUNCTIONS to WAITS: as in struct refrain_cursor_options */
    bool all;                  /* FORMULAS: also learners that only the replay needs */
};
#define REFRAIN_TABLE_ALL                                                                                              \
    { sizeof(struct refrain_trace_table_options), -1, REFRAIN_TIME_FIRST, REFRAIN_TIME_LAST, false, false, false }

/* Makes a table. `options` null: of all. The caller closes *table, which is null when the status is not REFRAIN_OK. It
 * does not need the trace any more. Several threads may make tables of one trace at once. */
REFRAIN_READ_API enum refrain_status refrain_trace_table_open(struct refrain_trace *trace,
                                                              enum refrain_trace_table_kind kind,
                                                              const struct refrain_trace_table_options *options,
                                                              struct refrain_trace_table **table,
                                                              struct refrain_error *error);

enum refrain_column_type { REFRAIN_COLUMN_INTEGER, REFRAIN_COLUMN_BOOLEAN, REFRAIN_COLUMN_REAL, REFRAIN_COLUMN_TEXT };

#define REFRAIN_MISSING INT64_MIN

/* The values of a column, one for each row. Later versions may have columns more. */
struct refrain_column {
    const char *name;
    enum refrain_column_type type;
    union {
        const int64_t *integers;  /* INTEGER, missing: REFRAIN_MISSING; BOOLEAN: 0 or 1 */
        const double *reals;      /* REAL, missing: not a number */
        const char *const *texts; /* TEXT, missing: null */
    };
};

/* The columns, *n of them; valid until the table is closed. */
REFRAIN_READ_API const struct refrain_column *refrain_trace_table_columns(const struct refrain_trace_table *table,
                                                                          size_t *n);

/* How many rows there are. */
REFRAIN_READ_API size_t refrain_trace_table_rows(const struct refrain_trace_table *table);

/* Frees the table. Null is allowed. */
REFRAIN_READ_API void refrain_trace_table_close(struct refrain_trace_table *table);

#ifdef __cplusplus
}
#endif

#endif
