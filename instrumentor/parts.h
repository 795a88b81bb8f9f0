/* parts.h: divides a command with sources from several directories into one command per source (build.c).
 *
 * Each stand-in replaces a source of another directory, and a compiler has only one search list for #include "...". */
#ifndef REFRAIN_PARTS_H
#define REFRAIN_PARTS_H

#include "command.h"

/* True if the command has to be divided. A command that links and leaves files beside its output is not divided:
 * the names of these files would change. */
bool refrain_parts_needed(const struct refrain_command *command);

/* Returns the arguments of a command that compiles one source and writes `object`. `source` is the number of the
 * source's argument. The other inputs and the options of the linker are left out. If `object` is null, the output goes
 * where the whole command would write it. The caller frees the list. */
struct refrain_list refrain_parts_arguments(const struct refrain_command *command, size_t source, const char *object);

/* Replaces the source by its object in the command. */
void refrain_parts_replace(struct refrain_command *command, size_t source, const char *object);

#endif
