/* python.h: finds the Python functions that are open in the calling thread (REFRAIN_PYTHON).
 *
 * It uses functions of CPython's C API, if the process has an interpreter (python.c lists all), for example
 * PyEval_GetFrame, PyFrame_GetBack and PyGILState_Ensure. mpi4py lets other Python threads run during an MPI call, so
 * refrain takes the interpreter's lock again from refrain_python_begin() to refrain_python_end(). A thread that Python
 * does not know has no Python functions. The search may run Python code (garbage collection), which may call MPI, so
 * context->busy must not be set. refrain_python_describe(), which needs the lock, runs no Python code. */
#ifndef REFRAIN_PYTHON_H
#define REFRAIN_PYTHON_H

#include "visibility.h"
#include <refrain/settings.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_python_frame {
    const void *frame, *code; /* addresses that identify them */
    int line;                 /* the current line; of the innermost frame only */
    int instruction; /* index of the current instruction; 0 with Python older than 3.11, where no function gives it */
};

struct refrain_python_stack {
    int lock; /* needed to release the lock */
    bool locked;
    unsigned n;
    struct refrain_python_frame frames[REFRAIN_MAXIMUM_PATH]; /* the innermost first */
};

/* Looks up the functions of CPython that the functions below call. False if the process lacks one that is needed. */
REFRAIN_HIDDEN bool refrain_python_open(void);

/* Finds up to `most` open functions, without those of the import machinery, and keeps the lock. False if it
 * finds none, or if an exception is pending; then the caller does not call refrain_python_end(). */
REFRAIN_HIDDEN bool refrain_python_begin(struct refrain_python_stack *stack, unsigned most);

/* Finds the file, name and first line of a code object. Copies the texts, each in at most `bytes` bytes, the
 * terminating null included.
 * Returns the line. Keeps the object from being freed, since its address identifies it from now on. */
REFRAIN_HIDDEN int refrain_python_describe(const void *code, char *file, char *name, size_t bytes);

REFRAIN_HIDDEN void refrain_python_end(const struct refrain_python_stack *stack);

#endif
