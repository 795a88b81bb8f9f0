/* program.h: facts in the file of an executable that decide whether it can be traced without recompilation. */
#ifndef REFRAIN_PROGRAM_H
#define REFRAIN_PROGRAM_H

#include <stdbool.h>

struct refrain_program {
    bool is_elf;
    bool is_64_bit;
    bool is_dynamic;       /* has an interpreter, the dynamic loader */
    bool is_musl;          /* the interpreter is that of musl */
    bool is_set_id;        /* set-user-ID or set-group-ID: the loader ignores preloads with a path */
    bool needs_mpi;        /* its needed libraries include an MPI library */
    bool contains_mpi;     /* contains MPI_Init itself */
    bool open_mpi_runtime; /* one of the tools of Open MPI */
    char mpi_library[128]; /* name of that library, if needs_mpi */
};

/* Reads the file; false if it cannot be opened. For a file that is no ELF file, or that is damaged, only the
 * readable facts are set. */
bool refrain_program_read(const char *path, struct refrain_program *program);

#endif
