/* proxy_learn.c: walks twice through the records of each rank (proxy.h). */
#include "common/error.h"
#include "model/trace_parts.h"
#include "predict/proxy_walk.h"

/* Calls in one function or loop; more would take gigabytes to put in order. */
#define MOST_NODES 4096

static enum refrain_status no_memory(const struct refrain_proxy_walk *walk) {
    return REFRAIN_FAIL_MEMORY(walk->error);
}

/* ---- functions and their items ---- */

/* The function of a region that a rank is in, if the region calls itself, directly or not; else SIZE_MAX. */
static size_t active_function(const struct refrain_proxy_walk *walk, const struct refrain_region_info *region) {
    uint32_t shared = walk->run->shared[region->index];
    for (size_t i = walk->n_activations; i-- > 1;) {
        size_t function = walk->activations[i].function;
        if (walk->proxy->functions[function].shared == shared)
            return function;
    }
    return SIZE_MAX;
}

/* The function of a region, which is made at its first use. */
static size_t function_of(struct refrain_proxy_walk *walk, const struct refrain_region_info *region, size_t item) {
    struct refrain_proxy *proxy = walk->proxy;
    uint32_t shared = walk->run->shared[region->index];
    bool split = refrain_table_number(&proxy->split, shared, 0) != 0;
    size_t active = split ? active_function(walk, region) : SIZE_MAX, caller = split ? item : SIZE_MAX;
    uintptr_t known = refrain_table_number(&proxy->by_region, shared, caller);
    if (active != SIZE_MAX || known)
        return active != SIZE_MAX ? active : known - 1;
    size_t function = refrain_proxy_add_function(proxy, region);
    if (function == SIZE_MAX || !refrain_table_put(&proxy->by_region, shared, caller, function + 1))
        return SIZE_MAX;
    proxy->functions[function].shared = shared;
    return function;
}

/* The item of a region in the innermost function, which is made at its first use. A function that is called at two
 * places of the source has two items. SIZE_MAX without memory. */
static size_t node_of(struct refrain_proxy_walk *walk, const struct refrain_region_info *region) {
    struct refrain_proxy *proxy = walk->proxy;
    const struct refrain_proxy_activation *top = &walk->activations[walk->n_activations - 1];
    uint64_t place = (uint64_t)top->call << 32 | walk->run->shared[region->index];
    uintptr_t known = refrain_table_number(&proxy->nodes, top->function, place);
    if (known)
        return known - 1;
    size_t body = refrain_proxy_body_around(walk), item = refrain_proxy_add_item(proxy, top->function, region);
    bool added = body != SIZE_MAX && item != SIZE_MAX && refrain_proxy_add_node(proxy, body, item) &&
                 refrain_table_put(&proxy->nodes, top->function, place, item + 1);
    return added ? item : SIZE_MAX;
}

/* Fills in the matrix of steps. */
static enum refrain_status gather_steps(struct refrain_proxy *proxy, struct refrain_proxy_body *body,
                                        struct refrain_error *error) {
    size_t n = body->n_nodes;
    if (n > MOST_NODES) {
        const struct refrain_proxy_function *function = &proxy->functions[proxy->items[body->item].function];
        return REFRAIN_FAIL(error, "%s: %s has %zu calls, and a proxy can have %u in a function",
                            proxy->runs[0].trace->path, function->region ? function->region->name : "the program", n,
                            MOST_NODES);
    }
    body->steps = calloc(n * n + 1, sizeof *body->steps);
    body->begun = calloc(n + 1, sizeof *body->begun);
    if (!body->steps || !body->begun)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < body->followed.capacity; i++) {
        const struct refrain_table_slot *slot = &body->followed.slots[i];
        if (slot->number && slot->a == SIZE_MAX)
            body->begun[slot->b] = slot->number;
        else if (slot->number)
            body->steps[slot->a * n + slot->b] = slot->number;
    }
    refrain_table_close(&body->followed);
    body->followed = (struct refrain_table){0};
    return REFRAIN_OK;
}

/* ---- records ---- */

