/* left_out.h: what the trace leaves out (refrain record --filter, REFRAIN_RECORD_FILTER).
 *
 *     rules, in order: -NAME is left out, +NAME is not; -/NAME and +/NAME name libraries; the last rule that matches
 *     holds
 *
 * A NAME that begins with "MPI_" is an MPI function: its calls are not traced, but their messages are counted
 * (untold.h). Any other NAME is a function of the program, which call paths leave out. Call paths also leave out the
 * functions of a library that a rule names. Such a library is also a layer between the program and MPI (caller.h). */
#ifndef REFRAIN_LEFT_OUT_H
#define REFRAIN_LEFT_OUT_H

#include "arch/caller.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* A set of MPI functions whose calls are left out: one bit for each line of mpi_calls.def. */
#define REFRAIN_LEFT_OUT_WORDS 16u
extern REFRAIN_HIDDEN uint64_t refrain_left_out_calls[REFRAIN_LEFT_OUT_WORDS];

/* Reads the rules of refrain_configuration. To be called once. */
REFRAIN_HIDDEN void refrain_left_out_open(void);

/* True if calls of any MPI function are left out. */
REFRAIN_HIDDEN bool refrain_leaves_out_some_calls(void);

static inline bool refrain_leaves_out_call(unsigned function) {
    return function < REFRAIN_LEFT_OUT_WORDS * 64 && refrain_left_out_calls[function / 64] >> function % 64 & 1;
}

/* True if the library with this file is left out. "" is the executable, which never is. */
REFRAIN_HIDDEN bool refrain_leaves_out_file(const char *path);

/* True if the function that contains the code is left out. Compares its name in the symbols of its object, with and
 * without the `_` that a Fortran compiler appends. Reads the object's file if there are such rules. */
REFRAIN_HIDDEN bool refrain_leaves_out_function(const struct refrain_caller_code *code);

#endif
