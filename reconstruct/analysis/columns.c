/* columns.c: makes columns of rows (columns.h), and returns them to callers (refrain/read.h). */
#define _GNU_SOURCE
#include "analysis/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct refrain_trace_table {
    struct refrain_column *columns;
    size_t n_columns, n_rows;
};

static enum refrain_column_type type_of(enum refrain_field_type type) {
    switch (type) {
    case REFRAIN_FIELD_BOOL:
        return REFRAIN_COLUMN_BOOLEAN;
    case REFRAIN_FIELD_PERCENT:
    case REFRAIN_FIELD_REAL:
    case REFRAIN_FIELD_FRACTION:
        return REFRAIN_COLUMN_REAL;
    case REFRAIN_FIELD_TEXT:
    case REFRAIN_FIELD_ENUM:
        return REFRAIN_COLUMN_TEXT;
    default:
        return REFRAIN_COLUMN_INTEGER;
    }
}

/* ---- one value, given its position in the row ---- */

static int64_t integer_of(const struct refrain_field *field, const void *at) {
    int64_t known;
    switch (field->type) {
    case REFRAIN_FIELD_BOOL:
        return *(const bool *)at;
    case REFRAIN_FIELD_INT32:
        return *(const int32_t *)at;
    case REFRAIN_FIELD_UINT32:
        return *(const uint32_t *)at;
    case REFRAIN_FIELD_KNOWN:
        known = *(const int64_t *)at;
        return known < 0 ? REFRAIN_MISSING : known;
    default:
        return *(const int64_t *)at;
    }
}

static double real_of(const struct refrain_field *field, const void *at) {
    if (field->type == REFRAIN_FIELD_PERCENT) {
        int64_t value = *(const int64_t *)at;
        return value < 0 ? NAN : (double)value / 1e3;
    }
    double value = *(const double *)at;
    return field->type == REFRAIN_FIELD_FRACTION && value < 0 ? NAN : value;
}

static const char *text_of(const struct refrain_field *field, const void *at) {
    return field->type == REFRAIN_FIELD_ENUM ? field->names[*(const int *)at] : *(const char *const *)at;
}

/* ---- columns ---- */

/* False without memory. */
static bool fill(struct refrain_column *column, const struct refrain_field *field, const char *rows, size_t stride,
                 size_t n) {
    int64_t *integers = calloc(n + 1, sizeof *integers);
    double *reals = (double *)integers;
    char **texts = (char **)integers;
    *column = (struct refrain_column){.name = field->name, .type = type_of(field->type), .integers = integers};
    bool whole = integers;
    for (size_t i = 0; whole && i < n; i++) {
        const void *at = rows + i * stride + field->offset;
        if (column->type == REFRAIN_COLUMN_REAL) {
            reals[i] = real_of(field, at);
        } else if (column->type == REFRAIN_COLUMN_TEXT) {
            const char *text = text_of(field, at);
            texts[i] = text ? strdup(text) : NULL;
            whole = !text || texts[i];
        } else {
            integers[i] = integer_of(field, at);
        }
    }
    return whole;
}

struct refrain_trace_table *refrain_trace_table_make(const struct refrain_field *fields, size_t n_fields,
                                                     const void *rows, size_t stride, size_t n,
                                                     struct refrain_error *error) {
    struct refrain_trace_table *table = calloc(1, sizeof *table);
    bool whole = table && (table->columns = calloc(n_fields + 1, sizeof *table->columns));
    if (whole)
        table->n_rows = n;
    for (size_t i = 0; whole && i < n_fields; i++) {
        table->n_columns++;
        whole = fill(&table->columns[i], &fields[i], rows, stride, n);
    }
    if (whole)
        return table;
    refrain_trace_table_close(table);
    REFRAIN_FAIL_MEMORY(error);
    return NULL;
}

const struct refrain_column *refrain_trace_table_columns(const struct refrain_trace_table *table, size_t *n) {
    *n = table->n_columns;
    return table->columns;
}

size_t refrain_trace_table_rows(const struct refrain_trace_table *table) {
    return table->n_rows;
}

void refrain_trace_table_close(struct refrain_trace_table *table) {
    if (!table)
        return;
    for (size_t i = 0; i < table->n_columns; i++) {
        struct refrain_column *column = &table->columns[i];
        for (size_t k = 0; column->type == REFRAIN_COLUMN_TEXT && column->texts && k < table->n_rows; k++)
            free((char *)(uintptr_t)column->texts[k]);
        free((int64_t *)(uintptr_t)column->integers);
    }
    free(table->columns);
    free(table);
}
