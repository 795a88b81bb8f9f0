/* profile.c: adds up the blocks of all ranks by construct (profile.h). */
#include "analysis/profile.h"
#include "common/array.h"
#include "sequence/sequence.h"
#include <refrain/amounts.h>

#include <stdlib.h>
#include <string.h>

static bool same_unit(const struct refrain_unit_view *a, const struct refrain_unit_view *b) {
    return a->record->n_nodes == b->record->n_nodes && a->record->strings_bytes == b->record->strings_bytes &&
           memcmp(a->nodes, b->nodes, a->record->n_nodes * sizeof *a->nodes) == 0 &&
           memcmp(a->strings, b->strings, a->record->strings_bytes) == 0;
}

/* The unit with these tables, added if it is new. Null without memory. */
static struct refrain_profile_unit *find_unit(struct refrain_profile_total *total,
                                              const struct refrain_unit_view *view) {
    for (size_t i = 0; i < total->n_units; i++)
        if (total->units[i].view == view || same_unit(total->units[i].view, view))
            return &total->units[i];
    struct refrain_profile_unit *unit = &total->units[total->n_units];
    *unit = (struct refrain_profile_unit){.view = view, .nodes = calloc(view->record->n_nodes, sizeof *unit->nodes)};
    if (!unit->nodes)
        return NULL;
    total->n_units++;
    return unit;
}

static uint64_t values_seen(const struct refrain_process *process, const struct refrain_learner *learner) {
    return refrain_learner_values(process->image, process->image_bytes, learner, NULL);
}

#define MOST_RUNS 100000000u /* the rest counts as equal to these */

