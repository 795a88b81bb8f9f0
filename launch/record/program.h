/* program.h: what an executable's file tells about whether it can be traced without being compiled again. */
#ifndef REFRAIN_PROGRAM_H
#define REFRAIN_PROGRAM_H

#include <stdbool.h>

struct refrain_program {
    bool is_elf;
    bool is_64_bit;
    bool is_dynamic;       /* has an interpreter, the dynamic loader */
    bool is_musl;          /* ... which is musl's */
    bool is_set_id;        /* set-user-ID or set-group-ID: the loader ignores preloads that name a path */
    bool needs_mpi;        /* names an MPI library among its own */
    bool contains_mpi;     /* has MPI_Init in itself */
    bool open_mpi_runtime; /* one of Open MPI's tools */
    char mpi_library[128]; /* the name, with needs_mpi */
};

/* Reads the file; false where it cannot be read. A file that is no ELF file, or a damaged one, is what could be read of
 * it. */
bool refrain_program_read(const char *path, struct refrain_program *program);

#endif
