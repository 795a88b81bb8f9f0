/* info_json.c: prints refrain info --json (info_run.h). */
#include "commands/command.h"
#include "commands/info_comms.h"
#include "commands/info_learned.h"
#include "commands/info_left.h"
#include "commands/info_metrics.h"
#include "commands/info_run.h"
#include "commands/names_text.h"
#include "commands/waits_text.h"

#include <jansson.h>

/* The cost of each kind of probe in nanoseconds; empty if it was not measured. */
static json_t *probe_costs_json(const struct refrain_trace *trace, const struct refrain_process *process) {
    size_t n;
    const struct refrain_probe_cost_info *costs = refrain_trace_probe_costs(trace, process->rank, &n);
    json_t *object = json_object();
    for (size_t i = 0; i < n; i++)
        json_object_set_new(object, costs[i].kind,
                            json_pack("{s:f,s:f}", "before_ns", costs[i].before_ns, "after_ns", costs[i].after_ns));
    return object;
}

static json_t *times_json(const struct refrain_process *process, const struct refrain_learned *learned) {
    json_t *times = json_object();
    json_object_set_new(times, "blocks", json_integer((json_int_t)learned->times.blocks));
    json_object_set_new(times, "single", json_integer((json_int_t)learned->times.single));
    json_object_set_new(times, "quantum_ns",
                        json_real((double)refrain_trace_span_ns(process, learned->times.quantum_ticks)));
    json_object_set_new(times, "longest_span", json_integer((json_int_t)learned->times.longest_span));
    json_object_set_new(times, "longest_span_ns",
                        json_real((double)refrain_trace_span_ns(process, learned->times.longest_ticks)));
    json_object_set_new(times, "bytes", json_integer((json_int_t)learned->times.bytes));
    json_object_set_new(times, "most_bytes", json_integer((json_int_t)learned->times.most_bytes));
    json_object_set_new(times, "backwards", json_integer((json_int_t)learned->times.backwards));
    json_object_set_new(times, "order_given_up", json_integer((json_int_t)learned->control_given_up));
    json_object_set_new(times, "stopped", json_boolean(learned->times.stopped));
    return times;
}

static json_t *order_json(const struct refrain_order_counts *order) {
    return json_pack("{s:s,s:I,s:I,s:I}", "asked_for",
                     order->state == REFRAIN_ORDER_VIRTUAL   ? "virtual"
                     : order->state == REFRAIN_ORDER_REFUSED ? "refused"
                                                             : "mpi",
                     "receives", (json_int_t)order->receives, "held", (json_int_t)order->held, "given_up",
                     (json_int_t)order->given_up);
}

static json_t *states_json(const struct refrain_learned *learned) {
    json_t *states = json_object();
    for (int state = REFRAIN_IDENTITY; state < REFRAIN_LEARNER_STATES; state++)
        json_object_set_new(states, refrain_info_state_name(state), json_integer((json_int_t)learned->by_state[state]));
    return states;
}

static json_t *losses_json(const struct refrain_header *header) {
    json_t *lost = json_object();
    for (int i = 0; i < REFRAIN_LOSSES; i++)
        if (header->losses[i])
            json_object_set_new(lost, refrain_info_loss_key((enum refrain_loss)i),
                                json_integer((json_int_t)header->losses[i]));
    return lost;
}

static void add_memory(json_t *object, const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    json_object_set_new(object, "bytes", json_integer((json_int_t)refrain_info_trace_file_bytes(header)));
    json_object_set_new(object, "pool_used_bytes", json_integer((json_int_t)refrain_info_trace_file_used(header)));
    json_object_set_new(object, "file_bytes", json_integer((json_int_t)process->file_bytes));
    json_object_set_new(object, "tree_bytes", json_integer((json_int_t)header->tree_bytes));
    json_object_set_new(object, "slot_bytes", json_integer((json_int_t)header->slot_bytes));
    json_object_set_new(object, "outside_bytes", json_integer((json_int_t)header->outside_bytes));
    json_object_set_new(object, "ranks_bytes", json_integer((json_int_t)refrain_info_ranks_bytes(header)));
    json_object_set_new(object, "scratch_bytes", json_integer((json_int_t)refrain_info_scratch_bytes(process)));
}

