/* call_place.c: finds the call site of an MPI call, or makes it at its first call (call_place.h). */
#define _GNU_SOURCE
#include "call_place.h"
#include "address_entry.h"
#include "call_room.h"
#include "context.h"
#include "left_out.h"
#include "run/binary.h"
#include "run/configure.h"
#include "run/object_name.h"
#include "run/pool.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#define LINE_BITS 20u /* of the line of Python in a key */
#define MOST_LINE ((1 << LINE_BITS) - 1)
#define TEXT_BYTES 1024u /* size of the name of a Python function or file */

/* The call site of this function that the thread has met first. It stands for others without memory, since it has
 * guaranteed memory for counts by partner. Null if there is none. */
static struct refrain_call_site *call_site_of_function(const struct refrain_context *context, unsigned function) {
    struct refrain_call_site *call_site, *first = NULL;
    for (uint32_t r = (uint32_t)refrain_trace_file.header->call_sites; r; r = call_site->next) {
        call_site = refrain_at_reference(r);
        if (call_site->function == function && call_site->thread == context->number)
            first = call_site;
    }
    return first;
}

static struct refrain_call_place borrow(struct refrain_call_site *call_site) {
    if (call_site) {
        call_site->shared++;
        refrain_lose(REFRAIN_LOSS_CALL_SITES, 1);
    }
    return (struct refrain_call_place){call_site, NULL};
}

static struct refrain_call_place as_overflow_site(struct refrain_overflow_site *overflow) {
    overflow->calls++;
    return (struct refrain_call_place){refrain_at_reference(overflow->host_reference), overflow};
}

/* The call site of an entry that has none of its own, and that is no layer. */
static struct refrain_call_place place_of_other(const struct refrain_address_entry *entry) {
    void *record = refrain_at_reference(entry->reference);
    return entry->special == REFRAIN_ENTRY_OF_OVERFLOW_SITE ? as_overflow_site(record) : borrow(record);
}

