/* parts.h: divides a command with sources from several directories into one command per source (build.c).
 *
 * Each source is replaced by its stand-in, the instrumented file (compiler_call.h), which lies in a temporary
 * directory. It includes "..." files from the directory of its source. A compiler has one list of such directories for
 * all sources of a command, so sources of different directories need commands of their own. */
#ifndef REFRAIN_PARTS_H
#define REFRAIN_PARTS_H

#include "command.h"

/* True if the command has to be divided. A command that links and also writes files named after its output
 * (-save-temps ...) is not divided, since their names would change. */
bool refrain_parts_needed(const struct refrain_command *command);

/* Returns the arguments of a command that compiles one source and writes `object`. `source` is the number of the
 * source's argument. The other inputs and the options of the linker are left out. If `object` is null, the output goes
 * where the whole command would write it. The caller frees the list. */
struct refrain_list refrain_parts_arguments(const struct refrain_command *command, size_t source, const char *object);

/* Replaces the source by its object in the command. */
void refrain_parts_replace(struct refrain_command *command, size_t source, const char *object);

#endif
