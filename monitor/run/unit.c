/* unit.c: registers the tables of translation units, and copies them into the trace file. */
#define _GNU_SOURCE
#include "arch/arch.h"
#include "run/contexts.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include "run/speakers.h"
#include "run/tracing.h"
#include "run/unpack.h"
#include "sites/site.h"
#include "sites/site_table.h"
#include "slot_flags.h"
#include <refrain/called.h>
#include <refrain/trace.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>

static struct refrain_unit *units;
static int lock;                   /* a spin lock over the list; registration is rare */
static int opened;                 /* units are copied into the trace file */
static int closed;                 /* nothing is traced in this process */
static uint32_t generation;        /* number of changes of the list */
static uint32_t tables_generation; /* value of `generation` for which the tables of sites were made */
static uint32_t unsettled[128]; /* throttled slots whose sites still call the monitor. Changing machine code takes some
                                   microseconds, so it is done for several slots at once */
static unsigned n_unsettled;
static unsigned n_foreign; /* lists of units of another version, registered before the trace file was opened */
static struct refrain_unit_record *last_record;
static uint32_t threads_made = 1; /* number of threads whose slots are made */

/* Signal mask and cancel state of the thread that holds the lock. A handler that jumps out, or pthread_cancel(), would
 * leave it locked. */
static sigset_t mask_before;
static int cancellation_before;

static bool try_lock(void) {
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}; /* signals that an instruction raises */
    sigset_t all, before;
    int cancellation;
    sigfillset(&all);
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        sigdelset(&all, own[i]);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_setcancelstate(cancellation, NULL);
        return false;
    }
    mask_before = before;
    cancellation_before = cancellation;
    return true;
}

static void take_lock(void) {
    while (!try_lock())
        ;
}

static void drop_lock(void) {
    sigset_t before = mask_before;
    int cancellation = cancellation_before;
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancellation, NULL);
}

static size_t round_up(size_t bytes) {
    return (bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(size_t)(REFRAIN_ALIGNMENT_BYTES - 1);
}

static size_t unit_bytes(const struct refrain_unit *unit, uint32_t threads) {
    return round_up(sizeof(struct refrain_unit_record)) + round_up(unit->n_nodes * sizeof(struct refrain_node)) +
           round_up(unit->strings_bytes) + (size_t)unit->n_slots * threads * sizeof(struct refrain_slot);
}

static uint32_t flags_of(unsigned kind) {
    switch (kind) {
    case REFRAIN_CALL:
    case REFRAIN_MACRO:
        return REFRAIN_SLOT_CALL;
    case REFRAIN_MPI_CALL:
        return REFRAIN_SLOT_CALL | REFRAIN_SLOT_MPI_CALL;
    case REFRAIN_FUNCTION:
        return REFRAIN_SLOT_FUNCTION;
    default:
        return 0;
    }
}

_Static_assert(REFRAIN_UNIT_SLOT_BYTES == sizeof(struct refrain_slot), "programs compute places with it");

/* Sets the flags of slots from their nodes. */
static void flag_slots(struct refrain_slot *slots, const struct refrain_unit *unit) {
    refrain_slot_flags(slots, unit->n_slots, unit->nodes, unit->n_nodes);
    for (unsigned i = 0; i < unit->n_nodes; i++)
        if (unit->nodes[i].slot < unit->n_slots)
            slots[unit->nodes[i].slot].flags |= flags_of(unit->nodes[i].kind);
}

/* Makes the slots of a later thread. They have the numbers and flags of the first thread's slots, without the flags
 * that this thread's execution has set, unless they hold for all threads (throttled probes). */
static void make_slots_of(const struct refrain_unit_record *record, uint32_t thread) {
    const struct refrain_slot *first = (const struct refrain_slot *)(refrain_trace_file.base + record->slots);
    struct refrain_slot *slots =
        (struct refrain_slot *)(refrain_trace_file.base + record->slots) + (size_t)thread * record->n_slots;
    for (uint32_t i = 0; i < record->n_slots; i++) {
        uint32_t flags = first[i].flags & ~REFRAIN_SLOT_COUNTED;
        slots[i].number = first[i].number;
        slots[i].next.loop_slots = first[i].next.loop_slots;
        slots[i].flags = flags & REFRAIN_SLOT_THROTTLED_NOW ? flags : flags & ~REFRAIN_SLOT_WAS_THROTTLED;
    }
}

static bool is_in_use(uint64_t record) {
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->record == record)
            return true;
    return false;
}

