/* loaded.h: finds executables and libraries in memory. Any thread. */
#ifndef REFRAIN_LOADED_H
#define REFRAIN_LOADED_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable or library. The pointers are valid while it is loaded. */
struct refrain_loaded {
    const char *path;       /* "": the executable */
    uintptr_t load_address; /* addresses in the file are relative to it */
    const void *segments;   /* its program headers */
    unsigned n_segments;
};

/* Who a loaded file belongs to, by its name. */
enum refrain_loaded_owner {
    REFRAIN_OF_PROGRAM,
    REFRAIN_OF_MPI,     /* MPI, its modules and its layers for other languages; the monitor */
    REFRAIN_OF_RUNTIME, /* a library with which MPI is made, or that runs the threads of OpenMP */
    REFRAIN_OF_SYSTEM   /* the C library, which starts programs and threads, or the loader */
};
REFRAIN_HIDDEN enum refrain_loaded_owner refrain_loaded_owner(const struct refrain_loaded *loaded);

/* Finds the file to which the code at an address belongs. False if the loader knows none; *loaded then has the path ""
 * and no segments. Takes the loader's lock. */
REFRAIN_HIDDEN bool refrain_loaded_find(uintptr_t address, struct refrain_loaded *loaded);

/* The same without a lock, so that a signal handler may call it. Always false if the C library needs a lock for it
 * (glibc before 2.35; musl). */
REFRAIN_HIDDEN bool refrain_loaded_find_at_once(uintptr_t address, struct refrain_loaded *loaded);

/* True if one of its segments contains all `bytes` bytes from the address `begin` on. */
REFRAIN_HIDDEN bool refrain_loaded_holds(const struct refrain_loaded *loaded, uintptr_t begin, size_t bytes);

#endif
