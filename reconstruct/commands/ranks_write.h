/* ranks_write.h: the processes of a trace as one file, in which what ranks have in common stands once (trace ->
 * packed_ranks.h's file). One thread at a time. */
#ifndef REFRAIN_RANKS_WRITE_H
#define REFRAIN_RANKS_WRITE_H

#include "model/trace_read.h"
#include "packed/fold/fold.h"
#include <stdio.h>

struct refrain_ranks_report {
    uint64_t bytes;       /* of the file */
    uint64_t index_bytes; /* of these: what the file says of each rank's part, and its header */
    uint64_t times_bytes; /* what ranks have for themselves */
    uint64_t names_bytes; /* names of code addresses */
    struct refrain_fold_report fold;
};

/* Writes the pack of the open trace. */
enum refrain_status refrain_ranks_write(const struct refrain_trace *trace, FILE *file, const char *path,
                                        struct refrain_ranks_report *report, struct refrain_error *error);

#endif