/* Gives a unit the tables that it had when its library was loaded before. So learning goes on, and a library that is
 * loaded many times takes memory once. False if there are none. */
static bool take_up_tables(struct refrain_unit *unit) {
    const unsigned char *base = refrain_trace_file.base;
    for (uint64_t at = refrain_trace_file.header->units, next; at; at = next) {
        const struct refrain_unit_record *record = (const void *)(base + at);
        next = record->next;
        if (record->n_nodes != unit->n_nodes || record->n_slots != unit->n_slots ||
            record->strings_bytes != unit->strings_bytes ||
            memcmp(base + record->nodes, unit->nodes, unit->n_nodes * sizeof *unit->nodes) != 0 ||
            memcmp(base + record->strings, unit->strings, unit->strings_bytes) != 0 || is_in_use(at))
            continue;
        unit->record = at;
        unit->slots = refrain_trace_file.base + record->slots;
        return true;
    }
    return false;
}

/* Copies one unit into the pool, unless it is there. Returns 0, or the number of bytes if there is too little memory.
 */
static uint64_t copy_unit(struct refrain_unit *unit) {
    if (take_up_tables(unit))
        return 0;
    struct refrain_header *header = refrain_trace_file.header;
    size_t bytes = unit_bytes(unit, header->n_threads);
    unsigned char *p = refrain_pool_take(bytes, REFRAIN_POOL_FIRST_MET);
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
    record->nodes = (uint64_t)(nodes - refrain_trace_file.base);
    record->strings = (uint64_t)(strings - refrain_trace_file.base);
    record->slots = (uint64_t)((unsigned char *)slots - refrain_trace_file.base);
    record->n_nodes = unit->n_nodes;
    record->n_slots = unit->n_slots;
    record->strings_bytes = unit->strings_bytes;
    record->first_slot = header->n_slots;
    for (unsigned i = 0; i < unit->n_slots; i++)
        slots[i].number = record->first_slot + i;
    flag_slots(slots, unit);
    for (uint32_t t = 1; t < threads_made; t++)
        make_slots_of(record, t);
    header->n_slots += unit->n_slots;
    header->slot_bytes += (uint64_t)unit->n_slots * header->n_threads * sizeof *slots;
    header->tree_bytes += bytes - (uint64_t)unit->n_slots * header->n_threads * sizeof *slots;
    uint64_t offset = (uint64_t)(p - refrain_trace_file.base);
    refrain_publish(last_record ? &last_record->next : &header->units, offset);
    last_record = record;
    unit->record = offset;
    unit->slots = slots;
    return 0;
}

/* ---- which probes are on ---- */

/* True if the unit has tables in the trace file. Otherwise its probes stay off. */
static bool is_traced(const struct refrain_unit *unit) {
    return !opened || unit->slots;
}

static void set_flags(const struct refrain_unit *unit, uint32_t slot, uint32_t flags) {
    struct refrain_slot *slots = unit->slots;
    for (size_t t = 0; t < threads_made; t++)
        __atomic_fetch_or(&slots[t * unit->n_slots + slot].flags, flags, __ATOMIC_RELAXED);
}

static void clear_flags(const struct refrain_unit *unit, uint32_t slot, uint32_t flags) {
    struct refrain_slot *slots = unit->slots;
    for (size_t t = 0; t < threads_made; t++)
        __atomic_fetch_and(&slots[t * unit->n_slots + slot].flags, ~flags, __ATOMIC_RELAXED);
}

/* Sets the byte of each further slot that a probe reaches from that of its first slot, unless the probe is throttled.
 * In mode events nothing is learned, so a probe is off if it records no event and stores no place of an MPI call. */
