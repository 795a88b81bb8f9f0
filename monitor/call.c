/* call.c: MPI calls as the wrappers tell them (monitor.h): an activation of its own, in which operations follow. What
 * is not as expected comes here; the rest is told in call_usual.c. */
#define _GNU_SOURCE
#include "activation.h"
#include "address_entry.h"
#include "allowance.h"
#include "begin.h"
#include "binary.h"
#include "call_guest.h"
#include "call_other.h"
#include "call_path.h"
#include "call_room.h"
#include "call_round.h"
#include "configure.h"
#include "learn_by_key.h"
#include "learn_spare.h"
#include "left_out.h"
#include "object_name.h"
#include "pause.h"
#include "probe.h"
#include "python.h"
#include "sites/site_quiet.h"
#include "untold.h"
#include <refrain/settings.h>

#define LINE_BITS 20u /* of a line of Python in a key */
#define MOST_LINE ((1 << LINE_BITS) - 1)
#define TEXT_BYTES 1024u /* of the name of a Python function or file */

/* In the last resort, the call site that this thread has met first stands for others of its function, as it is sure of
 * room for counting by partner; null when there is none. */
static struct refrain_call_site *call_site_of_function(const struct refrain_context *context, unsigned function) {
    struct refrain_call_site *call_site, *first = NULL;
    for (uint32_t r = (uint32_t)refrain_trace_file.header->call_sites; r; r = call_site->next) {
        call_site = refrain_at_reference(r);
        if (call_site->function == function && call_site->thread == context->number)
            first = call_site;
    }
    return first;
}

/* Where an MPI call is told. */
struct call_place {
    struct refrain_call_site *call_site; /* null: nowhere */
    struct refrain_guest *guest;         /* of the call site, which the call is from; else null */
};

/* Of calls from guests: no operation is found there, so that all of them come here. */
static const struct refrain_call_site of_guests;

static struct call_place borrow(struct refrain_call_site *call_site) {
    if (call_site) {
        call_site->shared++;
        refrain_lose(REFRAIN_LOSS_CALL_SITES, 1);
    }
    return (struct call_place){call_site, NULL};
}

static struct call_place as_guest(struct refrain_guest *guest) {
    guest->calls++;
    return (struct call_place){refrain_at_reference(guest->host_reference), guest};
}

/* What has an entry that is not a call site of its own, nor a layer's. */
static struct call_place place_of_other(const struct refrain_address_entry *entry) {
    void *record = refrain_at_reference(entry->reference);
    return entry->special == REFRAIN_ENTRY_OF_GUEST ? as_guest(record) : borrow(record);
}

