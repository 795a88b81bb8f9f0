/* profile_tree_json.c: writes the profile as JSON (profile_tree.h). */
#include "commands/command.h"
#include "commands/profile_items.h"
#include "commands/profile_tree.h"

#include <jansson.h>
#include <stdlib.h>

/* Adds the metrics by their names; no member if nothing was counted. */
static void add_metrics(json_t *object, const struct refrain_profile_total *total,
                        const struct refrain_metric_totals *metrics) {
    json_t *values = json_object();
    for (size_t i = 0; i < total->n_metrics; i++)
        json_object_set_new(values, total->metric_names[i], json_integer((json_int_t)metrics->value[i]));
    if (total->n_metrics)
        json_object_set(object, "metrics", values);
    json_decref(values);
}

static json_t *call_site_json(const struct refrain_profile_tree *tree,
                              const struct refrain_profile_call_site *call_site) {
    json_t *object = json_object();
    const bool is_files = call_site->region->kind == REFRAIN_REGION_IO;
    json_object_set_new(object, "kind", json_string(is_files ? "io" : "mpi"));
    json_object_set_new(object, "name", refrain_json_text(call_site->region->name));
    json_object_set_new(object, "file", refrain_json_text(call_site->region->file));
    json_object_set_new(object, "line", json_integer(call_site->region->line));
    json_object_set_new(object, "function", refrain_json_text(call_site->region->function));
    json_object_set_new(object, "calls", json_integer((json_int_t)call_site->calls));
    json_object_set_new(object, is_files ? "files_ns" : "mpi_ns", json_real((double)call_site->ns));
    if (tree->activity)
        json_object_set_new(object, "waiting_ns", json_integer(refrain_profile_call_waiting(tree, call_site)));
    add_metrics(object, tree->total, &call_site->metrics);
    return object;
}

/* Adds the known times of a loop or branch; null if no time is known. */
static void add_span(json_t *object, const struct refrain_span_times *span) {
    json_object_set_new(object, "inclusive_ns", span ? json_real((double)refrain_span_total_ns(span)) : json_null());
    json_object_set_new(object, "least_ns", span ? json_real((double)span->known_ns) : json_null());
    json_object_set_new(object, "own_ns",
                        refrain_profile_own_is_known(span) ? json_real((double)refrain_span_own_ns(span))
                                                           : json_null());
}

static json_t *branch_json(const struct refrain_profile_item *branch) {
    const struct refrain_unit_view *view = branch->unit->view;
    const struct refrain_node *source = &view->nodes[refrain_profile_number(branch->unit, branch->node)];
    const struct refrain_span_times *span =
        refrain_profile_span(branch->unit, refrain_profile_number(branch->unit, branch->node), branch->fails);
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(refrain_profile_branch_name(branch->fails)));
    json_object_set_new(object, "file", refrain_json_text(refrain_node_file(view, source)));
    json_object_set_new(object, "line", json_integer(source->line));
    json_object_set_new(object, "count", json_integer((json_int_t)refrain_profile_times_taken(branch)));
    json_object_set_new(object, "mpi_ns", span ? json_real((double)span->mpi_ns) : json_null());
    json_object_set_new(object, "files_ns", span ? json_real((double)span->files_ns) : json_null());
    add_span(object, span);
    return object;
}

