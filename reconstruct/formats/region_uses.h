/* region_uses.h: what the program used the names of user regions for (trace -> writers of formats that tell markers,
 * counters and pauses apart before the first event). */
#ifndef REFRAIN_REGION_USES_H
#define REFRAIN_REGION_USES_H

#include "model/trace_read.h"

/* By region index: a bit 1 << enum refrain_region_use for each use on any rank; 0 for functions and MPI calls. What
 * passed unseen is no use. The caller frees it. Null without memory. */
uint16_t *refrain_region_uses(const struct refrain_trace *trace);

/* Whether the region is a pause, and no region of the program's that has the same name. */
static inline bool refrain_region_is_pause(uint16_t uses) {
    return uses == 1u << REFRAIN_USE_PAUSE;
}

#endif
