/* cycle_events.h: the events of iterations that are alike (walk_cycle.h -> location_stream.c).
 *
 *     records of an iteration --translated once--> events --copied, with times and requests of their own--> stream */
#ifndef REFRAIN_CYCLE_EVENTS_H
#define REFRAIN_CYCLE_EVENTS_H

#include "translate.h"
#include "walk_cycle.h"

/* Up to n events of the cycle that the walk gives, as many as are left of it. `at` counts those of the iteration that
 * is given now, 0 at the cycle's beginning. Fewer than n: the cycle is over, or there is no memory, which the
 * translation says. */
size_t refrain_cycle_events_read(struct refrain_walk *walk, struct refrain_translation *translation, uint32_t *at,
                                 struct refrain_event *events, size_t n);

#endif
