/* unpack.h: a unit's tables from the bytes that are in the object file (refrain/unit.h, packed_bytes). */
#ifndef REFRAIN_UNPACK_H
#define REFRAIN_UNPACK_H

#include "monitor.h"

/* Fills the unit's room and sets the members that lie there. Does nothing to a unit that is not packed. Called once a
 * unit, by one thread. */
REFRAIN_HIDDEN void refrain_unit_unpack(struct refrain_unit *unit);

#endif
