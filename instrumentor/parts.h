/* parts.h: a command with sources from several directories, compiled one by one (build.c).
 *
 * Each temporary stands for a source of another directory, and a compiler has only one list of places for #include
 * "...".
 */
#ifndef REFRAIN_PARTS_H
#define REFRAIN_PARTS_H

#include "command.h"

/* Whether the command is to be carried out in parts. One that links and leaves files beside its output is not: their
 * names would be others. */
bool refrain_parts_needed(const struct refrain_command *command);

/* The arguments of the command that compiles the one source, an argument's number, to `object`: no other input, nothing
 * for the linker. Null `object`: to where the command as it is would have put it. The caller frees the list. */
struct refrain_list refrain_parts_arguments(const struct refrain_command *command, size_t source, const char *object);

/* The object takes the place of its source in the command. */
void refrain_parts_replace(struct refrain_command *command, size_t source, const char *object);

#endif
