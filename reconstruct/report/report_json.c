/* report_json.c: writes a report as JSON (report.h); docs/report.md describes its members. */
#include "commands/command.h"
#include "commands/resident_text.h"
#include "report/report.h"

#include <jansson.h>

#define SCHEMA_VERSION 1 /* raised when a member is removed or changes its meaning */

static json_t *region_json(const struct refrain_region_info *region) {
    if (!region)
        return json_null();
    json_t *object = json_object();
    json_object_set_new(object, "name", refrain_json_text(region->name));
    json_object_set_new(object, "file", refrain_json_text(region->file));
    json_object_set_new(object, "line", json_integer(region->line));
    if (region->kind == REFRAIN_REGION_MPI)
        json_object_set_new(object, "in_function", refrain_json_text(region->function));
    return object;
}

static json_t *finding_json(const struct refrain_report *report, const struct refrain_finding *finding) {
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(refrain_finding_name(finding->kind)));
    json_object_set_new(object, "cost_ns", json_integer((json_int_t)finding->cost_ns));
    json_object_set_new(object, "cost_percent", json_real(100 * finding->cost_ns / report->run_ns));
    json_object_set_new(object, "at_most", json_boolean(finding->at_most));
    json_object_set_new(object, "sentence", json_string(finding->sentence));
    json_object_set_new(object, "detail", json_string(finding->detail));
    json_object_set_new(object, "rank", finding->rank < 0 ? json_null() : json_integer(finding->rank));
    json_object_set_new(object, "function", region_json(finding->function));
    json_object_set_new(object, "call", region_json(finding->call));
    json_object_set_new(object, "waits_in", region_json(finding->waits_in));
    if (finding->to_ns > finding->from_ns) {
        json_object_set_new(object, "from_ns", json_integer(finding->from_ns));
        json_object_set_new(object, "to_ns", json_integer(finding->to_ns));
    }
    json_object_set_new(object, "command", json_string(finding->command));
    return object;
}

static json_t *efficiency_json(const struct refrain_efficiency *efficiency) {
    if (!efficiency->known)
        return json_null();
    return json_pack("{s:f,s:f,s:f,s:f,s:[s,s]}", "parallel", efficiency->parallel, "load_balance", efficiency->balance,
                     "serialisation", efficiency->serialisation, "transfer", efficiency->transfer, "estimates",
                     "serialisation", "transfer");
}

static json_t *repetition_json(const struct refrain_delays *delays) {
    const struct refrain_beat *beat = delays->beat;
    if (!beat)
        return json_null();
    return json_pack("{s:o,s:i,s:I,s:f,s:f,s:I,s:I,s:I}", "call", region_json(beat->region), "rank", (int)beat->rank,
                     "iterations", (json_int_t)beat->count, "median_ns", beat->median_ns, "share_percent",
                     100 * beat->regular_ns / (double)(delays->to_ns - delays->from_ns), "longest",
                     (json_int_t)beat->longest, "longest_from_ns", (json_int_t)beat->longest_from_ns, "longest_to_ns",
                     (json_int_t)beat->longest_to_ns);
}

/* True if both bins have the same rank and place. */
static bool is_alike(const struct refrain_delay_path_bin *a, const struct refrain_delay_path_bin *b) {
    if (a->rank != b->rank || !a->place || !b->place)
        return a->rank == b->rank && a->place == b->place;
    return refrain_delay_group_is(refrain_delay_group(a->place), refrain_delay_group(b->place));
}

/* Joins neighbouring bins that are alike. */
static json_t *path_json(const struct refrain_delays *delays) {
    static const char *const doings[REFRAIN_DOINGS] = {"computing", "waiting", "transmission", "management", "paused"};
    json_t *pieces = json_array();
    for (size_t bin = 0, end; bin < REFRAIN_DELAY_BINS; bin = end) {
        const struct refrain_delay_path_bin *first = &delays->path_bins[bin];
        int64_t path_ns = 0, rank_ns = 0, place_ns = 0;
        for (end = bin; end < REFRAIN_DELAY_BINS && is_alike(first, &delays->path_bins[end]); end++) {
            path_ns += delays->path_bins[end].path_ns;
            rank_ns += delays->path_bins[end].rank_ns;
            place_ns += delays->path_bins[end].place_ns;
        }
        if (first->rank < 0)
            continue;
        int64_t from_ns = (int64_t)bin * delays->bin_ns, to_ns = (int64_t)end * delays->bin_ns;
        const struct refrain_delay_place *place = first->place;
        json_array_append_new(pieces, json_pack("{s:I,s:I,s:i,s:I,s:I,s:I,s:o,s:o,s:o}", "from_ns",
                                                (json_int_t)(from_ns > delays->from_ns ? from_ns : delays->from_ns),
                                                "to_ns", (json_int_t)(to_ns < delays->to_ns ? to_ns : delays->to_ns),
                                                "rank", (int)first->rank, "path_ns", (json_int_t)path_ns, "rank_ns",
                                                (json_int_t)rank_ns, "place_ns", (json_int_t)place_ns, "doing",
                                                place ? json_string(doings[place->doing]) : json_null(), "function",
                                                region_json(place ? place->function : NULL), "call",
                                                region_json(place && !place->function ? place->call : NULL)));
    }
    return pieces;
}

