/* top_text.c: what refrain top shows, as lines of text (top_text.h). */
#define _GNU_SOURCE
#include "top_text.h"
#include "command.h"

#include <string.h>

#define MOST_NAMED 12u
#define MOST_WAITS 16u

static void print_call(FILE *file, const struct refrain_live_rank *rank) {
    if (!rank->call)
        return;
    const char *slash = strrchr(rank->call->file, '/');
    fputs(refrain_show_name(rank->call->name), file);
    if (rank->call->file[0]) {
        fputc(' ', file);
        fputs(refrain_show_name(slash ? slash + 1 : rank->call->file), file);
        fprintf(file, ":%u", rank->call->line);
    }
    if (rank->function[0]) {
        fputs(" in ", file);
        fputs(refrain_show_name(rank->function), file);
    }
}

static void print_comm(FILE *file, const struct refrain_comm_info *comm) {
    if (comm->index == 0)
        fputs("MPI_COMM_WORLD", file);
    else if (comm->name && comm->name[0])
        fputs(refrain_show_name(comm->name), file);
    else
        fprintf(file, "communicator %u of %d ranks", comm->index, comm->size);
}

static void print_what(FILE *file, const struct refrain_live_rank *rank) {
    switch (rank->state) {
    case REFRAIN_LIVE_COMPUTES:
        fputs(rank->call ? "computes, after " : "computes", file);
        print_call(file, rank);
        break;
    case REFRAIN_LIVE_CALLS:
        fputs("in ", file);
        print_call(file, rank);
        break;
    case REFRAIN_LIVE_FINISHED:
        fputs("has ended", file);
        break;
    case REFRAIN_LIVE_GONE:
        fputs("is gone without having ended; last ", file);
        print_call(file, rank);
        break;
    case REFRAIN_LIVE_MISSING:
        fputs("has no file", file);
        break;
    }
}

static bool runs(const struct refrain_live_rank *rank) {
    return rank->state == REFRAIN_LIVE_COMPUTES || rank->state == REFRAIN_LIVE_CALLS;
}

/* ---- rates ---- */

static const struct refrain_live_rank *before(const struct refrain_top_view *view, size_t rank) {
    return view->before && rank < view->before->n_ranks ? &view->before->ranks[rank] : NULL;
}

/* Calls a second and the share of MPI since the last look, else since the start. */
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
    fprintf(file, ": %zu rank%s for %s: %zu compute, %zu in MPI", live->n_ranks, live->n_ranks == 1 ? "" : "s",
            refrain_show_ns((long double)run_ns), counts[REFRAIN_LIVE_COMPUTES], counts[REFRAIN_LIVE_CALLS]);
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
        print_what(file, rank);
        fputc('\n', file);
    }
}

/* ---- who waits for whom ---- */

static void print_need(FILE *file, const struct refrain_live *live, const struct refrain_hang_edge *edge) {
    const struct refrain_live_rank *rank = &live->ranks[edge->rank];
    fprintf(file, "  rank %d in ", rank->rank);
    print_call(file, rank);
    if (edge->tag >= 0)
        fprintf(file, " (tag %d)", edge->tag);
    fprintf(file, " waits for rank %d to %s", edge->awaited,
            edge->collective ? "enter it"
            : edge->sends    ? "receive"
                             : "send");
    fprintf(file, ", %s so far\n", refrain_show_ns((long double)rank->since_ns));
}

static const struct refrain_hang_edge *edge_of(const struct refrain_hang *hang, int32_t rank, int32_t awaited) {
    for (size_t i = 0; i < hang->n_edges; i++)
        if (hang->edges[i].rank == rank && hang->edges[i].awaited == awaited)
            return &hang->edges[i];
    return NULL;
}

static void print_deadlock(const struct refrain_top_view *view, FILE *file) {
    const struct refrain_hang *hang = view->hang;
    fprintf(file, "\ndeadlock: %zu rank%s wait%s for what cannot come\n", hang->n_hanging,
            hang->n_hanging == 1 ? "" : "s", hang->n_hanging == 1 ? "s" : "");
    if (hang->n_cycle > 0) {
        fputs("cycle of waiting:", file);
        for (size_t i = 0; i < hang->n_cycle; i++)
            fprintf(file, " %d ->", hang->cycle[i]);
        fprintf(file, " %d\n", hang->cycle[0]);
        for (size_t i = 0; i < hang->n_cycle; i++)
            print_need(file, view->now, edge_of(hang, hang->cycle[i], hang->cycle[(i + 1) % hang->n_cycle]));
    }
}

