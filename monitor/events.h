/* events.h: writes each event to the event file as it happens (events.c), in modes events and both. */
#ifndef REFRAIN_EVENTS_H
#define REFRAIN_EVENTS_H

#include "visibility.h"
#include <refrain/event_file.h>
#include <stdint.h>

struct refrain_context;

/* Makes the file, and returns the events of thread 0. Null with errno set if that fails. */
REFRAIN_SHARED struct refrain_events *refrain_events_open(int directory_fd, const char *name, uint32_t threads);
/* The events of another thread. Null if `events` is null. */
REFRAIN_HIDDEN struct refrain_events *refrain_events_of_thread(struct refrain_events *events, uint32_t thread);
/* Removes all events in the thread's first extent of its event file: they were not events of the program. */
REFRAIN_HIDDEN void refrain_events_clear(struct refrain_events *events);
REFRAIN_SHARED void refrain_events_write(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id,
                                         uint32_t value, const int64_t *parameters, unsigned n);

#endif
