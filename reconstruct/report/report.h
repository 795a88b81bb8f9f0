/* report.h: finds out what a run lost, and states it in sentences with their costs (events -> facts -> findings ->
 * text, JSON, page).
 *
 *     one walk of the trace --> analysis/activity.h  calls, messages, times by call site  -.
 *                           |-> analysis/delays.h    causes of waits, what ranks do        |-> facts
 *                           '-> analysis/file_use.h  accesses to files                    -'
 *     facts --> findings_waits.c   what ranks wait for: delays, by place and rank         -.
 *           --> findings_files.c   small accesses to files                                  |
 *           --> findings_calls.c   what MPI calls take that is not waiting                  |-> findings, by cost
 *           --> findings_run.c     the iteration that is unlike the others                    |
 *           --> findings_threads.c further threads without work                             |
 *           --> report_notes.c     good properties, and limits of the trace                -'
 *     samples, if the run took any --> report_samples.c  functions that compute
 *     findings --> report_text.c, report_json.c, report_html.c
 *
 * A family of findings is a function that reads the facts and adds the findings that cost more than the threshold
 * (report_make.c calls all families). The writers treat all kinds alike. A cost is time, added up over all ranks. Each
 * nanosecond of waiting belongs to one finding, and findings about MPI calls leave waiting out. So costs may be added
 * up. */
#ifndef REFRAIN_REPORT_H
#define REFRAIN_REPORT_H

#include "analysis/activity.h"
#include "analysis/delays.h"
#include "analysis/file_use.h"
#include "analysis/sample_rows.h"

#include <stdio.h>

#define REFRAIN_REPORT_LEAST 0.02   /* least cost of a finding, as a share of the run */
#define REFRAIN_REPORT_FILES 6u     /* files that are listed */
#define REFRAIN_REPORT_PARTS 10u    /* of the run, for the samples of functions */
#define REFRAIN_REPORT_FUNCTIONS 8u /* functions that are listed as computing, from samples */
#define REFRAIN_REPORT_SHOWN 8u     /* findings in the text and on the page; JSON has all */

/* JSON has these names. docs/report.md explains them. */
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
    bool at_most;                               /* only a part of the cost can be saved */
    char *sentence;                             /* without a full stop; texts are UTF-8 without control characters */
    char *detail;                               /* more sentences, each with its full stop; "": none */
    char *command;                              /* a command that shows more */
    const struct refrain_region_info *function; /* where the delay begins; null: unknown */
    const struct refrain_region_info *call; /* the MPI call of the finding, or the one after its delay; null: none */
    const struct refrain_region_info *waits_in; /* the call with most of the waiting; null: no waiting */
    int32_t rank;                               /* the rank on which the delay begins; -1: several */
    int64_t from_ns, to_ns;                  /* where the finding is at its worst, for a picture; equal: no picture */
    const struct refrain_delay_place *place; /* of a finding about waiting; else null */
};

/* The efficiencies of the POP centre of excellence, from 0 to 1. Each is the product of those below it. */
struct refrain_efficiency {
    bool known;
    double parallel;      /* mean computing time of a rank / run time */
    double balance;       /* mean computing time / longest computing time */
    double serialisation; /* longest computing time / run time on an ideal network, which is estimated */
    double transfer;      /* run time on an ideal network / run time */
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
    double long_calls_ns;               /* time in calls that take longer than a network needs for their data */
    struct refrain_sample_rows samples; /* samples of all ranks; samples.hz is 0 if there are none */
    /* The functions with most samples outside of MPI calls, above the threshold, the largest first. They are part of
     * `samples`. */
    const struct refrain_sample_function *computing[REFRAIN_REPORT_FUNCTIONS];
    size_t n_computing;
    double *computing_parts; /* refrain_sample_over_time() of `samples` in REFRAIN_REPORT_PARTS; null: no samples */
    char *
        used[REFRAIN_REPORT_FILES + 1]; /* sentences about the files that took most time, and how many more there are */
    size_t n_used;
    char *critical;        /* a sentence about the largest part of the critical path; null: there is no path */
    char *memory;          /* a sentence about the memory of the ranks; null: the trace does not know it */
    bool memory_is_uneven; /* one rank needs far more than the others */
    char *remark;          /* a sentence to read before the findings; null: none */
    bool hung;             /* the remark says that the job hung at its end */
    char **well;           /* sentences about good properties of the run ... */
    size_t n_well, capacity_well;
    char **unknown; /* ... and about facts that the trace does not have */
    size_t n_unknown, capacity_unknown;
    bool no_memory;
};

