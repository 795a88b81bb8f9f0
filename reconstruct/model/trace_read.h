/* trace_read.h: an open trace, as the library and the tools use it (images -> walker, writers, commands). read.h
 * opens and closes it.
 *
 *     app-....refrain/  rank-0.trace  rank-1.trace ...      one trace file each (refrain/trace.h)
 *                            |
 *     struct refrain_trace --+-- process[0 .. n_processes)  by rank; image, program tree, call sites, communicators
 *                            +-- regions                    functions, MPI call sites, user regions of all processes
 *                            +-- communicators              the same object for all members
 *                            +-- clock                      ticks of every process -> ns since the start of the run
 *
 * The image of a process does not change while the trace is open. Unfinished changes in it have been undone by the
 * journals, so its learners can be read as they are. All that this header returns has been checked against the bounds
 * of the image; learners are checked while they are read (sequence.h). A contradictory image is refused, with the
 * offset of the contradiction. Strings and records live as long as the trace. Any number of threads may read an open
 * trace. */
#ifndef REFRAIN_TRACE_READ_H
#define REFRAIN_TRACE_READ_H

#include "common/error.h"
#include <refrain/read.h>
#include <refrain/trace.h>
#include <refrain/unit.h>
#include <stdbool.h>
#include <stddef.h>

/* A translation unit. */
struct refrain_unit_view {
    const struct refrain_unit_record *record;
    const struct refrain_node *nodes; /* parents before children */
    const char *strings;
};

/* True if the node is `inner` or contains it. */
static inline bool refrain_unit_contains(const struct refrain_unit_view *unit, uint32_t node, uint32_t inner) {
    while (inner > node && unit->nodes[inner].parent < inner)
        inner = unit->nodes[inner].parent;
    return inner == node;
}

/* The node of a slot, and which of its slots (0, 1, 2) it is. */
struct refrain_slot_view {
    const struct refrain_unit_view *unit; /* null: no node has this slot */
    const struct refrain_node *node;
    uint32_t part;
    const struct refrain_region_info *region; /* FUNCTION: the region of its activations; else null */
};

/* The function that contains a call, and the functions inlined there around the call.
 *
 *     outer -> regions[0] -> regions[1] ... -> the call */
struct refrain_inlined {
    const char *outer; /* name of the function */
    size_t n;
    const struct refrain_region_info *regions[];
};

/* A call site, as event records refer to it. */
struct refrain_call_site_view {
    uint32_t number;
    uint32_t n_operations;
    const struct refrain_call_site *record;       /* record of the call site; for an overflow site, that of its host */
    const struct refrain_overflow_site *overflow; /* record of the overflow site; null: it is none */
    const struct refrain_region_info *region;
    const struct refrain_inlined *inlined; /* null: the call was not inlined */
};

/* A user region, as event records refer to it. */
struct refrain_user_region_view {
    uint32_t number;
    const struct refrain_region_name *record;
    const struct refrain_region_info *region;
    const struct refrain_inlined *inlined; /* FUNCTION: where it is called from; else null */
};

/* A communicator with the number that one process gives it. */
struct refrain_comm_view {
    const struct refrain_communicator *record; /* null: the trace has no such index */
    const struct refrain_comm_info *info;
    const int32_t *peers; /* world ranks of the ranks in operations; null: they are the same */
    int32_t n_peers;
};

#define REFRAIN_NO_METRIC UINT8_MAX

/* A window or file with the number that one process gives it. */
struct refrain_object_view {
    const struct refrain_object *record;  /* null: the trace has no such number */
    const struct refrain_comm_info *comm; /* communicator on which it was made; null: unknown */
};

/* A function in samples, below its caller. */
struct refrain_sample_node_view {
    const struct refrain_sample_node *record;
    const char *name; /* of the function; without a name, its offset in its object; "" if even that is unknown */
    const char *file; /* of the source, "" unknown */
    uint32_t line;
    const struct refrain_symbol *symbol; /* private to the reader: lookup in debug information */
};

/* Samples of one thread. */
struct refrain_samples_view {
    const struct refrain_samples *record;
    struct refrain_sample_node_view *nodes;
    const struct refrain_sample_count *counts;
    size_t n_nodes, n_counts;
};

