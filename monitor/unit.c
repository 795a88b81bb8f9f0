/* unit.c: the tables of translation units: registration, and their copy in the region. */
#define _GNU_SOURCE
#include "region_open.h"
#include "site.h"

#include <signal.h>
#include <string.h>

static struct refrain_unit *units;
static int lock;           /* spin lock over the list: registration is rare */
static int opened;         /* the region takes units */
static int closed;         /* nothing is traced in this process */
static unsigned n_foreign; /* units that another version of the instrumentor made, before the region was opened */
static struct refrain_unit_record *last_record;

static sigset_t mask_before; /* of who holds the lock: no handler may jump out, it would stay locked */

static bool try_lock(void) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        return false;
    }
    mask_before = before;
    return true;
}

static void take_lock(void) {
    while (!try_lock())
        ;
}

static void drop_lock(void) {
    sigset_t before = mask_before;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static size_t round_up(size_t bytes) {
    return (bytes + REFRAIN_UNIT_BYTES - 1) & ~(size_t)(REFRAIN_UNIT_BYTES - 1);
}

static size_t unit_bytes(const struct refrain_unit *unit) {
    return round_up(sizeof(struct refrain_unit_record)) + round_up(unit->n_nodes * sizeof(struct refrain_node)) +
           round_up(unit->strings_bytes) +
           (size_t)unit->n_slots * refrain_region.header->n_threads * sizeof(struct refrain_slot);
}

/* What a slot does beyond being a place, from its node. */
static void flag_slots(struct refrain_slot *slots, const struct refrain_unit *unit) {
    for (unsigned i = 0; i < unit->n_nodes; i++) {
        const struct refrain_node *node = &unit->nodes[i];
        if (node->slot >= unit->n_slots)
            continue;
        if (node->kind == REFRAIN_CALL || node->kind == REFRAIN_MACRO)
            slots[node->slot].flags = REFRAIN_SLOT_CALL;
        else if (node->kind == REFRAIN_MPI_CALL)
            slots[node->slot].flags = REFRAIN_SLOT_CALL | REFRAIN_SLOT_MPI_CALL;
        else if (node->kind == REFRAIN_FUNCTION)
            slots[node->slot].flags = REFRAIN_SLOT_FUNCTION;
    }
}

/* Copies one unit into the pool. Returns 0, or the bytes it would have needed. */
static uint64_t copy_unit(struct refrain_unit *unit) {
    struct refrain_header *header = refrain_region.header;
    size_t bytes = unit_bytes(unit);
    unsigned char *p = refrain_pool_take(bytes, REFRAIN_POOL_PLACES);
    if (!p) {
        refrain_lose(REFRAIN_LOSS_UNITS, 1);
        return bytes;
    }
    struct refrain_unit_record *record = (struct refrain_unit_record *)p;
    unsigned char *nodes = p + round_up(sizeof *record);
    unsigned char *strings = nodes + round_up(unit->n_nodes * sizeof(struct refrain_node));
    struct refrain_slot *slots = (struct refrain_slot *)(strings + round_up(unit->strings_bytes));
    memcpy(nodes, unit->nodes, unit->n_nodes * sizeof(struct refrain_node));
    memcpy(strings, unit->strings, unit->strings_bytes);
    record->nodes = (uint64_t)(nodes - refrain_region.base);
    record->strings = (uint64_t)(strings - refrain_region.base);
    record->slots = (uint64_t)((unsigned char *)slots - refrain_region.base);
    record->n_nodes = unit->n_nodes;
    record->n_slots = unit->n_slots;
    record->strings_bytes = unit->strings_bytes;
    record->first_slot = header->n_slots;
    for (unsigned t = 0; t < header->n_threads; t++) {
        struct refrain_slot *of_thread = slots + (size_t)t * unit->n_slots;
        for (unsigned i = 0; i < unit->n_slots; i++)
            of_thread[i].number = record->first_slot + i;
        flag_slots(of_thread, unit);
    }
    header->n_slots += unit->n_slots;
    header->slot_bytes += (uint64_t)unit->n_slots * header->n_threads * sizeof *slots;
    header->tree_bytes += bytes - (uint64_t)unit->n_slots * header->n_threads * sizeof *slots;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint64_t offset = (uint64_t)(p - refrain_region.base);
    if (last_record)
        last_record->next = offset;
    else
        header->units = offset;
    last_record = record;
    unit->record = offset;
    unit->slots = slots;
    return 0;
}

/* ---- which probes are on ---- */

/* Is `byte` the switch of a function or spare probe of this unit that was throttled? */
static bool is_throttled(const struct refrain_unit *unit, const unsigned char *byte) {
    const struct refrain_slot *slots = unit->slots; /* those of the first thread speak for all */
    if (!slots || byte < unit->on || byte >= unit->on + unit->n_slots)
        return false;
    return slots[byte - unit->on].flags & REFRAIN_SLOT_THROTTLED;
}

/* Does the unit have tables in the region? Its probes stay off otherwise. */
static bool is_traced(const struct refrain_unit *unit) {
    return !opened || unit->slots;
}

/* Switches on what is on for its own sake only, and tells the slots of all threads so. */
static void switch_spare_probes(struct refrain_unit *unit) {
    struct refrain_slot *slots = unit->slots;
    size_t n_threads = slots ? refrain_region.header->n_threads : 0;
    for (unsigned i = 0; i < unit->n_slots; i++) {
        if (unit->base[i] != 2 || unit->on[i] || is_throttled(unit, unit->on + i))
            continue;
        unit->on[i] = 2;
        for (size_t t = 0; t < n_threads; t++)
            __atomic_fetch_or(&slots[t * unit->n_slots + i].flags, REFRAIN_SLOT_SPARE, __ATOMIC_RELAXED);
    }
}

/* Nothing is learned, only events are recorded: probes that make none are of no use. */
static void switch_off_places(struct refrain_unit *unit) {
    const struct refrain_slot *slots = unit->slots;
    for (unsigned i = 0; slots && i < unit->n_slots; i++)
        if (!(slots[i].flags & REFRAIN_SLOT_FUNCTION))
            unit->on[i] = 0;
}

/* Sets the bytes of all units from their bases, less the functions that were throttled, and what depends on them, until
 * nothing changes. Probes of other threads may find a byte off for a moment: they are then not run, which costs nothing
 * but resolution. */
static void switch_probes(void) {
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        if (!unit->base)
            continue;
        for (unsigned i = 0; i < unit->n_slots; i++)
            unit->on[i] = is_traced(unit) && unit->base[i] == 1;
        for (unsigned long i = 0; i < unit->n_dependencies; i++)
            *unit->dependencies[i].to &=
                unit->dependencies[i].to >= unit->on && unit->dependencies[i].to < unit->on + unit->n_slots;
        for (unsigned i = 0; i < unit->n_slots; i++)
            unit->on[i] &= !is_throttled(unit, unit->on + i);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (struct refrain_unit *unit = units; unit; unit = unit->next)
            for (unsigned long i = 0; is_traced(unit) && i < unit->n_dependencies; i++) {
                const struct refrain_dependency *dependency = &unit->dependencies[i];
                if (dependency->from && *dependency->from && !*dependency->to && !is_throttled(unit, dependency->to)) {
                    *dependency->to = 1;
                    changed = true;
                }
            }
    }
    for (struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->base && is_traced(unit)) {
            switch_spare_probes(unit);
            if (refrain_region.mode == REFRAIN_MODE_EVENTS)
                switch_off_places(unit);
        }
    refrain_sites_place(NULL);
}

