/* help_pages.h: what `refrain help` writes besides plain help (table of commands -> manual pages, shell completion). */
#ifndef REFRAIN_HELP_PAGES_H
#define REFRAIN_HELP_PAGES_H

#include "commands/command.h"

/* Of the whole tool: what it is for, and its exit statuses; paragraphs end with \n. */
extern const char refrain_help_description[], refrain_help_statuses[];

/* A manual page for man(1): that of the command, or of refrain itself when it is null. */
void refrain_help_man(const struct refrain_command *command, FILE *file);

/* A completion file for bash or zsh. */
void refrain_help_bash(FILE *file);
void refrain_help_zsh(FILE *file);

/* Calls `each` for every option with a name that the command takes, common ones and argp's own included. */
typedef void refrain_help_option(void *data, const struct argp_option *option);
void refrain_help_options(const struct refrain_command *command, refrain_help_option *each, void *data);

#endif
