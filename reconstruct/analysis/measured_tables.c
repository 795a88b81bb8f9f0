/* measured_tables.c: tables of what was measured beside the events: samples of processor time and memory (tables.h). */
#include "analysis/sample_rows.h"
#include "analysis/tables.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(row, type, member)                                                                                       \
    { #member, REFRAIN_FIELD_##type, offsetof(struct row, member), NULL }
#define MAKE(fields, rows, n)                                                                                          \
    refrain_trace_table_make(fields, sizeof(fields) / sizeof *(fields), rows, sizeof *(rows), n, error)

/* ---- samples ---- */

struct sample_row {
    int32_t rank;
    int64_t from_ns, to_ns;
    const char *function, *file, *object, *stack, *call, *call_file;
    uint32_t line, call_line;
    bool in_call;
    uint64_t samples;
};

static const struct refrain_field sample_fields[] = {
    FIELD(sample_row, INT32, rank),     FIELD(sample_row, INT64, from_ns),    FIELD(sample_row, INT64, to_ns),
    FIELD(sample_row, TEXT, function),  FIELD(sample_row, TEXT, file),        FIELD(sample_row, UINT32, line),
    FIELD(sample_row, TEXT, object),    FIELD(sample_row, TEXT, stack),       FIELD(sample_row, TEXT, call),
    FIELD(sample_row, TEXT, call_file), FIELD(sample_row, UINT32, call_line), FIELD(sample_row, BOOL, in_call),
    FIELD(sample_row, UINT64, samples)};

static const char *name_of(const struct refrain_sample_rows *rows, size_t path) {
    const char *name = rows->functions[rows->paths[path].function].name;
    return *name ? name : "unknown";
}

/* The functions of each path, the outermost first, separated by semicolons. The caller frees each text and the array.
 * Null without memory. */
static char **make_stacks(const struct refrain_sample_rows *rows) {
    char **stacks = calloc(rows->n_paths + 1, sizeof *stacks);
    for (size_t i = 0; stacks && i < rows->n_paths; i++) {
        const char *above = rows->paths[i].parent ? stacks[rows->paths[i].parent - 1] : NULL;
        const size_t bytes = (above ? strlen(above) + 1 : 0) + strlen(name_of(rows, i)) + 1;
        if (!(stacks[i] = malloc(bytes))) {
            while (i > 0)
                free(stacks[--i]);
            free(stacks);
            return NULL;
        }
        strcpy(stacks[i], above ? above : "");
        strcat(strcat(stacks[i], above ? ";" : ""), name_of(rows, i));
    }
    return stacks;
}

static struct sample_row row_of(const struct refrain_sample_rows *rows, const struct refrain_sample_moment *moment,
                                char *const *stacks) {
    const struct refrain_sample_function *function = &rows->functions[rows->paths[moment->path].function];
    return (struct sample_row){.rank = moment->rank,
                               .from_ns = moment->from_ns,
                               .to_ns = moment->to_ns,
                               .function = name_of(rows, moment->path),
                               .file = *function->file ? function->file : NULL,
                               .line = function->line,
                               .object = *function->object ? function->object : NULL,
                               .stack = stacks[moment->path],
                               .call = moment->call ? moment->call->name : NULL,
                               .call_file = moment->call ? moment->call->file : NULL,
                               .call_line = moment->call ? moment->call->line : 0,
                               .in_call = moment->inside,
                               .samples = moment->own};
}

struct refrain_trace_table *refrain_trace_table_of_samples(const struct refrain_trace *trace,
                                                           const struct refrain_trace_table_options *options,
                                                           struct refrain_error *error) {
    struct refrain_sample_rows rows;
    struct refrain_trace_table *table = NULL;
    if (refrain_sample_rows_make(trace, options->rank, &rows, error))
        return NULL;
    char **stacks = make_stacks(&rows);
    struct sample_row *all = malloc((rows.n_moments + 1) * sizeof *all);
    for (size_t i = 0; stacks && all && i < rows.n_moments; i++)
        all[i] = row_of(&rows, &rows.moments[i], stacks);
    if (stacks && all)
        table = MAKE(sample_fields, all, rows.n_moments);
    else
        REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; stacks && i < rows.n_paths; i++)
        free(stacks[i]);
    free(stacks);
    free(all);
    refrain_sample_rows_free(&rows);
    return table;
}

/* ---- memory ---- */

struct memory_row {
    int32_t rank;
    int64_t time_ns;
    uint64_t bytes;
};

static const struct refrain_field memory_fields[] = {FIELD(memory_row, INT32, rank), FIELD(memory_row, INT64, time_ns),
                                                     FIELD(memory_row, UINT64, bytes)};

struct refrain_trace_table *refrain_trace_table_of_memory(const struct refrain_trace *trace,
                                                          const struct refrain_trace_table_options *options,
                                                          struct refrain_error *error) {
    size_t n = 0;
    struct memory_row *rows = malloc((trace->n_processes * REFRAIN_RESIDENT_POINTS + 1) * sizeof *rows);
    for (size_t i = 0; rows && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        const struct refrain_resident *resident = &process->header->resident;
        for (uint32_t k = 0; k < resident->n && (options->rank < 0 || process->rank == options->rank); k++)
            rows[n++] = (struct memory_row){process->rank, refrain_trace_time_ns(process, resident->points[k].ticks),
                                            (uint64_t)resident->points[k].kib << 10};
    }
    struct refrain_trace_table *table = rows ? MAKE(memory_fields, rows, n) : NULL;
    if (!rows)
        REFRAIN_FAIL_MEMORY(error);
    free(rows);
    return table;
}
