/* left_out.h: what the trace leaves out (refrain record --filter, REFRAIN_RECORD_FILTER).
 *
 *     rules, in order: -NAME is left out, +NAME is not; -/NAME and +/NAME are libraries; the last that matches decides
 *
 * A NAME that begins with "MPI_" is an MPI function: its calls are not traced, but what they send and receive is
 * counted (untold.h). Any other NAME is a function of the program: call paths leave it out. Call paths leave out the
 * functions of a library that a rule names, too; such a library is also a layer between the program and MPI (caller.h).
 */
#ifndef REFRAIN_LEFT_OUT_H
#define REFRAIN_LEFT_OUT_H

#include "arch/caller.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* MPI functions whose calls are left out: a bit for each line of mpi_calls.def. */
#define REFRAIN_LEFT_OUT_WORDS 16u
extern REFRAIN_HIDDEN uint64_t refrain_left_out_calls[REFRAIN_LEFT_OUT_WORDS];

/* Reads the rules that refrain_configuration has. Once. */
REFRAIN_HIDDEN void refrain_left_out_open(void);

/* Is a call of some MPI function left out? */
REFRAIN_HIDDEN bool refrain_leaves_out_some_calls(void);

static inline bool refrain_leaves_out_call(unsigned function) {
    return function < REFRAIN_LEFT_OUT_WORDS * 64 && refrain_left_out_calls[function / 64] >> function % 64 & 1;
}

/* Is the library with this file left out? "" is the executable, which never is. */
REFRAIN_HIDDEN bool refrain_leaves_out_file(const char *path);

/* Is the function that the code is in left out? It is known by its name among its object's symbols, with or without the
 * `_` that a Fortran compiler puts behind a name. Reads the object's file where there are such rules. */
REFRAIN_HIDDEN bool refrain_leaves_out_function(const struct refrain_caller_code *code);

#endif
