/* site.h: probes that are off are taken out of the program's code (struct refrain_site). The caller holds the lock of
 * unit.c, except where a function says otherwise. */
#ifndef REFRAIN_SITE_H
#define REFRAIN_SITE_H

#include "run/loaded_units.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Those of an executable or library, and the pages they are in. */
struct refrain_sites {
    const struct refrain_site *first, *end;
    unsigned char *pages, *pages_end;
};

/* Those of the executable or library that `units` are of. False where there are none, or where the code is not
 * mapped to be read and executed only: it stays as it is. Without the lock, since it takes the dynamic linker's. */
REFRAIN_HIDDEN bool refrain_sites_find(const struct refrain_units *units, struct refrain_sites *sites);

/* Adds the sites of an executable or library, when its first unit is registered. Of more libraries than the table
 * holds, the code stays as it is. */
REFRAIN_HIDDEN void refrain_sites_add(const struct refrain_sites *sites);

/* The executable or library with these sites is about to be unloaded. */
REFRAIN_HIDDEN void refrain_sites_drop(const struct refrain_site *first);

/* Brings the code in line with the probes' bytes. Other threads may run it meanwhile; a probe that one of them still
 * comes to, or leaves out, for a moment is as if its byte had been read a moment before. Where the system does not let
 * code be changed, it stays as it is from then on. Keeps errno. */
REFRAIN_HIDDEN void refrain_sites_place(void);

/* The same where nothing has changed but the bytes of these slots, whose sites have tables (site_table.h); null: all.
 */
REFRAIN_HIDDEN void refrain_sites_place_slots(const uint32_t *slots, unsigned n);

#endif
