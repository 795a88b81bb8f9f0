/* site_table.c: makes the tables of sites (site_table.h). */
#define _GNU_SOURCE
#include "site_table.h"

#include <sys/mman.h>

struct refrain_site_table refrain_site_tables[REFRAIN_SITE_TABLES];
const struct refrain_site_table refrain_site_no_table;
uint32_t refrain_n_site_tables;

/* The units with slots, in the order of their bytes: which one has the byte of a site is asked for each. */
struct sorted {
    const struct refrain_unit **units;
    uint32_t n;
};

static void sort(struct sorted *sorted) { /* a heap, since it must not allocate */
    for (uint32_t end = sorted->n, start = sorted->n / 2; end > 1;) {
        const struct refrain_unit **units = sorted->units;
        if (start > 0) {
            start--;
        } else {
            end--;
            const struct refrain_unit *last = units[end];
            units[end] = units[0];
            units[0] = last;
        }
        for (uint32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && units[child]->on < units[child + 1]->on)
                child++;
            if (units[root]->on >= units[child]->on)
                break;
            const struct refrain_unit *lower = units[root];
            units[root] = units[child];
            units[child] = lower;
        }
    }
}

static const struct refrain_unit *unit_of(const struct sorted *sorted, const unsigned char *on) {
    uint32_t low = 0, high = sorted->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sorted->units[middle]->on <= on)
            low = middle + 1;
        else
            high = middle;
    }
    const struct refrain_unit *unit = low > 0 ? sorted->units[low - 1] : NULL;
    return unit && on < unit->on + unit->n_slots ? unit : NULL;
}

/* The address that the site returns to. */
static uintptr_t address_of(const struct refrain_site *site) {
    return (uintptr_t)&site->code + (uintptr_t)(intptr_t)site->code + REFRAIN_SITE_BYTES;
}

static bool fill(struct refrain_site_table *table, const struct refrain_unit *first, const struct sorted *sorted) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    uint32_t n = 0;
    for (const struct refrain_site *site = first->sites; site < first->sites_end; site++, n++) {
        uintptr_t address = address_of(site);
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    if (high - low >= UINT32_MAX - 1)
        return false;
    uint32_t bits = 1;
    while (bits < 30 && 1u << bits < 2 * n)
        bits++;
    struct refrain_site_place *places = refrain_pool_take(sizeof *places * ((1u << bits) + 1), REFRAIN_POOL_FIRST_MET);
    if (!places)
        return false;
    *table = (struct refrain_site_table){
        .base = low - 1, .span = high - low + 2, .mask = (1u << bits) - 1, .places = places, .sites = first->sites};
    for (const struct refrain_site *site = first->sites; site < first->sites_end; site++) {
        const unsigned char *on = (const unsigned char *)&site->on + site->on;
        const struct refrain_unit *unit = unit_of(sorted, on);
        const struct refrain_slot *slots = unit ? unit->slots : NULL;
        uint32_t offset = (uint32_t)(address_of(site) - table->base);
        uint64_t i = refrain_site_hash(offset);
        while (places[i & table->mask].offset != 0)
            i++;
        struct refrain_site_place *place = &places[i & table->mask];
        *place = (struct refrain_site_place){.offset = offset, .function = UINT32_MAX};
        if (!slots)
            continue;
        const struct refrain_slot *slot = &slots[on - unit->on];
        place->slot = refrain_reference(slot);
        place->thread_bytes = unit->n_slots * (uint32_t)sizeof *slots;
        place->function = slot->number - REFRAIN_SLOT_OF_FUNCTION(slot->flags);
    }
    return true;
}

/* The table of this executable or library; a new one where it has none. */
static struct refrain_site_table *table_of(const struct refrain_unit *unit) {
    for (uint32_t t = 0; t < refrain_n_site_tables; t++)
        if (refrain_site_tables[t].sites == unit->sites || !refrain_site_tables[t].sites)
            return &refrain_site_tables[t];
    return refrain_n_site_tables < REFRAIN_SITE_TABLES ? &refrain_site_tables[refrain_n_site_tables] : NULL;
}

/* Another thread finds what was there, what is there now, or nothing. */
static void put(struct refrain_site_table *table, const struct refrain_site_table *made) {
    __atomic_store_n(&table->span, 0, __ATOMIC_RELEASE);
    table->base = made->base;
    table->mask = made->mask;
    table->places = made->places;
    table->sites = made->sites;
    table->generation = made->generation;
    __atomic_store_n(&table->span, made->span, __ATOMIC_RELEASE);
    if (table == &refrain_site_tables[refrain_n_site_tables])
        __atomic_store_n(&refrain_n_site_tables, refrain_n_site_tables + 1, __ATOMIC_RELEASE);
}

void refrain_site_tables_make(const struct refrain_unit *units, uint32_t generation) {
    size_t bytes = sizeof(struct refrain_unit *);
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        bytes += sizeof(struct refrain_unit *);
    struct sorted sorted = {mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 0};
    if (sorted.units == MAP_FAILED)
        return;
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->slots)
            sorted.units[sorted.n++] = unit;
    sort(&sorted);
    for (const struct refrain_unit *unit = units; unit; unit = unit->next) {
        struct refrain_site_table *table = unit->sites && unit->sites < unit->sites_end ? table_of(unit) : NULL;
        if (!table || table->generation == generation)
            continue;
        struct refrain_site_table made = {.sites = unit->sites};
        if (!fill(&made, unit, &sorted))
            refrain_lose(REFRAIN_LOSS_UNITS, 1);
        made.generation = generation;
        put(table, &made);
    }
    munmap(sorted.units, bytes);
}

void refrain_site_tables_drop(const struct refrain_site *first) {
    for (uint32_t t = 0; t < refrain_n_site_tables; t++)
        if (refrain_site_tables[t].sites == first) {
            struct refrain_site_table nothing = {.sites = NULL};
            put(&refrain_site_tables[t], &nothing);
        }
}
