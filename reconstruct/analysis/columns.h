/* columns.h: tables as callers of the library get them (refrain/read.h), made of rows that are structures.
 *
 *     rows: structures   + fields: what a member is called, its type, where it lies   --make-->   a column per field
 *
 * A table has copies of all it shows: the rows may go. */
#ifndef REFRAIN_COLUMNS_H
#define REFRAIN_COLUMNS_H

#include "common/error.h"

enum refrain_field_type {
    REFRAIN_FIELD_BOOL,
    REFRAIN_FIELD_INT32,
    REFRAIN_FIELD_UINT32,
    REFRAIN_FIELD_INT64,
    REFRAIN_FIELD_UINT64,
    REFRAIN_FIELD_KNOWN,    /* int64_t, missing where it is negative ... */
    REFRAIN_FIELD_PERCENT,  /* ... in 1/1000 %, given in % */
    REFRAIN_FIELD_REAL,     /* double */
    REFRAIN_FIELD_FRACTION, /* double, missing where it is negative */
    REFRAIN_FIELD_TEXT,     /* const char *; null: missing */
    REFRAIN_FIELD_ENUM,     /* an enum, given as the name it has in `names` */
};

struct refrain_field {
    const char *name; /* of the column; lives as long as the table's trace */
    enum refrain_field_type type;
    size_t offset; /* in the row */
    const char *const *names;
};

/* The table of n rows that lie `stride` bytes apart. The caller closes it by refrain_trace_table_close(). Null without
 * memory: the error is filled. */
struct refrain_trace_table *refrain_trace_table_make(const struct refrain_field *fields, size_t n_fields,
                                                     const void *rows, size_t stride, size_t n,
                                                     struct refrain_error *error);

#endif
