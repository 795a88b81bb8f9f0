/* findings_files.c: the files that took most time, and those that are read or written in many small accesses
 * (report.h). */
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

/* "8.1 MiB written in 492 accesses"; "" if there are none. */
static char *flow_text(struct refrain_report *report, const struct refrain_file_use *use,
                       enum refrain_file_direction direction) {
    const struct refrain_file_flow *flow = &use->sum.flow[direction];
    if (!flow->accesses)
        return refrain_report_text(report, "%s", "");
    return refrain_report_text(report, ", %s %s in %s access%s", refrain_show_bytes(flow->bytes),
                               direction == REFRAIN_FILE_WRITTEN ? "written" : "read",
                               refrain_show_count(flow->accesses), flow->accesses == 1 ? "" : "es");
}

static char *use_text(struct refrain_report *report, const struct refrain_file_use *use) {
    char *read = flow_text(report, use, REFRAIN_FILE_READ), *written = flow_text(report, use, REFRAIN_FILE_WRITTEN);
    char *text = refrain_report_text(report, "%s%s%s, %s on %zu rank%s",
                                     use->name[0] ? refrain_show_name(use->name) : "files without a recorded name",
                                     read ? read : "", written ? written : "",
                                     refrain_show_ns((long double)refrain_file_rank_ns(&use->sum)), use->n_ranks,
                                     use->n_ranks == 1 ? "" : "s");
    free(read);
    free(written);
    return text;
}

/* Says what the files were used for that took most time. */
static void list_files(struct refrain_report *report) {
    const struct refrain_file_uses *files = &report->files;
    for (size_t i = 0; i < files->n && i < REFRAIN_REPORT_FILES; i++)
        report->used[report->n_used++] = use_text(report, &files->rows[i]);
    if (files->n > REFRAIN_REPORT_FILES)
        report->used[report->n_used++] =
            refrain_report_text(report, "%zu more, all files together %s", files->n - REFRAIN_REPORT_FILES,
                                refrain_show_ns((long double)refrain_file_rank_ns(&files->all.sum)));
}

void refrain_findings_files(struct refrain_report *report) {
    list_files(report);
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
