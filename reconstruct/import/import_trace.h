/* import_trace.h: a trace directory made of events that another tool recorded (import_text.c, import_otf2.c -> the
 * model's files).
 *
 *     regions, communicators, then events of all ranks, each location's in time order
 *           --> rank-N.events as they come (event_file.h), rank-N.trace at the end (trace.h): a trace in mode events
 *
 * Memory: definitions, and requests under way; a buffer for each rank. Nothing has a name in the directory until all is
 * written. */
#ifndef REFRAIN_IMPORT_TRACE_H
#define REFRAIN_IMPORT_TRACE_H

#include "common/error.h"
#include "match/event.h"
#include "model/mpi_call.h"
#include <refrain/trace.h>

struct refrain_import;

/* The directory is made, and is gone again where the trace is not finished. `program`: what the trace calls the
 * executable; `source`: what was converted, for `refrain info`. `start_ns`: of the run, since the epoch; 0 unknown. */
enum refrain_status refrain_import_open(const char *directory, int32_t ranks, const char *program, const char *source,
                                        uint64_t start_ns, struct refrain_import **import, struct refrain_error *error);

/* Its number. Regions that are alike have the same. `name` and `file` are copied. An MPI region whose function is not
 * known becomes a function. */
uint32_t refrain_import_region(struct refrain_import *import, enum refrain_region_kind kind, const char *name,
                               const char *file, uint32_t line);

/* The same of a region of which only the name is known: MPI's where MPI has a function of that name, else of the kind
 * `otherwise`. */
uint32_t refrain_import_region_named(struct refrain_import *import, enum refrain_region_kind otherwise,
                                     const char *name, const char *file, uint32_t line);

/* The number of a marker or counter (`use`: REFRAIN_USE_MARKER, REFRAIN_USE_COUNTER), or of what passed in pauses
 * (REFRAIN_USE_UNTOLD). Events of these kinds have it for their region. */
uint32_t refrain_import_value(struct refrain_import *import, enum refrain_region_use use, const char *name);

/* The name and the kind of a region. */
const char *refrain_import_region_name(const struct refrain_import *import, uint32_t region);
enum refrain_region_kind refrain_import_region_kind(const struct refrain_import *import, uint32_t region);

/* What an MPI function does; OTHER of another region. */
enum refrain_mpi_kind refrain_import_region_does(const struct refrain_import *import, uint32_t region);

/* A communicator, whose numbers begin at 2 (0 is MPI_COMM_WORLD, 1 MPI_COMM_SELF), in order: its members as ranks in
 * MPI_COMM_WORLD; a remote group for intercommunicators. All is copied. Before the first event. */
uint32_t refrain_import_comm(struct refrain_import *import, const char *name, const int32_t *members, int32_t size,
                             const int32_t *remote_members, int32_t remote_size);

#define REFRAIN_IMPORT_NO_COMM UINT32_MAX

/* As struct refrain_event has it, but for numbers instead of pointers. */
struct refrain_import_event {
    enum refrain_event_kind kind;
    int32_t rank;
    uint32_t thread;
    int64_t time_ns;
    uint32_t region; /* ENTER, LEAVE: itself; else the MPI call that it happens in */
    uint32_t comm;
    int32_t peer; /* rank in MPI_COMM_WORLD; -1 none or unknown */
    int64_t tag;  /* UNTOLD_COLLECTIVES: enum refrain_collective; RMA, IO, WINDOW, FILE, MOVED, SEEK: any number of the
                     window or file, with `comm`; -1 unknown */
    int64_t bytes, received;
    int64_t request;  /* of the location, any number; -1 none; UNTOLD_COLLECTIVES: -1 blocking */
    int64_t value;    /* COUNTER, WINDOW, FILE, SEEK, UNTOLD_* */
    const char *name; /* FILE, IO: of the file; null unknown */
};

/* The next event; nonzero where memory ran out or a file cannot be written, which refrain_import_finish says. */
int refrain_import_add(struct refrain_import *import, const struct refrain_import_event *event);

/* Of the collective of which the location has begun last, and of the nonblocking one of a request, as long as it is
 * under way: what came to be known only later. */
void refrain_import_amend_last(struct refrain_import *import, const struct refrain_import_event *collective);
void refrain_import_amend_request(struct refrain_import *import, const struct refrain_import_event *collective);

/* Events so far, and of these: of further threads than a trace tells apart, which are left out. */
uint64_t refrain_import_events(const struct refrain_import *import);
uint64_t refrain_import_left_out(const struct refrain_import *import);

/* Writes what is left and frees it. Without `keep` nothing is left. */
enum refrain_status refrain_import_finish(struct refrain_import *import, bool keep);

#endif