struct refrain_report_request {
    double least;  /* least cost of a finding, as a share of the run's time (REFRAIN_REPORT_LEAST) */
    bool recorded; /* recorded events instead of learned ones */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner); /* as struct refrain_activity_request */
    void *around_data;
};

/* Replays the trace. The caller closes *report, before the trace. If a rank is damaged, its events end there, and there
 * is both a report and an error. */
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

/* Adds a finding with this cost, rank -1, and 0 in all other members. Null if it costs less than the threshold, or
 * without memory. */
struct refrain_finding *refrain_report_add(struct refrain_report *report, enum refrain_finding_kind kind,
                                           double cost_ns);

/* Adds a sentence to `well`; to `unknown`. */
void refrain_report_well(struct refrain_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));
void refrain_report_unknown(struct refrain_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The families of findings. */
void refrain_findings_waits(struct refrain_report *report);
void refrain_findings_files(struct refrain_report *report); /* before the next one, which leaves out its time */
void refrain_findings_calls(struct refrain_report *report);
void refrain_findings_run(struct refrain_report *report);
void refrain_findings_threads(struct refrain_report *report);
void refrain_report_notes(struct refrain_report *report);

/* If the run took samples, finds out which functions compute. Adds to a finding about a rank that computes longer the
 * function in which it does (report_samples.c). */
void refrain_report_samples(struct refrain_report *report);

/* The place of a function as text: "burn heat.c:41", "compute in liblammps.so"; malloced. */
char *refrain_report_function(struct refrain_report *report, const struct refrain_sample_function *function);

/* ", from 20 % in the first half of the run to 60 % in the second", if its share changed by at least 10 points and
 * three standard deviations; else empty. Malloced. */
char *refrain_report_function_change(struct refrain_report *report, const struct refrain_sample_function *function);

/* The function's share of all samples outside of MPI calls, and the standard deviation of that share; from 0 to 1. */
double refrain_report_function_share(const struct refrain_report *report,
                                     const struct refrain_sample_function *function, double *deviation);

/* Merges findings about one call: about its time, and about ranks that wait for it (report_merge.c). */
void refrain_report_merge(struct refrain_report *report);

/* If different ranks compute longest in different parts of the run, returns "rank 0 until 0.5 s, then rank 1 until 1.0
 * s, then rank 2"; malloced (report_stretches.c). Null if not, or without memory. */
char *refrain_report_moving_load(struct refrain_report *report);

/* True if the run is so short that the findings may be chance. Then the remark says so. */
bool refrain_report_is_short(const struct refrain_report *report);

/* ---- texts (report_words.c) ---- */

/* A formatted text in UTF-8 without control characters, malloced. Null without memory, and report->no_memory is set. */
char *refrain_report_text(struct refrain_report *report, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "in burn(), heat.c:41", "before MPI_Send halo.c:38"; malloced. */
char *refrain_report_place(struct refrain_report *report, const struct refrain_delay_place *place);

/* "3 more that cost 7.1 % together", for findings that are not shown. "" if all are shown. Valid until the next call.
 */
const char *refrain_report_rest(const struct refrain_report *report);

/* A share of the run: "12 %", "3.4 %". Valid until the eighth call after this one. */
const char *refrain_report_percent(double share);

/* A command: `before`, the path of the trace as a shell takes it, `behind`; malloced. */
char *refrain_report_command(struct refrain_report *report, const char *before, const char *behind);

#endif