bool refrain_units_throttle(uint32_t number) {
    if (!try_lock())
        return false;
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        struct refrain_slot *slots = unit->slots;
        if (!slots || !unit->base || number - slots[0].number >= unit->n_slots)
            continue;
        uint32_t i = number - slots[0].number;
        __atomic_fetch_or(&slots[i].flags, REFRAIN_SLOT_THROTTLED, __ATOMIC_RELAXED);
        if (slots[i].flags & REFRAIN_SLOT_FUNCTION) {
            switch_probes(); /* other probes may be on for its sake only */
        } else {
            unit->on[i] = 0;
            refrain_sites_place(unit);
        }
        break;
    }
    drop_lock();
    return true;
}

/* Is another unit of the same executable or library in the list? */
static bool shares_sites(const struct refrain_unit *unit) {
    for (const struct refrain_unit *other = units; other; other = other->next)
        if (other->sites == unit->sites)
            return true;
    return false;
}

/* A unit of another version, which may have other members, stays untraced: its probes are off. */
static void register_foreign(void) {
    take_lock();
    if (opened)
        refrain_lose(REFRAIN_LOSS_UNITS, 1);
    else
        n_foreign++;
    drop_lock();
}

void refrain_register(struct refrain_unit *unit) {
    if (unit->version != REFRAIN_UNIT_VERSION) {
        register_foreign();
        return;
    }
    struct refrain_sites sites;
    take_lock();
    bool sites_known = shares_sites(unit);
    drop_lock();
    bool sites_found = !sites_known && refrain_sites_find(unit, &sites);
    take_lock();
    unit->next = units;
    units = unit;
    if (sites_found)
        refrain_sites_add(&sites);
    if (opened) {
        copy_unit(unit);
        switch_probes();
    } else if (unit->base && !closed) {
        memcpy(unit->on, unit->base, unit->n_slots); /* the first probe that runs opens the region */
    } else if (closed) {
        refrain_sites_place(NULL);
    }
    drop_lock();
}

void refrain_unregister(struct refrain_unit *unit) {
    if (unit->version != REFRAIN_UNIT_VERSION)
        return;
    take_lock();
    for (struct refrain_unit **link = &units; *link; link = &(*link)->next)
        if (*link == unit) {
            *link = unit->next;
            break;
        }
    if (!shares_sites(unit))
        refrain_sites_drop(unit);
    drop_lock();
}

uint64_t refrain_units_open(void) {
    uint64_t missing = 0;
    take_lock();
    for (struct refrain_unit *unit = units; unit; unit = unit->next)
        missing += copy_unit(unit);
    refrain_lose(REFRAIN_LOSS_UNITS, n_foreign);
    opened = 1;
    switch_probes();
    drop_lock();
    return missing;
}

uint64_t refrain_units_mpi_calls(void) {
    uint64_t calls = 0;
    take_lock();
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        for (unsigned i = 0; unit->slots && i < unit->n_nodes; i++)
            calls += unit->nodes[i].kind == REFRAIN_MPI_CALL;
    drop_lock();
    return calls;
}

void refrain_units_close(bool forked) {
    if (forked)
        __atomic_store_n(&lock, 0, __ATOMIC_RELAXED); /* the thread that may have held it is not in this process */
    take_lock();
    opened = 0;
    closed = 1;
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        unit->slots = NULL;
        if (unit->base)
            memset(unit->on, 0, unit->n_slots);
    }
    refrain_sites_place(NULL);
    drop_lock();
}
