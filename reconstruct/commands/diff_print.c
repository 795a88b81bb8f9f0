/* diff_print.c: what changed, printed (diff_print.h). */
#define _GNU_SOURCE
#include "commands/diff_print.h"
#include "commands/command.h"
#include "commands/stats_print.h"
#include "common/path.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1 /* of --json */

/* ---- text ---- */

static const char *show_change(int64_t ns) {
    static char buffers[4][40];
    static unsigned at;
    char *buffer = buffers[at++ % 4];
    snprintf(buffer, sizeof buffers[0], "%s%s", ns < 0 ? "-" : "+", refrain_show_ns(ns < 0 ? -(long double)ns : ns));
    return buffer;
}

static const char *ratio(const int64_t median[2], char *buffer, size_t bytes) {
    if (median[0] > 0)
        snprintf(buffer, bytes, "%+.1f %%", 100 * ((double)median[1] - (double)median[0]) / (double)median[0]);
    else
        snprintf(buffer, bytes, "%s", median[1] > 0 ? "new" : "-");
    return buffer;
}

static const char *show_noise(const struct refrain_diff_change *change) {
    return change->noise < 0 ? "-" : refrain_show_ns((long double)change->noise);
}

static void print_side(const struct refrain_diff_print *print, int side) {
    size_t first = side ? print->runs->n[0] : 0, n = print->runs->n[side];
    printf("%c %s", side ? 'B' : 'A', print->names[first]);
    for (size_t i = 1; i < n; i++)
        printf(" %s", print->names[first + i]);
    putchar('\n');
}

static void print_change(const char *title, const struct refrain_diff_change *change) {
    char percent[32];
    printf("%14s %11s %11s %11s %9s %9s", title, refrain_show_ns((long double)change->median[0]),
           refrain_show_ns((long double)change->median[1]), show_change(change->change),
           ratio(change->median, percent, sizeof percent), show_noise(change));
}

static struct refrain_diff_change whole_of(const struct refrain_diff_print *print, enum refrain_diff_whole whole) {
    struct refrain_diff_change change;
    const struct refrain_diff_runs *runs = print->runs;
    for (size_t run = 0; run < runs->n[0] + runs->n[1]; run++)
        print->rows->values[run] = refrain_diff_whole_ns(runs->activities[run], whole);
    refrain_diff_weigh(print->rows->values, runs->n, &change);
    return change;
}

static void print_head(const char *what) {
    printf("\n%s%14s %11s %11s %11s %9s %9s%s\n", refrain_style(REFRAIN_BOLD), what, "A", "B", "change", "", "noise",
           refrain_style(REFRAIN_NORMAL));
}

static void print_whole(const struct refrain_diff_print *print) {
    print_side(print, 0);
    print_side(print, 1);
    print_head("");
    for (int i = 0; i < REFRAIN_DIFF_WHOLES; i++) {
        struct refrain_diff_change change = whole_of(print, (enum refrain_diff_whole)i);
        if (i == REFRAIN_DIFF_PAUSED && change.median[0] == 0 && change.median[1] == 0)
            continue;
        print_change(refrain_diff_wholes[i], &change);
        putchar('\n');
    }
}

/* Changes within the noise are left out, unless the user asks for all. */
static bool is_shown(const struct refrain_diff_row *row, const struct refrain_diff_look *look) {
    return row->beyond || look->all || (row->ns.noise < 0 && row->ns.change != 0);
}

static void show_counts(const struct refrain_diff_row *row, char *text, size_t bytes) {
    if (row->count[0] == row->count[1])
        snprintf(text, bytes, "%s", refrain_show_count((uint64_t)row->count[0]));
    else
        snprintf(text, bytes, "%s>%s", refrain_show_count((uint64_t)row->count[0]),
                 refrain_show_count((uint64_t)row->count[1]));
}

