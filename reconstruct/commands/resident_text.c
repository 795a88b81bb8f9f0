/* resident_text.c: writes the memory of the ranks as a sentence and as JSON (resident_text.h). */
#define _GNU_SOURCE
#include "commands/resident_text.h"
#include "analysis/resident_rows.h"
#include "commands/command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

void refrain_resident_sentence(const struct refrain_trace *trace, char *text, size_t bytes, bool *uneven) {
    struct refrain_resident_rows rows;
    text[0] = 0;
    if (uneven)
        *uneven = false;
    if (!refrain_resident_rows_make(trace, &rows))
        return;
    const struct refrain_resident_growth *growth = rows.n_growth > 0 ? &rows.growth[0] : NULL;
    size_t n = 0;
    if (rows.most)
        n = (size_t)snprintf(text, bytes, "%s of memory on rank %d", refrain_show_bytes(rows.most->high_bytes),
                             rows.most->process->rank);
    if (rows.mean_bytes && n < bytes)
        n += (size_t)snprintf(text + n, bytes - n, ", %s on the mean of the other ranks",
                              refrain_show_bytes(rows.mean_bytes));
    if (rows.most && growth && n < bytes)
        snprintf(text + n, bytes - n, "; it grew most %s %s, by %s on rank %d",
                 strncmp(growth->region->name, "MPI_Init", strlen("MPI_Init")) == 0 ? "in" : "before",
                 refrain_show_region(growth->region), refrain_show_bytes(growth->rank_bytes), growth->rank);
    if (uneven)
        *uneven = refrain_resident_is_uneven(&rows);
    refrain_resident_rows_free(&rows);
}

static json_t *points_json(const struct refrain_process *process) {
    const struct refrain_resident *resident = &process->header->resident;
    json_t *points = json_array();
    for (uint32_t i = 0; i < resident->n; i++)
        json_array_append_new(points,
                              json_pack("[I, I]", (json_int_t)refrain_trace_time_ns(process, resident->points[i].ticks),
                                        (json_int_t)resident->points[i].kib << 10));
    return points;
}

json_t *refrain_resident_json(const struct refrain_trace *trace) {
    struct refrain_resident_rows rows;
    if (!refrain_resident_rows_make(trace, &rows))
        return NULL;
    json_t *ranks = json_array(), *growths = json_array();
    for (size_t i = 0; i < rows.n_ranks; i++)
        json_array_append_new(ranks, json_pack("{s:i, s:I, s:I, s:o}", "rank", (int)rows.ranks[i].process->rank,
                                               "first_bytes", (json_int_t)rows.ranks[i].first_bytes, "high_bytes",
                                               (json_int_t)rows.ranks[i].high_bytes, "points",
                                               points_json(rows.ranks[i].process)));
    for (size_t i = 0; i < rows.n_growth; i++) {
        const struct refrain_resident_growth *growth = &rows.growth[i];
        json_array_append_new(
            growths,
            json_pack("{s:o, s:o, s:I, s:o, s:I, s:i, s:I}", "before", refrain_json_text(growth->region->name), "file",
                      refrain_json_text(growth->region->file), "line", (json_int_t)growth->region->line, "function",
                      refrain_json_text(growth->region->function), "bytes", (json_int_t)growth->bytes, "rank",
                      (int)growth->rank, "rank_bytes", (json_int_t)growth->rank_bytes));
    }
    const bool uneven = refrain_resident_is_uneven(&rows);
    refrain_resident_rows_free(&rows);
    return json_pack("{s:o, s:o, s:b}", "ranks", ranks, "growth", growths, "uneven", (int)uneven);
}