static void switch_ways(struct refrain_unit *unit) {
    const struct refrain_slot *slots = unit->slots; /* those of the first thread hold for all threads */
    for (unsigned i = 0; slots && i < unit->n_slots; i++) {
        unsigned arrival = REFRAIN_SLOT_KIND(slots[i].flags);
        if (slots[i].flags & REFRAIN_SLOT_THROTTLED_NOW ||
            (refrain_trace_file.mode == REFRAIN_MODE_EVENTS && arrival != REFRAIN_ARRIVAL_ENTER &&
             arrival != REFRAIN_ARRIVAL_LEAVE && !(slots[i].flags & REFRAIN_SLOT_MPI_CALL)))
            unit->on[i] = 0;
        else if (arrival == REFRAIN_ARRIVAL_LEAVE || arrival == REFRAIN_ARRIVAL_TRUE ||
                 arrival == REFRAIN_ARRIVAL_AGAIN)
            unit->on[i] = unit->on[i - 1];
        else if (arrival == REFRAIN_ARRIVAL_FALSE || arrival == REFRAIN_ARRIVAL_DONE)
            unit->on[i] = unit->on[i - 2];
        if (unit->on[i])
            clear_flags(unit, i, REFRAIN_SLOT_OFF);
        else
            set_flags(unit, i, REFRAIN_SLOT_OFF);
    }
}

static bool is_on(const struct refrain_unit *unit, unsigned number) {
    return number < unit->n_slots ? unit->on[number] : unit->speakers[number - unit->n_slots].on;
}

static void switch_on(struct refrain_unit *unit, unsigned number) {
    if (number < unit->n_slots)
        unit->on[number] = 1;
    else
        refrain_speakers_switch_on(&unit->speakers[number - unit->n_slots]);
}

/* Sets all probes to their initial states, then follows the dependencies, also between units, until nothing changes: if
 * `from` is on, `to` is switched on. Meanwhile a probe of another thread may be off and does not run: its times are
 * less fine, nothing else is lost. */
static void switch_probes(void) {
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        for (unsigned i = 0; unit->base && i < unit->n_slots; i++)
            unit->on[i] = is_traced(unit) && unit->base[i];
        for (unsigned i = 0; i < unit->n_speakers; i++)
            unit->speakers[i].on = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (struct refrain_unit *unit = units; unit; unit = unit->next)
            for (unsigned long i = 0; is_traced(unit) && i < unit->n_dependencies; i++)
                if (is_on(unit, unit->dependencies[i].from) && !is_on(unit, unit->dependencies[i].to)) {
                    switch_on(unit, unit->dependencies[i].to);
                    changed = true;
                }
    }
    for (struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->base)
            switch_ways(unit);
    refrain_sites_place();
    n_unsettled = 0;
}

/* ---- probes that are throttled and come back ---- */

static bool is_first(const struct refrain_slot *slot) {
    unsigned arrival = REFRAIN_SLOT_KIND(slot->flags);
    return arrival == REFRAIN_ARRIVAL_ENTER || arrival == REFRAIN_ARRIVAL_AT || arrival == REFRAIN_ARRIVAL_DECISION ||
           arrival == REFRAIN_ARRIVAL_COUNT;
}

/* Changes the machine code of the sites of all unsettled slots. */
static void settle(void) {
    if (tables_generation == generation)
        refrain_sites_place_slots(unsettled, n_unsettled);
    else
        refrain_sites_place();
    n_unsettled = 0;
}

static void rest_slot(struct refrain_unit *unit, uint32_t slot, uint32_t flags) {
    const struct refrain_slot *slots = unit->slots;
    set_flags(unit, slot, REFRAIN_SLOT_OFF | REFRAIN_SLOT_THROTTLED_NOW | flags);
    unit->on[slot] = 0;
    if (n_unsettled == sizeof unsettled / sizeof *unsettled)
        settle();
    unsettled[n_unsettled++] = slots[slot].number;
}

/* Throttles the probe with this first slot. If the function is `open`, its exit stays on, so activations that were
 * entered are left. */
static void rest_probe(struct refrain_unit *unit, uint32_t first, bool open) {
    const struct refrain_slot *slots = unit->slots;
    if (!unit->on[first] || slots[first].flags & REFRAIN_SLOT_MPI_CALL)
        return;
    for (uint32_t i = first; i < unit->n_slots && (i == first || !is_first(&slots[i])); i++) {
        if (open && REFRAIN_SLOT_KIND(slots[i].flags) == REFRAIN_ARRIVAL_LEAVE)
            continue;
        rest_slot(unit, i, REFRAIN_SLOT_WAS_THROTTLED);
    }
    refrain_trace_file.header->n_throttled++;
}

