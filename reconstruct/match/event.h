/* event.h: events as every writer sees them, whether reconstructed or recorded (walker, recorded-event reader ->
 * writers).
 *
 * A writer fills a struct refrain_writer; null members are skipped. Events of one location come in time order; events
 * of all locations together do so as well. Strings live as long as the trace is open. A nonzero return stops the run
 * with that status; the writer has set its error. */
#ifndef REFRAIN_EVENT_H
#define REFRAIN_EVENT_H

#include <refrain/read.h>

#define REFRAIN_WRITER_ENOUGH 1
struct refrain_writer {
    /* Once, before the first event. */
    int (*begin)(struct refrain_writer *writer, const struct refrain_trace *trace);
    /* Returns 0; REFRAIN_WRITER_ENOUGH where the writer wants no more events; else something failed. */
    int (*event)(struct refrain_writer *writer, const struct refrain_event *event);
    /* Once, after the last event, and also after a failure: of an event, of begin, or before begin was called. Frees
     * the writer. */
    int (*end)(struct refrain_writer *writer);
};

#endif
