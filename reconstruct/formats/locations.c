/* locations.c: lists the ranks and threads of a trace (locations.h). */
#include "formats/locations.h"
#include "common/path.h"

#include <stdlib.h>
#include <string.h>

static uint32_t host_of(struct refrain_locations *locations, const struct refrain_process *process) {
    const char *name = process ? refrain_process_name(process, process->header->host) : "";
    uint32_t host = 0;
    while (host < locations->n_hosts && strcmp(locations->hosts[host], name) != 0)
        host++;
    if (host == locations->n_hosts)
        locations->hosts[locations->n_hosts++] = name;
    return host;
}

bool refrain_locations_make(struct refrain_locations *locations, const struct refrain_trace *trace) {
    size_t most = (size_t)trace->size;
    memset(locations, 0, sizeof *locations);
    for (size_t i = 0; i < trace->n_processes; i++)
        most += trace->processes[i].header->n_threads;
    locations->size = trace->size;
    locations->all = calloc(most + 1, sizeof *locations->all);
    locations->first = calloc((size_t)trace->size + 1, sizeof *locations->first);
    locations->hosts = calloc((size_t)trace->size + 1, sizeof *locations->hosts);
    if (!locations->all || !locations->first || !locations->hosts)
        return false;
    for (int32_t rank = 0; rank < trace->size; rank++) {
        const struct refrain_process *process = refrain_trace_process(trace, rank);
        uint32_t n = 1, host = host_of(locations, process);
        for (uint32_t t = 0; process && t < process->header->n_threads; t++) {
            if (!process->threads[t].started)
                continue;
            int64_t end_ns = refrain_trace_time_ns(process, process->threads[t].last_ticks);
            locations->end_ns = end_ns > locations->end_ns ? end_ns : locations->end_ns;
            n = t + 1;
        }
        locations->first[rank] = locations->n;
        locations->threads |= n > 1;
        for (uint32_t t = 0; t < n; t++)
            locations->all[locations->n++] =
                (struct refrain_location){.rank = rank, .thread = t, .process = process, .host = host};
    }
    return true;
}

void refrain_locations_free(struct refrain_locations *locations) {
    free(locations->all);
    free(locations->first);
    free(locations->hosts);
    memset(locations, 0, sizeof *locations);
}

const char *refrain_locations_program(const struct refrain_trace *trace) {
    if (trace->n_processes == 0)
        return "program";
    const struct refrain_process *process = &trace->processes[0];
    const char *name = refrain_base_name(refrain_process_name(process, process->header->executable));
    return name[0] ? name : "program";
}
