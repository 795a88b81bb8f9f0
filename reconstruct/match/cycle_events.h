/* cycle_events.h: events of a loop's equal iterations (walk_cycle.h -> location_stream.c).
 *
 *     records of an iteration --translated once--> events --times and requests set for each iteration--> stream
 *
 * All iterations use the same memory: a reader of the stream has used all events of an iteration when it asks for the
 * next one. */
#ifndef REFRAIN_CYCLE_EVENTS_H
#define REFRAIN_CYCLE_EVENTS_H

#include "match/translate.h"
#include "walk/walk_cycle.h"

/* The events of the walk's next equal iteration, *n of them, valid until the next call. The caller may change them.
 * Null: the walk has no equal iteration next, or memory ran out (translation->no_memory). */
struct refrain_event *refrain_cycle_events_next(struct refrain_walk *walk, struct refrain_translation *translation,
                                                uint32_t *n);

/* Frees the translated iterations except the one of `events`. They are translated again when they are needed. */
void refrain_cycle_events_clear_unused(struct refrain_walk *walk, const struct refrain_event *events);

#endif
