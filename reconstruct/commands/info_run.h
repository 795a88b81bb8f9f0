/* info_run.h: the parts of refrain info about a run (trace -> text or JSON).
 *
 *     cmd_info.c --> info_run.c    sizes, and how far times were moved
 *                --> info_summary.c   the run in ten lines (info_many.h)
 *                --> info_text.c   the run, then each rank; many ranks: info_many.h
 *                --> info_json.c   the same for programs */
#ifndef REFRAIN_INFO_RUN_H
#define REFRAIN_INFO_RUN_H

#include "model/trace_read.h"

/* ---- info_run.c ---- */

const char *refrain_info_mode_name(uint32_t mode);

/* How the process came to its end: "finished", "ended by MPI_Abort(3)", ... In a static buffer. */
const char *refrain_info_ended(const struct refrain_process *process);

/* Bytes of the trace's files now, and the most that they can grow to. */
uint64_t refrain_info_file_bytes(const struct refrain_trace *trace);
uint64_t refrain_info_most_file_bytes(const struct refrain_trace *trace);

/* How often, and how far at most, reconstructed times were moved, so that no event comes before its cause. Known after
 * a replay of the whole run. */
struct refrain_info_moved {
    bool known;
    uint64_t events;
    int64_t largest_ns;
};

/* Replays the run if it is short or `asked` is set. Other parts report damage. */
struct refrain_info_moved refrain_info_count_moved(struct refrain_trace *trace, bool asked);

/* ---- info_text.c ---- */

/* Print parts of the run: the lines with the trace and the program; the beginning of the line with the number of ranks;
 * when the run began and how long it lasted, without the end of that line; the trace's size. */
void refrain_info_print_program(const struct refrain_trace *trace);
void refrain_info_print_ranks(const struct refrain_trace *trace);
void refrain_info_print_when(const struct refrain_trace *trace);
void refrain_info_print_size(const struct refrain_trace *trace);

/* All of these, with the directory, the MPI library, the mode, how the nodes' clocks were compared and the settings. */
void refrain_info_print_run(const struct refrain_trace *trace);
void refrain_info_print_moved(const struct refrain_trace *trace, const struct refrain_info_moved *moved);
enum refrain_status refrain_info_print_process(const struct refrain_trace *trace, const struct refrain_process *process,
                                               struct refrain_error *error);

/* ---- info_json.c ---- */

/* `rank`: only this one; -1: all. */
enum refrain_status refrain_info_print_json(struct refrain_trace *trace, const struct refrain_info_moved *moved,
                                            int32_t rank, struct refrain_error *error);

#endif
