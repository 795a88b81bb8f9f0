/* lean.h: reduces the headers of an MPI to the functions that a source can name (prototypes.h -> source.c). */
#ifndef REFRAIN_LEAN_H
#define REFRAIN_LEAN_H

#include "prototypes.h"
#include <clang-c/Index.h>

/* Reads the headers of the MPI, and keeps the functions named in `text`, the source `path`, or in a header that it
 * includes from its own directory or from those of the flags. False if the headers should be read unchanged. */
bool refrain_lean_prepare(struct refrain_prototypes *prototypes, const char *path, const struct refrain_text *text,
                          const char *const *flags, size_t n_flags);

/* True if no included file names a missing function, and no error was caused by one. */
bool refrain_lean_suffices(const struct refrain_prototypes *prototypes, CXTranslationUnit unit);

#endif
