/* critical_text.c: prints the critical path, and the number of ranks that compute at a time (critical_text.h). */
#define _GNU_SOURCE
#include "commands/critical_text.h"
#include "commands/command.h"
#include "commands/stats_print.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static const char *const doings[REFRAIN_DOINGS] = {"computing", "waiting", "transmission", "management", "paused"};

static double percent(int64_t ns, int64_t of_ns) {
    return of_ns > 0 ? 100 * (double)ns / (double)of_ns : 0;
}

/* ---- names ---- */

/* The region that names the row. Null: the rank computes outside of functions, and no MPI call follows. */
static const struct refrain_region_info *region_of(const struct refrain_critical_row *row) {
    return row->place->function ? row->place->function : row->place->call;
}

static bool is_before_call(const struct refrain_critical_row *row) {
    return row->place->doing == REFRAIN_DOING_COMPUTING && !row->place->function;
}

static void print_place(const struct refrain_critical_row *row) {
    const struct refrain_region_info *region = region_of(row);
    if (region)
        printf("%s%s\n", is_before_call(row) ? "computing before " : "", refrain_show_region(region));
    else
        puts("computing, no call follows");
}

/* ---- the path ---- */

static void print_heading(const struct refrain_critical *critical) {
    const struct refrain_delays *delays = critical->delays;
    printf("critical path: %s, from %s to %s, ends on rank %d, goes to another rank %s times\n",
           refrain_show_ns((long double)critical->run_ns), refrain_show_ns((long double)delays->from_ns),
           refrain_show_ns((long double)delays->to_ns), delays->path_rank, refrain_show_count(delays->path_changes));
    for (int doing = 0; doing < REFRAIN_DOINGS; doing++)
        if (critical->path_ns[doing] > 0)
            printf("%s %.2f %%, ", doings[doing], percent(critical->path_ns[doing], critical->run_ns));
    if (delays->path_unknown_ns > 0)
        printf("unknown %.2f %%, ", percent(delays->path_unknown_ns, critical->run_ns));
    printf("%.2f ranks compute at a time\n", refrain_critical_parallelism(critical));
}

static void print_row(const struct refrain_critical *critical, const struct refrain_critical_row *row) {
    char saved[64] = "-", share[32] = "-";
    if (row->has_saved) {
        snprintf(saved, sizeof saved, "%s", refrain_show_ns((long double)row->saved_ns));
        snprintf(share, sizeof share, "%.2f", percent(row->saved_ns, critical->as_it_was_ns));
    }
    printf("%11s %7.2f %6d %7.0f %11s %11s %7s  ", refrain_show_ns((long double)row->path_ns),
           percent(row->path_ns, critical->run_ns), row->rank, percent(row->by_rank_ns[row->rank], row->path_ns),
           refrain_show_ns((long double)row->spent_ns), saved, share);
    print_place(row);
}

void refrain_critical_print(const struct refrain_critical *critical, size_t most) {
    print_heading(critical);
    if (critical->n == 0)
        return;
    printf("\n%s%11s %7s %6s %7s %11s %11s %7s  %s%s\n", refrain_style(REFRAIN_BOLD), "on the path", "%", "rank",
           "% of it", "all ranks", "run shorter", "%", "place", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < critical->n && i < most; i++)
        print_row(critical, &critical->rows[i]);
    if (critical->n > most)
        printf("%zu more: --top\n", critical->n - most);
}

void refrain_critical_csv(const struct refrain_critical *critical) {
    puts("kind,name,file,line,function,path_ns,path_percent,rank,rank_ns,spent_ns,saved_ns");
    for (size_t i = 0; i < critical->n; i++) {
        const struct refrain_critical_row *row = &critical->rows[i];
        const struct refrain_region_info *region = region_of(row);
        const char *const texts[] = {is_before_call(row) ? "computing_before" : doings[row->place->doing],
                                     region ? region->name : "", region ? region->file : ""};
        for (size_t k = 0; k < 3; k++, putchar(','))
            refrain_stats_put_csv(stdout, texts[k]);
        printf("%u,", region ? region->line : 0);
        refrain_stats_put_csv(stdout, region ? region->function : "");
        printf(",%" PRId64 ",%.4f,%d,%" PRId64 ",%" PRId64 ",", row->path_ns, percent(row->path_ns, critical->run_ns),
               row->rank, row->by_rank_ns[row->rank], row->spent_ns);
        if (row->has_saved)
            printf("%" PRId64, row->saved_ns);
        putchar('\n');
    }
}