/* Puts a record, which begins with the reference of the next one, into its list. */
static void put_in_list(uint32_t *next, void *record, uint64_t *list) {
    uint64_t head = __atomic_load_n(list, __ATOMIC_RELAXED);
    do
        *next = (uint32_t)head;
    while (!__atomic_compare_exchange_n(list, &head, refrain_reference(record), false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* The number of a new call site. False: there are too many. */
static bool take_number(uint32_t *number) {
    *number = __atomic_fetch_add(&refrain_trace_file.header->n_call_sites, 1, __ATOMIC_RELAXED);
    if (*number < REFRAIN_MOST_CALL_SITES)
        return true;
    __atomic_fetch_sub(&refrain_trace_file.header->n_call_sites, 1, __ATOMIC_RELAXED);
    return false;
}

/* The object that a call returns to, and where in it. */
static void tell_address(uintptr_t return_address, uint64_t *in_object, uint32_t *object) {
    struct refrain_loaded loaded;
    refrain_loaded_find(return_address, &loaded);
    *in_object = return_address - loaded.load_address;
    *object = refrain_binary_name(&loaded);
}

/* There is no room for a call site of its own: a guest of its function's first one or, in the last resort, that. */
static void make_guest(struct refrain_address_entry *entry, const struct refrain_slot *from, bool by_slot,
                       struct refrain_call_site *host, uintptr_t return_address) {
    struct refrain_guest *guest = refrain_call_room_guest();
    entry->reference = refrain_reference(host);
    entry->special = REFRAIN_ENTRY_OF_OTHER;
    if (!guest || !take_number(&guest->number))
        return;
    guest->host = (uint16_t)host->number;
    guest->host_reference = refrain_reference(host);
    guest->slot = from->number;
    if (!by_slot)
        tell_address(return_address, &guest->where, &guest->object);
    put_in_list(&guest->next, guest, &refrain_trace_file.header->guests);
    entry->reference = refrain_reference(guest);
    entry->special = REFRAIN_ENTRY_OF_GUEST;
}

/* Makes the entry's call site; where its `special` is set, what is returned is that of others. */
static struct refrain_call_site *new_call_site(struct refrain_context *context, struct refrain_address_entry *entry,
                                               const struct refrain_slot *from, bool by_slot, unsigned function,
                                               uintptr_t return_address) {
    struct refrain_call_site *call_site = refrain_call_room_site(context, function);
    entry->function = function;
    if (!call_site && (call_site = call_site_of_function(context, function))) {
        make_guest(entry, from, by_slot, call_site, return_address);
        return call_site;
    }
    if (!call_site || !take_number(&call_site->number))
        return NULL;
    call_site->function = function;
    call_site->slot = from->number;
    call_site->thread = context->number;
    call_site->inside.number = UINT32_MAX;
    if (!by_slot)
        tell_address(return_address, &call_site->return_address, &call_site->object);
    put_in_list(&call_site->next, call_site, &refrain_trace_file.header->call_sites);
    entry->reference = refrain_reference(call_site);
    return call_site;
}

/* Where the thread's table is full: the function's call site, made if this is the function's first call. */
static struct call_place call_site_without_entry(struct refrain_context *context, const struct refrain_slot *from,
                                                 bool by_slot, unsigned function, uintptr_t return_address) {
    struct refrain_call_site *call_site = call_site_of_function(context, function);
    struct refrain_address_entry none = {.key = 0};
    if (call_site)
        return borrow(call_site);
    return (struct call_place){new_call_site(context, &none, from, by_slot, function, return_address), NULL};
}

/* The call site of what called a layer between the program and MPI; its entry is made or found for each frame on the
 * way. */
static struct call_place look_for_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                            unsigned function, struct refrain_caller caller, bool *own);

/* The way out of a layer; 0: this is the program's own code. */
static uint64_t layer_rule(uintptr_t address) {
    struct refrain_caller_code code;
    refrain_caller_look(address, refrain_configuration.layers, &code);
    return code.is_layer || refrain_leaves_out_file(code.object.path) ? code.rule : 0;
}

static struct call_place special_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                           const struct refrain_address_entry *entry, unsigned function,
                                           struct refrain_caller caller) {
    if (entry->special == REFRAIN_ENTRY_OF_OTHER || entry->special == REFRAIN_ENTRY_OF_GUEST)
        return place_of_other(entry);
    refrain_caller_step(&caller, entry->special);
    bool own;
    return look_for_call_site(context, from, function, caller, &own);
}

/* The thread's table. `*own`: the call site has been met before, and is neither a layer's nor stands for others. */
static struct call_place look_for_call_site(struct refrain_context *context, const struct refrain_slot *from,
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
        return (struct call_place){call_site, NULL};
    }
    if (__builtin_expect(entry->special != 0, 0))
        return special_call_site(context, from, entry, function, caller);
    *own = true;
    return (struct call_place){refrain_at_reference(entry->reference), NULL};
}

/* Where the probe before a call is quiet, its place is that of the address which the call returns to: the activation
 * comes there now. False: what was found is not to be remembered. */
static bool come_to_place(struct refrain_context *context, uintptr_t address, uintptr_t stack_pointer) {
    struct refrain_slot *from = context->top->last;
    if (!context->learning || context->path)
        return true;
    if (from->flags & REFRAIN_SLOT_MPI_CALL)
        return refrain_quiet_told(context->latest_site, from, address);
    bool sure;
    const struct refrain_entry *top = context->top;
    struct refrain_slot *at = refrain_quiet_slot(context, address, &sure);
    if (at)
        refrain_probe_come(context, at, stack_pointer);
    return sure && context->top == top;
}

