/* trace_read.h: an open trace as the library and the tools see it (images -> walker, writers, commands). read.h opens
 * and closes it.
 *
 *     app-....refrain/  rank-0.trace  rank-1.trace ...      one trace file each (refrain/trace.h)
 *                            |
 *     struct refrain_trace --+-- process[0 .. n_processes)  by rank; image, program tree, call sites, communicators
 *                            +-- regions                    functions, MPI call sites, user regions of all processes
 *                            +-- communicators              the same object for all members
 *                            +-- clock                      ticks of every process -> ns since the start of the run
 *
 * A process's image is private to the reader, and unfinished changes in it are undone by the journals, so that learners
 * can be read as they are. Everything this header hands out has been checked against the bounds of the image; learners
 * are checked as they are read (sequence.h). An image that contradicts itself is refused, with the offset at which it
 * does. Strings and records live as long as the trace. Threads: reading an open trace is safe from any number of them.
 */
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

/* What a slot is: its node, and which of the node's slots (0, 1, 2). */
struct refrain_slot_view {
    const struct refrain_unit_view *unit; /* null: no node has this slot */
    const struct refrain_node *node;
    uint32_t part;
    const struct refrain_region_info *region; /* FUNCTION: what its activations are shown as; else null */
};

/* Where a call was made: in a function, or in what the compiler put in there of others.
 *
 *     outer -> regions[0] -> regions[1] ... -> the call */
struct refrain_inlined {
    const char *outer; /* the function's name */
    size_t n;
    const struct refrain_region_info *regions[];
};

/* A call site, as event records refer to it. */
struct refrain_call_site_view {
    uint32_t number;
    uint32_t n_operations;
    const struct refrain_call_site *record; /* of a guest that of its host */
    const struct refrain_guest *guest;      /* null: it is none */
    const struct refrain_region_info *region;
    const struct refrain_inlined *inlined; /* null: nothing */
};

/* A user region, as event records refer to it. */
struct refrain_user_region_view {
    uint32_t number;
    const struct refrain_region_name *record;
    const struct refrain_region_info *region;
    const struct refrain_inlined *inlined; /* FUNCTION: where its calls are made, else null */
};

/* A communicator as one process numbers it. */
struct refrain_comm_view {
    const struct refrain_communicator *record; /* null: index not in the trace */
    const struct refrain_comm_info *info;
    const int32_t *peers; /* world ranks that ranks in an operation stand for; null: identity */
    int32_t n_peers;
};

#define REFRAIN_NO_METRIC UINT8_MAX

/* A window or file as one process numbers it. */
struct refrain_object_view {
    const struct refrain_object *record;  /* null: number not in the trace */
    const struct refrain_comm_info *comm; /* that it was made on; null: unknown */
};

