/* sample_rows.c: adds up the samples of all threads by function, call path or MPI call (sample_rows.h). */
#include "analysis/sample_rows.h"
#include "common/array.h"
#include "common/path.h"
#include "common/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct work {
    struct refrain_sample_rows *rows;
    struct refrain_table functions, paths, gaps; /* index + 1 */
    size_t functions_room, paths_room, gaps_room, moments_room;
    uint32_t *path_of; /* of the current thread: index of the path of each node */
    size_t path_of_room;
};

/* ---- functions, paths ---- */

static struct refrain_sample_function function_of(const struct refrain_process *process,
                                                  const struct refrain_sample_node_view *node) {
    return (struct refrain_sample_function){
        .name = node->name,
        .file = node->file,
        .line = node->line,
        .object = node->record->object ? refrain_process_name(process, node->record->object) : ""};
}

/* Index + 1 of the function; 0 without memory. */
static uint32_t find_function(struct work *work, const struct refrain_sample_function *wanted) {
    struct refrain_sample_rows *rows = work->rows;
    uint64_t a = refrain_table_text(REFRAIN_TABLE_TEXT, wanted->name);
    uint64_t b = refrain_table_text(refrain_table_text(a, wanted->file), wanted->object);
    uintptr_t found = refrain_table_number(&work->functions, a, b);
    if (found)
        return (uint32_t)found;
    if (!REFRAIN_ARRAY_ROOM(rows->functions, rows->n_functions, work->functions_room) ||
        !refrain_table_put(&work->functions, a, b, rows->n_functions + 1))
        return 0;
    rows->functions[rows->n_functions++] = *wanted;
    return (uint32_t)rows->n_functions;
}

/* Index + 1 of the function below that path; 0 without memory. */
static uint32_t find_path(struct work *work, uint32_t parent, uint32_t function) {
    struct refrain_sample_rows *rows = work->rows;
    uintptr_t found = refrain_table_number(&work->paths, parent, function);
    if (found)
        return (uint32_t)found;
    if (!REFRAIN_ARRAY_ROOM(rows->paths, rows->n_paths, work->paths_room) ||
        !refrain_table_put(&work->paths, parent, function, rows->n_paths + 1))
        return 0;
    rows->paths[rows->n_paths++] = (struct refrain_sample_path){.parent = parent, .function = function};
    return (uint32_t)rows->n_paths;
}

/* Finds the paths of the nodes of a thread. Callers come before callees. */
static bool find_paths(struct work *work, const struct refrain_process *process,
                       const struct refrain_samples_view *view) {
    if (!REFRAIN_ARRAY_ROOMS(work->path_of, 0, view->n_nodes + 1, work->path_of_room))
        return false;
    for (size_t i = 0; i < view->n_nodes; i++) {
        const struct refrain_sample_node_view *node = &view->nodes[i];
        const struct refrain_sample_function wanted = function_of(process, node);
        uint32_t function = find_function(work, &wanted), parent = node->record->parent, path;
        if (!function || !(path = find_path(work, parent ? work->path_of[parent - 1] + 1 : 0, function - 1)))
            return false;
        work->path_of[i] = path - 1;
    }
    return true;
}

/* ---- counts ---- */

static bool is_above(const struct refrain_sample_rows *rows, uint32_t path, uint32_t function) {
    for (uint32_t at = rows->paths[path].parent; at; at = rows->paths[at - 1].parent)
        if (rows->paths[at - 1].function == function)
            return true;
    return false;
}

static void add_to_path(struct refrain_sample_rows *rows, uint32_t path, uint64_t samples) {
    rows->paths[path].own += samples;
    rows->functions[rows->paths[path].function].own += samples;
    for (uint32_t at = path + 1; at; at = rows->paths[at - 1].parent) {
        uint32_t function = rows->paths[at - 1].function;
        rows->paths[at - 1].all += samples;
        if (!is_above(rows, at - 1, function)) /* in a recursion, the outermost activation counts */
            rows->functions[function].all += samples;
    }
}

static const struct refrain_region_info *call_of(const struct refrain_process *process, uint32_t call) {
    const uint32_t number = call & ~REFRAIN_SAMPLE_INSIDE;
    const struct refrain_call_site_view *view = number ? refrain_process_call_site(process, number - 1) : NULL;
    return view ? view->region : NULL;
}

/* Equal for all gaps in, or after, one call. */
static uint64_t key_of(const struct refrain_sample_gap *gap) {
    return gap->call ? 2 * (uint64_t)gap->call->index + 2 + gap->inside : 0;
}

