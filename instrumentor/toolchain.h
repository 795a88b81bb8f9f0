/* toolchain.h: finds clang's headers, the MPI behind an MPI compiler, and the libraries of refrain.
 *
 * REFRAIN_LIBDIR overrides the directory of the libraries. Otherwise they are found relative to the tool itself. */
#ifndef REFRAIN_TOOLCHAIN_H
#define REFRAIN_TOOLCHAIN_H

#include "command.h"

enum refrain_mpi { REFRAIN_MPI_NONE, REFRAIN_MPI_MPICH, REFRAIN_MPI_OPENMPI };

/* Appends the flags for clang's headers. False with a line in `reason` if there are none. */
bool refrain_toolchain_headers(struct refrain_list *flags, struct refrain_text *reason);

/* The command that an MPI compiler runs for one argument, `here`, or for none if that is null (`-show`), as words.
 * Empty if the compiler is no MPI compiler. */
void refrain_toolchain_show(const struct refrain_list *compiler, const char *here, struct refrain_list *shown);

/* True if a command with this name would find a program. */
bool refrain_toolchain_is_program(const char *name);

/* The MPI that a link with these words and arguments uses. */
enum refrain_mpi refrain_toolchain_mpi(const struct refrain_list *shown, const struct refrain_command *command);

/* Appends the path of a file beside the libraries of refrain. False if it does not exist. */
bool refrain_toolchain_file(const char *name, struct refrain_text *path);

/* Appends the path of lib<name>.so. The directory of the wrapper is searched first. False if it does not exist. */
bool refrain_toolchain_library(const char *name, struct refrain_text *path);

/* Lets compilers that are run later, and libclang, find the installed refrain/refrain.h, after all directories that
 * the command or the environment of the user name. */
void refrain_toolchain_offer_header(void);

/* True if `name`, a path or the name of a program on PATH, leads to a wrapper. */
bool refrain_toolchain_is_wrapper(const char *name);

/* Appends the path of the first program on PATH with the last part of `name` that is no wrapper. False if there is
 * none. */
bool refrain_toolchain_behind(const char *name, struct refrain_text *path);

/* Runs a program without a shell and appends its output. Returns its status, or -1. Standard error is dropped. */
int refrain_toolchain_output(char *const *arguments, struct refrain_text *output);

#endif
