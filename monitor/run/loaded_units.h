/* loaded_units.h: the units of the program, and which of their probes are switched on (unit.c). */
#ifndef REFRAIN_LOADED_UNITS_H
#define REFRAIN_LOADED_UNITS_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#include <refrain/unit.h>
#pragma GCC visibility pop

/* Throttles the probe of this slot. If it is that of a function without an open activation, all probes in the
 * function are throttled, too. False if another thread is changing probes; the caller has to try again. Any thread. */
REFRAIN_HIDDEN bool refrain_units_rest(uint32_t number);

/* Makes all throttled probes active again. False as above. */
REFRAIN_HIDDEN bool refrain_units_wake(void);

/* Changes the machine code of sites to match the state of their probes, if this was delayed. Called by a site that runs
 * although its probe is off. */
REFRAIN_HIDDEN void refrain_units_settle(void);

/* True if code has been loaded since the tables of sites were made. If not, a site that is in no table belongs to a
 * unit of another version. */
REFRAIN_HIDDEN bool refrain_units_have_new_sites(void);

/* Makes the tables of sites (site_table.h) for code that has been loaded since. Called by a site that is in no table.
 */
REFRAIN_HIDDEN void refrain_units_make_site_tables(void);

#endif
