/* view_about.c: writes as JSON what the page shows besides its picture: program tree, formulas, losses and more
 * (view_about.h). */
#define _GNU_SOURCE
#include "view/view_about.h"
#include "analysis/profile.h"
#include "commands/command.h"
#include "commands/counter_table.h"
#include "commands/resident_text.h"
#include "common/path.h"
#include "times/block_times.h"
#include "view/view_findings.h"
#include "view/view_formulas.h"
#include "view/view_samples.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- what is missing ---- */

static void note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(json_t *notes, const char *format, ...) {
    va_list arguments;
    char *text;
    va_start(arguments, format);
    int n = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (n < 0)
        return;
    json_array_append_new(notes, refrain_json_text(text));
    free(text);
}

static json_t *notes_json(const struct refrain_trace *trace) {
    json_t *notes = json_array();
    if (trace->n_missing)
        note(notes, "%zu of %d ranks have no trace file, the first of them rank %d: what they did is not shown.",
             trace->n_missing, trace->size, trace->missing[0]);
    size_t unfinished = 0, left_out = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        unfinished += !trace->processes[i].header->finished;
        left_out += trace->processes[i].n_left_out != 0;
    }
    if (unfinished)
        note(notes,
             "%zu of %zu processes were killed, ended by _exit or exec, or still run: they are shown as far as they "
             "came.",
             unfinished, trace->n_processes);
    if (left_out)
        note(notes, "%zu processes ran on while they were read, and are shown up to some moment before.", left_out);
    size_t n;
    const struct refrain_loss_info *losses = refrain_trace_losses(trace, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = 0;
        size_t ranks = 0, earlier = 0;
        for (size_t j = 0; j < n; j++)
            if (strcmp(losses[j].what, losses[i].what) == 0) {
                earlier += j < i;
                sum += losses[j].count;
                ranks++;
            }
        if (!earlier)
            note(notes, "Lost on %zu of %zu ranks: %s %s.", ranks, trace->n_processes, refrain_show_count(sum),
                 losses[i].what);
    }
    return notes;
}

/* ---- program tree ---- */

/* Longer runs show no times of loops. A walk over this many blocks takes some tenths of a second. */
#define MOST_BLOCKS_WALKED 5000000u

/* The node below which this one is shown: the innermost loop or function around it. 0, the root, if there is none. */
static uint32_t shown_parent(const struct refrain_unit_view *view, uint32_t node) {
    while (node != 0 && view->nodes[node].kind != REFRAIN_FUNCTION && !refrain_kind_is_loop(view->nodes[node].kind))
        node = view->nodes[node].parent;
    return node;
}

/* A time; null if it is unknown (-1). */
static json_t *time_json(long double ns) {
    return ns < 0 ? json_null() : json_real((double)ns);
}

static json_t *node_json(const char *kind, const char *name, const char *file, uint32_t line, uint64_t count,
                         long double time_ns, long double own_ns, long double mpi_ns, long double files_ns,
                         const struct refrain_profile_total *total, const struct refrain_metric_totals *metrics) {
    json_t *object = json_pack("{s:s, s:o, s:o, s:I, s:s, s:I, s:o, s:o, s:f, s:f}", "kind", kind, "name",
                               refrain_json_text(name), "file", refrain_json_text(file), "line", (json_int_t)line,
                               "function", "", "count", (json_int_t)count, "time_ns", time_json(time_ns), "own_ns",
                               time_json(own_ns), "mpi_ns", (double)mpi_ns, "files_ns", (double)files_ns);
    json_t *counted = json_array();
    for (size_t i = 0; i < total->n_metrics; i++)
        json_array_append_new(counted,
                              json_pack("[o, o]", refrain_json_text(total->metric_names[i]),
                                        json_string(refrain_show_metric(total->metric_names[i], metrics->value[i]))));
    if (total->n_metrics)
        json_object_set(object, "metrics", counted);
    json_decref(counted);
    return object;
}

static json_t *call_json(const struct refrain_profile_call_site *call_site, const struct refrain_profile_total *total) {
    const struct refrain_region_info *region = call_site->region;
    const bool is_files = region->kind == REFRAIN_REGION_IO;
    json_t *object = node_json("call", region->name, region->file, region->line, call_site->calls, call_site->ns, 0,
                               is_files ? 0 : call_site->ns, is_files ? call_site->ns : 0, total, &call_site->metrics);
    json_object_set_new(object, "function", refrain_json_text(region->function));
    return object;
}

