/* file_use.c: opens, finishes and frees the use of files (file_use.h). */
#include "analysis/file_use.h"
#include "analysis/file_collect.h"
#include "common/array.h"
#include "common/error.h"
#include "match/replay.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows ---- */

/* The row of a name, made if there is none; UINT32_MAX without memory. */
static uint32_t row_named(struct refrain_file_collector *collector, const char *name) {
    const uint64_t hash = refrain_table_text(REFRAIN_TABLE_TEXT, name);
    uint64_t equal = 0;
    for (uintptr_t row; (row = refrain_table_number(&collector->names, hash, equal)); equal++)
        if (strcmp(collector->rows[row - 1].use.name, name) == 0)
            return (uint32_t)row - 1;
    if (!REFRAIN_ARRAY_ROOM(collector->rows, collector->n_rows, collector->capacity_rows) ||
        !refrain_table_put(&collector->names, hash, equal, collector->n_rows + 1))
        return UINT32_MAX;
    collector->rows[collector->n_rows] =
        (struct refrain_file_row){.use = {.name = name, .sum = {.rank = -1}, .row = (uint32_t)collector->n_rows}};
    return (uint32_t)collector->n_rows++;
}

static bool add_process(struct refrain_file_collector *collector, const struct refrain_process *process) {
    if (process->rank < 0 || process->n_objects == 0)
        return true;
    uint32_t *row_of = collector->row_of[process->rank] = calloc(process->n_objects, sizeof *row_of);
    if (!row_of)
        return false;
    collector->n_numbers[process->rank] = process->n_objects;
    for (size_t i = 0; i < process->n_objects; i++) {
        const struct refrain_object *file = process->files[i].record;
        if (file && (row_of[i] = row_named(collector, refrain_process_name(process, file->name))) == UINT32_MAX)
            return false;
    }
    return true;
}

bool refrain_file_is_used(const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        for (size_t k = 0; k < trace->processes[i].n_objects; k++)
            if (trace->processes[i].files[k].record)
                return true;
    return false;
}

/* ---- the collector ---- */

static void close_collector(struct refrain_file_collector *collector) {
    for (size_t i = 0; collector->locations && i < collector->index.n; i++) {
        refrain_region_stack_free(&collector->locations[i].stack);
        free(collector->locations[i].completed);
    }
    for (size_t i = 0; collector->row_of && i < collector->n_ranks; i++)
        free(collector->row_of[i]);
    refrain_location_index_close(&collector->index);
    free(collector->locations);
    free(collector->row_of);
    free(collector->n_numbers);
    free(collector->rows);
    refrain_table_close(&collector->names); /* its values are numbers */
    refrain_table_close(&collector->pointers);
    refrain_table_free(&collector->ranks);
    refrain_table_free(&collector->under_way);
    refrain_table_free(&collector->small);
    free(collector);
}

static bool prepare(struct refrain_file_collector *collector, const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= collector->n_ranks)
            collector->n_ranks = (size_t)trace->processes[i].rank + 1;
    collector->locations = calloc(trace->n_locations + 1, sizeof *collector->locations);
    collector->row_of = calloc(collector->n_ranks + 1, sizeof *collector->row_of);
    collector->n_numbers = calloc(collector->n_ranks + 1, sizeof *collector->n_numbers);
    if (!refrain_location_index_open(&collector->index, trace) || !collector->locations || !collector->row_of ||
        !collector->n_numbers || row_named(collector, "") != 0)
        return false;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (!add_process(collector, &trace->processes[i]))
            return false;
    return true;
}

static int take(struct refrain_writer *writer, const struct refrain_event *event) {
    struct refrain_file_collector *collector = (struct refrain_file_collector *)writer;
    /* With compensated times, the end of a location is not known in advance. */
    if (event->time_ns > collector->request->to_ns && collector->n_calls == 0 && !collector->request->compensate) {
        collector->is_over = true;
        return REFRAIN_WRITER_ENOUGH;
    }
    return refrain_file_collector_event(collector, event) ? 0 : -1;
}

struct refrain_file_collector *refrain_file_collector_open(const struct refrain_trace *trace,
                                                           const struct refrain_file_request *request) {
    struct refrain_file_collector *collector = calloc(1, sizeof *collector);
    if (!collector)
        return NULL;
    collector->writer.event = take;
    collector->request = request;
    if (prepare(collector, trace))
        return collector;
    close_collector(collector);
    return NULL;
}

/* ---- sums ---- */

/* The mean of the sizes that are in the same power of two as the median. */
static uint64_t typical_of(const struct refrain_file_sizes *sizes) {
    uint64_t accesses = 0, before = 0;
    for (unsigned i = 0; i < REFRAIN_FILE_SIZES; i++)
        accesses += sizes[i].accesses;
    for (unsigned i = 0; i < REFRAIN_FILE_SIZES; i++) {
        before += sizes[i].accesses;
        if (sizes[i].accesses && before >= (accesses + 1) / 2)
            return sizes[i].bytes / sizes[i].accesses;
    }
    return 0;
}

