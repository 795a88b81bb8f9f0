/* formula_table.c: makes a table of the formulas of all ranks (tables.h). */
#include "analysis/formula_rows.h"
#include "analysis/tables.h"

#include <stdlib.h>

/* A row of the table. */
struct table_row {
    struct refrain_formula_row row;
    const char *category, *type;
    double captured;
    bool left_early;
};

#define FIELD(name, type, member)                                                                                      \
    { name, REFRAIN_FIELD_##type, offsetof(struct table_row, member), NULL }

static const struct refrain_field fields[] = {
    FIELD("file", TEXT, row.view.file),
    FIELD("line", UINT32, row.view.line),
    FIELD("function", TEXT, row.view.function),
    FIELD("construct", TEXT, row.view.name),
    FIELD("category", TEXT, category),
    FIELD("value", TEXT, row.view.label),
    FIELD("type", TEXT, type),
    FIELD("values", UINT64, row.values),
    FIELD("captured", FRACTION, captured),
    FIELD("taken", FRACTION, row.share),
    FIELD("throttled", BOOL, row.view.throttled),
    FIELD("left_early", BOOL, row.left_early),
    FIELD("ranks", TEXT, row.ranks),
    FIELD("thread", UINT32, row.view.thread),
    FIELD("formula", TEXT, row.formula),
};

static struct table_row table_row_of(const struct refrain_formula_row *row) {
    return (struct table_row){.row = *row,
                              .category = refrain_subject_name(row->view.subject),
                              .type = refrain_formula_type_name(row->type),
                              .captured = row->view.throttled ? -1 : refrain_formula_captured(row)};
}

static struct refrain_trace_table *table_of(const struct refrain_formula_rows *rows, struct refrain_error *error) {
    struct table_row *table_rows = malloc((rows->n + 1) * sizeof *table_rows);
    if (!table_rows) {
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    for (size_t i = 0; i < rows->n; i++)
        table_rows[i] = table_row_of(&rows->rows[i]);
    struct refrain_trace_table *table = refrain_trace_table_make(fields, sizeof fields / sizeof *fields, table_rows,
                                                                 sizeof *table_rows, rows->n, error);
    free(table_rows);
    return table;
}

struct refrain_trace_table *refrain_trace_table_of_formulas(const struct refrain_trace *trace,
                                                            const struct refrain_trace_table_options *options,
                                                            struct refrain_error *error) {
    struct refrain_formula_rows rows = {.all = options->all};
    struct refrain_trace_table *table = NULL;
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (options->rank >= 0 && process->rank != options->rank)
            continue;
        status = refrain_learners_check(process, error);
        if (!status && !refrain_formula_rows_add(&rows, process))
            status = REFRAIN_FAIL_MEMORY(error);
    }
    if (!status && !refrain_formula_rows_merge(&rows, false))
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status) {
        refrain_formula_rows_sort(&rows, REFRAIN_ORDER_BY_SOURCE);
        table = table_of(&rows, error);
    }
    refrain_formula_rows_free(&rows);
    return table;
}
