/* columns.h: makes tables for callers of the library (refrain/read.h) from rows that are structures.
 *
 *     rows: structures   + fields: name of a member, its type, its offset   --make-->   a column per field
 *
 * A table copies all values, so the rows need not stay. */
#ifndef REFRAIN_COLUMNS_H
#define REFRAIN_COLUMNS_H

#include "common/error.h"

enum refrain_field_type {
    REFRAIN_FIELD_BOOL,
    REFRAIN_FIELD_INT32,
    REFRAIN_FIELD_UINT32,
    REFRAIN_FIELD_INT64,
    REFRAIN_FIELD_UINT64,
    REFRAIN_FIELD_KNOWN,    /* int64_t, missing if negative */
    REFRAIN_FIELD_PERCENT,  /* as KNOWN, in 1/1000 %, shown in % */
    REFRAIN_FIELD_REAL,     /* double */
    REFRAIN_FIELD_FRACTION, /* double, missing if negative */
    REFRAIN_FIELD_TEXT,     /* const char *; null: missing */
    REFRAIN_FIELD_ENUM,     /* an enum, shown as its name in `names` */
};

struct refrain_field {
    const char *name; /* of the column; lives as long as the trace of the table */
    enum refrain_field_type type;
    size_t offset; /* in the row */
    const char *const *names;
};

/* Makes the table of n rows that are `stride` bytes apart. The caller closes it with refrain_trace_table_close().
 * Null without memory, with an error. */
struct refrain_trace_table *refrain_trace_table_make(const struct refrain_field *fields, size_t n_fields,
                                                     const void *rows, size_t stride, size_t n,
                                                     struct refrain_error *error);

#endif
