/* python.h: the Python functions that are open in the calling thread (REFRAIN_PYTHON), by CPython's documented
 * functions where the process has an interpreter: PyEval_GetFrame, PyFrame_GetBack, PyFrame_GetCode, PyFrame_GetLasti,
 * PyFrame_GetLineNumber, PyGILState_Ensure.
 *
 * mpi4py lets other Python threads run while it is in MPI, so the interpreter's lock is taken again for the look; a
 * thread that Python does not know has no Python functions. Looking may run Python code (garbage collection), which may
 * call MPI, so context->busy must not be set then. The functions that are called with the lock held run no Python code.
 */
#ifndef REFRAIN_PYTHON_H
#define REFRAIN_PYTHON_H

#include "visibility.h"
#include <refrain/settings.h>
#include <stdbool.h>
#include <stddef.h>

struct refrain_python_frame {
    const void *frame, *code; /* identities */
    int line;                 /* that is executed; of the innermost one only */
    int instruction; /* ... and the index of what is executed there; 0 before Python 3.11, which does not tell */
};

struct refrain_python_stack {
    int lock; /* how it is given back */
    bool locked;
    unsigned n;
    struct refrain_python_frame frames[REFRAIN_MAXIMUM_PATH]; /* from the inside */
};

/* The process has an interpreter. */
REFRAIN_HIDDEN bool refrain_python_open(void);

/* Finds up to `most` open functions and keeps the lock; those of the import machinery are left out. False, and nothing
 * is to be ended, where there is none. */
REFRAIN_HIDDEN bool refrain_python_begin(struct refrain_python_stack *stack, unsigned most);

/* What a code object was compiled from; each text is copied to where it is told, at most `bytes` with its end. Returns
 * the line at which it begins, and keeps the object from being freed, as its address stands for it from now on. */
REFRAIN_HIDDEN int refrain_python_describe(const void *code, char *file, char *name, size_t bytes);

REFRAIN_HIDDEN void refrain_python_end(const struct refrain_python_stack *stack);

#endif
