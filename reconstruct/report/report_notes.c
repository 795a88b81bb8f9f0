/* report_notes.c: states good properties of the run, and what the trace does not have (report.h). */
#define _GNU_SOURCE
#include "analysis/critical_rows.h"
#include "analysis/gone.h"
#include "analysis/hang.h"
#include "commands/command.h"
#include "commands/resident_text.h"
#include "report/report.h"
#include "times/block_times.h"

#include <stdlib.h>
#include <string.h>

#define LITTLE 0.05   /* a share of the run that does not matter */
#define MANY_LONG 0.1 /* share of the run in calls that take too long: from this on, a remark says so */
#define GOOD_BALANCE 0.95
#define SHORT_NS 1000000 /* in a shorter run, the different starts of the processes outweigh all else */
#define MOST_BLOCKS 0.99 /* share of the blocks with times of their own: from this on, the others are not mentioned */

/* ---- good properties of the run ---- */

static int64_t sum_of(const struct refrain_delays *delays, enum refrain_doing doing) {
    int64_t ns = 0;
    for (size_t i = 0; i < delays->n_ranks; i++)
        ns += delays->ranks[i].doing_ns[doing];
    return ns;
}

static void say_if_little(struct refrain_report *report, const char *what, double ns) {
    if (ns > 0 && ns < LITTLE * report->run_ns)
        refrain_report_well(report, "%s is %s of the run", what, refrain_report_percent(ns / report->run_ns));
}

/* True if the trace has only recorded events. A converted trace is of this kind: it is unknown what the other tool
 * lost. */
static bool has_events_only(const struct refrain_report *report) {
    return report->trace->n_processes && report->trace->processes[0].header->mode == REFRAIN_MODE_EVENTS;
}

/* True if nearly all blocks have times of their own. */
static bool has_times(const struct refrain_time_summary *times) {
    return times->blocks > 0 && (double)times->single >= MOST_BLOCKS * (double)times->blocks;
}

static void say_what_was_kept(struct refrain_report *report, const struct refrain_time_summary *times) {
    if (!report->activity->report.events || report->activity->approximate || report->trace->n_losses ||
        has_events_only(report))
        return;
    refrain_report_well(report, "nothing was lost in tracing: all %s events are exact%s",
                        refrain_show_count(report->activity->events), has_times(times) ? "" : " but for their times");
}

static void say_what_is_well(struct refrain_report *report, const struct refrain_time_summary *times) {
    const struct refrain_delays *delays = report->delays;
    if (report->run_ns <= 0)
        return;
    double waiting = (double)sum_of(delays, REFRAIN_DOING_WAITING);
    double transmission = (double)sum_of(delays, REFRAIN_DOING_TRANSMISSION);
    double management = (double)sum_of(delays, REFRAIN_DOING_MANAGEMENT);
    double communication = waiting + transmission + management;
    if (communication < LITTLE * report->run_ns)
        refrain_report_well(report, "communication is %s of the run, waiting included",
                            refrain_report_percent(communication / report->run_ns));
    else {
        say_if_little(report, "waiting for other ranks", waiting);
        say_if_little(report, "moving data in MPI calls", transmission);
        say_if_little(report, "management (making communicators, datatypes, windows)", management);
    }
    if (report->efficiency.known && report->efficiency.balance >= GOOD_BALANCE)
        refrain_report_well(report, "the ranks compute evenly: the mean is %s of the longest",
                            refrain_report_percent(report->efficiency.balance));
    const struct refrain_beat *beat = delays->beat;
    if (beat)
        refrain_report_well(report, "%s of the run repeats: %s iterations of about %s, by the calls of %s on rank %d",
                            refrain_report_percent(beat->regular_ns / (double)(delays->to_ns - delays->from_ns)),
                            refrain_show_count(beat->count), refrain_show_ns((long double)beat->median_ns),
                            refrain_show_region(beat->region), beat->rank);
    say_what_was_kept(report, times);
}

/* States on which activity the length of the run depends most, unless most of the critical path is unknown. */
static void say_what_is_critical(struct refrain_report *report) {
    struct refrain_critical critical = {0};
    if (!refrain_critical_rows(report->delays, &critical))
        report->no_memory = true;
    if (critical.n > 0 && 2 * report->delays->path_unknown_ns < critical.run_ns) {
        const struct refrain_critical_row *row = &critical.rows[0];
        struct refrain_delay_place place = *row->place;
        place.call = place.function ? NULL : place.call; /* the row has everything that the function computes */
        char *text = refrain_report_place(report, &place);
        const char *what = place.doing == REFRAIN_DOING_COMPUTING ? "computing " : "";
        report->critical = refrain_report_text(report, "%s of the critical path is %s%s, most of it on rank %d",
                                               refrain_report_percent((double)row->path_ns / (double)critical.run_ns),
                                               what, text ? text : "", row->rank);
        free(text);
    }
    refrain_critical_free_rows(&critical);
}

