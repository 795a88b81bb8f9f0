/* unpack.h: a unit's tables from the bytes that are in the object file (refrain/unit_tables.h). */
#ifndef REFRAIN_UNPACK_H
#define REFRAIN_UNPACK_H

#include "run/loaded_units.h"
#include "visibility.h"

/* Makes the unit from what it tells. There is room behind it (refrain_unit_words). Called once a unit, by one thread.
 */
REFRAIN_HIDDEN void refrain_unit_unpack(struct refrain_unit *unit, const char *tables);

#endif
