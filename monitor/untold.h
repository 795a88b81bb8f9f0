/* untold.h: what passes unseen in a pause, by a filter, or as the message of a receive that the program has given up,
 * as far as what comes after it needs to know.
 *
 *     wrappers --> counts by (what, partner, tag, communicator) --> told before the pause ends, or the next call
 *                                                                             begins; of a receive at once
 *
 * A message that is sent unseen takes its place among those from here to its receiver, so that without these counts
 * the receive of it would be taken for that of the next one that is told. So too with collectives. */
#ifndef REFRAIN_UNTOLD_H
#define REFRAIN_UNTOLD_H

#include "monitor.h"

/* What the thread's counts are told by: to be had before anything is counted. Null when the pool is spent. Inside a
 * probe. */
REFRAIN_HIDDEN struct refrain_region_name *refrain_untold_record(struct refrain_context *context);

/* Tells the process's counts, in the activation that is on top, and begins anew. Inside a probe. */
REFRAIN_HIDDEN void refrain_untold_tell(struct refrain_context *context);

#endif
