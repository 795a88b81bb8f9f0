/* loaded.h: the executable and the libraries as the loader has them in memory. Any thread. */
#ifndef REFRAIN_LOADED_H
#define REFRAIN_LOADED_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable or library. The pointers hold while it is loaded. */
struct refrain_loaded {
    const char *path;       /* "" the executable */
    uintptr_t load_address; /* addresses in the file count from here */
    const void *segments;   /* its program headers */
    unsigned n_segments;
};

/* Finds what the code address lies in. False where that is no file the loader knows: *loaded then has no segments, and
 * the path "". Takes the loader's lock. */
REFRAIN_HIDDEN bool refrain_loaded_find(uintptr_t address, struct refrain_loaded *loaded);

/* The same without a lock, so that a signal handler may call it. Also false where the C library cannot say it without
 * one (before glibc 2.35; musl). */
REFRAIN_HIDDEN bool refrain_loaded_find_at_once(uintptr_t address, struct refrain_loaded *loaded);

/* Does one of its segments hold all bytes from the address `begin` on? */
REFRAIN_HIDDEN bool refrain_loaded_holds(const struct refrain_loaded *loaded, uintptr_t begin, size_t bytes);

#endif
