/* findings_run.c: findings about repetition: what repeats in the run, and the iteration that is unlike the others
 * (report.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>

#define FAR_LONGER 2.0 /* times the median */
#define ALONE 0.5      /* of the longest iteration's excess: the second longest has at most this much */
#define EXPLAINS 0.1   /* of the excess: a place is named if it has at least this much */
#define ONCE 0.6       /* of a place's cost that is at its worst moment: such a finding is about this iteration */

/* True if one place explains the excess. Otherwise no place is named. */
static bool has_place(const struct refrain_beat *beat) {
    double more_ns = (double)(beat->longest_to_ns - beat->longest_from_ns) - beat->median_ns;
    return beat->place && (double)beat->more_ns >= EXPLAINS * more_ns;
}

static bool has_odd_one(const struct refrain_beat *beat) {
    double longest = (double)(beat->longest_to_ns - beat->longest_from_ns);
    return longest >= FAR_LONGER * beat->median_ns &&
           (double)beat->second_ns - beat->median_ns <= ALONE * (longest - beat->median_ns);
}

/* The finding about waiting that is mostly in this iteration; null: none. */
static struct refrain_finding *find_waiting(struct refrain_report *report, const struct refrain_beat *beat) {
    for (size_t i = 0; i < report->n; i++) {
        const struct refrain_delay_place *place = report->findings[i].place;
        if (place && place->worst.end_ns > beat->longest_from_ns && place->worst.end_ns <= beat->longest_to_ns &&
            (double)place->worst.ns >= ONCE * (double)place->total_caused_ns)
            return &report->findings[i];
    }
    return NULL;
}

/* "rank 2 is", "all ranks are", "7 ranks are" */
static char *who(struct refrain_report *report, const struct refrain_beat *beat) {
    if (beat->n_late <= 1)
        return refrain_report_text(report, "rank %d is", beat->late_rank);
    if (beat->n_late == report->delays->n_known)
        return refrain_report_text(report, "all ranks are");
    return refrain_report_text(report, "%zu ranks are", beat->n_late);
}

/* "; in it rank 2 is longer by 30 ms in burn(), heat.c:41" */
static char *what_was_longer(struct refrain_report *report, const struct refrain_beat *beat) {
    if (!has_place(beat))
        return refrain_report_text(report, "; no single place takes much longer in it");
    char *where = refrain_report_place(report, beat->place), *ranks = who(report, beat);
    char *text = refrain_report_text(report, "; in it %s longer by %s %s", ranks ? ranks : "",
                                     refrain_show_ns((long double)beat->more_ns), where ? where : "");
    free(where);
    free(ranks);
    return text;
}

static void describe(struct refrain_report *report, struct refrain_finding *finding, const struct refrain_beat *beat,
                     const char *before) {
    int64_t longest_ns = beat->longest_to_ns - beat->longest_from_ns;
    char *longer = what_was_longer(report, beat), window[96];
    finding->rank = has_place(beat) && beat->n_late <= 1 ? beat->late_rank : -1;
    finding->function = has_place(beat) ? beat->place->function : NULL;
    finding->call = has_place(beat) ? beat->place->call : NULL;
    finding->from_ns = beat->longest_from_ns - (int64_t)beat->median_ns;
    finding->to_ns = beat->longest_to_ns + (int64_t)beat->median_ns;
    finding->sentence = refrain_report_text(report, "iteration %s of %s takes %s, where others take %s%s",
                                            refrain_show_count(beat->longest), refrain_show_count(beat->count),
                                            refrain_show_ns((long double)longest_ns),
                                            refrain_show_ns((long double)beat->median_ns), longer ? longer : "");
    finding->detail = refrain_report_text(
        report, "%s%s%sIterations are counted by the calls of %s on rank %d; this one begins at %s.",
        before[0] ? "Besides, " : "", before, before[0] ? ". " : "", refrain_show_region(beat->region), beat->rank,
        refrain_show_ns((long double)beat->longest_from_ns));
    snprintf(window, sizeof window, " --from %.6f --to %.6f -o odd.svg",
             (double)(finding->from_ns > 0 ? finding->from_ns : 0) / 1e9, (double)finding->to_ns / 1e9);
    finding->command = refrain_report_command(report, "refrain view ", window);
    free(longer);
}

/* The waiting in this iteration is part of its cost, so one finding states both. */
static void add_odd_iteration(struct refrain_report *report, const struct refrain_beat *beat) {
    double more_ns = (double)(beat->longest_to_ns - beat->longest_from_ns) - beat->median_ns;
    struct refrain_finding *waiting = find_waiting(report, beat);
    double cost_ns = more_ns * (double)report->delays->n_known;
    struct refrain_finding taken = {.sentence = NULL};
    if (cost_ns < report->least * report->run_ns)
        return;
    if (waiting) {
        taken = *waiting;
        *waiting = report->findings[--report->n];
    }
    struct refrain_finding *finding = refrain_report_add(report, REFRAIN_FINDING_ODD_ITERATION, cost_ns);
    if (finding) {
        finding->waits_in = taken.waits_in;
        describe(report, finding, beat, taken.sentence ? taken.sentence : "");
    }
    free(taken.sentence);
    free(taken.detail);
    free(taken.command);
}

void refrain_findings_run(struct refrain_report *report) {
    const struct refrain_beat *beat = report->delays->beat;
    if (beat && has_odd_one(beat))
        add_odd_iteration(report, beat);
}