static json_t *ranks_json(const struct refrain_critical *critical, const struct refrain_critical_row *row) {
    json_t *ranks = json_array();
    for (size_t i = 0; i < critical->delays->n_ranks; i++)
        if (row->by_rank_ns[i] > 0)
            json_array_append_new(ranks,
                                  json_pack("{si,sI}", "rank", (int)i, "path_ns", (json_int_t)row->by_rank_ns[i]));
    return ranks;
}

static json_t *row_json(const struct refrain_critical *critical, const struct refrain_critical_row *row) {
    const struct refrain_region_info *region = region_of(row);
    json_t *object = json_pack(
        "{ss,so,so,si,so,sI,sI}", "kind", is_before_call(row) ? "computing_before" : doings[row->place->doing], "name",
        refrain_json_text(region ? region->name : ""), "file", refrain_json_text(region ? region->file : ""), "line",
        region ? (int)region->line : 0, "function", refrain_json_text(region ? region->function : ""), "path_ns",
        (json_int_t)row->path_ns, "spent_ns", (json_int_t)row->spent_ns);
    json_object_set_new(object, "ranks", ranks_json(critical, row));
    if (row->has_saved)
        json_object_set_new(object, "saved_ns", json_integer(row->saved_ns));
    return object;
}

static void add_window(const struct refrain_critical *critical, json_t *object) {
    json_object_set_new(object, "from_ns", json_integer(critical->delays->from_ns));
    json_object_set_new(object, "to_ns", json_integer(critical->delays->to_ns));
    json_object_set_new(object, "mean_parallelism", json_real(refrain_critical_parallelism(critical)));
}

json_t *refrain_critical_json(const struct refrain_critical *critical) {
    const struct refrain_delays *delays = critical->delays;
    json_t *object = json_object(), *rows = json_array(), *parts = json_object();
    add_window(critical, object);
    for (int doing = 0; doing < REFRAIN_DOINGS; doing++)
        json_object_set_new(parts, doings[doing], json_integer(critical->path_ns[doing]));
    json_object_set_new(parts, "unknown", json_integer(delays->path_unknown_ns));
    for (size_t i = 0; i < critical->n; i++)
        json_array_append_new(rows, row_json(critical, &critical->rows[i]));
    json_object_set_new(object, "path_ns", parts);
    json_object_set_new(object, "path_rank", json_integer(delays->path_rank));
    json_object_set_new(object, "path_changes", json_integer((json_int_t)delays->path_changes));
    json_object_set_new(object, "as_it_was_ns", json_integer(critical->as_it_was_ns));
    json_object_set_new(object, "rows", rows);
    return object;
}

/* ---- ranks that compute at a time ---- */

void refrain_parallelism_print(const struct refrain_critical *critical, size_t most) {
    const struct refrain_delays *delays = critical->delays;
    size_t n = delays->n_ranks + 1, step = most ? (n + most - 1) / most : n;
    printf("%.2f of %zu ranks compute at a time, from %s to %s\n", refrain_critical_parallelism(critical),
           delays->n_known, refrain_show_ns((long double)delays->from_ns), refrain_show_ns((long double)delays->to_ns));
    printf("\n%s%15s %11s %7s%s\n", refrain_style(REFRAIN_BOLD), "ranks computing", "time", "%",
           refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < n; i += step) {
        int64_t ns = 0;
        char ranks[64];
        size_t last = i + step < n ? i + step - 1 : n - 1;
        for (size_t k = i; k <= last; k++)
            ns += delays->at_a_time_ns[k];
        snprintf(ranks, sizeof ranks, i < last ? "%zu-%zu" : "%zu", i, last);
        printf("%15s %11s %7.2f\n", ranks, refrain_show_ns((long double)ns), percent(ns, critical->run_ns));
    }
}

void refrain_parallelism_csv(const struct refrain_critical *critical) {
    puts("ranks,time_ns,percent");
    for (size_t i = 0; i <= critical->delays->n_ranks; i++)
        printf("%zu,%" PRId64 ",%.4f\n", i, critical->delays->at_a_time_ns[i],
               percent(critical->delays->at_a_time_ns[i], critical->run_ns));
}

json_t *refrain_parallelism_json(const struct refrain_critical *critical) {
    json_t *object = json_object(), *rows = json_array();
    add_window(critical, object);
    for (size_t i = 0; i <= critical->delays->n_ranks; i++)
        json_array_append_new(rows, json_pack("{sI,sI}", "ranks", (json_int_t)i, "time_ns",
                                              (json_int_t)critical->delays->at_a_time_ns[i]));
    json_object_set_new(object, "rows", rows);
    return object;
}
