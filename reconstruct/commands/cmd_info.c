/* cmd_info.c: refrain info: what was run, how much of it was learned, what was lost. */
#define _GNU_SOURCE
#include "command.h"
#include "info_comms.h"
#include "info_many.h"
#include "info_metrics.h"
#include "learners.h"
#include "progress.h"
#include "replay.h"
#include "replayable.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define DISK_BLOCK_BYTES 512u /* of st_blocks */

static const char *const mode_names[] = {"off", "stat", "events", "both"};

static uint64_t file_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        bytes += trace->processes[i].file_bytes;
    return trace->pack_bytes ? trace->pack_bytes : bytes;
}

/* What the trace file takes on disk, parts of which may have been given back. */
static uint64_t disk_bytes(const struct refrain_process *process) {
    struct stat file;
    if (stat(process->path, &file) != 0 || (uint64_t)file.st_size != process->file_bytes ||
        (uint64_t)file.st_blocks * DISK_BLOCK_BYTES > process->file_bytes)
        return process->file_bytes;
    return (uint64_t)file.st_blocks * DISK_BLOCK_BYTES;
}

static uint64_t all_disk_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        bytes += disk_bytes(&trace->processes[i]);
    return bytes;
}

static uint64_t most_file_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        bytes += refrain_info_trace_file_bytes(trace->processes[i].header);
    return bytes;
}

static void print_size(const struct refrain_trace *trace) {
    uint64_t bytes = file_bytes(trace), on_disk = all_disk_bytes(trace);
    printf("trace size  %s in %zu file%s", refrain_show_bytes(bytes), trace->n_processes,
           trace->n_processes == 1 ? "" : "s");
    if (on_disk < bytes)
        printf(", %s on disk", refrain_show_bytes(on_disk));
    printf("; %s at most, as set before the run\n", refrain_show_bytes(most_file_bytes(trace)));
}

static void format_date(uint64_t realtime_ns, char *text, size_t bytes) {
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm local;
    if (!localtime_r(&seconds, &local) || strftime(text, bytes, "%Y-%m-%d %H:%M:%S %z", &local) == 0)
        snprintf(text, bytes, "unknown");
}

/* ---- what is moved ---- */

#define MOST_BLOCKS_REPLAYED 1000000u /* without being asked to: a fraction of a second */

/* How reconstructed times have to be moved, so that nothing comes before its cause: known once all has been replayed.
 */
struct moved {
    bool known;
    uint64_t events;
    int64_t largest_ns;
};

static uint64_t blocks_of(const struct refrain_trace *trace) {
    struct refrain_time_summary times = {0};
    for (size_t i = 0; i < trace->n_processes; i++)
        for (uint32_t t = 0; t < trace->processes[i].header->n_threads; t++)
            if (trace->processes[i].threads[t].started)
                refrain_time_summary_add(&times, trace->processes[i].image, trace->processes[i].image_bytes,
                                         &trace->processes[i].threads[t]);
    return times.blocks;
}

/* `asked`: however long the run is. What is damaged is said by others. */
static struct moved count_moved(struct refrain_trace *trace, bool asked) {
    struct refrain_progress progress;
    struct refrain_writer nothing = {NULL, NULL, NULL};
    struct refrain_cursor_report report = {0};
    if (refrain_replayable(trace, false, NULL) || (!asked && blocks_of(trace) > MOST_BLOCKS_REPLAYED))
        return (struct moved){0};
    refrain_progress_open(&progress, &nothing, true);
    bool whole = refrain_write(trace, NULL, &progress.writer, &report, NULL) == REFRAIN_OK;
    return (struct moved){whole, report.moved, report.largest_move_ns};
}

static void print_moved(const struct refrain_trace *trace, const struct moved *moved) {
    if (moved->known && moved->events)
        printf(
            "moved       %s times reconstructed events are moved, so that none comes before its cause: by at most %s\n",
            refrain_show_count(moved->events), refrain_show_ns((long double)moved->largest_ns));
    else if (moved->known)
        puts("moved       nothing: no reconstructed event comes before its cause");
    else if (refrain_replayable(trace, false, NULL) == REFRAIN_OK)
        puts("moved       refrain info --moved replays the run and says which of its times have to be moved");
}

/* ---- text ---- */

