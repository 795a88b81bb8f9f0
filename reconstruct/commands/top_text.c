/* top_text.c: formats the lines of refrain top (top_text.h). */
#define _GNU_SOURCE
#include "commands/top_text.h"
#include "commands/command.h"
#include "commands/waits_text.h"

#include <string.h>

static bool runs(const struct refrain_live_rank *rank) {
    return rank->state == REFRAIN_LIVE_COMPUTES || rank->state == REFRAIN_LIVE_CALLS;
}

/* ---- rates ---- */

static const struct refrain_live_rank *before(const struct refrain_top_view *view, size_t rank) {
    return view->before && rank < view->before->n_ranks ? &view->before->ranks[rank] : NULL;
}

/* Calls per second and the share of MPI, since the last look or else since the start. */
static void rates(const struct refrain_top_view *view, size_t number, double *calls_per_s, double *mpi_share) {
    const struct refrain_live_rank *rank = &view->now->ranks[number], *earlier = before(view, number);
    double ns = (double)rank->run_ns, calls = (double)rank->calls, mpi_ns = (double)rank->mpi_ns;
    if (earlier && earlier->pid == rank->pid && runs(rank)) {
        ns = (double)(view->now->taken_ns - view->before->taken_ns);
        calls -= (double)earlier->calls;
        mpi_ns -= (double)earlier->mpi_ns;
    }
    *calls_per_s = ns > 0 ? calls * 1e9 / ns : 0;
    *mpi_share = ns > 0 ? 100 * mpi_ns / ns : 0;
    *mpi_share = *mpi_share < 0 ? 0 : *mpi_share > 100 ? 100 : *mpi_share;
}

/* ---- lines ---- */

void refrain_top_print_summary(const struct refrain_top_view *view, FILE *file) {
    const struct refrain_live *live = view->now;
    size_t counts[REFRAIN_LIVE_MISSING + 1] = {0};
    double calls = 0, share = 0;
    int64_t run_ns = 0;
    for (size_t i = 0; i < live->n_ranks; i++) {
        double of_calls, of_share;
        rates(view, i, &of_calls, &of_share);
        counts[live->ranks[i].state]++;
        calls += of_calls;
        share += of_share / (double)live->n_ranks;
        run_ns = live->ranks[i].run_ns > run_ns ? live->ranks[i].run_ns : run_ns;
    }
    fputs(refrain_show_name(live->trace->path), file);
    fprintf(file, ": %zu rank%s for %s%s: %zu compute, %zu in MPI", live->n_ranks, live->n_ranks == 1 ? "" : "s",
            refrain_show_ns((long double)run_ns), live->is_over ? ", gone without having ended; at the end" : "",
            counts[REFRAIN_LIVE_COMPUTES], counts[REFRAIN_LIVE_CALLS]);
    if (counts[REFRAIN_LIVE_ABORTED])
        fprintf(file, ", %zu called MPI_Abort", counts[REFRAIN_LIVE_ABORTED]);
    if (counts[REFRAIN_LIVE_FINISHED])
        fprintf(file, ", %zu ended", counts[REFRAIN_LIVE_FINISHED]);
    if (counts[REFRAIN_LIVE_GONE])
        fprintf(file, ", %zu gone", counts[REFRAIN_LIVE_GONE]);
    if (counts[REFRAIN_LIVE_MISSING])
        fprintf(file, ", %zu without a file", counts[REFRAIN_LIVE_MISSING]);
    fprintf(file, "\n%s: %s MPI calls a second, %.1f %% of the time in MPI; memory %s of %s\n",
            view->before ? "now" : "since the start", refrain_show_count((uint64_t)calls), share,
            refrain_show_bytes(live->pool_used), refrain_show_bytes(live->pool_bytes));
}

void refrain_top_print_ranks(const struct refrain_top_view *view, FILE *file) {
    const struct refrain_live *live = view->now;
    fprintf(file, "%5s %8s %11s %10s %8s  %s\n", "rank", "pid", "since", "calls/s", "in MPI", "where");
    for (size_t i = view->first; i < live->n_ranks && i - view->first < view->most; i++) {
        const struct refrain_live_rank *rank = &live->ranks[i];
        double calls, share;
        rates(view, i, &calls, &share);
        fprintf(file, "%5d %8u %11s %10s %6.1f %%  ", rank->rank, rank->pid,
                runs(rank) ? refrain_show_ns((long double)rank->since_ns) : "-", refrain_show_count((uint64_t)calls),
                share);
        refrain_waits_print_rank(file, rank);
        fputc('\n', file);
    }
}
