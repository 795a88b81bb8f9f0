/* command.h: the commands of refrain, one per cmd_*.c, and what they share (refrain.c -> cmd_*.c).
 *
 * A command gets argv with argv[0] "refrain <command>", parses it with argp (which prints --help and usage errors, and
 * then ends with status 0 or 2), and returns a status with the error filled. */
#ifndef REFRAIN_COMMAND_H
#define REFRAIN_COMMAND_H

#include "error.h"
#include "trace_read.h"
#include <argp.h>
#include <stdbool.h>

struct json_t; /* jansson */

typedef enum refrain_status refrain_command(int argc, char **argv, struct refrain_error *error);

refrain_command refrain_cmd_info, refrain_cmd_stats, refrain_cmd_formulas, refrain_cmd_reconstruct, refrain_cmd_events,
    refrain_cmd_size, refrain_cmd_compare, refrain_cmd_capture, refrain_cmd_record;

/* The default of an argp parser whose command takes exactly one argument: keeps it in *argument, and ends the program
 * with a usage error that calls it `what` when there is none or a second one. */
error_t refrain_take_argument(int key, char *value, struct argp_state *state, const char *what, const char **argument);

/* A JSON string; of what is not UTF-8, an empty one. */
struct json_t *refrain_json_text(const char *text);

/* Prints the value to standard output and releases it. */
enum refrain_status refrain_print_json(struct json_t *value, struct refrain_error *error);

/* Says on standard error which ranks have no file, and which were copied while they ran, but not wholly. */
void refrain_warn_missing(const struct refrain_trace *trace);

/* "1.5 MiB", "3.20 s", "12,345": text in one of a few static buffers, for use in one printf. */
const char *refrain_show_bytes(uint64_t bytes);
const char *refrain_show_ns(long double ns);
const char *refrain_show_count(uint64_t n);

#endif
