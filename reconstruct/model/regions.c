/* regions.c: functions, MPI call sites and user regions of all processes become regions, one per construct (event.h).
 */
#include "common/path.h"
#include "model/mpi_call.h"
#include "model/trace_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const collective_names[REFRAIN_COLLECTIVES] = {"",
                                                                  "barrier",
                                                                  "bcast",
                                                                  "scatter",
                                                                  "scatterv",
                                                                  "gather",
                                                                  "gatherv",
                                                                  "reduce",
                                                                  "allgather",
                                                                  "allgatherv",
                                                                  "allreduce",
                                                                  "alltoall",
                                                                  "alltoallv",
                                                                  "alltoallw",
                                                                  "reduce_scatter",
                                                                  "reduce_scatter_block",
                                                                  "scan",
                                                                  "exscan",
                                                                  "neighbor_allgather",
                                                                  "neighbor_allgatherv",
                                                                  "neighbor_alltoall",
                                                                  "neighbor_alltoallv",
                                                                  "neighbor_alltoallw"};

const char *refrain_collective_name(enum refrain_collective collective) {
    return collective_names[collective < REFRAIN_COLLECTIVES ? collective : REFRAIN_COLLECTIVE_NONE];
}

/* A region of one process before regions of processes are joined: where its pointer goes, and the symbol that may
 * complete it. */
struct wanted {
    struct refrain_region_info info;
    const struct refrain_region_info **found;
    const struct refrain_symbol *symbol; /* null: no symbol */
    bool is_inlined;                     /* an inlined function with a call in it, whose line is not known */
    const char *place; /* a call of the thread library: its address, unless the symbol says more; else null */
};

static int by_identity(const void *a, const void *b) {
    const struct refrain_region_info *x = &((const struct wanted *)a)->info, *y = &((const struct wanted *)b)->info;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = strcmp(x->file, y->file);
    if (order == 0)
        order = strcmp(x->function, y->function);
    if (order == 0 && x->line != y->line)
        order = x->line < y->line ? -1 : 1;
    if (order == 0 && x->own_time != y->own_time) /* a region of the program with the name of a pause */
        order = x->own_time < y->own_time ? -1 : 1;
    return order;
}

/* Sets the source of a call, as far as it is known: the Python line, or the node of the slot before the call. */
static void call_site_source(const struct refrain_process *process, const struct refrain_overflow_site *call_site,
                             struct refrain_region_info *info) {
    info->file = info->function = "";
    if (call_site->flags & REFRAIN_OVERFLOW_PYTHON) {
        info->file = refrain_process_name(process, call_site->object);
        info->line = (uint32_t)call_site->where;
        info->function = refrain_process_name(process, call_site->within);
        return;
    }
    if (call_site->slot >= process->header->n_slots || !process->slots[call_site->slot].node)
        return;
    const struct refrain_slot_view *slot = &process->slots[call_site->slot];
    info->file = refrain_node_file(slot->unit, slot->node);
    info->line = slot->node->line;
    info->function = refrain_node_function(slot->unit, slot->node);
}

/* Name of code without a symbol: its offset in its object. Null without memory. */
static const char *address_name(struct refrain_trace *trace, const struct refrain_process *process,
                                uint32_t object_name, uint64_t address) {
    const char *object = refrain_process_name(process, object_name);
    const char *name = refrain_base_name(object);
    size_t bytes = strlen(name) + 32;
    char *text = refrain_trace_allocate(trace, bytes, 1);
    if (text)
        snprintf(text, bytes, "%s+0x%" PRIx64, name, address);
    return text;
}

/* A call on a call path. */
struct call {
    struct refrain_process *process;
    const struct refrain_symbol *symbol;
    const struct refrain_inlined **found;
};

/* The symbols to look up, and those of them that belong to calls. */
struct symbols {
    struct refrain_symbol *symbols; /* null: nothing is looked up */
    size_t n;
    struct call *calls;
    size_t n_calls;
};