/* Adds run by run: a loop count that a million visits have in common is one product. */
static uint64_t values_sum(const struct refrain_process *process, const struct refrain_learner *learner) {
    struct refrain_sequence sequence;
    uint64_t sum = 0, values = 0, runs = 0;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (; runs < MOST_RUNS && refrain_sequence_advance(&sequence); runs++) {
        sum += refrain_sequence_iterations(&sequence);
        values += sequence.run;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    if (runs == MOST_RUNS)
        sum = (uint64_t)((long double)sum * (long double)values_seen(process, learner) / (long double)values);
    return sum;
}

/* Activations at this place: those that ended, and one that is still open. */
static uint64_t activations(const struct refrain_process *process, const struct refrain_learner *learner) {
    struct refrain_sequence sequence;
    uint64_t ended = 0, runs = 0;
    bool open = false;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (; runs < MOST_RUNS && refrain_sequence_advance(&sequence); runs++) {
        open = sequence.value >= 0;
        ended += open ? 0 : sequence.run;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return ended + open;
}

#define MOST_CALL_RUNS 10000000u /* a tenth of a second */

/* Adds how often a call ended at this place. False if that is unknown, or takes too long to find. */
static bool add_ends(const struct refrain_process *process, const struct refrain_learner *learner, uint64_t *ends) {
    struct refrain_sequence sequence;
    unsigned runs = 0;
    bool known = true;
    refrain_sequence_open(&sequence, process->image, process->image_bytes, learner);
    for (; known && refrain_sequence_advance(&sequence); runs++) {
        known = !sequence.unknown && runs < MOST_CALL_RUNS;
        *ends += sequence.value < 0 ? sequence.run : 0;
        sequence.run = 0;
    }
    refrain_sequence_close(&sequence);
    return known;
}

/* ---- threads inside a function that they did not call ---- */

static uint32_t function_around(const struct refrain_unit_view *unit, uint32_t node) {
    while (node != 0 && unit->nodes[node].kind != REFRAIN_FUNCTION)
        node = unit->nodes[node].parent;
    return node;
}

static bool called_function(const struct refrain_process *process, uint32_t thread,
                            const struct refrain_unit_view *unit, const struct refrain_node *function) {
    if (function->slot == REFRAIN_NO_SLOT)
        return true;
    const struct refrain_slot *slot =
        refrain_process_slot(process, thread, (uint64_t)unit->record->first_slot + function->slot + 1);
    return !slot || slot->count > 0;
}

/* Adds the time of the thread in a node to the function around it, if the thread has no activation of that function. */
static void add_elsewhere(const struct refrain_process *process, uint32_t thread, struct refrain_profile_unit *unit,
                          const struct refrain_unit_view *view, uint32_t node, long double ns) {
    uint32_t function = function_around(view, node);
    if (view->nodes[function].kind != REFRAIN_FUNCTION ||
        called_function(process, thread, view, &view->nodes[function]))
        return;
    unit->nodes[function].elsewhere_ns += ns;
    unit->nodes[function].inclusive_ns += ns;
}

/* ---- slots ---- */

static void mark_throttled(struct refrain_profile_node *node, int32_t rank) {
    if (node->throttled_ranks > 0 && node->throttled_rank == rank)
        return;
    node->throttled_ranks++;
    node->throttled_rank = rank;
}

/* The node of a block that ended at a slot: the place after a loop does not belong to the loop. */
static uint32_t node_of_block(const struct refrain_slot_view *view) {
    bool behind = refrain_kind_is_loop(view->node->kind) && view->part != 1;
    return behind ? view->node->parent : (uint32_t)(view->node - view->unit->nodes);
}

static void add_slot(const struct refrain_process *process, const struct refrain_slot_view *view,
                     const struct refrain_slot *slot, bool throttled, struct refrain_profile_node *nodes,
                     struct refrain_profile_total *total) {
    uint32_t kind = view->node->kind;
    struct refrain_profile_node *node = &nodes[view->node - view->unit->nodes], *of_block = &nodes[node_of_block(view)];
    long double ns = refrain_trace_span_ns(process, slot->ticks);
    if (kind == REFRAIN_FUNCTION && view->part == 1) {
        node->visits += slot->count;
        node->inclusive_ns += ns;
        if (slot->throttled_at)
            mark_throttled(node, process->rank);
        return;
    }
    of_block->own_ns += ns;
    refrain_metrics_add(process, slot, &of_block->metrics);
    refrain_metrics_add(process, slot, &total->metrics);
    if (throttled)
        mark_throttled(node, process->rank);
    total->functions_ns += ns;
    if (refrain_kind_is_loop(kind)) {
        if (view->part == 0) {
            uint64_t entries = values_seen(process, &slot->next) + (slot->count != 0);
            node->entries += entries;
            node->visits += values_sum(process, &slot->next) + slot->count;
            if (kind == REFRAIN_DO) /* counts are how often the condition held; the first iteration is not included */
                node->visits += entries;
        }
    } else if (view->part == 0 && kind != REFRAIN_FUNCTION) {
        node->visits += values_seen(process, &slot->next);
        if (kind == REFRAIN_IF)
            node->entries += values_sum(process, &slot->next);
    }
}

static void add_units(const struct refrain_process *process, struct refrain_profile_unit **unit_of,
                      struct refrain_profile_total *total) {
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        const struct refrain_thread *thread = &process->threads[t];
        if (!thread->started)
            continue;
        total->run_ns += refrain_trace_span_ns(process, thread->last_ticks - thread->start_ticks);
        total->outside_ns += refrain_trace_span_ns(process, thread->root.ticks);
        refrain_metrics_add(process, &thread->root, &total->outside_metrics);
        refrain_metrics_add(process, &thread->root, &total->metrics);
        for (uint32_t number = 0; number < process->header->n_slots; number++) {
            const struct refrain_slot_view *view = &process->slots[number];
            const struct refrain_slot *slot = refrain_process_slot(process, t, number);
            if (!view->node || !slot)
                continue;
            struct refrain_profile_unit *unit = unit_of[view->unit - process->units];
            bool throttled = refrain_process_throttled(process, t, number);
            add_slot(process, view, slot, throttled, unit->nodes, total);
            if (view->node->kind != REFRAIN_FUNCTION || view->part != 1)
                add_elsewhere(process, t, unit, view->unit, node_of_block(view),
                              refrain_trace_span_ns(process, slot->ticks));
        }
    }
}

/* ---- MPI calls and user regions ---- */

/* Number of calls at a call site, and their time. A call is one block, unless MPI calls functions of the program
 * from it. */
static uint64_t calls_of(const struct refrain_process *process, const struct refrain_call_site *call_site,
                         uint64_t *ticks) {
    uint64_t blocks = call_site->inside.count, ends = 0;
    bool known = add_ends(process, &call_site->inside.next, &ends);
    const struct refrain_operation_record *operation = NULL;
    *ticks = call_site->inside.ticks;
    while ((operation = refrain_call_site_operation(process, call_site, operation))) {
        blocks += operation->after.count;
        *ticks += operation->after.ticks;
        known = known && add_ends(process, &operation->after.next, &ends);
    }
    return known ? ends : blocks;
}

/* `within`: the view of the calling unit in this process, null outside of all units. `of_overflow_sites`: for a host,
 * the calls of its overflow sites. Each site gets its part of the total time; metrics count for the host. */
static bool add_call_site(const struct refrain_process *process, const struct refrain_call_site_view *view,
                          uint64_t of_overflow_sites, const struct refrain_unit_view *within,
                          struct refrain_profile_unit *unit, uint32_t node, struct refrain_profile_total *total) {
    uint64_t ticks, all = calls_of(process, view->record, &ticks);
    uint64_t calls =
        view->overflow ? refrain_least(view->overflow->calls, all) : all - refrain_least(of_overflow_sites, all);
    long double ns = refrain_trace_span_ns(process, ticks) * (all ? (long double)calls / (long double)all : 1);
    struct refrain_metric_totals none = {0}, *in_node = unit->nodes ? &unit->nodes[node].metrics : &none;
    const bool is_files = view->region->kind == REFRAIN_REGION_IO;
    *(is_files ? &total->files_ns : &total->mpi_ns) += ns;
    if (unit->nodes)
        *(is_files ? &unit->nodes[node].files_ns : &unit->nodes[node].mpi_ns) += ns;
    if (within)
        add_elsewhere(process, view->record->thread, unit, within, node, ns);
    if (!view->overflow) {
        refrain_metrics_add_call_site(process, view->record, &total->metrics);
        refrain_metrics_add_call_site(process, view->record, in_node);
    }
    struct refrain_profile_call_site *call_site = unit->call_sites;
    while (call_site < unit->call_sites + unit->n_call_sites &&
           (call_site->region != view->region || call_site->node != node))
        call_site++;
    if (!unit->call_sites || call_site == unit->call_sites + unit->n_call_sites) {
        if (!REFRAIN_ARRAY_ROOM(unit->call_sites, unit->n_call_sites, unit->capacity_call_sites))
            return false;
        call_site = &unit->call_sites[unit->n_call_sites++];
        *call_site = (struct refrain_profile_call_site){.region = view->region, .node = node};
    }
    call_site->calls += calls;
    call_site->ns += ns;
    if (!view->overflow)
        refrain_metrics_add_call_site(process, view->record, &call_site->metrics);
    return true;
}

/* Finds the unit and node that the call is made from. */
static bool add_call_site_where(const struct refrain_process *process, const struct refrain_call_site_view *view,
                                uint64_t of_overflow_sites, struct refrain_profile_unit **unit_of,
                                struct refrain_profile_total *total) {
    uint32_t number = view->overflow ? view->overflow->slot : view->record->slot;
    const struct refrain_slot_view *from = number < process->header->n_slots ? &process->slots[number] : NULL;
    bool inside = from && from->node;
    struct refrain_profile_unit *unit = inside ? unit_of[from->unit - process->units] : &total->outside;
    return add_call_site(process, view, of_overflow_sites, inside ? from->unit : NULL, unit,
                         inside ? (uint32_t)(from->node - from->unit->nodes) : 0, total);
}

static bool add_calls(const struct refrain_process *process, struct refrain_profile_unit **unit_of,
                      struct refrain_profile_total *total) {
    uint64_t *of_overflow_sites = calloc(process->n_call_sites + 1, sizeof *of_overflow_sites);
    bool sound = of_overflow_sites != NULL;
    for (size_t i = 0; sound && i < process->n_overflow_sites; i++) {
        const struct refrain_overflow_site *overflow = process->overflow_sites[i].overflow;
        of_overflow_sites[refrain_process_call_site(process, overflow->host) - process->call_sites] += overflow->calls;
        sound = add_call_site_where(process, &process->overflow_sites[i], 0, unit_of, total);
    }
    for (size_t i = 0; sound && i < process->n_call_sites; i++)
        sound = add_call_site_where(process, &process->call_sites[i], of_overflow_sites[i], unit_of, total);
    free(of_overflow_sites);
    if (!sound)
        return false;
    for (size_t i = 0; i < process->n_user_regions; i++) {
        const struct refrain_user_region_view *view = &process->user_regions[i];
        if (refrain_use_is_value(view->record->use))
            continue;
        size_t r = 0;
        while (r < total->n_regions && total->regions[r].region != view->region)
            r++;
        if (r == total->n_regions) {
            struct refrain_profile_region *regions = realloc(total->regions, (total->n_regions + 1) * sizeof *regions);
            if (!regions)
                return false;
            total->regions = regions;
            total->regions[total->n_regions++] = (struct refrain_profile_region){.region = view->region};
        }
        total->regions[r].own_ns += refrain_trace_span_ns(process, view->record->inside.ticks);
        refrain_metrics_add(process, &view->record->inside, &total->regions[r].metrics);
        refrain_metrics_add(process, &view->record->inside, &total->metrics);
        total->regions[r].visits += activations(process, &view->record->inside.next);
    }
    return true;
}

/* ---- all ---- */

/* Children come after their parents. */
static void add_up(struct refrain_profile_unit *unit) {
    uint32_t n = unit->view->record->n_nodes;
    for (uint32_t i = 0; i < n; i++) {
        unit->nodes[i].own_total_ns = unit->nodes[i].own_ns;
        unit->nodes[i].mpi_total_ns = unit->nodes[i].mpi_ns;
        unit->nodes[i].files_total_ns = unit->nodes[i].files_ns;
    }
    for (uint32_t i = n; i-- > 1;) {
        struct refrain_profile_node *parent = &unit->nodes[unit->view->nodes[i].parent];
        parent->own_total_ns += unit->nodes[i].own_total_ns;
        parent->mpi_total_ns += unit->nodes[i].mpi_total_ns;
        parent->files_total_ns += unit->nodes[i].files_total_ns;
        refrain_metrics_add_up(&parent->metrics, &unit->nodes[i].metrics);
    }
}

/* Adds times of loops and branches. */
static bool add_spans(const struct refrain_process *process, struct refrain_profile_unit **unit_of) {
    struct refrain_span_times **of = calloc(process->n_units + 1, sizeof *of);
    bool sound = of != NULL;
    for (size_t u = 0; sound && u < process->n_units; u++) {
        struct refrain_profile_unit *unit = unit_of[u];
        if (!unit->spans)
            unit->spans = calloc(2 * (size_t)unit->view->record->n_nodes, sizeof *unit->spans);
        of[u] = unit->spans;
        sound = of[u] != NULL;
    }
    for (uint32_t t = 0; sound && t < process->header->n_threads; t++)
        if (process->threads[t].started)
            sound = refrain_span_times_add(process, t, of);
    free(of);
    return sound;
}

static bool add_process(const struct refrain_process *process, bool spans, struct refrain_profile_total *total) {
    struct refrain_profile_unit **unit_of = calloc(process->n_units + 1, sizeof *unit_of);
    bool sound = unit_of != NULL;
    for (size_t u = 0; sound && u < process->n_units; u++)
        sound = (unit_of[u] = find_unit(total, &process->units[u])) != NULL;
    if (sound)
        add_units(process, unit_of, total);
    total->n_ranks += sound;
    sound = sound && add_calls(process, unit_of, total) && (!spans || add_spans(process, unit_of));
    free(unit_of);
    return sound;
}

enum refrain_status refrain_profile_open(const struct refrain_trace *trace, int32_t rank, bool spans,
                                         struct refrain_profile_total *total, struct refrain_error *error) {
    size_t most = 0;
    memset(total, 0, sizeof *total);
    if (rank >= 0 && !refrain_trace_process(trace, rank))
        return REFRAIN_FAIL(error, "%s: there is no rank %d in it", trace->path, rank);
    for (size_t i = 0; i < trace->n_processes; i++)
        most += trace->processes[i].n_units;
    total->metric_names = trace->metric_names;
    total->n_metrics = trace->n_metrics;
    total->units = calloc(most + 1, sizeof *total->units);
    bool sound = total->units != NULL;
    for (size_t i = 0; sound && i < trace->n_processes; i++)
        if (rank < 0 || trace->processes[i].rank == rank)
            sound = add_process(&trace->processes[i], spans, total);
    if (!sound) {
        refrain_profile_close(total);
        return REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t u = 0; u < total->n_units; u++)
        add_up(&total->units[u]);
    return REFRAIN_OK;
}

void refrain_profile_close(struct refrain_profile_total *total) {
    for (size_t u = 0; u < total->n_units; u++) {
        free(total->units[u].nodes);
        free(total->units[u].spans);
        free(total->units[u].call_sites);
    }
    free(total->outside.call_sites);
    free(total->units);
    free(total->regions);
    memset(total, 0, sizeof *total);
}
