/* cycle_events.h: the events of iterations that are alike (walk_cycle.h -> location_stream.c).
 *
 *     records of an iteration --translated once--> events --given times and requests of their own--> stream
 *
 * They stay where they are: a reader of the stream has used all events of an iteration when it asks for the next one.
 */
#ifndef REFRAIN_CYCLE_EVENTS_H
#define REFRAIN_CYCLE_EVENTS_H

#include "match/translate.h"
#include "walk/walk_cycle.h"

/* The events of the next iteration that the walk gives, *n of them, valid until the next call; the caller may change
 * them. Null: the walk gives no iteration and goes on by itself, or memory ran out (translation->no_memory). */
struct refrain_event *refrain_cycle_events_next(struct refrain_walk *walk, struct refrain_translation *translation,
                                                uint32_t *n);

/* Frees what was made for iterations, but for that of which `events` were given last: it is made again when it is
 * needed. */
void refrain_cycle_events_clear_unused(struct refrain_walk *walk, const struct refrain_event *events);

#endif
