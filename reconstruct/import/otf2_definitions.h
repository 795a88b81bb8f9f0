/* otf2_definitions.h: what an OTF2 archive says about its events, as a trace has it (OTF2 -> import_otf2.c).
 *
 *     location group, location -> rank, thread        region -> region        communicator, window -> communicator */
#ifndef REFRAIN_OTF2_DEFINITIONS_H
#define REFRAIN_OTF2_DEFINITIONS_H

#include "common/table.h"
#include "import/import_trace.h"
#include <otf2/otf2.h>
#include <stddef.h>

/* A thread of a process, and what it is in. */
struct refrain_otf2_thread {
    OTF2_LocationRef location;
    OTF2_LocationGroupRef group;
    int32_t rank; /* -1: none */
    uint32_t thread;
    uint32_t *stack; /* regions of the trace */
    size_t n_stack, capacity;
    bool in_collective;
    OTF2_CallingContextRef context; /* that it is in, in archives that have them */
};

/* A region as it was come to. */
struct refrain_otf2_context {
    OTF2_RegionRef region;
    OTF2_CallingContextRef parent; /* OTF2_UNDEFINED_CALLING_CONTEXT: none */
};

struct refrain_otf2_region_definition {
    OTF2_StringRef name, file;
    uint32_t line;
    OTF2_Paradigm paradigm;
    uint32_t number; /* of the trace + 1; 0: not yet asked for */
};

struct refrain_otf2_process {
    int32_t rank;     /* -1: not yet */
    uint32_t threads; /* so far */
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
    bool between;
    uint32_t number; /* of the trace */
};

struct refrain_otf2_handle_definition {
    OTF2_StringRef name;
    OTF2_CommRef comm;
};

/* Entries of one kind, by their references, which some tools take from far apart. Zero at first. */
struct refrain_otf2_table {
    size_t entry_bytes;
    unsigned char *entries; /* in the order in which they were defined */
    size_t n, capacity;
    struct refrain_table numbers; /* of the entry + 1, by its reference */
};

struct refrain_otf2_definitions {
    uint64_t resolution, offset, start_ns; /* of the clock: ticks a second, ticks at the start, time of day then */
    struct refrain_otf2_table strings;     /* char * */
    struct refrain_otf2_table regions;     /* struct refrain_otf2_region_definition */
    struct refrain_otf2_table groups;      /* struct refrain_otf2_group */
    struct refrain_otf2_table comms;       /* struct refrain_otf2_comm_definition */
    struct refrain_otf2_table windows;     /* OTF2_CommRef */
    struct refrain_otf2_table handles;     /* struct refrain_otf2_handle_definition, of files */
    struct refrain_otf2_table contexts;    /* struct refrain_otf2_context */
    struct refrain_otf2_table processes;   /* struct refrain_otf2_process */
    struct refrain_otf2_thread *threads;   /* of threads on processors, by location */
    size_t n_threads, capacity_threads;
    uint64_t n_events;       /* of all locations */
    uint64_t *mpi_locations; /* by rank in MPI_COMM_WORLD; null without MPI */
    uint32_t n_mpi_locations;
    int32_t n_ranks;
    bool no_memory;
};

/* Reads them; ranks and threads are numbered. */
OTF2_ErrorCode refrain_otf2_definitions_read(OTF2_Reader *reader, struct refrain_otf2_definitions *definitions);
void refrain_otf2_definitions_free(struct refrain_otf2_definitions *definitions);

/* Defines the communicators in the trace. */
void refrain_otf2_define_comms(struct refrain_otf2_definitions *definitions, struct refrain_import *import);

int64_t refrain_otf2_time_ns(const struct refrain_otf2_definitions *definitions, OTF2_TimeStamp time);

/* The thread of a location; null when it is none of a process. */
struct refrain_otf2_thread *refrain_otf2_thread(const struct refrain_otf2_definitions *definitions,
                                                OTF2_LocationRef location);
/* False without memory. */
bool refrain_otf2_thread_enter(struct refrain_otf2_thread *thread, uint32_t region);

/* Numbers in the trace. */
uint32_t refrain_otf2_region_number(struct refrain_otf2_definitions *definitions, struct refrain_import *import,
                                    OTF2_RegionRef region);
uint32_t refrain_otf2_comm_number(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm);

/* A calling context; null where there is none of that reference. */
const struct refrain_otf2_context *refrain_otf2_context(const struct refrain_otf2_definitions *definitions,
                                                        OTF2_CallingContextRef context);
/* How many there are from the outermost to it, itself included; 0: it is none. */
size_t refrain_otf2_context_depth(const struct refrain_otf2_definitions *definitions, OTF2_CallingContextRef context);
/* The one that lies so many above it; at most its depth less one. */
const struct refrain_otf2_context *refrain_otf2_context_above(const struct refrain_otf2_definitions *definitions,
                                                              OTF2_CallingContextRef context, size_t above);
/* The innermost that both lie in, or are. */
OTF2_CallingContextRef refrain_otf2_common_context(const struct refrain_otf2_definitions *definitions,
                                                   OTF2_CallingContextRef a, OTF2_CallingContextRef b);

/* The rank in MPI_COMM_WORLD of a rank in a communicator, seen from `own`, or in a window; -1 unknown. */
int32_t refrain_otf2_world_rank(const struct refrain_otf2_definitions *definitions, OTF2_CommRef comm, int32_t own,
                                uint32_t rank);
/* How many ranks a group has, and one of them in MPI_COMM_WORLD, -1 unknown. */
uint32_t refrain_otf2_group_size(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group);
int32_t refrain_otf2_group_rank(const struct refrain_otf2_definitions *definitions, OTF2_GroupRef group, uint32_t i);
/* The communicator of a window and of a file's handle, REFRAIN_IMPORT_NO_COMM unknown; what a handle is called. */
uint32_t refrain_otf2_window_comm(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window);
uint32_t refrain_otf2_handle_comm(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle);
const char *refrain_otf2_handle_name(const struct refrain_otf2_definitions *definitions, OTF2_IoHandleRef handle);

int32_t refrain_otf2_window_rank(const struct refrain_otf2_definitions *definitions, OTF2_RmaWinRef window, int32_t own,
                                 uint32_t rank);

#endif
