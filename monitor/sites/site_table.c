/* site_table.c: makes the tables of sites (site_table.h). */
#define _GNU_SOURCE
#include "sites/site_table.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>
#include <sys/mman.h>

struct refrain_site_table refrain_site_tables[REFRAIN_SITE_TABLES];
const struct refrain_site_table refrain_site_no_table;
uint32_t refrain_n_site_tables;

/* The units with slots, sorted by the addresses of their bytes, to find the unit of a site's byte. */
struct sorted {
    struct refrain_unit **units;
    uint32_t n;
};

static void sort(struct sorted *sorted) { /* Heap sort, since it must not allocate. */
    for (uint32_t end = sorted->n, start = sorted->n / 2; end > 1;) {
        struct refrain_unit **units = sorted->units;
        if (start > 0) {
            start--;
        } else {
            end--;
            struct refrain_unit *last = units[end];
            units[end] = units[0];
            units[0] = last;
        }
        for (uint32_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && units[child]->on < units[child + 1]->on)
                child++;
            if (units[root]->on >= units[child]->on)
                break;
            struct refrain_unit *lower = units[root];
            units[root] = units[child];
            units[child] = lower;
        }
    }
}

/* Returns the unit that has this byte. Null if the unit has no slots. */
static struct refrain_unit *unit_of(const struct sorted *sorted, const unsigned char *on) {
    uint32_t low = 0, high = sorted->n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (sorted->units[middle]->on <= on)
            low = middle + 1;
        else
            high = middle;
    }
    struct refrain_unit *unit = low > 0 ? sorted->units[low - 1] : NULL;
    return unit && on < unit->on + unit->n_slots ? unit : NULL;
}

static const unsigned char *byte_of(const struct refrain_site *site) {
    return (const unsigned char *)&site->on + site->on;
}

/* The address to which the site returns. */
static uintptr_t address_of(const struct refrain_site *site) {
    return (uintptr_t)&site->code + (uintptr_t)(intptr_t)site->code + REFRAIN_SITE_BYTES;
}

/* Sets *made to the new contents of `table`. It keeps the entries of the table if there are as many as needed, and if
 * their library has been unloaded. */
static bool fill(struct refrain_site_table *made, const struct refrain_site_table *table,
                 const struct refrain_unit *first, const struct sorted *sorted) {
    uintptr_t low = UINTPTR_MAX, high = 0;
    uint64_t n_places = refrain_site_places((uint64_t)(first->sites_end - first->sites));
    for (const struct refrain_site *site = first->sites; site < first->sites_end; site++) {
        uintptr_t address = address_of(site);
        low = address < low ? address : low;
        high = address > high ? address : high;
    }
    if (high - low >= UINT32_MAX - 1)
        return false;
    bool again = !table->sites && table->mask == n_places - 1;
    struct refrain_site_place *places = again ? table->places : NULL;
    size_t bytes = (n_places + 1) * sizeof *places;
    if (places)
        memset(places, 0, bytes);
    else
        places = refrain_pool_take(bytes, REFRAIN_POOL_FIRST_MET);
    if (!places)
        return false;
    made->base = low - 1;
    made->span = high - low + 2;
    made->mask = n_places - 1;
    made->places = places;
    for (const struct refrain_site *site = first->sites; site < first->sites_end; site++) {
        const struct refrain_unit *unit = unit_of(sorted, byte_of(site));
        const struct refrain_slot *slots = unit ? unit->slots : NULL;
        uint32_t offset = (uint32_t)(address_of(site) - made->base);
        uint64_t i = refrain_site_hash(offset);
        while (places[i & made->mask].offset != 0)
            i++;
        struct refrain_site_place *place = &places[i & made->mask];
        *place = (struct refrain_site_place){.offset = offset, .function = UINT32_MAX};
        if (!slots)
            continue;
        const struct refrain_slot *slot = &slots[byte_of(site) - unit->on];
        place->slot = refrain_reference(slot);
        place->thread_bytes = unit->n_slots * (uint32_t)sizeof *slots;
        place->function = slot->number - REFRAIN_SLOT_OF_FUNCTION(slot->flags);
    }
    return true;
}

/* Returns the table of this executable or library. If it has none: a table with as many entries whose library has been
 * unloaded, else a new one, else any one whose library has been unloaded. */
static struct refrain_site_table *table_of(const struct refrain_unit *unit) {
    uint64_t mask = refrain_site_places((uint64_t)(unit->sites_end - unit->sites)) - 1;
    struct refrain_site_table *gone = NULL;
    for (uint32_t t = 0; t < refrain_n_site_tables; t++) {
        struct refrain_site_table *table = &refrain_site_tables[t];
        if (table->sites == unit->sites)
            return table;
        if (!table->sites && (!gone || gone->mask != mask))
            gone = table;
    }
    bool full = refrain_n_site_tables == REFRAIN_SITE_TABLES;
    return full || (gone && gone->mask == mask) ? gone : &refrain_site_tables[refrain_n_site_tables];
}

/* Replaces a table. Another thread finds its old contents, its new contents, or nothing. */
static void put(struct refrain_site_table *table, const struct refrain_site_table *made) {
    __atomic_store_n(&table->span, 0, __ATOMIC_RELEASE);
    table->base = made->base;
    table->mask = made->mask;
    table->places = made->places;
    table->sites = made->sites;
    table->n_units = made->n_units;
    table->chains = REFRAIN_CHAINS_NOT_MADE;
    __atomic_store_n(&table->span, made->span, __ATOMIC_RELEASE);
    if (table == &refrain_site_tables[refrain_n_site_tables])
        __atomic_store_n(&refrain_n_site_tables, refrain_n_site_tables + 1, __ATOMIC_RELEASE);
}