static void print_run(const struct refrain_trace *trace) {
    const struct refrain_process *first = &trace->processes[0];
    const struct refrain_header *header = first->header;
    int64_t duration_ns = 0;
    char date[64];
    for (size_t i = 0; i < trace->n_processes; i++)
        if (refrain_info_end_ns(&trace->processes[i]) > duration_ns)
            duration_ns = refrain_info_end_ns(&trace->processes[i]);
    format_date(trace->start_realtime_ns, date, sizeof date);
    printf("trace       %s\n", refrain_show_name(trace->path));
    printf("program     %s\n", refrain_show_name(refrain_process_name(first, header->executable)));
    printf("directory   %s\n", refrain_show_name(refrain_process_name(first, header->start_directory)));
    if (header->mpi_library)
        printf("MPI         %.*s\n", (int)strcspn(refrain_process_name(first, header->mpi_library), "\n"),
               refrain_process_name(first, header->mpi_library));
    printf("ranks       %d%s\n", trace->size, trace->n_missing ? " (not all have a file)" : "");
    printf("mode        %s\n", mode_names[header->mode]);
    printf("started     %s\n", date);
    printf("duration    %s\n", refrain_show_ns((long double)duration_ns));
    if (trace->pack_bytes)
        printf("trace size  %s in one file, %s of it what ranks learned; %s at most, as set before the run\n",
               refrain_show_bytes(trace->pack_bytes), refrain_show_bytes(trace->pack_structure_bytes),
               refrain_show_bytes(most_file_bytes(trace)));
    else
        print_size(trace);
    struct refrain_trace_clocks clocks;
    refrain_trace_clocks(trace, &clocks);
    size_t not_compared = clocks.nodes - clocks.compared[0] - clocks.compared[1] - 1;
    if (clocks.nodes > 1)
        printf(
            "clocks      of %zu nodes: %zu compared with rank 0's at the start and at the end, %zu at the start only\n",
            clocks.nodes, clocks.compared[1], clocks.compared[0]);
    if (clocks.compared[1])
        printf("            compared twice: to within %s; they run up to %.3f ppm apart\n",
               refrain_show_ns((long double)clocks.error_ns[1]), clocks.drift_ppm);
    if (clocks.compared[0])
        printf("            compared once: to within %s at the start; how differently they run since is not known\n",
               refrain_show_ns((long double)clocks.error_ns[0]));
    if (clocks.uneven)
        printf("            %zu %s compared at the end, too, but that is not used: by it a clock ran more than a "
               "hundredth too fast or too slow\n",
               clocks.uneven, clocks.uneven == 1 ? "was" : "were");
    if (clocks.nodes > 1 && not_compared)
        printf("            %zu were not compared: their times are those of the real time clock\n", not_compared);
    const char *environment = refrain_process_name(first, header->environment);
    for (const char *line = environment; *line;) {
        size_t n = strcspn(line, "\n");
        printf("%s %.*s\n", line == environment ? "settings   " : "           ", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

static void print_times(const struct refrain_process *process, const struct refrain_learned *learned) {
    const struct refrain_time_summary *times = &learned->times;
    if (times->most_bytes == 0) {
        uint64_t least = (uint64_t)process->header->n_threads * REFRAIN_TIME_LEAST_PAGES * REFRAIN_TIME_PAGE_BYTES;
        printf("  times     are means per place and stretch of the run: ");
        if (process->header->time_bytes == 0)
            puts("REFRAIN_TIME_MEMORY is 0");
        else if (process->header->time_bytes < least)
            printf("REFRAIN_TIME_MEMORY is %s, its threads need at least %s\n",
                   refrain_show_bytes(process->header->time_bytes), refrain_show_bytes(least));
        else
            puts("there was no memory left for single ones");
        return;
    }
    uint64_t others = times->blocks - times->single;
    printf("  times     of %s blocks: %s each to within %s", refrain_show_count(times->blocks),
           refrain_show_count(times->single), refrain_show_ns(refrain_trace_span_ns(process, times->quantum_ticks)));
    if (others)
        printf(", %s in spans of up to %s, inside which they are shared out", refrain_show_count(others),
               refrain_show_ns(refrain_trace_span_ns(process, times->longest_ticks)));
    printf("; %s of %s\n", refrain_show_bytes(times->bytes), refrain_show_bytes(times->most_bytes));
    if (times->stopped)
        puts("            they end before the run does, for want of memory: means from there on");
    if (learned->control_given_up)
        printf("            the order of %s sequences of control flow was given up: from the first of their events on "
               "times "
               "are means per place\n",
               refrain_show_count(learned->control_given_up));
    if (times->backwards)
        printf("            %s clock reads told an earlier time than the one before them: taken as the same time\n",
               refrain_show_count(times->backwards));
}

static void print_uneven_clock(const struct refrain_process *process) {
    int64_t ns = refrain_trace_clock_ahead_ns(process);
    if (ns != 0)
        printf("  clock     jumped or did not run evenly: by its first rate it %s %s against %s in the run; times are "
               "as it "
               "told them\n",
               ns > 0 ? "gained" : "lost", refrain_show_ns((long double)(ns > 0 ? ns : -ns)),
               process->header->clock == 1 ? "the real time clock" : "the system's");
}

/* What became of REFRAIN_ORDER=virtual. */
static void print_order(const struct refrain_order_counts *order) {
    if (order->state == REFRAIN_ORDER_REFUSED)
        puts("  order     REFRAIN_ORDER=virtual was not possible: not all ranks are on one node and traced with it, "
             "there "
             "are more than 1024, or threads call MPI at once");
    if (order->state == REFRAIN_ORDER_VIRTUAL)
        printf(
            "  order     virtual: %s receives of any source, %s held for a message that might be earlier, %s of them "
            "to the limit\n",
            refrain_show_count(order->receives), refrain_show_count(order->held), refrain_show_count(order->given_up));
}

static void print_memory(const struct refrain_process *process) {
    const struct refrain_header *header = process->header;
    uint64_t most = refrain_info_trace_file_bytes(header), used = refrain_info_trace_file_used(header);
    printf("  memory    %s of %s used: program tree %s, places %s, %s left; file %s", refrain_show_bytes(used),
           refrain_show_bytes(most), refrain_show_bytes(header->tree_bytes), refrain_show_bytes(header->slot_bytes),
           refrain_show_bytes(most - used), refrain_show_bytes(process->file_bytes));
    if (disk_bytes(process) < process->file_bytes)
        printf(" (%s on disk)", refrain_show_bytes(disk_bytes(process)));
    puts(header->image_bytes ? ", packed" : "");
}

/* How much there is of what. */
static void print_counts(const struct refrain_process *process) {
    printf("  threads   %u of %u, source files %zu, places %u, MPI call sites %zu, communicators %zu\n",
           refrain_info_threads(process), process->header->n_threads, process->n_units, process->header->n_slots,
           process->n_call_sites + process->n_guests, process->n_comms);
    if (process->n_guests > 0)
        printf(
            "  guests    %zu of these call sites share what another one of their function learned, for want of room: "
            "how often each was called and what it told is counted, the order of that is likely only\n",
            process->n_guests);
}

static void print_learned(const struct refrain_process *process, const struct refrain_learned *learned) {
    print_times(process, learned);
    printf("  learned   %s sequences of %s values%s, %s values exactly (%.4f %%)\n", refrain_show_count(learned->total),
           refrain_show_count(learned->values),
           learned->throttled_functions || learned->throttled_probes ? " that were seen" : "",
           refrain_show_count(learned->kept),
           learned->values ? 100.0 * (double)learned->kept / (double)learned->values : 100.0);
    refrain_info_print_states(learned->by_state);
}

/* What is not in the trace on purpose, and code that could not be changed. */
static void print_left_out(const struct refrain_process *process, const struct refrain_learned *learned) {
    if (process->header->code_is_kept)
        puts("  code      stays as it was compiled, since the system lets none be changed: a probe that is off costs a "
             "call");
    if (learned->throttled_functions || learned->throttled_probes)
        printf("  throttled %s function%s and %s other place%s that came too often for their length\n",
               refrain_show_count(learned->throttled_functions), learned->throttled_functions == 1 ? "" : "s",
               refrain_show_count(learned->throttled_probes), learned->throttled_probes == 1 ? "" : "s");
    struct refrain_info_paused paused = refrain_info_paused(process);
    if (paused.times)
        printf("  paused    %s times, for %s in all; %s MPI calls in them are not in the trace\n",
               refrain_show_count(paused.times), refrain_show_ns(paused.ns), refrain_show_count(paused.untold_calls));
    if (paused.left_out_calls)
        printf("  filtered  %s MPI calls that the filter leaves out are not in the trace\n",
               refrain_show_count(paused.left_out_calls));
}

static void print_losses(const struct refrain_process *process) {
    bool lost = false;
    for (int i = 0; i < REFRAIN_LOSSES; i++)
        if (process->header->losses[i]) {
            printf("  lost      %s %s\n", refrain_show_count(process->header->losses[i]),
                   refrain_info_loss_text((enum refrain_loss)i));
            lost = true;
        }
    if (!lost)
        puts("  nothing was lost");
}

static enum refrain_status print_process(const struct refrain_trace *trace, const struct refrain_process *process,
                                         struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    struct refrain_learned learned;
    enum refrain_status status = refrain_info_learned(trace, process, &learned, error);
    if (status)
        return status;
    printf("\nrank %d%s on %s, process %u: %s after %s\n", process->rank,
           header->rank >= 0  ? ""
           : header->finished ? " (it never called MPI_Init)"
                              : " (MPI_Init has not returned)",
           refrain_process_name(process, header->host), header->pid,
           header->finished == REFRAIN_FINISHED_WITH_MPI ? "traced to MPI_Finalize (REFRAIN_PACK)"
           : header->finished                            ? "finished"
                                                         : "killed, ended by _exit or exec, or still running",
           refrain_show_ns((long double)refrain_info_end_ns(process)));
    print_uneven_clock(process);
    if (header->clock == 1)
        puts("  clock     CLOCK_MONOTONIC of the system, since the time-stamp counter does not run evenly here or "
             "REFRAIN_CLOCK says so");
    print_order(&header->order);
    print_memory(process);
    print_counts(process);
    printf("  time      %s in all threads, %s in blocks\n", refrain_show_ns(learned.run_ns),
           refrain_show_ns(learned.blocks_ns));
    if (header->mode & REFRAIN_MODE_STAT)
        print_learned(process, &learned);
    print_left_out(process, &learned);
    refrain_info_print_metrics(process);
    print_losses(process);
    return REFRAIN_OK;
}

/* ---- JSON ---- */

/* What each kind of probe cost, in nanoseconds; empty where that was not measured. */
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
}

static void add_counts(json_t *object, const struct refrain_process *process, const struct refrain_learned *learned) {
    const struct refrain_header *header = process->header;
    json_object_set_new(object, "threads", json_integer(refrain_info_threads(process)));
    json_object_set_new(object, "units", json_integer((json_int_t)process->n_units));
    json_object_set_new(object, "slots", json_integer(header->n_slots));
    json_object_set_new(object, "call_sites", json_integer((json_int_t)(process->n_call_sites + process->n_guests)));
    json_object_set_new(object, "guests", json_integer((json_int_t)process->n_guests));
    json_object_set_new(object, "communicators", json_integer((json_int_t)process->n_comms));
    json_object_set_new(object, "learners", json_integer((json_int_t)learned->total));
    json_object_set_new(object, "values", json_integer((json_int_t)learned->values));
    json_object_set_new(object, "values_exact", json_integer((json_int_t)learned->kept));
    json_object_set_new(object, "code_is_kept", json_boolean(header->code_is_kept));
    json_object_set_new(object, "throttled_functions", json_integer((json_int_t)learned->throttled_functions));
    json_object_set_new(object, "throttled_probes", json_integer((json_int_t)learned->throttled_probes));
}

static void add_paused(json_t *object, const struct refrain_process *process) {
    struct refrain_info_paused paused = refrain_info_paused(process);
    json_object_set_new(object, "pauses", json_integer((json_int_t)paused.times));
    json_object_set_new(object, "paused_ns", json_real((double)paused.ns));
    json_object_set_new(object, "paused_calls", json_integer((json_int_t)paused.untold_calls));
    json_object_set_new(object, "filtered_calls", json_integer((json_int_t)paused.left_out_calls));
}

/* Null when there is no memory; the error says so. */
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

/* `rank`: that one alone; -1: all. */
static enum refrain_status print_json(const struct refrain_trace *trace, const struct moved *moved, int32_t rank,
                                      struct refrain_error *error) {
    const struct refrain_process *first = &trace->processes[0];
    const struct refrain_header *header = first->header;
    json_t *object = json_object(), *processes = json_array(), *missing = json_array();
    json_object_set_new(object, "trace", refrain_json_text(trace->path));
    json_object_set_new(object, "version", json_integer(header->version));
    json_object_set_new(object, "program", refrain_json_text(refrain_process_name(first, header->executable)));
    json_object_set_new(object, "directory", refrain_json_text(refrain_process_name(first, header->start_directory)));
    json_object_set_new(object, "mpi", refrain_json_text(refrain_process_name(first, header->mpi_library)));
    json_object_set_new(object, "settings", refrain_json_text(refrain_process_name(first, header->environment)));
    json_object_set_new(object, "mode", json_string(mode_names[header->mode]));
    json_object_set_new(object, "ranks", json_integer(trace->size));
    json_object_set_new(object, "start_realtime_ns", json_integer((json_int_t)trace->start_realtime_ns));
    json_object_set_new(object, "bytes", json_integer((json_int_t)file_bytes(trace)));
    if (trace->pack_bytes)
        json_object_set_new(object, "structure_bytes", json_integer((json_int_t)trace->pack_structure_bytes));
    json_object_set_new(object, "most_bytes", json_integer((json_int_t)most_file_bytes(trace)));
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
    for (size_t i = 0; i < trace->n_processes; i++)
        if ((rank < 0 || trace->processes[i].rank == rank) &&
            json_array_append_new(processes, process_json(trace, &trace->processes[i], error)) != 0) {
            json_decref(object);
            json_decref(missing);
            json_decref(processes);
            return REFRAIN_FAIL_MEMORY(error);
        }
    json_object_set_new(object, "communicators", refrain_info_comms_json(trace));
    json_object_set_new(object, "missing_ranks", missing);
    json_object_set_new(object, "processes", processes);
    return refrain_print_json(object, error);
}

/* ---- command line ---- */

#define MOST_RANKS_EACH 16u /* that have a part each, without being asked for */

enum { OPTION_MOVED = 256, OPTION_EACH };

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all */
    bool json, moved, each;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'r': {
        char *end;
        long rank = strtol(value, &end, 10);
        if (end == value || *end || rank < 0 || rank > INT32_MAX)
            argp_error(state, "%s: a rank is expected", value);
        arguments->rank = (int32_t)rank;
        return 0;
    }
    case OPTION_EACH:
        arguments->each = true;
        return 0;
    case OPTION_MOVED:
        arguments->moved = true;
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print JSON, with a part for each rank", 0},
    {"rank", 'r', "N", 0, "Only that rank", 0},
    {"each", OPTION_EACH, NULL, 0, "Show a part for each rank, also if there are more than 16", 0},
    {"moved", OPTION_MOVED, NULL, 0,
     "Say how far reconstructed times have to be moved, however long the run is (by default only if it is short)", 0},
    {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Says what was run, how much of it was learned, and what was lost.\v"
    "For each rank it says whether the rank finished, how much memory it used of what it was given, and how many "
    "sequences (branch outcomes, loop counts, partners, tags, sizes, orders) it has learned, and in which form: one "
    "value that always came; a formula, as refrain formulas shows it; a long cycle, which goes on with what came much "
    "earlier; by another value, such as the tag by the source; without a rule, each value kept; or only counted, as "
    "the "
    "memory was spent, so that its beginning alone is exact. (In JSON the first is identity; a formula is predicting "
    "if it ends in a loop that goes "
    "on, else building; a long cycle is repeating; what has no rule is plain; what is only counted is summary.) What "
    "did not fit is "
    "counted and shown; a run without such lines is kept exactly. Of more than 16 ranks it says once what they have in "
    "common, with the least and the greatest value where they differ, and which ranks are exceptions.",
    NULL,
    NULL,
    NULL};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_info, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, false, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    if (arguments.rank >= 0 && !refrain_trace_process(trace, arguments.rank)) {
        status = REFRAIN_FAIL(error, "%s: there is no rank %d", trace->path, arguments.rank);
        refrain_trace_close(trace);
        return status;
    }
    struct moved moved = count_moved(trace, arguments.moved);
    if (arguments.json) {
        status = print_json(trace, &moved, arguments.rank, error);
    } else {
        print_run(trace);
        print_moved(trace, &moved);
        refrain_info_print_comms(trace);
        if (arguments.rank >= 0)
            status = print_process(trace, refrain_trace_process(trace, arguments.rank), error);
        else if (trace->n_processes > MOST_RANKS_EACH && !arguments.each)
            status = refrain_info_print_many(trace, error);
        else
            for (size_t i = 0; !status && i < trace->n_processes; i++)
                status = print_process(trace, &trace->processes[i], error);
    }
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = refrain_learners_check(&trace->processes[i], error);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_info = {
    .name = "info",
    .summary = "what was run, how much of it was learned, what was lost",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain info app-*.refrain\n"
                "  refrain info --rank 3 app-*.refrain\n"
                "  refrain info --json app-*.refrain | jq .processes[0].losses\n",
};
