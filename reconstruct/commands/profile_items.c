/* profile_items.c: the lines of a profile and their times (profile_items.h). */
#include "commands/profile_items.h"

#include <stdlib.h>
#include <string.h>

static int by_time(const void *a, const void *b) {
    const struct refrain_profile_item *x = a, *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void add_item(struct refrain_profile_items *items, struct refrain_profile_item item) {
    item.order = items->n;
    items->items[items->n++] = item;
}

const struct refrain_span_times *refrain_profile_span(const struct refrain_profile_unit *unit, uint32_t node,
                                                      bool fails) {
    const struct refrain_span_times *times = unit->spans ? &unit->spans[2 * (size_t)node + fails] : NULL;
    return times && refrain_span_is_known(times) ? times : NULL;
}

static void add_node(struct refrain_profile_items *items, const struct refrain_profile_unit *unit, uint32_t node) {
    const struct refrain_profile_node *of = &unit->nodes[node];
    const struct refrain_span_times *span = refrain_profile_span(unit, node, false);
    long double own_ns = !refrain_kind_is_loop(unit->view->nodes[node].kind) ? of->own_total_ns
                         : refrain_profile_own_is_known(span)                ? refrain_span_own_ns(span)
                                                                             : 0;
    add_item(items, (struct refrain_profile_item){
                        .unit = unit, .node = of, .time_ns = own_ns + of->mpi_total_ns + of->files_total_ns});
}

uint64_t refrain_profile_times_taken(const struct refrain_profile_item *branch) {
    uint64_t held = branch->node->entries;
    return !branch->fails ? held : branch->node->visits > held ? branch->node->visits - held : 0;
}

static void add_branch(struct refrain_profile_items *items, const struct refrain_profile_unit *unit, uint32_t node,
                       bool fails) {
    const struct refrain_span_times *span = refrain_profile_span(unit, node, fails);
    struct refrain_profile_item item = {.unit = unit, .node = &unit->nodes[node], .is_branch = true, .fails = fails};
    item.time_ns = span ? refrain_span_own_ns(span) + span->mpi_ns + span->files_ns : 0;
    if (refrain_profile_times_taken(&item) > 0)
        add_item(items, item);
}

static void add_call(struct refrain_profile_items *items, const struct refrain_profile_unit *unit, uint32_t call) {
    const struct refrain_profile_call_site *of = &unit->call_sites[call];
    add_item(items, (struct refrain_profile_item){.unit = unit, .call = of, .time_ns = of->ns});
}

static void sort(struct refrain_profile_items *items) {
    qsort(items->items, items->n, sizeof *items->items, by_time);
}

struct refrain_profile_items refrain_profile_list(const struct refrain_profile_total *total) {
    size_t most = total->n_regions + total->outside.n_call_sites + 1;
    for (size_t u = 0; u < total->n_units; u++)
        most += total->units[u].view->record->n_nodes;
    struct refrain_profile_items items = {.items = calloc(most, sizeof *items.items)};
    if (!items.items)
        return items;
    for (size_t u = 0; u < total->n_units; u++)
        for (uint32_t i = 0; i < total->units[u].view->record->n_nodes; i++)
            if (total->units[u].view->nodes[i].kind == REFRAIN_FUNCTION && total->units[u].nodes[i].visits)
                add_node(&items, &total->units[u], i);
    for (size_t i = 0; i < total->n_regions; i++)
        add_item(&items,
                 (struct refrain_profile_item){.region = &total->regions[i], .time_ns = total->regions[i].own_ns});
    add_item(&items, (struct refrain_profile_item){.time_ns = total->outside_ns});
    for (uint32_t i = 0; i < total->outside.n_call_sites; i++)
        add_call(&items, &total->outside, i);
    sort(&items);
    return items;
}

/* The loop or function that contains the node's line in the table. */
static uint32_t shown_parent(const struct refrain_unit_view *view, uint32_t node) {
    while (node != 0 && view->nodes[node].kind != REFRAIN_FUNCTION && !refrain_kind_is_loop(view->nodes[node].kind))
        node = view->nodes[node].parent;
    return node;
}

struct refrain_profile_items refrain_profile_list_children(const struct refrain_profile_unit *unit,
                                                           const struct refrain_profile_node *node) {
    uint32_t n = unit->view->record->n_nodes, parent = refrain_profile_number(unit, node);
    struct refrain_profile_items items = {.items = calloc(2 * (size_t)n + unit->n_call_sites, sizeof *items.items)};
    if (!items.items)
        return items;
    for (uint32_t i = parent + 1; i < n; i++) {
        const struct refrain_node *source = &unit->view->nodes[i];
        if (shown_parent(unit->view, source->parent) != parent)
            continue;
        if (refrain_kind_is_loop(source->kind) && (unit->nodes[i].visits || unit->nodes[i].entries))
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

int64_t refrain_profile_call_waiting(const struct refrain_profile_tree *tree,
                                     const struct refrain_profile_call_site *call_site) {
    uint32_t index = call_site->region->index;
    return tree->activity && index < tree->activity->n_regions ? tree->activity->regions[index].waiting_ns : 0;
}

void refrain_profile_free_waiting(struct refrain_profile_tree *tree) {
    for (size_t u = 0; tree->waiting_ns && u < tree->total->n_units; u++)
        free(tree->waiting_ns[u]);
    free(tree->waiting_ns);
}

bool refrain_profile_sum_waiting(struct refrain_profile_tree *tree) {
    const struct refrain_profile_total *total = tree->total;
    tree->waiting_ns = calloc(total->n_units + 1, sizeof *tree->waiting_ns);
    for (size_t u = 0; tree->waiting_ns && u < total->n_units; u++) {
        const struct refrain_profile_unit *unit = &total->units[u];
        tree->waiting_ns[u] = calloc(unit->view->record->n_nodes + 1, sizeof **tree->waiting_ns);
        if (!tree->waiting_ns[u])
            return false;
        for (size_t s = 0; s < unit->n_call_sites; s++)
            for (uint32_t node = unit->call_sites[s].node;; node = unit->view->nodes[node].parent) {
                tree->waiting_ns[u][node] += refrain_profile_call_waiting(tree, &unit->call_sites[s]);
                if (node == 0)
                    break;
            }
    }
    return tree->waiting_ns != NULL;
}

/* ---- with callees ---- */

bool refrain_profile_is_same(const struct refrain_region_info *region, const char *name, const char *file,
                             uint32_t line) {
    return region && region->kind == REFRAIN_REGION_FUNCTION && region->line == line &&
           strcmp(region->name, name) == 0 && strcmp(region->file, file) == 0;
}

long double refrain_profile_with_callees(const struct refrain_profile_tree *tree,
                                         const struct refrain_profile_unit *unit, uint32_t node) {
    const struct refrain_node *source = &unit->view->nodes[node];
    const char *name = refrain_node_name(unit->view, source), *file = refrain_node_file(unit->view, source);
    for (size_t i = 0; tree->activity && i < tree->activity->n_regions; i++) {
        const struct refrain_activity_region *region = &tree->activity->regions[i];
        if (region->recursive && refrain_profile_is_same(region->region, name, file, source->line))
            return (long double)region->total_ns + unit->nodes[node].elsewhere_ns;
    }
    return unit->nodes[node].inclusive_ns;
}