/* True for the C library with its loader and mathematical functions, and for the kernel's code that stands in for it
 * (vdso). */
static bool is_of_c_library(const char *object) {
    static const char *const names[] = {"libc.so", "libm.so", "linux-vdso", "ld-linux"};
    const char *name = refrain_base_name(object);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

uint32_t refrain_sample_computing(const struct refrain_sample_rows *rows, uint32_t path) {
    const struct refrain_sample_path *at = &rows->paths[path];
    while (at->parent && is_of_c_library(rows->functions[at->function].object))
        at = &rows->paths[at->parent - 1];
    return at->function;
}

static bool add_to_gap(struct work *work, const struct refrain_process *process, uint32_t call, uint32_t path,
                       uint64_t samples) {
    struct refrain_sample_rows *rows = work->rows;
    const uint32_t function = rows->paths[path].function;
    const struct refrain_region_info *region = call_of(process, call);
    const struct refrain_sample_gap gap = {region, region && call & REFRAIN_SAMPLE_INSIDE, function, 0};
    uint64_t key = key_of(&gap);
    uintptr_t found = refrain_table_number(&work->gaps, key, function);
    if (!found) {
        if (!REFRAIN_ARRAY_ROOM(rows->gaps, rows->n_gaps, work->gaps_room) ||
            !refrain_table_put(&work->gaps, key, function, found = rows->n_gaps + 1))
            return false;
        rows->gaps[rows->n_gaps++] = gap;
    }
    rows->gaps[found - 1].own += samples;
    if (!gap.inside) {
        rows->functions[refrain_sample_computing(rows, path)].computing += samples;
        rows->computing += samples;
    }
    return true;
}

static bool add_moment(struct work *work, const struct refrain_process *process,
                       const struct refrain_sample_count *count, uint32_t path) {
    struct refrain_sample_rows *rows = work->rows;
    if (!REFRAIN_ARRAY_ROOM(rows->moments, rows->n_moments, work->moments_room))
        return false;
    struct refrain_sample_moment *moment = &rows->moments[rows->n_moments++];
    *moment = (struct refrain_sample_moment){
        .rank = process->rank, .path = path, .call = call_of(process, count->call), .own = count->samples};
    moment->inside = moment->call && count->call & REFRAIN_SAMPLE_INSIDE;
    refrain_process_sample_times(process, count, &moment->from_ns, &moment->to_ns);
    return true;
}

static bool add_thread(struct work *work, const struct refrain_process *process,
                       const struct refrain_samples_view *view) {
    struct refrain_sample_rows *rows = work->rows;
    rows->taken += view->record->taken;
    rows->cut += view->record->cut;
    rows->merged += view->record->merged;
    rows->lost += view->record->lost;
    rows->n_threads++;
    if (!find_paths(work, process, view))
        return false;
    for (size_t i = 0; i < view->n_counts; i++) {
        const struct refrain_sample_count *count = &view->counts[i];
        uint32_t path = work->path_of[count->node];
        add_to_path(rows, path, count->samples);
        if (!add_to_gap(work, process, count->call, path, count->samples) || !add_moment(work, process, count, path))
            return false;
    }
    return true;
}

/* ---- order ---- */

static int greater_first(uint64_t a, uint64_t b) {
    return (a < b) - (a > b);
}

struct ranked {
    struct refrain_sample_function function;
    uint32_t before; /* index */
};

static int by_own(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    int order = greater_first(x->function.own, y->function.own);
    if (order == 0)
        order = greater_first(x->function.all, y->function.all);
    if (order == 0)
        order = strcmp(x->function.name, y->function.name);
    return order ? order : (x->before > y->before) - (x->before < y->before);
}

/* Sorts the functions and adjusts the indices that refer to them. */
static bool order_functions(struct refrain_sample_rows *rows) {
    size_t n = rows->n_functions;
    struct ranked *ranked = malloc((n + 1) * sizeof *ranked);
    uint32_t *now = malloc((n + 1) * sizeof *now);
    bool sound = ranked && now;
    for (size_t i = 0; sound && i < n; i++)
        ranked[i] = (struct ranked){rows->functions[i], (uint32_t)i};
    if (sound && n)
        qsort(ranked, n, sizeof *ranked, by_own);
    for (size_t i = 0; sound && i < n; i++) {
        rows->functions[i] = ranked[i].function;
        now[ranked[i].before] = (uint32_t)i;
    }
    for (size_t i = 0; sound && i < rows->n_paths; i++)
        rows->paths[i].function = now[rows->paths[i].function];
    for (size_t i = 0; sound && i < rows->n_gaps; i++)
        rows->gaps[i].function = now[rows->gaps[i].function];
    free(ranked);
    free(now);
    return sound;
}

static int by_call(const void *a, const void *b) {
    const struct refrain_sample_gap *x = a, *y = b;
    uint64_t p = key_of(x), q = key_of(y);
    return p != q ? (p > q) - (p < q) : greater_first(x->own, y->own);
}

struct gap_group {
    size_t first, n;
    uint64_t own;
};

static int by_total(const void *a, const void *b) {
    const struct gap_group *x = a, *y = b;
    int order = greater_first(x->own, y->own);
    return order ? order : (x->first > y->first) - (x->first < y->first);
}

/* Sorts gaps by their samples, and in each gap the functions by their samples, most first. */
static bool order_gaps(struct refrain_sample_rows *rows) {
    size_t n = rows->n_gaps, n_groups = 0, at = 0;
    struct gap_group *groups = malloc((n + 1) * sizeof *groups);
    struct refrain_sample_gap *all = malloc((n + 1) * sizeof *all);
    if (groups && all && n) {
        qsort(rows->gaps, n, sizeof *rows->gaps, by_call);
        for (size_t i = 0; i < n; i++) {
            if (i == 0 || key_of(&rows->gaps[i - 1]) != key_of(&rows->gaps[i]))
                groups[n_groups++] = (struct gap_group){.first = i};
            groups[n_groups - 1].n++;
            groups[n_groups - 1].own += rows->gaps[i].own;
        }
        qsort(groups, n_groups, sizeof *groups, by_total);
        for (size_t i = 0; i < n_groups; at += groups[i++].n)
            memcpy(all + at, rows->gaps + groups[i].first, groups[i].n * sizeof *all);
        memcpy(rows->gaps, all, n * sizeof *all);
    }
    bool sound = groups && all;
    free(groups);
    free(all);
    return sound;
}

enum refrain_status refrain_sample_rows_make(const struct refrain_trace *trace, int32_t rank,
                                             struct refrain_sample_rows *rows, struct refrain_error *error) {
    struct work work = {.rows = rows};
    bool sound = true;
    *rows = (struct refrain_sample_rows){0};
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (rank >= 0 && process->rank != rank)
            continue;
        rows->hz = process->header->sample_hz ? process->header->sample_hz : rows->hz;
        rows->n_ranks += process->n_samples > 0;
        for (size_t k = 0; sound && k < process->n_samples; k++)
            sound = add_thread(&work, process, &process->samples[k]);
    }
    sound = sound && order_functions(rows) && order_gaps(rows);
    refrain_table_close(&work.functions);
    refrain_table_close(&work.paths);
    refrain_table_close(&work.gaps);
    free(work.path_of);
    return sound ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

void refrain_sample_rows_free(struct refrain_sample_rows *rows) {
    free(rows->functions);
    free(rows->paths);
    free(rows->gaps);
    free(rows->moments);
    *rows = (struct refrain_sample_rows){0};
}

double *refrain_sample_over_time(const struct refrain_sample_rows *rows, bool computing, int64_t end_ns, size_t parts) {
    double *samples = calloc(rows->n_functions * parts + 1, sizeof *samples);
    const double width = (double)end_ns / (double)parts;
    for (size_t i = 0; samples && i < rows->n_moments; i++) {
        const struct refrain_sample_moment *moment = &rows->moments[i];
        if (computing && moment->inside)
            continue;
        const uint32_t function =
            computing ? refrain_sample_computing(rows, moment->path) : rows->paths[moment->path].function;
        /* A stretch ends behind the run's end, or begins before its start, if it is the last or the first one. */
        const double from = fmax((double)moment->from_ns, 0), to = fmin((double)moment->to_ns, (double)end_ns);
        for (size_t part = 0; part < parts && to > from; part++) {
            const double begin = width * (double)part, common = fmin(to, begin + width) - fmax(from, begin);
            if (common > 0)
                samples[function * parts + part] += (double)moment->own * common / (to - from);
        }
    }
    return samples;
}

double refrain_sample_ns(const struct refrain_sample_rows *rows, uint64_t samples) {
    return rows->hz ? (double)samples * 1e9 / rows->hz : 0;
}

double refrain_sample_uncertainty_ns(const struct refrain_sample_rows *rows, uint64_t samples) {
    return rows->hz ? sqrt((double)samples) * 1e9 / rows->hz : 0;
}