/* Adds a record, which begins with the reference of the next one, to its list. */
static void put_in_list(uint32_t *next, void *record, uint64_t *list) {
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    do
        *next = (uint32_t)head;
    while (!__atomic_compare_exchange_n(list, &head, refrain_reference(record), false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* Takes the number of a new call site. False if there are too many. */
static bool take_number(uint32_t *number) {
    *number = __atomic_fetch_add(&refrain_trace_file.header->n_call_sites, 1, __ATOMIC_RELAXED);
    if (*number < REFRAIN_MOST_CALL_SITES)
        return true;
    __atomic_fetch_sub(&refrain_trace_file.header->n_call_sites, 1, __ATOMIC_RELAXED);
    return false;
}

/* The object to which a return address belongs, and the address in it. */
static void set_address(uintptr_t return_address, uint64_t *in_object, uint32_t *object) {
    struct refrain_loaded loaded;
    refrain_loaded_find(return_address, &loaded);
    *in_object = return_address - loaded.load_address;
    *object = refrain_binary_name(&loaded);
}

/* There is no memory for a call site of its own: makes an overflow site of the function's first call site. Without
 * memory for that, calls are recorded at the first call site. */
static void make_overflow_site(struct refrain_address_entry *entry, const struct refrain_slot *from, bool by_slot,
                               struct refrain_call_site *host, uintptr_t return_address) {
    struct refrain_overflow_site *overflow = refrain_call_room_overflow_site();
    entry->reference = refrain_reference(host);
    entry->special = REFRAIN_ENTRY_OF_OTHER;
    if (!overflow || !take_number(&overflow->number))
        return;
    overflow->host = (uint16_t)host->number;
    overflow->host_reference = refrain_reference(host);
    overflow->slot = from->number;
    if (!by_slot)
        set_address(return_address, &overflow->where, &overflow->object);
    put_in_list(&overflow->next, overflow, &refrain_trace_file.header->overflow_sites);
    entry->reference = refrain_reference(overflow);
    entry->special = REFRAIN_ENTRY_OF_OVERFLOW_SITE;
}

/* Makes the entry's call site. If it sets `special`, the returned call site is another one. */
static struct refrain_call_site *new_call_site(struct refrain_context *context, struct refrain_address_entry *entry,
                                               const struct refrain_slot *from, bool by_slot, unsigned function,
                                               uintptr_t return_address) {
    struct refrain_call_site *call_site = refrain_call_room_site(context, function);
    entry->function = function;
    if (!call_site && (call_site = call_site_of_function(context, function))) {
        make_overflow_site(entry, from, by_slot, call_site, return_address);
        return call_site;
    }
    if (!call_site || !take_number(&call_site->number))
        return NULL;
    call_site->function = function;
    call_site->slot = from->number;
    call_site->thread = context->number;
    call_site->inside.number = UINT32_MAX;
    if (!by_slot)
        set_address(return_address, &call_site->return_address, &call_site->object);
    put_in_list(&call_site->next, call_site, &refrain_trace_file.header->call_sites);
    entry->reference = refrain_reference(call_site);
    return call_site;
}

/* The thread's table is full: returns the function's first call site, which it makes if necessary. */
static struct refrain_call_place call_site_without_entry(struct refrain_context *context,
                                                         const struct refrain_slot *from, bool by_slot,
                                                         unsigned function, uintptr_t return_address) {
    struct refrain_call_site *call_site = call_site_of_function(context, function);
    struct refrain_address_entry none = {.key = 0};
    if (call_site)
        return borrow(call_site);
    return (struct refrain_call_place){new_call_site(context, &none, from, by_slot, function, return_address), NULL};
}

/* Finds the call site in the code that called a layer between the program and MPI. Each frame on the way has an entry.
 */
static struct refrain_call_place look_for_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                                    unsigned function, struct refrain_caller caller, bool *own);

/* The rule that leads out of a layer; 0: this is the program's own code. */
static uint64_t layer_rule(uintptr_t address) {
    struct refrain_caller_code code;
    refrain_caller_look(address, refrain_configuration.layers, &code);
    return code.owner == REFRAIN_OF_MPI || refrain_leaves_out_file(code.object.path) ? code.rule : 0;
}

static struct refrain_call_place special_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                                   const struct refrain_address_entry *entry, unsigned function,
                                                   struct refrain_caller caller) {
    if (entry->special == REFRAIN_ENTRY_OF_OTHER || entry->special == REFRAIN_ENTRY_OF_OVERFLOW_SITE)
        return place_of_other(entry);
    refrain_caller_step(&caller, entry->special);
    bool own;
    return look_for_call_site(context, from, function, caller, &own);
}

/* Finds the call site in the thread's table. `*own`: it was found, and is neither in a layer nor stands for others. */
static struct refrain_call_place look_for_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                                    unsigned function, struct refrain_caller caller, bool *own) {
    *own = false;
    bool by_slot = from->flags & REFRAIN_SLOT_MPI_CALL;
    uint64_t key = by_slot ? (uint64_t)from->number << 1 | 1 : (uint64_t)caller.address << 1;
    struct refrain_address_entry *entry = refrain_address_entry(context, key, function);
    if (__builtin_expect(entry == NULL, 0))
        return call_site_without_entry(context, from, by_slot, function, caller.address);
    if (__builtin_expect(entry->key == 0, 0)) {
        uint64_t rule = by_slot ? 0 : layer_rule(caller.address);
        struct refrain_call_site *call_site = NULL;
        entry->special = rule;
        entry->function = function;
        if (!rule)
            call_site = new_call_site(context, entry, from, by_slot, function, caller.address);
        if (rule || call_site)
            entry->key = key;
        if (entry->special)
            return special_call_site(context, from, entry, function, caller);
        return (struct refrain_call_place){call_site, NULL};
    }
    if (__builtin_expect(entry->special != 0, 0))
        return special_call_site(context, from, entry, function, caller);
    *own = true;
    return (struct refrain_call_place){refrain_at_reference(entry->reference), NULL};
}

