/* python.h: finds the Python functions that are open in the calling thread (REFRAIN_PYTHON).
 *
 * It uses CPython's documented functions, if the process has an interpreter: PyEval_GetFrame, PyFrame_GetBack,
 * PyFrame_GetCode, PyFrame_GetLasti, PyFrame_GetLineNumber, PyGILState_Ensure. mpi4py lets other Python threads run
 * during an MPI call, so the interpreter's lock is taken again meanwhile. A thread that Python does not know has no
 * Python functions. The search may run Python code (garbage collection), which may call MPI, so context->busy must not
 * be set. The functions that need the lock run no Python code. */
#ifndef REFRAIN_PYTHON_H
#define REFRAIN_PYTHON_H

#include "visibility.h"
#include <refrain/settings.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_python_frame {
    const void *frame, *code; /* addresses that identify them */
    int line;                 /* the current line; of the innermost frame only */
    int instruction;          /* index of the current instruction; 0 before Python 3.11, which has no function for it */
};

struct refrain_python_stack {
    int lock; /* needed to release the lock */
    bool locked;
    unsigned n;
    struct refrain_python_frame frames[REFRAIN_MAXIMUM_PATH]; /* the innermost first */
};

/* True if the process has an interpreter. */
REFRAIN_HIDDEN bool refrain_python_open(void);

/* Finds up to `most` open functions, without those of the import machinery, and keeps the lock. False if there are
 * none; then nothing has to be ended. */
REFRAIN_HIDDEN bool refrain_python_begin(struct refrain_python_stack *stack, unsigned most);

/* Finds the file, name and first line of a code object. Copies the texts, each at most `bytes` bytes with its end.
 * Returns the line. Keeps the object from being freed, since its address identifies it from now on. */
REFRAIN_HIDDEN int refrain_python_describe(const void *code, char *file, char *name, size_t bytes);

REFRAIN_HIDDEN void refrain_python_end(const struct refrain_python_stack *stack);

#endif
