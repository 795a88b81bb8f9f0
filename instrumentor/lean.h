/* lean.h: which functions of an MPI a source can name (prototypes.h -> source.c). */
#ifndef REFRAIN_LEAN_H
#define REFRAIN_LEAN_H

#include "prototypes.h"
#include <clang-c/Index.h>

/* Reads the MPI's headers and leaves in them what `text`, the source `path`, names, or a header that it includes from
 * its own directory or one of the flags'. False when they are to be read as they are. */
bool refrain_lean_prepare(struct refrain_prototypes *prototypes, const char *path, const struct refrain_text *text,
                          const char *const *flags, size_t n_flags);

/* Whether no file that was included names a function that is missing, and none was found to be missing. */
bool refrain_lean_suffices(const struct refrain_prototypes *prototypes, CXTranslationUnit unit);

#endif
