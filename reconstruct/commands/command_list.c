/* command_list.c: finds a command by its name, and the nearest one to a mistyped name (command.h). */
#include "commands/command.h"
#include <refrain/suggest.h>

#include <stdio.h>
#include <string.h>

#define REFRAIN_COMMAND(name) &refrain_command_##name,
const struct refrain_command *const refrain_commands[] = {
#include "command_list.def"
    NULL};
#undef REFRAIN_COMMAND

const struct refrain_command *refrain_command_find(const char *name) {
    for (size_t i = 0; refrain_commands[i]; i++)
        if (strcmp(name, refrain_commands[i]->name) == 0)
            return refrain_commands[i];
    return NULL;
}

const char *refrain_command_suggestion(const char *name) {
    static char text[128];
    struct refrain_suggestion suggestion = {.typed = name};
    for (size_t i = 0; refrain_commands[i]; i++)
        refrain_suggest(&suggestion, refrain_commands[i]->name);
    text[0] = 0;
    if (suggestion.name)
        snprintf(text, sizeof text, ": did you mean %s?", suggestion.name);
    return text;
}
