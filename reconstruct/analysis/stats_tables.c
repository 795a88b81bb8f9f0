/* stats_tables.c: makes tables of the statistics (tables.h). */
#include "analysis/stats_rows.h"
#include "analysis/tables.h"

#include <stdlib.h>
#include <string.h>

/* A row of the table: with the fields of its wait and its metrics. */
struct table_row {
    struct refrain_stats_row row;
    int64_t line; /* missing if the file is */
    const char *kind, *call, *call_file, *cause_call, *cause_file;
    int64_t call_line, cause_line, worst_rank, worst_cause_rank, worst_ns;
};

#define MOST_FIELDS (16u + REFRAIN_STATS_VALUES + REFRAIN_MOST_METRICS)

struct fields {
    struct refrain_field field[MOST_FIELDS];
    size_t n;
};

static void add_field(struct fields *fields, const char *name, enum refrain_field_type type, size_t offset) {
    fields->field[fields->n++] = (struct refrain_field){name, type, offset, NULL};
}

#define ADD(name, type, member) add_field(fields, name, REFRAIN_FIELD_##type, offsetof(struct table_row, member))

static void add_wait_fields(struct fields *fields) {
    ADD("kind", TEXT, kind);
    ADD("call", TEXT, call);
    ADD("file", TEXT, call_file);
    ADD("line", KNOWN, call_line);
    ADD("cause_call", TEXT, cause_call);
    ADD("cause_file", TEXT, cause_file);
    ADD("cause_line", KNOWN, cause_line);
    ADD("worst_rank", INT64, worst_rank);
    ADD("worst_cause_rank", INT64, worst_cause_rank);
    ADD("worst_ns", INT64, worst_ns);
}

static enum refrain_field_type type_of(const struct refrain_stats_column *column) {
    return column->unit == REFRAIN_STATS_MILLIPERCENT ? REFRAIN_FIELD_PERCENT : REFRAIN_FIELD_KNOWN;
}

static void add_fields(struct fields *fields, const struct refrain_stats_rows *rows) {
    size_t n;
    const struct refrain_stats_column *columns = refrain_stats_columns(rows->view, &n);
    ADD("what", TEXT, row.label);
    if (rows->view == REFRAIN_STATS_BY_WAIT) {
        add_wait_fields(fields);
    } else if (rows->view == REFRAIN_STATS_BY_RANK) {
        ADD("rank", INT64, worst_rank);
    } else {
        ADD("file", TEXT, row.file);
        ADD("line", KNOWN, line);
    }
    if (rows->view == REFRAIN_STATS_BY_CALL_PATH)
        ADD("depth", UINT32, row.depth);
    for (size_t i = 0; i < n; i++)
        add_field(fields, columns[i].key, type_of(&columns[i]),
                  offsetof(struct table_row, row.value) + sizeof(int64_t) * columns[i].value);
    for (size_t i = 0; i < rows->n_metrics; i++)
        add_field(fields, rows->metric_names[i], REFRAIN_FIELD_UINT64,
                  offsetof(struct table_row, row.metrics) + sizeof(uint64_t) * i);
}

static const char *file_of(const char *file) {
    return file[0] ? file : NULL;
}

static int64_t line_of(const char *file, uint32_t line) {
    return file[0] ? (int64_t)line : -1;
}

static struct table_row table_row_of(const struct refrain_stats_row *row, enum refrain_stats_view view) {
    struct table_row made = {.row = *row, .line = line_of(row->file, row->line)};
    const struct refrain_activity_wait *wait = row->wait;
    made.row.file = file_of(row->file);
    if (view == REFRAIN_STATS_BY_RANK)
        made.worst_rank = atoll(row->key);
    if (!wait)
        return made;
    made.kind = refrain_wait_kind_name(wait->kind);
    made.call = wait->region->name;
    made.call_file = file_of(wait->region->file);
    made.call_line = line_of(wait->region->file, wait->region->line);
    made.cause_call = wait->cause->name;
    made.cause_file = file_of(wait->cause->file);
    made.cause_line = line_of(wait->cause->file, wait->cause->line);
    made.worst_rank = wait->worst_rank;
    made.worst_cause_rank = wait->worst_cause;
    made.worst_ns = wait->worst_ns;
    return made;
}

static struct refrain_trace_table *table_of(const struct refrain_stats_rows *rows, struct refrain_error *error) {
    struct fields fields = {.n = 0};
    struct table_row *table_rows = malloc((rows->n + 1) * sizeof *table_rows);
    if (!table_rows) {
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    for (size_t i = 0; i < rows->n; i++)
        table_rows[i] = table_row_of(&rows->rows[i], rows->view);
    add_fields(&fields, rows);
    struct refrain_trace_table *table =
        refrain_trace_table_make(fields.field, fields.n, table_rows, sizeof *table_rows, rows->n, error);
    free(table_rows);
    return table;
}

/* Metrics are known for the whole run only. */
static bool has_metrics(const struct refrain_trace *trace, const struct refrain_activity_request *request) {
    return trace->n_metrics > 0 && !request->recorded && !request->compensate && request->from_ns == INT64_MIN &&
           request->to_ns == INT64_MAX;
}

struct refrain_trace_table *refrain_trace_table_of_stats(struct refrain_trace *trace,
                                                         enum refrain_trace_table_kind kind,
                                                         const struct refrain_trace_table_options *options,
                                                         struct refrain_error *error) {
    const enum refrain_stats_view view = (enum refrain_stats_view)(kind - REFRAIN_TABLE_FUNCTIONS);
    struct refrain_activity_request request = {.rank = options->rank < 0 ? -1 : options->rank,
                                               .from_ns = options->from_ns,
                                               .to_ns = options->to_ns,
                                               .recorded = options->recorded,
                                               .compensate = options->compensate};
    struct refrain_stats_metrics metrics = {.trace = trace};
    struct refrain_stats_rows rows = {.view = view};
    struct refrain_activity *activity = NULL;
    struct refrain_trace_table *table = NULL;
    const bool counted = has_metrics(trace, &request);
    enum refrain_status status = refrain_activity_open(trace, &request, &activity, error);
    if (!status && counted)
        status = refrain_metric_tables_open(trace, request.rank, &metrics.tables, error);
    if (!status)
        status = refrain_stats_rows_make(activity, counted ? &metrics : NULL, view, &rows, error);
    if (!status)
        table = table_of(&rows, error);
    refrain_stats_rows_free(&rows);
    refrain_metric_tables_close(&metrics.tables);
    refrain_activity_close(activity);
    return table;
}
