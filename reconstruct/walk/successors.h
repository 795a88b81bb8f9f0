/* successors.h: all learners of a thread that say what came next: of places, call sites, operations, user regions and
 * the thread itself (bytes of an image -> walker). */
#ifndef REFRAIN_SUCCESSORS_H
#define REFRAIN_SUCCESSORS_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

/* Calls `visit` with each of them; references that lead nowhere end the list they are in. `is_decision` says of a
 * slot's number that its learner has decisions or counts instead. */
void refrain_successors_visit(const void *image, size_t image_bytes, unsigned thread,
                              bool (*is_decision)(const void *data, uint32_t slot),
                              void (*visit)(void *data, const struct refrain_learner *learner), void *data);

#endif
