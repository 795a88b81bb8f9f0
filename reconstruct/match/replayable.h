/* replayable.h: whether a trace holds what is to be replayed. */
#ifndef REFRAIN_REPLAYABLE_H
#define REFRAIN_REPLAYABLE_H

#include "model/trace_read.h"

/* Does the trace hold formulas or, with `recorded`, recorded events of every rank? The error says which rank lacks
 * them. */
enum refrain_status refrain_replayable(const struct refrain_trace *trace, bool recorded, struct refrain_error *error);

#endif