static void rest_function(struct refrain_unit *unit, uint32_t first) {
    struct refrain_slot *slots = unit->slots;
    bool open = refrain_contexts_have_open(slots[first].number);
    for (size_t t = 0; t < threads_made; t++) {
        struct refrain_slot *whole = &slots[t * unit->n_slots + first + 1];
        if (whole->throttled_at == 0 && whole->count > 0)
            whole->throttled_at = whole->count > UINT32_MAX ? UINT32_MAX : (uint32_t)whole->count;
    }
    rest_probe(unit, first, open);
    if (open)
        return;
    if (!(slots[first + 1].flags &
          REFRAIN_SLOT_THROTTLED_NOW)) /* the last activation has been left since the probe was throttled */
        rest_slot(unit, first + 1, 0);
    for (uint32_t i = first + 2; i < unit->n_slots && REFRAIN_SLOT_KIND(slots[i].flags) != REFRAIN_ARRIVAL_ENTER; i++)
        if (is_first(&slots[i]))
            rest_probe(unit, i, false);
}

void refrain_units_settle(void) {
    if (n_unsettled == 0 || !try_lock())
        return;
    settle();
    drop_lock();
}

bool refrain_units_rest(uint32_t number) {
    if (!try_lock())
        return false;
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        struct refrain_slot *slots = unit->slots;
        if (!slots || !unit->base || number - slots[0].number >= unit->n_slots)
            continue;
        uint32_t i = number - slots[0].number;
        while (i > 0 && !is_first(&slots[i]))
            i--;
        if (slots[i].flags & REFRAIN_SLOT_FUNCTION)
            rest_function(unit, i);
        else
            rest_probe(unit, i, false);
        break;
    }
    drop_lock();
    return true;
}

bool refrain_units_wake(void) {
    if (!try_lock())
        return false;
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        const struct refrain_slot *slots = unit->slots;
        for (uint32_t i = 0; slots && i < unit->n_slots; i++)
            if (slots[i].flags & REFRAIN_SLOT_THROTTLED_NOW) {
                clear_flags(unit, i, REFRAIN_SLOT_OFF | REFRAIN_SLOT_THROTTLED_NOW);
                unit->on[i] = 1;
            }
    }
    refrain_trace_file.header->n_throttled = 0;
    refrain_sites_place();
    n_unsettled = 0;
    drop_lock();
    return true;
}

