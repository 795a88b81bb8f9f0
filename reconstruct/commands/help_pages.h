/* help_pages.h: what `refrain help` writes besides plain help (table of commands, variables.def -> manual pages,
 * completion). */
#ifndef REFRAIN_HELP_PAGES_H
#define REFRAIN_HELP_PAGES_H

#include "commands/command.h"

/* The purpose of refrain, and its exit statuses. A paragraph ends with a newline. */
extern const char refrain_help_description[], refrain_help_statuses[];

/* Writes a manual page for man(1): of the command, or of refrain if it is null. */
void refrain_help_man(const struct refrain_command *command, FILE *file);

/* Writes the manual page refrain-settings(7). */
void refrain_help_settings_man(FILE *file);

/* Prints the text of `refrain help settings` to standard output. */
void refrain_help_settings_text(void);

/* Calls `heading` for each group of variables, and `each` for each variable of the group with its name, its default
 * ("": none) and sentences on its meaning. Variables that are not for users are left out. */
typedef void refrain_help_setting(void *data, const char *name, const char *preset, const char *meaning);
typedef void refrain_help_heading(void *data, const char *heading);
void refrain_help_settings(refrain_help_setting *each, refrain_help_heading *heading, void *data);
extern const char refrain_help_settings_summary[], refrain_help_settings_description[]; /* paragraphs end with \n */

/* Writes a completion file for bash or zsh. */
void refrain_help_bash(FILE *file);
void refrain_help_zsh(FILE *file);

/* Calls `each` for every named option of the command, with the common options and argp's own. */
typedef void refrain_help_option(void *data, const struct argp_option *option);
void refrain_help_options(const struct refrain_command *command, refrain_help_option *each, void *data);

#endif
