/* report_make.c: facts, and the findings that follow from them (report.h). */
#include "common/array.h"
#include "common/error.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static void (*const families[])(struct refrain_report *report) = {refrain_findings_waits, refrain_findings_files,
                                                                  refrain_findings_calls, refrain_findings_run,
                                                                  refrain_findings_threads};

const char *refrain_finding_name(enum refrain_finding_kind kind) {
    static const char *const names[REFRAIN_FINDING_KINDS] = {
        [REFRAIN_FINDING_IMBALANCE] = "imbalance",
        [REFRAIN_FINDING_LATE_SENDER] = "late_sender",
        [REFRAIN_FINDING_LATE_RECEIVER] = "late_receiver",
        [REFRAIN_FINDING_LATE_ROOT] = "late_root",
        [REFRAIN_FINDING_EARLY_REDUCE] = "early_reduce",
        [REFRAIN_FINDING_DELAY_CHAIN] = "delay_chain",
        [REFRAIN_FINDING_SERIAL_PHASE] = "serial_phase",
        [REFRAIN_FINDING_MOVING_LOAD] = "moving_load",
        [REFRAIN_FINDING_WAITS_BESIDE_THREADS] = "waits_beside_threads",
        [REFRAIN_FINDING_IDLE_THREADS] = "idle_threads",
        [REFRAIN_FINDING_ODD_ITERATION] = "odd_iteration",
        [REFRAIN_FINDING_SLOW_CALL] = "slow_call",
        [REFRAIN_FINDING_SMALL_MESSAGES] = "small_messages",
        [REFRAIN_FINDING_POLLING] = "polling",
        [REFRAIN_FINDING_SMALL_ACCESSES] = "small_accesses",
        [REFRAIN_FINDING_INPUT_OUTPUT] = "input_output",
        [REFRAIN_FINDING_ONE_SIDED] = "one_sided",
        [REFRAIN_FINDING_TRANSFER] = "transfer",
        [REFRAIN_FINDING_MANAGEMENT] = "management",
    };
    return kind < REFRAIN_FINDING_KINDS ? names[kind] : "unknown";
}

struct refrain_finding *refrain_report_add(struct refrain_report *report, enum refrain_finding_kind kind,
                                           double cost_ns) {
    if (report->run_ns <= 0 || cost_ns < report->least * report->run_ns)
        return NULL;
    if (!REFRAIN_ARRAY_ROOM(report->findings, report->n, report->capacity)) {
        report->no_memory = true;
        return NULL;
    }
    struct refrain_finding *finding = &report->findings[report->n++];
    *finding = (struct refrain_finding){.kind = kind, .cost_ns = cost_ns, .rank = -1};
    return finding;
}

static int by_cost(const void *a, const void *b) {
    const struct refrain_finding *x = a, *y = b;
    if (x->cost_ns != y->cost_ns)
        return x->cost_ns < y->cost_ns ? 1 : -1;
    return x->kind != y->kind ? (x->kind < y->kind ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

static double part(double of, double whole) {
    double value = whole > 0 ? of / whole : 1;
    return value > 1 ? 1 : value;
}

static void set_efficiency(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    struct refrain_efficiency *efficiency = &report->efficiency;
    double sum = 0, longest = 0, run = (double)(delays->to_ns - delays->from_ns);
    for (size_t i = 0; i < delays->n_ranks; i++) {
        double computing = (double)delays->ranks[i].doing_ns[REFRAIN_DOING_COMPUTING];
        sum += computing;
        longest = computing > longest ? computing : longest;
    }
    double ideal = (double)(delays->ideal_end_ns - delays->from_ns);
    ideal = ideal > run ? run : ideal < longest ? longest : ideal;
    efficiency->known = delays->n_known > 1 && run > 0 && longest > 0;
    if (!efficiency->known)
        return;
    efficiency->balance = part(sum / (double)delays->n_known, longest);
    efficiency->serialisation = part(longest, ideal);
    efficiency->transfer = part(ideal, run);
    efficiency->parallel = efficiency->balance * efficiency->serialisation * efficiency->transfer;
}

static void find(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    report->run_ns = (double)(delays->to_ns - delays->from_ns) * (double)delays->n_known;
    if (report->run_ns < 0)
        report->run_ns = 0;
    set_efficiency(report);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        families[i](report);
    refrain_report_merge(report);
    qsort(report->findings, report->n, sizeof *report->findings, by_cost);
    refrain_report_samples(report);
    refrain_report_notes(report);
}

/* What gets each event of the walk. */
struct watchers {
    struct refrain_delays *delays;
    struct refrain_file_collector *files;
};

static bool watch(void *data, const struct refrain_event *event) {
    const struct watchers *watchers = data;
    return refrain_delays_watch(watchers->delays, event) && refrain_file_collector_event(watchers->files, event);
}

enum refrain_status refrain_report_make(struct refrain_trace *trace, const struct refrain_report_request *request,
                                        struct refrain_report *report, struct refrain_error *error) {
    *report = (struct refrain_report){.trace = trace, .least = request->least, .delays = refrain_delays_open(trace)};
    const struct refrain_file_request of_files = {.rank = -1, .from_ns = INT64_MIN, .to_ns = INT64_MAX};
    struct watchers watchers = {.delays = report->delays};
    const bool has_files = refrain_file_is_used(trace);
    if (has_files && report->delays)
        watchers.files = refrain_file_collector_open(trace, &of_files);
    if (!report->delays || (has_files && !watchers.files))
        return REFRAIN_FAIL_MEMORY(error);
    struct refrain_activity_request of_activity = {.rank = -1,
                                                   .from_ns = INT64_MIN,
                                                   .to_ns = INT64_MAX,
                                                   .recorded = request->recorded,
                                                   .around = request->around,
                                                   .around_data = request->around_data,
                                                   .watch = has_files ? watch : refrain_delays_watch,
                                                   .watch_data = has_files ? (void *)&watchers : report->delays};
    enum refrain_status status = refrain_activity_open(trace, &of_activity, &report->activity, error);
    const bool has_rows = !has_files || refrain_file_collector_end(watchers.files, &report->files);
    if (!report->activity)
        return status ? status : REFRAIN_FAIL_MEMORY(error);
    if (!has_rows || !refrain_delays_finish(report->delays))
        return REFRAIN_FAIL_MEMORY(error);
    find(report);
    if (report->no_memory)
        return REFRAIN_FAIL_MEMORY(error);
    return status;
}

static void free_texts(char **texts, size_t n) {
    for (size_t i = 0; i < n; i++)
        free(texts[i]);
    free(texts);
}

void refrain_report_close(struct refrain_report *report) {
    for (size_t i = 0; i < report->n; i++) {
        free(report->findings[i].sentence);
        free(report->findings[i].detail);
        free(report->findings[i].command);
    }
    free(report->findings);
    free(report->small_access_ns);
    refrain_file_uses_close(&report->files);
    free(report->critical);
    free(report->memory);
    free(report->remark);
    refrain_sample_rows_free(&report->samples);
    free(report->computing_parts);
    for (size_t i = 0; i < report->n_used; i++)
        free(report->used[i]);
    free_texts(report->well, report->n_well);
    free_texts(report->unknown, report->n_unknown);
    refrain_activity_close(report->activity);
    refrain_delays_close(report->delays);
}
