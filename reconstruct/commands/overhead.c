/* overhead.c: multiplies the number of probes by their costs (overhead.h). */
#include "commands/overhead.h"
#include "match/event.h"
#include "match/replayable.h"
#include "model/learners.h"
#include "sequence/sequence.h"

#include <stdlib.h>

#define REFRAIN_PAGE_BYTES 4096u

struct counter {
    struct refrain_overhead *overhead;
    const struct refrain_process *process;
    const struct refrain_probe_cost_info *costs;
    struct refrain_overhead_function *function; /* the function of the probes; null: none */
    double cold_probes, cold_calls;             /* factors: the cost with cold caches relative to that with warm ones */
};

static void count(struct counter *counter, enum refrain_probe_kind kind, uint64_t probes) {
    struct refrain_overhead *overhead = counter->overhead;
    double ns = (double)probes * (counter->costs[kind].before_ns + counter->costs[kind].after_ns);
    overhead->kinds[kind] = counter->costs[kind].kind;
    overhead->probes[kind] += probes;
    overhead->ns[kind] += ns;
    overhead->total_ns += ns;
    overhead->cold_ns += ns * (kind < REFRAIN_PROBE_CALL_BEGIN ? counter->cold_probes : counter->cold_calls);
    if (counter->function) {
        counter->function->probes += probes;
        counter->function->ns += ns;
    }
}

/* The cost of these kinds with cold caches, relative to that with warm ones. 1 if unknown. */
static double cold_share(const struct counter *counter, uint32_t cold, unsigned from, unsigned to) {
    double warm_ns = 0,
           cold_ns = (double)(refrain_trace_span_ns(counter->process, cold) / (1u << REFRAIN_PROBE_COST_SHIFT));
    for (unsigned kind = from; kind < to; kind++)
        warm_ns += counter->costs[kind].before_ns + counter->costs[kind].after_ns;
    return warm_ns > 0 && cold_ns > warm_ns ? cold_ns / warm_ns : 1;
}

/* Adds costs that belong to no probe: the beginning, packing, and the pages of the trace file. */
static void count_process(struct counter *counter) {
    const struct refrain_header *header = counter->process->header;
    struct refrain_overhead *overhead = counter->overhead;
    uint64_t used = header->image_used ? header->image_used : header->pool_used;
    uint64_t pages = (used + REFRAIN_PAGE_BYTES - 1) / REFRAIN_PAGE_BYTES;
    overhead->n_cold_unknown += header->cold_call == 0;
    overhead->begin_ns += (double)refrain_trace_span_ns(counter->process, header->setup_ticks + header->init_ticks);
    overhead->pack_ns += (double)header->pack_ns;
    overhead->n_unpacked += header->pack_ns == 0;
    overhead->pages += pages;
    overhead->pages_ns += (double)pages * (double)refrain_trace_span_ns(counter->process, header->page_ticks);
    counter->cold_probes = cold_share(counter, header->cold_probes, 0, REFRAIN_PROBE_CALL_BEGIN);
    counter->cold_calls = cold_share(counter, header->cold_call, REFRAIN_PROBE_CALL_BEGIN, REFRAIN_PROBE_KINDS);
}

/* The number of values of a place's learner: how often the place was reached. This holds since a call returns to
 * another place. At a switch it does not, and the number is an upper bound. */
static uint64_t visits(const struct counter *counter, const struct refrain_learner *next) {
    return refrain_learner_values(counter->process->image, counter->process->image_bytes, next, NULL);
}

/* Sum of a loop's counts, with the one that is not learned yet. */
static uint64_t iterations(const struct counter *counter, const struct refrain_slot *slot) {
    struct refrain_sequence sequence;
    uint64_t sum = slot->count;
    refrain_sequence_open(&sequence, counter->process->image, counter->process->image_bytes, &slot->next);
    for (; refrain_sequence_advance(&sequence); sequence.run = 0)
        sum += refrain_sequence_iterations(&sequence);
    refrain_sequence_close(&sequence);
    return sum;
}

/* The row of the function that contains a node. The last row is for nodes outside of functions. */
static struct refrain_overhead_function *row_of(const struct refrain_trace *trace, struct counter *counter,
                                                const struct refrain_slot_view *view) {
    const struct refrain_node *node = view->node;
    while (node->kind != REFRAIN_FUNCTION && node != view->unit->nodes)
        node = &view->unit->nodes[node->parent];
    const struct refrain_region_info *region =
        refrain_process_function(counter->process, (uint64_t)view->unit->record->first_slot + node->slot);
    size_t row = region && region->index < trace->n_regions ? region->index : trace->n_regions;
    counter->overhead->functions[row].region = row < trace->n_regions ? region : NULL;
    return &counter->overhead->functions[row];
}

