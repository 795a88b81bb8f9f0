/* trace_parts.h: the steps of opening a trace, private to trace_read.c and the files named below.
 *
 *     trace_file.c  a region file -> private image, journals undone
 *     trace_live.c  image of a running process -> whole learners
 *     trace_tree.c  image -> units, slots, call sites, user regions
 *     regions.c     all processes -> regions
 *     comms.c       all processes -> communicators
 *     trace_clock.c all processes -> ticks to nanoseconds
 *     symbols.c     return addresses -> function, file, line */
#ifndef REFRAIN_TRACE_PARTS_H
#define REFRAIN_TRACE_PARTS_H

#include "trace_read.h"

/* Memory that lives as long as the trace. */
struct refrain_trace_tables {
    void **owned;
    size_t n_owned, capacity_owned;
};

/* Zeroed memory that the trace owns; null without memory. Any size, 0 included. */
void *refrain_trace_allocate(struct refrain_trace *trace, size_t n, size_t bytes);

/* `bytes` bytes at `offset` of the region; null, with `what` named in the error, when they do not lie in it. */
const void *refrain_process_at(const struct refrain_process *process, uint64_t offset, uint64_t bytes, const char *what,
                               struct refrain_error *error);

/* Says that what lies at `offset` makes no sense, and why. */
enum refrain_status refrain_process_damaged(const struct refrain_process *process, uint64_t offset, const char *why,
                                            struct refrain_error *error);

/* Reads the file process->path: header checked, image private, journals undone. */
enum refrain_status refrain_process_load(struct refrain_process *process, struct refrain_error *error);
void refrain_process_unload(struct refrain_process *process);

/* Makes the image of a process that still runs whole; `file` is its region file, mapped shared (trace_live.c). */
void refrain_process_settle(struct refrain_process *process, const void *file);

enum refrain_status refrain_process_read_tree(struct refrain_trace *trace, struct refrain_process *process,
                                              struct refrain_error *error);

enum refrain_status refrain_trace_read_regions(struct refrain_trace *trace, bool resolve, struct refrain_error *error);
enum refrain_status refrain_trace_read_comms(struct refrain_trace *trace, struct refrain_error *error);
void refrain_trace_read_clock(struct refrain_trace *trace);

/* A code address and what addr2line makes of it. */
struct refrain_symbol {
    const char *object;  /* path */
    uint64_t address;    /* of the call, relative to the object's load address */
    uint64_t not_before; /* realtime ns: an object changed later is another one */
    const char *function, *file; /* filled: owned by the trace; null unknown */
    uint32_t line;
};

/* Resolves them, one addr2line per object; what cannot be resolved stays unknown. */
void refrain_symbols_resolve(struct refrain_trace *trace, struct refrain_symbol *symbols, size_t n);

#endif
