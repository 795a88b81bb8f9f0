/* site_table.h: finds the slot of a site by the address to which the site returns.
 *
 * A site is one instruction, so it passes nothing but this address (unit.h, refrain_site). The addresses of the sites
 * of an executable or library are in a hash table in the pool (refrain/site_places.h). The table is made when the trace
 * file is opened, or, for a library that is loaded later, when the first of its sites runs. The list of its sites gives
 * the byte of each site, and the byte gives the unit and the slot. When a library is unloaded, the entries of its table
 * are free for another one.
 *
 * From a slot to its sites leads a chain. A probe that is throttled changes the code of its own sites only:
 * comparing all sites would take longer than a throttled probe saves, and would evict the program's data from the
 * caches. The chains are made when the first probe is throttled, if the pool has memory that nothing else needs.
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
    uint32_t offset;       /* the address, relative to the base of the table; 0: free entry */
    uint32_t slot;         /* reference of the first thread's slot; 0: the unit is not traced */
    uint32_t thread_bytes; /* distance to the slot of the next thread */
    uint32_t function;     /* number of slot [0] of the function that contains the site; UINT32_MAX without a slot */
};
_Static_assert(sizeof(struct refrain_site_place) == REFRAIN_SITE_PLACE_BYTES, "bytes of tables are computed with this");

struct refrain_site_table {
    uintptr_t base;
    uint64_t span; /* all addresses of the table are less than this above its base */
    struct refrain_site_place *places;
    uint64_t mask;                    /* number of entries, a power of two, less one; one more entry stays free */
    const struct refrain_site *sites; /* the sites in the table; null: their library has been unloaded */
    uint32_t n_units;                 /* number of units that the executable or library had when the table was made */
    enum { REFRAIN_CHAINS_NOT_MADE, REFRAIN_CHAINS_MADE, REFRAIN_CHAINS_NO_ROOM } chains;
    uint32_t first_slot, n_slots; /* with chains: the range of slots, of the first thread, that sites may have */
    uint32_t *first_sites;  /* for each slot: one of its sites, from 1 on, or 0; then for each site another one of the
                               same slot */
    uint64_t chain_entries; /* entries that fit */
};

#define REFRAIN_SITE_TABLES 256u
extern REFRAIN_HIDDEN struct refrain_site_table refrain_site_tables[REFRAIN_SITE_TABLES];
extern REFRAIN_HIDDEN uint32_t refrain_n_site_tables; /* stored after the table itself */

/* A table without sites. */
extern REFRAIN_HIDDEN const struct refrain_site_table refrain_site_no_table;

#define REFRAIN_SITE_HASH_FACTOR 0x61c88647
static inline uint64_t refrain_site_hash(uint32_t offset) {
    return offset * (uint64_t)REFRAIN_SITE_HASH_FACTOR >> 32;
}

/* Finds what is known of the site that returns to `address`, and the table that has it. Null if nothing is known. */
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

/* The slot of thread `thread` at this entry, which has one. `trace_file`: the beginning of the trace file. */
static inline struct refrain_slot *refrain_site_slot(const struct refrain_site_place *place, unsigned char *trace_file,
                                                     uint32_t thread) {
    return (struct refrain_slot *)(trace_file + (size_t)place->slot * REFRAIN_ALIGNMENT_BYTES +
                                   (size_t)place->thread_bytes * thread);
}

/* Makes the chains of a table that has none yet. True if it has them. `n_sites`: of its executable or library. The
 * caller holds the lock. */
REFRAIN_HIDDEN bool refrain_site_table_chain(struct refrain_site_table *table, uint32_t n_sites);

/* One site of a slot, from 1 on, and the next one; 0: none. The caller holds the lock. */
static inline uint32_t refrain_site_first(const struct refrain_site_table *table, uint32_t slot) {
    uint32_t i = slot - table->first_slot;
    return i < table->n_slots ? table->first_sites[i] : 0;
}
static inline uint32_t refrain_site_next(const struct refrain_site_table *table, uint32_t site) {
    return table->first_sites[table->n_slots + site - 1];
}

/* Makes the tables of all executables and libraries that have new units. The caller holds the lock of unit.c. Returns
 * the number of missing bytes. The units without a table lose their slots, and are counted as lost. */
REFRAIN_HIDDEN uint64_t refrain_site_tables_make(struct refrain_unit *units);

/* Bytes of the tables for these units. */
REFRAIN_HIDDEN uint64_t refrain_site_tables_bytes(struct refrain_unit *units);

/* Removes the table before the executable or library with these sites is unloaded. The caller holds the lock. */
REFRAIN_HIDDEN void refrain_site_tables_drop(const struct refrain_site *first);

#endif
