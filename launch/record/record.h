/* record.h: the parts of `refrain record` (cmd_record.c):
 *
 *     settings -> environment for every process of the job (environment.c, rules.c), arguments of the launcher
 *     (launcher.c)
 *     run the launcher (run.c) -> find the traces of this job (traces.c), or the reason why there are none (untraced.c)
 *                              -> complete the files of killed processes (settle.c) */
#ifndef REFRAIN_RECORD_H
#define REFRAIN_RECORD_H

#include "common/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* ---- environment.c ---- */

/* Sets LD_PRELOAD in the environment of this process: wrappers of thread calls if REFRAIN_PTHREADS is on, the entries
 * (front.h), the library that yields (yield.c), and wrappers of input and output if `io` (monitor/io/io.h). Libraries
 * that are preloaded already come last. */
enum refrain_status refrain_record_preload(bool io, struct refrain_error *error);

/* Sets REFRAIN_DIRECTORY to an absolute path, since ranks may start in other directories: `directory`, else the
 * value of the variable, else ".". Makes the directory if it is missing. *made: true if it exists now. */
enum refrain_status refrain_record_directory(const char *directory, bool *made, struct refrain_error *error);

/* Names of the variables that ranks on other nodes need and that are set; ends with null. The array and the names
 * are malloced. Null without memory. */
char **refrain_record_variables(void);

/* ---- rules.c ---- */

/* Sets REFRAIN_RECORD_FILTER to the rules of a filter file (instrumentor/filter.h). */
enum refrain_status refrain_record_filter(const char *path, struct refrain_error *error);

/* ---- launcher.c ---- */

/* The path of a program as the shell would find it, malloced. Null with errno set. */
char *refrain_find_program(const char *name);

/* The launcher command, with options that pass on the environment to other nodes: "-x VARIABLE" for Open MPI, none
 * for others. Null-terminated, malloced; its words are those of argv and of refrain_record_variables(). Null without
 * memory. */
char **refrain_launcher_command(int argc, char **argv);

/* ---- run.c ---- */

/* Runs a command and waits for it. Forwards signals that are sent to this process only. *status: as from wait. An
 * error if the command cannot be run; *status is then the exit status of a shell (126, 127). */
enum refrain_status refrain_run_command(char **argv, int *status, struct refrain_error *error);

/* ---- traces.c ---- */

/* Calls `found` for each trace in `directory`, not older than `since`, with processes that had
 * REFRAIN_RECORD_ID=`id`. If each rank has a refrain record of its own, only the one of the lowest rank calls
 * `found`. Returns the number of traces with such processes. */
size_t refrain_record_traces(const char *directory, const char *id, time_t since,
                             void (*found)(const char *name, void *data), void *data);

/* ---- settle.c ---- */

/* The job is over: completes the files of processes on this host that were killed, in the trace directory `name`.
 * The files get the time of their end (CLOCK_REALTIME), and unused disk space is freed. */
void refrain_record_settle(const char *directory, const char *name, uint64_t over_ns);

/* ---- untraced.c ---- */

/* False if one of the programs in the command is an MPI program that cannot be traced. Then no process of the job
 * can be, since all of them take part in an exchange at MPI_Init. */
bool refrain_record_is_possible(int argc, char **argv);

/* Prints one line on standard error: why the command left no trace, as far as its words and exit status show. */
void refrain_record_explain(int argc, char **argv, int exit_status);

#endif
