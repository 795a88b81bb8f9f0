/* site_table.h: from the address that a site returns to to the slot that control has reached.
 *
 * A site passes nothing but its address (unit.h, refrain_site), so that it is one instruction. The addresses of an
 * executable's or library's sites are in a hash table in the pool, at most two thirds full, made when one of them runs
 * for the first time: the list of its sites names the byte of each, and the byte the unit and the slot.
 */
#ifndef REFRAIN_SITE_TABLE_H
#define REFRAIN_SITE_TABLE_H

#include "site.h"

struct refrain_site_place {
    uint32_t offset;  /* of the address from the table's base; 0: free */
    uint32_t slot;    /* reference of the first thread's slot; 0: of a unit that is not traced */
    uint32_t n_slots; /* of its unit: the next thread's slots are so many further */
};

struct refrain_site_table {
    uintptr_t base;
    uint32_t span; /* addresses of the table are less than this above its base */
    uint32_t shift;
    const struct refrain_site_place *places;
    const struct refrain_site *sites; /* whose table it is */
    uint32_t generation;              /* of the list of units when it was made */
};

#define REFRAIN_SITE_TABLES 256u
extern REFRAIN_HIDDEN struct refrain_site_table refrain_site_tables[REFRAIN_SITE_TABLES];
extern REFRAIN_HIDDEN uint32_t refrain_n_site_tables; /* written last */

static inline uint32_t refrain_site_hash(uint32_t offset, uint32_t shift) {
    return offset * 0x9e3779b1u >> shift;
}

/* The slot of thread `thread`; null where the site is not known or not traced, `known` says which. */
static inline struct refrain_slot *refrain_site_slot(uintptr_t address, uint32_t thread, bool *known) {
    uint32_t n = __atomic_load_n(&refrain_n_site_tables, __ATOMIC_ACQUIRE);
    for (uint32_t t = 0; t < n; t++) {
        const struct refrain_site_table *table = &refrain_site_tables[t];
        uintptr_t offset = address - table->base;
        if (offset >= table->span)
            continue;
        uint32_t mask = UINT32_MAX >> table->shift;
        for (uint32_t i = refrain_site_hash((uint32_t)offset, table->shift);; i++) {
            const struct refrain_site_place *place = &table->places[i & mask];
            if (__builtin_expect(place->offset == offset, 1)) {
                *known = true;
                return place->slot
                           ? (struct refrain_slot *)refrain_at_reference(place->slot) + (size_t)thread * place->n_slots
                           : NULL;
            }
            if (place->offset == 0)
                break;
        }
    }
    *known = false;
    return NULL;
}

/* Makes the tables of all executables and libraries that have units which came after theirs were made. `generation` of
 * the list `units` goes up with each. Under the lock of unit.c. What does not fit the pool is counted as lost units. */
REFRAIN_HIDDEN void refrain_site_tables_make(const struct refrain_unit *units, uint32_t generation);

/* The executable or library of `unit`, its last one, is about to be unloaded. Under the lock. */
REFRAIN_HIDDEN void refrain_site_tables_drop(const struct refrain_unit *unit);

#endif
