/* import_trace.h: makes a trace directory of events that another tool recorded (import_text.c, import_otf2.c -> the
 * files of the trace).
 *
 *     regions, communicators, then events of all ranks, each location's in time order
 *           --> rank-N.events as they come (event_file.h), rank-N.trace at the end (trace.h): a trace in mode events
 *
 * Memory: definitions, pending requests, and a buffer for each rank. Files get their names only when all is written. */
#ifndef REFRAIN_IMPORT_TRACE_H
#define REFRAIN_IMPORT_TRACE_H

#include "common/error.h"
#include "match/event.h"
#include "model/mpi_call.h"
#include <refrain/trace.h>

struct refrain_import;

/* Makes the directory, which is removed again if the trace is not finished. `program`: name of the executable in the
 * trace. `source`: the converted input, for `refrain info`. `start_ns`: start of the run since the epoch, 0 unknown. */
enum refrain_status refrain_import_open(const char *directory, int32_t ranks, const char *program, const char *source,
                                        uint64_t start_ns, struct refrain_import **import, struct refrain_error *error);

/* Returns the number of a region. Equal regions have the same number. `name` and `file` are copied. An MPI region
 * with an unknown function becomes a function. */
uint32_t refrain_import_region(struct refrain_import *import, enum refrain_region_kind kind, const char *name,
                               const char *file, uint32_t line);

/* The same for a region that is known by its name only. It is an MPI region if MPI has a function of this name, and of
 * the kind `otherwise` if not. */
uint32_t refrain_import_region_named(struct refrain_import *import, enum refrain_region_kind otherwise,
                                     const char *name, const char *file, uint32_t line);

/* Returns the number of a marker (`use`: REFRAIN_USE_MARKER), a counter (REFRAIN_USE_COUNTER), or a count of pauses
 * (REFRAIN_USE_UNTOLD). Events of these kinds have it as their region. */
uint32_t refrain_import_value(struct refrain_import *import, enum refrain_region_use use, const char *name);

/* Name and kind of a region. */
const char *refrain_import_region_name(const struct refrain_import *import, uint32_t region);
enum refrain_region_kind refrain_import_region_kind(const struct refrain_import *import, uint32_t region);
/* True if it is a call of MPI, or of the C library for files. */
bool refrain_import_is_call(const struct refrain_import *import, uint32_t region);

/* Kind of an MPI function; OTHER for other regions. */
enum refrain_mpi_kind refrain_import_region_does(const struct refrain_import *import, uint32_t region);

/* Defines a communicator. Numbers begin at 2 (0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF) and are consecutive. Members are
 * ranks of MPI_COMM_WORLD; an intercommunicator has a remote group. All arguments are copied. Only before the first
 * event. */
uint32_t refrain_import_comm(struct refrain_import *import, const char *name, const int32_t *members, int32_t size,
                             const int32_t *remote_members, int32_t remote_size);

#define REFRAIN_IMPORT_NO_COMM UINT32_MAX

/* As struct refrain_event, with numbers instead of pointers. */
struct refrain_import_event {
    enum refrain_event_kind kind;
    int32_t rank;
    uint32_t thread;
    int64_t time_ns;
    uint32_t region; /* ENTER, LEAVE: the region; else the MPI call that contains the event */
    uint32_t comm;
    int32_t peer; /* rank of MPI_COMM_WORLD; -1 none or unknown */
    int64_t tag; /* UNTOLD_COLLECTIVES: enum refrain_collective; RMA, IO, WINDOW, FILE, MOVED, SEEK: a number that, with
                    `comm`, identifies the window or file; -1 unknown */
    int64_t bytes, received;
    int64_t
        request; /* any number, unique in the location while it is pending; -1 none; UNTOLD_COLLECTIVES: -1 blocking */
    int64_t value;    /* for COUNTER, WINDOW, FILE, SEEK, UNTOLD_* */
    const char *name; /* for FILE, IO: name of the file; null unknown */
};

/* Adds the next event. Nonzero if memory ran out or a file cannot be written; refrain_import_finish() has the error. */
int refrain_import_add(struct refrain_import *import, const struct refrain_import_event *event);

/* Adds a request for a message to or from nobody, or its completion: it has no event, and takes a number among the
 * requests. `event` names the request and the MPI call. Results as above. */
int refrain_import_add_nobody(struct refrain_import *import, const struct refrain_import_event *event, bool completes);

/* Change the latest collective of the location, or the nonblocking collective of a pending request: for facts that
 * are known only later. */
void refrain_import_amend_last(struct refrain_import *import, const struct refrain_import_event *collective);
void refrain_import_amend_request(struct refrain_import *import, const struct refrain_import_event *collective);

/* The rank has no more events: closes its file. Whoever adds the events of one rank after the other needs no more than
 * one open file so. Nonzero as above. */
int refrain_import_end_rank(struct refrain_import *import, int32_t rank);

/* Number of events so far; how many of them were left out, since their thread is beyond those that a trace can have. */
uint64_t refrain_import_events(const struct refrain_import *import);
uint64_t refrain_import_left_out(const struct refrain_import *import);

/* Writes the rest and frees the import. If `keep` is false, removes all files. */
enum refrain_status refrain_import_finish(struct refrain_import *import, bool keep);

#endif
