/* otf2_definitions.h: the definitions of an OTF2 archive, converted to those of a trace (OTF2 -> import_otf2.c).
 *
 *     location group, location -> rank, thread        region -> region        communicator, window -> communicator */
#ifndef REFRAIN_OTF2_DEFINITIONS_H
#define REFRAIN_OTF2_DEFINITIONS_H

#include "common/table.h"
#include "import/import_trace.h"
#include <otf2/otf2.h>
#include <stddef.h>

/* A thread of a process, and its open regions. */
struct refrain_otf2_thread {
    OTF2_LocationRef location;
    OTF2_LocationGroupRef group;
    int32_t rank; /* -1: none */
    uint32_t thread;
    uint32_t *stack; /* numbers of regions of the trace */
    size_t n_stack, capacity;
    bool in_collective;
    OTF2_CallingContextRef context; /* its current calling context, if the archive has them */
};

/* A region, and the calling context that it was called from. */
struct refrain_otf2_context {
    OTF2_RegionRef region;
    OTF2_CallingContextRef parent; /* OTF2_UNDEFINED_CALLING_CONTEXT: none */
};

struct refrain_otf2_region_definition {
    OTF2_StringRef name, file;
    uint32_t line;
    OTF2_Paradigm paradigm;
    uint32_t number; /* number in the trace + 1; 0: none yet */
};

struct refrain_otf2_process {
    int32_t rank;     /* -1: none yet */
    uint32_t threads; /* number of them so far */
    OTF2_LocationRef master;
    bool has_master;
};

struct refrain_otf2_group {
    OTF2_GroupType type;
    uint32_t n;
    uint64_t *members;
};

struct refrain_otf2_comm_definition {
    OTF2_StringRef name;
    OTF2_GroupRef group, remote; /* remote: of an intercommunicator */
    bool is_inter;               /* an intercommunicator */
    uint32_t number;             /* number in the trace */
};

struct refrain_otf2_handle_definition {
    OTF2_StringRef name;
    OTF2_CommRef comm;
};

/* Entries of one kind by their references, which may be any numbers. Zero at first. */
struct refrain_otf2_table {
    size_t entry_bytes;
    unsigned char *entries; /* in the order of their definitions */
    size_t n, capacity;
    struct refrain_table numbers; /* reference -> number of the entry + 1 */
};

struct refrain_otf2_definitions {
    uint64_t resolution, offset,
        start_ns; /* of the clock: ticks per second, ticks at the start, time of day at the start */
    struct refrain_otf2_table strings;   /* char * */
    struct refrain_otf2_table regions;   /* struct refrain_otf2_region_definition */
    struct refrain_otf2_table groups;    /* struct refrain_otf2_group */
    struct refrain_otf2_table comms;     /* struct refrain_otf2_comm_definition */
    struct refrain_otf2_table windows;   /* OTF2_CommRef */
    struct refrain_otf2_table handles;   /* struct refrain_otf2_handle_definition, of files */
    struct refrain_otf2_table contexts;  /* struct refrain_otf2_context */
    struct refrain_otf2_table processes; /* struct refrain_otf2_process */
    struct refrain_otf2_thread *threads; /* locations that are threads (not GPUs), sorted by location */
    size_t n_threads, capacity_threads;
    uint64_t n_events;       /* of all locations */
    uint64_t *mpi_locations; /* by rank of MPI_COMM_WORLD; null without MPI */
    uint32_t n_mpi_locations;
    int32_t n_ranks;
    bool no_memory;
};

/* Reads the definitions, and numbers ranks and threads. */
OTF2_ErrorCode refrain_otf2_definitions_read(OTF2_Reader *reader, struct refrain_otf2_definitions *definitions);
void refrain_otf2_definitions_free(struct refrain_otf2_definitions *definitions);

/* Defines the communicators in the trace. */
void refrain_otf2_define_comms(struct refrain_otf2_definitions *definitions, struct refrain_import *import);

int64_t refrain_otf2_time_ns(const struct refrain_otf2_definitions *definitions, OTF2_TimeStamp time);

/* The thread of a location; null if it belongs to no process. */
struct refrain_otf2_thread *refrain_otf2_thread(const struct refrain_otf2_definitions *definitions,
                                                OTF2_LocationRef location);
/* False without memory. */
bool refrain_otf2_thread_enter(struct refrain_otf2_thread *thread, uint32_t region);

/* Numbers in the trace. */
uint32_t refrain_otf2_region_number(struct refrain_otf2_definitions *definitions, struct refrain_import *import,
                                    OTF2_RegionRef region);
uint32_t refrain_otf2_comm_number(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm);

/* The calling context of a reference, or null. */
const struct refrain_otf2_context *refrain_otf2_context(const struct refrain_otf2_definitions *definitions,
                                                        OTF2_CallingContextRef context);
/* Number of calling contexts from the outermost to this one; 0 if the reference has none. */
size_t refrain_otf2_context_depth(const struct refrain_otf2_definitions *definitions, OTF2_CallingContextRef context);
/* The calling context `above` levels above this one; at most its depth - 1. */
const struct refrain_otf2_context *refrain_otf2_context_above(const struct refrain_otf2_definitions *definitions,
                                                              OTF2_CallingContextRef context, size_t above);
/* The innermost calling context that contains both, or is one of them; OTF2_UNDEFINED_CALLING_CONTEXT if there is none.
 * */
OTF2_CallingContextRef refrain_otf2_common_context(const struct refrain_otf2_definitions *definitions,
                                                   OTF2_CallingContextRef a, OTF2_CallingContextRef b);

/* The rank of MPI_COMM_WORLD for a rank of a communicator, as seen from `own`, or of a window; -1 unknown. */
int32_t refrain_otf2_world_rank(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm, int32_t own,
                                uint32_t rank);
/* Size of a group, and the rank of MPI_COMM_WORLD of one of its members, -1 unknown. */
uint32_t refrain_otf2_group_size(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group);
int32_t refrain_otf2_group_rank(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group, uint32_t i);
/* Communicator of a window and of a file handle, REFRAIN_IMPORT_NO_COMM if unknown; name of the file of a handle. */
uint32_t refrain_otf2_window_comm(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window);
uint32_t refrain_otf2_handle_comm(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle);
const char *refrain_otf2_handle_name(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle);

int32_t refrain_otf2_window_rank(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window, int32_t own,
                                 uint32_t rank);

#endif
