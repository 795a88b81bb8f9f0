/* pack_ranks.h: with REFRAIN_PACK=on, MPI_Finalize makes one file of all ranks. These are the parts that need no MPI;
 * mpi_pack.c has the rest.
 *
 *     all ranks: begin --> finish: tracing ends, the own sheet --> (a tree of messages: the sheet of all, on rank 0)
 *     rank 0:    create: NAME.refrain-pack.part, with the head           others: where their times belong
 *     all ranks: write the own times there --> rank 0: settle: the file takes its name --> all: the own file goes
 *
 * Each step can fail, on any rank; then all give up together, rank 0 says why, and each process leaves its own file as
 * without REFRAIN_PACK. */
#ifndef REFRAIN_PACK_RANKS_H
#define REFRAIN_PACK_RANKS_H

#include "fold/fold_library.h"
#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why there is no pack; the highest that any rank has is said. */
enum refrain_pack_trouble {
    REFRAIN_PACK_NONE,
    REFRAIN_PACK_FILE,    /* it cannot be written */
    REFRAIN_PACK_THREADS, /* another thread was traced meanwhile */
    REFRAIN_PACK_MEMORY,
    REFRAIN_PACK_UNSOUND, /* a rank's trace file is not as it should be */
    REFRAIN_PACK_LIBRARY, /* librefrain-pack.so cannot be loaded */
    REFRAIN_PACK_SMALL,   /* REFRAIN_TOTAL_MEMORY is too small for it */
    REFRAIN_PACK_EVENTS,  /* events are recorded */
    REFRAIN_PACK_UNTRACED /* a rank is not traced */
};

/* Is REFRAIN_PACK on in this process? */
REFRAIN_SHARED bool refrain_pack_is_wanted(void);

/* Can this process take part? Loads the library. */
REFRAIN_SHARED enum refrain_pack_trouble refrain_pack_begin(void);

/* What begin loaded. */
REFRAIN_SHARED const struct refrain_fold_library *refrain_pack_library(void);

/* The memory that packing uses in this process, with its bound. */
REFRAIN_SHARED struct refrain_fold_memory *refrain_pack_memory(void);

/* Ends tracing in this process, as its exit does. Returns its sheet; null where that fails, and *trouble says why. */
REFRAIN_SHARED struct refrain_sheet *refrain_pack_finish(enum refrain_pack_trouble *trouble);

/* Rank 0: makes the file with these bytes at its beginning. */
REFRAIN_SHARED bool refrain_pack_create(const void *head, size_t n);

/* Writes the own times at `at` of the file. */
REFRAIN_SHARED bool refrain_pack_write(uint64_t at);

/* Rank 0: gives the file its name; or, after trouble on any rank, removes it and prints why. False where that fails. */
REFRAIN_SHARED bool refrain_pack_settle(enum refrain_pack_trouble trouble);

/* The pack is complete: removes this process's own file. Rank 0 calls it last (`last`), and removes the directory, too.
 */
REFRAIN_SHARED void refrain_pack_done(bool last);

#endif
