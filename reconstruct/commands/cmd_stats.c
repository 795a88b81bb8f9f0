/* cmd_stats.c: refrain stats: where the time went: program, functions, loops, call sites. */
#define _GNU_SOURCE
#include "command.h"
#include "profile.h"

#include <argp.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all */
    unsigned most;
    bool json;
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

/* The loops and call sites right below `parent`, in source order: loops as node numbers, sites as n_nodes + index. */
static uint32_t next_child(const struct refrain_profile_unit *unit, uint32_t parent, uint32_t after) {
    uint32_t n = unit->view->record->n_nodes;
    for (uint32_t i = after + 1; i < n; i++)
        if (is_loop(&unit->view->nodes[i]) && (unit->nodes[i].visits || unit->nodes[i].entries) &&
            shown_parent(unit->view, unit->view->nodes[i].parent) == parent)
            return i;
    for (uint32_t s = after < n ? 0 : after - n + 1; s < unit->n_sites; s++)
        if (shown_parent(unit->view, unit->sites[s].node) == parent)
            return n + s;
    return UINT32_MAX;
}

/* ---- text ---- */

static const char *short_file(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static void print_line(const struct refrain_profile_total *total, long double time_ns, long double own_ns,
                       long double mpi_ns, uint64_t count, unsigned depth, const char *text) {
    long double run_ns = total->run_ns > 0 ? total->run_ns : 1;
    printf("%11s %6.2Lf %% %11s %11s %14s  %*s%s\n", refrain_show_ns(time_ns), 100 * time_ns / run_ns,
           refrain_show_ns(own_ns), refrain_show_ns(mpi_ns), refrain_show_count(count), (int)(2 * depth), "", text);
}

/* `outside`: no line above says which function it is in. */
static void print_site(const struct refrain_profile_total *total, const struct refrain_profile_site *site,
                       unsigned depth, bool outside) {
    const struct refrain_region_info *region = site->region;
    char text[512], place[256] = "";
    if (region->file[0])
        snprintf(place, sizeof place, "  %.200s:%u", short_file(region->file), region->line);
    snprintf(text, sizeof text, "%s%s%s%.200s", region->name, place, outside && region->function[0] ? "  in " : "",
             outside ? region->function : "");
    print_line(total, site->mpi_ns, 0, site->mpi_ns, site->calls, depth, text);
}

#define MOST_DEPTH 64u

static void print_children(const struct refrain_profile_total *total, const struct refrain_profile_unit *unit,
                           uint32_t parent, unsigned depth) {
    uint32_t n = unit->view->record->n_nodes;
    for (uint32_t child = parent; (child = next_child(unit, parent, child)) != UINT32_MAX;) {
        if (child >= n) {
            print_site(total, &unit->sites[child - n], depth, false);
            continue;
        }
        const struct refrain_profile_node *node = &unit->nodes[child];
        const struct refrain_node *source = &unit->view->nodes[child];
        char text[512];
        snprintf(text, sizeof text, "%s  %.300s:%u  %s times begun%s", loop_name(source->kind),
                 short_file(refrain_node_file(unit->view, source)), source->line, refrain_show_count(node->entries),
                 node->throttled ? "  throttled" : "");
        print_line(total, node->own_total_ns + node->mpi_total_ns, node->own_total_ns, node->mpi_total_ns, node->visits,
                   depth, text);
        if (depth < MOST_DEPTH)
            print_children(total, unit, child, depth + 1);
    }
}

static void print_function(const struct refrain_profile_total *total, const struct function *function) {
    const struct refrain_profile_unit *unit = function->unit;
    const struct refrain_profile_node *node = &unit->nodes[function->node];
    const struct refrain_node *source = &unit->view->nodes[function->node];
    char text[512];
    /* Activations that never ended (exit, longjmp) have no duration. */
    char callees[64] = "";
    if (node->inclusive_ns > 0)
        snprintf(callees, sizeof callees, "  %s with callees", refrain_show_ns(node->inclusive_ns));
    snprintf(text, sizeof text, "%.200s()  %.200s:%u%s%s", refrain_node_name(unit->view, source),
             short_file(refrain_node_file(unit->view, source)), source->line, callees,
             node->throttled ? "  throttled" : "");
    print_line(total, function->time_ns, node->own_total_ns, node->mpi_total_ns, node->visits, 0, text);
    print_children(total, unit, function->node, 1);
}

static enum refrain_status print_text(const struct refrain_profile_total *total, unsigned most,
                                      struct refrain_error *error) {
    size_t n;
    struct function *functions = list_functions(total, &n);
    if (!functions)
        return REFRAIN_FAIL_MEMORY(error);
    printf("%11s %8s %11s %11s %14s  %s\n", "time", "share", "own", "in MPI", "count", "what");
    print_line(total, total->run_ns, total->run_ns - total->mpi_ns, total->mpi_ns, 1, 0, "all ranks and threads");
    for (size_t i = 0; i < n && i < most; i++)
        print_function(total, &functions[i]);
    if (n > most) {
        long double rest_ns = 0;
        for (size_t i = most; i < n; i++)
            rest_ns += functions[i].time_ns;
        char text[64];
        snprintf(text, sizeof text, "%zu more functions (--top)", n - most);
        print_line(total, rest_ns, rest_ns, 0, 0, 0, text);
    }
    for (size_t i = 0; i < total->n_regions; i++) {
        const struct refrain_profile_region *region = &total->regions[i];
        char text[512];
        snprintf(text, sizeof text, "region %.400s", region->region->name);
        print_line(total, region->own_ns, region->own_ns, 0, region->visits, 0, text);
    }
    print_line(total, total->outside_ns, total->outside_ns, 0, 0, 0, "outside of instrumented functions");
    for (size_t s = 0; s < total->outside.n_sites; s++)
        print_site(total, &total->outside.sites[s], 1, true);
    free(functions);
    return REFRAIN_OK;
}

/* ---- JSON ---- */

static json_t *site_json(const struct refrain_profile_site *site) {
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string("mpi"));
    json_object_set_new(object, "name", refrain_json_text(site->region->name));
    json_object_set_new(object, "file", refrain_json_text(site->region->file));
    json_object_set_new(object, "line", json_integer(site->region->line));
    json_object_set_new(object, "function", refrain_json_text(site->region->function));
    json_object_set_new(object, "calls", json_integer((json_int_t)site->calls));
    json_object_set_new(object, "mpi_ns", json_real((double)site->mpi_ns));
    return object;
}

