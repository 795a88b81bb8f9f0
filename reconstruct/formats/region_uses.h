/* region_uses.h: uses of the names of user regions in the program (for formats that have to define markers, counters
 * and pauses before the first event). */
#ifndef REFRAIN_REGION_USES_H
#define REFRAIN_REGION_USES_H

#include "model/trace_read.h"

/* By region index: bit 1 << enum refrain_region_use for each use on any rank; 0 for functions and MPI calls. Calls
 * during pauses are no use. The caller frees the result. Null without memory. */
uint16_t *refrain_region_uses(const struct refrain_trace *trace);

/* True if the region is a pause, and no region of the program has the same name. */
static inline bool refrain_region_is_pause(uint16_t uses) {
    return uses == 1u << REFRAIN_USE_PAUSE;
}

#endif
