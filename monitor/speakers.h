/* speakers.h: units tell each other by the names of functions which of them make events (struct refrain_speaker). Under
 * the lock of unit.c. */
#ifndef REFRAIN_SPEAKERS_H
#define REFRAIN_SPEAKERS_H

#include "monitor.h"

/* A unit comes; its speakers are off. */
REFRAIN_HIDDEN void refrain_speakers_add(struct refrain_unit *unit);

/* It goes, with the names. */
REFRAIN_HIDDEN void refrain_speakers_drop(struct refrain_unit *unit);

/* Switches on all those of this name. */
REFRAIN_HIDDEN void refrain_speakers_switch_on(const struct refrain_speaker *speaker);

#endif
