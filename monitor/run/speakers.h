/* speakers.h: functions of all units that make events, by name, so that a unit learns of those in other units (struct
 * refrain_speaker). The caller holds the lock of unit.c. */
#ifndef REFRAIN_SPEAKERS_H
#define REFRAIN_SPEAKERS_H

#include "run/loaded_units.h"
#include "visibility.h"

/* Adds the speakers of a unit that is registered; they are off. */
REFRAIN_HIDDEN void refrain_speakers_add(struct refrain_unit *unit);

/* Removes the speakers of a unit that is unloaded, and their names. */
REFRAIN_HIDDEN void refrain_speakers_drop(struct refrain_unit *unit);

/* Switches on all speakers of this name. */
REFRAIN_HIDDEN void refrain_speakers_switch_on(const struct refrain_speaker *speaker);

#endif
