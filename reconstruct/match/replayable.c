/* replayable.c: checks every rank for formulas, or for recorded events (replayable.h). */
#include "match/replayable.h"

enum refrain_status refrain_replayable(const struct refrain_trace *trace, bool recorded, struct refrain_error *error) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (recorded && !process->events_path)
            return REFRAIN_FAIL(error,
                                "%s: no events were recorded for rank %d; run with REFRAIN_MODE=events or both, or use "
                                "refrain reconstruct",
                                trace->path, process->rank);
        if (!recorded && process->header->mode == REFRAIN_MODE_EVENTS)
            return REFRAIN_FAIL(error, "%s: was written in mode events, which learns no formulas; use refrain events",
                                trace->path);
    }
    return REFRAIN_OK;
}