static const struct refrain_symbol *add_symbol(struct symbols *symbols, const struct refrain_process *process,
                                               uint32_t object, uint64_t address, bool is_function, bool has_source) {
    if (!symbols->symbols || !object)
        return NULL;
    const struct refrain_binary *binary = refrain_process_binary(process, object);
    struct refrain_symbol *symbol = &symbols->symbols[symbols->n++];
    *symbol = (struct refrain_symbol){.object = refrain_process_name(process, object),
                                      .build_id = binary ? refrain_process_name(process, binary->build_id) : "",
                                      .file_bytes = binary ? binary->file_bytes : 0,
                                      .changed_ns = binary ? binary->changed_ns : 0,
                                      .directory = refrain_process_name(process, process->header->start_directory),
                                      .address = address,
                                      .is_function = is_function,
                                      .has_source = has_source};
    return symbol;
}

/* Position of the call site; an overflow site has its own. */
static struct refrain_overflow_site where_of(const struct refrain_call_site_view *view) {
    const struct refrain_call_site *own = view->record;
    if (view->overflow)
        return *view->overflow;
    return (struct refrain_overflow_site){.where = own->line ? own->line : own->return_address,
                                          .flags = own->line ? REFRAIN_OVERFLOW_PYTHON : 0,
                                          .slot = own->slot,
                                          .object = own->object,
                                          .within = own->within};
}

/* Makes the region of a call site. Without memory, info.function is null. */
static struct wanted wanted_call_site(struct refrain_trace *trace, const struct refrain_process *process,
                                      struct refrain_call_site_view *view, struct symbols *symbols) {
    const struct refrain_overflow_site where = where_of(view);
    const struct refrain_mpi_call *call = refrain_mpi_call(view->record->function);
    struct wanted wanted = {.info = {.kind = call->region,
                                     .name = call->name,
                                     .mpi = view->record->function + 1,
                                     .collective = refrain_collective_name(call->collective),
                                     .role = call->collective,
                                     .own_time = call->own_time},
                            .found = &view->region};
    call_site_source(process, &where, &wanted.info);
    if (!where.where || !where.object || where.flags & REFRAIN_OVERFLOW_PYTHON)
        return wanted;
    wanted.symbol = add_symbol(symbols, process, where.object, where.where, false, *wanted.info.function);
    if (!*wanted.info.function)
        wanted.info.function = address_name(trace, process, where.object, where.where);
    return wanted;
}

static void add_call(struct symbols *symbols, struct refrain_process *process, const struct refrain_symbol *symbol,
                     const struct refrain_inlined **found) {
    if (symbol)
        symbols->calls[symbols->n_calls++] = (struct call){process, symbol, found};
}

static bool has_call_paths(const struct refrain_process *process) {
    size_t i = 0;
    while (i < process->n_user_regions && process->user_regions[i].record->use != REFRAIN_USE_FUNCTION)
        i++;
    return i < process->n_user_regions;
}

static void wanted_call_sites(struct refrain_trace *trace, struct refrain_process *process,
                              struct refrain_call_site_view *views, size_t n_views, struct wanted *wanted,
                              struct symbols *symbols) {
    bool on_paths = has_call_paths(process);
    for (size_t i = 0; i < n_views; i++) {
        wanted[i] = wanted_call_site(trace, process, &views[i], symbols);
        if (on_paths)
            add_call(symbols, process, wanted[i].symbol, &views[i].inlined);
    }
}

/* Sets up the lookup of a function of a call path, and of the calls to it. */
static void look_up_function(struct refrain_process *process, struct refrain_user_region_view *view,
                             struct wanted *wanted, struct symbols *symbols) {
    static const struct refrain_inlined nothing = {"", 0};
    const struct refrain_region_name *record = view->record;
    view->inlined = &nothing;
    wanted->symbol = add_symbol(symbols, process, record->object, record->address, true, false);
    if (record->called_from)
        add_call(symbols, process,
                 add_symbol(symbols, process, record->called_object, record->called_from, false, false),
                 &view->inlined);
}

