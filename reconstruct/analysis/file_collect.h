/* file_collect.h: the state while the use of files is collected, private to analysis/ (file_collect.c <-> file_use.c).
 *
 *     names of the trace --> rows; number of a file in a rank --> its row
 *     events --> open MPI calls by thread, accesses that are under way --> rows by rank, sizes of accesses by row */
#ifndef REFRAIN_FILE_COLLECT_H
#define REFRAIN_FILE_COLLECT_H

#include "analysis/file_use.h"
#include "analysis/open_regions.h"
#include "common/table.h"

#define REFRAIN_FILE_SIZES 65u /* number of bits of a size, 0 to 64 */

struct refrain_file_sizes {
    uint64_t accesses, bytes;
};

struct refrain_file_row {
    struct refrain_file_use use;
    struct refrain_file_sizes sizes[REFRAIN_FILE_DIRECTIONS][REFRAIN_FILE_SIZES]; /* by number of bits of the size */
};

/* An access: from its beginning on, or one that a call completes. */
struct refrain_file_access {
    const struct refrain_region_info *region; /* the call that began it */
    uint32_t row;
    enum refrain_file_direction direction;
    bool sequential;
    int64_t ns; /* of that call */
};

/* An open MPI call. */
struct refrain_file_frame {
    struct refrain_region_frame head;
    bool names_file; /* it is about the file of `row` */
    bool begins;     /* it began an access, of which no end has been seen */
    bool sequential; /* the access that it began is sequential */
    uint32_t row;
    int64_t request;                      /* of the access that it begins; -1: none */
    bool under_way;                       /* the access continues after the call has returned */
    bool small;                           /* it ended a small access */
    uint64_t small_accesses, small_bytes; /* of this access, if it counts; else 0 */
    size_t first_completed;               /* index in location->completed */
    uint64_t completes;                   /* number of requests of any kind */
};

struct refrain_file_location {
    struct refrain_region_stack stack; /* of struct refrain_file_frame */
    struct refrain_file_access *completed;
    size_t n_completed, capacity_completed;
    int64_t first_ns, last_ns;
    bool begun;
};

struct refrain_file_collector {
    struct refrain_writer writer;
    const struct refrain_file_request *request;
    struct refrain_location_index index;
    struct refrain_file_location *locations; /* index.n */
    uint32_t **row_of;                       /* by rank, null none; by number of the file in its process */
    size_t *n_numbers;                       /* by rank */
    size_t n_ranks;
    struct refrain_file_row *rows; /* [0] has no name */
    size_t n_rows, capacity_rows;
    struct refrain_table names;     /* hash of a name and its ordinal among equal hashes -> index of its row + 1 */
    struct refrain_table ranks;     /* (row, rank) -> struct refrain_file_rank */
    struct refrain_table under_way; /* (location, request or file) -> struct refrain_file_access */
    struct refrain_table pointers;  /* (rank, number of the file) -> 1: moved since by accesses only */
    struct refrain_table small;     /* (region, row and direction) -> struct refrain_file_small */
    uint64_t approximate;
    size_t n_calls; /* open MPI calls that began before the end of the window */
    bool is_over;   /* later events cannot count */
    bool no_memory;
};

/* Ends the innermost open call of a location at this time. */
void refrain_file_collector_pop(struct refrain_file_collector *collector, size_t location, int64_t now_ns);

/* The access ended without known bytes. */
void refrain_file_collector_unknown(struct refrain_file_collector *collector, const struct refrain_file_access *access,
                                    int32_t rank);

/* A time, cut to the window. */
static inline int64_t refrain_file_collector_cut(const struct refrain_file_collector *collector, int64_t ns) {
    if (ns < collector->request->from_ns)
        return collector->request->from_ns;
    return ns > collector->request->to_ns ? collector->request->to_ns : ns;
}

#endif