static void count_slot(struct counter *counter, const struct refrain_slot_view *view, const struct refrain_slot *slot) {
    struct refrain_overhead_function *function = counter->function;
    uint32_t kind = view->node->kind;
    if (slot->flags & REFRAIN_SLOT_WAS_THROTTLED) {
        function->part_throttled = true;
        function->was_throttled |= kind == REFRAIN_FUNCTION;
    }
    switch (kind) {
    case REFRAIN_FUNCTION:
        if (view->part == 1) {
            function->activations += slot->count;
            count(counter, REFRAIN_PROBE_ENTER, slot->count);
            count(counter, REFRAIN_PROBE_LEAVE, slot->count);
        }
        break;
    case REFRAIN_IF:
    case REFRAIN_CONDITIONAL:
    case REFRAIN_AND:
    case REFRAIN_OR:
        if (view->part == 0)
            count(counter, REFRAIN_PROBE_DECISION, visits(counter, &slot->next));
        break;
    case REFRAIN_WHILE:
    case REFRAIN_FOR:
    case REFRAIN_DO:
        if (view->part != 0)
            break;
        if (slot->flags & REFRAIN_SLOT_COUNTED) {
            count(counter, REFRAIN_PROBE_COUNT, visits(counter, &slot->next));
        } else {
            count(counter, REFRAIN_PROBE_LOOP_END, visits(counter, &slot->next));
            count(counter, REFRAIN_PROBE_ITERATION, iterations(counter, slot));
        }
        break;
    case REFRAIN_MPI_CALL: /* counted with the call */
        break;
    default:
        if (view->part == 0)
            count(counter, REFRAIN_PROBE_PLACE, visits(counter, &slot->next));
        break;
    }
}

static void count_places(const struct refrain_trace *trace, struct counter *counter, uint32_t thread) {
    const struct refrain_process *process = counter->process;
    for (uint32_t number = 0; number < process->header->n_slots; number++) {
        const struct refrain_slot_view *view = &process->slots[number];
        const struct refrain_slot *slot = refrain_process_slot(process, thread, number);
        if (!view->node || !slot)
            continue;
        counter->function = row_of(trace, counter, view);
        count_slot(counter, view, slot);
    }
    counter->function = NULL;
}

static void count_calls(struct counter *counter) {
    const struct refrain_process *process = counter->process;
    for (size_t i = 0; i < process->n_call_sites; i++) {
        const struct refrain_call_site *call_site = process->call_sites[i].record;
        const struct refrain_operation_record *operation = NULL;
        if (!call_site)
            continue;
        uint64_t calls = visits(counter, &call_site->inside.next);
        count(counter, REFRAIN_PROBE_CALL_BEGIN, calls);
        count(counter, REFRAIN_PROBE_CALL_RETURN, calls);
        count(counter, REFRAIN_PROBE_CALL_END, calls);
        while ((operation = refrain_call_site_operation(process, call_site, operation)))
            count(counter, REFRAIN_PROBE_OPERATION, visits(counter, &operation->after.next));
    }
}

/* User regions have no place, so replay counts their activations. */
static enum refrain_status count_regions(struct refrain_trace *trace, struct counter *counter,
                                         struct refrain_error *error) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    const struct refrain_event *event;
    uint64_t begun = 0, ended = 0;
    if (counter->process->n_user_regions == 0)
        return REFRAIN_OK;
    options.ranks = &counter->process->rank;
    options.n_ranks = 1;
    options.unaligned = true;
    enum refrain_status status = refrain_cursor_open(trace, &options, &cursor, error);
    if (status)
        return status;
    while ((event = refrain_cursor_step(cursor)))
        if (event->region->kind == REFRAIN_REGION_USER) {
            begun += event->kind == REFRAIN_EVENT_ENTER;
            ended += event->kind == REFRAIN_EVENT_LEAVE;
        }
    count(counter, REFRAIN_PROBE_REGION_BEGIN, begun);
    count(counter, REFRAIN_PROBE_REGION_END, ended);
    return refrain_cursor_close(cursor, error);
}

static int dearest_first(const void *left, const void *right) {
    const struct refrain_overhead_function *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? 1 : -1;
    return (a->probes < b->probes) - (a->probes > b->probes);
}

/* Removes rows whose probes never ran, and sorts the others. */
static void order(struct refrain_overhead *overhead, size_t n_rows) {
    for (size_t i = 0; i < n_rows; i++)
        if (overhead->functions[i].probes > 0)
            overhead->functions[overhead->n_functions++] = overhead->functions[i];
    qsort(overhead->functions, overhead->n_functions, sizeof *overhead->functions, dearest_first);
}

enum refrain_status refrain_overhead_read(struct refrain_trace *trace, struct refrain_overhead *overhead,
                                          struct refrain_error *error) {
    enum refrain_status status = refrain_replayable(trace, false, error);
    if (status)
        return status;
    overhead->functions = calloc(trace->n_regions + 1, sizeof *overhead->functions);
    if (!overhead->functions)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        size_t measured;
        struct counter counter = {.overhead = overhead, .process = process};
        counter.costs = refrain_trace_probe_costs(trace, process->rank, &measured);
        if (measured == 0) {
            overhead->n_unmeasured++;
            continue;
        }
        count_process(&counter);
        status = refrain_learners_check(process, error);
        for (uint32_t t = 0; !status && t < process->header->n_threads; t++) {
            const struct refrain_thread *thread = &process->threads[t];
            if (!thread->started)
                continue;
            overhead->run_ns += (double)refrain_trace_span_ns(process, thread->last_ticks - thread->start_ticks);
            count_places(trace, &counter, t);
        }
        if (!status)
            count_calls(&counter);
        if (!status)
            status = count_regions(trace, &counter, error);
    }
    order(overhead, trace->n_regions + 1);
    return status;
}

void refrain_overhead_free(struct refrain_overhead *overhead) {
    free(overhead->functions);
    overhead->functions = NULL;
}