/* The first look. A call site that has been met before is remembered, with where it was met. */
static __attribute__((noinline)) struct call_place first_look(struct refrain_context *context, unsigned function,
                                                              void *return_address, const void *frame_address) {
    struct refrain_caller caller = refrain_caller_of_wrapper(return_address, frame_address);
    const struct refrain_slot *from = context->top->last;
    bool lasts = come_to_place(context, caller.address, caller.stack_pointer), own;
    struct refrain_slot *at = context->top->last;
    struct call_place place = look_for_call_site(context, at, function, caller, &own);
    if (lasts && own) {
        struct refrain_call_cache *known = refrain_known_call(context, from, caller.address);
        if (known->round)
            refrain_round_tell(known->round);
        *known = (struct refrain_call_cache){
            .from = from,
            .address = caller.address,
            .at = at,
            .call_site = place.call_site,
            .operation = place.call_site->operations ? refrain_at_reference(place.call_site->operations) : NULL,
            .function = (uint16_t)function,
            .number = place.call_site->number,
        };
    }
    return place;
}

/* The call site: by the slot where the source says what is called, else by the return address. */
static struct call_place find_call_site(struct refrain_context *context, unsigned function, void *return_address,
                                        const void *frame_address) {
    struct refrain_entry *caller = context->top;
    const struct refrain_call_cache *known = refrain_known_call(context, caller->last, (uintptr_t)return_address);
    if (!refrain_call_is_known(known, caller->last, (uintptr_t)return_address, function))
        return first_look(context, function, return_address, frame_address);
    if (known->at != caller->last) {
        refrain_step(context, caller, known->at->number);
        caller->last = known->at;
    }
    return (struct call_place){known->call_site, NULL};
}

/* The call site in a line of Python, whose interpreter is locked. */
static struct call_place python_call_site(struct refrain_context *context, const struct refrain_slot *from,
                                          unsigned function, const struct refrain_python_frame *frame) {
    uint64_t line = frame->line < 1 ? 1 : frame->line > MOST_LINE ? MOST_LINE : (uint64_t)frame->line;
    uint64_t key = (uint64_t)(uintptr_t)frame->code >> 4 << LINE_BITS | line;
    struct refrain_address_entry *entry = refrain_address_entry(context, key, REFRAIN_ENTRY_OF_LINE + function);
    if (!entry)
        return call_site_without_entry(context, from, true, function, 0);
    if (entry->key && entry->special)
        return place_of_other(entry);
    if (entry->key)
        return (struct call_place){refrain_at_reference(entry->reference), NULL};
    entry->special = 0;
    struct refrain_call_site *call_site = new_call_site(context, entry, from, true, function, 0);
    entry->function = REFRAIN_ENTRY_OF_LINE + function;
    if (!call_site)
        return (struct call_place){NULL, NULL};
    entry->key = key;
    if (entry->special == REFRAIN_ENTRY_OF_OTHER)
        return place_of_other(entry);
    char file[TEXT_BYTES], name[TEXT_BYTES];
    refrain_python_describe(frame->code, file, name, sizeof file);
    uint32_t object = *file ? refrain_object_name(file) : 0, within = refrain_pool_name(name);
    if (entry->special) {
        struct refrain_guest *guest = refrain_at_reference(entry->reference);
        guest->flags |= REFRAIN_GUEST_PYTHON;
        guest->where = line;
        guest->object = object;
        guest->within = within;
        return as_guest(guest);
    }
    call_site->line = (uint32_t)line;
    call_site->object = object;
    call_site->within = within;
    return (struct call_place){call_site, NULL};
}

/* The thread is inside the probe, and the innermost activation is the one that the call is made from. `python`: the
 * functions of Python that are open, null where there are none or they are not looked at. */
static void begin_call(struct refrain_call *call, struct refrain_context *context, unsigned function,
                       void *return_address, const void *frame_address, const struct refrain_python_stack *python) {
    call->context = context;
    if (--context->calls_left <= 0) {
        context->calls_left = REFRAIN_CLOCK_REFRESH_CALLS;
        refrain_trace_file_refresh_clock();
        refrain_allowance_look(context);
        refrain_quiet_settle();
    }
    struct call_place place = python ? python_call_site(context, context->top->last, function, &python->frames[0])
                                     : find_call_site(context, function, return_address, frame_address);
    struct refrain_call_site *call_site = place.call_site;
    uint32_t number = place.guest ? place.guest->number : call_site ? call_site->number : 0;
    struct refrain_entry *caller = context->top;
    if (!call_site)
        refrain_lose(REFRAIN_LOSS_CALLS, 1);
    struct refrain_entry *entry =
        call_site ? refrain_push(context, &call_site->inside, (uintptr_t)frame_address, REFRAIN_ENTRY_CALL, number)
                  : NULL;
    if (entry) {
        call->entry = entry;
        call->call_site = place.guest ? (struct refrain_call_site *)&of_guests : call_site;
        call->guest = place.guest;
        call->operation = NULL;
        call->end_ticks = 0;
        refrain_step(context, caller, REFRAIN_NEXT_CALL + number);
        call->begin_ticks = refrain_close_block(context, caller->last);
        refrain_now_calls(context->thread, number);
        refrain_event(context, REFRAIN_RECORD_CALL_ENTER, call->begin_ticks, entry->id);
    } else {
        call->context = NULL;
    }
    refrain_end(context);
}

