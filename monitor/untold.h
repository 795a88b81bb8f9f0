/* untold.h: counts of messages and collectives that have no events: those in a pause, those that a filter leaves out,
 * and the message of a receive that the program has given up (MPI_Request_free). Replay needs them to match what comes
 * after.
 *
 *     wrappers --> counts by (what, partner, tag, communicator) --> told before the pause ends, or the next call
 *                                                                             begins; of a receive at once
 *
 * A message without an event still is one of those from its sender to its receiver. Without these counts replay would
 * match its receive with the next message that has an event. The same holds for collectives. */
#ifndef REFRAIN_UNTOLD_H
#define REFRAIN_UNTOLD_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>

/* The thread's record, in which the counts are told. Callers get it before they count anything. Null when the pool is
 * spent. Inside a probe. */
REFRAIN_HIDDEN struct refrain_region_name *refrain_untold_record(struct refrain_context *context);

/* Tells the process's counts, in the activation that is on top, and begins anew. Inside a probe. */
REFRAIN_HIDDEN void refrain_untold_tell(struct refrain_context *context);

#endif
