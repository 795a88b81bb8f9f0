/* site_places.h: size of the hash tables by which the monitor finds a site (refrain_site in unit.h), one table for
 * each executable or library. The monitor makes them; `refrain size` computes their bytes before the run. */
#ifndef REFRAIN_SITE_PLACES_H
#define REFRAIN_SITE_PLACES_H

#include <stdint.h>

#define REFRAIN_SITE_PLACE_BYTES 16u

/* Entries of the table for this number of sites: a power of two, at least half of them free. */
static inline uint64_t refrain_site_places(uint64_t sites) {
    uint64_t places = 2;
    while (places < 2 * sites)
        places *= 2;
    return places;
}

/* Bytes of this table, including a free entry after the last. */
static inline uint64_t refrain_site_table_bytes(uint64_t sites) {
    return sites ? (refrain_site_places(sites) + 1) * REFRAIN_SITE_PLACE_BYTES : 0;
}

#endif