/* A function that samples met, under its caller. */
struct refrain_sample_node_view {
    const struct refrain_sample_node *record;
    const char *name; /* of the function; else where it is in its object; "" not even that is known */
    const char *file; /* of the source, "" unknown */
    uint32_t line;
    const struct refrain_symbol *symbol; /* private to the reader: what debug information is asked for */
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
    char *events_path; /* of the recorded events beside it, a name for messages; null when there are none */
    int32_t rank;      /* location in every output: header->rank, or a number after the last one while that is -1 */
    const unsigned char *image;
    size_t image_bytes;
    const struct refrain_header *header;
    const struct refrain_thread *threads; /* header->n_threads of them */
    struct refrain_unit_view *units;
    size_t n_units;
    struct refrain_slot_view *slots;           /* header->n_slots, by number */
    uint64_t *slot_offsets;                    /* of thread 0's slot, by number; 0 = of no unit */
    uint32_t *slot_stride;                     /* slots from one thread's to the next thread's, by number */
    struct refrain_call_site_view *call_sites; /* by number */
    size_t n_call_sites;
    struct refrain_call_site_view *guests; /* by number */
    size_t n_guests;
    struct refrain_user_region_view *user_regions; /* by number */
    size_t n_user_regions;
    bool has_inlined;                /* on its call paths */
    struct refrain_comm_view *comms; /* by index */
    size_t n_comms;
    const struct refrain_metrics *metrics;       /* asked for; null none */
    uint8_t metric_column[REFRAIN_MOST_METRICS]; /* which of the trace's metrics each one counted is, or NO_METRIC */
    int32_t own_rank;                            /* what MPI_COMM_SELF consists of */
    int32_t n_ranks;                             /* of the run: a partner's rank is smaller */
    struct refrain_object_view *windows, *files; /* by number, below n_objects */
    size_t n_objects;
    const struct refrain_binary **binaries; /* files with code */
    size_t n_binaries;
    struct refrain_samples_view *samples; /* of each thread that has some */
    size_t n_samples;
    size_t n_left_out; /* it still ran, and so many of its sequences changed too fast to be copied up to now */
    /* clock: ns = offset_ns + (ticks - base_ticks) * (ns_a_tick + ns_a_tick_fraction / 2^64) */
    uint64_t base_ticks;
    int64_t offset_ns;
    uint64_t ns_a_tick, ns_a_tick_fraction;
    uint64_t most_ticks;         /* from base_ticks that are less than REFRAIN_LONGEST_NS for certain */
    long double ns_per_tick;     /* the same */
    const unsigned char *events; /* recorded ones (event_file.h) */
    size_t events_bytes;
    /* private to the reader: an image that may be written, and how it and the events are given back */
    void *mapped;
    size_t mapped_bytes;
    size_t file_bytes; /* of what it was read from, packed or not */
    void (*release)(struct refrain_process *process);
    void (*release_events)(struct refrain_process *process);
};

/* How names of the code addresses in one file are, or why they are missing. */
enum refrain_code_state {
    REFRAIN_CODE_FOUND,    /* all that is known of the file that ran has been looked up, now or before */
    REFRAIN_CODE_GONE,     /* there is no file of this name any more */
    REFRAIN_CODE_REPLACED, /* there is one, but with another build id */
    REFRAIN_CODE_CHANGED,  /* there is one without a build id, but with another size or time of change */
    REFRAIN_CODE_UNKNOWN,  /* the trace does not say which file ran, for want of memory */
    REFRAIN_CODE_UNLOOKED  /* this refrain was built without libdw, and looks nothing up */
};
struct refrain_code_info {
    const char *path, *build_id; /* build id "": none */
    enum refrain_code_state state;
    bool has_lines;              /* its debug information was found */
    size_t places, named, lined; /* code addresses; with a function; with a line, too */
};

/* What became of the names of code addresses (files/names.c). */
struct refrain_names_info {
    struct refrain_code_info *files; /* by path; those with code addresses */
    size_t n_files;
    const unsigned char *bytes; /* as they are stored (files/names_file.h) */
    size_t n_bytes;
    const char *debuginfod; /* why debuginfod was of no help; null: it was, or need not be asked */
    const char *not_stored; /* why what was found out now could not be stored; null: it was, or need not be */
};

struct refrain_trace {
    char *path;
    struct refrain_process *processes; /* by rank */
    size_t n_processes;
    int32_t size; /* of MPI_COMM_WORLD, as far as known */
    int32_t *missing;
    size_t n_missing;                          /* ranks that should have a file and have none */
    size_t n_damaged;                          /* ranks of a pack whose part is cut off or damaged */
    uint64_t pack_bytes, pack_structure_bytes; /* of a pack, and what ranks have in common; 0: of a directory */
    struct refrain_region_info *regions;
    size_t n_regions;
    struct refrain_comm_info *comms; /* [0] MPI_COMM_WORLD, [1] MPI_COMM_SELF, then by (leader, ordinal) */
    size_t n_comms;
    uint64_t start_realtime_ns;                 /* of the run, since the epoch */
    struct refrain_process_info *process_infos; /* what read.h tells ... */
    struct refrain_location_info *locations;
    size_t n_locations;
    struct refrain_loss_info *losses;
    size_t n_losses;
    struct refrain_probe_cost_info *probe_costs;    /* REFRAIN_PROBE_KINDS for each process */
    const char *metric_names[REFRAIN_MOST_METRICS]; /* what was counted, in some process (metric_totals.h) */
    size_t n_metrics;
    const struct refrain_symbol *symbols; /* what is known of code addresses (trace_parts.h), each once, in order */
    size_t n_symbols;
    struct refrain_names_info names;
    const struct refrain_saved_states *states; /* of its replay (match/saved_states.h), null none; not the trace's */
    struct refrain_trace_tables *tables;
};

