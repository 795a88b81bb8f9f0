/* profile_tree.c: functions, and in each its loops and MPI calls, as text and JSON (profile_tree.h). */
#define _GNU_SOURCE
#include "profile_tree.h"
#include "command.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CALLERS 4u

/* What is printed: the profile, and what the replay says of waiting (null: nothing). */
struct tree {
    const struct refrain_profile_total *total;
    const struct refrain_activity *activity;
    int64_t **waiting_ns; /* by unit, then by node: of the calls in it */
};

/* A function of a unit. */
struct function {
    const struct refrain_profile_unit *unit;
    uint32_t node;
    long double time_ns; /* own and in MPI */
};

static int by_time(const void *a, const void *b) {
    const struct function *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->node < y->node ? -1 : x->node > y->node;
}

/* Functions that were called, the longest first. */
static struct function *list_functions(const struct refrain_profile_total *total, size_t *n) {
    size_t most = 0;
    for (size_t u = 0; u < total->n_units; u++)
        most += total->units[u].view->record->n_nodes;
    struct function *functions = calloc(most + 1, sizeof *functions);
    *n = 0;
    for (size_t u = 0; functions && u < total->n_units; u++) {
        const struct refrain_profile_unit *unit = &total->units[u];
        for (uint32_t i = 0; i < unit->view->record->n_nodes; i++) {
            const struct refrain_profile_node *node = &unit->nodes[i];
            if (unit->view->nodes[i].kind == REFRAIN_FUNCTION && node->visits)
                functions[(*n)++] = (struct function){unit, i, node->own_total_ns + node->mpi_total_ns};
        }
    }
    if (functions)
        qsort(functions, *n, sizeof *functions, by_time);
    return functions;
}

static bool is_loop(const struct refrain_node *node) {
    return node->kind >= REFRAIN_WHILE && node->kind <= REFRAIN_DO;
}

static const char *loop_name(uint32_t kind) {
    return kind == REFRAIN_FOR ? "for" : kind == REFRAIN_DO ? "do" : "while";
}

/* The loop or function that a node is shown under. */
static uint32_t shown_parent(const struct refrain_unit_view *view, uint32_t node) {
    while (node != 0 && view->nodes[node].kind != REFRAIN_FUNCTION && !is_loop(&view->nodes[node]))
        node = view->nodes[node].parent;
    return node;
}

/* The loops and call sites right below `parent`, in source order: loops as node numbers, call sites as n_nodes + index.
 */
static uint32_t next_child(const struct refrain_profile_unit *unit, uint32_t parent, uint32_t after) {
    uint32_t n = unit->view->record->n_nodes;
    for (uint32_t i = after + 1; i < n; i++)
        if (is_loop(&unit->view->nodes[i]) && (unit->nodes[i].visits || unit->nodes[i].entries) &&
            shown_parent(unit->view, unit->view->nodes[i].parent) == parent)
            return i;
    for (uint32_t s = after < n ? 0 : after - n + 1; s < unit->n_call_sites; s++)
        if (shown_parent(unit->view, unit->call_sites[s].node) == parent)
            return n + s;
    return UINT32_MAX;
}

/* ---- waiting ---- */

static int64_t call_site_waiting(const struct tree *tree, const struct refrain_profile_call_site *call_site) {
    uint32_t index = call_site->region->index;
    return tree->activity && index < tree->activity->n_regions ? tree->activity->regions[index].waiting_ns : 0;
}

static void free_waiting(struct tree *tree) {
    for (size_t u = 0; tree->waiting_ns && u < tree->total->n_units; u++)
        free(tree->waiting_ns[u]);
    free(tree->waiting_ns);
}

/* Each call's waiting for its node and all around it. */
static bool sum_waiting(struct tree *tree) {
    const struct refrain_profile_total *total = tree->total;
    tree->waiting_ns = calloc(total->n_units + 1, sizeof *tree->waiting_ns);
    for (size_t u = 0; tree->waiting_ns && u < total->n_units; u++) {
        const struct refrain_profile_unit *unit = &total->units[u];
        tree->waiting_ns[u] = calloc(unit->view->record->n_nodes + 1, sizeof **tree->waiting_ns);
        if (!tree->waiting_ns[u])
            return false;
        for (size_t s = 0; s < unit->n_call_sites; s++)
            for (uint32_t node = unit->call_sites[s].node;; node = unit->view->nodes[node].parent) {
                tree->waiting_ns[u][node] += call_site_waiting(tree, &unit->call_sites[s]);
                if (node == 0)
                    break;
            }
    }
    return tree->waiting_ns != NULL;
}