/* Control comes to an item of the innermost function. Returns it; SIZE_MAX without memory. */
static size_t come_to(struct refrain_proxy_walk *walk, const struct refrain_region_info *region, long double ns) {
    size_t item = node_of(walk, region);
    if (item == SIZE_MAX)
        return item;
    walk->activations[walk->n_activations - 1].call = 0;
    walk->proxy->items[item].ns[walk->rank] += walk->second ? (double)ns : 0;
    walk->proxy->items[item].n[walk->rank] += walk->second;
    return refrain_proxy_step(walk, item) ? item : SIZE_MAX;
}

/* `record`: null for the outermost function. */
static enum refrain_status enter(struct refrain_proxy_walk *walk, size_t function,
                                 const struct refrain_record *record) {
    if (function == SIZE_MAX || !REFRAIN_ARRAY_ROOM(walk->activations, walk->n_activations, walk->activations_capacity))
        return no_memory(walk);
    struct refrain_proxy_activation *activation = &walk->activations[walk->n_activations++];
    *activation = (struct refrain_proxy_activation){.function = function, .first_open = walk->n_opens};
    if (record)
        refrain_proxy_enter_source(walk, record, activation - 1, activation);
    return refrain_proxy_begin_body(walk, function) ? REFRAIN_OK : no_memory(walk);
}

static enum refrain_status leave(struct refrain_proxy_walk *walk, long double ns) {
    const struct refrain_proxy_activation *activation = &walk->activations[walk->n_activations - 1];
    walk->proxy->functions[activation->function].ns[walk->rank] += walk->second ? (double)ns : 0;
    bool ended = refrain_proxy_end_body(walk);
    walk->n_activations--;
    return ended ? REFRAIN_OK : no_memory(walk);
}

static enum refrain_status enter_function(struct refrain_proxy_walk *walk, const struct refrain_record *record,
                                          long double ns) {
    const struct refrain_region_info *region = refrain_proxy_entered(walk->process, record);
    if (!region)
        return REFRAIN_OK;
    size_t item = come_to(walk, region, ns);
    size_t function = item == SIZE_MAX ? SIZE_MAX : function_of(walk, region, item);
    if (function == SIZE_MAX)
        return no_memory(walk);
    walk->proxy->items[item].called = function;
    return enter(walk, function, record);
}

static enum refrain_status enter_call(struct refrain_proxy_walk *walk, const struct refrain_region_info *region,
                                      long double ns) {
    size_t item = come_to(walk, region, ns);
    if (item == SIZE_MAX)
        return no_memory(walk);
    if (walk->call.item != SIZE_MAX)
        return REFRAIN_FAIL(walk->error, "%s: rank %d: %s (%s:%u) is called by MPI within a call, as a proxy cannot",
                            walk->run->trace->path, (int)walk->process->rank, region->name, region->file, region->line);
    refrain_proxy_call_begin(walk, item);
    return REFRAIN_OK;
}

static enum refrain_status leave_call(struct refrain_proxy_walk *walk, const struct refrain_record *record) {
    if (walk->call.item == SIZE_MAX)
        return REFRAIN_OK;
    if (!walk->call.left_out) /* else the program computes as long as the call took, before what follows */
        walk->ticks = record->ticks;
    enum refrain_status status = walk->second ? refrain_proxy_call_end(walk) : REFRAIN_OK;
    walk->call.item = SIZE_MAX;
    return status;
}

/* True if the record is in a function that leads to no MPI call, or enters one: it is computation of its caller. */
static bool computes(struct refrain_proxy_walk *walk, const struct refrain_record *record) {
    bool enters = record->kind == REFRAIN_RECORD_ENTER || record->kind == REFRAIN_RECORD_REGION_ENTER;
    bool leaves = record->kind == REFRAIN_RECORD_LEAVE || record->kind == REFRAIN_RECORD_REGION_LEAVE;
    bool inside = walk->computes > 0;
    if (enters && !inside) {
        const struct refrain_region_info *region = refrain_proxy_entered(walk->process, record);
        inside = region && !refrain_table_number(&walk->proxy->leading, walk->run->shared[region->index], 0);
    }
    if (inside)
        walk->computes = walk->computes + enters - leaves;
    return inside;
}