static void add_counts(json_t *object, const struct refrain_process *process, const struct refrain_learned *learned) {
    const struct refrain_header *header = process->header;
    json_object_set_new(object, "threads", json_integer(refrain_info_threads(process)));
    json_object_set_new(object, "units", json_integer((json_int_t)process->n_units));
    json_object_set_new(object, "slots", json_integer(header->n_slots));
    json_object_set_new(object, "call_sites",
                        json_integer((json_int_t)(process->n_call_sites + process->n_overflow_sites)));
    json_object_set_new(object, "guests", json_integer((json_int_t)process->n_overflow_sites));
    json_object_set_new(object, "communicators", json_integer((json_int_t)process->n_comms));
    json_object_set_new(object, "learners", json_integer((json_int_t)learned->total));
    json_object_set_new(object, "values", json_integer((json_int_t)learned->values));
    json_object_set_new(object, "values_exact", json_integer((json_int_t)learned->kept));
    json_object_set_new(object, "code_is_kept", json_boolean(header->code_is_kept));
    json_object_set_new(object, "throttled_functions", json_integer((json_int_t)learned->throttled_functions));
    json_object_set_new(object, "small_functions_without_probe", json_integer((json_int_t)learned->small_functions));
    json_object_set_new(object, "light_constructs_without_probe", json_integer((json_int_t)learned->light));
    json_object_set_new(object, "throttled_probes", json_integer((json_int_t)learned->throttled_probes));
}

static void add_paused(json_t *object, const struct refrain_process *process) {
    struct refrain_info_paused paused = refrain_info_paused(process);
    json_object_set_new(object, "pauses", json_integer((json_int_t)paused.times));
    json_object_set_new(object, "paused_ns", json_real((double)paused.ns));
    json_object_set_new(object, "paused_calls", json_integer((json_int_t)paused.untold_calls));
    json_object_set_new(object, "filtered_calls", json_integer((json_int_t)paused.left_out_calls));
}

/* Null without memory; the error says so. */
static json_t *process_json(const struct refrain_trace *trace, const struct refrain_process *process,
                            struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    struct refrain_learned learned;
    if (refrain_info_learned(trace, process, &learned, error))
        return NULL;
    json_t *object = json_object();
    json_object_set_new(object, "rank", json_integer(process->rank));
    json_object_set_new(object, "rank_known", json_boolean(header->rank >= 0));
    json_object_set_new(object, "host", refrain_json_text(refrain_process_name(process, header->host)));
    json_object_set_new(object, "pid", json_integer(header->pid));
    json_object_set_new(object, "finished", json_boolean(header->finished));
    json_object_set_new(object, "ended", json_string(refrain_info_ended(process)));
    if (header->finished == REFRAIN_FINISHED_BY_ABORT)
        json_object_set_new(object, "abort_code", json_integer(header->abort_code));
    json_object_set_new(object, "traced_to_mpi_finalize", json_boolean(header->finished == REFRAIN_FINISHED_WITH_MPI));
    json_object_set_new(object, "end_ns", json_integer(refrain_info_end_ns(process)));
    json_object_set_new(object, "run_ns", json_real((double)learned.run_ns));
    json_object_set_new(object, "blocks_ns", json_real((double)learned.blocks_ns));
    json_object_set_new(object, "clock_ahead_ns", json_integer(refrain_trace_clock_ahead_ns(process)));
    json_object_set_new(object, "times", times_json(process, &learned));
    json_object_set_new(object, "order", order_json(&header->order));
    json_object_set_new(object, "probe_costs", probe_costs_json(trace, process));
    json_object_set_new(object, "metrics", refrain_info_metrics_json(process));
    json_object_set_new(object, "metrics_counted_percent", json_real(refrain_info_metrics_percent(process)));
    add_memory(object, process);
    add_counts(object, process, &learned);
    add_paused(object, process);
    json_object_set_new(object, "left_out", json_integer((json_int_t)process->n_left_out));
    json_object_set_new(object, "states", states_json(&learned));
    json_object_set_new(object, "losses", losses_json(header));
    return object;
}

