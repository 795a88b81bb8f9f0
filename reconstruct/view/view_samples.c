/* view_samples.c: see view_samples.h. */
#define _GNU_SOURCE
#include "view/view_samples.h"
#include "analysis/sample_rows.h"
#include "commands/command.h"

#include <stdlib.h>

#define MOST_ROWS 200000u /* a row takes about 12 bytes of the page */

/* One row of the page: samples of one rank, call path, MPI call and stretch. */
struct row {
    int32_t rank; /* -1: all ranks */
    uint32_t path;
    uint32_t call; /* 0: before the first one; else 2 + 2 * index of its region, and 1 more after the call */
    int64_t from_ns, to_ns;
    uint64_t samples;
};

static struct row row_of(const struct refrain_sample_moment *moment, bool whole) {
    const uint32_t call = moment->call ? 2 + 2 * moment->call->index + !moment->inside : 0;
    if (whole)
        return (struct row){-1, moment->path, call, 0, INT64_MAX, moment->own};
    return (struct row){moment->rank, moment->path, call, moment->from_ns, moment->to_ns, moment->own};
}

static int by_place(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return (x->from_ns > y->from_ns) - (x->from_ns < y->from_ns);
}

/* Joins the samples of different threads and, if `whole`, of all ranks and stretches. Returns the number of rows. */
static size_t join(struct row *rows, size_t n) {
    size_t kept = 0;
    qsort(rows, n, sizeof *rows, by_place);
    for (size_t i = 0; i < n; i++)
        if (kept && by_place(&rows[kept - 1], &rows[i]) == 0 && rows[kept - 1].to_ns == rows[i].to_ns)
            rows[kept - 1].samples += rows[i].samples;
        else
            rows[kept++] = rows[i];
    return kept;
}

static json_t *rows_json(const struct refrain_sample_rows *samples, int64_t end_ns) {
    const bool whole = samples->n_moments > MOST_ROWS;
    struct row *rows = malloc((samples->n_moments + 1) * sizeof *rows);
    if (!rows)
        return NULL;
    for (size_t i = 0; i < samples->n_moments; i++)
        rows[i] = row_of(&samples->moments[i], whole);
    size_t n = join(rows, samples->n_moments);
    json_t *all = json_array();
    for (size_t i = 0; i < n; i++) {
        const int64_t from_ns = rows[i].from_ns > 0 ? rows[i].from_ns : 0;
        const int64_t to_ns = rows[i].to_ns < end_ns ? rows[i].to_ns : end_ns;
        const json_int_t numbers[] = {rows[i].rank, rows[i].path, rows[i].call,
                                      from_ns,      to_ns,        (json_int_t)rows[i].samples};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            json_array_append_new(all, json_integer(numbers[k]));
    }
    free(rows);
    return all;
}

static json_t *functions_json(const struct refrain_sample_rows *rows) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n_functions; i++)
        json_array_append_new(all, json_pack("{s:o, s:o, s:I, s:o}", "name", refrain_json_text(rows->functions[i].name),
                                             "file", refrain_json_text(rows->functions[i].file), "line",
                                             (json_int_t)rows->functions[i].line, "object",
                                             refrain_json_text(rows->functions[i].object)));
    return all;
}

static json_t *paths_json(const struct refrain_sample_rows *rows) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n_paths; i++) {
        json_array_append_new(all, json_integer(rows->paths[i].parent));
        json_array_append_new(all, json_integer(rows->paths[i].function));
        json_array_append_new(all, json_integer(refrain_sample_computing(rows, (uint32_t)i)));
    }
    return all;
}

enum refrain_status refrain_view_samples(const struct refrain_trace *trace, json_t **samples,
                                         struct refrain_error *error) {
    struct refrain_sample_rows rows;
    *samples = json_null();
    if (refrain_sample_rows_make(trace, -1, &rows, error))
        return REFRAIN_ERROR;
    if (rows.hz)
        *samples =
            json_pack("{s:I, s:o, s:o, s:o}", "per_second", (json_int_t)rows.hz, "functions", functions_json(&rows),
                      "paths", paths_json(&rows), "rows", rows_json(&rows, refrain_trace_end_ns(trace)));
    refrain_sample_rows_free(&rows);
    return *samples ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
