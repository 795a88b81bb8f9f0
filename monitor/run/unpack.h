/* unpack.h: decodes the tables of a unit that are in the object file (refrain/unit_tables.h). */
#ifndef REFRAIN_UNPACK_H
#define REFRAIN_UNPACK_H

#include "run/loaded_units.h"
#include "visibility.h"

/* Fills the unit from its encoded tables. The memory behind *unit has room for the tables (refrain_unit_words). To be
 * called once for each unit, by one thread. */
REFRAIN_HIDDEN void refrain_unit_unpack(struct refrain_unit *unit, const char *tables);

#endif
