/* packed_ranks.h: a pack: the traces of many ranks in one file, in which parts that ranks have in common are stored
 * once (refrain pack -> file -> reader).
 *
 *     | header | index, a row per rank | structure: of all ranks | times of rank a | times of rank b | ... | names |
 *
 * The structure of a rank is the sequence of values that packed_image.h makes of it, divided into records. Records
 * with the same key on several ranks are stored side by side:
 *
 *     record 17     rank 0  rank 1  rank 2  ...  rank 1023
 *     shape             1       2       2            1        which ranks have it, and in which shape
 *     shape 2: state            2       2                     one value for all, or
 *              base             1       2                     a sequence over the ranks
 *
 * If ranks do the same at different times, their formulas may have different forms. Such formulas are first brought
 * into one form (fold/beat.h). A row of values over the ranks is a sequence like any other, and is learned by the
 * same learner: 1 2 3 .. n-1 0 is a ring. Neighbours in a grid, pairs of a butterfly, corners and edges become
 * nested loops. So a thousand ranks need hardly more room than sixteen, and each unpacks to exactly its own values.
 *
 * The structure, coded (packed_coder.h):
 *     texts: their number; of each its length and bytes. Values of names are numbers of texts
 *     records: their number; of each the difference of its key to the one before, its shapes as a row over all ranks
 *         (0: the rank has no such record); of each shape the number of its values. If the record has only one shape:
 *         the kinds of the values, then a row over the ranks for each value. Else for each value whether it is as
 *         guessed (shape_guess.h), and if not its kind and its row
 *     a row: REFRAIN_ROW_*, then the data of that form
 * Times are stored per rank: the values of refrain_packed_is_time() kinds. */
#ifndef REFRAIN_PACKED_RANKS_H
#define REFRAIN_PACKED_RANKS_H

#include "packed_coder.h"

#define REFRAIN_RANKS_MAGIC "refrainr"
#define REFRAIN_RANKS_SUFFIX ".refrain-pack"
#define REFRAIN_MOST_RANKS ((uint32_t)1 << 24)

enum refrain_row_form {
    REFRAIN_ROW_SAME,     /* one value for all */
    REFRAIN_ROW_LEARNED,  /* a learner, and the size of its formula in the image of rows */
    REFRAIN_ROW_PLAIN,    /* all values */
    REFRAIN_ROW_REPEATED, /* the number of an earlier row of form LEARNED or PLAIN */
    REFRAIN_ROW_FORMS
};

/* How the uncoded bytes of the times of a rank are stored. */
enum refrain_copied_form {
    REFRAIN_COPIED_AS_THEY_ARE, /* written by MPI_Finalize: the traced program has no compression library */
    REFRAIN_COPIED_ZSTD,        /* written by refrain pack: a frame of Zstandard (RFC 8878) that contains its size */
    REFRAIN_COPIED_FORMS
};

struct refrain_ranks_header {
    char magic[8];
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    uint32_t header_bytes;
    uint32_t n_ranks; /* rows of the index */
    uint32_t reserved;
    uint64_t structure_bytes;
    uint64_t rows_bytes;  /* size of the image of all learned rows */
    uint64_t checksum;    /* of index and structure */
    uint64_t names_bytes; /* at the end of the file: names of code addresses found by readers, with a checksum of their
                             own (names_file.h); 0: none */
};

/* A row of the index, sorted by rank. Processes that were killed before they had a rank come last. */
struct refrain_ranks_index {
    int32_t rank;         /* -1: unknown */
    uint32_t copied_form; /* enum refrain_copied_form */
    uint64_t image_bytes;
    uint64_t at, coded_bytes, copied_bytes; /* its times: offset in the file; sizes of the parts as in packed_file.h */
    uint64_t checksum;
};

#endif
