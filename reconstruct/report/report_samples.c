/* report_samples.c: which functions compute, as samples say it (report.h).
 *
 * Events know functions of instrumented code alone, and of all others the MPI call that comes next. Samples know every
 * function, but not when it ran. So the report names, of the whole run, the functions that compute most, and for a rank
 * that computes longer than the mean, the function in which it is longer. */
#include "commands/command.h"
#include "common/path.h"
#include "report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEVIATIONS 3.0 /* above the mean, from which on a rank is said to be longer in a function */
#define MOST_OF_IT 0.5 /* of what a rank computes longer, from which on one function stands for it */

/* ---- the functions that compute most ---- */

double refrain_report_function_share(const struct refrain_report *report,
                                     const struct refrain_sample_function *function, double *deviation) {
    double all = (double)report->samples.computing, share = all > 0 ? (double)function->computing / all : 0;
    *deviation = all > 0 ? sqrt(share * (1 - share) / all) : 0;
    return share;
}

char *refrain_report_function(struct refrain_report *report, const struct refrain_sample_function *function) {
    const char *name = *function->name ? refrain_show_name(function->name) : "code that is in no file";
    if (*function->file)
        return refrain_report_text(report, "%s %s:%" PRIu32, name, refrain_show_name(refrain_base_name(function->file)),
                                   function->line);
    if (*function->object)
        return refrain_report_text(report, "%s in %s", name, refrain_show_name(refrain_base_name(function->object)));
    return refrain_report_text(report, "%s", name);
}

/* Puts the function where it belongs among those with most samples; the least of them may drop out. */
static void rank_function(struct refrain_report *report, const struct refrain_sample_function *function) {
    const struct refrain_sample_function **all = report->computing;
    size_t at = report->n_computing;
    while (at > 0 && all[at - 1]->computing < function->computing)
        at--;
    if (at == REFRAIN_REPORT_FUNCTIONS)
        return;
    if (report->n_computing < REFRAIN_REPORT_FUNCTIONS)
        report->n_computing++;
    memmove(&all[at + 1], &all[at], (report->n_computing - at - 1) * sizeof *all);
    all[at] = function;
}

/* ---- a rank that computes longer ---- */

static bool is_same(const struct refrain_sample_function *a, const struct refrain_sample_function *b) {
    return strcmp(a->name, b->name) == 0 && strcmp(a->file, b->file) == 0 && strcmp(a->object, b->object) == 0;
}

/* Samples that a rank has in the function, in the mean. */
static double mean_of(const struct refrain_report *report, const struct refrain_sample_function *function) {
    const struct refrain_sample_rows *rows = &report->samples;
    for (size_t i = 0; i < rows->n_functions; i++)
        if (is_same(&rows->functions[i], function))
            return (double)rows->functions[i].computing / (double)rows->n_ranks;
    return 0;
}

/* The function in which the rank has most samples more than the mean; null: the rank computes no longer than others, or
 * in several functions, or chance may explain it. *mean: that of the function. */
static const struct refrain_sample_function *longer_in(const struct refrain_report *report,
                                                       const struct refrain_sample_rows *of_rank, double *mean) {
    const struct refrain_sample_function *found = NULL;
    double most = 0, all = (double)of_rank->computing;
    double more = all - (double)report->samples.computing / (double)report->samples.n_ranks;
    for (size_t i = 0; i < of_rank->n_functions; i++) {
        double its_mean = mean_of(report, &of_rank->functions[i]);
        if ((double)of_rank->functions[i].computing - its_mean > most) {
            found = &of_rank->functions[i];
            most = (double)found->computing - its_mean;
            *mean = its_mean;
        }
    }
    bool sure = found && most > DEVIATIONS * sqrt((double)found->computing);
    return sure && more > 0 && most >= MOST_OF_IT * more ? found : NULL;
}

static void say_where_longer(struct refrain_report *report, struct refrain_finding *finding,
                             const struct refrain_sample_rows *of_rank) {
    double mean = 0;
    const struct refrain_sample_function *function = longer_in(report, of_rank, &mean);
    if (!function)
        return;
    char *where = refrain_report_function(report, function), *detail = finding->detail;
    finding->detail = refrain_report_text(report,
                                          "%s%sBy samples of the whole run, rank %d computes longer than the mean in "
                                          "%s: %s (+- %s), where the mean is %s.",
                                          detail, *detail ? " " : "", finding->rank, where ? where : "",
                                          refrain_show_ns(refrain_sample_ns(of_rank, function->computing)),
                                          refrain_show_ns(refrain_sample_uncertainty_ns(of_rank, function->computing)),
                                          refrain_show_ns(mean * 1e9 / of_rank->hz));
    free(where);
    free(detail);
}

static bool is_about_computing(const struct refrain_finding *finding) {
    return finding->rank >= 0 && finding->place && finding->place->doing == REFRAIN_DOING_COMPUTING;
}

void refrain_report_samples(struct refrain_report *report) {
    struct refrain_sample_rows of_rank = {0};
    struct refrain_error error;
    if (refrain_sample_rows_make(report->trace, -1, &report->samples, &error))
        report->no_memory = true;
    for (size_t i = 0; i < report->samples.n_functions; i++)
        if ((double)report->samples.functions[i].computing > report->least * (double)report->samples.computing)
            rank_function(report, &report->samples.functions[i]);
    for (size_t i = 0; i < report->n && i < REFRAIN_REPORT_SHOWN && report->samples.n_ranks > 1; i++) {
        struct refrain_finding *finding = &report->findings[i];
        if (report->no_memory || !is_about_computing(finding))
            continue;
        if (refrain_sample_rows_make(report->trace, finding->rank, &of_rank, &error))
            report->no_memory = true;
        else if (of_rank.computing)
            say_where_longer(report, finding, &of_rank);
        refrain_sample_rows_free(&of_rank);
    }
}