static json_t *rank_json(const struct refrain_delay_rank *rank, int32_t number) {
    return json_pack("{s:i,s:I,s:I,s:I,s:I,s:I}", "rank", (int)number, "computing_ns",
                     (json_int_t)rank->doing_ns[REFRAIN_DOING_COMPUTING], "waiting_ns",
                     (json_int_t)rank->doing_ns[REFRAIN_DOING_WAITING], "transmission_ns",
                     (json_int_t)rank->doing_ns[REFRAIN_DOING_TRANSMISSION], "management_ns",
                     (json_int_t)rank->doing_ns[REFRAIN_DOING_MANAGEMENT], "paused_ns",
                     (json_int_t)rank->doing_ns[REFRAIN_DOING_PAUSED]);
}

static json_t *texts_json(char *const *texts, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

static json_t *samples_json(const struct refrain_report *report) {
    const struct refrain_sample_rows *rows = &report->samples;
    json_t *functions = json_array();
    if (!rows->hz) {
        json_decref(functions);
        return json_null();
    }
    for (size_t i = 0; i < report->n_computing; i++) {
        const struct refrain_sample_function *function = report->computing[i];
        const double *parts = &report->computing_parts[(size_t)(function - rows->functions) * REFRAIN_REPORT_PARTS];
        json_t *of_parts = json_array();
        for (size_t part = 0; part < REFRAIN_REPORT_PARTS; part++)
            json_array_append_new(of_parts, json_real(parts[part]));
        json_array_append_new(
            functions, json_pack("{s:o,s:o,s:i,s:o,s:I,s:f,s:f,s:o}", "function", refrain_json_text(function->name),
                                 "file", refrain_json_text(function->file), "line", (int)function->line, "object",
                                 refrain_json_text(function->object), "samples", (json_int_t)function->computing,
                                 "time_ns", refrain_sample_ns(rows, function->computing), "uncertainty_ns",
                                 refrain_sample_uncertainty_ns(rows, function->computing), "parts", of_parts));
    }
    return json_pack("{s:i,s:I,s:I,s:o}", "per_second", (int)rows->hz, "samples", (json_int_t)rows->taken,
                     "outside_mpi", (json_int_t)rows->computing, "functions", functions);
}

json_t *refrain_report_json(const struct refrain_report *report) {
    const struct refrain_process *first = &report->trace->processes[0];
    const struct refrain_delays *delays = report->delays;
    json_t *object = json_object(), *findings = json_array(), *ranks = json_array();
    for (size_t i = 0; i < report->n; i++)
        json_array_append_new(findings, finding_json(report, &report->findings[i]));
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (delays->ranks[i].known)
            json_array_append_new(ranks, rank_json(&delays->ranks[i], (int32_t)i));
    json_object_set_new(object, "schema_version", json_integer(SCHEMA_VERSION));
    json_object_set_new(object, "program", refrain_json_text(refrain_process_name(first, first->header->executable)));
    json_object_set_new(object, "from_ns", json_integer(delays->from_ns));
    json_object_set_new(object, "to_ns", json_integer(delays->to_ns));
    json_object_set_new(object, "first_finalize_ns",
                        delays->has_finalize ? json_integer(delays->first_finalize_ns) : json_null());
    json_object_set_new(object, "run_ns", json_integer((json_int_t)report->run_ns));
    json_object_set_new(object, "least_percent", json_real(100 * report->least));
    json_object_set_new(object, "efficiency", efficiency_json(&report->efficiency));
    json_object_set_new(object, "critical_path", report->critical ? json_string(report->critical) : json_null());
    json_object_set_new(object, "memory", refrain_resident_json(report->trace));
    json_object_set_new(object, "path", path_json(delays));
    json_object_set_new(object, "remark", report->remark ? json_string(report->remark) : json_null());
    json_object_set_new(object, "repetition", repetition_json(delays));
    json_object_set_new(object, "findings", findings);
    json_object_set_new(object, "samples", samples_json(report));
    json_object_set_new(object, "files", texts_json(report->used, report->n_used));
    json_object_set_new(object, "well", texts_json(report->well, report->n_well));
    json_object_set_new(object, "unknown", texts_json(report->unknown, report->n_unknown));
    json_object_set_new(object, "ranks", ranks);
    return object;
}
