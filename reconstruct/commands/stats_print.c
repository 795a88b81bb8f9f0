/* stats_print.c: rows of statistics as text, CSV and JSON (stats_rows.h). */
#define _GNU_SOURCE
#include "commands/stats_print.h"
#include "commands/command.h"
#include "common/path.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

#define LEAST_LABEL 16u
#define MOST_DEPTH 256 /* regions of a path that are shown */
#define MOST_LEVEL 2u  /* of columns */

/* ---- text ---- */

static unsigned width_of(const struct refrain_stats_column *column) {
    return column->unit == REFRAIN_STATS_MILLIPERCENT ? 8 : column->unit == REFRAIN_STATS_NUMBER ? 9 : 10;
}

static void print_value(const struct refrain_stats_column *column, int64_t value) {
    char percent[32];
    const char *shown = percent;
    if (value < 0)
        shown = "-";
    else if (column->unit == REFRAIN_STATS_NS)
        shown = refrain_show_ns((long double)value);
    else if (column->unit == REFRAIN_STATS_SIZE)
        shown = refrain_show_bytes((uint64_t)value);
    else if (column->unit == REFRAIN_STATS_NUMBER)
        shown = refrain_show_count((uint64_t)value);
    else
        snprintf(percent, sizeof percent, "%.2f %%", (double)value / 1e3);
    printf("%*s ", (int)width_of(column), shown);
}

/* Prints a label, cut at its end if it is longer than `room`. */
static void print_label(const struct refrain_stats_row *row, unsigned room) {
    char label[1024];
    int n = snprintf(label, sizeof label, "%*s%s", 2 * (int)(row->depth < 32 ? row->depth : 32), "",
                     refrain_show_name(row->label));
    if (row->file[0] && n > 0 && (size_t)n < sizeof label)
        n += snprintf(label + n, sizeof label - (size_t)n, "  %s", refrain_show_name(refrain_base_name(row->file)));
    if (row->line && n > 0 && (size_t)n < sizeof label)
        snprintf(label + n, sizeof label - (size_t)n, ":%u", row->line);
    printf(" %.*s\n", room ? (int)room : (int)sizeof label, label);
}

/* The width on the screen of the columns up to this level. */
static unsigned width_to(const struct refrain_stats_rows *rows, const struct refrain_stats_column *columns, size_t n,
                         unsigned level) {
    unsigned width = 1;
    for (size_t i = 0; i < n; i++)
        width += columns[i].level <= level ? width_of(&columns[i]) + 1 : 0;
    for (size_t i = 0; i < rows->n_metrics; i++)
        width += (unsigned)refrain_show_metric_width(rows->metric_names[i]) + 1;
    return width;
}

void refrain_stats_rows_print(const struct refrain_stats_rows *rows, size_t most) {
    size_t n;
    const struct refrain_stats_column *columns = refrain_stats_columns(rows->view, &n);
    unsigned terminal = refrain_terminal_columns(), level = MOST_LEVEL;
    while (level > 0 && terminal > 0 && width_to(rows, columns, n, level) + LEAST_LABEL > terminal)
        level--;
    unsigned used = width_to(rows, columns, n, level);
    unsigned room = terminal == 0 ? 0 : terminal > used + LEAST_LABEL ? terminal - used - 1 : LEAST_LABEL;
    fputs(refrain_style(REFRAIN_BOLD), stdout);
    for (size_t i = 0; i < n; i++)
        if (columns[i].level <= level)
            printf("%*s ", (int)width_of(&columns[i]), columns[i].title);
    for (size_t i = 0; i < rows->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(rows->metric_names[i]), rows->metric_names[i]);
    printf(" %s%s\n", rows->view == REFRAIN_STATS_BY_WAIT ? "what waited, for what" : "what",
           refrain_style(REFRAIN_NORMAL));
    for (size_t r = 0; r < rows->n && r < most; r++) {
        const struct refrain_stats_row *row = &rows->rows[r];
        bool hot = rows->view != REFRAIN_STATS_BY_RANK && row->value[REFRAIN_STATS_SHARE] >= 10000;
        fputs(hot ? refrain_style(REFRAIN_BOLD) : "", stdout);
        for (size_t i = 0; i < n; i++)
            if (columns[i].level <= level)
                print_value(&columns[i], row->value[columns[i].value]);
        for (size_t i = 0; i < rows->n_metrics; i++)
            printf("%*s ", refrain_show_metric_width(rows->metric_names[i]),
                   refrain_show_metric(rows->metric_names[i], row->metrics.value[i]));
        print_label(row, room);
        fputs(hot ? refrain_style(REFRAIN_NORMAL) : "", stdout);
    }
    if (rows->n > most)
        printf("%*s  %zu more (--top)\n", (int)used - 1, "", rows->n - most);
}

/* ---- CSV ---- */

void refrain_stats_put_csv(FILE *file, const char *text) {
    fputc('"', file);
    for (const char *p = text; *p; p++) {
        if (*p == '"')
            fputc('"', file);
        fputc(*p, file);
    }
    fputc('"', file);
}

