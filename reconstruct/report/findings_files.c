/* findings_files.c: files that are read or written in many small accesses, by file (report.h). */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>

#define MANY_ACCESSES 100u

/* Small accesses of one file and direction, from several call sites. */
struct small {
    const struct refrain_file_small *const *of; /* the longest time first */
    size_t n;
    uint64_t accesses, bytes;
    int64_t ns;
};

static int by_file(const void *a, const void *b) {
    const struct refrain_file_small *x = *(void *const *)a, *y = *(void *const *)b;
    if (x->use != y->use)
        return x->use < y->use ? -1 : 1;
    if (x->direction != y->direction)
        return x->direction < y->direction ? -1 : 1;
    return x->ns != y->ns ? (x->ns < y->ns ? 1 : -1) : 0;
}

static char *sentence_of(struct refrain_report *report, const struct small *small) {
    const struct refrain_file_small *first = small->of[0];
    const char *name = first->use->name;
    return refrain_report_text(
        report, "%s %s in %s accesses of %s on average, by %s%s%s, which takes %s",
        name[0] ? refrain_show_name(name) : "a file without a recorded name",
        first->direction == REFRAIN_FILE_WRITTEN ? "is written" : "is read", refrain_show_count(small->accesses),
        refrain_show_bytes((small->bytes + small->accesses / 2) / small->accesses), refrain_show_region(first->region),
        small->n > 1 ? " and others" : "", first->use->n_ranks > 1 ? " on several ranks" : "",
        refrain_show_ns((long double)small->ns));
}

static char *detail_of(struct refrain_report *report, const struct small *small) {
    const struct refrain_file_small *first = small->of[0];
    const bool writes = first->direction == REFRAIN_FILE_WRITTEN;
    const struct refrain_file_manner *manner = &first->use->manner[first->direction];
    if (manner->collective)
        return refrain_report_text(report, "%s. How much of it is waiting for other ranks is not known.",
                                   writes ? "Collect more in memory before each write"
                                          : "Read more at once and keep it in memory");
    return refrain_report_text(
        report, "%s, or use the collective call (MPI_File_%s_all), which joins the accesses of all ranks.",
        writes ? "Collect more in memory before each write" : "Read more at once and keep it in memory",
        writes ? "write" : "read");
}

static void add(struct refrain_report *report, const struct small *small) {
    const struct refrain_file_small *first = small->of[0];
    struct refrain_finding *finding =
        small->accesses >= MANY_ACCESSES ? refrain_report_add(report, REFRAIN_FINDING_SMALL_ACCESSES, (double)small->ns)
                                         : NULL;
    if (!finding)
        return;
    finding->at_most = true;
    finding->call = first->region;
    finding->rank = first->use->n_ranks == 1 ? first->use->ranks[0].rank : -1;
    finding->sentence = sentence_of(report, small);
    finding->detail = detail_of(report, small);
    finding->command = refrain_report_command(report, "refrain stats --by file --ranks ", "");
    for (size_t i = 0; i < small->n; i++)
        if (small->of[i]->region->index < report->activity->n_regions)
            report->small_access_ns[small->of[i]->region->index] += (double)small->of[i]->ns;
}

void refrain_findings_files(struct refrain_report *report) {
    struct refrain_file_small **all = report->files.small;
    const size_t n = report->files.n_small;
    report->small_access_ns = calloc(report->activity->n_regions + 1, sizeof *report->small_access_ns);
    if (!report->small_access_ns) {
        report->no_memory = true;
        return;
    }
    if (n)
        qsort(all, n, sizeof *all, by_file);
    for (size_t i = 0, end; i < n; i = end) {
        struct small small = {.of = (const struct refrain_file_small *const *)all + i};
        for (end = i; end < n && all[end]->use == all[i]->use && all[end]->direction == all[i]->direction; end++) {
            small.accesses += all[end]->accesses;
            small.bytes += all[end]->bytes;
            small.ns += all[end]->ns;
        }
        small.n = end - i;
        add(report, &small);
    }
}
