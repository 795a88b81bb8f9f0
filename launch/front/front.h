/* front.h: librefrain-record.so, which `refrain record` preloads into every process of a job.
 *
 *     program, MPI's Fortran and C++ layers
 *         | MPI_Send                                   | PMPI_Send
 *     entry: jump through its row (stubs.awk)      entry: jump through its row
 *         |                                            | from the Fortran layer    | from the wrapper     | else
 *     wrapper in librefrain-<mpi>.so  <----------------'             tool below, or MPI library       MPI library
 *
 * The library needs the C library only and does nothing in a process without MPI: no trace, no MPI library loaded. In a
 * process with MPI it loads the wrappers for that MPI: at the start, or at the first call where MPI is loaded later
 * (Python's mpi4py). The entries stand in front of the MPI library because preloaded objects are searched first; a
 * library that is loaded later could not stand there. Open MPI's Fortran layer calls the PMPI functions, MPICH's does
 * so at times, which is why these have entries as well.
 */
#ifndef REFRAIN_FRONT_H
#define REFRAIN_FRONT_H

#include <stdint.h>

#define REFRAIN_HIDDEN __attribute__((visibility("hidden")))

/* Where a function's calls go. The first two lead to choose.c until the first call. entry.S knows the layout. */
struct refrain_front_row {
    const void *mpi;   /* calls of MPI_X */
    const void *pmpi;  /* calls of PMPI_X: `real`, or `check` where the caller matters */
    const void *check; /* code that looks at the caller (entry.S) */
    const void *real;  /* the MPI library's PMPI_X */
    const void *below; /* MPI_X of a tool between the program and the MPI library, else `real` */
    struct {
        uintptr_t begin, bytes;
    } bindings[2], own; /* code whose calls of PMPI_X are the program's: the function's bindings for Fortran; refrain's
                           wrapper, whose calls go to `below` */
};
_Static_assert(sizeof(struct refrain_front_row) == 88, "entry.S and stubs.awk know it");

/* Made by stubs.awk: a row for each function, their names one after another, their number. */
extern REFRAIN_HIDDEN struct refrain_front_row refrain_front_table[];
extern REFRAIN_HIDDEN const char refrain_front_names[];
extern REFRAIN_HIDDEN const uint32_t refrain_front_rows;

/* Fills a row; its function is about to be called for the first time. Any thread. Ends the program where no object has
 * the function, as the loader would. */
REFRAIN_HIDDEN void refrain_front_fill(uint32_t row);

/* The wrappers, through which refrain itself is found; null where there are none, or not yet. */
REFRAIN_HIDDEN void *refrain_front_wrappers(void);

/* An object of this process that has to do with MPI. */
struct refrain_front_object {
    void *handle;   /* null: not there */
    char name[256]; /* DT_SONAME, else the file's name */
};

/* What is loaded now. */
struct refrain_front_objects {
    struct refrain_front_object mpi;      /* the MPI library */
    struct refrain_front_object fortran;  /* its Fortran layer */
    struct refrain_front_object f08;      /* its layer for the module mpi_f08 */
    struct refrain_front_object wrappers; /* librefrain-<mpi>.so, linked with the program */
    const char *wrappers_name;            /* librefrain-<mpi>.so for this MPI library; null: built for no such */
};
REFRAIN_HIDDEN void refrain_front_look(struct refrain_front_objects *objects);

#endif