bool refrain_report_is_short(const struct refrain_report *report) {
    int64_t ns = report->delays->to_ns - report->delays->from_ns;
    return report->delays->n_known > 0 && ns > 0 && ns < SHORT_NS;
}

static void remark_short_run(struct refrain_report *report) {
    if (!refrain_report_is_short(report))
        return;
    free(report->remark);
    report->remark = refrain_report_text(
        report,
        "the run took only %s between MPI_Init and MPI_Finalize; chance decides what is found in so short a run",
        refrain_show_ns((long double)(report->delays->to_ns - report->delays->from_ns)));
}

/* If there are more ranks than cores, a rank waits for a core mostly in MPI calls, since these give up the core. */
static void remark_long_calls(struct refrain_report *report) {
    if (report->long_calls_ns >= MANY_LONG * report->run_ns && report->run_ns > 0)
        report->remark =
            refrain_report_text(report,
                                "%s of the run is in MPI calls that take longer than a network needs for what they "
                                "move, without waiting for "
                                "other ranks. This is so where ranks have no core of their own: with more ranks "
                                "than cores, or with other programs on the machine. Then most of what findings "
                                "say of MPI calls comes from that",
                                refrain_report_percent(report->long_calls_ns / report->run_ns));
}

/* A deadlock is worse than any finding. */
static void remark_deadlock(struct refrain_report *report) {
    struct refrain_live *live;
    struct refrain_hang hang;
    struct refrain_error error = {0};
    if (refrain_hang_at_end(report->trace, REFRAIN_HANG_CALLS_AT_ONCE, &live, &hang, &error) || !live)
        return;
    report->hung = hang.n_hanging > 0;
    if (report->hung) {
        free(report->remark);
        report->remark = refrain_report_text(report,
                                             "deadlock at the end%s: %zu rank%s waited for what could not come; "
                                             "refrain stats says for whom, and the likely cause if there is one",
                                             live->end_is_known ? "" : ", as it seems", hang.n_hanging,
                                             hang.n_hanging == 1 ? "" : "s");
    }
    refrain_hang_close(&hang);
    refrain_live_close(live);
}

/* ---- what the trace does not have ---- */

static void say_how_it_ended(struct refrain_report *report) {
    size_t unfinished = 0, aborted = 0;
    for (size_t i = 0; i < report->trace->n_processes; i++) {
        uint32_t finished = report->trace->processes[i].header->finished;
        unfinished += finished == REFRAIN_UNFINISHED;
        aborted += finished == REFRAIN_FINISHED_BY_ABORT;
    }
    if (unfinished)
        refrain_report_unknown(
            report,
            "%zu of %zu processes did not end by themselves, or still run: what they would have done "
            "afterwards, and what the last calls waited for (refrain stats says how it ended)",
            unfinished, report->trace->n_processes);
    if (aborted)
        refrain_report_unknown(report, "%zu of %zu processes ended by MPI_Abort: what would have come afterwards",
                               aborted, report->trace->n_processes);
    if (!unfinished && !aborted && report->delays->has_init && !report->delays->has_finalize)
        refrain_report_unknown(report, "whether the program came to its end, as there is no MPI_Finalize in the trace");
}

static void say_what_is_not_there(struct refrain_report *report) {
    const struct refrain_trace *trace = report->trace;
    const struct refrain_cursor_report *ends = &report->activity->report;
    uint64_t unmatched = ends->unmatched_sends + ends->unmatched_receives + ends->unmatched_collectives;
    if (trace->n_missing)
        refrain_report_unknown(report, "%zu of %d ranks have no file: what they did, and who waited for them",
                               trace->n_missing, trace->size);
    if (unmatched)
        refrain_report_unknown(report,
                               "the other ends of %s messages and calls of collectives, and so whether these waited",
                               refrain_show_count(unmatched));
    if (ends->other_end_untold)
        refrain_report_unknown(report,
                               "what happened in pauses, where %s messages and calls of collectives have their other "
                               "ends",
                               refrain_show_count(ends->other_end_untold));
    if (report->activity->approximate)
        refrain_report_unknown(report,
                               "the exact order: %s of %s events are approximate, and so is what follows from them "
                               "(refrain info says what was given up)",
                               refrain_show_count(report->activity->approximate),
                               refrain_show_count(report->activity->events));
    if (report->delays->n_other_threads)
        refrain_report_unknown(report,
                               "what %zu threads beside the first ones of their ranks waited for: causes of waits are "
                               "looked for in first threads only",
                               report->delays->n_other_threads);
}