static json_t *node_json(const struct refrain_profile_tree *tree, const struct refrain_profile_unit *unit,
                         const struct refrain_profile_node *node, unsigned depth) {
    uint32_t number = refrain_profile_number(unit, node);
    const struct refrain_node *source = &unit->view->nodes[number];
    bool loop = refrain_kind_is_loop(source->kind);
    json_t *object = json_object(), *children = json_array(), *branches = json_array();
    json_object_set_new(object, "kind", json_string(loop ? "loop" : "function"));
    json_object_set_new(object, "name",
                        loop ? json_string(refrain_profile_loop_name(source->kind))
                             : refrain_json_text(refrain_node_name(unit->view, source)));
    json_object_set_new(object, "file", refrain_json_text(refrain_node_file(unit->view, source)));
    json_object_set_new(object, "line", json_integer(source->line));
    json_object_set_new(object, loop ? "iterations" : "calls", json_integer((json_int_t)node->visits));
    if (loop) {
        json_object_set_new(object, "entries", json_integer((json_int_t)node->entries));
    } else {
        json_object_set_new(object, "elsewhere_ns", json_real((double)node->elsewhere_ns));
        json_object_set_new(object, "inclusive_ns",
                            json_real((double)refrain_profile_with_callees(tree, unit, number)));
    }
    json_object_set_new(object, "throttled", json_boolean(node->throttled_ranks > 0));
    json_object_set_new(object, "throttled_ranks", json_integer(node->throttled_ranks));
    if (loop)
        add_span(object, refrain_profile_span(unit, number, false));
    else
        json_object_set_new(object, "own_ns", json_real((double)node->own_total_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)node->mpi_total_ns));
    json_object_set_new(object, "files_ns", json_real((double)node->files_total_ns));
    if (tree->activity)
        json_object_set_new(object, "waiting_ns", json_integer(refrain_profile_node_waiting(tree, unit, number)));
    add_metrics(object, tree->total, &node->metrics);
    struct refrain_profile_items list =
        depth < REFRAIN_PROFILE_DEPTH ? refrain_profile_list_children(unit, node) : (struct refrain_profile_items){0};
    for (size_t i = 0; i < list.n; i++) {
        const struct refrain_profile_item *item = &list.items[i];
        json_array_append_new(item->is_branch ? branches : children,
                              item->is_branch ? branch_json(item)
                              : item->call    ? call_site_json(tree, item->call)
                                              : node_json(tree, unit, item->node, depth + 1));
    }
    free(list.items);
    json_object_set_new(object, "children", children);
    json_object_set_new(object, "branches", branches);
    return object;
}

static json_t *region_json(const struct refrain_profile_tree *tree, const struct refrain_profile_region *of) {
    json_t *region = json_object();
    json_object_set_new(region, "name", refrain_json_text(of->region->name));
    json_object_set_new(region, "visits", json_integer((json_int_t)of->visits));
    json_object_set_new(region, "own_ns", json_real((double)of->own_ns));
    add_metrics(region, tree->total, &of->metrics);
    return region;
}

enum refrain_status refrain_profile_json(const struct refrain_profile_total *total,
                                         const struct refrain_activity *activity, json_t *object,
                                         struct refrain_error *error) {
    struct refrain_profile_tree of = {.total = total, .activity = activity}, *tree = &of;
    struct refrain_profile_items items = refrain_profile_list(total);
    if (!items.items || !refrain_profile_sum_waiting(tree)) {
        refrain_profile_free_waiting(tree);
        free(items.items);
        return REFRAIN_FAIL_MEMORY(error);
    }
    json_t *list = json_array(), *outside = json_array(), *regions = json_array();
    for (size_t i = 0; i < items.n; i++) {
        const struct refrain_profile_item *item = &items.items[i];
        if (item->node)
            json_array_append_new(list, node_json(tree, item->unit, item->node, 0));
        else if (item->call)
            json_array_append_new(outside, call_site_json(tree, item->call));
        else if (item->region)
            json_array_append_new(regions, region_json(tree, item->region));
    }
    json_object_set_new(object, "run_ns", json_real((double)total->run_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)total->mpi_ns));
    json_object_set_new(object, "files_ns", json_real((double)total->files_ns));
    json_object_set_new(object, "functions_ns", json_real((double)total->functions_ns));
    json_object_set_new(object, "outside_ns", json_real((double)total->outside_ns));
    add_metrics(object, total, &total->metrics);
    json_object_set_new(object, "functions", list);
    json_object_set_new(object, "regions", regions);
    json_object_set_new(object, "outside_calls", outside);
    refrain_profile_free_waiting(tree);
    free(items.items);
    return REFRAIN_OK;
}
