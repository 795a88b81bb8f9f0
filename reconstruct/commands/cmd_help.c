/* cmd_help.c: refrain help: lists the commands, and prints the help of one of them. */
#define _GNU_SOURCE
#include "commands/help_pages.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_COMPLETION = 256 };

const char refrain_help_description[] =
    "Traces MPI programs (refrain record), and reads traces: what was run, where the time went, which events "
    "happened.\n"
    "A TRACE is a directory <program>-<date>-<time>.refrain, one rank-N.trace in it, or a .refrain-pack.\n";

const char refrain_help_statuses[] = "0  done; what was asked for holds\n"
                                     "1  failed: something is wrong with data or the system\n"
                                     "2  the command line is wrong\n"
                                     "3  done, and the answer is no: the two that were compared differ\n";

struct arguments {
    const char *command;
    bool man;
    const char *shell;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_COMPLETION:
        if (strcmp(value, "bash") != 0 && strcmp(value, "zsh") != 0)
            argp_error(state, "%s: bash or zsh is expected", value);
        arguments->shell = value;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->command)
            argp_error(state, "one command is expected, and %s is a second one", value);
        arguments->command = value;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"man", 0, NULL, "Write the manual page, for man(1)", 0, REFRAIN_FLAG(man)},
    {"completion", OPTION_COMPLETION, "bash|zsh", "Write the completion file of that shell", 0, REFRAIN_OWN},
    {0}};

static const char doc[] = "Says what the commands are, what COMMAND takes, or what the variables of the "
                          "environment do.\v"
                          "The manual pages refrain(1), refrain-COMMAND(1) and refrain-settings(7) say the same.";

static const struct argp argp = {.parser = parse_option, .args_doc = "[COMMAND]\nsettings", .doc = doc};

/* Prints each line of the text with an indent. */
static void print_indented(const char *text) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        printf("  %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void print_overview(void) {
    const char *bold = refrain_style(REFRAIN_BOLD), *normal = refrain_style(REFRAIN_NORMAL);
    printf("Usage: %srefrain%s [-q] [--no-pager] [--color=WHEN] COMMAND [OPTION...] ARGUMENT...\n%s\n%sCommands%s\n",
           bold, normal, refrain_help_description, bold, normal);
    for (size_t i = 0; refrain_commands[i]; i++)
        printf("  %s%-12s%s %s\n", bold, refrain_commands[i]->name, normal, refrain_commands[i]->summary);
    printf("\n  refrain help COMMAND, refrain COMMAND --help   say what a command takes\n"
           "  refrain help settings                          says what the REFRAIN_ variables do\n"
           "  refrain --version                              says which refrain this is\n"
           "\n%sExit status%s\n",
           bold, normal);
    print_indented(refrain_help_statuses);
}

/* True for `refrain help settings`, the only subject that is no command. */
static bool is_settings(const char *word) {
    return word && strcmp(word, "settings") == 0;
}

static void print_settings(bool man) {
    if (man)
        refrain_help_settings_man(stdout);
    else
        refrain_help_settings_text();
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_help, argc, argv, &arguments);
    const struct refrain_command *command = NULL;
    if (arguments.command && !is_settings(arguments.command) && !(command = refrain_command_find(arguments.command)))
        return REFRAIN_FAIL_USAGE(error, "unknown command %s%s (refrain help lists them)", arguments.command,
                                  refrain_command_suggestion(arguments.command));
    char whole_name[64];
    snprintf(whole_name, sizeof whole_name, "refrain %s", command ? command->name : "");
    if (arguments.shell && strcmp(arguments.shell, "bash") == 0)
        refrain_help_bash(stdout);
    else if (arguments.shell)
        refrain_help_zsh(stdout);
    else if (is_settings(arguments.command))
        print_settings(arguments.man);
    else if (arguments.man)
        refrain_help_man(command, stdout);
    else if (command) /* argp prints the help and ends the program */
        return command->run(2, (char *[]){whole_name, "--help", NULL}, error);
    else
        print_overview();
    return REFRAIN_OK;
}

const struct refrain_command refrain_command_help = {
    .name = "help",
    .summary = "what the commands are, and what each takes",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
};