#define REFRAIN_LONGEST_NS ((uint64_t)1000000000000000000) /* some thirty years: times of a damaged file stay there */

/* Nanoseconds since the start of the run. Monotonic in ticks; processes of one host share one slope. */
static inline int64_t refrain_trace_time_ns(const struct refrain_process *process, uint64_t ticks) {
    int64_t since = (int64_t)(ticks - process->base_ticks);
    if ((uint64_t)since < process->most_ticks) /* not before the start, nor far behind it: as almost all */
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

/* How the clocks of the run's nodes stand to each other. */
struct refrain_trace_clocks {
    size_t nodes; /* that have a clock of their own */
    /* Of these, how many were compared with rank 0's, by way of others or not: [0] once, [1] twice all the way,
     * and the most that one of them may be wrong by: [0] when it was compared (how differently it runs is not known),
     * [1] at both moments. */
    size_t compared[2];
    size_t uneven; /* of those compared once: those that were twice, but by that a clock ran unevenly in between */
    int64_t error_ns[2];
    double drift_ppm; /* most that one runs faster or slower than rank 0's, by those compared twice */
};
void refrain_trace_clocks(const struct refrain_trace *trace, struct refrain_trace_clocks *clocks);

/* How far the process's clock was ahead of the system's at the end, by the rate that it had at first; negative: behind.
 * 0 where that is little, or not known: else it jumped or did not run evenly. */
int64_t refrain_trace_clock_ahead_ns(const struct refrain_process *process);

/* Duration of `ticks` in nanoseconds; 0 where the clock went back by more than it otherwise ran. */
long double refrain_trace_span_ns(const struct refrain_process *process, uint64_t ticks);

/* The process of a rank, null when it has no file. */
const struct refrain_process *refrain_trace_process(const struct refrain_trace *trace, int32_t rank);

/* A thread's slot by number; null when no unit has it. */
const struct refrain_slot *refrain_process_slot(const struct refrain_process *process, uint32_t thread,
                                                uint64_t number);

/* Was the probe of this slot dormant at some time, by itself or with the function that it is in? Then what it counted
 * is the least there was. Not so of MPI calls, which are always told. */
bool refrain_process_throttled(const struct refrain_process *process, uint32_t thread, uint32_t number);

/* What event records refer to; null when there is no such thing. */
const struct refrain_region_info *refrain_process_function(const struct refrain_process *process, uint64_t number);
const struct refrain_call_site_view *refrain_process_call_site(const struct refrain_process *process, uint64_t number);
const struct refrain_user_region_view *refrain_process_user_region(const struct refrain_process *process,
                                                                   uint64_t number);
const struct refrain_comm_view *refrain_process_comm(const struct refrain_process *process, int64_t index);
const struct refrain_object_view *refrain_process_window(const struct refrain_process *process, int64_t number);
const struct refrain_object_view *refrain_process_file(const struct refrain_process *process, int64_t number);

/* The text of a struct refrain_name; "" for reference 0. */
const char *refrain_process_name(const struct refrain_process *process, uint32_t reference);

/* The function that a node lies in; "" outside of all. */
const char *refrain_node_function(const struct refrain_unit_view *unit, const struct refrain_node *node);
const char *refrain_node_name(const struct refrain_unit_view *unit, const struct refrain_node *node);
const char *refrain_node_file(const struct refrain_unit_view *unit, const struct refrain_node *node);

/* The operation record after `operation` (null: the first) of a call site; null at the end. */
const struct refrain_operation_record *refrain_call_site_operation(const struct refrain_process *process,
                                                                   const struct refrain_call_site *call_site,
                                                                   const struct refrain_operation_record *operation);

/* The MPI name of a collective in lower case ("allreduce"); "" of none. */
const char *refrain_collective_name(enum refrain_collective collective);

#endif