/* Sets up the lookup of a call of the thread library. False without memory. */
static bool look_up_thread_call(struct refrain_trace *trace, const struct refrain_process *process,
                                const struct refrain_region_name *record, struct wanted *wanted,
                                struct symbols *symbols) {
    wanted->symbol = add_symbol(symbols, process, record->object, record->address, false, false);
    wanted->place = address_name(trace, process, record->object, record->address);
    return wanted->place;
}

/* True if the object is a file. The kernel maps some code (linux-vdso.so.1) that is none. */
static bool is_file(const struct refrain_process *process, uint32_t object) {
    return strchr(refrain_process_name(process, object), '/') != NULL;
}

/* Adds the symbols of functions in samples. They are no regions, since they have no begin and end. False without
 * memory. */
static bool collect_samples(struct refrain_trace *trace, struct refrain_process *process, struct symbols *symbols) {
    for (size_t i = 0; i < process->n_samples; i++)
        for (size_t k = 0; k < process->samples[i].n_nodes; k++) {
            struct refrain_sample_node_view *node = &process->samples[i].nodes[k];
            const struct refrain_sample_node *record = node->record;
            if (!record->object || !record->address)
                continue;
            if (is_file(process, record->object))
                node->symbol = add_symbol(symbols, process, record->object, record->address, true, false);
            node->name = address_name(trace, process, record->object, record->address);
            if (!node->name)
                return false;
        }
    return true;
}

/* Adds the regions of one process. False without memory. */
static bool collect(struct refrain_trace *trace, struct refrain_process *process, struct wanted *wanted, size_t *at,
                    struct symbols *symbols) {
    size_t n = *at;
    bool sound = true;
    for (uint32_t s = 0; s < process->header->n_slots; s++) {
        struct refrain_slot_view *slot = &process->slots[s];
        if (!slot->node || slot->node->kind != REFRAIN_FUNCTION || slot->part != 0)
            continue;
        wanted[n++] = (struct wanted){.info = {.kind = REFRAIN_REGION_FUNCTION,
                                               .name = refrain_node_name(slot->unit, slot->node),
                                               .file = refrain_node_file(slot->unit, slot->node),
                                               .line = slot->node->line,
                                               .function = "",
                                               .collective = ""},
                                      .found = &slot->region};
    }
    wanted_call_sites(trace, process, process->call_sites, process->n_call_sites, wanted + n, symbols);
    n += process->n_call_sites;
    wanted_call_sites(trace, process, process->overflow_sites, process->n_overflow_sites, wanted + n, symbols);
    n += process->n_overflow_sites;
    for (size_t i = *at; i < n; i++)
        sound = sound && wanted[i].info.function;
    for (size_t i = 0; i < process->n_user_regions; i++) {
        const struct refrain_region_name *record = process->user_regions[i].record;
        bool is_function = record->use == REFRAIN_USE_FUNCTION, is_python = record->use == REFRAIN_USE_PYTHON;
        bool is_value = refrain_use_is_value(record->use) && record->use != REFRAIN_USE_UNTOLD;
        const char *name = is_function ? address_name(trace, process, record->object, record->address)
                                       : refrain_process_name(process, record->name);
        struct wanted *of_region = &wanted[n++];
        *of_region =
            (struct wanted){.info = {.kind = is_function || is_python ? REFRAIN_REGION_FUNCTION
                                             : is_value               ? REFRAIN_REGION_VALUE
                                                                      : REFRAIN_REGION_USER,
                                     .name = name ? name : "",
                                     .file = is_python ? refrain_process_name(process, record->object) : "",
                                     .line = is_python ? (uint32_t)record->address : 0,
                                     .function = "",
                                     .collective = "",
                                     .own_time = record->use == REFRAIN_USE_PAUSE ? REFRAIN_OWN_TIME_PAUSED
                                                                                  : REFRAIN_OWN_TIME_COMPUTING},
                            .found = &process->user_regions[i].region};
        sound = sound && name;
        if (is_function)
            look_up_function(process, &process->user_regions[i], of_region, symbols);
        else if (record->use == REFRAIN_USE_REGION && record->object)
            sound = look_up_thread_call(trace, process, record, of_region, symbols) && sound;
    }
    *at = n;
    return sound && collect_samples(trace, process, symbols);
}

