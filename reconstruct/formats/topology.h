/* topology.h: Cartesian topologies of communicators (trace -> writers of formats that define them). */
#ifndef REFRAIN_TOPOLOGY_H
#define REFRAIN_TOPOLOGY_H

#include "model/trace_read.h"

#define REFRAIN_MOST_DIMENSIONS 16u

/* The topology of a communicator as one of its members has it, checked to lie in the trace; null when it has none. */
const struct refrain_topology *refrain_topology_of(const struct refrain_process *process,
                                                   const struct refrain_comm_view *view);

#endif
