/* successors.h: visits all successor learners of a thread, i.e. the learners whose values name the next place.
 * Places, call sites, operations, user regions and the thread itself have one (image -> walker). */
#ifndef REFRAIN_SUCCESSORS_H
#define REFRAIN_SUCCESSORS_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

/* Calls `visit` for each successor learner. A reference that leads outside the image ends its list. `is_decision`
 * returns true for a slot number whose learner holds decisions or counts and no successors. */
void refrain_successors_visit(const void *image, size_t image_bytes, unsigned thread,
                              bool (*is_decision)(const void *data, uint32_t slot),
                              void (*visit)(void *data, const struct refrain_learner *learner), void *data);

#endif