static enum refrain_status take_record(struct refrain_proxy_walk *walk, const struct refrain_record *record) {
    if (computes(walk, record))
        return REFRAIN_OK;
    if (record->kind == REFRAIN_RECORD_STEP)
        return refrain_proxy_reach(walk, record->id) ? REFRAIN_OK : no_memory(walk);
    long double ns = refrain_trace_span_ns(walk->process, record->ticks - walk->ticks);
    if (record->approximate)
        return REFRAIN_FAIL(
            walk->error,
            "%s: the order of rank %d's events is approximate, and a proxy needs it exact: refrain info "
            "says why",
            walk->run->trace->path, (int)walk->process->rank);
    enum refrain_status status = REFRAIN_OK;
    switch (record->kind) {
    case REFRAIN_RECORD_OPERATION:
        return walk->second && walk->call.item != SIZE_MAX ? refrain_proxy_operation(walk, record) : REFRAIN_OK;
    case REFRAIN_RECORD_CALL_ENTER: {
        const struct refrain_call_site_view *site = refrain_process_call_site(walk->process, record->id);
        status = site ? enter_call(walk, site->region, ns) : REFRAIN_OK;
        break;
    }
    case REFRAIN_RECORD_CALL_LEAVE:
        return leave_call(walk, record);
    case REFRAIN_RECORD_ENTER:
    case REFRAIN_RECORD_REGION_ENTER:
        status = enter_function(walk, record, ns);
        break;
    case REFRAIN_RECORD_LEAVE:
    case REFRAIN_RECORD_REGION_LEAVE:
        status = walk->n_activations > 1 ? leave(walk, ns) : REFRAIN_OK;
        break;
    default:
        return REFRAIN_OK;
    }
    walk->ticks = record->ticks;
    return status;
}

/* ---- walks ---- */

static enum refrain_status walk_records(struct refrain_proxy_walk *walk) {
    const char *wrong;
    uint64_t offset;
    struct refrain_record record;
    const struct refrain_process *process = walk->process;
    struct refrain_walk *records = refrain_walk_open(process->image, process->image_bytes, 0, &wrong, &offset);
    if (!records)
        return refrain_process_damaged(process, offset, wrong, walk->error);
    refrain_walk_record_steps(records);
    walk->ticks = process->base_ticks;
    enum refrain_status status = enter(walk, 0, NULL);
    bool first = true;
    while (!status && refrain_walk_next(records, &record)) {
        walk->ticks = first && record.kind != REFRAIN_RECORD_STEP ? record.ticks : walk->ticks;
        first &= record.kind == REFRAIN_RECORD_STEP;
        status = take_record(walk, &record);
    }
    if (!status && (wrong = refrain_walk_wrong(records, &offset)))
        status = refrain_process_damaged(process, offset, wrong, walk->error);
    while (!status && walk->n_activations > 0)
        status = leave(walk, 0);
    if (!status && walk->second && !refrain_proxy_end_requests(walk))
        status = no_memory(walk);
    refrain_walk_close(records);
    return status;
}

static enum refrain_status walk_rank(struct refrain_proxy *proxy, size_t rank, bool second,
                                     struct refrain_error *error) {
    const struct refrain_process *process = refrain_proxy_process(proxy, rank);
    struct refrain_proxy_walk walk = {.proxy = proxy,
                                      .run = refrain_proxy_run_of(proxy, rank),
                                      .process = process,
                                      .rank = rank,
                                      .second = second,
                                      .call.item = SIZE_MAX,
                                      .error = error};
    walk.requests.entry_bytes = sizeof(struct refrain_proxy_request);
    walk.made = calloc(process->n_comms + 2, sizeof *walk.made);
    enum refrain_status status = walk.made ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
    if (!status) {
        walk.made[0] = walk.made[1] = true;
        status = walk_records(&walk);
        proxy->n_requests[rank] = (struct refrain_proxy_list){.n = 1, .same = walk.n_requests};
        proxy->n_comms[rank] = (struct refrain_proxy_list){.n = 1, .same = (int64_t)process->n_comms};
        proxy->most_bytes = walk.most_bytes > proxy->most_bytes ? walk.most_bytes : proxy->most_bytes;
    }
    free(walk.activations);
    free(walk.opens);
    free(walk.call.requests);
    free(walk.made);
    refrain_requests_close(&walk.requests);
    return status;
}

