/* tables.c: opens a table of a trace: refrain_trace_table_open() (refrain/read.h). */
#include "analysis/tables.h"
#include "common/options.h"
#include "model/trace_read.h"

static enum refrain_status check(const struct refrain_trace *trace, enum refrain_trace_table_kind kind,
                                 const struct refrain_trace_table_options *options, struct refrain_error *error) {
    if (kind < REFRAIN_TABLE_PROCESSES || kind > REFRAIN_TABLE_MEMORY)
        return REFRAIN_FAIL_USAGE(error, "%s: version %d of the library that reads traces has no table %d", trace->path,
                                  REFRAIN_READ_VERSION, (int)kind);
    if (options->rank >= 0 && !refrain_trace_process(trace, options->rank))
        return REFRAIN_FAIL_USAGE(error, "%s: holds no rank %d (it has %zu of %d ranks)", trace->path, options->rank,
                                  trace->n_processes, trace->size);
    if (options->from_ns > options->to_ns)
        return REFRAIN_FAIL_USAGE(error, "%s: the window ends at %lld ns, before it begins at %lld ns", trace->path,
                                  (long long)options->to_ns, (long long)options->from_ns);
    return REFRAIN_OK;
}

enum refrain_status refrain_trace_table_open(struct refrain_trace *trace, enum refrain_trace_table_kind kind,
                                             const struct refrain_trace_table_options *given,
                                             struct refrain_trace_table **table, struct refrain_error *error) {
    struct refrain_trace_table_options options = REFRAIN_TABLE_ALL;
    *table = NULL;
    enum refrain_status status = given ? refrain_options_take(&options, given, error) : REFRAIN_OK;
    if (!status)
        status = check(trace, kind, &options, error);
    if (status)
        return status;
    *table = kind <= REFRAIN_TABLE_LOSSES     ? refrain_trace_table_of_trace(trace, kind, error)
             : kind < REFRAIN_TABLE_FORMULAS  ? refrain_trace_table_of_stats(trace, kind, &options, error)
             : kind == REFRAIN_TABLE_FORMULAS ? refrain_trace_table_of_formulas(trace, &options, error)
             : kind == REFRAIN_TABLE_SAMPLES  ? refrain_trace_table_of_samples(trace, &options, error)
                                              : refrain_trace_table_of_memory(trace, &options, error);
    return *table ? REFRAIN_OK : error && error->code ? error->code : REFRAIN_ERROR;
}
