/* speakers.h: the functions of all units that may cause events (*speakers*), by name. A unit that calls such a function
 * of another unit finds it here (struct refrain_speaker). The caller holds the lock of unit.c. */
#ifndef REFRAIN_SPEAKERS_H
#define REFRAIN_SPEAKERS_H

#include "run/loaded_units.h"
#include "visibility.h"

/* Adds the speakers of a unit when it is registered. They are off. */
REFRAIN_HIDDEN void refrain_speakers_add(struct refrain_unit *unit);

/* Removes the speakers of a unit before it is unloaded with their names. */
REFRAIN_HIDDEN void refrain_speakers_drop(struct refrain_unit *unit);

/* Switches on all speakers of this name. */
REFRAIN_HIDDEN void refrain_speakers_switch_on(const struct refrain_speaker *speaker);

#endif