static int64_t node_waiting(const struct tree *tree, const struct refrain_profile_unit *unit, uint32_t node) {
    return tree->waiting_ns[unit - tree->total->units][node];
}

/* ---- with callees ---- */

static bool is_same(const struct refrain_region_info *region, const char *name, const char *file, uint32_t line) {
    return region && region->kind == REFRAIN_REGION_FUNCTION && region->line == line &&
           strcmp(region->name, name) == 0 && strcmp(region->file, file) == 0;
}

/* A function's time from entry to end. What was measured counts each level of a recursion, so that it may be longer
 * than the run; the replay tells what the outermost levels took. */
static long double with_callees(const struct tree *tree, const struct refrain_profile_unit *unit, uint32_t node) {
    const struct refrain_node *source = &unit->view->nodes[node];
    const char *name = refrain_node_name(unit->view, source), *file = refrain_node_file(unit->view, source);
    for (size_t i = 0; tree->activity && i < tree->activity->n_regions; i++) {
        const struct refrain_activity_region *region = &tree->activity->regions[i];
        if (region->recursive && is_same(region->region, name, file, source->line))
            return (long double)region->total_ns;
    }
    return unit->nodes[node].inclusive_ns;
}

/* ---- callers ---- */

struct caller {
    const struct refrain_region_info *region;
    uint64_t count;
    int64_t total_ns;
};

/* Adds up who called the function, into callers[MOST_CALLERS]; returns how many there are, also beyond that. */
static size_t find_callers(const struct refrain_activity_path *path, const char *name, const char *file, uint32_t line,
                           struct caller *callers, size_t n) {
    for (const struct refrain_activity_path *child = path->first; child; child = child->next) {
        if (is_same(child->region, name, file, line)) {
            size_t i = 0;
            while (i < n && i < MOST_CALLERS && callers[i].region != path->region)
                i++;
            if (i < MOST_CALLERS) {
                callers[i].region = path->region;
                callers[i].count += child->count;
                callers[i].total_ns += child->total_ns;
            }
            n += i >= n;
        }
        n = find_callers(child, name, file, line, callers, n);
    }
    return n;
}

/* ---- text ---- */