/* ---- the trace as a whole ---- */

/* True if calls, requests, communicators or datatypes are not in the trace. */
static bool misses_calls(const struct refrain_process *process) {
    const uint64_t *losses = process->header->losses;
    bool misses = losses[REFRAIN_LOSS_CALLS] || losses[REFRAIN_LOSS_REQUESTS] || losses[REFRAIN_LOSS_COMMUNICATORS] ||
                  losses[REFRAIN_LOSS_TYPES];
    for (size_t i = 0; i < process->n_user_regions && !misses; i++)
        misses = process->user_regions[i].record && process->user_regions[i].record->use == REFRAIN_USE_UNTOLD;
    return misses;
}

static enum refrain_status check(const struct refrain_trace *trace, struct refrain_error *error) {
    if (trace->n_missing || trace->n_damaged)
        return REFRAIN_FAIL(error, "%s: rank %d has no trace, and a proxy needs all ranks", trace->path,
                            trace->n_missing ? (int)trace->missing[0] : -1);
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        if (!trace->process_infos[i].learned)
            return REFRAIN_FAIL(error, "%s: has recorded events and no formulas: a proxy is made of formulas",
                                trace->path);
        if (!trace->process_infos[i].finished)
            return REFRAIN_FAIL(error, "%s: rank %d did not come to its end, and a proxy needs the whole run",
                                trace->path, (int)process->rank);
        if (misses_calls(process))
            return REFRAIN_FAIL(
                error,
                "%s: the trace of rank %d does not have all MPI calls, by a filter or for lack of memory: "
                "refrain info --verbose says which",
                trace->path, (int)process->rank);
        if (strcmp(trace->process_infos[i].executable, trace->process_infos[0].executable) != 0)
            return REFRAIN_FAIL(error, "%s: the ranks ran several programs, and a proxy is one", trace->path);
        for (size_t k = 0; k < process->n_call_sites; k++)
            if (process->call_sites[k].record && process->call_sites[k].record->thread != 0)
                return REFRAIN_FAIL(error, "%s: rank %d calls MPI in several threads, and a proxy has one", trace->path,
                                    (int)process->rank);
    }
    return REFRAIN_OK;
}

static void settle(struct refrain_proxy *proxy) {
    for (size_t i = 0; i < proxy->n_items; i++) {
        struct refrain_proxy_item *item = &proxy->items[i];
        for (size_t r = 0; r < 2 * proxy->n_ranks; r++)
            refrain_proxy_settle(&item->times[r]);
        for (size_t k = 0; k < REFRAIN_PROXY_ARGUMENTS; k++)
            for (size_t r = 0; item->arguments[k] && r < proxy->n_ranks; r++)
                refrain_proxy_settle(&item->arguments[k][r]);
    }
}

/* ---- runs ---- */

static int by_ranks(const void *a, const void *b) {
    size_t first = ((const struct refrain_proxy_run *)a)->trace->n_processes;
    size_t second = ((const struct refrain_proxy_run *)b)->trace->n_processes;
    return first < second ? -1 : first > second;
}

/* Numbers the regions of a run so that a region has the same number in all runs. Regions with the same texts, such as
 * two calls in a line, are told apart by their order. */
static bool number_regions(struct refrain_proxy *proxy, struct refrain_proxy_run *run) {
    struct refrain_table met = {0};
    bool numbered = (run->shared = calloc(run->trace->n_regions + 1, sizeof *run->shared)) != NULL;
    for (size_t i = 0; i < run->trace->n_regions && numbered; i++) {
        const struct refrain_region_info *region = &run->trace->regions[i];
        uint64_t hash = refrain_table_text(REFRAIN_TABLE_TEXT + region->line, region->name);
        hash = refrain_table_text(refrain_table_text(hash, region->file), region->function);
        uintptr_t before = refrain_table_number(&met, hash, 0), number = 0;
        numbered = refrain_table_put(&met, hash, 0, before + 1);
        if (!(number = refrain_table_number(&proxy->regions, hash, before)))
            number = proxy->regions.n + 1;
        numbered &= refrain_table_put(&proxy->regions, hash, before, number);
        run->shared[i] = (uint32_t)number;
    }
    refrain_table_close(&met);
    return numbered;
}