static void set_sizes(struct refrain_file_row *row) {
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++) {
        struct refrain_file_manner *manner = &row->use.manner[d];
        manner->typical_bytes = typical_of(row->sizes[d]);
        for (unsigned i = 0; (uint64_t)1 << i <= REFRAIN_SMALL_ACCESS_BYTES && i < REFRAIN_FILE_SIZES; i++) {
            manner->small += row->sizes[d][i].accesses;
            manner->small_bytes += row->sizes[d][i].bytes;
        }
    }
}

static void add_flow(struct refrain_file_flow *sum, const struct refrain_file_flow *flow) {
    if (flow->accesses > flow->unknown) {
        bool is_first = sum->accesses == sum->unknown;
        sum->least_bytes = is_first || flow->least_bytes < sum->least_bytes ? flow->least_bytes : sum->least_bytes;
        sum->most_bytes = flow->most_bytes > sum->most_bytes ? flow->most_bytes : sum->most_bytes;
    }
    sum->accesses += flow->accesses;
    sum->unknown += flow->unknown;
    sum->bytes += flow->bytes;
    sum->ns += flow->ns;
}

static void add_rank(struct refrain_file_rank *sum, const struct refrain_file_rank *rank) {
    sum->calls += rank->calls;
    sum->other_ns += rank->other_ns;
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        add_flow(&sum->flow[d], &rank->flow[d]);
}

/* Adds a row, with its sizes, to that of all files together. */
static void add_to_all(struct refrain_file_row *all, const struct refrain_file_row *row) {
    add_rank(&all->use.sum, &row->use.sum);
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++) {
        const struct refrain_file_manner *manner = &row->use.manner[d];
        struct refrain_file_manner *sum = &all->use.manner[d];
        sum->collective += manner->collective;
        sum->nonblocking += manner->nonblocking;
        sum->sequential += manner->sequential;
        for (unsigned i = 0; i < REFRAIN_MPI_POINTERS; i++)
            sum->at[i] += manner->at[i];
        for (unsigned i = 0; i < REFRAIN_FILE_SIZES; i++) {
            all->sizes[d][i].accesses += row->sizes[d][i].accesses;
            all->sizes[d][i].bytes += row->sizes[d][i].bytes;
        }
    }
}

/* Compares the time of a rank with the longest so far. */
static void set_longest(struct refrain_file_use *use, const struct refrain_file_rank *rank) {
    const int64_t ns = refrain_file_rank_ns(rank);
    use->longest_ns = ns > use->longest_ns ? ns : use->longest_ns;
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++) {
        struct refrain_file_manner *manner = &use->manner[d];
        if (rank->flow[d].accesses == 0 && rank->flow[d].ns == 0)
            continue;
        if (manner->longest_rank < 0 || rank->flow[d].ns > manner->longest_ns) {
            manner->longest_ns = rank->flow[d].ns;
            manner->longest_rank = rank->rank;
        }
    }
}

static int by_rank(const void *a, const void *b) {
    const struct refrain_file_rank *x = a, *y = b;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Sums a row over its ranks, and `of_rank` over the rows. */
static void sum_row(struct refrain_file_row *row, struct refrain_file_rank *of_rank) {
    struct refrain_file_use *use = &row->use;
    for (unsigned d = 0; d < REFRAIN_FILE_DIRECTIONS; d++)
        use->manner[d].longest_rank = -1;
    qsort(use->ranks, use->n_ranks, sizeof *use->ranks, by_rank);
    for (size_t i = 0; i < use->n_ranks; i++) {
        add_rank(&use->sum, &use->ranks[i]);
        add_rank(&of_rank[use->ranks[i].rank], &use->ranks[i]);
        set_longest(use, &use->ranks[i]);
    }
    set_sizes(row);
}

/* Gives the rows the ranks of the table. False without memory. */
static bool collect_ranks(struct refrain_file_collector *collector) {
    struct refrain_file_row *rows = collector->rows;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&collector->ranks, slot));)
        rows[slot->a].use.n_ranks++;
    for (size_t i = 0; i < collector->n_rows; i++) {
        if (rows[i].use.n_ranks && !(rows[i].use.ranks = calloc(rows[i].use.n_ranks, sizeof *rows[i].use.ranks)))
            return false;
        rows[i].use.n_ranks = 0;
    }
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&collector->ranks, slot));)
        rows[slot->a].use.ranks[rows[slot->a].use.n_ranks++] = *(struct refrain_file_rank *)slot->object;
    return true;
}

static int by_time(const void *a, const void *b) {
    const struct refrain_file_use *x = a, *y = b;
    int64_t x_ns = refrain_file_rank_ns(&x->sum), y_ns = refrain_file_rank_ns(&y->sum);
    return x_ns != y_ns ? (x_ns < y_ns ? 1 : -1) : strcmp(x->name, y->name);
}

