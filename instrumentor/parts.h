/* parts.h: a command with sources from several directories, compiled one by one (build.c).
 *
 * Each temporary stands for a source of another directory, and a compiler has only one list of places for #include
 * "...".
 */
#ifndef REFRAIN_PARTS_H
#define REFRAIN_PARTS_H

#include "build.h"
#include "command.h"

/* Whether the command is to be carried out in parts. One that links and leaves files beside its output is not: their
 * names would be others. */
bool refrain_parts_needed(const struct refrain_command *command);

/* Compiles each C source by itself as refrain_build_run would, into `directory` when the command links; the words of
 * `arguments` that name the sources are then replaced by the objects. Returns the first status that is not 0, else 0.
 */
int refrain_parts_compile(const struct refrain_build *build, struct refrain_command *command, const char *directory);

#endif