static const char *short_file(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* `least`: the count is the least there was. */
static void print_line(const struct tree *tree, long double time_ns, long double own_ns, long double mpi_ns,
                       int64_t waiting_ns, const struct refrain_metric_totals *metrics, uint64_t count, bool least,
                       unsigned depth, const char *text) {
    char counted[48];
    snprintf(counted, sizeof counted, "%s%s", least ? ">=" : "", refrain_show_count(count));
    long double run_ns = tree->total->run_ns > 0 ? tree->total->run_ns : 1;
    printf("%11s %6.2Lf %% %11s %11s ", refrain_show_ns(time_ns), 100 * time_ns / run_ns, refrain_show_ns(own_ns),
           refrain_show_ns(mpi_ns));
    if (tree->activity)
        printf("%11s ", refrain_show_ns((long double)waiting_ns));
    for (size_t i = 0; i < tree->total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(tree->total->metric_names[i]),
               refrain_show_metric(tree->total->metric_names[i], metrics->value[i]));
    /* Lines about the tenth part of the run and more stand out. */
    printf("%14s  %*s%s%s%s\n", counted, (int)(2 * depth), "",
           depth && time_ns * 10 > run_ns ? refrain_style(REFRAIN_BOLD) : "", refrain_show_name(text),
           depth && time_ns * 10 > run_ns ? refrain_style(REFRAIN_NORMAL) : "");
}

/* `outside`: no line above says which function it is in. */
static void print_call_site(const struct tree *tree, const struct refrain_profile_call_site *call_site, unsigned depth,
                            bool outside) {
    const struct refrain_region_info *region = call_site->region;
    char text[512], line[256] = "";
    if (region->file[0])
        snprintf(line, sizeof line, "  %.200s:%u", short_file(region->file), region->line);
    snprintf(text, sizeof text, "%s%s%s%.200s", region->name, line, outside && region->function[0] ? "  in " : "",
             outside ? region->function : "");
    print_line(tree, call_site->mpi_ns, 0, call_site->mpi_ns, call_site_waiting(tree, call_site), &call_site->metrics,
               call_site->calls, false, depth, text);
}

#define MOST_DEPTH 64u

/* "  throttled on 1 of 4 ranks", empty where it was not. */
static void throttled_text(const struct tree *tree, const struct refrain_profile_node *node, char *text, size_t bytes) {
    text[0] = 0;
    if (node->throttled_ranks > 0 && node->throttled_ranks < tree->total->n_ranks)
        snprintf(text, bytes, "  throttled on %u of %u ranks", node->throttled_ranks, tree->total->n_ranks);
    else if (node->throttled_ranks > 0)
        snprintf(text, bytes, "  throttled");
}

static void print_children(const struct tree *tree, const struct refrain_profile_unit *unit, uint32_t parent,
                           unsigned depth) {
    uint32_t n = unit->view->record->n_nodes;
    for (uint32_t child = parent; (child = next_child(unit, parent, child)) != UINT32_MAX;) {
        if (child >= n) {
            print_call_site(tree, &unit->call_sites[child - n], depth, false);
            continue;
        }
        const struct refrain_profile_node *node = &unit->nodes[child];
        const struct refrain_node *source = &unit->view->nodes[child];
        char text[512], throttled[48];
        throttled_text(tree, node, throttled, sizeof throttled);
        snprintf(text, sizeof text, "%s  %.300s:%u  %s%s times begun%s", loop_name(source->kind),
                 short_file(refrain_node_file(unit->view, source)), source->line, throttled[0] ? "at least " : "",
                 refrain_show_count(node->entries), throttled);
        print_line(tree, node->own_total_ns + node->mpi_total_ns, node->own_total_ns, node->mpi_total_ns,
                   node_waiting(tree, unit, child), &node->metrics, node->visits, throttled[0] != 0, depth, text);
        if (depth < MOST_DEPTH)
            print_children(tree, unit, child, depth + 1);
    }
}

/* Of lines that say more of the one above. */
static int indentation(const struct tree *tree) {
    int columns = 67;
    for (size_t i = 0; i < tree->total->n_metrics; i++)
        columns += refrain_show_metric_width(tree->total->metric_names[i]) + 1;
    return columns;
}

static void print_callers(const struct tree *tree, const struct refrain_profile_unit *unit,
                          const struct refrain_node *source) {
    struct caller callers[MOST_CALLERS] = {0};
    size_t n = tree->activity ? find_callers(tree->activity->root, refrain_node_name(unit->view, source),
                                             refrain_node_file(unit->view, source), source->line, callers, 0)
                              : 0;
    if (n < 2)
        return;
    for (size_t i = 0; i < n && i < MOST_CALLERS; i++)
        printf("%*s%s for %s%s: %s calls\n", indentation(tree), "", refrain_show_ns((long double)callers[i].total_ns),
               callers[i].region ? refrain_show_name(callers[i].region->name) : "calls from outside",
               callers[i].region ? "()" : "", refrain_show_count(callers[i].count));
    if (n > MOST_CALLERS)
        printf("%*sand for others\n", indentation(tree), "");
}

static void print_function(const struct tree *tree, const struct function *function) {
    const struct refrain_profile_unit *unit = function->unit;
    const struct refrain_profile_node *node = &unit->nodes[function->node];
    const struct refrain_node *source = &unit->view->nodes[function->node];
    char text[512];
    /* Activations that never ended (exit, longjmp) have no duration. */
    char callees[64] = "", throttled[48];
    throttled_text(tree, node, throttled, sizeof throttled);
    long double inclusive_ns = with_callees(tree, unit, function->node);
    if (inclusive_ns > 0)
        snprintf(callees, sizeof callees, "  %s%s with callees", throttled[0] ? "at least " : "",
                 refrain_show_ns(inclusive_ns));
    snprintf(text, sizeof text, "%.200s()  %.200s:%u%s%s", refrain_node_name(unit->view, source),
             short_file(refrain_node_file(unit->view, source)), source->line, callees, throttled);
    print_line(tree, function->time_ns, node->own_total_ns, node->mpi_total_ns,
               node_waiting(tree, unit, function->node), &node->metrics, node->visits, throttled[0] != 0, 0, text);
    print_callers(tree, unit, source);
    print_children(tree, unit, function->node, 1);
}

enum refrain_status refrain_profile_print(const struct refrain_profile_total *total,
                                          const struct refrain_activity *activity, unsigned most,
                                          struct refrain_error *error) {
    struct tree tree = {.total = total, .activity = activity};
    size_t n;
    struct function *functions = list_functions(total, &n);
    if (!functions || !sum_waiting(&tree)) {
        free_waiting(&tree);
        free(functions);
        return REFRAIN_FAIL_MEMORY(error);
    }
    printf("%s%11s %8s %11s %11s %s", refrain_style(REFRAIN_BOLD), "time", "share", "own", "in MPI",
           activity ? "    waiting " : "");
    for (size_t i = 0; i < total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(total->metric_names[i]), total->metric_names[i]);
    printf("%14s  %s%s\n", "count", "what", refrain_style(REFRAIN_NORMAL));
    print_line(&tree, total->run_ns, total->run_ns - total->mpi_ns, total->mpi_ns, activity ? activity->waiting_ns : 0,
               &total->metrics, 1, false, 0, "all ranks and threads");
    for (size_t i = 0; i < n && i < most; i++)
        print_function(&tree, &functions[i]);
    if (n > most) {
        long double rest_ns = 0;
        struct refrain_metric_totals rest = {{0}};
        for (size_t i = most; i < n; i++) {
            rest_ns += functions[i].time_ns;
            refrain_metrics_add_up(&rest, &functions[i].unit->nodes[functions[i].node].metrics);
        }
        char text[64];
        snprintf(text, sizeof text, "%zu more functions (--top)", n - most);
        print_line(&tree, rest_ns, rest_ns, 0, 0, &rest, 0, false, 0, text);
    }
    for (size_t i = 0; i < total->n_regions; i++) {
        const struct refrain_profile_region *region = &total->regions[i];
        char text[512];
        const struct refrain_region_info *info = region->region;
        if (info->kind == REFRAIN_REGION_FUNCTION && info->file[0])
            snprintf(text, sizeof text, "%.200s()  %.200s:%u", info->name, short_file(info->file), info->line);
        else
            snprintf(text, sizeof text, "%s%.400s", info->kind == REFRAIN_REGION_USER ? "region " : "", info->name);
        print_line(&tree, region->own_ns, region->own_ns, 0, 0, &region->metrics, region->visits, false, 0, text);
    }
    print_line(&tree, total->outside_ns, total->outside_ns, 0, 0, &total->outside_metrics, 0, false, 0,
               "outside of instrumented functions");
    for (size_t s = 0; s < total->outside.n_call_sites; s++)
        print_call_site(&tree, &total->outside.call_sites[s], 1, true);
    free_waiting(&tree);
    free(functions);
    return REFRAIN_OK;
}

/* ---- JSON ---- */

/* By name; no member where nothing was counted. */
static void add_metrics(json_t *object, const struct refrain_profile_total *total,
                        const struct refrain_metric_totals *metrics) {
    json_t *values = json_object();
    for (size_t i = 0; i < total->n_metrics; i++)
        json_object_set_new(values, total->metric_names[i], json_integer((json_int_t)metrics->value[i]));
    if (total->n_metrics)
        json_object_set(object, "metrics", values);
    json_decref(values);
}

static json_t *call_site_json(const struct tree *tree, const struct refrain_profile_call_site *call_site) {
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string("mpi"));
    json_object_set_new(object, "name", refrain_json_text(call_site->region->name));
    json_object_set_new(object, "file", refrain_json_text(call_site->region->file));
    json_object_set_new(object, "line", json_integer(call_site->region->line));
    json_object_set_new(object, "function", refrain_json_text(call_site->region->function));
    json_object_set_new(object, "calls", json_integer((json_int_t)call_site->calls));
    json_object_set_new(object, "mpi_ns", json_real((double)call_site->mpi_ns));
    if (tree->activity)
        json_object_set_new(object, "waiting_ns", json_integer(call_site_waiting(tree, call_site)));
    add_metrics(object, tree->total, &call_site->metrics);
    return object;
}