/* Checks the runs, orders them by their number of ranks, and numbers their ranks and regions. */
static enum refrain_status begin(struct refrain_proxy *proxy, struct refrain_trace *const *traces, size_t n_traces,
                                 struct refrain_error *error) {
    proxy->runs = calloc(n_traces, sizeof *proxy->runs);
    if (!proxy->runs)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; i < n_traces && !status; i++) {
        proxy->runs[proxy->n_runs++].trace = traces[i];
        status = check(traces[i], error);
    }
    if (status)
        return status;
    qsort(proxy->runs, n_traces, sizeof *proxy->runs, by_ranks);
    for (size_t i = 0; i < n_traces; i++) {
        struct refrain_proxy_run *run = &proxy->runs[i];
        if (i && by_ranks(run - 1, run) == 0)
            return REFRAIN_FAIL(error, "%s: has %zu ranks, as %s has: runs of different numbers of ranks are expected",
                                run->trace->path, run->trace->n_processes, run[-1].trace->path);
        if (strcmp(proxy->runs[0].trace->process_infos[0].executable, run->trace->process_infos[0].executable) != 0)
            return REFRAIN_FAIL(error, "%s: is a run of %s, and %s of %s: runs of one program are expected",
                                run->trace->path, run->trace->process_infos[0].executable, proxy->runs[0].trace->path,
                                proxy->runs[0].trace->process_infos[0].executable);
        run->first = proxy->n_ranks;
        proxy->n_ranks += run->trace->n_processes;
        if (!number_regions(proxy, run))
            return REFRAIN_FAIL_MEMORY(error);
    }
    proxy->n_requests = calloc(2 * proxy->n_ranks, sizeof *proxy->n_requests);
    if (!proxy->n_requests || refrain_proxy_add_function(proxy, NULL) == SIZE_MAX)
        return REFRAIN_FAIL_MEMORY(error);
    proxy->n_comms = proxy->n_requests + proxy->n_ranks;
    return REFRAIN_OK;
}

/* Gives all ranks of a run the largest value that one has. */
static void level(const struct refrain_proxy *proxy, struct refrain_proxy_list *lists) {
    for (size_t i = 0; i < proxy->n_runs; i++) {
        struct refrain_proxy_list *own = lists + proxy->runs[i].first;
        size_t n = proxy->runs[i].trace->n_processes;
        for (size_t r = 1; r < n; r++)
            own[0].same = own[r].same > own[0].same ? own[r].same : own[0].same;
        for (size_t r = 1; r < n; r++)
            own[r].same = own[0].same;
    }
}

enum refrain_status refrain_proxy_learn(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                        size_t n_traces, struct refrain_error *error) {
    refrain_proxy_forget(proxy);
    enum refrain_status status = begin(proxy, traces, n_traces, error);
    bool known = proxy->leading.n > 0;
    for (size_t i = 0; !status && !known && i < proxy->n_ranks; i++)
        status = refrain_proxy_find_leading(proxy, i, error);
    for (size_t i = 0; !status && i < proxy->n_ranks; i++)
        status = walk_rank(proxy, i, false, error);
    for (size_t i = 0; !status && i < proxy->n_bodies; i++) {
        status = gather_steps(proxy, &proxy->bodies[i], error);
        if (!status && !refrain_proxy_find_loops(proxy, i))
            status = REFRAIN_FAIL_MEMORY(error);
        free(proxy->bodies[i].steps);
        proxy->bodies[i].steps = NULL;
    }
    for (size_t i = 0; !status && i < proxy->n_ranks; i++)
        status = walk_rank(proxy, i, true, error);
    if (status)
        return status;
    settle(proxy);
    level(proxy, proxy->n_requests);
    level(proxy, proxy->n_comms);
    return REFRAIN_OK;
}
