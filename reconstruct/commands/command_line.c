/* command_line.c: reads command lines: the options of a command, those that all commands take, and suggestions for
 * mistyped ones (command.h). */
#define _GNU_SOURCE
#include "commands/help_pages.h"
#include "commands/time_option.h"

#include <refrain/suggest.h>
#include <refrain/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_NO_PAGER = 0x10000, OPTION_COLOR };

const struct argp_option refrain_common_options[] = {
    {NULL, 0, NULL, 0, "Common options:", -2},
    {"quiet", 'q', NULL, 0, "Print errors only, no warnings and no progress", -2},
    {"no-pager", OPTION_NO_PAGER, NULL, 0, "Do not use a pager for long output", -2},
    {"color", OPTION_COLOR, "auto|always|never", 0, "Use colours: auto (on a terminal, the default), always or never",
     -2},
    {0}};

static bool set_color(const char *value) {
    static const char *const names[] = {"auto", "always", "never"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(value, names[i]) == 0) {
            refrain_terminal_settings.color = (enum refrain_color)i;
            return true;
        }
    return false;
}

static error_t parse_common(int key, char *value, struct argp_state *state) {
    switch (key) {
    case 'q':
        refrain_warn_quiet = true;
        return 0;
    case OPTION_NO_PAGER:
        refrain_terminal_settings.no_pager = true;
        return 0;
    case OPTION_COLOR:
        if (!set_color(value))
            argp_error(state, "--color=%s: auto, always or never is expected", value);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

bool refrain_command_common_option(const char *word) {
    if (strcmp(word, "-q") == 0 || strcmp(word, "--quiet") == 0)
        return refrain_warn_quiet = true;
    if (strcmp(word, "--no-pager") == 0)
        return refrain_terminal_settings.no_pager = true;
    return strncmp(word, "--color=", 8) == 0 && set_color(word + 8);
}

const char *refrain_version_text(void) {
    static char text[64];
    snprintf(text, sizeof text, "refrain %s (traces up to version %u)", REFRAIN_VERSION, REFRAIN_TRACE_VERSION);
    return text;
}

static void print_version(FILE *file, struct argp_state *state) {
    (void)state;
    fprintf(file, "%s\n", refrain_version_text());
}

/* ---- the parser of a command ---- */

#define MOST_CHILDREN 8u
#define MOST_OPTIONS 32u
#define FIRST_KEY 0x1000 /* of options without a letter */

static const struct refrain_command *current; /* the command that is parsed */

static int key_of(size_t option) {
    return current->options[option].key ? current->options[option].key : FIRST_KEY + (int)option;
}

static bool is_last(const struct refrain_option *option) {
    return !option->name && !option->takes;
}

/* Stores the value of an option of the table. The command's own parser gets all else. */
static error_t parse_table(int key, char *value, struct argp_state *state) {
    for (size_t i = 0; current->options && !is_last(&current->options[i]); i++) {
        const struct refrain_option *option = &current->options[i];
        void *at = (char *)state->input + option->at;
        if (!option->name && (key == ARGP_KEY_ARG || key == ARGP_KEY_END))
            return refrain_take_argument(key, value, state, option->takes, at);
        if (!option->name || key != key_of(i) || option->kind == REFRAIN_OWN_OPTION)
            continue;
        if (option->kind == REFRAIN_IS_FLAG)
            *(bool *)at = true;
        else if (option->kind == REFRAIN_IS_TEXT)
            *(const char **)at = value;
        else if (option->kind == REFRAIN_IS_NUMBER)
            *(int32_t *)at = refrain_number_option(value, state, "a number");
        else if (option->kind == REFRAIN_IS_TIME)
            refrain_time_option_parse(value, at, state);
        else
            *(size_t *)at = (size_t)refrain_number_option(value, state, "a number");
        return 0;
    }
    return current->argp->parser ? current->argp->parser(key, value, state) : ARGP_ERR_UNKNOWN;
}

/* argp calls this for each part of the help. It leaves out argp's note on arguments and appends the examples. */
static char *filter_help(int key, const char *text, void *input) {
    char *whole = NULL;
    if (key == ARGP_KEY_HELP_DUP_ARGS_NOTE)
        return NULL;
    if (key != ARGP_KEY_HELP_EXTRA || !current->examples)
        return current->argp->help_filter ? current->argp->help_filter(key, text, input) : (char *)(uintptr_t)text;
    if (asprintf(&whole, "Examples:\n%s", current->examples) < 0)
        return NULL;
    size_t n = strlen(whole);
    if (n && whole[n - 1] == '\n')
        whole[n - 1] = 0;
    return whole;
}

struct whole_parser {
    struct argp argp;
    struct argp_child children[MOST_CHILDREN + 1];
    struct argp_option options[MOST_OPTIONS + 1];
};

static void make_parser(const struct refrain_command *command, struct whole_parser *whole) {
    static const struct argp common = {refrain_common_options, parse_common, NULL, NULL, NULL, NULL, NULL};
    *whole = (struct whole_parser){.argp = *command->argp};
    size_t n = 0;
    /* The command's own children come first, since its parser gives them their input by number. */
    for (const struct argp_child *child = command->argp->children; child && child->argp && n + 1 < MOST_CHILDREN;
         child++)
        whole->children[n++] = *child;
    whole->children[n].argp = &common;
    whole->argp.children = whole->children;
    whole->argp.help_filter = filter_help;
    whole->argp.parser = parse_table;
    current = command;
    n = 0;
    for (size_t i = 0; command->options && !is_last(&command->options[i]) && n < MOST_OPTIONS; i++) {
        const struct refrain_option *option = &command->options[i];
        if (option->name)
            whole->options[n++] =
                (struct argp_option){option->name, key_of(i), option->takes, 0, option->help, option->group};
    }
    if (command->options)
        whole->argp.options = whole->options;
    argp_err_exit_status = REFRAIN_USAGE;
    argp_program_version_hook = print_version;
}

/* ---- mistyped options ---- */

/* Calls `each` for the options of a parser and of its children, until `each` returns true. */
static bool each_option(const struct argp *argp, bool (*each)(void *data, const struct argp_option *option),
                        void *data) {
    for (const struct argp_option *option = argp->options;
         option && (option->name || option->key || option->doc || option->group); option++)
        if (each(data, option))
            return true;
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        if (each_option(child->argp, each, data))
            return true;
    return false;
}

/* A word of the command line, compared with the options: is it an option, does that take the next word, which option is
 * nearest? */
struct word {
    const char *text; /* without leading dashes */
    size_t length;    /* up to the = */
    bool found, takes_next;
    struct refrain_suggestion suggestion;
};

static bool look_at_long(void *data, const struct argp_option *option) {
    struct word *word = data;
    if (!option->name)
        return false;
    refrain_suggest(&word->suggestion, option->name);
    if (strncmp(option->name, word->text, word->length) != 0)
        return false;
    word->found = true;
    word->takes_next = option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && word->text[word->length] != '=';
    return option->name[word->length] == 0;
}

static bool look_at_short(void *data, const struct argp_option *option) {
    struct word *word = data;
    if (option->key != (unsigned char)word->text[0] || option->key == 0)
        return false;
    word->takes_next = option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && word->text[1] == 0;
    return true;
}

/* Ends the program if a long option is unknown. argp would end it, too, but without a suggestion. */
static void check_options(const struct refrain_command *command, const struct argp *argp, int argc, char **argv) {
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char typed[64];
        struct word word = {0};
        if (argv[i][0] != '-' || argv[i][1] == 0) {
            if (command->flags & REFRAIN_COMMAND_IN_ORDER)
                return;
            continue;
        }
        if (argv[i][1] != '-') {
            word.text = argv[i] + 1;
            each_option(argp, look_at_short, &word);
            i += word.takes_next;
            continue;
        }
        word.text = argv[i] + 2;
        word.length = strcspn(word.text, "=");
        snprintf(typed, sizeof typed, "%.*s", (int)word.length, word.text);
        word.suggestion.typed = typed;
        each_option(argp, look_at_long, &word);
        static const char *const built_in[] = {"help", "usage", "version"};
        for (size_t b = 0; b < sizeof built_in / sizeof *built_in; b++) {
            refrain_suggest(&word.suggestion, built_in[b]);
            word.found |= strncmp(built_in[b], word.text, word.length) == 0;
        }
        if (!word.found) {
            fprintf(stderr, "%s: unknown option --%s%s%s%s (refrain help %s lists them)\n", argv[0], typed,
                    word.suggestion.name ? ": did you mean --" : "", word.suggestion.name ? word.suggestion.name : "",
                    word.suggestion.name ? "?" : "", command->name);
            exit(REFRAIN_USAGE);
        }
        i += word.takes_next;
    }
}

void refrain_command_parse(const struct refrain_command *command, int argc, char **argv, void *input) {
    struct whole_parser whole;
    make_parser(command, &whole);
    check_options(command, &whole.argp, argc, argv);
    argp_parse(&whole.argp, argc, argv, command->flags & REFRAIN_COMMAND_IN_ORDER ? ARGP_IN_ORDER : 0, NULL, input);
    if (command->flags & REFRAIN_COMMAND_PAGED)
        refrain_terminal_page();
}

/* ---- all options of a command, for its manual page and completion ---- */

struct visit {
    const struct refrain_command *command;
    refrain_help_option *each;
    void *data;
};

static bool visit_option(void *data, const struct argp_option *option) {
    const struct visit *visit = data;
    struct argp_option shown = *option;
    const char *choices = visit->command->choices ? visit->command->choices(option->key) : NULL;
    if (choices)
        shown.arg = choices;
    if (option->name && !(option->flags & OPTION_HIDDEN))
        visit->each(visit->data, &shown);
    return false;
}

void refrain_help_options(const struct refrain_command *command, refrain_help_option *each, void *data) {
    static const struct argp_option built_in[] = {{"help", '?', NULL, 0, "Say what the command takes", 0},
                                                  {"usage", 0, NULL, 0, "Print a short usage message", 0},
                                                  {"version", 'V', NULL, 0, "Print the version of refrain", 0}};
    struct whole_parser whole;
    struct visit visit = {command, each, data};
    make_parser(command, &whole);
    each_option(&whole.argp, visit_option, &visit);
    for (size_t i = 0; i < sizeof built_in / sizeof *built_in; i++)
        each(data, &built_in[i]);
}