static void print_row(const struct refrain_diff_row *row) {
    char percent[32], label[512], calls[64];
    const struct refrain_stats_row *some = row->some;
    unsigned columns = refrain_terminal_columns();
    snprintf(label, sizeof label, "%.200s%s%.200s%s", refrain_show_name(some->label), some->file[0] ? "  " : "",
             refrain_show_name(refrain_base_name(some->file)),
             !row->in[0]   ? "  only in B"
             : !row->in[1] ? "  only in A"
                           : "");
    show_counts(row, calls, sizeof calls);
    const char *style = !row->beyond         ? refrain_style(REFRAIN_FAINT)
                        : row->ns.change > 0 ? refrain_style(REFRAIN_RED)
                                             : refrain_style(REFRAIN_GREEN);
    printf("%s%11s %11s %9s %9s %11s %16s  %.*s%s\n", style, refrain_show_ns((long double)row->ns.median[0]),
           show_change(row->ns.change), ratio(row->ns.median, percent, sizeof percent), show_noise(&row->ns),
           show_change(row->waiting_ns[1] - row->waiting_ns[0]), calls,
           columns > 100 ? (int)columns - 76
           : columns     ? 24
                         : 500,
           label, *style ? refrain_style(REFRAIN_NORMAL) : "");
}

static void print_rows(const struct refrain_diff_print *print) {
    const struct refrain_diff_rows *rows = print->rows;
    size_t shown = 0, wanted = 0;
    printf("\n%s%11s %11s %9s %9s %11s %16s  %s%s\n", refrain_style(REFRAIN_BOLD), "A", "change", "", "noise",
           "waiting", "calls", "what", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < rows->n; i++) {
        bool is_wanted = is_shown(&rows->rows[i], &print->look);
        wanted += is_wanted;
        if (!is_wanted || shown == print->look.most)
            continue;
        print_row(&rows->rows[i]);
        shown++;
    }
    if (wanted > shown)
        printf("%zu more (--top)\n", wanted - shown);
    if (rows->n > wanted)
        printf("%zu others differ by no more than their noise (--all)\n", rows->n - wanted);
}

static void print_limits(const struct refrain_diff_print *print) {
    print_head("limit on");
    for (size_t i = 0; i < print->n_limits; i++) {
        const struct refrain_diff_limit *limit = &print->limits[i];
        char what[64];
        snprintf(what, sizeof what, "%.*s", (int)limit->what, limit->text);
        print_change(what, &limit->change);
        printf("  %s%s: %s%s\n", limit->exceeded ? refrain_style(REFRAIN_RED) : "", limit->text,
               limit->exceeded ? "exceeded" : "kept", limit->exceeded ? refrain_style(REFRAIN_NORMAL) : "");
    }
}

void refrain_diff_print_text(const struct refrain_diff_print *print) {
    print_whole(print);
    print_rows(print);
    if (print->n_limits)
        print_limits(print);
}

/* ---- JSON ---- */

static json_t *noise_json(const struct refrain_diff_change *change) {
    return change->noise < 0 ? json_null() : json_real(change->noise);
}

static json_t *row_side_json(const struct refrain_diff_print *print, const struct refrain_diff_row *row, int side) {
    const struct refrain_diff_runs *runs = print->runs;
    size_t first = side ? runs->n[0] : 0;
    if (!row->in[side])
        return json_null();
    json_t *of_runs = json_array();
    for (size_t i = first; i < first + runs->n[side]; i++)
        json_array_append_new(of_runs, json_integer(refrain_diff_ns(row->of[i], runs->rows[0].view)));
    return json_pack("{sIsIsIsIso}", "ns", (json_int_t)row->ns.median[side], "total_ns",
                     (json_int_t)row->total_ns[side], "waiting_ns", (json_int_t)row->waiting_ns[side], "calls",
                     (json_int_t)row->count[side], "runs_ns", of_runs);
}

static json_t *row_json(const struct refrain_diff_print *print, const struct refrain_diff_row *row) {
    return json_pack("{sososIsososIsosb}", "what", refrain_json_text(row->some->label), "file",
                     refrain_json_text(row->some->file), "line", (json_int_t)row->some->line, "a",
                     row_side_json(print, row, 0), "b", row_side_json(print, row, 1), "change_ns",
                     (json_int_t)row->ns.change, "noise_ns", noise_json(&row->ns), "beyond_noise", row->beyond);
}