/* Where anything is not as usual: the thread may have no context yet, be inside a probe or paused, tell call paths or
 * the functions of Python, or calls may be left out. */
static void begin_unusual_call(struct refrain_call *call, unsigned function, void *return_address,
                               void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (!context) {
        /* A library's constructor may call MPI before that of the MPI part has run. */
        refrain_mpi_linked = 1;
        context = refrain_context();
    }
    call->context = context;
    if (context && refrain_trace_file.header && refrain_pause_call(context, frame_address))
        return;
    if (context && context->filtered && refrain_leaves_out_call(function)) {
        context->thread->left_out_calls++;
        return;
    }
    /* Once the look is over nothing of Python runs until it is told. */
    struct refrain_python_stack stack;
    bool found = context && context->python && !context->busy &&
                 refrain_python_begin(&stack, refrain_configuration.path_depth ? refrain_configuration.path_depth : 1);
    context = refrain_begin();
    call->context = context;
    if (context) {
        if (context->path)
            refrain_path_come(context, refrain_caller_of_wrapper(return_address, frame_address),
                              refrain_caller_frames(frame_address), found ? &stack : NULL);
        else
            refrain_drop_above_caller(context, frame_address);
        if (context->filtered)
            refrain_untold_tell(context);
        begin_call(call, context, function, return_address, frame_address, found ? &stack : NULL);
    }
    if (found)
        refrain_python_end(&stack);
}

void refrain_call_begin_other(struct refrain_call *call, unsigned function, void *return_address, void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    call->entry = NULL;
    call->known = NULL;
    if (__builtin_expect(!context || context->busy || context->path || context->python || context->filtered ||
                             refrain_trace_file.header->pause,
                         0)) {
        begin_unusual_call(call, function, return_address, frame_address);
        return;
    }
    context->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    refrain_drop_above_caller(context, frame_address);
    begin_call(call, context, function, return_address, frame_address, NULL);
}

/* The call is still the thread's innermost activation, once what was abandoned above it is ended. */
static bool resume(const struct refrain_call *call) {
    if (!call->entry)
        return false;
    struct refrain_context *context = refrain_begin();
    if (!context)
        return false;
    if (call->entry > context->top) {
        refrain_end(context);
        return false;
    }
    if (call->entry != context->top)
        refrain_unwind(context, call->entry);
    return true;
}

void *refrain_pool_take_for_open(size_t bytes) {
    void *room = refrain_pool_take(bytes, REFRAIN_POOL_CONTROL);
    if (!room && refrain_pool_take_kept(&refrain_trace_file.kept_for_open, bytes))
        room = refrain_pool_take(bytes, REFRAIN_POOL_OPEN);
    struct refrain_context *context = room ? NULL : refrain_begin();
    if (!context)
        return room;
    room = refrain_spare_take_bytes(context, bytes, 0, 0, &bytes);
    refrain_end(context);
    return room;
}

static void close_call(struct refrain_call *call) {
    if (!call->end_ticks)
        call->end_ticks = refrain_close_block(call->context, call->entry->last);
}

void refrain_call_returned_other(struct refrain_call *call) {
    if (!resume(call))
        return;
    close_call(call);
    refrain_end(call->context);
}

static struct refrain_guest *guest_of(const struct refrain_call *call) {
    return call->call_site == &of_guests ? call->guest : NULL;
}

