/* trace_parts.h: the steps in which a trace is opened. Private to the files below and to files/.
 *
 *     trace_memory.c  processes, and memory that is freed with the trace
 *     packed_read.c   packed file -> image
 *     ranks_read.c    pack -> images of many processes
 *     image.c         trace file -> checked header, unfinished changes undone
 *     trace_tree.c    image -> units, slots, call sites, user regions
 *     binaries.c      image -> files with code
 *     samples.c       image -> samples of functions
 *     regions.c       all processes -> regions
 *     comms.c         all processes -> communicators
 *     objects.c       image, communicators -> windows and files
 *     trace_clock.c   all processes -> ticks to nanoseconds
 *     metric_totals.c all processes -> names of counters
 *     trace_read.c    calls these steps for each image or for all, in this order
 *     trace_info.c    the functions of read.h about them */
#ifndef REFRAIN_TRACE_PARTS_H
#define REFRAIN_TRACE_PARTS_H

#include "model/trace_read.h"

/* Memory that is freed with the trace. */
struct refrain_trace_tables {
    struct refrain_owned {
        void *memory;
        size_t bytes;
    } * owned;
    size_t n_owned, capacity_owned, capacity_processes;
};

/* Zeroed memory that the trace owns; any size, also 0. Null without memory. */
void *refrain_trace_allocate(struct refrain_trace *trace, size_t n, size_t bytes);

/* `bytes` bytes at `offset` of the image. If they are outside the image: null, and an error that names `what`. */
const void *refrain_process_at(const struct refrain_process *process, uint64_t offset, uint64_t bytes, const char *what,
                               struct refrain_error *error);

/* Sets the error: the bytes at `offset` of the image are damaged, and how. Returns its status. */
enum refrain_status refrain_process_damaged(const struct refrain_process *process, uint64_t offset, const char *why,
                                            struct refrain_error *error);

/* Checks that the header fits a file of `bytes` bytes. An error message begins with `name`. */
enum refrain_status refrain_image_check(const char *name, const struct refrain_header *header, uint64_t bytes,
                                        struct refrain_error *error);

/* Checks that this refrain reads this trace version, of a trace file or a packed file. */
enum refrain_status refrain_image_check_version(const char *name, uint32_t version, struct refrain_error *error);

/* True if the bytes are a packed file, not a trace file. */
bool refrain_image_is_packed(const void *bytes, size_t length);

/* Makes process->image of a packed file, in memory of its own. */
enum refrain_status refrain_image_unpack(struct refrain_process *process, const void *bytes, size_t length,
                                         struct refrain_error *error);

/* True if the bytes are a pack of many ranks. */
bool refrain_ranks_are_packed(const void *bytes, size_t length);

/* Adds the processes of a pack to the trace, with their images. Ranks whose part is cut off or damaged are left out
 * and counted (trace->n_damaged). */
enum refrain_status refrain_ranks_unpack(struct refrain_trace *trace, const char *path, const void *bytes,
                                         size_t length, struct refrain_error *error);

/* First step with the bytes in process->image, whose header has been checked: finds the threads, and undoes
 * unfinished changes. If the bytes are not writable (process->mapped is null), copies them first. */
enum refrain_status refrain_image_begin(struct refrain_process *process, struct refrain_error *error);

/* Undoes the change in the journal if its learner is in the middle of it. The image must be writable
 * (process->mapped). */
enum refrain_status refrain_image_undo(struct refrain_process *process, const struct refrain_journal *journal,
                                       struct refrain_error *error);

/* Makes a writable copy of the image. False without memory. */
bool refrain_image_make_private(struct refrain_process *process);

/* True if a thread ends before it began, because its clock went back by more than it ran. */
static inline bool refrain_thread_has_no_end(const struct refrain_thread *thread) {
    return thread->started && thread->last_ticks < thread->start_ticks;
}

/* Frees the image and the recorded events. */
void refrain_process_unload(struct refrain_process *process);

/* Adds a process to the trace, zero but for its paths, which are copied. `events_path` may be null. Null without
 * memory. Valid until the next process is added. */
struct refrain_process *refrain_trace_add_process(struct refrain_trace *trace, const char *path,
                                                  const char *events_path);

/* A code address and the result of its lookup in debug information. */
struct refrain_symbol {
    const char *object;              /* path, as in the trace */
    const char *build_id;            /* of the file that ran, in hexadecimal; "" none or unknown */
    uint64_t file_bytes, changed_ns; /* of the file that ran: size and time of change; 0 unknown */
    const char *directory;           /* base of a relative path */
    uint64_t address;                /* return address of a call, relative to the load address of the object */
    bool is_function;                /* the address is the first instruction of a function */
    bool has_source;                 /* the program's tables have function and line, too */
    const char *function, *file;     /* result: owned by the trace; null unknown */
    uint32_t line;
};

/* Separates names in `function`: "f, inlined into g" if the compiler inlined f into g. */
#define REFRAIN_INLINED_INTO ", inlined into "

/* Compares by file, address and kind: the order of struct refrain_trace.symbols, for qsort and bsearch. */
int refrain_symbol_compare(const void *a, const void *b);

/* Compares by file only. */
int refrain_symbol_compare_files(const struct refrain_symbol *a, const struct refrain_symbol *b);

/* Fills in the results for symbols, which are sorted and without duplicates. It may find nothing. */
typedef void refrain_resolver(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n);

/* Makes an empty trace with this path (or other name). Null without memory. */
struct refrain_trace *refrain_trace_make(const char *path);

/* Runs all steps after the images of all processes are there. `resolve` may be null. */
enum refrain_status refrain_trace_assemble(struct refrain_trace *trace, refrain_resolver *resolve,
                                           struct refrain_error *error);

/* refrain_trace_open_images() with a function that looks up call sites known only by their address. */
enum refrain_status refrain_trace_open_resolved(const struct refrain_image *images, size_t n, refrain_resolver *resolve,
                                                struct refrain_trace **result, struct refrain_error *error);

/* Checks that a reference is 0, or that of a struct refrain_name inside the image that ends with a zero byte. */
enum refrain_status refrain_process_check_name(const struct refrain_process *process, uint32_t reference,
                                               const char *what, struct refrain_error *error);

enum refrain_status refrain_process_read_tree(struct refrain_trace *trace, struct refrain_process *process,
                                              struct refrain_error *error);

enum refrain_status refrain_process_read_binaries(struct refrain_trace *trace, struct refrain_process *process,
                                                  struct refrain_error *error);

/* samples.c: reads and checks the samples of each thread. Their names are set with the regions. */
enum refrain_status refrain_process_read_samples(struct refrain_trace *trace, struct refrain_process *process,
                                                 struct refrain_error *error);

/* The record about the code file `path`, a reference; null if there is none. */
const struct refrain_binary *refrain_process_binary(const struct refrain_process *process, uint32_t path);

enum refrain_status refrain_trace_read_regions(struct refrain_trace *trace, refrain_resolver *resolve,
                                               struct refrain_error *error);
enum refrain_status refrain_trace_read_comms(struct refrain_trace *trace, struct refrain_error *error);
enum refrain_status refrain_process_read_objects(struct refrain_trace *trace, struct refrain_process *process,
                                                 struct refrain_error *error);
enum refrain_status refrain_trace_read_clock(struct refrain_trace *trace, struct refrain_error *error);
enum refrain_status refrain_trace_read_metrics(struct refrain_trace *trace, struct refrain_error *error);
enum refrain_status refrain_trace_read_info(struct refrain_trace *trace, struct refrain_error *error);

#endif