/* True if `path` ends in `file`, a path as the compiler got it. */
static bool is_path_of(const char *path, const char *file) {
    size_t n = strlen(path), end = strlen(file);
    return end > 0 && n > end && path[n - end - 1] == '/' && strcmp(path + n - end, file) == 0;
}

/* Fills in what debug information says. If the tables name the same file, their shorter name is kept, so that a file
 * has one name. */
static void apply_symbol(struct refrain_region_info *info, const struct refrain_symbol *symbol) {
    if (symbol->file) {
        if (!info->file || !is_path_of(symbol->file, info->file))
            info->file = symbol->file;
        info->line = symbol->line;
    }
    if (symbol->function)
        *(symbol->is_function ? &info->name : &info->function) = symbol->function;
}

int refrain_symbol_compare_files(const struct refrain_symbol *a, const struct refrain_symbol *b) {
    int order = strcmp(a->object, b->object);
    if (order == 0)
        order = strcmp(a->build_id, b->build_id);
    if (order == 0 && a->file_bytes != b->file_bytes)
        order = a->file_bytes < b->file_bytes ? -1 : 1;
    if (order == 0 && a->changed_ns != b->changed_ns)
        order = a->changed_ns < b->changed_ns ? -1 : 1;
    return order;
}

int refrain_symbol_compare(const void *a, const void *b) {
    const struct refrain_symbol *x = a, *y = b;
    int order = refrain_symbol_compare_files(x, y);
    if (order == 0 && x->address != y->address)
        order = x->address < y->address ? -1 : 1;
    return order ? order : x->is_function - y->is_function;
}

/* Looks up each symbol once, for all ranks and threads. The trace keeps the results, because the page of refrain
 * view has no debug information. False without memory. */
static bool resolve_symbols(struct refrain_trace *trace, refrain_resolver *resolve, const struct symbols *symbols) {
    struct refrain_symbol *kept = refrain_trace_allocate(trace, symbols->n, sizeof *kept);
    size_t n = 0;
    if (!kept)
        return false;
    memcpy(kept, symbols->symbols, symbols->n * sizeof *kept);
    qsort(kept, symbols->n, sizeof *kept, refrain_symbol_compare);
    for (size_t i = 0; i < symbols->n; i++)
        if (n == 0 || refrain_symbol_compare(&kept[n - 1], &kept[i]) != 0)
            kept[n++] = kept[i];
    resolve(trace, kept, n);
    trace->symbols = kept;
    trace->n_symbols = n;
    return true;
}

/* The result for a symbol. */
static const struct refrain_symbol *resolved(const struct refrain_trace *trace, const struct refrain_symbol *symbol) {
    return bsearch(symbol, trace->symbols, trace->n_symbols, sizeof *symbol, refrain_symbol_compare);
}

/* ---- inlined functions ---- */

static size_t count_inlined(const struct refrain_symbol *symbol) {
    size_t n = 0;
    for (const char *at = symbol->function; at && (at = strstr(at, REFRAIN_INLINED_INTO)); n++)
        at += sizeof REFRAIN_INLINED_INTO - 1;
    return n;
}

/* Makes regions of the functions in which the call was inlined. The innermost one has the file of the call. False
 * without memory. */