/* The record of an operation at the call site, made on first use. Null when the pool is spent (call_room.h). */
static struct refrain_operation_record *operation_record(struct refrain_call *call, enum refrain_operation operation) {
    const struct refrain_guest *guest = guest_of(call);
    struct refrain_call_site *call_site = guest ? refrain_at_reference(guest->host_reference) : call->call_site;
    struct refrain_operation_record *record = refrain_operation_find(call_site, operation);
    if (record)
        return record;
    record = refrain_call_room_operation(call->context, call_site);
    if (!record)
        return NULL;
    record->operation = operation;
    record->after_return = call->end_ticks != 0;
    record->after.number = UINT32_MAX;
    uint32_t *link = &call_site->operations;
    while (*link)
        link = &((struct refrain_operation_record *)refrain_at_reference(*link))->next;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *link = refrain_reference(record);
    return record;
}

/* What an operation's parameters mean where they are only counted: amounts are dropped first, then tags, communicators
 * last. Which request it was does not count, but where one begins: its partner follows from that. */
#define MESSAGE                                                                                                        \
    { 4, 1 << 2, {1 << 2, 1 << 1}, REFRAIN_ROW_COMMUNICATOR }
#define COLLECTION                                                                                                     \
    { 4, 1 << 1 | 1 << 2, {1 << 1 | 1 << 2, 0}, REFRAIN_ROW_COMMUNICATOR }
#define REQUEST                                                                                                        \
    { 1, 0, {1, 0}, 0 }
const struct refrain_row refrain_operation_rows[REFRAIN_OPERATIONS] = {
    [REFRAIN_OP_SEND] = MESSAGE,
    [REFRAIN_OP_RECV] = MESSAGE,
    [REFRAIN_OP_ISEND] = MESSAGE,
    [REFRAIN_OP_SEND_INIT] = MESSAGE,
    [REFRAIN_OP_IRECV] = {.width = 1},
    [REFRAIN_OP_RECV_INIT] = {.width = 1},
    [REFRAIN_OP_START] = {.width = 1},
    [REFRAIN_OP_COMPLETE] = REQUEST,
    [REFRAIN_OP_CANCELLED] = REQUEST,
    [REFRAIN_OP_FREE] = REQUEST,
    [REFRAIN_OP_COLLECTIVE] = COLLECTION,
    [REFRAIN_OP_ICOLLECTIVE] = COLLECTION,
    [REFRAIN_OP_COLLECTIVE_INIT] = COLLECTION,
    [REFRAIN_OP_RMA] = {3, 1 << 1, {1 << 1, 0}, 1 << 2},
    [REFRAIN_OP_IO] = {2, 1, {1, 0}, 0},
    [REFRAIN_OP_COMPLETE_RUN] = {2, 1 << 1, {1, 1 << 1}, 0},
    [REFRAIN_OP_COMPLETE_OTHER] = {.width = 2},
    [REFRAIN_OP_RMA_REQUEST] = {3, 1 << 1, {1 << 1, 0}, 1 << 2},
    [REFRAIN_OP_IO_REQUEST] = {2, 1, {1, 0}, 0},
    [REFRAIN_OP_WINDOW] = {.width = 3},
    [REFRAIN_OP_FILE] = {.width = 2},
    [REFRAIN_OP_MOVED] = {2, 1, {1, 0}, 0},
    [REFRAIN_OP_SEEK] = {4, 1 << 1 | 1 << 2, {1 << 1 | 1 << 2, 0}, 0},
};
static const struct refrain_row received = MESSAGE;
static const struct refrain_row moved = {1, 1, {1, 0}, 0};

/* The operation's record after the activation has moved to it. */
static inline struct refrain_operation_record *tell(struct refrain_call *call, enum refrain_operation operation) {
    struct refrain_operation_record *record = operation_record(call, operation);
    if (!record) {
        refrain_lose(REFRAIN_LOSS_CALLS, 1);
        return NULL;
    }
    refrain_step(call->context, call->entry, REFRAIN_NEXT_OPERATION + (int64_t)operation);
    call->entry->last = &record->after;
    return record;
}

static void record_operation(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters,
                             unsigned n) {
    if (call->context->events)
        refrain_events_write(call->context, REFRAIN_RECORD_OPERATION,
                             call->end_ticks ? call->end_ticks : call->begin_ticks, call->entry->id, operation,
                             parameters, n);
}

struct refrain_operation_record *refrain_call_operation_rest(struct refrain_call *call,
                                                             struct refrain_operation_record *record,
                                                             const int64_t *parameters, unsigned n, unsigned from) {
    const struct refrain_row *row = &refrain_operation_rows[record->operation];
    struct refrain_learner *learners = refrain_operation_learners(record);
    refrain_learn_parameters_from(call->context, learners, parameters, row, from);
    record_operation(call, (enum refrain_operation)record->operation, parameters, n);
    refrain_end(call->context);
    return record;
}

