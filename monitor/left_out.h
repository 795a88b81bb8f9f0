/* left_out.h: what is not to be recorded (refrain record --filter, REFRAIN_RECORD_FILTER).
 *
 *     rules, in order: -NAME is left out, +NAME is not; -/NAME and +/NAME are libraries; the last that matches decides
 *
 * Names of MPI functions are those that begin with "MPI_": their calls are not traced, but what they send and receive
 * is counted (untold.h). Others are functions of the program, which call paths are to pass over, as they do libraries;
 * these are also layers between the program and MPI (caller.h). */
#ifndef REFRAIN_LEFT_OUT_H
#define REFRAIN_LEFT_OUT_H

#include "caller.h"

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

/* Of the file of a library; "" is the executable, which is never left out. */
REFRAIN_HIDDEN bool refrain_leaves_out_file(const char *path);

/* Of the function that the code is in, by the name that its object's symbols have for it, with or without a `_` that a
 * Fortran compiler put behind it. Reads the object's file where there are such rules. */
REFRAIN_HIDDEN bool refrain_leaves_out_function(const struct refrain_caller_code *code);

#endif
