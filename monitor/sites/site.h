/* site.h: removes probes that are off from the program's machine code (struct refrain_site). The caller holds the lock
 * of unit.c, unless a function says otherwise. */
#ifndef REFRAIN_SITE_H
#define REFRAIN_SITE_H

#include "run/loaded_units.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* The sites of an executable or library, and the pages that contain them. */
struct refrain_sites {
    const struct refrain_site *first, *end;
    unsigned char *pages, *pages_end;
};

/* Finds the sites of the executable or library that has these units. False if it has none, or if its code is not mapped
 * as readable and executable only; then the code stays as it is. To be called without the lock, as it takes the dynamic
 * linker's. */
REFRAIN_HIDDEN bool refrain_sites_find(const struct refrain_units *units, struct refrain_sites *sites);

/* Adds the sites of an executable or library when its first unit is registered. If the table is full, the code of this
 * library stays as it is. */
REFRAIN_HIDDEN void refrain_sites_add(const struct refrain_sites *sites);

/* Removes the sites of an executable or library before it is unloaded. */
REFRAIN_HIDDEN void refrain_sites_drop(const struct refrain_site *first);

/* Changes the code of all sites to match their probes' bytes. Other threads may run it at the same time: for a short
 * time a probe may run that is off, or not run although it is on, as if its byte had been read earlier. If the system
 * does not allow the change, code is never changed again. Keeps errno. */
REFRAIN_HIDDEN void refrain_sites_place(void);

/* The same if only the bytes of these slots have changed, whose sites have tables (site_table.h). Null: all. */
REFRAIN_HIDDEN void refrain_sites_place_slots(const uint32_t *slots, unsigned n);

#endif
