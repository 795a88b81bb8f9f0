/* tables.h: the tables of a trace (trace, replay -> refrain_trace_table_open()). Each function returns null after a
 * failure, with an error; the caller closes the table. */
#ifndef REFRAIN_TABLES_H
#define REFRAIN_TABLES_H

#include "analysis/columns.h"

/* TABLE_PROCESSES to TABLE_LOSSES: no replay. */
struct refrain_trace_table *refrain_trace_table_of_trace(const struct refrain_trace *trace,
                                                         enum refrain_trace_table_kind kind,
                                                         struct refrain_error *error);

/* TABLE_FUNCTIONS to TABLE_WAITS: replays the trace. */
struct refrain_trace_table *refrain_trace_table_of_stats(struct refrain_trace *trace,
                                                         enum refrain_trace_table_kind kind,
                                                         const struct refrain_trace_table_options *options,
                                                         struct refrain_error *error);

/* TABLE_FORMULAS: reads the learners. */
struct refrain_trace_table *refrain_trace_table_of_formulas(const struct refrain_trace *trace,
                                                            const struct refrain_trace_table_options *options,
                                                            struct refrain_error *error);

/* TABLE_SAMPLES, TABLE_MEMORY: no replay. */
struct refrain_trace_table *refrain_trace_table_of_samples(const struct refrain_trace *trace,
                                                           const struct refrain_trace_table_options *options,
                                                           struct refrain_error *error);
struct refrain_trace_table *refrain_trace_table_of_memory(const struct refrain_trace *trace,
                                                          const struct refrain_trace_table_options *options,
                                                          struct refrain_error *error);

#endif
