/* fold.h: what ranks learned, side by side, so that what they have in common is there once (trace files -> pack).
 *
 *     trace file of rank 0 --> sheet --.
 *     trace file of rank 1 --> sheet --+--> sheet of ranks 0, 1 --.
 *     trace file of rank 2 --> sheet --.                          +--> sheet of all --> head of the pack
 *     trace file of rank 3 --> sheet --+--> sheet of ranks 2, 3 --'
 *
 * A sheet holds records by key, each record its shapes, each shape a row over the ranks for every value
 * (packed_ranks.h). However sheets of ranks that follow each other are put together, the head is the same to the byte:
 * refrain pack adds one rank after the other, MPI_Finalize with REFRAIN_PACK=on goes by a tree. A rank's times are in
 * no sheet: they are its own part of the file. One thread for all sheets that share memory. */
#ifndef REFRAIN_FOLD_H
#define REFRAIN_FOLD_H

#include "fold_row.h"
#include "packed_ranks.h"

struct refrain_fold_shape {
    uint64_t n;                    /* values of a rank */
    unsigned char *kinds;          /* of the values */
    struct refrain_fold_row *rows; /* over the ranks that have this shape */
};

struct refrain_fold_record {
    uint64_t key;
    struct refrain_fold_row shape_of; /* of each rank: the number of its shape, from 1 on; 0: it has no such record */
    struct refrain_fold_shape *shapes;
    size_t n_shapes;
};

struct refrain_fold_text {
    unsigned char *bytes;
    size_t length;
};

struct refrain_sheet {
    struct refrain_fold_memory *memory;
    struct refrain_ranks_index *index; /* of each rank */
    size_t n_ranks, room_ranks;
    struct refrain_fold_text *texts; /* in the order in which ranks came upon them */
    size_t n_texts, room_texts;
    struct refrain_fold_record *records; /* by rising key */
    size_t n_records, room_records;
};

/* What folding came to. */
struct refrain_fold_report {
    uint64_t structure_bytes; /* what was learned, of all ranks together */
    uint64_t values;          /* of the structure, on all ranks together */
    uint64_t rows;            /* of values over ranks in it, of which ... */
    uint64_t same_rows;       /* ... these are one value, */
    uint64_t learned_rows;    /* these are formulas over the ranks, and the rest is as it is */
};

/* A rank's trace file (its first `used` bytes) as a sheet of one rank. *times: its part of the file, with as many bytes
 * as the index says, from the same memory. Null where that fails: *wrong says why, or null for want of memory. */
REFRAIN_PACKED_API struct refrain_sheet *refrain_sheet_of_trace_file(struct refrain_fold_memory *memory,
                                                                     const void *trace_file, uint64_t used,
                                                                     unsigned char **times, const char **wrong);

/* Puts the ranks of `other` behind those of `sheet` and gives `other` back; false without memory. */
REFRAIN_PACKED_API bool refrain_sheet_add(struct refrain_sheet *sheet, struct refrain_sheet *other);

/* A sheet as bytes for another process, and back. Null without memory; the latter also for bytes that are none. */
REFRAIN_PACKED_API unsigned char *refrain_sheet_to_bytes(const struct refrain_sheet *sheet, size_t *n);
REFRAIN_PACKED_API struct refrain_sheet *refrain_sheet_from_bytes(struct refrain_fold_memory *memory,
                                                                  const unsigned char *bytes, size_t n);

/* What stands in the pack before the ranks' times: header, index, structure. Sets in the sheet's index where the times
 * of each rank belong. Null without memory. */
REFRAIN_PACKED_API unsigned char *refrain_sheet_head(struct refrain_sheet *sheet, size_t *n,
                                                     struct refrain_fold_report *report);

REFRAIN_PACKED_API void refrain_sheet_give(struct refrain_sheet *sheet);

#endif
