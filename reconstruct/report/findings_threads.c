/* findings_threads.c: findings about further threads of ranks that have nothing to do (report.h). If a rank waits while
 * its threads compute, findings_waits.c says so. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "report/report.h"

#include <stdlib.h>

struct idle {
    double cost_ns; /* an idle thread of a rank with three further ones costs a quarter of the rank */
    double idle_ns, works_ns;
    size_t n_threads, n_ranks;
    int32_t rank; /* the rank with most of it */
    double rank_cost_ns;
};

static void add_rank(struct idle *idle, int32_t number, const struct refrain_team_rank *rank) {
    double cost_ns = (double)rank->idle_ns / (double)(rank->n_threads + 1);
    if (rank->n_threads == 0)
        return;
    idle->cost_ns += cost_ns;
    idle->idle_ns += (double)rank->idle_ns;
    idle->works_ns += (double)rank->works_ns;
    idle->n_threads += rank->n_threads;
    idle->n_ranks++;
    if (cost_ns > idle->rank_cost_ns) {
        idle->rank_cost_ns = cost_ns;
        idle->rank = number;
    }
}

/* "most while the first thread is in solve(), solve.c:40" */
static char *beside(struct refrain_report *report, const struct refrain_team_rank *rank) {
    if (!rank->idle_beside)
        return refrain_report_text(report, "most while the first thread is in no function that is known");
    return refrain_report_text(report, "most while the first thread is in %s", refrain_show_region(rank->idle_beside));
}

static void describe(struct refrain_report *report, struct refrain_finding *finding, const struct idle *idle,
                     const struct refrain_team_rank *most) {
    bool is_one = idle->rank_cost_ns > 0.9 * idle->cost_ns;
    const struct refrain_region_info *in = most->idle_beside;
    char *where = beside(report, most);
    finding->at_most = true;
    finding->rank = is_one ? idle->rank : -1;
    finding->function = in && in->kind != REFRAIN_REGION_MPI ? in : NULL;
    finding->call = in && in->kind == REFRAIN_REGION_MPI ? in : NULL;
    finding->sentence = refrain_report_text(
        report, "%zu further thread%s of %zu rank%s %s idle for %s of the time, %s; on rank %d, %s", idle->n_threads,
        idle->n_threads == 1 ? "" : "s", idle->n_ranks, idle->n_ranks == 1 ? "" : "s",
        idle->n_threads == 1 ? "is" : "are", refrain_report_percent(idle->idle_ns / (idle->idle_ns + idle->works_ns)),
        refrain_show_ns((long double)idle->idle_ns), idle->rank, where ? where : "");
    finding->detail =
        refrain_report_text(report, "A thread is idle while it is in no function of the program. The cost "
                                    "is a part of the rank: one of four threads is a quarter.");
    finding->command = refrain_report_command(report, "refrain view ", " -o threads.html");
    free(where);
}

void refrain_findings_threads(struct refrain_report *report) {
    const struct refrain_delays *delays = report->delays;
    struct idle idle = {.rank = -1};
    for (size_t i = 0; delays->team && i < delays->n_ranks; i++)
        if (delays->ranks[i].known)
            add_rank(&idle, (int32_t)i, refrain_team_load_rank(delays->team, (int32_t)i));
    struct refrain_finding *finding =
        idle.rank >= 0 ? refrain_report_add(report, REFRAIN_FINDING_IDLE_THREADS, idle.cost_ns) : NULL;
    if (finding)
        describe(report, finding, &idle, refrain_team_load_rank(delays->team, idle.rank));
}
