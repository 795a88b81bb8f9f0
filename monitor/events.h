/* events.h: events as they happen (events.c), in modes events and both. */
#ifndef REFRAIN_EVENTS_H
#define REFRAIN_EVENTS_H

#include "visibility.h"
#include <refrain/event_file.h>
#include <stdint.h>

struct refrain_context;

/* Makes the file; what comes back is that of thread 0. Null with errno where it cannot be. */
REFRAIN_SHARED struct refrain_events *refrain_events_open(int directory_fd, const char *name, uint32_t threads);
/* That of another thread; null for null. */
REFRAIN_HIDDEN struct refrain_events *refrain_events_of_thread(struct refrain_events *events, uint32_t thread);
/* Takes back all events of the thread's first extent of its event file: what was written there was not the program's.
 */
REFRAIN_HIDDEN void refrain_events_clear(struct refrain_events *events);
REFRAIN_SHARED void refrain_events_write(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id,
                                         uint32_t value, const int64_t *parameters, unsigned n);

#endif
