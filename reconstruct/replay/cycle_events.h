/* cycle_events.h: the events of iterations that are alike (walk_cycle.h -> location_stream.c).
 *
 *     records of an iteration --translated once--> events --given times and requests of their own--> stream
 *
 * They stay where they are: who reads the stream is done with an iteration when it asks for the next one. */
#ifndef REFRAIN_CYCLE_EVENTS_H
#define REFRAIN_CYCLE_EVENTS_H

#include "translate.h"
#include "walk_cycle.h"

/* The events of the next iteration that the walk gives, *n of them: the caller's to change, until the next call. Null:
 * none is given, the walk goes on, or there is no memory, which the translation says. */
struct refrain_event *refrain_cycle_events_next(struct refrain_walk *walk, struct refrain_translation *translation,
                                                uint32_t *n);

#endif
