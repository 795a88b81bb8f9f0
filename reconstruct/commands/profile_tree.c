/* profile_tree.c: functions, and in each its loops and MPI calls, as text (profile_tree.h). */
#define _GNU_SOURCE
#include "commands/profile_tree.h"
#include "commands/command.h"
#include "commands/profile_items.h"
#include "common/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CALLERS 4u

/* ---- callers ---- */

struct caller {
    const struct refrain_region_info *region;
    uint64_t count;
    int64_t total_ns;
};

/* Adds up the callers of the function in callers[MOST_CALLERS]. Returns how many callers there are, which may be more.
 */
static size_t find_callers(const struct refrain_activity_path *path, const char *name, const char *file, uint32_t line,
                           struct caller *callers) {
    size_t n = 0;
    while ((path = refrain_activity_next_path(path))) {
        if (!refrain_profile_is_same(path->region, name, file, line))
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

/* A time with a mark that says how exact it is: "~33.0 ms". */
static const char *marked(const char *mark, long double ns, char *text, size_t bytes) {
    snprintf(text, bytes, "%s%s", mark, refrain_show_ns(ns));
    return text;
}

/* The mark of a loop's time: exact if most of the loop lies between clock reads, else the most likely time, or a lower
 * bound if probes in the loop were disabled. */
static const char *mark_of(const struct refrain_span_times *span, const struct refrain_profile_node *node) {
    if (span && node->throttled_ranks > 0)
        return ">=";
    if (!span || span->edge_ns * 20 <= refrain_span_total_ns(span))
        return "";
    return span->gaps ? "~" : ">=";
}

/* The times of a line; -1 if they are not known. */
struct times {
    long double all_ns, own_ns, mpi_ns, files_ns;
    int64_t waiting_ns;
};

static struct times sum_of(long double own_ns, long double mpi_ns, long double files_ns, int64_t waiting_ns) {
    return (struct times){own_ns >= 0 ? own_ns + mpi_ns + files_ns : -1, own_ns, mpi_ns, files_ns, waiting_ns};
}

/* `mark` is for the first two times. `metrics` is null if not known. `least`: the count is a lower bound. */
static void print_marked(const struct refrain_profile_tree *tree, struct times times,
                         const struct refrain_metric_totals *metrics, uint64_t count, bool least, unsigned depth,
                         const char *text, const char *mark) {
    char counted[48], shown[64];
    snprintf(counted, sizeof counted, "%s%s", least ? ">=" : "", refrain_show_count(count));
    long double run_ns = tree->total->run_ns > 0 ? tree->total->run_ns : 1;
    if (times.all_ns < 0)
        printf("%11s %8s ", "-", "-");
    else
        printf("%11s %6.2Lf %% ", marked(mark, times.all_ns, shown, sizeof shown), 100 * times.all_ns / run_ns);
    printf("%11s ", times.own_ns < 0 ? "-" : marked(mark, times.own_ns, shown, sizeof shown));
    printf("%11s ", times.mpi_ns < 0 ? "-" : refrain_show_ns(times.mpi_ns));
    if (tree->total->files_ns > 0)
        printf("%11s ", times.files_ns < 0 ? "-" : refrain_show_ns(times.files_ns));
    if (tree->activity)
        printf("%11s ", times.waiting_ns < 0 ? "-" : refrain_show_ns((long double)times.waiting_ns));
    for (size_t i = 0; i < tree->total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(tree->total->metric_names[i]),
               metrics ? refrain_show_metric(tree->total->metric_names[i], metrics->value[i]) : "-");
    /* Lines of a tenth of the run or more are bold. */
    printf("%14s  %*s%s%s%s\n", counted, (int)(2 * depth), "",
           depth && times.all_ns * 10 > run_ns ? refrain_style(REFRAIN_BOLD) : "", refrain_show_name(text),
           depth && times.all_ns * 10 > run_ns ? refrain_style(REFRAIN_NORMAL) : "");
}

static void print_line(const struct refrain_profile_tree *tree, struct times times,
                       const struct refrain_metric_totals *metrics, uint64_t count, bool least, unsigned depth,
                       const char *text) {
    print_marked(tree, times, metrics, count, least, depth, text, "");
}

/* `outside`: no line above names the function that contains the call site. */
static void print_call_site(const struct refrain_profile_tree *tree, const struct refrain_profile_call_site *call_site,
                            unsigned depth, bool outside) {
    const struct refrain_region_info *region = call_site->region;
    char text[512], line[256] = "";
    if (region->file[0])
        snprintf(line, sizeof line, "  %.200s:%u", refrain_base_name(region->file), region->line);
    snprintf(text, sizeof text, "%s%s%s%.200s", region->name, line, outside && region->function[0] ? "  in " : "",
             outside ? region->function : "");
    const bool is_files = region->kind == REFRAIN_REGION_IO;
    print_line(tree,
               sum_of(0, is_files ? 0 : call_site->ns, is_files ? call_site->ns : 0,
                      refrain_profile_call_waiting(tree, call_site)),
               &call_site->metrics, call_site->calls, false, depth, text);
}

/* A line for all items of the list beyond the longest ones. */
static void print_rest(const struct refrain_profile_tree *tree, const struct refrain_profile_items *items,
                       unsigned depth) {
    struct times sum = {0};
    struct refrain_metric_totals metrics = {{0}};
    for (size_t i = tree->most; i < items->n; i++) {
        const struct refrain_profile_item *item = &items->items[i];
        if (item->is_branch) /* its time is part of other lines, too */
            continue;
        const bool is_files = item->call && item->call->region->kind == REFRAIN_REGION_IO;
        const long double call_ns = item->call ? item->call->ns : 0;
        const long double mpi_ns = item->node ? item->node->mpi_total_ns : is_files ? 0 : call_ns;
        const long double files_ns = item->node ? item->node->files_total_ns : is_files ? call_ns : 0;
        sum.waiting_ns +=
            item->node ? refrain_profile_node_waiting(tree, item->unit, refrain_profile_number(item->unit, item->node))
            : item->call ? refrain_profile_call_waiting(tree, item->call)
                         : 0;
        sum.all_ns += item->time_ns;
        sum.mpi_ns += mpi_ns;
        sum.files_ns += files_ns;
        sum.own_ns += item->time_ns - mpi_ns - files_ns;
        refrain_metrics_add_up(&metrics, item->node     ? &item->node->metrics
                                         : item->call   ? &item->call->metrics
                                         : item->region ? &item->region->metrics
                                                        : &tree->total->outside_metrics);
    }
    char text[64];
    snprintf(text, sizeof text, "%zu more (--top)", items->n - tree->most);
    print_line(tree, sum, &metrics, 0, false, depth, text);
}

/* "  throttled on 1 of 4 ranks"; empty if it was not throttled. */
static void throttled_text(const struct refrain_profile_tree *tree, const struct refrain_profile_node *node, char *text,
                           size_t bytes) {
    text[0] = 0;
    if (node->throttled_ranks > 0 && node->throttled_ranks < tree->total->n_ranks)
        snprintf(text, bytes, "  throttled on %u of %u ranks", node->throttled_ranks, tree->total->n_ranks);
    else if (node->throttled_ranks > 0)
        snprintf(text, bytes, "  throttled");
}

/* False without memory. */
static bool print_children(const struct refrain_profile_tree *tree, const struct refrain_profile_unit *unit,
                           const struct refrain_profile_node *parent, unsigned depth);

static bool print_loop(const struct refrain_profile_tree *tree, const struct refrain_profile_unit *unit,
                       const struct refrain_profile_node *node, unsigned depth) {
    const struct refrain_node *source = &unit->view->nodes[refrain_profile_number(unit, node)];
    const struct refrain_span_times *span = refrain_profile_span(unit, refrain_profile_number(unit, node), false);
    char text[512], throttled[48], callees[64] = "", shown[48];
    throttled_text(tree, node, throttled, sizeof throttled);
    if (span)
        snprintf(callees, sizeof callees, "  %s with callees",
                 marked(mark_of(span, node), refrain_span_total_ns(span), shown, sizeof shown));
    snprintf(text, sizeof text, "%s  %.300s:%u  %s%s times begun%s%s", refrain_profile_loop_name(source->kind),
             refrain_base_name(refrain_node_file(unit->view, source)), source->line, throttled[0] ? "at least " : "",
             refrain_show_count(node->entries), callees, throttled);
    long double own_ns = refrain_profile_own_is_known(span) ? refrain_span_own_ns(span) : -1;
    print_marked(tree,
                 sum_of(own_ns, node->mpi_total_ns, node->files_total_ns,
                        refrain_profile_node_waiting(tree, unit, refrain_profile_number(unit, node))),
                 &node->metrics, node->visits, throttled[0] != 0, depth, text, mark_of(span, node));
    return depth >= REFRAIN_PROFILE_DEPTH || print_children(tree, unit, node, depth + 1);
}

static void print_branch(const struct refrain_profile_tree *tree, const struct refrain_profile_item *branch,
                         unsigned depth) {
    const struct refrain_unit_view *view = branch->unit->view;
    uint32_t node = refrain_profile_number(branch->unit, branch->node);
    const struct refrain_span_times *span = refrain_profile_span(branch->unit, node, branch->fails);
    char text[512], callees[64] = "", shown[48];
    if (span)
        snprintf(callees, sizeof callees, "  %s with callees",
                 marked(mark_of(span, branch->node), refrain_span_total_ns(span), shown, sizeof shown));
    snprintf(text, sizeof text, "%s  %.300s:%u%s", refrain_profile_branch_name(branch->fails),
             refrain_base_name(refrain_node_file(view, &view->nodes[node])), view->nodes[node].line, callees);
    bool known = refrain_profile_own_is_known(span);
    print_marked(tree,
                 (struct times){known ? branch->time_ns : -1, known ? refrain_span_own_ns(span) : -1,
                                span ? span->mpi_ns : -1, span ? span->files_ns : -1, -1},
                 NULL, refrain_profile_times_taken(branch), branch->node->throttled_ranks > 0, depth, text,
                 mark_of(span, branch->node));
}

static bool print_children(const struct refrain_profile_tree *tree, const struct refrain_profile_unit *unit,
                           const struct refrain_profile_node *parent, unsigned depth) {
    struct refrain_profile_items children = refrain_profile_list_children(unit, parent);
    bool sound = children.items != NULL;
    for (size_t i = 0; sound && i < children.n && i < tree->most; i++) {
        const struct refrain_profile_item *child = &children.items[i];
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

/* Indentation of lines that explain the line above them. */
static int indentation(const struct refrain_profile_tree *tree) {
    int columns = tree->total->files_ns > 0 ? 79 : 67;
    for (size_t i = 0; i < tree->total->n_metrics; i++)
        columns += refrain_show_metric_width(tree->total->metric_names[i]) + 1;
    return columns;
}

static void print_callers(const struct refrain_profile_tree *tree, const struct refrain_profile_unit *unit,
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

static bool print_function(const struct refrain_profile_tree *tree, const struct refrain_profile_item *function) {
    const struct refrain_profile_unit *unit = function->unit;
    const struct refrain_profile_node *node = function->node;
    uint32_t number = refrain_profile_number(unit, node);
    const struct refrain_node *source = &unit->view->nodes[number];
    char text[512];
    /* Activations that never ended (exit, longjmp) have no duration. */
    char callees[64] = "", elsewhere[80] = "", throttled[48];
    throttled_text(tree, node, throttled, sizeof throttled);
    long double inclusive_ns = refrain_profile_with_callees(tree, unit, number);
    if (inclusive_ns > 0)
        snprintf(callees, sizeof callees, "  %s%s with callees", throttled[0] ? "at least " : "",
                 refrain_show_ns(inclusive_ns));
    if (node->elsewhere_ns > 0)
        snprintf(elsewhere, sizeof elsewhere, ", %s of it in threads that did not call it",
                 refrain_show_ns(node->elsewhere_ns));
    snprintf(text, sizeof text, "%.200s()  %.200s:%u%s%s%s", refrain_node_name(unit->view, source),
             refrain_base_name(refrain_node_file(unit->view, source)), source->line, callees, elsewhere, throttled);
    print_line(tree,
               sum_of(node->own_total_ns, node->mpi_total_ns, node->files_total_ns,
                      refrain_profile_node_waiting(tree, unit, number)),
               &node->metrics, node->visits, throttled[0] != 0, 0, text);
    print_callers(tree, unit, source);
    return print_children(tree, unit, node, 1);
}

static void print_region(const struct refrain_profile_tree *tree, const struct refrain_profile_region *region) {
    const struct refrain_region_info *info = region->region;
    char text[512];
    if (info->kind == REFRAIN_REGION_FUNCTION && info->file[0])
        snprintf(text, sizeof text, "%.200s()  %.200s:%u", info->name, refrain_base_name(info->file), info->line);
    else
        snprintf(text, sizeof text, "%s%.400s", info->kind == REFRAIN_REGION_USER ? "region " : "", info->name);
    print_line(tree,
               (struct times){.all_ns = region->own_ns,
                              .own_ns = info->own_time == REFRAIN_OWN_TIME_PAUSED ? 0 : region->own_ns},
               &region->metrics, region->visits, false, 0, text);
}

/* False without memory. */
static bool print_item(const struct refrain_profile_tree *tree, const struct refrain_profile_item *item) {
    const struct refrain_profile_total *total = tree->total;
    if (item->node)
        return print_function(tree, item);
    if (item->call)
        print_call_site(tree, item->call, 0, true);
    else if (item->region)
        print_region(tree, item->region);
    else
        print_line(tree, sum_of(total->outside_ns, 0, 0, 0), &total->outside_metrics, 0, false, 0,
                   "outside of instrumented functions");
    return true;
}

static void print_head(const struct refrain_profile_tree *tree) {
    const struct refrain_profile_total *total = tree->total;
    printf("%s%11s %8s %11s %11s %s%s", refrain_style(REFRAIN_BOLD), "time", "share", "own", "in MPI",
           total->files_ns > 0 ? "   in files " : "", tree->activity ? "    waiting " : "");
    for (size_t i = 0; i < total->n_metrics; i++)
        printf("%*s ", refrain_show_metric_width(total->metric_names[i]), total->metric_names[i]);
    printf("%14s  %s%s\n", "count", "what", refrain_style(REFRAIN_NORMAL));
    long double paused_ns = 0;
    for (size_t i = 0; i < total->n_regions; i++)
        if (total->regions[i].region->own_time == REFRAIN_OWN_TIME_PAUSED)
            paused_ns += total->regions[i].own_ns;
    print_line(tree,
               (struct times){total->run_ns, total->run_ns - total->mpi_ns - total->files_ns - paused_ns, total->mpi_ns,
                              total->files_ns, tree->activity ? tree->activity->times.waiting_ns : 0},
               &total->metrics, 1, false, 0, "all ranks and threads");
}

enum refrain_status refrain_profile_print(const struct refrain_profile_total *total,
                                          const struct refrain_activity *activity, size_t most,
                                          struct refrain_error *error) {
    struct refrain_profile_tree tree = {.total = total, .activity = activity, .most = most};
    struct refrain_profile_items items = refrain_profile_list(total);
    bool sound = items.items && refrain_profile_sum_waiting(&tree);
    if (sound)
        print_head(&tree);
    for (size_t i = 0; sound && i < items.n && i < most; i++)
        sound = print_item(&tree, &items.items[i]);
    if (sound && items.n > most)
        print_rest(&tree, &items, 0);
    refrain_profile_free_waiting(&tree);
    free(items.items);
    return sound ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}
