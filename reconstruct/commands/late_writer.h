/* late_writer.h: what comes late: receives in a part of a run, of messages that were sent before it (replay -> writers
 * of formats whose readers pair messages by their order).
 *
 *     whole run   send 1   send 2   | recv 1   send 3   recv 2   recv 3
 *     part                          |          send 3            recv 3
 *
 * Such a reader would take send 3 for that of the first receive in the part, and all after it for the wrong one. */
#ifndef REFRAIN_LATE_WRITER_H
#define REFRAIN_LATE_WRITER_H

#include "event.h"

/* A writer around a writer that gets all events but the receives of messages that were sent before from_ns. At its end
 * it says in one line, unless `quiet`, how many these were. `format` is that of the inner one, for that line. Frees
 * both at its end; null without memory, then the inner one is as it was. */
struct refrain_writer *refrain_late_writer(struct refrain_writer *inner, int64_t from_ns, const char *format,
                                           bool quiet);

#endif
