/* resident_rows.c: see resident_rows.h. */
#include "analysis/resident_rows.h"

#include <stdlib.h>

#define FAR_MORE 2u              /* times the mean of the other ranks */
#define FAR_MORE_BYTES 67108864u /* and as much more */

static void add_growth(struct refrain_resident_rows *rows, const struct refrain_process *process,
                       const struct refrain_call_site_view *view) {
    const uint64_t bytes = (uint64_t)view->record->grown_kib << 10;
    size_t i = 0;
    while (i < rows->n_growth && rows->growth[i].region != view->region)
        i++;
    struct refrain_resident_growth *growth = &rows->growth[i];
    if (i == rows->n_growth)
        rows->growth[rows->n_growth++] = (struct refrain_resident_growth){.region = view->region};
    growth->bytes += bytes;
    growth->last_bytes = growth->last == process ? growth->last_bytes + bytes : bytes;
    growth->last = process;
    if (growth->last_bytes > growth->rank_bytes) {
        growth->rank = process->rank;
        growth->rank_bytes = growth->last_bytes;
    }
}

static int by_bytes(const void *a, const void *b) {
    const struct refrain_resident_growth *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->region->index < y->region->index ? -1 : x->region->index > y->region->index;
}

static void find_most(struct refrain_resident_rows *rows) {
    uint64_t sum = 0;
    for (size_t i = 0; i < rows->n_ranks; i++) {
        sum += rows->ranks[i].high_bytes;
        if (!rows->most || rows->ranks[i].high_bytes > rows->most->high_bytes)
            rows->most = &rows->ranks[i];
    }
    if (rows->n_ranks > 1)
        rows->mean_bytes = (sum - rows->most->high_bytes) / (rows->n_ranks - 1);
}

bool refrain_resident_rows_make(const struct refrain_trace *trace, struct refrain_resident_rows *rows) {
    size_t most = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        for (size_t c = 0; c < trace->processes[i].n_call_sites; c++)
            most += trace->processes[i].call_sites[c].record->grown_kib > 0;
    *rows = (struct refrain_resident_rows){.ranks = calloc(trace->n_processes + 1, sizeof *rows->ranks),
                                           .growth = calloc(most + 1, sizeof *rows->growth)};
    if (!rows->ranks || !rows->growth) {
        refrain_resident_rows_free(rows);
        return false;
    }
    for (size_t i = 0; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        const struct refrain_resident *resident = &process->header->resident;
        if (resident->high_kib)
            rows->ranks[rows->n_ranks++] = (struct refrain_resident_rank){process, (uint64_t)resident->first_kib << 10,
                                                                          (uint64_t)resident->high_kib << 10};
        for (size_t c = 0; c < process->n_call_sites; c++)
            if (process->call_sites[c].record->grown_kib)
                add_growth(rows, process, &process->call_sites[c]);
    }
    qsort(rows->growth, rows->n_growth, sizeof *rows->growth, by_bytes);
    find_most(rows);
    return true;
}

void refrain_resident_rows_free(struct refrain_resident_rows *rows) {
    free(rows->ranks);
    free(rows->growth);
    *rows = (struct refrain_resident_rows){.n_ranks = 0};
}

bool refrain_resident_is_uneven(const struct refrain_resident_rows *rows) {
    return rows->mean_bytes > 0 && rows->most->high_bytes >= FAR_MORE * rows->mean_bytes &&
           rows->most->high_bytes - rows->mean_bytes >= FAR_MORE_BYTES;
}