static json_t *node_json(const struct refrain_profile_unit *unit, uint32_t number, unsigned depth) {
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
        json_object_set_new(object, "inclusive_ns", json_real((double)node->inclusive_ns));
    }
    json_object_set_new(object, "throttled", json_boolean(node->throttled));
    json_object_set_new(object, "own_ns", json_real((double)node->own_total_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)node->mpi_total_ns));
    for (uint32_t child = number; depth < MOST_DEPTH && (child = next_child(unit, number, child)) != UINT32_MAX;)
        json_array_append_new(children,
                              child >= n ? site_json(&unit->sites[child - n]) : node_json(unit, child, depth + 1));
    json_object_set_new(object, "children", children);
    return object;
}

static enum refrain_status print_json(const struct refrain_profile_total *total, struct refrain_error *error) {
    size_t n;
    struct function *functions = list_functions(total, &n);
    if (!functions)
        return REFRAIN_FAIL_MEMORY(error);
    json_t *object = json_object(), *list = json_array(), *outside = json_array(), *regions = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, node_json(functions[i].unit, functions[i].node, 0));
    for (size_t s = 0; s < total->outside.n_sites; s++)
        json_array_append_new(outside, site_json(&total->outside.sites[s]));
    for (size_t i = 0; i < total->n_regions; i++) {
        json_t *region = json_object();
        json_object_set_new(region, "name", refrain_json_text(total->regions[i].region->name));
        json_object_set_new(region, "visits", json_integer((json_int_t)total->regions[i].visits));
        json_object_set_new(region, "own_ns", json_real((double)total->regions[i].own_ns));
        json_array_append_new(regions, region);
    }
    json_object_set_new(object, "run_ns", json_real((double)total->run_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)total->mpi_ns));
    json_object_set_new(object, "functions_ns", json_real((double)total->functions_ns));
    json_object_set_new(object, "outside_ns", json_real((double)total->outside_ns));
    json_object_set_new(object, "functions", list);
    json_object_set_new(object, "regions", regions);
    json_object_set_new(object, "outside_calls", outside);
    free(functions);
    return refrain_print_json(object, error);
}

/* ---- command line ---- */

static bool read_number(const char *text, long *number) {
    char *end;
    *number = strtol(text, &end, 10);
    return end != text && *end == 0 && *number >= 0 && *number <= INT32_MAX;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    long number;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'r':
    case 't':
        if (!read_number(value, &number))
            argp_error(state, "%s is no number", value);
        else if (key == 'r')
            arguments->rank = (int32_t)number;
        else
            arguments->most = (unsigned)number;
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp_option options[] = {{"json", 'j', NULL, 0, "Print JSON, all functions", 0},
                                             {"rank", 'r', "N", 0, "That rank alone (default: all together)", 0},
                                             {"top", 't', "N", 0, "Functions to show (default 20)", 0},
                                             {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Shows where the time went: functions, and in each its loops and MPI calls.\v"
    "Time is what the function itself took and the MPI calls it made; its callees have lines of their own. The "
    "clock is read at functions and MPI calls, so that a loop has the time from there to the next such point. "
    "Count "
    "is calls, or iterations for loops. Times are sums over the ranks; shares are of their run times together.",
    NULL,
    NULL,
    NULL};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1, .most = 20};
    struct refrain_trace *trace;
    struct refrain_profile_total total;
    refrain_command_parse(&refrain_command_stats, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    status = refrain_profile_open(trace, arguments.rank, &total, error);
    if (!status) {
        status = arguments.json ? print_json(&total, error) : print_text(&total, arguments.most, error);
        refrain_profile_close(&total);
    }
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_stats = {
    .name = "stats",
    .summary = "where the time went: functions, loops, call sites",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain stats app-*.refrain            # all ranks together\n"
                "  refrain stats --rank 3 app-*.refrain   # rank 3 alone\n",
};
