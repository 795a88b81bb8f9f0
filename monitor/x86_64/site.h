/* site.h: probes that are off are taken out of the program's code (struct refrain_site). All but refrain_sites_find()
 * under the lock of unit.c. */
#ifndef REFRAIN_SITE_H
#define REFRAIN_SITE_H

#include "monitor.h"

/* Those of an executable or library, and the pages they are in. */
struct refrain_sites {
    const struct refrain_site *first, *end;
    unsigned char *pages, *pages_end;
};

/* Those of the executable or library that `unit` belongs to. False where there are none, or where the code is not
 * mapped to be read and executed only: it stays as it is. Without the lock, since it takes the dynamic linker's. */
REFRAIN_HIDDEN bool refrain_sites_find(const struct refrain_unit *unit, struct refrain_sites *sites);

/* Takes them up, with the first unit of an executable or library. One library too many stays as it is. */
REFRAIN_HIDDEN void refrain_sites_add(const struct refrain_sites *sites);

/* The executable or library of `unit`, its last one, is about to be unloaded. */
REFRAIN_HIDDEN void refrain_sites_drop(const struct refrain_unit *unit);

/* Brings the code in line with the probes' bytes: of the executable or library of `unit`, or, null, of all. Other
 * threads may run it meanwhile; a probe that one of them still comes to, or leaves out, for a moment is as if its byte
 * had been read a moment before. Where the system does not let code be changed, it stays as it is from then on. Keeps
 * errno. */
REFRAIN_HIDDEN void refrain_sites_place(const struct refrain_unit *unit);

#endif