/* Rows that were used, by time, and the sum of all. False without memory. */
static bool make_rows(struct refrain_file_collector *collector, struct refrain_file_uses *uses) {
    struct refrain_file_row all = {.use = {.sum = {.rank = -1}}};
    struct refrain_file_rank *of_rank = calloc(collector->n_ranks + 1, sizeof *of_rank);
    uses->rows = calloc(collector->n_rows + 1, sizeof *uses->rows);
    bool whole = of_rank && uses->rows && collect_ranks(collector);
    for (size_t i = 0; i < collector->n_rows; i++) {
        struct refrain_file_row *row = &collector->rows[i];
        if (whole && row->use.n_ranks) {
            sum_row(row, of_rank);
            add_to_all(&all, row);
            uses->rows[uses->n++] = row->use;
        } else {
            free(row->use.ranks);
        }
    }
    for (size_t i = 0; whole && i < collector->n_ranks; i++) {
        of_rank[i].rank = (int32_t)i;
        all.use.n_ranks += of_rank[i].calls > 0 || refrain_file_rank_ns(&of_rank[i]) > 0;
    }
    all.use.manner[REFRAIN_FILE_READ].longest_rank = all.use.manner[REFRAIN_FILE_WRITTEN].longest_rank = -1;
    for (size_t i = 0; whole && i < collector->n_ranks; i++)
        set_longest(&all.use, &of_rank[i]);
    set_sizes(&all);
    uses->all = all.use;
    free(of_rank);
    if (whole)
        qsort(uses->rows, uses->n, sizeof *uses->rows, by_time);
    return whole;
}

/* Moves small accesses by call site from their table. False without memory. */
static bool take_small(struct refrain_file_collector *collector, struct refrain_file_uses *uses) {
    const struct refrain_file_use **use_of = calloc(collector->n_rows, sizeof(struct refrain_file_use *));
    uses->small = calloc(collector->small.n + 1, sizeof(struct refrain_file_small *));
    const bool whole = use_of && uses->small;
    for (size_t i = 0; whole && i < uses->n; i++)
        use_of[uses->rows[i].row] = &uses->rows[i];
    for (const struct refrain_table_slot *slot = NULL; whole && (slot = refrain_table_next(&collector->small, slot));) {
        struct refrain_file_small *small = slot->object;
        small->use = use_of[small->row];
        uses->small[uses->n_small++] = small;
    }
    if (whole)
        refrain_table_close(&collector->small);
    free(use_of);
    return whole;
}

/* ---- the end ---- */

/* Calls and accesses that are open at the end of the trace (a killed run) or of the window end there. */
static void finish_location(struct refrain_file_collector *collector, size_t number, struct refrain_file_uses *uses) {
    struct refrain_file_location *location = &collector->locations[number];
    const struct refrain_location_info *info = &collector->index.locations[number];
    const int64_t to_ns = collector->request->to_ns;
    if (!location->begun)
        return;
    if (collector->is_over && info->end_ns > to_ns)
        location->last_ns = to_ns;
    while (location->stack.depth)
        refrain_file_collector_pop(collector, number, location->last_ns);
    if (collector->request->rank < 0 || collector->request->rank == info->rank)
        uses->run_ns += refrain_file_collector_cut(collector, location->last_ns) -
                        refrain_file_collector_cut(collector, location->first_ns);
}

/* Accesses that never ended. In a window that ends before the run they may end later. */
static void finish_under_way(struct refrain_file_collector *collector) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&collector->under_way, slot));) {
        const int32_t rank = collector->index.locations[slot->a].rank;
        if (!collector->is_over && (collector->request->rank < 0 || collector->request->rank == rank))
            refrain_file_collector_unknown(collector, slot->object, rank);
    }
}

bool refrain_file_collector_end(struct refrain_file_collector *collector, struct refrain_file_uses *uses) {
    *uses = (struct refrain_file_uses){.approximate = collector->approximate};
    for (size_t i = 0; i < collector->index.n; i++)
        finish_location(collector, i, uses);
    finish_under_way(collector);
    bool whole = make_rows(collector, uses) && take_small(collector, uses) && !collector->no_memory;
    close_collector(collector);
    return whole;
}

enum refrain_status refrain_file_uses_open(struct refrain_trace *trace, const struct refrain_file_request *request,
                                           struct refrain_file_uses *uses, struct refrain_error *error) {
    struct refrain_file_collector *collector = refrain_file_collector_open(trace, request);
    *uses = (struct refrain_file_uses){0};
    if (!collector)
        return REFRAIN_FAIL_MEMORY(error);
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.recorded = request->recorded;
    options.compensate = request->compensate;
    struct refrain_writer *writer =
        request->around ? request->around(request->around_data, &collector->writer) : &collector->writer;
    enum refrain_status status = refrain_write(trace, &options, writer, NULL, error);
    return refrain_file_collector_end(collector, uses) ? status : REFRAIN_FAIL_MEMORY(error);
}

void refrain_file_uses_close(struct refrain_file_uses *uses) {
    for (size_t i = 0; i < uses->n; i++)
        free(uses->rows[i].ranks);
    for (size_t i = 0; i < uses->n_small; i++)
        refrain_free(uses->small[i]);
    free(uses->rows);
    free(uses->small);
    *uses = (struct refrain_file_uses){0};
}
