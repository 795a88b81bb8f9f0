/* file_use.h: what each file of MPI-IO was used for, and what that took (events -> stats --by=file, report).
 *
 *     MPI_File_open(name)          file 3 of a rank -> its name        one row for all handles and ranks with a name
 *     MPI_File_write_at_all        io ... moved 4096                   ends with its call
 *     MPI_File_read_all_begin      io                                  ends with MPI_File_read_all_end: moved 4096
 *     MPI_File_iwrite              io, request 7                       ends in MPI_Wait: access-complete, request 7
 *
 * An access counts when it ends, with the bytes that it moved. The whole time of a call that names a file counts for
 * this file. A call that completes requests divides its time evenly among them; the parts of accesses to files count
 * for these files. Memory depends on the number of files, ranks and call sites, not of events. */
#ifndef REFRAIN_FILE_USE_H
#define REFRAIN_FILE_USE_H

#include "match/event.h"
#include "model/trace_read.h"
#include <refrain/mpi_kinds.h>

#define REFRAIN_SMALL_ACCESS_BYTES 65536u /* accesses below this are small */

enum refrain_file_direction { REFRAIN_FILE_READ, REFRAIN_FILE_WRITTEN, REFRAIN_FILE_DIRECTIONS };

/* Reads or writes of a rank, or of all. */
struct refrain_file_flow {
    uint64_t accesses, bytes;
    uint64_t unknown; /* of these accesses: it is not known how many bytes they moved. They failed, another thread
                         completed them, or the run ended before them */
    int64_t ns;
    uint64_t least_bytes, most_bytes; /* of an access with known bytes */
};

struct refrain_file_rank {
    int32_t rank;
    uint64_t calls;   /* that name the file */
    int64_t other_ns; /* in calls that neither read nor write: open, close, seek, sync ... */
    struct refrain_file_flow flow[REFRAIN_FILE_DIRECTIONS];
};

/* How all ranks together read or wrote the file. */
struct refrain_file_manner {
    int64_t longest_ns;               /* time of the rank with most */
    int32_t longest_rank;             /* -1 none */
    uint64_t typical_bytes;           /* mean of the accesses that are in the same power of two as the median */
    uint64_t small, small_bytes;      /* accesses below REFRAIN_SMALL_ACCESS_BYTES */
    uint64_t collective, nonblocking; /* nonblocking: also split ones */
    uint64_t sequential; /* at the rank's pointer, where its access before ended: without a seek, an opening or a new
                            view in between */
    uint64_t at[REFRAIN_MPI_POINTERS];
};

struct refrain_file_use {
    const char *name;             /* "": it was not recorded. Null: all files together */
    struct refrain_file_rank sum; /* over the ranks; its rank is -1 */
    int64_t longest_ns;           /* in all calls, of the rank with most */
    struct refrain_file_manner manner[REFRAIN_FILE_DIRECTIONS];
    struct refrain_file_rank *ranks; /* that used it, by rank; null for all files together */
    size_t n_ranks;
    uint32_t row; /* private: index before sorting */
};

/* Small accesses to a file from one call site, and the time of their calls. Time in calls that only complete requests
 * is not included. */
struct refrain_file_small {
    const struct refrain_region_info *region;
    const struct refrain_file_use *use; /* the row; set at the end */
    enum refrain_file_direction direction;
    uint64_t accesses, bytes;
    int64_t ns;
    uint32_t row; /* private: its index before sorting */
};

struct refrain_file_uses {
    struct refrain_file_use *rows; /* used files by time, the longest first */
    size_t n;
    struct refrain_file_use all;
    int64_t run_ns;                    /* time of all requested threads, in the window */
    struct refrain_file_small **small; /* in no particular order */
    size_t n_small;
    uint64_t approximate; /* number of approximate events of files */
};

static inline int64_t refrain_file_rank_ns(const struct refrain_file_rank *rank) {
    return rank->other_ns + rank->flow[REFRAIN_FILE_READ].ns + rank->flow[REFRAIN_FILE_WRITTEN].ns;
}

/* Bytes a second that `bytes` in `ns` are; 0 if no time is known. */
static inline double refrain_file_rate(uint64_t bytes, int64_t ns) {
    return ns > 0 ? (double)bytes * 1e9 / (double)ns : 0;
}

struct refrain_file_request {
    int32_t rank;           /* -1: all */
    int64_t from_ns, to_ns; /* INT64_MIN, INT64_MAX: the whole run. An access counts if it ends in the window, a call if
                               it begins there; times are cut to the window */
    bool recorded, compensate; /* as in struct refrain_cursor_options */
    /* Wraps the collecting writer in one that reports progress (progress.h); null: none. */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
};

/* Replays the trace from its start. The caller closes *uses, also after an error. If a rank is damaged, it ends early,
 * and there are both rows and an error. */
enum refrain_status refrain_file_uses_open(struct refrain_trace *trace, const struct refrain_file_request *request,
                                           struct refrain_file_uses *uses, struct refrain_error *error);
void refrain_file_uses_close(struct refrain_file_uses *uses);

/* ---- for a walk that is done elsewhere ---- */

struct refrain_file_collector;

/* True if a rank of the trace used a file. */
bool refrain_file_is_used(const struct refrain_trace *trace);

/* Null without memory. The request and the trace must stay as long as the collector. */
struct refrain_file_collector *refrain_file_collector_open(const struct refrain_trace *trace,
                                                           const struct refrain_file_request *request);

/* Adds the next event, in time order; a struct refrain_file_collector as data. False without memory. */
bool refrain_file_collector_event(void *collector, const struct refrain_event *event);

/* Makes the rows and frees the collector. False without memory. The caller closes *uses in any case. */
bool refrain_file_collector_end(struct refrain_file_collector *collector, struct refrain_file_uses *uses);

#endif
