/* fold.h: joins the traces of many ranks, so that parts that several ranks have in common are stored once (trace
 * files -> pack).
 *
 *     trace file of rank 0 --> sheet --.
 *     trace file of rank 1 --> sheet --+--> sheet of ranks 0, 1 --.
 *     trace file of rank 2 --> sheet --.                          +--> sheet of all --> head of the pack
 *     trace file of rank 3 --> sheet --+--> sheet of ranks 2, 3 --'
 *
 * A sheet holds records by key, a record its shapes, and a shape one row over the ranks for each value
 * (packed_ranks.h). In whichever order sheets of neighbouring ranks are joined, the head has the same bytes: refrain
 * pack adds one rank after the other, and MPI_Finalize with REFRAIN_PACK=on uses a tree. The times of a rank are in
 * no sheet, but in a part of the file of their own. Sheets that share memory are used by one thread. */
#ifndef REFRAIN_FOLD_H
#define REFRAIN_FOLD_H

#include "fold_row.h"
#include "packed_ranks.h"

struct refrain_fold_shape {
    uint64_t n;                    /* values per rank */
    unsigned char *kinds;          /* of the values */
    struct refrain_fold_row *rows; /* one per value, over the ranks that have this shape */
};

struct refrain_fold_record {
    uint64_t key;
    struct refrain_fold_row shape_of; /* by rank: number of its shape, from 1; 0: it has no such record */
    struct refrain_fold_shape *shapes;
    size_t n_shapes;
};

struct refrain_fold_text {
    unsigned char *bytes;
    size_t length;
};

struct refrain_sheet {
    struct refrain_fold_memory *memory;
    struct refrain_ranks_index *index; /* by rank */
    size_t n_ranks, room_ranks;
    struct refrain_fold_text *texts; /* in the order in which ranks added them */
    size_t n_texts, room_texts;
    struct refrain_fold_record *records; /* sorted by key */
    size_t n_records, room_records;
};

/* Size of the result. */
struct refrain_fold_report {
    uint64_t structure_bytes; /* coded structure of all ranks together */
    uint64_t values;          /* of the structure, over all ranks */
    uint64_t rows;            /* rows over the ranks */
    uint64_t same_rows;       /* rows with one value for all ranks */
    uint64_t learned_rows;    /* rows that became formulas; the others are plain */
};

/* Makes a sheet of the trace file of one rank, of which the first `used` bytes are in use. *times: the rank's part
 * of the file, whose size is in the index, from the same memory. Null after a failure: *wrong is the reason, or null
 * without memory. */
REFRAIN_PACKED_API struct refrain_sheet *refrain_sheet_of_trace_file(struct refrain_fold_memory *memory,
                                                                     const void *trace_file, uint64_t used,
                                                                     unsigned char **times, const char **wrong);

/* Appends the ranks of `other` to `sheet` and frees `other`. False without memory. */
REFRAIN_PACKED_API bool refrain_sheet_add(struct refrain_sheet *sheet, struct refrain_sheet *other);

/* Convert a sheet to bytes for another process, and back. Null without memory; from_bytes also for malformed bytes. */
REFRAIN_PACKED_API unsigned char *refrain_sheet_to_bytes(const struct refrain_sheet *sheet, size_t *n);
REFRAIN_PACKED_API struct refrain_sheet *refrain_sheet_from_bytes(struct refrain_fold_memory *memory,
                                                                  const unsigned char *bytes, size_t n);

/* The bytes of the pack before the times of the ranks: header, index, structure. Sets the positions of the times in
 * the index of the sheet. Null without memory. */
REFRAIN_PACKED_API unsigned char *refrain_sheet_head(struct refrain_sheet *sheet, size_t *n,
                                                     struct refrain_fold_report *report);

REFRAIN_PACKED_API void refrain_sheet_free(struct refrain_sheet *sheet);

#endif
