/* info_run.c: computes the parts of refrain info that text and JSON share (info_run.h). */
#include "commands/info_run.h"
#include "analysis/gone.h"
#include "commands/info_learned.h"
#include "commands/progress.h"
#include "match/replay.h"
#include "match/replayable.h"

#include <stdio.h>

static const char *const mode_names[] = {"off", "stat", "events", "both"};

const char *refrain_info_mode_name(uint32_t mode) {
    return mode_names[mode];
}

const char *refrain_info_ended(const struct refrain_process *process) {
    static char text[64];
    switch (process->header->finished) {
    case REFRAIN_FINISHED:
        return "finished";
    case REFRAIN_FINISHED_WITH_MPI:
        return "traced to MPI_Finalize (REFRAIN_PACK)";
    case REFRAIN_FINISHED_BY_ABORT:
        snprintf(text, sizeof text, "ended by MPI_Abort(%d)", process->header->abort_code);
        return text;
    default:
        return refrain_is_gone(process)           ? "killed, or ended by _exit or exec"
               : refrain_is_on_this_host(process) ? "still running, or replaced by exec"
                                                  : "killed, ended by _exit or exec, or still running";
    }
}

uint64_t refrain_info_file_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        bytes += trace->processes[i].file_bytes;
    return trace->pack_bytes ? trace->pack_bytes : bytes;
}

uint64_t refrain_info_most_file_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        bytes += refrain_info_trace_file_bytes(trace->processes[i].header);
    return bytes;
}

#define MOST_BLOCKS_REPLAYED 1000000u /* without being asked to: a fraction of a second */

struct refrain_info_moved refrain_info_count_moved(struct refrain_trace *trace, bool asked) {
    struct refrain_progress progress;
    struct refrain_writer nothing = {NULL, NULL, NULL};
    struct refrain_cursor_report report = {0};
    if (refrain_replayable(trace, false, NULL) || (!asked && refrain_trace_times(trace).blocks > MOST_BLOCKS_REPLAYED))
        return (struct refrain_info_moved){0};
    refrain_progress_open(&progress, &nothing, true);
    bool whole = refrain_write(trace, NULL, &progress.writer, &report, NULL) == REFRAIN_OK;
    return (struct refrain_info_moved){whole, report.moved, report.largest_move_ns};
}