static json_t *node_json(const struct tree *tree, const struct refrain_profile_unit *unit, uint32_t number,
                         unsigned depth) {
    const struct refrain_profile_node *node = &unit->nodes[number];
    const struct refrain_node *source = &unit->view->nodes[number];
    uint32_t n = unit->view->record->n_nodes;
    bool loop = is_loop(source);
    json_t *object = json_object(), *children = json_array();
    json_object_set_new(object, "kind", json_string(loop ? "loop" : "function"));
    json_object_set_new(object, "name",
                        loop ? json_string(loop_name(source->kind))
                             : refrain_json_text(refrain_node_name(unit->view, source)));
    json_object_set_new(object, "file", refrain_json_text(refrain_node_file(unit->view, source)));
    json_object_set_new(object, "line", json_integer(source->line));
    json_object_set_new(object, loop ? "iterations" : "calls", json_integer((json_int_t)node->visits));
    if (loop) {
        json_object_set_new(object, "entries", json_integer((json_int_t)node->entries));
    } else {
        json_object_set_new(object, "inclusive_ns", json_real((double)with_callees(tree, unit, number)));
    }
    json_object_set_new(object, "throttled", json_boolean(node->throttled_ranks > 0));
    json_object_set_new(object, "throttled_ranks", json_integer(node->throttled_ranks));
    json_object_set_new(object, "own_ns", json_real((double)node->own_total_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)node->mpi_total_ns));
    if (tree->activity)
        json_object_set_new(object, "waiting_ns", json_integer(node_waiting(tree, unit, number)));
    add_metrics(object, tree->total, &node->metrics);
    for (uint32_t child = number; depth < MOST_DEPTH && (child = next_child(unit, number, child)) != UINT32_MAX;)
        json_array_append_new(children, child >= n ? call_site_json(tree, &unit->call_sites[child - n])
                                                   : node_json(tree, unit, child, depth + 1));
    json_object_set_new(object, "children", children);
    return object;
}

