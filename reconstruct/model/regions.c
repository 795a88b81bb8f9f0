/* regions.c: functions, MPI call sites and user regions of all processes become regions, one per construct (event.h).
 */
#include "trace_parts.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    enum refrain_collective collective;
} mpi_calls[] = {
#define REFRAIN_MPI_CALL(name, class, collective) {#name, REFRAIN_COLLECTIVE_##collective},
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};
#define MPI_CALLS (sizeof mpi_calls / sizeof *mpi_calls)

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

const char *refrain_mpi_function_name(uint32_t function) {
    return function < MPI_CALLS ? mpi_calls[function].name : "MPI_?";
}

static enum refrain_collective role_of(uint32_t function) {
    return function < MPI_CALLS ? mpi_calls[function].collective : REFRAIN_COLLECTIVE_NONE;
}

const char *refrain_mpi_collective_name(uint32_t function) {
    return collective_names[role_of(function)];
}

/* A region as one process has it, and where that process wants to find it. */
struct wanted {
    struct refrain_region_info info;
    const struct refrain_region_info **place;
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
    return order;
}

/* Where a call was made from, as far as the source told: the node of the slot it followed. */
static void site_source(const struct refrain_process *process, const struct refrain_call_site *site,
                        struct refrain_region_info *info) {
    info->file = info->function = "";
    if (site->slot >= process->header->n_slots || !process->slots[site->slot].node)
        return;
    const struct refrain_slot_view *slot = &process->slots[site->slot];
    info->file = refrain_node_file(slot->unit, slot->node);
    info->line = slot->node->line;
    info->function = refrain_node_function(slot->unit, slot->node);
}

static size_t collect(struct refrain_process *process, struct wanted *wanted, struct refrain_symbol *symbols,
                      size_t *n_symbols) {
    size_t n = 0;
    for (uint32_t s = 0; s < process->header->n_slots; s++) {
        struct refrain_slot_view *slot = &process->slots[s];
        if (!slot->node || slot->node->kind != REFRAIN_FUNCTION || slot->part != 0)
            continue;
        wanted[n++] = (struct wanted){{.kind = REFRAIN_REGION_FUNCTION,
                                       .name = refrain_node_name(slot->unit, slot->node),
                                       .file = refrain_node_file(slot->unit, slot->node),
                                       .line = slot->node->line,
                                       .function = "",
                                       .collective = ""},
                                      &slot->region};
    }
    for (size_t i = 0; i < process->n_sites; i++) {
        struct refrain_site_view *site = &process->sites[i];
        struct wanted *of_site = &wanted[n++];
        *of_site = (struct wanted){{.kind = REFRAIN_REGION_MPI,
                                    .name = refrain_mpi_function_name(site->record->function),
                                    .collective = refrain_mpi_collective_name(site->record->function),
                                    .role = role_of(site->record->function)},
                                   &site->region};
        site_source(process, site->record, &of_site->info);
        if (site->record->return_address && site->record->object && symbols)
            symbols[(*n_symbols)++] =
                (struct refrain_symbol){.object = refrain_process_name(process, site->record->object),
                                        .address = site->record->return_address,
                                        .not_before = process->header->start.realtime_ns};
    }
    for (size_t i = 0; i < process->n_user_regions; i++)
        wanted[n++] = (struct wanted){{.kind = REFRAIN_REGION_USER,
                                       .name = refrain_process_name(process, process->user_regions[i].record->name),
                                       .file = "",
                                       .function = "",
                                       .collective = ""},
                                      &process->user_regions[i].region};
    return n;
}

/* Lines of call sites known by return address only. */
static void apply_symbols(const struct refrain_process *process, struct wanted *wanted, size_t n,
                          const struct refrain_symbol *symbols) {
    size_t s = 0;
    for (size_t i = 0; i < n; i++) {
        if (wanted[i].info.kind != REFRAIN_REGION_MPI)
            continue;
        const struct refrain_site_view *site =
            (const struct refrain_site_view *)((const char *)wanted[i].place -
                                               offsetof(struct refrain_site_view, region));
        if (!site->record->return_address || !site->record->object)
            continue;
        const struct refrain_symbol *symbol = &symbols[s++];
        if (symbol->file) {
            wanted[i].info.file = symbol->file;
            wanted[i].info.line = symbol->line;
        }
        if (symbol->file || symbol->function)
            wanted[i].info.function = symbol->function ? symbol->function : "";
    }
    (void)process;
}

enum refrain_status refrain_trace_read_regions(struct refrain_trace *trace, refrain_resolver *resolve,
                                               struct refrain_error *error) {
    size_t most = 0, most_sites = 0, n = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        most += process->header->n_slots + process->n_sites + process->n_user_regions;
        most_sites += process->n_sites;
    }
    struct wanted *wanted = calloc(most + 1, sizeof *wanted);
    struct refrain_symbol *symbols = resolve ? calloc(most_sites + 1, sizeof *symbols) : NULL;
    size_t *first = calloc(trace->n_processes + 1, sizeof *first), n_symbols = 0;
    size_t *first_symbol = calloc(trace->n_processes + 1, sizeof *first_symbol);
    enum refrain_status status = REFRAIN_OK;
    if (!wanted || !first || !first_symbol || (resolve && !symbols))
        status = REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        first[i] = n;
        first_symbol[i] = n_symbols;
        n += collect(&trace->processes[i], wanted + n, symbols, &n_symbols);
    }
    if (!status && n_symbols) {
        resolve(trace, symbols, n_symbols);
        for (size_t i = 0; i < trace->n_processes; i++)
            apply_symbols(&trace->processes[i], wanted + first[i],
                          (i + 1 < trace->n_processes ? first[i + 1] : n) - first[i], symbols + first_symbol[i]);
    }
    if (!status) {
        qsort(wanted, n, sizeof *wanted, by_identity);
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
        *wanted[i].place = &trace->regions[trace->n_regions - 1];
    }
    free(wanted);
    free(symbols);
    free(first);
    free(first_symbol);
    return status;
}