bool refrain_units_have_new_sites(void) {
    return __atomic_load_n(&tables_generation, __ATOMIC_RELAXED) != __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

void refrain_units_make_site_tables(void) {
    if (!try_lock())
        return;
    if (opened && tables_generation != generation) {
        if (refrain_site_tables_make(units) > 0)
            switch_probes();
        tables_generation = generation;
    }
    drop_lock();
}

/* True if another unit of the same executable or library is in the list. */
static bool shares_sites(const struct refrain_units *list) {
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        if (unit->sites == list->sites)
            return true;
    return false;
}

/* Registers units of another version. Their structures may differ, so they are not traced, and their probes are off. */
static void register_foreign(void) {
    take_lock();
    if (opened)
        refrain_lose(REFRAIN_LOSS_UNITS, 1);
    else
        n_foreign++;
    drop_lock();
}

static const char *tables_of(const struct refrain_unit_distances *at) {
    return (const char *)&at->tables + at->tables;
}

static struct refrain_unit *unit_of(const struct refrain_unit_distances *at) {
    return (struct refrain_unit *)((char *)(uintptr_t)&at->unit + at->unit);
}

static void unpack(const struct refrain_units *list) {
    for (const struct refrain_unit_distances *at = list->units; at < list->end; at++)
        refrain_unit_unpack(unit_of(at), tables_of(at));
    if (list->unit && list->tables)
        refrain_unit_unpack(list->unit, list->tables);
}

static void add(struct refrain_unit *unit, const struct refrain_units *list) {
    unit->sites = list->sites;
    unit->sites_end = list->sites_end;
    unit->next = units;
    units = unit;
    refrain_speakers_add(unit);
    if (opened)
        copy_unit(unit);
    else if (unit->base && !closed)
        memcpy(unit->on, unit->base, unit->n_slots); /* the first probe that runs opens the trace file */
}

static void drop(struct refrain_unit *unit) {
    for (struct refrain_unit **link = &units; *link; link = &(*link)->next)
        if (*link == unit) {
            *link = unit->next;
            refrain_speakers_drop(unit);
            break;
        }
}

void refrain_register(const struct refrain_units *list) {
    if (list->version != REFRAIN_UNIT_VERSION) {
        register_foreign();
        return;
    }
    unpack(list);
    struct refrain_sites sites;
    take_lock();
    bool sites_known = shares_sites(list);
    drop_lock();
    bool sites_found = !sites_known && refrain_sites_find(list, &sites);
    take_lock();
    for (const struct refrain_unit_distances *at = list->units; at < list->end; at++)
        add(unit_of(at), list);
    if (list->unit)
        add(list->unit, list);
    generation++;
    if (sites_found)
        refrain_sites_add(&sites);
    if (opened)
        switch_probes();
    else if (closed)
        refrain_sites_place();
    drop_lock();
}

void refrain_unregister(const struct refrain_units *list) {
    if (list->version != REFRAIN_UNIT_VERSION)
        return;
    take_lock();
    for (const struct refrain_unit_distances *at = list->units; at < list->end; at++)
        drop(unit_of(at));
    if (list->unit)
        drop(list->unit);
    generation++;
    if (!shares_sites(list)) {
        refrain_sites_drop(list->sites);
        refrain_site_tables_drop(list->sites);
    }
    drop_lock();
}

uint64_t refrain_units_open(void) {
    uint64_t missing = 0;
    take_lock();
    for (struct refrain_unit *unit = units; unit; unit = unit->next)
        missing += copy_unit(unit);
    refrain_lose(REFRAIN_LOSS_UNITS, n_foreign);
    opened = 1;
    missing += refrain_site_tables_make(units);
    tables_generation = generation;
    switch_probes();
    drop_lock();
    return missing;
}

void refrain_units_begin_thread(uint32_t thread) {
    take_lock();
    for (; threads_made <= thread; threads_made++)
        for (uint64_t at = refrain_trace_file.header->units; at;) {
            const struct refrain_unit_record *record = (const void *)(refrain_trace_file.base + at);
            make_slots_of(record, threads_made);
            at = record->next;
        }
    drop_lock();
}

uint64_t refrain_units_bytes(uint32_t threads) {
    uint64_t bytes = 0;
    take_lock();
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        bytes += round_up(unit_bytes(unit, threads));
    drop_lock();
    return bytes;
}

uint64_t refrain_units_site_tables_bytes(void) {
    take_lock();
    uint64_t bytes = refrain_site_tables_bytes(units);
    drop_lock();
    return bytes;
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

void refrain_units_called(struct refrain_called *called) {
    take_lock();
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        refrain_called_add(called, unit->strings, unit->strings_bytes);
    drop_lock();
}

/* True for functions that wait for requests or test them: every program with requests calls one. */
static bool is_about_requests(const char *name) {
    return strncmp(name, "MPI_Wait", 8) == 0 || strncmp(name, "MPI_Test", 8) == 0;
}

bool refrain_units_use_requests(void) {
    bool known = false, use = false;
    take_lock();
    for (const struct refrain_unit *unit = units; unit; unit = unit->next)
        for (unsigned i = 0; unit->slots && i < unit->n_nodes; i++)
            if (unit->nodes[i].kind == REFRAIN_MPI_CALL) {
                known = true;
                use |= is_about_requests(unit->strings + unit->nodes[i].name);
            }
    drop_lock();
    return use || !known;
}

void refrain_units_close(bool forked) {
    if (forked)
        __atomic_store_n(&lock, 0, __ATOMIC_RELAXED); /* the thread that held it does not exist in this process */
    take_lock();
    opened = 0;
    closed = 1;
    for (struct refrain_unit *unit = units; unit; unit = unit->next) {
        unit->slots = NULL;
        if (unit->base)
            memset(unit->on, 0, unit->n_slots);
    }
    refrain_sites_place();
    drop_lock();
}