static bool has_functions(const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_regions; i++)
        if (trace->regions[i].kind == REFRAIN_REGION_FUNCTION)
            return true;
    return false;
}

/* Most programs of a distribution have no debug information, and some no symbols at all. */
static void say_what_has_no_name(struct refrain_report *report) {
    const struct refrain_names_info *names = &report->trace->names;
    size_t places = 0, nameless = 0, lineless = 0;
    for (size_t i = 0; i < names->n_files; i++) {
        places += names->files[i].places;
        nameless += names->files[i].places - names->files[i].named;
        lineless += names->files[i].places - names->files[i].lined;
    }
    if (nameless)
        refrain_report_unknown(report,
                               "the names of %zu of %zu places in the code, which are shown as file and address "
                               "(refrain info says which package or option brings them)",
                               nameless, places);
    else if (lineless)
        refrain_report_unknown(report,
                               "the source lines of %zu of %zu places in the code (refrain info says which package or "
                               "option brings them)",
                               lineless, places);
}

/* If the memory for times was full, neighbouring blocks share a time. */
static void say_which_times_are_means(struct refrain_report *report, const struct refrain_time_summary *times) {
    const struct refrain_process *first = &report->trace->processes[0];
    if (has_times(times) || has_events_only(report))
        return;
    if (times->blocks == 0)
        refrain_report_unknown(report, "the exact times of events: all times are means");
    else
        refrain_report_unknown(
            report,
            "the exact times of events: %s of the times between two clock reads are kept for several "
            "together, so that an event may be up to %s off",
            refrain_report_percent((double)(times->blocks - times->single) / (double)times->blocks),
            refrain_show_ns(refrain_trace_span_ns(first, times->longest_ticks)));
}

/* If a rank is far ahead of others in the replay, only sums are kept of its earlier activities. */
static void say_what_of_the_path(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    double share = (double)delays->path_unknown_ns / (double)(delays->to_ns - delays->from_ns);
    if (delays->to_ns > delays->from_ns && share > 0.01)
        refrain_report_unknown(report, "what %s of the critical path is", refrain_report_percent(share));
}

static void say_what_was_not_traced(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    if (!has_functions(report->trace))
        refrain_report_unknown(
            report,
            "in which function a rank computes at a time, since only MPI calls were traced: a place is named by the "
            "MPI call that comes next (refrain record --call-path, or refrain-mpicc, shows functions%s)",
            report->samples.hz ? "" : "; refrain record --sample says which functions compute");
    if (has_events_only(report))
        refrain_report_unknown(
            report, "counts of loops and branches, and what was lost in recording: the trace has events only, as "
                    "one that was converted");
    if (!delays->has_init)
        refrain_report_unknown(report,
                               "when MPI began, as there is no MPI_Init in the trace: the whole of it is looked at");
    if ((double)delays->cut_ns > 0.01 * report->run_ns)
        refrain_report_unknown(report, "where %s of waiting began further back than the last %u things that ranks did",
                               refrain_show_ns((long double)delays->cut_ns), REFRAIN_DELAY_SPANS);
    if ((double)delays->unexplained_ns > 0.01 * report->run_ns)
        refrain_report_unknown(report, "why %s of waiting came about",
                               refrain_show_ns((long double)delays->unexplained_ns));
}

/* States how much memory is needed; a rank that needs far more than the others decides how many fit on a node. */
static void say_what_memory(struct refrain_report *report) {
    char text[512];
    refrain_resident_sentence(report->trace, text, sizeof text, &report->memory_is_uneven);
    if (text[0])
        report->memory = refrain_report_text(report, "%s%s", report->memory_is_uneven ? "uneven memory: " : "", text);
}

void refrain_report_notes(struct refrain_report *report) {
    const struct refrain_time_summary times = refrain_trace_times(report->trace);
    if (report->delays->n_known == 0 || report->run_ns <= 0)
        refrain_report_unknown(report, "anything of the run: the trace has no events");
    remark_long_calls(report);
    remark_short_run(report);
    remark_deadlock(report);
    say_what_is_critical(report);
    say_what_memory(report);
    say_what_is_well(report, &times);
    say_how_it_ended(report);
    say_what_is_not_there(report);
    say_what_was_not_traced(report);
    say_which_times_are_means(report, &times);
    say_what_of_the_path(report);
    say_what_has_no_name(report);
}