struct refrain_process {
    char *path;        /* of the trace file */
    char *events_path; /* of the recorded events beside it, for messages; null: none */
    int32_t rank;      /* rank in every output: header->rank or, if that is -1, a number after the last rank */
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_header *header;
    const struct refrain_thread *threads; /* header->n_threads of them */
    struct refrain_unit_view *units;
    size_t n_units;
    struct refrain_slot_view *slots;           /* header->n_slots, by number */
    uint64_t *slot_offsets;                    /* by number: offset of the slot of thread 0; 0 = of no unit */
    uint32_t *slot_stride;                     /* by number: distance in slots to the next thread */
    struct refrain_call_site_view *call_sites; /* by number */
    size_t n_call_sites;
    struct refrain_call_site_view *overflow_sites; /* by number */
    size_t n_overflow_sites;
    struct refrain_user_region_view *user_regions; /* by number */
    size_t n_user_regions;
    bool has_inlined;                /* has inlined functions on its call paths */
    struct refrain_comm_view *comms; /* by index */
    size_t n_comms;
    const struct refrain_metrics *metrics;       /* metrics that were asked for; null: none */
    uint8_t metric_column[REFRAIN_MOST_METRICS]; /* for each counter: index of the metric in the trace, or NO_METRIC */
    int32_t own_rank;                            /* the member of MPI_COMM_SELF */
    int32_t n_ranks;                             /* of the run; partners have a smaller rank */
    struct refrain_object_view *windows, *files; /* by number, below n_objects */
    size_t n_objects;
    const struct refrain_binary **binaries; /* files with code */
    size_t n_binaries;
    struct refrain_samples_view *samples; /* of each thread with samples */
    size_t n_samples;
    size_t n_left_out; /* if the process was running: number of learners that changed too fast to be copied in full */
    /* clock: ns = offset_ns + (ticks - base_ticks) * (ns_a_tick + ns_a_tick_fraction / 2^64) */
    uint64_t base_ticks;
    int64_t offset_ns;
    uint64_t ns_a_tick, ns_a_tick_fraction;
    uint64_t most_ticks;         /* differences below this are less than REFRAIN_LONGEST_NS */
    long double ns_per_tick;     /* the rate, as floating point */
    const unsigned char *events; /* recorded events (event_file.h) */
    size_t events_bytes;
    /* private to the reader: writable image, and how it and the events are freed */
    void *mapped;
    size_t mapped_bytes;
    size_t file_bytes; /* size of the file that was read, packed or not */
    void (*release)(struct refrain_process *process);
    void (*release_events)(struct refrain_process *process);
};

/* Result of the lookup of code addresses of one file. */
enum refrain_code_state {
    REFRAIN_CODE_FOUND,    /* the file that ran was found, now or in an earlier lookup */
    REFRAIN_CODE_GONE,     /* the file does not exist any more */
    REFRAIN_CODE_REPLACED, /* the file has another build id */
    REFRAIN_CODE_CHANGED,  /* the file has no build id, and another size or time of change */
    REFRAIN_CODE_UNKNOWN,  /* the trace does not say which file ran, for lack of memory */
    REFRAIN_CODE_UNLOOKED  /* this refrain was built without libdw */
};
struct refrain_code_info {
    const char *path, *build_id; /* build id "": none */
    enum refrain_code_state state;
    bool has_lines;              /* its debug information was found */
    size_t places, named, lined; /* number of code addresses; those with a function; those with a line, too */
};

/* Result of the lookup of all code addresses (files/names.c). */
struct refrain_names_info {
    struct refrain_code_info *files; /* files with code addresses, by path */
    size_t n_files;
    const unsigned char *bytes; /* form in which the names are stored (files/names_file.h) */
    size_t n_bytes;
    const char *debuginfod; /* why debuginfod did not help; null: it did, or was not needed */
    const char *not_stored; /* why new names could not be stored; null: they were, or there were none */
};

struct refrain_trace {
    char *path;
    struct refrain_process *processes; /* by rank */
    size_t n_processes;
    int32_t size; /* of MPI_COMM_WORLD, as far as known */
    int32_t *missing;
    size_t n_missing; /* ranks without a file */
    size_t n_damaged; /* ranks of a pack whose part is cut off or damaged */
    uint64_t pack_bytes,
        pack_structure_bytes; /* of a pack, and of the part that its ranks have in common; 0: a directory */
    struct refrain_region_info *regions;
    size_t n_regions;
    struct refrain_comm_info *comms; /* [0] MPI_COMM_WORLD, [1] MPI_COMM_SELF, then by (leader, ordinal) */
    size_t n_comms;
    uint64_t start_realtime_ns;                 /* of the run, since the epoch */
    struct refrain_process_info *process_infos; /* for the functions of read.h */
    struct refrain_location_info *locations;
    size_t n_locations;
    struct refrain_loss_info *losses;
    size_t n_losses;
    struct refrain_probe_cost_info *probe_costs;    /* REFRAIN_PROBE_KINDS for each process */
    const char *metric_names[REFRAIN_MOST_METRICS]; /* of all processes (metric_totals.h) */
    size_t n_metrics;
    const struct refrain_symbol *symbols; /* results for code addresses (trace_parts.h), sorted, without duplicates */
    size_t n_symbols;
    struct refrain_names_info names;
    const struct refrain_saved_states
        *states; /* saved states of its replay (match/saved_states.h), null none; not owned */
    struct refrain_trace_tables *tables;
};

/* About thirty years: limit for the times of a damaged file. */
#define REFRAIN_LONGEST_NS ((uint64_t)1000000000000000000)

