/* pack_ranks.h: with REFRAIN_PACK=on, MPI_Finalize makes one file of all ranks. This is the part that needs no MPI;
 * mpi_pack.c has the rest. A *sheet* is what one rank, or several ranks together, contribute to the file.
 *
 *     all ranks: begin --> finish: tracing ends, own sheet --> (a tree of messages: the sheet of all, on rank 0)
 *     rank 0:    create: NAME.refrain-pack.part, with the head           others: get the offset of their times
 *     all ranks: write the own times there --> rank 0: settle: renames the file --> all: remove their own files
 *
 * Each step can fail on any rank. Then all ranks stop, rank 0 prints the reason, and each process keeps its own file,
 * as without REFRAIN_PACK. */
#ifndef REFRAIN_PACK_RANKS_H
#define REFRAIN_PACK_RANKS_H

#include "fold/fold_library.h"
#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The reason why there is no pack. If ranks have different ones, the highest is printed. */
enum refrain_pack_trouble {
    REFRAIN_PACK_NONE,
    REFRAIN_PACK_FILE,    /* the file cannot be written */
    REFRAIN_PACK_THREADS, /* another thread was traced while the file was made */
    REFRAIN_PACK_MEMORY,
    REFRAIN_PACK_UNSOUND, /* a rank's trace file is damaged */
    REFRAIN_PACK_LIBRARY, /* librefrain-pack.so cannot be loaded */
    REFRAIN_PACK_SMALL,   /* REFRAIN_TOTAL_MEMORY is too small for packing */
    REFRAIN_PACK_EVENTS,  /* the run records events (REFRAIN_MODE) */
    REFRAIN_PACK_UNTRACED /* a rank is not traced */
};

/* True if REFRAIN_PACK is on in this process. */
REFRAIN_SHARED bool refrain_pack_is_wanted(void);

/* Loads the library. REFRAIN_PACK_NONE if this process can take part in a pack. */
REFRAIN_SHARED enum refrain_pack_trouble refrain_pack_begin(void);

/* The library that refrain_pack_begin() has loaded. */
REFRAIN_SHARED const struct refrain_fold_library *refrain_pack_library(void);

/* The memory that packing may use in this process. */
REFRAIN_SHARED struct refrain_fold_memory *refrain_pack_memory(void);

/* Ends tracing in this process, as its exit would, and returns its sheet. Null if that fails; then *trouble is the
 * reason. */
REFRAIN_SHARED struct refrain_sheet *refrain_pack_finish(enum refrain_pack_trouble *trouble);

/* Rank 0: makes the file and writes its first n bytes. False if that fails. */
REFRAIN_SHARED bool refrain_pack_create(const void *head, size_t n);

/* Writes the times of this process at the offset `at` of the file. False if that fails. */
REFRAIN_SHARED bool refrain_pack_write(uint64_t at);

/* Rank 0: renames the complete file. After trouble on any rank, removes it and prints the reason. True if there is a
 * pack. */
REFRAIN_SHARED bool refrain_pack_settle(enum refrain_pack_trouble trouble);

/* Removes this process's own file after the pack is complete. Rank 0 calls this last, with `last`, which removes the
 * directory, too. */
REFRAIN_SHARED void refrain_pack_done(bool last);

#endif
