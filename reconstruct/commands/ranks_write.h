/* ranks_write.h: writes the processes of a trace to one file, in which the common part of the ranks is stored once
 * (trace -> packed_ranks.h's file). One thread at a time. */
#ifndef REFRAIN_RANKS_WRITE_H
#define REFRAIN_RANKS_WRITE_H

#include "model/trace_read.h"
#include "packed/fold/fold.h"
#include <stdio.h>

struct refrain_ranks_report {
    uint64_t bytes;       /* of the file */
    uint64_t index_bytes; /* of these: the header, and the description of each rank's part */
    uint64_t times_bytes; /* of these: what each rank has for itself */
    uint64_t names_bytes; /* of these: names of code addresses */
    struct refrain_fold_report fold;
};

/* Writes the packed file of the open trace. */
enum refrain_status refrain_ranks_write(const struct refrain_trace *trace, FILE *file, const char *path,
                                        struct refrain_ranks_report *report, struct refrain_error *error);

#endif
