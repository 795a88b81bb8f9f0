/* loaded_units.h: the units of the program, and which of their probes are on (unit.c). */
#ifndef REFRAIN_LOADED_UNITS_H
#define REFRAIN_LOADED_UNITS_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#include <refrain/unit.h>
#pragma GCC visibility pop

/* Makes the probe of this slot dormant: a function's, with all that is in the function where no activation of it is
 * open. False when another thread is changing probes: it is to be tried again. Any thread. */
REFRAIN_HIDDEN bool refrain_units_rest(uint32_t number);

/* All dormant probes come back. False as above. */
REFRAIN_HIDDEN bool refrain_units_wake(void);

/* A site in code runs although its probe is off: brings the code in line if that was put off. */
REFRAIN_HIDDEN void refrain_units_settle(void);

/* Has anything been loaded since the tables of sites were made? A site that is in none is one of a unit of another
 * version otherwise. */
REFRAIN_HIDDEN bool refrain_units_have_new_sites(void);

/* A site runs that is in no table: makes the tables (site_table.h) of what was loaded since they were made. */
REFRAIN_HIDDEN void refrain_units_make_site_tables(void);

#endif
