/* record.h: the parts of `refrain record` (cmd_record.c):
 *
 *     settings -> environment that every process of the job inherits (environment.c, rules.c), launcher's arguments
 *     (launcher.c)
 *     run the launcher (run.c) -> which traces came of it (traces.c), or why none did (untraced.c)
 *                              -> what is left of processes that were killed (settle.c)
 */
#ifndef REFRAIN_RECORD_H
#define REFRAIN_RECORD_H

#include "common/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* ---- environment.c ---- */

/* Sets LD_PRELOAD and what goes with it in this process's environment: the entries (front.h) and the library that
 * yields (yield.c), in front of what is preloaded already. */
enum refrain_status refrain_record_preload(struct refrain_error *error);

/* Sets REFRAIN_DIRECTORY, absolute, since ranks may start elsewhere: `directory`, or what the variable says, or ".".
 * Says in *made whether it is there now, made where it was not. */
enum refrain_status refrain_record_directory(const char *directory, bool *made, struct refrain_error *error);

/* The names of the environment variables that ranks on other nodes need and that are set; ends with null. It and the
 * names are malloced. Null without memory. */
char **refrain_record_variables(void);

/* ---- rules.c ---- */

/* Sets REFRAIN_RECORD_FILTER to what a filter file (instrumentor/filter.h) says. */
enum refrain_status refrain_record_filter(const char *path, struct refrain_error *error);

/* ---- launcher.c ---- */

/* The path of a program as the shell would find it, malloced; null with errno set. */
char *refrain_find_program(const char *name);

/* The launcher's command with what it needs to pass the environment on to other nodes: "-x VARIABLE" for Open MPI's;
 * all others pass everything. Null-terminated, malloced; the words are argv's and refrain_record_variables'. Null
 * without memory. */
char **refrain_launcher_command(int argc, char **argv);

/* ---- run.c ---- */

/* Runs a command and waits for it, passing on the signals sent to this process alone. *status is wait's. An error,
 * where the command could not be run: *status is then the exit status that a shell gives (126, 127). */
enum refrain_status refrain_run_command(char **argv, int *status, struct refrain_error *error);

/* ---- traces.c ---- */

/* Calls `found` for each trace in `directory` of which processes had REFRAIN_RECORD_ID=`id`, from `since` on, but not
 * for those of which another refrain record, of a lower rank, speaks: where each rank has its own. Returns how many
 * traces there are with these. */
size_t refrain_record_traces(const char *directory, const char *id, time_t since,
                             void (*found)(const char *name, void *data), void *data);

/* ---- settle.c ---- */

/* The job is over: of processes in the trace directory `name` that were killed on this host, the files say when that
 * was seen (CLOCK_REALTIME), and give back the disk space that they never used. */
void refrain_record_settle(const char *directory, const char *name, uint64_t over_ns);

/* ---- untraced.c ---- */

/* False where one of the programs in these words is an MPI program of which no process can be traced. None of the job
 * is then: what the processes agree upon when MPI begins needs all of them. */
bool refrain_record_is_possible(int argc, char **argv);

/* Says in one line on standard error why the command left no trace, as far as its words and its exit status tell. */
void refrain_record_explain(int argc, char **argv, int exit_status);

#endif
