/* front.h: librefrain-record.so, which `refrain record` preloads into every process of a job.
 *
 *     program, MPI's Fortran and C++ layers
 *         | MPI_Send                                   | PMPI_Send
 *     entry: jump through its row (stubs.awk)      entry: jump through its row
 *         |                                            | from the Fortran layer    | from the wrapper     | else
 *     wrapper in librefrain-<mpi>.so  <----------------'             tool below, or MPI library       MPI library
 *
 * The library needs only the C library. In a process without MPI it does nothing: it makes no trace and loads no MPI
 * library. In a process with MPI it loads the wrappers for that MPI library: at the start, or at the first call if
 * MPI is loaded later (Python's mpi4py).
 *
 * Preloaded objects are searched first, so the entries are found before the functions of the MPI library. (A library
 * loaded later would be searched too late.) The Fortran layer of Open MPI calls the PMPI functions, and that of
 * MPICH does so in some cases. Therefore PMPI functions have entries, too. */
#ifndef REFRAIN_FRONT_H
#define REFRAIN_FRONT_H

#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_HIDDEN __attribute__((visibility("hidden")))

/* The targets of the calls of a function. Until the first call, mpi and pmpi lead to choose.c. entry.S uses this
 * layout. */
struct refrain_front_row {
    const void *mpi;   /* calls of MPI_X */
    const void *pmpi;  /* calls of PMPI_X: `real`, or `check` if the target depends on the caller */
    const void *check; /* code that looks at the caller (entry.S) */
    const void *real;  /* PMPI_X of the MPI library */
    const void *below; /* MPI_X of a tool between the program and the MPI library, else `real` */
    struct {
        uintptr_t begin, bytes;
    } bindings[2], own; /* code whose PMPI_X calls are special. bindings[]: the function's Fortran bindings, whose
                              calls count as the program's. own: refrain's wrapper, whose calls go to `below` */
};
_Static_assert(sizeof(struct refrain_front_row) == 88, "entry.S and stubs.awk know it");

/* Made by stubs.awk: a row for each function, their names one after another, and their number. */
extern REFRAIN_HIDDEN struct refrain_front_row refrain_front_table[];
extern REFRAIN_HIDDEN const char refrain_front_names[];
extern REFRAIN_HIDDEN const uint32_t refrain_front_rows;

/* Fills in a row before the first call of its function. Any thread. If no object has the function, ends the program,
 * as the loader would. */
REFRAIN_HIDDEN void refrain_front_fill(uint32_t row);

/* The handle of the wrappers, through which refrain itself is found. Null: none, or not loaded yet. */
REFRAIN_HIDDEN void *refrain_front_wrappers(void);

/* True if the program has MPI, and gets its wrappers here: it was not linked with them by refrain-cc. May be called
 * while they are being loaded. */
REFRAIN_HIDDEN bool refrain_front_records(void);

/* True if the variable of the environment is off, false, no or 0. */
REFRAIN_HIDDEN bool refrain_front_is_off(const char *variable);

/* An object of this process that belongs to MPI. */
struct refrain_front_object {
    void *handle;   /* null: not loaded */
    char name[256]; /* DT_SONAME, else the name of the file */
};

/* The objects that are loaded now. */
struct refrain_front_objects {
    struct refrain_front_object mpi;      /* the MPI library */
    struct refrain_front_object fortran;  /* its Fortran layer */
    struct refrain_front_object f08;      /* its layer for the module mpi_f08 */
    struct refrain_front_object wrappers; /* librefrain-<mpi>.so, linked with the program */
    const char *wrappers_name; /* librefrain-<mpi>.so for this MPI library; null: refrain was not built for it */
};
REFRAIN_HIDDEN void refrain_front_look(struct refrain_front_objects *objects);

#endif