static bool is_in_cycle(const struct refrain_hang *hang, const struct refrain_hang_edge *edge) {
    for (size_t i = 0; i < hang->n_cycle; i++)
        if (hang->cycle[i] == edge->rank && hang->cycle[(i + 1) % hang->n_cycle] == edge->awaited)
            return true;
    return false;
}

/* Ranks "0, 2, 3 and 5 more". */
static void print_rank(FILE *file, size_t n, int32_t rank) {
    if (n < MOST_NAMED)
        fprintf(file, "%s%d", n ? ", " : " ", rank);
}

static void print_rest(FILE *file, size_t n) {
    if (n > MOST_NAMED)
        fprintf(file, " and %zu more", n - MOST_NAMED);
}

static bool is_same_collective(const struct refrain_live_rank *a, const struct refrain_live_rank *b) {
    return a->state == REFRAIN_LIVE_CALLS && b->state == REFRAIN_LIVE_CALLS && a->in_collective && b->in_collective &&
           a->comm == b->comm && a->ordinal == b->ordinal;
}

/* The collective that the rank is in and others have not entered; once, for the lowest rank in it. */
static void print_collective(const struct refrain_top_view *view, FILE *file, const struct refrain_live_rank *rank) {
    const struct refrain_live *live = view->now;
    size_t n = 0, missing = 0;
    for (int32_t i = 0; i < rank->rank; i++)
        if (is_same_collective(&live->ranks[i], rank))
            return;
    fputs("\n", file);
    print_call(file, rank);
    fprintf(file, ", collective %u on ", rank->ordinal);
    print_comm(file, rank->comm);
    fputs(": entered by rank", file);
    for (size_t i = 0; i < live->n_ranks; i++)
        if (is_same_collective(&live->ranks[i], rank))
            print_rank(file, n++, (int32_t)i);
    print_rest(file, n);
    fprintf(file, "; not entered by\n");
    for (size_t i = 0; i < view->hang->n_edges; i++) {
        const struct refrain_hang_edge *edge = &view->hang->edges[i];
        if (edge->rank != rank->rank || !edge->collective)
            continue;
        const struct refrain_live_rank *late = &live->ranks[edge->awaited];
        if (missing++ >= MOST_NAMED)
            continue;
        fprintf(file, "  rank %d, which ", late->rank);
        fputs(late->state == REFRAIN_LIVE_CALLS ? "is " : "", file);
        print_what(file, late);
        if (runs(late))
            fprintf(file, ", %s so far", refrain_show_ns((long double)late->since_ns));
        fputc('\n', file);
    }
    if (missing > MOST_NAMED)
        fprintf(file, "  %zu more\n", missing - MOST_NAMED);
}

void refrain_top_print_waits(const struct refrain_top_view *view, FILE *file) {
    const struct refrain_hang *hang = view->hang;
    size_t shown = 0;
    if (hang->n_hanging > 0)
        print_deadlock(view, file);
    for (size_t i = 0; i < hang->n_edges; i++) {
        const struct refrain_hang_edge *edge = &hang->edges[i];
        bool first = i == 0 || hang->edges[i - 1].rank != edge->rank || !hang->edges[i - 1].collective;
        if (edge->collective && first)
            print_collective(view, file, &view->now->ranks[edge->rank]);
    }
    for (size_t i = 0; i < hang->n_edges; i++)
        if (!hang->edges[i].collective && !is_in_cycle(hang, &hang->edges[i]) && shown++ < MOST_WAITS) {
            if (shown == 1)
                fputs("\nwaiting:\n", file);
            print_need(file, view->now, &hang->edges[i]);
        }
    if (shown > MOST_WAITS)
        fprintf(file, "  %zu more\n", shown - MOST_WAITS);
}
