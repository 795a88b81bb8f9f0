/* untold.h: counts messages and collectives that have no events ("untold"): those during a pause, those that a filter
 * leaves out, and the message of a receive that the program has freed (MPI_Request_free). Replay needs these counts to
 * match later events.
 *
 *     wrappers --> counts by (kind, partner, tag, communicator) --> recorded before the pause ends, or before the next
 *                                                                   call begins; those of a freed receive at once
 *
 * A message without an event is still one of those from its sender to its receiver. Without the counts, replay would
 * match its receive with the next message that has an event. The same holds for collectives. */
#ifndef REFRAIN_UNTOLD_H
#define REFRAIN_UNTOLD_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>

/* The thread's record for these counts. Callers get it before they count anything. Null if the pool is full. Inside a
 * probe. */
REFRAIN_HIDDEN struct refrain_region_name *refrain_untold_record(struct refrain_context *context);

/* Records the process's counts in the activation on top, and resets them. Inside a probe. */
REFRAIN_HIDDEN void refrain_untold_flush(struct refrain_context *context);

#endif
