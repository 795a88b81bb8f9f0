/* info_text.c: prints refrain info --verbose for the run and for one rank (info_run.h). */
#define _GNU_SOURCE
#include "analysis/gone.h"
#include "commands/command.h"
#include "commands/info_learned.h"
#include "commands/info_metrics.h"
#include "commands/info_run.h"
#include "match/replayable.h"
#include <refrain/settings.h>

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define DISK_BLOCK_BYTES 512u /* of st_blocks */

/* ---- of the run ---- */

/* Bytes of the trace file on disk. Parts of it may have no blocks there. */
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

/* Bytes that killed processes had reserved in their files and never used. */
static uint64_t unused_bytes(const struct refrain_trace *trace) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        uint64_t on_disk = disk_bytes(process), used = process->header->pool_used;
        bytes += !process->header->finished && refrain_is_gone(process) && on_disk > used ? on_disk - used : 0;
    }
    return bytes;
}

static void print_sizes_of_files(const struct refrain_trace *trace) {
    uint64_t bytes = refrain_info_file_bytes(trace), on_disk = all_disk_bytes(trace);
    printf("trace size  %s in %zu file%s", refrain_show_bytes(bytes), trace->n_processes,
           trace->n_processes == 1 ? "" : "s");
    if (on_disk < bytes)
        printf(", %s on disk", refrain_show_bytes(on_disk));
    printf("; %s at most, as set before the run\n", refrain_show_bytes(refrain_info_most_file_bytes(trace)));
    uint64_t unused = unused_bytes(trace);
    if (unused > REFRAIN_SMALL_MEMORY)
        printf(
            "            %s of it were reserved for processes that were killed, and never used: refrain pack makes one "
            "small file without them; refrain record removes them\n",
            refrain_show_bytes(unused));
}

static void format_date(uint64_t realtime_ns, char *text, size_t bytes) {
    time_t seconds = (time_t)(realtime_ns / 1000000000u);
    struct tm local;
    if (!localtime_r(&seconds, &local) || strftime(text, bytes, "%Y-%m-%d %H:%M:%S %z", &local) == 0)
        snprintf(text, bytes, "unknown");
}

void refrain_info_print_program(const struct refrain_trace *trace) {
    const struct refrain_process *first = &trace->processes[0];
    const struct refrain_header *header = first->header;
    printf("trace       %s\n", refrain_show_name(trace->path));
    printf("program     %s", refrain_show_name(refrain_process_name(first, header->executable)));
    if (header->arguments)
        printf(" %s", refrain_show_name(refrain_process_name(first, header->arguments)));
    putchar('\n');
}

void refrain_info_print_ranks(const struct refrain_trace *trace) {
    printf("run         %d rank%s%s", trace->size, trace->size == 1 ? "" : "s",
           trace->n_missing ? " (not all have a file)" : "");
}

void refrain_info_print_when(const struct refrain_trace *trace) {
    int64_t duration_ns = 0;
    char date[64];
    for (size_t i = 0; i < trace->n_processes; i++)
        if (refrain_info_end_ns(&trace->processes[i]) > duration_ns)
            duration_ns = refrain_info_end_ns(&trace->processes[i]);
    format_date(trace->start_realtime_ns, date, sizeof date);
    printf("started %s, lasted %s", date, refrain_show_ns((long double)duration_ns));
}

void refrain_info_print_size(const struct refrain_trace *trace) {
    if (trace->pack_bytes)
        printf("trace size  %s in one file, %s of it what ranks learned; %s at most, as set before the run\n",
               refrain_show_bytes(trace->pack_bytes), refrain_show_bytes(trace->pack_structure_bytes),
               refrain_show_bytes(refrain_info_most_file_bytes(trace)));
    else
        print_sizes_of_files(trace);
}

static void print_clocks(const struct refrain_trace *trace) {
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
}