/* Takes the slots from the units that have these sites, so they are not traced. */
static void give_up(const struct refrain_unit *first, const struct sorted *sorted) {
    for (const struct refrain_site *site = first->sites; site < first->sites_end; site++) {
        struct refrain_unit *unit = unit_of(sorted, byte_of(site));
        if (unit && unit->slots) {
            unit->slots = NULL;
            refrain_lose(REFRAIN_LOSS_UNITS, 1);
        }
    }
}

/* Returns the first unit from `unit` on that has sites, but not these. Units of an executable or library are neighbours
 * in the list. */
static struct refrain_unit *next_with_sites(struct refrain_unit *unit, const struct refrain_site *sites) {
    while (unit && (!unit->sites || unit->sites == unit->sites_end || unit->sites == sites))
        unit = unit->next;
    return unit;
}

static uint32_t count_units(const struct refrain_unit *unit, const struct refrain_site *sites) {
    uint32_t n = 0;
    for (; unit; unit = unit->next)
        n += unit->sites == sites;
    return n;
}

uint64_t refrain_site_tables_bytes(struct refrain_unit *units) {
    uint64_t bytes = 0;
    for (struct refrain_unit *unit = next_with_sites(units, NULL); unit; unit = next_with_sites(unit, unit->sites))
        bytes += refrain_site_table_bytes((uint64_t)(unit->sites_end - unit->sites));
    return bytes;
}

uint64_t refrain_site_tables_make(struct refrain_unit *units) {
    size_t bytes = sizeof(struct refrain_unit *);
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        bytes += sizeof(struct refrain_unit *);
    struct sorted sorted = {mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 0};
    if (sorted.units == MAP_FAILED)
        return 0;
    for (struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->slots)
            sorted.units[sorted.n++] = unit;
    sort(&sorted);
    uint64_t missing = 0;
    for (struct refrain_unit *unit = next_with_sites(units, NULL); unit; unit = next_with_sites(unit, unit->sites)) {
        struct refrain_site_table *table = table_of(unit);
        struct refrain_site_table made = {.sites = unit->sites, .n_units = count_units(units, unit->sites)};
        if (table && table->sites == made.sites && table->n_units == made.n_units)
            continue;
        if (!table || !fill(&made, table, unit, &sorted)) {
            give_up(unit, &sorted);
            missing += refrain_site_table_bytes((uint64_t)(unit->sites_end - unit->sites));
        }
        if (table)
            put(table, &made);
    }
    munmap(sorted.units, bytes);
    return missing;
}

/* Returns the number of the site's slot. UINT32_MAX if it is not traced. */
static uint32_t slot_of(const struct refrain_site_table *table, const struct refrain_site *site) {
    uint32_t offset = (uint32_t)(address_of(site) - table->base);
    uint64_t i = refrain_site_hash(offset);
    while (table->places[i & table->mask].offset != offset)
        i++;
    const struct refrain_site_place *place = &table->places[i & table->mask];
    return place->slot ? refrain_site_slot(place, refrain_trace_file.base, 0)->number : UINT32_MAX;
}

bool refrain_site_table_chain(struct refrain_site_table *table, uint32_t n_sites) {
    if (table->chains != REFRAIN_CHAINS_NOT_MADE)
        return table->chains == REFRAIN_CHAINS_MADE;
    uint32_t low = UINT32_MAX, end = 0;
    for (uint32_t i = 0; i < n_sites; i++) {
        uint32_t slot = slot_of(table, &table->sites[i]);
        if (slot == UINT32_MAX)
            continue;
        low = slot < low ? slot : low;
        end = slot >= end ? slot + 1 : end;
    }
    uint64_t entries = (uint64_t)(low < end ? end - low : 0) + n_sites;
    if (entries > table->chain_entries) {
        table->first_sites = refrain_pool_take(entries * sizeof *table->first_sites, REFRAIN_POOL_VALUES);
        table->chain_entries = table->first_sites ? entries : 0;
    }
    table->chains = table->chain_entries ? REFRAIN_CHAINS_MADE : REFRAIN_CHAINS_NO_ROOM;
    if (table->chains == REFRAIN_CHAINS_NO_ROOM)
        return false;
    memset(table->first_sites, 0, entries * sizeof *table->first_sites);
    table->first_slot = low;
    table->n_slots = low < end ? end - low : 0;
    for (uint32_t i = n_sites; i > 0; i--) {
        uint32_t slot = slot_of(table, &table->sites[i - 1]);
        if (slot == UINT32_MAX)
            continue;
        table->first_sites[table->n_slots + i - 1] = table->first_sites[slot - low];
        table->first_sites[slot - low] = i;
    }
    return true;
}

void refrain_site_tables_drop(const struct refrain_site *first) {
    for (uint32_t t = 0; t < refrain_n_site_tables; t++)
        if (refrain_site_tables[t].sites == first) {
            __atomic_store_n(&refrain_site_tables[t].span, 0, __ATOMIC_RELEASE);
            refrain_site_tables[t].sites = NULL;
        }
}
