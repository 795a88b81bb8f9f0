/* ranks_write.h: the processes of a trace as one file, in which what ranks have in common stands once (trace ->
 * packed_ranks.h's file). One thread at a time. */
#ifndef REFRAIN_RANKS_WRITE_H
#define REFRAIN_RANKS_WRITE_H

#include "trace_read.h"
#include <stdio.h>

struct refrain_ranks_report {
    uint64_t bytes;           /* of the file */
    uint64_t structure_bytes; /* of these: what was learned, of all ranks together */
    uint64_t index_bytes;     /* what the file says of each rank's part, and its header */
    uint64_t times_bytes;     /* what ranks have for themselves */
    uint64_t values;          /* of the structure, on all ranks together */
    uint64_t rows;            /* of values over ranks in it, of which ... */
    uint64_t same_rows;       /* ... these are one value, */
    uint64_t learned_rows;    /* these are formulas over the ranks, and the rest is as it is */
};

/* Writes the pack of the open trace. */
enum refrain_status refrain_ranks_write(const struct refrain_trace *trace, FILE *file, const char *path,
                                        struct refrain_ranks_report *report, struct refrain_error *error);

#endif
