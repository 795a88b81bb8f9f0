/* replayable.h: whether a trace has what a replay needs. */
#ifndef REFRAIN_REPLAYABLE_H
#define REFRAIN_REPLAYABLE_H

#include "model/trace_read.h"

/* Fails unless every rank has formulas or, with `recorded`, recorded events. The error says what to do. */
enum refrain_status refrain_replayable(const struct refrain_trace *trace, bool recorded, struct refrain_error *error);

#endif