static bool want_inlined(struct refrain_trace *trace, const struct call *call, struct wanted *wanted) {
    size_t n = count_inlined(call->symbol), bytes = strlen(call->symbol->function) + 1;
    struct refrain_inlined *inlined = refrain_trace_allocate(trace, 1, sizeof *inlined + n * sizeof *inlined->regions);
    char *name = refrain_trace_allocate(trace, bytes, 1);
    if (!inlined || !name)
        return false;
    memcpy(name, call->symbol->function, bytes);
    inlined->n = n;
    for (size_t i = 0; i < n; i++) {
        char *end = strstr(name, REFRAIN_INLINED_INTO);
        *end = 0;
        wanted[i] = (struct wanted){.info = {.kind = REFRAIN_REGION_FUNCTION,
                                             .name = name,
                                             .file = i == 0 && call->symbol->file ? call->symbol->file : "",
                                             .function = "",
                                             .collective = ""},
                                    .found = &inlined->regions[n - 1 - i],
                                    .is_inlined = true};
        name = end + sizeof REFRAIN_INLINED_INTO - 1;
    }
    inlined->outer = name;
    *call->found = inlined;
    call->process->has_inlined = true;
    return true;
}

/* Adds the inlined functions of all calls after the n regions. Null without memory; `wanted` is then freed. */
static struct wanted *want_all_inlined(struct refrain_trace *trace, const struct symbols *symbols,
                                       struct wanted *wanted, size_t *n) {
    size_t more = 0;
    for (size_t i = 0; i < symbols->n_calls; i++)
        more += count_inlined(symbols->calls[i].symbol);
    struct wanted *all = realloc(wanted, (*n + more + 1) * sizeof *all);
    for (size_t i = 0; all && i < symbols->n_calls; i++) {
        size_t parts = count_inlined(symbols->calls[i].symbol);
        if (parts && !want_inlined(trace, &symbols->calls[i], all + *n)) {
            free(all);
            return NULL;
        }
        *n += parts;
    }
    if (!all)
        free(wanted);
    return all;
}

/* Completes inlined functions without file or line from a region of the same name that has them. `all` must be
 * sorted; returns whether it still is. */
static bool complete_places(struct wanted *all, size_t n, bool by_file) {
    bool ordered = true;
    for (size_t first = 0, end; first < n; first = end) {
        const struct refrain_region_info *info = &all[first].info, *last;
        for (end = first + 1; end < n && all[end].info.kind == info->kind &&
                              strcmp(all[end].info.name, info->name) == 0 &&
                              (by_file || strcmp(all[end].info.file, info->file) == 0);)
            end++;
        size_t known = first; /* the first region with more information than the inlined ones */
        while (known < end && all[known].is_inlined && (by_file ? !all[known].info.file[0] : !all[known].info.line))
            known++;
        last = &all[end - 1].info;
        bool is_one = known > first && known < end &&
                      (by_file ? strcmp(all[known].info.file, last->file) == 0 : all[known].info.line == last->line);
        for (size_t i = first; is_one && i < known; i++) {
            all[i].info.file = last->file;
            all[i].info.line = by_file ? all[i].info.line : last->line;
            ordered = false;
        }
    }
    return ordered;
}

static void order(struct wanted *all, size_t n) {
    qsort(all, n, sizeof *all, by_identity);
    for (int by_file = 1; by_file >= 0; by_file--)
        if (!complete_places(all, n, by_file))
            qsort(all, n, sizeof *all, by_identity);
}

static void name_sampled(const struct refrain_trace *trace, struct refrain_sample_node_view *node) {
    const struct refrain_symbol *symbol = node->symbol ? resolved(trace, node->symbol) : NULL;
    if (symbol && symbol->function)
        node->name = symbol->function;
    if (symbol && symbol->file) {
        node->file = symbol->file;
        node->line = symbol->line;
    }
}

