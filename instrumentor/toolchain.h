/* toolchain.h: what surrounds the wrapper: clang's own headers, the MPI behind an MPI compiler, refrain's libraries.
 *
 * REFRAIN_LIBDIR overrides where the libraries are looked for; otherwise they are found from where the tool itself is.
 */
#ifndef REFRAIN_TOOLCHAIN_H
#define REFRAIN_TOOLCHAIN_H

#include "command.h"

enum refrain_mpi { REFRAIN_MPI_NONE, REFRAIN_MPI_MPICH, REFRAIN_MPI_OPENMPI };

/* Appends the flags for clang's headers; false with a line in `reason` when there are none. */
bool refrain_toolchain_headers(struct refrain_list *flags, struct refrain_text *reason);

/* What an MPI compiler runs for one argument, `here`, or for none when that is null (`-show`), as words; empty when the
 * compiler is none. */
void refrain_toolchain_show(const struct refrain_list *compiler, const char *here, struct refrain_list *shown);

/* Whether a command by this name would find a program. */
bool refrain_toolchain_is_program(const char *name);

/* The MPI that a link with these words and arguments ends up with. */
enum refrain_mpi refrain_toolchain_mpi(const struct refrain_list *shown, const struct refrain_command *command);

/* Appends the path of a file beside refrain's libraries; false when it is not there. */
bool refrain_toolchain_file(const char *name, struct refrain_text *path);

/* Appends the path of lib<name>.so in front of which the wrapper's own place decides; false when it is not there. */
bool refrain_toolchain_library(const char *name, struct refrain_text *path);

/* Lets the compilers that are run from now on, and libclang, find refrain/refrain.h where refrain is installed: behind
 * all directories that the command or the user's environment name. */
void refrain_toolchain_offer_header(void);

/* Whether `name`, a path or the name of a program on PATH, leads to a wrapper. */
bool refrain_toolchain_is_wrapper(const char *name);

/* Appends the path of the first program on PATH with the last part of `name` that is no wrapper; false: there is none.
 */
bool refrain_toolchain_behind(const char *name, struct refrain_text *path);

/* Runs a program without a shell and appends what it prints; its status, or -1. Standard error is dropped. */
int refrain_toolchain_output(char *const *arguments, struct refrain_text *output);

#endif
