/* topology.h: finds Cartesian topologies of communicators (trace -> writers of formats that define them). */
#ifndef REFRAIN_TOPOLOGY_H
#define REFRAIN_TOPOLOGY_H

#include "model/trace_read.h"

#define REFRAIN_MOST_DIMENSIONS 16u

/* The topology of a communicator in the trace of one of its members, checked to be inside the image. Null if it has
 * none. */
const struct refrain_topology *refrain_topology_of(const struct refrain_process *process,
                                                   const struct refrain_comm_view *view);

#endif