enum refrain_status refrain_profile_json(const struct refrain_profile_total *total,
                                         const struct refrain_activity *activity, json_t *object,
                                         struct refrain_error *error) {
    struct tree of = {.total = total, .activity = activity}, *tree = &of;
    size_t n;
    struct function *functions = list_functions(total, &n);
    if (!functions || !sum_waiting(tree)) {
        free_waiting(tree);
        free(functions);
        return REFRAIN_FAIL_MEMORY(error);
    }
    json_t *list = json_array(), *outside = json_array(), *regions = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, node_json(tree, functions[i].unit, functions[i].node, 0));
    for (size_t s = 0; s < total->outside.n_call_sites; s++)
        json_array_append_new(outside, call_site_json(tree, &total->outside.call_sites[s]));
    for (size_t i = 0; i < total->n_regions; i++) {
        json_t *region = json_object();
        json_object_set_new(region, "name", refrain_json_text(total->regions[i].region->name));
        json_object_set_new(region, "visits", json_integer((json_int_t)total->regions[i].visits));
        json_object_set_new(region, "own_ns", json_real((double)total->regions[i].own_ns));
        add_metrics(region, total, &total->regions[i].metrics);
        json_array_append_new(regions, region);
    }
    json_object_set_new(object, "run_ns", json_real((double)total->run_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)total->mpi_ns));
    json_object_set_new(object, "functions_ns", json_real((double)total->functions_ns));
    json_object_set_new(object, "outside_ns", json_real((double)total->outside_ns));
    add_metrics(object, total, &total->metrics);
    json_object_set_new(object, "functions", list);
    json_object_set_new(object, "regions", regions);
    json_object_set_new(object, "outside_calls", outside);
    free_waiting(tree);
    free(functions);
    return REFRAIN_OK;
}
