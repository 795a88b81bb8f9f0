/* command.h: the commands of refrain, one per cmd_*.c, and what they share (refrain.c -> command_list.def -> cmd_*.c).
 *
 *     command_list.def --> command_list.c       all commands, by name; suggests one for a mistyped name (refrain.c)
 *                      --> cmd_help.c           refrain help, man pages (help_man.c), completion (help_completion.c)
 *     cmd_<name>.c     --> command_line.c       options, those that all commands take, suggestions
 *                      --> terminal.h           pager, colour, width; warn.h (formats) warnings
 *
 * Everything that is said about a command comes from its struct refrain_command and the argp parser in it. */
#ifndef REFRAIN_COMMAND_H
#define REFRAIN_COMMAND_H

#include "commands/terminal.h"
#include "common/error.h"
#include "formats/warn.h"
#include "model/trace_read.h"
#include <argp.h>
#include <stdbool.h>

struct json_t; /* jansson */

/* A status of commands alone: they worked, and what they compared differs; exit status 3. */
#define REFRAIN_DIFFERS ((enum refrain_status)3)

enum {
    REFRAIN_COMMAND_PAGED = 1,    /* on a terminal, its standard output goes through the pager */
    REFRAIN_COMMAND_IN_ORDER = 2, /* the first argument ends the options, as for commands that run a program */
};

struct refrain_command {
    const char *name;
    const char *summary; /* one line without a full stop, for `refrain help` and the heading of the man page */
    /* Its options, the names of its arguments (args_doc), and its help (doc): one sentence, \v, paragraphs. An option
     * whose argument is written a|b|c takes one of these words; the completion offers them. The common options are
     * added to it: -q --quiet, --no-pager, --color, and argp's -? --help, --usage, -V --version. */
    const struct argp *argp;
    /* Gets argv with argv[0] "refrain <name>", parses it with refrain_command_parse, and returns a status: REFRAIN_OK,
     * or another with the error filled. */
    enum refrain_status (*run)(int argc, char **argv, struct refrain_error *error);
    unsigned flags;
    /* The words that the option of that key takes, as a|b|c, where only the program knows them; null none, as may be
     * what it returns. */
    const char *(*choices)(int key);
    const char *examples; /* lines "command  # what it does", each ended by \n; null none */
};

#define REFRAIN_COMMAND(name) extern const struct refrain_command refrain_command_##name;
#include "command_list.def"
#undef REFRAIN_COMMAND

/* The commands in the order of command_list.def; a null pointer ends them. */
extern const struct refrain_command *const refrain_commands[];

/* The command of that name; null none. */
const struct refrain_command *refrain_command_find(const char *name);

/* ": did you mean X?", or "", for the end of a message about an unknown command. */
const char *refrain_command_suggestion(const char *name);

/* Parses the options with the command's argp parser, whose input is `input`. Ends the program with status 0 after
 * --help, --usage and --version, with status 2 and a line on standard error when the command line is wrong. When it
 * returns, the common options hold, and the pager runs where the command is paged. */
void refrain_command_parse(const struct refrain_command *command, int argc, char **argv, void *input);

/* One of the common options, in front of the command's name; false when the word is none. */
bool refrain_command_common_option(const char *word);

/* The common options, for help. */
extern const struct argp_option refrain_common_options[];

/* What `refrain --version` prints, without a newline. */
const char *refrain_version_text(void);

/* The default of an argp parser whose command takes exactly one argument: keeps it in *argument, and ends the program
 * with a usage error that calls it `what` when there is none or a second one. */
error_t refrain_take_argument(int key, char *value, struct argp_state *state, const char *what, const char **argument);

/* The value of an option that is a whole number, 0 or more; ends the program with a usage error that says `what` is
 * expected, such as "a rank", where it is none. */
int32_t refrain_number_option(const char *value, struct argp_state *state, const char *what);

/* A JSON string; of what is not UTF-8, an empty one. */
struct json_t *refrain_json_text(const char *text);

/* Prints the value to standard output and releases it. */
enum refrain_status refrain_print_json(struct json_t *value, struct refrain_error *error);

/* Says on standard error which ranks have no file, which were copied while they ran, but not wholly, that the files are
 * not of one run, and which names of code are missing (names_text.h). */
void refrain_warn_missing(const struct refrain_trace *trace);

/* Says where what probes cost was not measured, so that it cannot be taken out. */
void refrain_warn_uncalibrated(const struct refrain_trace *trace);

/* "1.5 MiB", "3.20 s", "12,345": text in one of a few static buffers, for use in one printf. */
const char *refrain_show_bytes(uint64_t bytes);
const char *refrain_show_ns(long double ns);
const char *refrain_show_count(uint64_t n);

/* A name as one line of a terminal takes it: names come out of files and programs, and nothing of them may move the
 * cursor. A tab is \t, a line's end \n, other control characters \x1b; a very long name ends in "...". For use in one
 * printf, likewise. */
const char *refrain_show_name(const char *name);

/* "MPI_Allreduce step.c:21", without a line "MPI_Allreduce in solve+0x1e9"; "burn(), heat.c:41" of a function. For use
 * in one printf, likewise. */
const char *refrain_show_region(const struct refrain_region_info *region);

/* A list of ranks (analysis/rank_list.h) on standard output: at most some forty characters of it, and how many ranks
 * there are, where it is longer and not `full`. Returns the characters that were printed. */
int refrain_show_ranks(const char *list, size_t n_ranks, bool full);

/* A total of REFRAIN_METRICS: a count, or for what is a time that; and how wide a column of them is. */
const char *refrain_show_metric(const char *name, uint64_t value);
int refrain_show_metric_width(const char *name);

#endif