struct refrain_slot *refrain_call_place_slot(const struct refrain_context *context, const void *stored) {
    const struct refrain_header *header = refrain_trace_file.header;
    const struct refrain_unit_record *unit;
    if (context->number == 0 && (uintptr_t)stored - (uintptr_t)context->trace_file < header->bytes)
        return (struct refrain_slot *)(uintptr_t)stored;
    for (uint64_t record = stored ? header->units : 0; record; record = unit->next) {
        unit = (const void *)(context->trace_file + record);
        uint64_t offset = (uintptr_t)stored - (uintptr_t)(context->trace_file + unit->slots);
        if (offset < unit->n_slots * sizeof(struct refrain_slot))
            return (struct refrain_slot *)(context->trace_file + unit->slots + offset) +
                   (size_t)context->number * unit->n_slots;
    }
    return NULL;
}

struct refrain_call_place refrain_call_place_look(struct refrain_context *context, unsigned function,
                                                  const void *stored, void *return_address, const void *frame_address) {
    struct refrain_caller caller = refrain_caller_of_wrapper(return_address, frame_address);
    struct refrain_slot *at = refrain_call_place_slot(context, stored);
    const void *known_from = at ? stored : context->top->last;
    if (at)
        refrain_probe_come(context, at, refrain_caller_frames(frame_address));
    const struct refrain_slot *from = context->top->last;
    bool own;
    struct refrain_call_place place = look_for_call_site(context, from, function, caller, &own);
    if (own)
        *refrain_known_call(context, known_from, caller.address) = (struct refrain_call_cache){
            .from = known_from,
            .address = caller.address,
            .call_site = place.call_site,
            .at = at,
            .function = function,
            .inside = at ? at->number - REFRAIN_SLOT_OF_FUNCTION(at->flags) : 0,
        };
    return place;
}

struct refrain_call_place refrain_call_place_python(struct refrain_context *context, const struct refrain_slot *from,
                                                    unsigned function, const struct refrain_python_frame *frame) {
    uint64_t line = frame->line < 1 ? 1 : frame->line > MOST_LINE ? MOST_LINE : (uint64_t)frame->line;
    uint64_t key = (uint64_t)(uintptr_t)frame->code >> 4 << LINE_BITS | line;
    struct refrain_address_entry *entry = refrain_address_entry(context, key, REFRAIN_ENTRY_OF_LINE + function);
    if (!entry)
        return call_site_without_entry(context, from, true, function, 0);
    if (entry->key && entry->special)
        return place_of_other(entry);
    if (entry->key)
        return (struct refrain_call_place){refrain_at_reference(entry->reference), NULL};
    entry->special = 0;
    struct refrain_call_site *call_site = new_call_site(context, entry, from, true, function, 0);
    entry->function = REFRAIN_ENTRY_OF_LINE + function;
    if (!call_site)
        return (struct refrain_call_place){NULL, NULL};
    entry->key = key;
    if (entry->special == REFRAIN_ENTRY_OF_OTHER)
        return place_of_other(entry);
    char file[TEXT_BYTES], name[TEXT_BYTES];
    refrain_python_describe(frame->code, file, name, sizeof file);
    uint32_t object = *file ? refrain_object_name(file) : 0, within = refrain_pool_name(name);
    if (entry->special) {
        struct refrain_overflow_site *overflow = refrain_at_reference(entry->reference);
        overflow->flags |= REFRAIN_OVERFLOW_PYTHON;
        overflow->where = line;
        overflow->object = object;
        overflow->within = within;
        return as_overflow_site(overflow);
    }
    call_site->line = (uint32_t)line;
    call_site->object = object;
    call_site->within = within;
    return (struct refrain_call_place){call_site, NULL};
}
