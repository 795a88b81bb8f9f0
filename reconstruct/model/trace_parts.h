/* trace_parts.h: the steps of opening a trace, private to the files named below and to files/.
 *
 *     trace_memory.c its processes, and memory that lives as long as it does
 *     packed_read.c bytes of a packed file -> those of an image
 *     ranks_read.c  bytes of a pack -> those of many processes
 *     image.c       bytes of a trace file -> checked header, journals undone
 *     trace_tree.c  image -> units, slots, call sites, user regions
 *     binaries.c    image -> files with code
 *     samples.c     image -> samples of functions
 *     regions.c     all processes -> regions
 *     comms.c       all processes -> communicators
 *     metric_totals.c all processes -> names of what was counted
 *     objects.c     image, communicators -> windows and files
 *     trace_clock.c all processes -> ticks to nanoseconds
 *     trace_read.c  all of these in order
 *     trace_info.c  what read.h tells of them */
#ifndef REFRAIN_TRACE_PARTS_H
#define REFRAIN_TRACE_PARTS_H

#include "model/trace_read.h"

/* Memory that lives as long as the trace. */
struct refrain_trace_tables {
    struct refrain_owned {
        void *memory;
        size_t bytes;
    } * owned;
    size_t n_owned, capacity_owned, capacity_processes;
};

/* Zeroed memory that the trace owns; null without memory. Any size, 0 included. */
void *refrain_trace_allocate(struct refrain_trace *trace, size_t n, size_t bytes);

/* `bytes` bytes at `offset` of the image; null, with `what` named in the error, when they do not lie in it. */
const void *refrain_process_at(const struct refrain_process *process, uint64_t offset, uint64_t bytes, const char *what,
                               struct refrain_error *error);

/* Sets the error: the bytes at `offset` of the image make no sense, and why. Returns its status. */
enum refrain_status refrain_process_damaged(const struct refrain_process *process, uint64_t offset, const char *why,
                                            struct refrain_error *error);

/* Whether the header is one of `bytes` bytes that hold all that is in use; the error begins with `name`. */
enum refrain_status refrain_image_check(const char *name, const struct refrain_header *header, uint64_t bytes,
                                        struct refrain_error *error);

/* Whether a file of this trace version, a trace file or a packed one, is one that this refrain reads. */
enum refrain_status refrain_image_check_version(const char *name, uint32_t version, struct refrain_error *error);

/* Are these bytes a packed file, rather than a trace file? */
bool refrain_image_is_packed(const void *bytes, size_t length);

/* Makes process->image of a packed file, in memory of its own. */
enum refrain_status refrain_image_unpack(struct refrain_process *process, const void *bytes, size_t length,
                                         struct refrain_error *error);

/* Are these bytes a pack of many ranks? */
bool refrain_ranks_are_packed(const void *bytes, size_t length);

/* Adds the processes of a pack to the trace, their images made. Those whose part is cut off or damaged are left out and
 * counted (trace->n_damaged). */
enum refrain_status refrain_ranks_unpack(struct refrain_trace *trace, const char *path, const void *bytes,
                                         size_t length, struct refrain_error *error);

/* Begins with the bytes in process->image, whose header has been checked: finds the threads, and undoes by their
 * journals what was cut short. Bytes that may not be written (process->mapped null) are copied before. */
enum refrain_status refrain_image_begin(struct refrain_process *process, struct refrain_error *error);

/* Puts back what a journal says of the learner it is about, where that is in the middle of a change; the image may be
 * written (process->mapped). */
enum refrain_status refrain_image_undo(struct refrain_process *process, const struct refrain_journal *journal,
                                       struct refrain_error *error);

/* Makes a copy of the image that may be written; false without memory. */
bool refrain_image_make_private(struct refrain_process *process);

/* Does a thread end before it began, since its clock went back by more than it ran? */
static inline bool refrain_thread_has_no_end(const struct refrain_thread *thread) {
    return thread->started && thread->last_ticks < thread->start_ticks;
}

/* Gives back the image and the recorded events. */
void refrain_process_unload(struct refrain_process *process);

/* A process added to the trace, zero but for its paths, which are copied; `events_path` may be null. Null without
 * memory. Valid until the next one is added. */
struct refrain_process *refrain_trace_add_process(struct refrain_trace *trace, const char *path,
                                                  const char *events_path);

/* A code address and what debug information makes of it. */
struct refrain_symbol {
    const char *object;              /* path, as the trace has it */
    const char *build_id;            /* of the file that ran, in hexadecimal; "" none, or not known ... */
    uint64_t file_bytes, changed_ns; /* ... then its size and time of change; 0 not known */
    const char *directory;           /* that a relative path begins at */
    uint64_t address;                /* behind the call, relative to the object's load address ... */
    bool is_function;                /* ... or of a function's first instruction */
    bool has_source;                 /* the program's tables tell function and line, too */
    const char *function, *file;     /* filled: owned by the trace; null unknown */
    uint32_t line;
};

/* In `function` of a code address: "f, inlined into g" where the compiler put f's code into g. */
#define REFRAIN_INLINED_INTO ", inlined into "

/* By file, address and kind: the order of struct refrain_trace.symbols, for qsort and bsearch. */
int refrain_symbol_compare(const void *a, const void *b);

/* The same by file alone. */
int refrain_symbol_compare_files(const struct refrain_symbol *a, const struct refrain_symbol *b);

/* Fills what can be found out about the symbols, which are in order, each once; none at all is possible. */
typedef void refrain_resolver(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n);

/* An empty trace of that path (or other name); null without memory. */
struct refrain_trace *refrain_trace_make(const char *path);

/* All steps once the images of all processes are there. `resolve` may be null. */
enum refrain_status refrain_trace_assemble(struct refrain_trace *trace, refrain_resolver *resolve,
                                           struct refrain_error *error);

/* refrain_trace_open_images() with a function that finds file and line of call sites known by their address only. */
enum refrain_status refrain_trace_open_resolved(const struct refrain_image *images, size_t n, refrain_resolver *resolve,
                                                struct refrain_trace **result, struct refrain_error *error);

/* Whether a reference is 0 or that of a struct refrain_name that lies in the image and ends. */
enum refrain_status refrain_process_check_name(const struct refrain_process *process, uint32_t reference,
                                               const char *what, struct refrain_error *error);

enum refrain_status refrain_process_read_tree(struct refrain_trace *trace, struct refrain_process *process,
                                              struct refrain_error *error);

enum refrain_status refrain_process_read_binaries(struct refrain_trace *trace, struct refrain_process *process,
                                                  struct refrain_error *error);

/* samples.c: the samples of each thread, checked; names come with the regions. */
enum refrain_status refrain_process_read_samples(struct refrain_trace *trace, struct refrain_process *process,
                                                 struct refrain_error *error);

/* What the process says of the file with code that is named by `path`, a reference; null where it says nothing. */
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