static void print_settings(const struct refrain_trace *trace) {
    const struct refrain_process *first = &trace->processes[0];
    const char *environment = refrain_process_name(first, first->header->environment);
    for (const char *line = environment; *line;) {
        size_t n = strcspn(line, "\n");
        printf("%s %.*s\n", line == environment ? "settings   " : "           ", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

void refrain_info_print_run(const struct refrain_trace *trace) {
    const struct refrain_process *first = &trace->processes[0];
    const char *library = refrain_process_name(first, first->header->mpi_library);
    refrain_info_print_program(trace);
    printf("directory   %s\n", refrain_show_name(refrain_process_name(first, first->header->start_directory)));
    if (*library)
        printf("MPI         %.*s\n", (int)strcspn(library, "\n"), library);
    refrain_info_print_ranks(trace);
    printf(", ");
    refrain_info_print_when(trace);
    printf("\nmode        %s\n", refrain_info_mode_name(first->header->mode));
    refrain_info_print_size(trace);
    print_clocks(trace);
    print_settings(trace);
}

void refrain_info_print_moved(const struct refrain_trace *trace, const struct refrain_info_moved *moved) {
    if (moved->known && moved->events)
        printf(
            "moved       %s times reconstructed events are moved, so that none comes before its cause: by at most %s\n",
            refrain_show_count(moved->events), refrain_show_ns((long double)moved->largest_ns));
    else if (moved->known)
        puts("moved       nothing: no reconstructed event comes before its cause");
    else if (refrain_replayable(trace, false, NULL) == REFRAIN_OK)
        puts("moved       refrain info --moved replays the run and says which of its times have to be moved");
}

/* ---- of a rank ---- */

static void print_times(const struct refrain_process *process, const struct refrain_learned *learned) {
    const struct refrain_time_summary *times = &learned->times;
    if (times->most_bytes == 0) {
        uint64_t least = (uint64_t)process->header->n_threads * REFRAIN_TIME_LEAST_PAGES * REFRAIN_TIME_PAGE_BYTES;
        printf("  times     are means per place: ");
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
        printf(", %s in spans of up to %s, which they divide", refrain_show_count(others),
               refrain_show_ns(refrain_trace_span_ns(process, times->longest_ticks)));
    printf("; %s of %s\n", refrain_show_bytes(times->bytes), refrain_show_bytes(times->most_bytes));
    if (times->stopped)
        puts("            they end before the run does, since the memory was full: means from there on");
    if (learned->control_given_up)
        printf(
            "            the order of %s sequences of control flow was given up: from their first event on, times are "
            "means of each place\n",
            refrain_show_count(learned->control_given_up));
    if (times->backwards)
        printf("            %s clock reads were earlier than the one before them: taken as the same time\n",
               refrain_show_count(times->backwards));
}

static void print_uneven_clock(const struct refrain_process *process) {
    int64_t ns = refrain_trace_clock_ahead_ns(process);
    if (ns != 0)
        printf("  clock     jumped or did not run evenly: by its first rate it %s %s against %s in the run; times are "
               "not corrected\n",
               ns > 0 ? "gained" : "lost", refrain_show_ns((long double)(ns > 0 ? ns : -ns)),
               process->header->clock == 1 ? "the real time clock" : "the system's");
}

/* Prints the effect of REFRAIN_ORDER=virtual. */
static void print_order(const struct refrain_order_counts *order) {
    if (order->state == REFRAIN_ORDER_REFUSED)
        puts("  order     REFRAIN_ORDER=virtual was not possible: not all ranks are on one node and traced with it, "
             "there are more than 1024, or threads call MPI at once");
    if (order->state == REFRAIN_ORDER_VIRTUAL)
        printf(
            "  order     virtual: %s receives of any source; %s were delayed for an earlier message, %s of them up to "
            "the limit\n",
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
    printf("  besides   %s in memory; not part of REFRAIN_TOTAL_MEMORY: %s for lists of the ranks",
           refrain_show_bytes(header->outside_bytes), refrain_show_bytes(refrain_info_ranks_bytes(header)));
    if (refrain_info_scratch_bytes(process))
        printf(", %s at most for rearranging formulas", refrain_show_bytes(refrain_info_scratch_bytes(process)));
    putchar('\n');
}

/* Prints the numbers of threads, places and the like. */
static void print_counts(const struct refrain_process *process) {
    printf("  threads   %u of %u, source files %zu, places %u, MPI call sites %zu, communicators %zu\n",
           refrain_info_threads(process), process->header->n_threads, process->n_units, process->header->n_slots,
           process->n_call_sites + process->n_overflow_sites, process->n_comms);
    if (process->n_overflow_sites > 0)
        printf(
            "  overflow  %zu of these call sites share the record of another call site of the same function, since the "
            "memory was full: their calls and values are counted, the order is only likely\n",
            process->n_overflow_sites);
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

/* Prints what was left out on purpose, and whether code could not be changed. */
static void print_left_out(const struct refrain_process *process, const struct refrain_learned *learned) {
    if (process->header->code_is_kept)
        puts("  code      stays as it was compiled, since the system allows no changes: a disabled probe costs a call");
    if (learned->throttled_functions || learned->throttled_probes)
        printf("  throttled %s function%s and %s other place%s that came too often for their length\n",
               refrain_show_count(learned->throttled_functions), learned->throttled_functions == 1 ? "" : "s",
               refrain_show_count(learned->throttled_probes), learned->throttled_probes == 1 ? "" : "s");
    if (learned->small_functions || learned->light)
        printf("  light     %s small function%s and %s decision%s and loops of a few instructions have no probe; "
               "--detail=every gives them one\n",
               refrain_show_count(learned->small_functions), learned->small_functions == 1 ? "" : "s",
               refrain_show_count(learned->light), learned->light == 1 ? "" : "s");
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

enum refrain_status refrain_info_print_process(const struct refrain_trace *trace, const struct refrain_process *process,
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
           refrain_process_name(process, header->host), header->pid, refrain_info_ended(process),
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
