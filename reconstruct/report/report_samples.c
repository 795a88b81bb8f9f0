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
#define POINTS 0.1     /* by which a function's share changes, from which on the report says so */
#define MOST_OF_IT 0.5 /* of what a rank computes longer, from which on one function stands for it */

/* ---- the functions that compute most ---- */

double refrain_report_function_share(const struct refrain_report *report,
                                     const struct refrain_sample_function *function, double *deviation) {
    double all = (double)report->samples.computing, share = all > 0 ? (double)function->computing / all : 0;
    *deviation = all > 0 ? sqrt(share * (1 - share) / all) : 0;
    return share;
}

/* Samples outside of MPI calls in one half of the run: those of this function, or of all if it is negative. */
static double samples_of_half(const struct refrain_report *report, ptrdiff_t function, size_t half) {
    const size_t first = half * REFRAIN_REPORT_PARTS / 2;
    double sum = 0;
    for (size_t i = 0; i < report->samples.n_functions; i++)
        for (size_t part = first; part < first + REFRAIN_REPORT_PARTS / 2; part++)
            if (function < 0 || (size_t)function == i)
                sum += report->computing_parts[i * REFRAIN_REPORT_PARTS + part];
    return sum;
}

char *refrain_report_function_change(struct refrain_report *report, const struct refrain_sample_function *function) {
    double share[2], variance = 0;
    for (size_t half = 0; half < 2; half++) {
        const double all = samples_of_half(report, -1, half);
        share[half] = all > 0 ? samples_of_half(report, function - report->samples.functions, half) / all : 0;
        variance += all > 0 ? share[half] * (1 - share[half]) / all : INFINITY;
    }
    const double change = fabs(share[1] - share[0]);
    if (!(change >= POINTS && change > DEVIATIONS * sqrt(variance)))
        return refrain_report_text(report, "%s", "");
    return refrain_report_text(report, ", from %s in the first half of the run to %s in the second",
                               refrain_report_percent(share[0]), refrain_report_percent(share[1]));
}

char *refrain_report_function(struct refrain_report *report, const struct refrain_sample_function *function) {
    const char *name = *function->name ? refrain_show_name(function->name) : "code that is in no file";
    if (*function->file)
        return refrain_report_text(report, "%s %s:%" PRIu32, name, refrain_show_name(refrain_base_name(function->file)),
                                   function->line);
    /* A function without a symbol already has the object in its name. */
    const char *object = refrain_base_name(function->object);
    if (*object && strncmp(name, object, strlen(object)) != 0)
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

static int compare(const struct refrain_sample_function *a, const struct refrain_sample_function *b) {
    int order = strcmp(a->name, b->name);
    order = order ? order : strcmp(a->file, b->file);
    return order ? order : strcmp(a->object, b->object);
}

static int compare_pointers(const void *a, const void *b) {
    return compare(*(const struct refrain_sample_function *const *)a,
                   *(const struct refrain_sample_function *const *)b);
}

/* All functions of the run, by name, file and object. The caller frees them; null without memory. */
static const struct refrain_sample_function **sort_functions(const struct refrain_sample_rows *rows) {
    const struct refrain_sample_function **sorted = malloc((rows->n_functions + 1) * sizeof *sorted);
    for (size_t i = 0; sorted && i < rows->n_functions; i++)
        sorted[i] = &rows->functions[i];
    if (sorted)
        qsort(sorted, rows->n_functions, sizeof *sorted, compare_pointers);
    return sorted;
}

/* Samples that a rank has in the function, in the mean. */
static double mean_of(const struct refrain_report *report, const struct refrain_sample_function *const *sorted,
                      const struct refrain_sample_function *function) {
    const struct refrain_sample_rows *rows = &report->samples;
    const struct refrain_sample_function *const *found =
        bsearch(&function, sorted, rows->n_functions, sizeof *sorted, compare_pointers);
    return found ? (double)(*found)->computing / (double)rows->n_ranks : 0;
}

/* The function in which the rank has most samples more than the mean; null: the rank computes no longer than others, or
 * in several functions, or chance may explain it. *mean: that of the function. */
static const struct refrain_sample_function *longer_in(const struct refrain_report *report,
                                                       const struct refrain_sample_function *const *sorted,
                                                       const struct refrain_sample_rows *of_rank, double *mean) {
    const struct refrain_sample_function *found = NULL;
    double most = 0, all = (double)of_rank->computing;
    double more = all - (double)report->samples.computing / (double)report->samples.n_ranks;
    for (size_t i = 0; i < of_rank->n_functions; i++) {
        double its_mean = mean_of(report, sorted, &of_rank->functions[i]);
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
                             const struct refrain_sample_function *const *sorted,
                             const struct refrain_sample_rows *of_rank) {
    double mean = 0;
    const struct refrain_sample_function *function = longer_in(report, sorted, of_rank, &mean);
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

/* Says so in all findings from `first` on that are about the rank of `first`, unless an earlier finding is, too. */
static void add_rank(struct refrain_report *report, const struct refrain_sample_function *const *sorted, size_t first,
                     size_t n) {
    struct refrain_sample_rows of_rank = {0};
    struct refrain_error error;
    const int32_t rank = report->findings[first].rank;
    for (size_t i = 0; i < first; i++)
        if (is_about_computing(&report->findings[i]) && report->findings[i].rank == rank)
            return;
    if (refrain_sample_rows_make(report->trace, rank, &of_rank, &error))
        report->no_memory = true;
    for (size_t i = first; i < n && !report->no_memory && of_rank.computing; i++)
        if (is_about_computing(&report->findings[i]) && report->findings[i].rank == rank)
            say_where_longer(report, &report->findings[i], sorted, &of_rank);
    refrain_sample_rows_free(&of_rank);
}

void refrain_report_samples(struct refrain_report *report) {
    const size_t n = report->n < REFRAIN_REPORT_SHOWN ? report->n : REFRAIN_REPORT_SHOWN;
    struct refrain_error error;
    if (refrain_sample_rows_make(report->trace, -1, &report->samples, &error))
        report->no_memory = true;
    report->computing_parts =
        refrain_sample_over_time(&report->samples, true, refrain_trace_end_ns(report->trace), REFRAIN_REPORT_PARTS);
    report->no_memory |= !report->computing_parts;
    for (size_t i = 0; i < report->samples.n_functions; i++)
        if ((double)report->samples.functions[i].computing > report->least * (double)report->samples.computing)
            rank_function(report, &report->samples.functions[i]);
    if (report->samples.n_ranks <= 1)
        return;
    const struct refrain_sample_function **sorted = sort_functions(&report->samples);
    report->no_memory |= !sorted;
    for (size_t i = 0; i < n && !report->no_memory; i++)
        if (is_about_computing(&report->findings[i]))
            add_rank(report, sorted, i, n);
    free(sorted);
}
