/* report_text.c: a report on a terminal (report.h). */
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define INDENT "         "

static void print_wrapped(FILE *file, const char *text) {
    unsigned width = refrain_terminal_columns();
    refrain_print_wrapped(file, text, strlen(text), sizeof INDENT - 1, width > 120 || width < 40 ? 100 : width);
}

static void print_head(const struct refrain_report *report, FILE *file) {
    const struct refrain_process *first = &report->trace->processes[0];
    const struct refrain_delays *delays = report->delays;
    fprintf(file, "%s, %zu rank%s, %s", refrain_show_name(refrain_process_name(first, first->header->executable)),
            delays->n_known, delays->n_known == 1 ? "" : "s",
            refrain_show_ns((long double)(delays->to_ns - delays->from_ns)));
    if (delays->has_init)
        fprintf(file, " from MPI_Init to %s", delays->has_finalize ? "MPI_Finalize" : "the end of the trace");
    fputc('\n', file);
    const struct refrain_efficiency *efficiency = &report->efficiency;
    if (efficiency->known)
        fprintf(file, "parallel efficiency %s = load balance %s x serialisation %s x transfer %s (both estimates)\n",
                refrain_report_percent(efficiency->parallel), refrain_report_percent(efficiency->balance),
                refrain_report_percent(efficiency->serialisation), refrain_report_percent(efficiency->transfer));
    if (report->memory)
        fprintf(file, "%s%s%s\n", report->memory_is_uneven ? refrain_style(REFRAIN_BOLD) : "", report->memory,
                report->memory_is_uneven ? refrain_style(REFRAIN_NORMAL) : "");
    if (report->critical)
        fprintf(file, "%s (refrain stats --by critical-path)\n", report->critical);
}

static void print_remark(const struct refrain_report *report, FILE *file) {
    if (!report->remark)
        return;
    fputs("\n   note  ", file);
    print_wrapped(file, report->remark);
    fputc('\n', file);
}

static void print_finding(const struct refrain_report *report, const struct refrain_finding *finding, FILE *file) {
    char cost[32];
    snprintf(cost, sizeof cost, "%s%s", finding->at_most ? "<=" : "",
             refrain_report_percent(finding->cost_ns / report->run_ns));
    fprintf(file, "\n%s%7s%s  ", refrain_style(REFRAIN_BOLD), cost, refrain_style(REFRAIN_NORMAL));
    print_wrapped(file, finding->sentence);
    if (finding->detail[0]) {
        fputs(".\n" INDENT, file);
        print_wrapped(file, finding->detail);
    }
    fprintf(file, "\n" INDENT "%s%s%s\n", refrain_style(REFRAIN_FAINT), finding->command,
            refrain_style(REFRAIN_NORMAL));
}

static void print_list(FILE *file, const char *title, char *const *texts, size_t n) {
    if (n)
        fprintf(file, "\n%s%s%s\n", refrain_style(REFRAIN_BOLD), title, refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < n; i++) {
        fputs("       - ", file);
        print_wrapped(file, texts[i]);
        fputc('\n', file);
    }
}

static void print_computing(struct refrain_report *report, FILE *file) {
    if (report->n_computing)
        fprintf(file, "\n%sfunctions that compute%s, by %s samples outside of MPI calls (refrain samples)\n",
                refrain_style(REFRAIN_BOLD), refrain_style(REFRAIN_NORMAL),
                refrain_show_count(report->samples.computing));
    for (size_t i = 0; i < report->n_computing; i++) {
        double deviation, share = refrain_report_function_share(report, report->computing[i], &deviation);
        char *where = refrain_report_function(report, report->computing[i]);
        fprintf(file, "%7s  ", refrain_report_percent(share));
        print_wrapped(file, where ? where : "");
        char *change = refrain_report_function_change(report, report->computing[i]);
        fprintf(file, " (+- %s)%s\n", refrain_report_percent(deviation), change ? change : "");
        free(where);
        free(change);
    }
}

void refrain_report_print(struct refrain_report *report, FILE *file) {
    print_head(report, file);
    print_remark(report, file);
    if (report->n == 0 && report->run_ns > 0)
        fprintf(file, "\nnothing that costs %s of the run or more was found\n", refrain_report_percent(report->least));
    for (size_t i = 0; i < report->n && i < REFRAIN_REPORT_SHOWN; i++)
        print_finding(report, &report->findings[i], file);
    if (refrain_report_rest(report)[0])
        fprintf(file, "\n" INDENT "%s\n", refrain_report_rest(report));
    print_computing(report, file);
    print_list(file, "files (refrain stats --by file)", report->used, report->n_used);
    print_list(file, "what is well", report->well, report->n_well);
    print_list(file, "what the trace cannot tell", report->unknown, report->n_unknown);
}