/* Adds the functions, loops and call sites of a unit. Parents come before children, so that one pass is enough. */
static void add_unit(json_t *functions, const struct refrain_profile_total *total,
                     const struct refrain_profile_unit *unit) {
    const struct refrain_unit_view *view = unit->view;
    uint32_t n = view->record->n_nodes;
    json_t **shown = calloc((size_t)n + 1, sizeof(json_t *));
    for (uint32_t i = 0; shown && i < n; i++) {
        const struct refrain_node *source = &view->nodes[i];
        const struct refrain_profile_node *node = &unit->nodes[i];
        bool function = source->kind == REFRAIN_FUNCTION;
        if (!(function && node->visits) && !(refrain_kind_is_loop(source->kind) && (node->visits || node->entries)))
            continue;
        json_t *parent = function ? functions : shown[shown_parent(view, source->parent)];
        if (!parent)
            continue;
        static const char *const loops[] = {"while", "for", "do"};
        const struct refrain_span_times *span = unit->spans ? &unit->spans[2 * (size_t)i] : NULL;
        bool known = function || (span && refrain_span_is_known(span));
        long double time_ns = !known                   ? -1
                              : !function              ? refrain_span_total_ns(span)
                              : node->inclusive_ns > 0 ? node->inclusive_ns
                                                       : node->own_total_ns + node->mpi_total_ns + node->files_total_ns;
        json_t *object = node_json(function ? "function" : "loop",
                                   function ? refrain_node_name(view, source) : loops[source->kind - REFRAIN_WHILE],
                                   refrain_node_file(view, source), source->line, node->visits, time_ns,
                                   function                                ? node->own_total_ns
                                   : known && refrain_span_knows_own(span) ? refrain_span_own_ns(span)
                                                                           : -1,
                                   node->mpi_total_ns, node->files_total_ns, total, &node->metrics);
        shown[i] = json_array();
        json_object_set_new(object, "children", shown[i]);
        json_array_append_new(parent, object);
    }
    for (size_t s = 0; shown && s < unit->n_call_sites; s++) {
        const struct refrain_profile_call_site *call_site = &unit->call_sites[s];
        json_t *parent = shown[shown_parent(view, call_site->node)];
        if (parent)
            json_array_append_new(parent, call_json(call_site, total));
    }
    free(shown);
}

static enum refrain_status tree_json(const struct refrain_trace *trace, json_t **tree, struct refrain_error *error) {
    struct refrain_profile_total total;
    bool spans = refrain_trace_times(trace).blocks <= MOST_BLOCKS_WALKED;
    enum refrain_status status = refrain_profile_open(trace, -1, spans, &total, error);
    if (status)
        return status;
    *tree = json_array();
    for (size_t u = 0; u < total.n_units; u++)
        add_unit(*tree, &total, &total.units[u]);
    for (size_t s = 0; s < total.outside.n_call_sites; s++)
        json_array_append_new(*tree, call_json(&total.outside.call_sites[s], &total));
    refrain_profile_close(&total);
    return REFRAIN_OK;
}

/* ---- the whole ---- */

static json_t *processes_json(const struct refrain_trace *trace) {
    json_t *processes = json_array();
    for (size_t i = 0; i < trace->n_processes; i++)
        json_array_append_new(processes, json_pack("{s:i, s:I}", "rank", (int)trace->processes[i].rank, "bytes",
                                                   (json_int_t)trace->processes[i].header->pool_used));
    return processes;
}

static json_t *missing_json(const struct refrain_trace *trace) {
    json_t *missing = json_array();
    for (size_t i = 0; i < trace->n_missing; i++)
        json_array_append_new(missing, json_integer(trace->missing[i]));
    return missing;
}

enum refrain_status refrain_view_about(struct refrain_trace *trace, json_t **about, struct refrain_error *error) {
    json_t *tree = NULL, *formulas = NULL, *samples = NULL;
    size_t left_out = 0;
    enum refrain_status status = tree_json(trace, &tree, error);
    if (!status)
        status = refrain_view_formulas(trace, &formulas, &left_out, error);
    if (!status)
        status = refrain_view_samples(trace, &samples, error);
    struct refrain_counters counters = {0};
    if (!status)
        status = refrain_counters_open(trace, -1, &counters, error);
    if (status) {
        json_decref(tree);
        json_decref(formulas);
        json_decref(samples);
        return status;
    }
    json_t *of_counters = refrain_counters_json(&counters);
    refrain_counters_close(&counters);
    const struct refrain_process *first = &trace->processes[0];
    const char *executable = refrain_process_name(first, first->header->executable);
    char started[64] = "";
    time_t seconds = (time_t)(trace->start_realtime_ns / 1000000000u);
    struct tm local;
    if (localtime_r(&seconds, &local))
        strftime(started, sizeof started, "%Y-%m-%d %H:%M:%S", &local);
    json_t *notes = notes_json(trace);
    if (left_out)
        note(notes,
             "The page has no room for the formulas of %zu further sequences of values: refrain formulas has them.",
             left_out);
    *about = json_pack("{s:s, s:o, s:o, s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version",
                       REFRAIN_VERSION, "program", refrain_json_text(refrain_base_name(executable)), "path",
                       refrain_json_text(trace->path), "started", started, "size", (int)trace->size, "missing",
                       missing_json(trace), "notes", notes, "tree", tree, "formulas", formulas, "processes",
                       processes_json(trace), "counters", of_counters, "memory", refrain_resident_json(trace),
                       "samples", samples, "report", refrain_view_findings(trace));
    return *about ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