void refrain_stats_rows_csv(const struct refrain_stats_rows *rows, FILE *file) {
    size_t n;
    const struct refrain_stats_column *columns = refrain_stats_columns(rows->view, &n);
    fputs("what,file,line,depth", file);
    for (size_t i = 0; i < n; i++)
        fprintf(file, ",%s", columns[i].key);
    for (size_t i = 0; i < rows->n_metrics; i++) {
        fputc(',', file);
        refrain_stats_put_csv(file, rows->metric_names[i]);
    }
    fputc('\n', file);
    for (size_t r = 0; r < rows->n; r++) {
        const struct refrain_stats_row *row = &rows->rows[r];
        refrain_stats_put_csv(file, row->label);
        fputc(',', file);
        refrain_stats_put_csv(file, row->file);
        fprintf(file, ",%u,%u", row->line, row->depth);
        for (size_t i = 0; i < n; i++) {
            int64_t value = row->value[columns[i].value];
            if (value < 0)
                fputc(',', file);
            else if (columns[i].unit == REFRAIN_STATS_MILLIPERCENT)
                fprintf(file, ",%.3f", (double)value / 1e3);
            else
                fprintf(file, ",%" PRId64, value);
        }
        for (size_t i = 0; i < rows->n_metrics; i++)
            fprintf(file, ",%" PRIu64, row->metrics.value[i]);
        fputc('\n', file);
    }
}

/* ---- JSON ---- */

static void add_place(json_t *object, const char *call_key, const char *file_key, const char *line_key,
                      const struct refrain_region_info *region) {
    json_object_set_new(object, call_key, refrain_json_text(region->name));
    json_object_set_new(object, file_key, refrain_json_text(region->file));
    json_object_set_new(object, line_key, json_integer(region->line));
}

static void add_wait(json_t *object, const struct refrain_activity_wait *wait) {
    json_object_set_new(object, "kind", json_string(refrain_wait_kind_name(wait->kind)));
    add_place(object, "call", "file", "line", wait->region);
    add_place(object, "cause_call", "cause_file", "cause_line", wait->cause);
    json_object_set_new(object, "worst_rank", json_integer(wait->worst_rank));
    json_object_set_new(object, "worst_cause_rank", json_integer(wait->worst_cause));
    json_object_set_new(object, "worst_ns", json_integer(wait->worst_ns));
}

json_t *refrain_stats_rows_json(const struct refrain_stats_rows *rows) {
    size_t n;
    const struct refrain_stats_column *columns = refrain_stats_columns(rows->view, &n);
    json_t *list = json_array();
    for (size_t r = 0; r < rows->n; r++) {
        const struct refrain_stats_row *row = &rows->rows[r];
        json_t *object = json_object();
        json_object_set_new(object, "what", refrain_json_text(row->label));
        if (row->file[0]) {
            json_object_set_new(object, "file", refrain_json_text(row->file));
            json_object_set_new(object, "line", json_integer(row->line));
        }
        if (row->wait)
            add_wait(object, row->wait);
        if (rows->view == REFRAIN_STATS_BY_CALL_PATH)
            json_object_set_new(object, "depth", json_integer(row->depth));
        for (size_t i = 0; i < n; i++) {
            int64_t value = row->value[columns[i].value];
            json_object_set_new(object, columns[i].key,
                                value < 0                                       ? json_null()
                                : columns[i].unit == REFRAIN_STATS_MILLIPERCENT ? json_real((double)value / 1e3)
                                                                                : json_integer(value));
        }
        json_t *metrics = rows->n_metrics ? json_object() : NULL;
        for (size_t i = 0; i < rows->n_metrics; i++)
            json_object_set_new(metrics, rows->metric_names[i], json_integer((json_int_t)row->metrics.value[i]));
        if (metrics)
            json_object_set_new(object, "metrics", metrics);
        json_array_append_new(list, object);
    }
    return list;
}

/* ---- flame graphs ---- */

void refrain_stats_put_folded(FILE *file, const char *name) {
    for (const char *p = name; *p; p++)
        fputc(*p == ';' || *p == '\n' ? ',' : *p, file);
}

static void print_folded(FILE *file, const struct refrain_activity_path *path) {
    const struct refrain_activity_path *stack[MOST_DEPTH];
    size_t n = 0;
    for (const struct refrain_activity_path *p = path; p->region && n < MOST_DEPTH; p = p->parent)
        stack[n++] = p;
    for (int waits = 0; waits < 2; waits++) {
        int64_t ns = waits ? path->waiting_ns : path->own_ns - path->waiting_ns;
        if (ns <= 0)
            continue;
        for (size_t i = n; i-- > 0;) {
            fputs(i + 1 < n ? ";" : "", file);
            refrain_stats_put_folded(file, stack[i]->region->name);
        }
        fprintf(file, "%s %lld\n", waits ? ";waiting" : "", (long long)ns);
    }
}

void refrain_stats_folded(const struct refrain_activity *activity, FILE *file) {
    const struct refrain_activity_path *path = activity->root;
    while ((path = refrain_activity_next_path(path)))
        print_folded(file, path);
}