struct refrain_operation_record *refrain_call_operation_other(struct refrain_call *call,
                                                              enum refrain_operation operation,
                                                              const int64_t *parameters, unsigned n) {
    if (!resume(call))
        return NULL;
    struct refrain_operation_record *record = tell(call, operation);
    struct refrain_guest *guest = guest_of(call);
    bool counted = record && guest && refrain_guest_count(guest, operation, parameters);
    if (record && call->context->learning && !counted)
        return refrain_call_operation_rest(call, record, parameters, n, 0);
    if (record)
        record_operation(call, operation, parameters, n);
    refrain_end(call->context);
    return record;
}

/* The communicator was learned when the receive was posted. Rows that are counted have it, too, since it says whose the
 * source is. Where it is only counted itself, replay may take the receive for one of another. */
static void learn_received(struct refrain_context *context, struct refrain_operation_record *posted,
                           const struct refrain_completion *completion) {
    int64_t values[] = {completion->source, completion->tag, completion->bytes, completion->comm};
    if (refrain_operation_learners(posted)->state == REFRAIN_SUMMARY)
        refrain_lose(REFRAIN_LOSS_COUNTS, 1);
    refrain_learn_some_parameters(context, posted->parameter, values, &received, 0, REFRAIN_PARAMETERS - 1);
}

void refrain_learn_completion(struct refrain_context *context, const struct refrain_completion *completion) {
    struct refrain_operation_record *posted = completion->posted;
    if (!posted)
        return;
    if (__builtin_expect(posted->operation == REFRAIN_OP_IO_REQUEST, 0))
        refrain_learn_parameters(context, &posted->parameter[REFRAIN_PARAMETER_MOVED], &completion->bytes, &moved);
    else
        learn_received(context, posted, completion);
}

static void record_completion(struct refrain_call *call, int64_t request, const struct refrain_completion *completion) {
    const struct refrain_operation_record *posted = completion->posted;
    if (posted && posted->operation == REFRAIN_OP_IO_REQUEST)
        record_operation(call, REFRAIN_OP_COMPLETE, (int64_t[]){request, completion->bytes}, 2);
    else
        record_operation(call, REFRAIN_OP_COMPLETE,
                         (int64_t[]){request, completion->source, completion->tag, completion->bytes}, posted ? 4 : 1);
}

void refrain_call_record_completions(struct refrain_call *call, uint32_t request,
                                     const struct refrain_completion *completions, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        record_completion(call, request + i, &completions[i]);
}

/* The call has returned, and its requests have completed; in the probe. */
static struct refrain_operation_record *begin_completion(struct refrain_call *call, const int64_t *parameters) {
    enum refrain_operation operation = parameters[1] == 1 ? REFRAIN_OP_COMPLETE : REFRAIN_OP_COMPLETE_RUN;
    const struct refrain_row *row = &refrain_operation_rows[operation];
    if (!resume(call))
        return NULL;
    close_call(call);
    struct refrain_operation_record *record = tell(call, operation);
    if (!record)
        refrain_end(call->context);
    else if (call->context->learning)
        refrain_learn_parameters(call->context, record->parameter, parameters, row);
    return record;
}

bool refrain_call_complete_other(struct refrain_call *call, uint32_t request,
                                 const struct refrain_completion *completions, unsigned n) {
    if (!begin_completion(call, (int64_t[]){request, n}))
        return false;
    struct refrain_context *context = call->context;
    for (unsigned i = 0; context->learning && i < n; i++)
        refrain_learn_completion(context, &completions[i]);
    if (context->events)
        refrain_call_record_completions(call, request, completions, n);
    refrain_end(context);
    return true;
}

void refrain_call_end_other(struct refrain_call *call) {
    if (!resume(call))
        return;
    struct refrain_context *context = call->context;
    close_call(call);
    refrain_step(context, call->entry, REFRAIN_NEXT_EXIT);
    refrain_event(context, REFRAIN_RECORD_CALL_LEAVE, call->end_ticks, call->entry->id);
    context->top = call->entry - 1;
    context->thread->now.inside = context->top->kind == REFRAIN_ENTRY_CALL;
    refrain_returned(context->top);
    refrain_end(context);
}
