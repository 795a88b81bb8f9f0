/* packed_ranks.h: a pack: the trace files of many ranks as one file, in which what they have in common is kept once
 * (refrain pack -> file -> reader).
 *
 *     | header | a row of the index per rank | structure: of all ranks | times of rank a | times of rank b | ... |
 * names |
 *
 * The structure of each rank is the row of values that packed_image.h makes of it, in records. Records with the same
 * key on several ranks are laid side by side:
 *
 *     record 17     rank 0  rank 1  rank 2  ...  rank 1023
 *     class             1       2       2            1        which ranks have it, and in which shape
 *     class 2: state            2       2                     one value for all, or
 *              base             1       2                     a sequence over the ranks
 *
 * Formulas of other forms on ranks that do the same at other moments are brought into one first (fold/beat.h).
 * A row of values over the ranks is a sequence like any other, and is learned by the same learner: 1 2 3 .. n-1 0 is a
 * ring, and neighbours in a grid, pairs of a butterfly, corners and edges are loops of loops. So what a thousand ranks
 * do takes hardly more than what sixteen do, and unpacks to exactly what each rank had.
 *
 * The structure, coded (packed_coder.h):
 *     texts: their number; of each its length and bytes. Values of names are numbers of texts
 *     records: their number; of each the difference of its key to the one before, its classes as a row over all ranks
 *         (0: the rank has no such record); of each class the number of its values; where it is the record's only one,
 *         their kinds, then a row over its ranks for each; else of each value whether it is the guess (shape_guess.h),
 *         and if not its kind and its row
 *     a row: REFRAIN_ROW_*, then what that says
 * Times are what a rank has for itself: the values of refrain_packed_is_time() kinds. */
#ifndef REFRAIN_PACKED_RANKS_H
#define REFRAIN_PACKED_RANKS_H

#include "packed_coder.h"

#define REFRAIN_RANKS_MAGIC "refrainr"
#define REFRAIN_RANKS_SUFFIX ".refrain-pack"
#define REFRAIN_MOST_RANKS ((uint32_t)1 << 24)

enum refrain_row_form {
    REFRAIN_ROW_SAME,    /* one value for all */
    REFRAIN_ROW_LEARNED, /* a learner's, with what its formula takes of the image of rows */
    REFRAIN_ROW_PLAIN,   /* one value after the other */
    REFRAIN_ROW_AGAIN,   /* the number of an earlier row of the forms LEARNED and PLAIN */
    REFRAIN_ROW_FORMS
};

/* How the bytes of a rank's times that are not coded lie in the file. */
enum refrain_copied_form {
    REFRAIN_COPIED_AS_THEY_ARE, /* MPI_Finalize leaves them so: no library is in the traced program */
    REFRAIN_COPIED_ZSTD,        /* refrain pack: a frame of Zstandard (RFC 8878) that tells its size */
    REFRAIN_COPIED_FORMS
};

struct refrain_ranks_header {
    char magic[8];
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    uint32_t header_bytes;
    uint32_t n_ranks; /* rows of the index */
    uint32_t reserved;
    uint64_t structure_bytes;
    uint64_t rows_bytes;  /* of the image of all learned rows */
    uint64_t checksum;    /* of index and structure */
    uint64_t names_bytes; /* at the end of the file: what a reader found out of code addresses, with a checksum of its
                             own (names_file.h); 0: none */
};

/* A row of the index, ranks in rising order; those that were killed before they had one come last. */
struct refrain_ranks_index {
    int32_t rank;         /* -1: it was never told one */
    uint32_t copied_form; /* enum refrain_copied_form */
    uint64_t image_bytes;
    uint64_t at, coded_bytes, copied_bytes; /* its times: offset in the file; parts as in packed_file.h */
    uint64_t checksum;
};

#endif
