/* site_table.h: from the address that a site returns to to the slot that control has reached.
 *
 * A site passes nothing but its address (unit.h, refrain_site), so that it is one instruction. The addresses of an
 * executable's or library's sites are in a hash table in the pool (refrain/site_places.h), made when the trace file is
 * opened, of a library that is loaded later when one of its sites runs for the first time: the list of its sites names
 * the byte of each, and the byte the unit and the slot. A library that goes leaves the places of its table for others.
 *
 * The way back, from a slot to its sites, is a chain for each slot. A probe that goes dormant changes its own sites: to
 * look at all of them would take longer than what it saves, and drive the program's data out of the caches. The chains
 * are made when the first probe goes dormant, where the pool has room that nothing else needs.
 */
#ifndef REFRAIN_SITE_TABLE_H
#define REFRAIN_SITE_TABLE_H

#include "run/loaded_units.h"
#include "sites/site.h"
#include "visibility.h"
#include <refrain/site_places.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_site_place {
    uint32_t offset;       /* of the address from the table's base; 0: free */
    uint32_t slot;         /* reference of the first thread's slot; 0: of a unit that is not traced */
    uint32_t thread_bytes; /* the slot of the next thread is so much further */
    uint32_t function; /* number of slot [0] of the function that the site is in; that of none where it is not traced
                        */
};
_Static_assert(sizeof(struct refrain_site_place) == REFRAIN_SITE_PLACE_BYTES, "bytes of tables are computed with this");

struct refrain_site_table {
    uintptr_t base;
    uint64_t span; /* addresses of the table are less than this above its base */
    struct refrain_site_place *places;
    uint64_t mask;                    /* places, less one: a power of two of them, and one more that is free */
    const struct refrain_site *sites; /* whose table it is; null: what it was of has gone */
    uint32_t n_units;                 /* that this executable or library had when it was made */
    enum { REFRAIN_CHAINS_NOT_MADE, REFRAIN_CHAINS_MADE, REFRAIN_CHAINS_NO_ROOM } chains;
    uint32_t first_slot, n_slots; /* with chains: of the first thread, those that sites may be of */
    uint32_t *first_sites;        /* of each slot one of its sites, from 1 on, or 0; then of each site another one */
    uint64_t chain_entries;       /* there is room for */
};

#define REFRAIN_SITE_TABLES 256u
extern REFRAIN_HIDDEN struct refrain_site_table refrain_site_tables[REFRAIN_SITE_TABLES];
extern REFRAIN_HIDDEN uint32_t refrain_n_site_tables; /* written last */

/* One that has no site. */
extern REFRAIN_HIDDEN const struct refrain_site_table refrain_site_no_table;

#define REFRAIN_SITE_HASH_FACTOR 0x61c88647
static inline uint64_t refrain_site_hash(uint32_t offset) {
    return offset * (uint64_t)REFRAIN_SITE_HASH_FACTOR >> 32;
}

/* What is known of the site that returns to `address`, and the table that says it: null, nothing. */
static inline const struct refrain_site_place *refrain_site_find(uintptr_t address,
                                                                 const struct refrain_site_table **found) {
    uint32_t n = __atomic_load_n(&refrain_n_site_tables, __ATOMIC_ACQUIRE);
    for (const struct refrain_site_table *table = refrain_site_tables; table < refrain_site_tables + n; table++) {
        uintptr_t offset = address - table->base;
        if (__builtin_expect(offset >= table->span, 0))
            continue;
        *found = table;
        for (uint64_t i = refrain_site_hash((uint32_t)offset);; i++) {
            const struct refrain_site_place *place = &table->places[i & table->mask];
            if (__builtin_expect(place->offset == offset, 1))
                return place;
            if (place->offset == 0)
                break;
        }
    }
    return NULL;
}

/* The slot of thread `thread` there, whose trace file begins at `trace_file`; the place has one. */
static inline struct refrain_slot *refrain_site_slot(const struct refrain_site_place *place, unsigned char *trace_file,
                                                     uint32_t thread) {
    return (struct refrain_slot *)(trace_file + (size_t)place->slot * REFRAIN_GRAIN_BYTES +
                                   (size_t)place->thread_bytes * thread);
}

/* Has the table chains? Makes them where it has none yet. `n_sites`: of its executable or library. Under the lock. */
REFRAIN_HIDDEN bool refrain_site_table_chain(struct refrain_site_table *table, uint32_t n_sites);

/* One of the sites of a slot, from 1 on, and the next one; 0: no more. Under the lock. */
static inline uint32_t refrain_site_first(const struct refrain_site_table *table, uint32_t slot) {
    uint32_t i = slot - table->first_slot;
    return i < table->n_slots ? table->first_sites[i] : 0;
}
static inline uint32_t refrain_site_next(const struct refrain_site_table *table, uint32_t site) {
    return table->first_sites[table->n_slots + site - 1];
}

/* Makes the tables of all executables and libraries of which units came since theirs were made. Under the lock of
 * unit.c. Returns the bytes that those needed for which the pool had no room: the units whose sites these are have no
 * slots any more, and are counted as lost. */
REFRAIN_HIDDEN uint64_t refrain_site_tables_make(struct refrain_unit *units);

/* Bytes that the tables of these units take. */
REFRAIN_HIDDEN uint64_t refrain_site_tables_bytes(struct refrain_unit *units);

/* The executable or library with these sites is about to be unloaded. Under the lock. */
REFRAIN_HIDDEN void refrain_site_tables_drop(const struct refrain_site *first);

#endif
