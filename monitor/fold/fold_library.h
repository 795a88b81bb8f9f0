/* fold_library.h: folding (packed/fold) as a library of its own, with a learner and a pool of its own. Only processes
 * that pack at MPI_Finalize load it. */
#ifndef REFRAIN_FOLD_LIBRARY_H
#define REFRAIN_FOLD_LIBRARY_H

#include "fold.h"

#define REFRAIN_FOLD_LIBRARY_FILE "librefrain-pack.so" /* in the directory of librefrain.so */
#define REFRAIN_FOLD_LIBRARY_SYMBOL "refrain_fold_library"

/* The functions of fold.h. */
struct refrain_fold_library {
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    struct refrain_sheet *(*of_trace_file)(struct refrain_fold_memory *memory, const void *trace_file, uint64_t used,
                                           unsigned char **times, const char **wrong);
    bool (*add)(struct refrain_sheet *sheet, struct refrain_sheet *other);
    unsigned char *(*to_bytes)(const struct refrain_sheet *sheet, size_t *n);
    struct refrain_sheet *(*from_bytes)(struct refrain_fold_memory *memory, const unsigned char *bytes, size_t n);
    unsigned char *(*head)(struct refrain_sheet *sheet, size_t *n, struct refrain_fold_report *report);
    void (*free_sheet)(struct refrain_sheet *sheet);
    void *(*allocate)(struct refrain_fold_memory *memory, size_t bytes);
    void (*free)(struct refrain_fold_memory *memory, void *p);
};

#endif
