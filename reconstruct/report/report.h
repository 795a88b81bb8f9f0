/* report.h: what a run lost, as sentences in the order of what it cost (events -> facts -> findings -> text, JSON,
 * page).
 *
 *     one walk of the trace --> analysis/activity.h  calls, messages, times by call site  -.
 *                           |-> analysis/delays.h    causes of waits, what ranks do        |-> facts
 *                           '-> analysis/file_use.h  accesses to files                    -'
 *     facts --> findings_waits.c   what ranks wait for: delays, by place and rank         -.
 *           --> findings_files.c   small accesses to files                                  |
 *           --> findings_calls.c   what MPI calls take that is not waiting                  |-> findings, by cost
 *           --> findings_run.c     the iteration that is unlike the others                    |
 *           --> findings_threads.c further threads without work                             |
 *           --> report_notes.c     what is well, and what the trace cannot know            -'
 *     samples, where the run took them --> report_samples.c  functions that compute
 *     findings --> report_text.c, report_json.c, report_html.c
 *
 * A family of findings is a function that looks at the facts and adds those findings that cost more than the threshold
 * (report_make.c lists them). Writers know no kinds. Costs are times over all ranks. Each nanosecond of waiting is in
 * one finding; what is said of MPI calls is said without waiting, so that costs may be added up. */
#ifndef REFRAIN_REPORT_H
#define REFRAIN_REPORT_H

#include "analysis/activity.h"
#include "analysis/delays.h"
#include "analysis/file_use.h"
#include "analysis/sample_rows.h"

#include <stdio.h>

#define REFRAIN_REPORT_LEAST 0.02   /* share of the run that a finding costs */
#define REFRAIN_REPORT_FUNCTIONS 8u /* that compute, by samples */
#define REFRAIN_REPORT_SHOWN 8u     /* findings that a person is shown; JSON has all */

/* The names of these are those of JSON; docs/report.md says what each means. */
enum refrain_finding_kind {
    REFRAIN_FINDING_IMBALANCE,
    REFRAIN_FINDING_LATE_SENDER,
    REFRAIN_FINDING_LATE_RECEIVER,
    REFRAIN_FINDING_LATE_ROOT,
    REFRAIN_FINDING_EARLY_REDUCE,
    REFRAIN_FINDING_DELAY_CHAIN,
    REFRAIN_FINDING_SERIAL_PHASE,
    REFRAIN_FINDING_MOVING_LOAD,
    REFRAIN_FINDING_WAITS_BESIDE_THREADS,
    REFRAIN_FINDING_IDLE_THREADS,
    REFRAIN_FINDING_ODD_ITERATION,
    REFRAIN_FINDING_SLOW_CALL,
    REFRAIN_FINDING_SMALL_MESSAGES,
    REFRAIN_FINDING_POLLING,
    REFRAIN_FINDING_SMALL_ACCESSES,
    REFRAIN_FINDING_INPUT_OUTPUT,
    REFRAIN_FINDING_ONE_SIDED,
    REFRAIN_FINDING_TRANSFER,
    REFRAIN_FINDING_MANAGEMENT,
    REFRAIN_FINDING_KINDS
};

struct refrain_finding {
    enum refrain_finding_kind kind;
    double cost_ns;                             /* over all ranks */
    bool at_most;                               /* not all of it can be won */
    char *sentence;                             /* without a full stop; texts are UTF-8 without control characters */
    char *detail;                               /* more sentences, each with its full stop; "" none */
    char *command;                              /* that shows more */
    const struct refrain_region_info *function; /* where it begins; null: not known */
    const struct refrain_region_info *call;     /* the MPI call that it is, or that it leads to; null: none */
    const struct refrain_region_info *waits_in; /* where most of the waiting is; null: it is none */
    int32_t rank;                               /* that it begins on; -1: on several */
    int64_t from_ns, to_ns;                     /* where it is at its worst, for a picture; equal: nowhere */
    const struct refrain_delay_place *place;    /* of waiting; else null */
};

/* Of the POP centre of excellence; from 0 to 1, each the product of those below it. */
struct refrain_efficiency {
    bool known;
    double parallel;      /* the mean of computing on a rank, of the run */
    double balance;       /* the mean of computing, of the longest */
    double serialisation; /* the longest computing, of the run on an ideal network: an estimate, as is ... */
    double transfer;      /* ... that run, of the run */
};

