/* part_writer.h: passes on the events of a window of time (replay -> writer). */
#ifndef REFRAIN_PART_WRITER_H
#define REFRAIN_PART_WRITER_H

#include "event.h"

/* A writer around a writer that gets the events at from_ns <= time < to_ns, with to_ns REFRAIN_TIME_LAST also the very
 * last ones. Frees both at its end; null without memory, then the inner one is as it was. */
struct refrain_writer *refrain_part_writer(struct refrain_writer *inner, int64_t from_ns, int64_t to_ns);

#endif