/* Nanoseconds since the start of the run. Monotonic in ticks; processes of one host share one slope. */
static inline int64_t refrain_trace_time_ns(const struct refrain_process *process, uint64_t ticks) {
    int64_t since = (int64_t)(ticks - process->base_ticks);
    if ((uint64_t)since < process->most_ticks) /* common case: not before the start, and not far after it */
        return process->offset_ns +
               (int64_t)((uint64_t)since * process->ns_a_tick +
                         (uint64_t)((unsigned __int128)(uint64_t)since * process->ns_a_tick_fraction >> 64));
    uint64_t distance = since < 0 ? -(uint64_t)since : (uint64_t)since, ns = REFRAIN_LONGEST_NS;
    uint64_t fraction = (uint64_t)((unsigned __int128)distance * process->ns_a_tick_fraction >> 64);
    unsigned __int128 whole = (unsigned __int128)distance * process->ns_a_tick;
    if (whole < REFRAIN_LONGEST_NS && fraction < REFRAIN_LONGEST_NS && (uint64_t)whole + fraction < REFRAIN_LONGEST_NS)
        ns = (uint64_t)whole + fraction;
    return process->offset_ns + (since < 0 ? -(int64_t)ns : (int64_t)ns);
}

/* The stretch of the run in which these samples were taken, in the times of the trace. */
void refrain_process_sample_times(const struct refrain_process *process, const struct refrain_sample_count *count,
                                  int64_t *from_ns, int64_t *to_ns);

/* When the last location ended, by its last clock read. */
static inline int64_t refrain_trace_end_ns(const struct refrain_trace *trace) {
    int64_t end_ns = 0;
    for (size_t i = 0; i < trace->n_locations; i++)
        end_ns = trace->locations[i].end_ns > end_ns ? trace->locations[i].end_ns : end_ns;
    return end_ns;
}

/* How the clocks of the nodes were compared. */
struct refrain_trace_clocks {
    size_t nodes; /* with a clock of their own */
    /* Of these, nodes whose clock was compared with that of rank 0, directly or through other nodes, and the largest
     * error among them. [0]: compared once; error at that time, as the difference of the rates is unknown. [1]:
     * compared twice; error at both times. */
    size_t compared[2];
    size_t uneven; /* part of compared[0]: nodes compared twice, but between the comparisons a clock ran unevenly */
    int64_t error_ns[2];
    double drift_ppm; /* largest difference from the rate of rank 0, of nodes compared twice */
};
void refrain_trace_clocks(const struct refrain_trace *trace, struct refrain_trace_clocks *clocks);

/* How far the clock of the process was ahead of the clock of the system at the end, by its rate at the start;
 * negative: behind. 0 if that is little or unknown. Any other value: the clock jumped, or ran unevenly. */
int64_t refrain_trace_clock_ahead_ns(const struct refrain_process *process);

/* Duration of `ticks` in nanoseconds; 0 if the clock went back by more than the rest. */
long double refrain_trace_span_ns(const struct refrain_process *process, uint64_t ticks);

/* The process of a rank, or null if it has no file. */
const struct refrain_process *refrain_trace_process(const struct refrain_trace *trace, int32_t rank);

/* The slot with this number of a thread, or null if no unit has it. */
const struct refrain_slot *refrain_process_slot(const struct refrain_process *process, uint32_t thread,
                                                uint64_t number);

/* True if the probe of this slot, or of its function, was throttled at some time. Its counts are then lower bounds.
 * False for MPI calls, which are never throttled. */
bool refrain_process_throttled(const struct refrain_process *process, uint32_t thread, uint32_t number);

/* The objects that event records refer to; null if there is no such object. */
const struct refrain_region_info *refrain_process_function(const struct refrain_process *process, uint64_t number);
const struct refrain_call_site_view *refrain_process_call_site(const struct refrain_process *process, uint64_t number);
const struct refrain_user_region_view *refrain_process_user_region(const struct refrain_process *process,
                                                                   uint64_t number);
const struct refrain_comm_view *refrain_process_comm(const struct refrain_process *process, int64_t index);
const struct refrain_object_view *refrain_process_window(const struct refrain_process *process, int64_t number);
const struct refrain_object_view *refrain_process_file(const struct refrain_process *process, int64_t number);

/* The text of a struct refrain_name; "" for reference 0. */
const char *refrain_process_name(const struct refrain_process *process, uint32_t reference);

/* The function that contains a node; "" if there is none. */
const char *refrain_node_function(const struct refrain_unit_view *unit, const struct refrain_node *node);
const char *refrain_node_name(const struct refrain_unit_view *unit, const struct refrain_node *node);
const char *refrain_node_file(const struct refrain_unit_view *unit, const struct refrain_node *node);

/* The operation record after `operation` (null: the first) of a call site; null at the end. */
const struct refrain_operation_record *refrain_call_site_operation(const struct refrain_process *process,
                                                                   const struct refrain_call_site *call_site,
                                                                   const struct refrain_operation_record *operation);

/* The MPI name of a collective in lower case ("allreduce"); "" for none. */
const char *refrain_collective_name(enum refrain_collective collective);

#endif