struct refrain_report {
    struct refrain_trace *trace;
    struct refrain_activity *activity;
    struct refrain_delays *delays;
    struct refrain_file_uses files;   /* of MPI-IO; no rows if the trace names no file */
    double *small_access_ns;          /* by region: time in small accesses that a finding has */
    double run_ns;                    /* of all ranks together, in the window of delays */
    double least;                     /* share of it that a finding costs */
    struct refrain_finding *findings; /* those that cost most first */
    size_t n, capacity;
    struct refrain_efficiency efficiency;
    double long_calls_ns;               /* in calls that take longer than networks need for what they move */
    struct refrain_sample_rows samples; /* of all ranks; none: samples.hz is 0 */
    /* The functions with most samples outside of MPI calls, above the threshold, the greatest first. They are those of
     * `samples`. */
    const struct refrain_sample_function *computing[REFRAIN_REPORT_FUNCTIONS];
    size_t n_computing;
    char *critical; /* what most of the critical path is, a sentence; null: there is no path */
    char *remark;   /* what to know before the findings, a sentence; null: nothing */
    bool hung;      /* the remark says that the job hung at its end */
    char **well;    /* sentences: what is not wrong ... */
    size_t n_well, capacity_well;
    char **unknown; /* ... and what the trace cannot know */
    size_t n_unknown, capacity_unknown;
    bool no_memory;
};

struct refrain_report_request {
    double least;  /* share of the run's time that a finding costs, REFRAIN_REPORT_LEAST */
    bool recorded; /* recorded events in place of what was learned */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner); /* as struct refrain_activity_request */
    void *around_data;
};

/* Replays the trace. The caller closes *report; the trace has to stay open as long. A damaged rank ends early: then
 * there is a report and an error. */
enum refrain_status refrain_report_make(struct refrain_trace *trace, const struct refrain_report_request *request,
                                        struct refrain_report *report, struct refrain_error *error);
void refrain_report_close(struct refrain_report *report);

/* "late_sender" */
const char *refrain_finding_name(enum refrain_finding_kind kind);

/* ---- writers ---- */

void refrain_report_print(struct refrain_report *report, FILE *file);
struct json_t *refrain_report_json(const struct refrain_report *report);
enum refrain_status refrain_report_html(struct refrain_report *report, FILE *file, struct refrain_error *error);

/* ---- for findings ---- */

/* A finding of that cost, all else 0 and rank -1; null where it costs less than the threshold, or without memory. */
struct refrain_finding *refrain_report_add(struct refrain_report *report, enum refrain_finding_kind kind,
                                           double cost_ns);

/* Sentences of what is well or unknown. */
void refrain_report_well(struct refrain_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void refrain_report_unknown(struct refrain_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Families. */
void refrain_findings_waits(struct refrain_report *report);
void refrain_findings_files(struct refrain_report *report); /* before the next one, which leaves out its time */
void refrain_findings_calls(struct refrain_report *report);
void refrain_findings_run(struct refrain_report *report);
void refrain_findings_threads(struct refrain_report *report);
void refrain_report_notes(struct refrain_report *report);

/* Reads the samples, where the run took any: which functions compute. A finding about a rank that computes longer gets
 * the function in which it does (report_samples.c). */
void refrain_report_samples(struct refrain_report *report);

/* "burn heat.c:41", "compute in liblammps.so": where a function is, as a person is shown it; malloced. */
char *refrain_report_function(struct refrain_report *report, const struct refrain_sample_function *function);

/* Its part of all samples outside of MPI calls, and the standard deviation of that part; from 0 to 1. */
double refrain_report_function_share(const struct refrain_report *report,
                                     const struct refrain_sample_function *function, double *deviation);

/* What a call takes, and what others wait for ranks that are in it, become one finding (report_merge.c). */
void refrain_report_merge(struct refrain_report *report);

/* "rank 0 until 0.5 s, then rank 1 until 1.0 s, then rank 2", malloced: who computes longest over time, where that is
 * one rank for a while and then another (report_stretches.c). Null: it is not so, or no memory. */
char *refrain_report_moving_load(struct refrain_report *report);

/* Is the run so short that chance decides what is found? Its remark says so. */
bool refrain_report_is_short(const struct refrain_report *report);

/* ---- words (report_words.c) ---- */

/* A text, malloced: UTF-8 without control characters; sets report->no_memory. */
char *refrain_report_text(struct refrain_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "in burn(), heat.c:41", "before MPI_Send halo.c:38"; malloced. */
char *refrain_report_place(struct refrain_report *report, const struct refrain_delay_place *place);

/* "3 more findings cost 7.1 % together", or an empty text; for what is shown to a person. */
const char *refrain_report_rest(const struct refrain_report *report);

/* A share of the run: "12 %", "3.4 %". Likewise. */
const char *refrain_report_percent(double share);

/* A command with the trace's path in it where %s stands. */
char *refrain_report_command(struct refrain_report *report, const char *before, const char *behind);

#endif
