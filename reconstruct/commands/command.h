/* command.h: the commands of refrain, one in each cmd_*.c, and functions that they share (refrain.c -> command_list.def
 * -> cmd_*.c).
 *
 *     command_list.def --> command_list.c       all commands, by name; suggests one for a mistyped name (refrain.c)
 *                      --> cmd_help.c           refrain help, man pages (help_man.c), completion (help_completion.c)
 *     cmd_<name>.c     --> command_line.c       options, those that all commands take, suggestions
 *                      --> terminal.h           pager, colour, width; warn.h (formats) warnings
 *
 * Help, man page and completion of a command are made from its struct refrain_command and the argp parser in it. */
#ifndef REFRAIN_COMMAND_H
#define REFRAIN_COMMAND_H

#include "commands/terminal.h"
#include "common/error.h"
#include "formats/warn.h"
#include "model/trace_read.h"
#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

struct json_t; /* jansson */

/* A status that only commands have: they succeeded, and what they compared differs. Exit status 3. */
#define REFRAIN_DIFFERS ((enum refrain_status)3)

enum {
    REFRAIN_COMMAND_PAGED = 1,    /* on a terminal, its standard output goes through the pager */
    REFRAIN_COMMAND_IN_ORDER = 2, /* the first argument ends the options, as for commands that run a program */
};

/* An option of a command, or its one argument, and where its value goes. A row of zeros ends a table. The macros below
 * name a member of the command's `struct arguments`, which refrain_command_parse() gets. */
struct refrain_option {
    const char *name;  /* the long form; null: the argument */
    int key;           /* the letter of the short form, a number from 256 on for REFRAIN_OWN, or 0 */
    const char *takes; /* what help calls its value; null: it has none. The argument: what errors call it */
    const char *help;
    int group; /* help shows lower groups first */
    enum refrain_option_kind {
        REFRAIN_OWN_OPTION,
        REFRAIN_IS_FLAG,
        REFRAIN_IS_TEXT,
        REFRAIN_IS_NUMBER,
        REFRAIN_IS_SIZE,
        REFRAIN_IS_TIME
    } kind;
    size_t at; /* offset in struct arguments */
};
#define REFRAIN_OWN REFRAIN_OWN_OPTION, 0 /* the parser of the command's argp gets it */
#define REFRAIN_FLAG(member) REFRAIN_IS_FLAG, offsetof(struct arguments, member)     /* bool */
#define REFRAIN_TEXT(member) REFRAIN_IS_TEXT, offsetof(struct arguments, member)     /* const char * */
#define REFRAIN_NUMBER(member) REFRAIN_IS_NUMBER, offsetof(struct arguments, member) /* int32_t, from 0 on */
#define REFRAIN_SIZE(member) REFRAIN_IS_SIZE, offsetof(struct arguments, member)     /* size_t, up to INT32_MAX */
#define REFRAIN_TIME(member) REFRAIN_IS_TIME, offsetof(struct arguments, member)     /* struct refrain_time_option */
#define REFRAIN_ARGUMENT(what, member)                                                                                 \
    { NULL, 0, what, NULL, 0, REFRAIN_TEXT(member) }

struct refrain_command {
    const char *name;
    const char *summary; /* one line without a full stop, for `refrain help` and the heading of the man page */
    const struct refrain_option *options; /* null: argp has them */
    /* The names of its arguments (args_doc), its help (doc: one sentence, \v, paragraphs), and a parser, or null. An
     * option whose argument is written a|b|c takes one of these words; the completion offers them. The common options
     * are added to it: -q --quiet, --no-pager, --color, and argp's -? --help, --usage, -V --version. */
    const struct argp *argp;
    /* Gets argv with argv[0] "refrain <name>", parses it with refrain_command_parse, and returns a status: REFRAIN_OK,
     * or another with the error filled. */
    enum refrain_status (*run)(int argc, char **argv, struct refrain_error *error);
    unsigned flags;
    /* For an option whose words are known only when the program runs: returns them as a|b|c, or null if there are none.
     * Null: the command has no such option. */
    const char *(*choices)(int key);
    const char *examples; /* lines "command  # what it does", each with a newline at its end; null: none */
};

#define REFRAIN_COMMAND(name) extern const struct refrain_command refrain_command_##name;
#include "command_list.def"
#undef REFRAIN_COMMAND

/* The commands in the order of command_list.def; a null pointer ends them. */
extern const struct refrain_command *const refrain_commands[];

/* The command with this name; null if there is none. */
const struct refrain_command *refrain_command_find(const char *name);

/* ": did you mean X?", or "", for the end of a message about an unknown command. */
const char *refrain_command_suggestion(const char *name);

/* Parses the options with the command's argp parser, which gets `input`. Ends the program with status 0 after --help,
 * --usage or --version, and with status 2 and a message if the command line is wrong. After that, the common options
 * are in effect, and the output of a paged command goes to the pager. */
void refrain_command_parse(const struct refrain_command *command, int argc, char **argv, void *input);

/* True if the word is a common option. Such an option may stand before the name of the command. */
bool refrain_command_common_option(const char *word);

/* The common options, for help. */
extern const struct argp_option refrain_common_options[];

/* The text of `refrain --version`, without a newline. */
const char *refrain_version_text(void);

/* The default case of an argp parser for a command with exactly one argument. Stores the argument in *argument. If
 * there is none, or a second one, ends the program with a usage error that calls it `what`. */
error_t refrain_take_argument(int key, char *value, struct argp_state *state, const char *what, const char **argument);

/* The value of an option, a whole number of at least 0. If the value is something else, ends the program with a usage
 * error which says that `what`, such as "a rank", is expected. */
int32_t refrain_number_option(const char *value, struct argp_state *state, const char *what);

/* A JSON string. It is empty if the text is not UTF-8. */
struct json_t *refrain_json_text(const char *text);

/* Prints the value to standard output and releases it. */
enum refrain_status refrain_print_json(struct json_t *value, struct refrain_error *error);

/* Warns of ranks without a file, of ranks that were copied incompletely while they ran, of files of different runs, and
 * of missing names of code addresses (names_text.h). */
void refrain_warn_missing(const struct refrain_trace *trace);

/* Warns if the cost of probes was not measured, so that it cannot be subtracted. */
void refrain_warn_uncalibrated(const struct refrain_trace *trace);

/* "1.5 MiB", "3.20 s", "12,345": text in one of a few static buffers, for use in one printf. */
const char *refrain_show_bytes(uint64_t bytes);
const char *refrain_show_ns(long double ns);
const char *refrain_show_count(uint64_t n);

/* A name for one line of a terminal. Names come from files and programs, and must not move the cursor: a tab becomes
 * \t, a newline \n, any other control character \x1b. A very long name ends in "...". For use in one printf, as above.
 */
const char *refrain_show_name(const char *name);

/* A region with its line: "MPI_Allreduce step.c:21", "burn(), heat.c:41"; without a line "MPI_Allreduce in
 * solve+0x1e9". For use in one printf, as above. */
const char *refrain_show_region(const struct refrain_region_info *region);

/* Prints a list of ranks (analysis/rank_list.h) to standard output. If it is longer than about forty characters and not
 * `full`, prints its beginning and the number of ranks. Returns the number of printed characters. */
int refrain_show_ranks(const char *list, size_t n_ranks, bool full);

/* A total of REFRAIN_METRICS as text: a count or, if the metric is a time, a time. The width of a column of them. */
const char *refrain_show_metric(const char *name, uint64_t value);
int refrain_show_metric_width(const char *name);

#endif
