/* trace_info.c: the functions of read.h about an open trace: processes, locations, losses. */
#include "model/trace_parts.h"

const char *refrain_loss_text(enum refrain_loss loss) {
    static const char *const texts[REFRAIN_LOSSES] = {
        [REFRAIN_LOSS_UNITS] = "translation units that did not fit",
        [REFRAIN_LOSS_THREADS] = "threads beyond REFRAIN_THREADS",
        [REFRAIN_LOSS_DEPTH] = "activations beyond the shadow stack",
        [REFRAIN_LOSS_INTERRUPTED] =
            "probes in signal handlers that interrupted a probe, or before the trace file was open",
        [REFRAIN_LOSS_LEARNERS] = "learners that fell back to a summary",
        [REFRAIN_LOSS_SUMMARY_VALUES] = "values that only a summary holds",
        [REFRAIN_LOSS_CALLS] = "MPI calls whose call site did not fit",
        [REFRAIN_LOSS_REQUESTS] = "requests beyond the table",
        [REFRAIN_LOSS_COMMUNICATORS] = "communicators beyond the table",
        [REFRAIN_LOSS_EVENTS] = "recorded events that could not be written",
        [REFRAIN_LOSS_FORKS] = "forked processes",
        [REFRAIN_LOSS_REGIONS] = "ends of user regions without a begin",
        [REFRAIN_LOSS_WINDOWS] = "windows and files beyond their table",
        [REFRAIN_LOSS_TYPES] = "datatypes beyond their table",
        [REFRAIN_LOSS_PATHS] = "call paths of which a part is not known",
        [REFRAIN_LOSS_METRICS] = "blocks in which nothing was counted",
        [REFRAIN_LOSS_FILE_NAMES] = "files without their name",
        [REFRAIN_LOSS_STACKS] = "activations that end too early (other stacks)",
    };
    return (unsigned)loss < REFRAIN_LOSSES && texts[loss] ? texts[loss] : "other losses";
}

static void fill_process(const struct refrain_process *process, struct refrain_process_info *info) {
    const struct refrain_header *header = process->header;
    *info = (struct refrain_process_info){
        .rank = process->rank,
        .pid = header->pid,
        .finished = header->finished != 0,
        .learned = header->mode != REFRAIN_MODE_EVENTS,
        .recorded = process->events_path != NULL,
        .executable = refrain_process_name(process, header->executable),
        .host = refrain_process_name(process, header->host),
        .mpi_library = refrain_process_name(process, header->mpi_library),
        .directory = refrain_process_name(process, header->start_directory),
        .environment = refrain_process_name(process, header->environment),
    };
}

static double cost_ns(const struct refrain_process *process, uint32_t cost) {
    return (double)(refrain_trace_span_ns(process, cost) / (1u << REFRAIN_PROBE_COST_SHIFT));
}

static void fill_probe_costs(const struct refrain_process *process, struct refrain_probe_cost_info *costs) {
    static const char *const kinds[REFRAIN_PROBE_KINDS] = {
        [REFRAIN_PROBE_ENTER] = "enter",
        [REFRAIN_PROBE_LEAVE] = "leave",
        [REFRAIN_PROBE_PLACE] = "place",
        [REFRAIN_PROBE_DECISION] = "decision",
        [REFRAIN_PROBE_ITERATION] = "iteration",
        [REFRAIN_PROBE_LOOP_END] = "loop end",
        [REFRAIN_PROBE_COUNT] = "count",
        [REFRAIN_PROBE_REGION_BEGIN] = "region begin",
        [REFRAIN_PROBE_REGION_END] = "region end",
        [REFRAIN_PROBE_CALL_BEGIN] = "call begin",
        [REFRAIN_PROBE_CALL_RETURN] = "call return",
        [REFRAIN_PROBE_OPERATION] = "operation",
        [REFRAIN_PROBE_CALL_END] = "call end",
    };
    for (unsigned kind = 0; kind < REFRAIN_PROBE_KINDS; kind++) {
        const struct refrain_probe_cost *cost = &process->header->probe_costs[kind];
        costs[kind] = (struct refrain_probe_cost_info){kinds[kind], cost_ns(process, cost->before),
                                                       cost_ns(process, cost->after)};
    }
}

enum refrain_status refrain_trace_read_info(struct refrain_trace *trace, struct refrain_error *error) {
    size_t most = 0, losses = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        most += trace->processes[i].header->n_threads;
        for (unsigned l = 0; l < REFRAIN_LOSSES; l++)
            losses += trace->processes[i].header->losses[l] != 0;
    }
    trace->process_infos = refrain_trace_allocate(trace, trace->n_processes, sizeof *trace->process_infos);
    trace->locations = refrain_trace_allocate(trace, most, sizeof *trace->locations);
    trace->losses = refrain_trace_allocate(trace, losses, sizeof *trace->losses);
    trace->probe_costs =
        refrain_trace_allocate(trace, trace->n_processes * REFRAIN_PROBE_KINDS, sizeof *trace->probe_costs);
    if (!trace->process_infos || !trace->locations || !trace->losses || !trace->probe_costs)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        fill_process(process, &trace->process_infos[i]);
        fill_probe_costs(process, &trace->probe_costs[i * REFRAIN_PROBE_KINDS]);
        for (uint32_t t = 0; t < process->header->n_threads; t++)
            if (process->threads[t].started)
                trace->locations[trace->n_locations++] = (struct refrain_location_info){
                    process->rank, t, refrain_trace_time_ns(process, process->threads[t].start_ticks),
                    refrain_trace_time_ns(process, process->threads[t].last_ticks)};
        for (unsigned l = 0; l < REFRAIN_LOSSES; l++)
            if (process->header->losses[l])
                trace->losses[trace->n_losses++] =
                    (struct refrain_loss_info){process->rank, refrain_loss_text(l), process->header->losses[l]};
    }
    return REFRAIN_OK;
}

/* ---- public functions ---- */

int32_t refrain_trace_ranks(const struct refrain_trace *trace) {
    return trace->size;
}

uint64_t refrain_trace_start_ns(const struct refrain_trace *trace) {
    return trace->start_realtime_ns;
}

const struct refrain_process_info *refrain_trace_processes(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_processes;
    return trace->process_infos;
}

const struct refrain_location_info *refrain_trace_locations(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_locations;
    return trace->locations;
}

const struct refrain_region_info *refrain_trace_regions(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_regions;
    return trace->regions;
}

const struct refrain_comm_info *refrain_trace_communicators(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_comms;
    return trace->comms;
}

const int32_t *refrain_trace_missing(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_missing;
    return trace->missing;
}

const struct refrain_loss_info *refrain_trace_losses(const struct refrain_trace *trace, size_t *n) {
    *n = trace->n_losses;
    return trace->losses;
}

const struct refrain_probe_cost_info *refrain_trace_probe_costs(const struct refrain_trace *trace, int32_t rank,
                                                                size_t *n) {
    const struct refrain_process *process = refrain_trace_process(trace, rank);
    bool measured = process && process->header->probe_costs[REFRAIN_PROBE_ENTER].before > 0;
    *n = measured ? REFRAIN_PROBE_KINDS : 0;
    return measured ? &trace->probe_costs[(size_t)(process - trace->processes) * REFRAIN_PROBE_KINDS] : NULL;
}
