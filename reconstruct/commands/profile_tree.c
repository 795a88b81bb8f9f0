/* profile_tree.c: functions, and in each its loops and MPI calls, as text and JSON (profile_tree.h). */
#define _GNU_SOURCE
#include "commands/profile_tree.h"
#include "commands/command.h"

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
    size_t most;          /* lines of a list, of each function or loop, too */
};

/* A line of the table: a function, loop or branch; an MPI call; a user region or function without probes; or all that
 * lies outside, where none of these is set. */
struct item {
    const struct refrain_profile_unit *unit; /* of the node or call */
    const struct refrain_profile_node *node; /* of unit->nodes */
    bool is_branch, fails;                   /* of that decision: where it held, or did not */
    const struct refrain_profile_call_site *call;
    const struct refrain_profile_region *region;
    long double time_ns; /* own and in MPI */
    size_t order;        /* of lines with the same time */
};

struct items {
    struct item *items;
    size_t n;
};

static int by_time(const void *a, const void *b) {
    const struct item *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void add_item(struct items *items, struct item item) {
    item.order = items->n;
    items->items[items->n++] = item;
}

static bool is_loop(const struct refrain_node *node) {
    return node->kind >= REFRAIN_WHILE && node->kind <= REFRAIN_DO;
}

static uint32_t number_of(const struct refrain_profile_unit *unit, const struct refrain_profile_node *node) {
    return (uint32_t)(node - unit->nodes);
}

/* The times of a loop or branch; null where it has none. */
static const struct refrain_span_times *span_of(const struct refrain_profile_unit *unit, uint32_t node, bool fails) {
    const struct refrain_span_times *times = unit->spans ? &unit->spans[2 * (size_t)node + fails] : NULL;
    return times && refrain_span_is_known(times) ? times : NULL;
}

static bool own_is_known(const struct refrain_span_times *span) {
    return span && refrain_span_knows_own(span);
}

static void add_node(struct items *items, const struct refrain_profile_unit *unit, uint32_t node) {
    const struct refrain_profile_node *of = &unit->nodes[node];
    const struct refrain_span_times *span = span_of(unit, node, false);
    long double own_ns = !is_loop(&unit->view->nodes[node]) ? of->own_total_ns
                         : own_is_known(span)               ? refrain_span_own_ns(span)
                                                            : 0;
    add_item(items, (struct item){.unit = unit, .node = of, .time_ns = own_ns + of->mpi_total_ns});
}

/* How often a decision went that way. */
static uint64_t times_taken(const struct item *branch) {
    uint64_t held = branch->node->entries;
    return !branch->fails ? held : branch->node->visits > held ? branch->node->visits - held : 0;
}

static void add_branch(struct items *items, const struct refrain_profile_unit *unit, uint32_t node, bool fails) {
    const struct refrain_span_times *span = span_of(unit, node, fails);
    struct item item = {.unit = unit, .node = &unit->nodes[node], .is_branch = true, .fails = fails};
    item.time_ns = span ? refrain_span_own_ns(span) + span->mpi_ns : 0;
    if (times_taken(&item) > 0)
        add_item(items, item);
}

static void add_call(struct items *items, const struct refrain_profile_unit *unit, uint32_t call) {
    const struct refrain_profile_call_site *of = &unit->call_sites[call];
    add_item(items, (struct item){.unit = unit, .call = of, .time_ns = of->mpi_ns});
}

static void sort(struct items *items) {
    qsort(items->items, items->n, sizeof *items->items, by_time);
}

/* What has a line of its own, the longest first. The caller frees `items`, null without memory. */
static struct items list_items(const struct refrain_profile_total *total) {
    size_t most = total->n_regions + total->outside.n_call_sites + 1;
    for (size_t u = 0; u < total->n_units; u++)
        most += total->units[u].view->record->n_nodes;
    struct items items = {.items = calloc(most, sizeof *items.items)};
    if (!items.items)
        return items;
    for (size_t u = 0; u < total->n_units; u++)
        for (uint32_t i = 0; i < total->units[u].view->record->n_nodes; i++)
            if (total->units[u].view->nodes[i].kind == REFRAIN_FUNCTION && total->units[u].nodes[i].visits)
                add_node(&items, &total->units[u], i);
    for (size_t i = 0; i < total->n_regions; i++)
        add_item(&items, (struct item){.region = &total->regions[i], .time_ns = total->regions[i].own_ns});
    add_item(&items, (struct item){.time_ns = total->outside_ns});
    for (uint32_t i = 0; i < total->outside.n_call_sites; i++)
        add_call(&items, &total->outside, i);
    sort(&items);
    return items;
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

/* The loops, branches and call sites right below a function or loop, the longest first. The caller frees `items`, null
 * without memory. */
static struct items list_children(const struct refrain_profile_unit *unit, const struct refrain_profile_node *node) {
    uint32_t n = unit->view->record->n_nodes, parent = number_of(unit, node);
    struct items items = {.items = calloc(2 * (size_t)n + unit->n_call_sites, sizeof *items.items)};
    if (!items.items)
        return items;
    for (uint32_t i = parent + 1; i < n; i++) {
        const struct refrain_node *source = &unit->view->nodes[i];
        if (shown_parent(unit->view, source->parent) != parent)
            continue;
        if (is_loop(source) && (unit->nodes[i].visits || unit->nodes[i].entries))
            add_node(&items, unit, i);
        for (int fails = 0; source->kind == REFRAIN_IF && fails < 2; fails++)
            add_branch(&items, unit, i, fails);
    }
    for (uint32_t i = 0; i < unit->n_call_sites; i++)
        if (shown_parent(unit->view, unit->call_sites[i].node) == parent)
            add_call(&items, unit, i);
    sort(&items);
    return items;
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

/* A function's time from entry to end, and what threads that did not call it spent in it. What was measured counts each
 * level of a recursion, so that it may be longer than the run; the replay tells what the outermost levels took. */
static long double with_callees(const struct tree *tree, const struct refrain_profile_unit *unit, uint32_t node) {
    const struct refrain_node *source = &unit->view->nodes[node];
    const char *name = refrain_node_name(unit->view, source), *file = refrain_node_file(unit->view, source);
    for (size_t i = 0; tree->activity && i < tree->activity->n_regions; i++) {
        const struct refrain_activity_region *region = &tree->activity->regions[i];
        if (region->recursive && is_same(region->region, name, file, source->line))
            return (long double)region->total_ns + unit->nodes[node].elsewhere_ns;
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
                           struct caller *callers) {
    size_t n = 0;
    while ((path = refrain_activity_next_path(path))) {
        if (!is_same(path->region, name, file, line))
            continue;
        const struct refrain_region_info *caller = path->parent->region;
        size_t i = 0;
        while (i < n && i < MOST_CALLERS && callers[i].region != caller)
            i++;
        if (i < MOST_CALLERS) {
            callers[i].region = caller;
            callers[i].count += path->count;
            callers[i].total_ns += path->total_ns;
        }
        n += i >= n;
    }
    return n;
}

/* ---- text ---- */

static const char *short_file(const char *file) {
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

/* A time with what is known of how exact it is: "~33.0 ms". */
static const char *marked(const char *mark, long double ns, char *text, size_t bytes) {
    snprintf(text, bytes, "%s%s", mark, refrain_show_ns(ns));
    return text;
}

/* Most of a loop lies between clock reads; else its time is a likely one, or the least that it can be, as it is where
 * its probes were dormant. */
static const char *mark_of(const struct refrain_span_times *span, const struct refrain_profile_node *node) {
    if (span && node->throttled_ranks > 0)
        return ">=";
    if (!span || span->edge_ns * 20 <= refrain_span_total_ns(span))
        return "";
    return span->gaps ? "~" : ">=";
}

/* `time_ns`, `own_ns`, `mpi_ns`, `waiting_ns`: -1 not known; `mark`: of the first two. `metrics`: null not known.
 * `least`: the count is the least there was. */
static void print_marked(const struct tree *tree, long double time_ns, long double own_ns, long double mpi_ns,
                         int64_t waiting_ns, const struct refrain_metric_totals *metrics, uint64_t count, bool least,
                         unsigned depth, const char *text, const char *mark) {
    char counted[48], shown[64];
    snprintf(counted, sizeof counted, "%s%s", least ? ">=" : "", refrain_show_count(count));
    long double run_ns = tree->total->run_ns > 0 ? tree->total->run_ns : 1;
    if (time_ns < 0)
        printf("%11s %8s ", "-", "-");
    else
        printf("%11s %6.2Lf %% ", marked(mark, time_ns, shown, sizeof shown), 100 * time_ns / run_ns);
    printf("%11s ", own_ns < 0 ? "-" : marked(mark, own_ns, shown, sizeof shown));
    printf("%11s ", mpi_ns < 0 ? "-" : refrain_show_ns(mpi_ns));
    if (tree->activity)
        printf("%11s ", waiting_ns < 0 ? "-" : refrain_show_ns((long double)waiting_ns));
    for (size_t i = 0; i < tree->total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(tree->total->metric_names[i]),
               metrics ? refrain_show_metric(tree->total->metric_names[i], metrics->value[i]) : "-");
    /* Lines about the tenth part of the run and more stand out. */
    printf("%14s  %*s%s%s%s\n", counted, (int)(2 * depth), "",
           depth && time_ns * 10 > run_ns ? refrain_style(REFRAIN_BOLD) : "", refrain_show_name(text),
           depth && time_ns * 10 > run_ns ? refrain_style(REFRAIN_NORMAL) : "");
}

static void print_line(const struct tree *tree, long double time_ns, long double own_ns, long double mpi_ns,
                       int64_t waiting_ns, const struct refrain_metric_totals *metrics, uint64_t count, bool least,
                       unsigned depth, const char *text) {
    print_marked(tree, time_ns, own_ns, mpi_ns, waiting_ns, metrics, count, least, depth, text, "");
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

/* A line for all that the list has beyond the longest. */
static void print_rest(const struct tree *tree, const struct items *items, unsigned depth) {
    long double own_ns = 0, mpi_ns = 0;
    int64_t waiting_ns = 0;
    struct refrain_metric_totals metrics = {{0}};
    for (size_t i = tree->most; i < items->n; i++) {
        const struct item *item = &items->items[i];
        if (item->is_branch) /* its time is that of other lines, too */
            continue;
        long double in_mpi_ns = item->node ? item->node->mpi_total_ns : item->call ? item->call->mpi_ns : 0;
        waiting_ns += item->node   ? node_waiting(tree, item->unit, number_of(item->unit, item->node))
                      : item->call ? call_site_waiting(tree, item->call)
                                   : 0;
        mpi_ns += in_mpi_ns;
        own_ns += item->time_ns - in_mpi_ns;
        refrain_metrics_add_up(&metrics, item->node     ? &item->node->metrics
                                         : item->call   ? &item->call->metrics
                                         : item->region ? &item->region->metrics
                                                        : &tree->total->outside_metrics);
    }
    char text[64];
    snprintf(text, sizeof text, "%zu more (--top)", items->n - tree->most);
    print_line(tree, own_ns + mpi_ns, own_ns, mpi_ns, waiting_ns, &metrics, 0, false, depth, text);
}

/* "  throttled on 1 of 4 ranks", empty where it was not. */
static void throttled_text(const struct tree *tree, const struct refrain_profile_node *node, char *text, size_t bytes) {
    text[0] = 0;
    if (node->throttled_ranks > 0 && node->throttled_ranks < tree->total->n_ranks)
        snprintf(text, bytes, "  throttled on %u of %u ranks", node->throttled_ranks, tree->total->n_ranks);
    else if (node->throttled_ranks > 0)
        snprintf(text, bytes, "  throttled");
}

/* False without memory. */
static bool print_children(const struct tree *tree, const struct refrain_profile_unit *unit,
                           const struct refrain_profile_node *parent, unsigned depth);

static bool print_loop(const struct tree *tree, const struct refrain_profile_unit *unit,
                       const struct refrain_profile_node *node, unsigned depth) {
    const struct refrain_node *source = &unit->view->nodes[number_of(unit, node)];
    const struct refrain_span_times *span = span_of(unit, number_of(unit, node), false);
    char text[512], throttled[48], callees[64] = "", shown[48];
    throttled_text(tree, node, throttled, sizeof throttled);
    if (span)
        snprintf(callees, sizeof callees, "  %s with callees",
                 marked(mark_of(span, node), refrain_span_total_ns(span), shown, sizeof shown));
    snprintf(text, sizeof text, "%s  %.300s:%u  %s%s times begun%s%s", loop_name(source->kind),
             short_file(refrain_node_file(unit->view, source)), source->line, throttled[0] ? "at least " : "",
             refrain_show_count(node->entries), callees, throttled);
    long double own_ns = own_is_known(span) ? refrain_span_own_ns(span) : -1;
    print_marked(tree, own_ns >= 0 ? own_ns + node->mpi_total_ns : -1, own_ns, node->mpi_total_ns,
                 node_waiting(tree, unit, number_of(unit, node)), &node->metrics, node->visits, throttled[0] != 0,
                 depth, text, mark_of(span, node));
    return depth >= MOST_DEPTH || print_children(tree, unit, node, depth + 1);
}

static const char *branch_name(bool fails) {
    return fails ? "else" : "then";
}

static void print_branch(const struct tree *tree, const struct item *branch, unsigned depth) {
    const struct refrain_unit_view *view = branch->unit->view;
    uint32_t node = number_of(branch->unit, branch->node);
    const struct refrain_span_times *span = span_of(branch->unit, node, branch->fails);
    char text[512], callees[64] = "", shown[48];
    if (span)
        snprintf(callees, sizeof callees, "  %s with callees",
                 marked(mark_of(span, branch->node), refrain_span_total_ns(span), shown, sizeof shown));
    snprintf(text, sizeof text, "%s  %.300s:%u%s", branch_name(branch->fails),
             short_file(refrain_node_file(view, &view->nodes[node])), view->nodes[node].line, callees);
    bool known = own_is_known(span);
    print_marked(tree, known ? branch->time_ns : -1, known ? refrain_span_own_ns(span) : -1, span ? span->mpi_ns : -1,
                 -1, NULL, times_taken(branch), branch->node->throttled_ranks > 0, depth, text,
                 mark_of(span, branch->node));
}

static bool print_children(const struct tree *tree, const struct refrain_profile_unit *unit,
                           const struct refrain_profile_node *parent, unsigned depth) {
    struct items children = list_children(unit, parent);
    bool sound = children.items != NULL;
    for (size_t i = 0; sound && i < children.n && i < tree->most; i++) {
        const struct item *child = &children.items[i];
        if (child->call)
            print_call_site(tree, child->call, depth, false);
        else if (child->is_branch)
            print_branch(tree, child, depth);
        else
            sound = print_loop(tree, unit, child->node, depth);
    }
    if (sound && children.n > tree->most)
        print_rest(tree, &children, depth);
    free(children.items);
    return sound;
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
                                             refrain_node_file(unit->view, source), source->line, callers)
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

static bool print_function(const struct tree *tree, const struct item *function) {
    const struct refrain_profile_unit *unit = function->unit;
    const struct refrain_profile_node *node = function->node;
    uint32_t number = number_of(unit, node);
    const struct refrain_node *source = &unit->view->nodes[number];
    char text[512];
    /* Activations that never ended (exit, longjmp) have no duration. */
    char callees[64] = "", elsewhere[80] = "", throttled[48];
    throttled_text(tree, node, throttled, sizeof throttled);
    long double inclusive_ns = with_callees(tree, unit, number);
    if (inclusive_ns > 0)
        snprintf(callees, sizeof callees, "  %s%s with callees", throttled[0] ? "at least " : "",
                 refrain_show_ns(inclusive_ns));
    if (node->elsewhere_ns > 0)
        snprintf(elsewhere, sizeof elsewhere, ", %s of it in threads that did not call it",
                 refrain_show_ns(node->elsewhere_ns));
    snprintf(text, sizeof text, "%.200s()  %.200s:%u%s%s%s", refrain_node_name(unit->view, source),
             short_file(refrain_node_file(unit->view, source)), source->line, callees, elsewhere, throttled);
    print_line(tree, function->time_ns, node->own_total_ns, node->mpi_total_ns, node_waiting(tree, unit, number),
               &node->metrics, node->visits, throttled[0] != 0, 0, text);
    print_callers(tree, unit, source);
    return print_children(tree, unit, node, 1);
}

static void print_region(const struct tree *tree, const struct refrain_profile_region *region) {
    const struct refrain_region_info *info = region->region;
    char text[512];
    if (info->kind == REFRAIN_REGION_FUNCTION && info->file[0])
        snprintf(text, sizeof text, "%.200s()  %.200s:%u", info->name, short_file(info->file), info->line);
    else
        snprintf(text, sizeof text, "%s%.400s", info->kind == REFRAIN_REGION_USER ? "region " : "", info->name);
    print_line(tree, region->own_ns, info->own_time == REFRAIN_OWN_TIME_PAUSED ? 0 : region->own_ns, 0, 0,
               &region->metrics, region->visits, false, 0, text);
}

/* False without memory. */
static bool print_item(const struct tree *tree, const struct item *item) {
    const struct refrain_profile_total *total = tree->total;
    if (item->node)
        return print_function(tree, item);
    if (item->call)
        print_call_site(tree, item->call, 0, true);
    else if (item->region)
        print_region(tree, item->region);
    else
        print_line(tree, total->outside_ns, total->outside_ns, 0, 0, &total->outside_metrics, 0, false, 0,
                   "outside of instrumented functions");
    return true;
}

static void print_head(const struct tree *tree) {
    const struct refrain_profile_total *total = tree->total;
    printf("%s%11s %8s %11s %11s %s", refrain_style(REFRAIN_BOLD), "time", "share", "own", "in MPI",
           tree->activity ? "    waiting " : "");
    for (size_t i = 0; i < total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(total->metric_names[i]), total->metric_names[i]);
    printf("%14s  %s%s\n", "count", "what", refrain_style(REFRAIN_NORMAL));
    long double paused_ns = 0;
    for (size_t i = 0; i < total->n_regions; i++)
        if (total->regions[i].region->own_time == REFRAIN_OWN_TIME_PAUSED)
            paused_ns += total->regions[i].own_ns;
    print_line(tree, total->run_ns, total->run_ns - total->mpi_ns - paused_ns, total->mpi_ns,
               tree->activity ? tree->activity->times.waiting_ns : 0, &total->metrics, 1, false, 0,
               "all ranks and threads");
}

enum refrain_status refrain_profile_print(const struct refrain_profile_total *total,
                                          const struct refrain_activity *activity, size_t most,
                                          struct refrain_error *error) {
    struct tree tree = {.total = total, .activity = activity, .most = most};
    struct items items = list_items(total);
    bool sound = items.items && sum_waiting(&tree);
    if (sound)
        print_head(&tree);
    for (size_t i = 0; sound && i < items.n && i < most; i++)
        sound = print_item(&tree, &items.items[i]);
    if (sound && items.n > most)
        print_rest(&tree, &items, 0);
    free_waiting(&tree);
    free(items.items);
    return sound ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
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

/* What is known of the time of a loop or branch; null where there is nothing. */
static void add_span(json_t *object, const struct refrain_span_times *span) {
    json_object_set_new(object, "inclusive_ns", span ? json_real((double)refrain_span_total_ns(span)) : json_null());
    json_object_set_new(object, "least_ns", span ? json_real((double)span->known_ns) : json_null());
    json_object_set_new(object, "own_ns",
                        own_is_known(span) ? json_real((double)refrain_span_own_ns(span)) : json_null());
}

static json_t *branch_json(const struct item *branch) {
    const struct refrain_unit_view *view = branch->unit->view;
    const struct refrain_node *source = &view->nodes[number_of(branch->unit, branch->node)];
    const struct refrain_span_times *span = span_of(branch->unit, number_of(branch->unit, branch->node), branch->fails);
    json_t *object = json_object();
    json_object_set_new(object, "kind", json_string(branch_name(branch->fails)));
    json_object_set_new(object, "file", refrain_json_text(refrain_node_file(view, source)));
    json_object_set_new(object, "line", json_integer(source->line));
    json_object_set_new(object, "count", json_integer((json_int_t)times_taken(branch)));
    json_object_set_new(object, "mpi_ns", span ? json_real((double)span->mpi_ns) : json_null());
    add_span(object, span);
    return object;
}

static json_t *node_json(const struct tree *tree, const struct refrain_profile_unit *unit,
                         const struct refrain_profile_node *node, unsigned depth) {
    uint32_t number = number_of(unit, node);
    const struct refrain_node *source = &unit->view->nodes[number];
    bool loop = is_loop(source);
    json_t *object = json_object(), *children = json_array(), *branches = json_array();
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
        json_object_set_new(object, "elsewhere_ns", json_real((double)node->elsewhere_ns));
        json_object_set_new(object, "inclusive_ns", json_real((double)with_callees(tree, unit, number)));
    }
    json_object_set_new(object, "throttled", json_boolean(node->throttled_ranks > 0));
    json_object_set_new(object, "throttled_ranks", json_integer(node->throttled_ranks));
    if (loop)
        add_span(object, span_of(unit, number, false));
    else
        json_object_set_new(object, "own_ns", json_real((double)node->own_total_ns));
    json_object_set_new(object, "mpi_ns", json_real((double)node->mpi_total_ns));
    if (tree->activity)
        json_object_set_new(object, "waiting_ns", json_integer(node_waiting(tree, unit, number)));
    add_metrics(object, tree->total, &node->metrics);
    struct items list = depth < MOST_DEPTH ? list_children(unit, node) : (struct items){0};
    for (size_t i = 0; i < list.n; i++) {
        const struct item *item = &list.items[i];
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

static json_t *region_json(const struct tree *tree, const struct refrain_profile_region *of) {
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
    struct tree of = {.total = total, .activity = activity}, *tree = &of;
    struct items items = list_items(total);
    if (!items.items || !sum_waiting(tree)) {
        free_waiting(tree);
        free(items.items);
        return REFRAIN_FAIL_MEMORY(error);
    }
    json_t *list = json_array(), *outside = json_array(), *regions = json_array();
    for (size_t i = 0; i < items.n; i++) {
        const struct item *item = &items.items[i];
        if (item->node)
            json_array_append_new(list, node_json(tree, item->unit, item->node, 0));
        else if (item->call)
            json_array_append_new(outside, call_site_json(tree, item->call));
        else if (item->region)
            json_array_append_new(regions, region_json(tree, item->region));
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
    free(items.items);
    return REFRAIN_OK;
}
