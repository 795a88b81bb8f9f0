/* report_merge.c: merges two findings about one call: about its time, and about ranks that wait for it (report.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_about_call(const struct refrain_finding *finding) {
    return finding->kind > REFRAIN_FINDING_SLOW_CALL;
}

/* The finding about the time of the call; null: none. */
static struct refrain_finding *find(struct refrain_report *report, const struct refrain_region_info *call) {
    for (size_t i = 0; i < report->n; i++)
        if (is_about_call(&report->findings[i]) && report->findings[i].call == call)
            return &report->findings[i];
    return NULL;
}

static void free_texts(struct refrain_finding *finding) {
    free(finding->sentence);
    free(finding->detail);
    free(finding->command);
}

/* The sentence, with "this call" instead of the name of the call; malloced. Null without memory. */
static char *without_name(const char *sentence, const struct refrain_region_info *call) {
    const char *name = refrain_show_region(call);
    size_t n = strlen(name), bytes = 0;
    char *text = NULL;
    FILE *file = n ? open_memstream(&text, &bytes) : NULL;
    if (!file)
        return NULL;
    for (const char *at = sentence, *found; *at; at = found) {
        if (strncmp(at, name, n) == 0 && (at[n] == '\0' || strchr(" ,;", at[n]))) {
            fputs("this call", file);
            found = at + n;
        } else {
            fputc(*at, file);
            found = at + 1;
        }
    }
    return fclose(file) == 0 ? text : NULL;
}

/* Merges both into *to, with the texts of the one that costs more. The interval for a picture is that of the waiting.
 */
static void merge(struct refrain_report *report, struct refrain_finding *to, struct refrain_finding *waiting) {
    struct refrain_finding taken = *to;
    const struct refrain_finding *main = taken.cost_ns >= waiting->cost_ns ? &taken : waiting;
    const struct refrain_finding *other = main == &taken ? waiting : &taken;
    *to = *main;
    to->cost_ns = taken.cost_ns + waiting->cost_ns;
    to->at_most = true;
    to->waits_in = waiting->waits_in;
    to->from_ns = waiting->from_ns;
    to->to_ns = waiting->to_ns;
    to->sentence = refrain_report_text(report, "%s", main->sentence);
    /* A finding about small messages is not about a single call. */
    bool names_one = taken.kind != REFRAIN_FINDING_SMALL_MESSAGES;
    char *besides = names_one ? without_name(other->sentence, taken.call) : NULL;
    to->detail = refrain_report_text(report, "%s Besides, %s.", main->detail, besides ? besides : other->sentence);
    free(besides);
    to->command = refrain_report_text(report, "%s", main->command);
    free_texts(&taken);
    free_texts(waiting);
}

void refrain_report_merge(struct refrain_report *report) {
    size_t kept = 0;
    if (report->no_memory)
        return;
    for (size_t i = 0; i < report->n; i++) {
        struct refrain_finding *finding = &report->findings[i], *to = NULL;
        if (finding->kind == REFRAIN_FINDING_SLOW_CALL)
            to = find(report, finding->call);
        if (to)
            merge(report, to, finding);
        else
            report->findings[kept++] = *finding;
    }
    report->n = kept;
}