enum refrain_status refrain_info_print_json(struct refrain_trace *trace, const struct refrain_info_moved *moved,
                                            int32_t rank, struct refrain_error *error) {
    const struct refrain_process *first = &trace->processes[0];
    const struct refrain_header *header = first->header;
    json_t *object = json_object(), *processes = json_array(), *missing = json_array();
    json_object_set_new(object, "trace", refrain_json_text(trace->path));
    json_object_set_new(object, "version", json_integer(header->version));
    json_object_set_new(object, "program", refrain_json_text(refrain_process_name(first, header->executable)));
    json_object_set_new(object, "arguments", refrain_json_text(refrain_process_name(first, header->arguments)));
    json_object_set_new(object, "directory", refrain_json_text(refrain_process_name(first, header->start_directory)));
    json_object_set_new(object, "mpi", refrain_json_text(refrain_process_name(first, header->mpi_library)));
    json_object_set_new(object, "settings", refrain_json_text(refrain_process_name(first, header->environment)));
    json_object_set_new(object, "mode", json_string(refrain_info_mode_name(header->mode)));
    json_object_set_new(object, "ranks", json_integer(trace->size));
    json_object_set_new(object, "start_realtime_ns", json_integer((json_int_t)trace->start_realtime_ns));
    json_object_set_new(object, "bytes", json_integer((json_int_t)refrain_info_file_bytes(trace)));
    if (trace->pack_bytes)
        json_object_set_new(object, "structure_bytes", json_integer((json_int_t)trace->pack_structure_bytes));
    json_object_set_new(object, "most_bytes", json_integer((json_int_t)refrain_info_most_file_bytes(trace)));
    struct refrain_trace_clocks clocks;
    refrain_trace_clocks(trace, &clocks);
    json_t *of_clocks = json_object();
    json_object_set_new(of_clocks, "nodes", json_integer((json_int_t)clocks.nodes));
    json_object_set_new(of_clocks, "compared_once", json_integer((json_int_t)clocks.compared[0]));
    json_object_set_new(of_clocks, "compared_twice", json_integer((json_int_t)clocks.compared[1]));
    json_object_set_new(of_clocks, "uneven", json_integer((json_int_t)clocks.uneven));
    json_object_set_new(of_clocks, "error_at_start_ns", json_integer(clocks.error_ns[0]));
    json_object_set_new(of_clocks, "error_ns", json_integer(clocks.error_ns[1]));
    json_object_set_new(of_clocks, "drift_ppm", json_real(clocks.drift_ppm));
    json_object_set_new(object, "clocks", of_clocks);
    if (moved->known)
        json_object_set_new(object, "moved",
                            json_pack("{s:I,s:I}", "times", (json_int_t)moved->events, "largest_move_ns",
                                      (json_int_t)moved->largest_ns));
    for (size_t i = 0; i < trace->n_missing; i++)
        json_array_append_new(missing, json_integer(trace->missing[i]));
    enum refrain_status status = refrain_waits_add_end(trace, REFRAIN_HANG_CALLS_AT_ONCE, object, error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        if ((rank < 0 || trace->processes[i].rank == rank) &&
            json_array_append_new(processes, process_json(trace, &trace->processes[i], error)) != 0)
            status = REFRAIN_FAIL_MEMORY(error);
    if (status) {
        json_decref(object);
        json_decref(missing);
        json_decref(processes);
        return status;
    }
    json_object_set_new(object, "names", refrain_info_names_json(trace));
    json_object_set_new(object, "left_as_is", refrain_info_left_json(trace));
    json_object_set_new(object, "communicators", refrain_info_comms_json(trace));
    json_object_set_new(object, "missing_ranks", missing);
    json_object_set_new(object, "processes", processes);
    return refrain_print_json(object, error);
}
