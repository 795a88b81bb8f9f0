/* topology.c: finds Cartesian topologies of communicators (topology.h). */
#include "formats/topology.h"
#include "model/trace_parts.h"

const struct refrain_topology *refrain_topology_of(const struct refrain_process *process,
                                                   const struct refrain_comm_view *view) {
    if (!view->record || !view->record->topology)
        return NULL;
    uint64_t at = (uint64_t)view->record->topology * REFRAIN_ALIGNMENT_BYTES;
    const struct refrain_topology *topology = refrain_process_at(process, at, sizeof *topology, "a topology", NULL);
    if (!topology || topology->n_dimensions < 1 || topology->n_dimensions > REFRAIN_MOST_DIMENSIONS)
        return NULL;
    return refrain_process_at(process, at, sizeof *topology + 3 * topology->n_dimensions * sizeof(int32_t),
                              "a topology", NULL);
}
