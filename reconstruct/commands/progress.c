/* progress.c: shows the progress of a replay (progress.h). */
#define _GNU_SOURCE
#include "commands/progress.h"
#include "commands/command.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define FIRST_REPORT_NS 2000000000
#define REPORT_EVENTS 65536u

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int progress_begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct refrain_progress *progress = (struct refrain_progress *)writer;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        for (uint32_t t = 0; t < process->header->n_threads; t++) {
            int64_t end_ns = refrain_trace_time_ns(process, process->threads[t].last_ticks);
            if (process->threads[t].started && end_ns > progress->end_ns)
                progress->end_ns = end_ns;
        }
    }
    return progress->inner->begin ? progress->inner->begin(progress->inner, trace) : 0;
}

static inline int pass_on(const struct refrain_progress *progress, const struct refrain_event *event) {
    return progress->inner->event ? progress->inner->event(progress->inner, event) : 0;
}

/* Not inlined, so that the code for each event stays small. */
static __attribute__((noinline)) int show_and_pass_on(struct refrain_progress *progress,
                                                      const struct refrain_event *event) {
    if (progress->to_terminal && now_ns() - progress->started_ns > FIRST_REPORT_NS) {
        fprintf(stderr, "\rrefrain: %s events, at %.3f of %.3f s of the run ", refrain_show_count(progress->events),
                (double)event->time_ns / 1e9, (double)progress->end_ns / 1e9);
        progress->shown = true;
    }
    return pass_on(progress, event);
}

static int progress_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct refrain_progress *progress = (struct refrain_progress *)writer;
    progress->approximate += event->approximate && !event->unsure;
    return ++progress->events % REPORT_EVENTS ? pass_on(progress, event) : show_and_pass_on(progress, event);
}

static int progress_end(struct refrain_writer *writer) {
    struct refrain_progress *progress = (struct refrain_progress *)writer;
    if (progress->shown)
        fputs("\r\033[K", stderr);
    return progress->inner->end ? progress->inner->end(progress->inner) : 0;
}

void refrain_progress_open(struct refrain_progress *progress, struct refrain_writer *inner, bool shows) {
    *progress = (struct refrain_progress){.writer = {progress_begin, progress_event, progress_end},
                                          .inner = inner,
                                          .started_ns = now_ns(),
                                          .to_terminal = shows && isatty(STDERR_FILENO) && !refrain_warn_quiet};
}

struct refrain_writer *refrain_progress_around(void *data, struct refrain_writer *inner) {
    struct refrain_progress *progress = data;
    refrain_progress_open(progress, inner, true);
    return &progress->writer;
}

void refrain_warn_unmatched(const struct refrain_trace *trace, const struct refrain_cursor_report *report) {
    const char *why = trace->n_missing ? ", as ranks without a file have them" : "";
    if (report->unmatched_sends || report->unmatched_receives)
        refrain_warn("messages without a receive: %s, without a send: %s%s",
                     refrain_show_count(report->unmatched_sends), refrain_show_count(report->unmatched_receives), why);
    if (report->unmatched_collectives)
        refrain_warn("%s calls of collectives lack some of their members%s",
                     refrain_show_count(report->unmatched_collectives), why);
    if (report->other_end_untold)
        refrain_warn(
            "%s messages and calls of collectives have their other ends in a pause, or in a receive that was given up",
            refrain_show_count(report->other_end_untold));
    if (report->unsure_receives)
        refrain_warn("%s receives may have had another message of the same tag: a receive that was posted before them "
                     "took one of any source or tag and was given up, or came to its end long after them",
                     refrain_show_count(report->unsure_receives));
}