static void name_samples(struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        for (size_t k = 0; k < trace->processes[i].n_samples; k++)
            for (size_t j = 0; j < trace->processes[i].samples[k].n_nodes; j++)
                name_sampled(trace, &trace->processes[i].samples[k].nodes[j]);
}

/* Appends the place of a call of the thread library to its name, as names of OpenMP's constructs have it. False without
 * memory. */
static bool append_place(struct refrain_trace *trace, struct wanted *wanted) {
    struct refrain_region_info *info = &wanted->info;
    const char *file = refrain_base_name(info->file);
    size_t bytes = strlen(info->name) + strlen(file) + strlen(wanted->place) + 16;
    char *name = refrain_trace_allocate(trace, bytes, 1);
    if (!name)
        return false;
    if (info->line)
        snprintf(name, bytes, "%s @%s:%u", info->name, file, info->line);
    else
        snprintf(name, bytes, "%s @%s", info->name, wanted->place);
    info->name = name;
    info->function = "";
    return true;
}

static bool append_places(struct refrain_trace *trace, struct wanted *wanted, size_t n) {
    bool sound = true;
    for (size_t i = 0; i < n; i++)
        if (wanted[i].place)
            sound = append_place(trace, &wanted[i]) && sound;
    return sound;
}

/* Looks up the symbols, and completes the n regions with the results. */
static enum refrain_status look_up(struct refrain_trace *trace, refrain_resolver *resolve, struct symbols *symbols,
                                   struct wanted **wanted, size_t *n, struct refrain_error *error) {
    if (!resolve_symbols(trace, resolve, symbols))
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < *n; i++)
        if ((*wanted)[i].symbol)
            apply_symbol(&(*wanted)[i].info, resolved(trace, (*wanted)[i].symbol));
    for (size_t i = 0; i < symbols->n_calls; i++)
        symbols->calls[i].symbol = resolved(trace, symbols->calls[i].symbol);
    name_samples(trace);
    *wanted = want_all_inlined(trace, symbols, *wanted, n);
    return *wanted ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(error);
}

enum refrain_status refrain_trace_read_regions(struct refrain_trace *trace, refrain_resolver *resolve,
                                               struct refrain_error *error) {
    size_t most = 0, most_symbols = 0, n = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        size_t others = process->n_call_sites + process->n_overflow_sites + process->n_user_regions;
        most += process->header->n_slots + others;
        most_symbols += others + process->n_user_regions;
        for (size_t k = 0; k < process->n_samples; k++)
            most_symbols += process->samples[k].n_nodes;
    }
    struct wanted *wanted = calloc(most + 1, sizeof *wanted);
    struct symbols symbols = {.symbols = resolve ? calloc(most_symbols + 1, sizeof *symbols.symbols) : NULL,
                              .calls = resolve ? calloc(most_symbols + 1, sizeof *symbols.calls) : NULL};
    enum refrain_status status = REFRAIN_OK;
    if (!wanted || (resolve && (!symbols.symbols || !symbols.calls)))
        status = REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        if (!collect(trace, &trace->processes[i], wanted, &n, &symbols))
            status = REFRAIN_FAIL_MEMORY(error);
    if (!status && resolve)
        status = look_up(trace, resolve, &symbols, &wanted, &n, error);
    if (!status && !append_places(trace, wanted, n))
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status) {
        order(wanted, n);
        trace->regions = refrain_trace_allocate(trace, n, sizeof *trace->regions);
        if (!trace->regions)
            status = REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t i = 0; !status && i < n; i++) {
        if (i == 0 || by_identity(&wanted[i - 1], &wanted[i]) != 0) {
            trace->regions[trace->n_regions] = wanted[i].info;
            trace->regions[trace->n_regions].index = (uint32_t)trace->n_regions;
            trace->n_regions++;
        }
        *wanted[i].found = &trace->regions[trace->n_regions - 1];
    }
    free(wanted);
    free(symbols.symbols);
    free(symbols.calls);
    return status;
}