static json_t *change_json(const struct refrain_diff_change *change) {
    return json_pack("{sIsIsIsosb}", "a_ns", (json_int_t)change->median[0], "b_ns", (json_int_t)change->median[1],
                     "change_ns", (json_int_t)change->change, "noise_ns", noise_json(change), "beyond_noise",
                     change->beyond);
}

static json_t *limit_json(const struct refrain_diff_limit *limit) {
    json_t *object = change_json(&limit->change);
    json_object_set_new(object, "limit", refrain_json_text(limit->text));
    json_object_set_new(object, "percent", json_real(limit->percent));
    json_object_set_new(object, "more_ns", json_integer(limit->ns));
    json_object_set_new(object, "exceeded", json_boolean(limit->exceeded));
    return object;
}

/* The medians of A or B. */
static json_t *side_json(const struct refrain_diff_print *print, int side) {
    const struct refrain_diff_runs *runs = print->runs;
    size_t first = side ? runs->n[0] : 0;
    json_t *object = json_object(), *names = json_array();
    int64_t mpi_ns = 0;
    for (int i = 0; i < REFRAIN_DIFF_WHOLES; i++) {
        char key[32];
        int64_t ns = whole_of(print, (enum refrain_diff_whole)i).median[side];
        mpi_ns += i == REFRAIN_DIFF_TRANSMISSION || i == REFRAIN_DIFF_MANAGEMENT || i == REFRAIN_DIFF_WAITING ? ns : 0;
        snprintf(key, sizeof key, "%s_ns", i == REFRAIN_DIFF_TIME ? "run" : refrain_diff_wholes[i]);
        json_object_set_new(object, key, json_integer(ns));
    }
    json_object_set_new(object, "mpi_ns", json_integer(mpi_ns));
    for (size_t i = first; i < first + runs->n[side]; i++)
        json_array_append_new(names, refrain_json_text(print->names[i]));
    json_object_set_new(object, "traces", names);
    return object;
}

enum refrain_status refrain_diff_print_json(const struct refrain_diff_print *print, struct refrain_error *error) {
    json_t *whole = json_object(), *rows = json_array(), *limits = json_array();
    for (int i = 0; i < REFRAIN_DIFF_WHOLES; i++) {
        struct refrain_diff_change change = whole_of(print, (enum refrain_diff_whole)i);
        json_object_set_new(whole, refrain_diff_wholes[i], change_json(&change));
    }
    for (size_t i = 0; i < print->rows->n; i++)
        json_array_append_new(rows, row_json(print, &print->rows->rows[i]));
    for (size_t i = 0; i < print->n_limits; i++)
        json_array_append_new(limits, limit_json(&print->limits[i]));
    return refrain_print_json(json_pack("{sisssososososo}", "schema_version", SCHEMA_VERSION, "by",
                                        refrain_stats_views[print->runs->rows[0].view], "a", side_json(print, 0), "b",
                                        side_json(print, 1), "whole", whole, "rows", rows, "limits", limits),
                              error);
}

/* ---- CSV ---- */

void refrain_diff_print_csv(const struct refrain_diff_print *print) {
    puts("what,file,line,a_ns,b_ns,change_ns,noise_ns,beyond_noise,a_waiting_ns,b_waiting_ns,a_calls,b_calls");
    for (size_t i = 0; i < print->rows->n; i++) {
        const struct refrain_diff_row *row = &print->rows->rows[i];
        refrain_stats_put_csv(stdout, row->some->label);
        putchar(',');
        refrain_stats_put_csv(stdout, row->some->file);
        printf(",%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->some->line, row->ns.median[0], row->ns.median[1],
               row->ns.change);
        if (row->ns.noise >= 0)
            printf("%.0f", row->ns.noise);
        printf(",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", row->beyond, row->waiting_ns[0],
               row->waiting_ns[1], row->count[0], row->count[1]);
    }
}
