/* thread_calls.c: records calls of the thread library as user regions, one for each function and object
 * (monitor/thread_calls.h). */
#define _GNU_SOURCE
#include "thread_calls.h"
#include "activation.h"
#include "address_entry.h"
#include "arch/caller.h"
#include "begin.h"
#include "call_path.h"
#include "context.h"
#include "pause.h"
#include "run/binary.h"
#include "run/configure.h"
#include "run/pool.h"
#include "run/region_list.h"
#include "user.h"
#include <refrain/thread_calls.h>
#include <refrain/trace.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/* ---- numbers of mutexes, conditions, barriers and locks ---- */

#define MOST_OBJECTS 64u
static const void *objects[MOST_OBJECTS]; /* by number - 1; an entry is set once, the first free one next */
#define GUESSES 256u
static uint8_t guesses[GUESSES];    /* by a hash of the address: the latest number - 1. Any value is valid. */
static const void *beyond[GUESSES]; /* by the same hash: the latest object that is not in the full table */

static uint32_t look_for_number(const void *object) {
    for (uint32_t i = 0; i < MOST_OBJECTS; i++) {
        const void *known = __atomic_load_n(&objects[i], __ATOMIC_RELAXED);
        if (known == object || (!known && (__atomic_compare_exchange_n(&objects[i], &known, object, false,
                                                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
                                           known == object)))
            return i + 1;
    }
    return 0;
}

/* ---- places ---- */

/* Kind of an entry in the thread's table of addresses. The reference is 0 for calls that are not the program's. */
#define ENTRY_OF_CONSTRUCT ((uint32_t)1 << 29)
#define ENTRY_OF_BLOCK 128u
#define ENTRY_OF_OBJECT                                                                                                \
    256u /* the kind has the class, whether it is a block, and, above these, the numbers of the object and of its      \
            mutex */
#define ENTRY_OF_MUTEX (128u * ENTRY_OF_OBJECT)
/* Kind of the entry that says whether a place is in the program's code: `special` is 1. */
#define ENTRY_OF_PLACE (ENTRY_OF_CONSTRUCT + ENTRY_OF_OBJECT - 1u)

/* Takes the loader's lock only if the C library offers no other way: a thread that has the loader's lock may wait for a
 * lock that this thread holds. */
static void look(uintptr_t return_address, struct refrain_caller_code *code) {
    refrain_caller_look_at_once(return_address - 1, refrain_configuration.layers, code);
    if (!code->object.segments)
        refrain_caller_look(return_address, refrain_configuration.layers, code);
}

/* True if the place is in code of the program; the thread's table of addresses keeps the answer. True if the table is
 * full. */
static bool is_place_of_program(struct refrain_context *context, uintptr_t return_address) {
    struct refrain_address_entry *entry = refrain_address_entry(context, return_address, ENTRY_OF_PLACE);
    if (entry && !entry->key) {
        struct refrain_caller_code code;
        look(return_address, &code);
        entry->key = return_address;
        entry->function = ENTRY_OF_PLACE;
        entry->special = code.owner == REFRAIN_OF_PROGRAM;
        entry->reference = 0;
    }
    return !entry || entry->special;
}

/* The number of the object, from 1 on; 0: none, or beyond the table. An object gets its number when the program first
 * uses it: libraries below MPI use locks from threads of their own. */
static uint32_t number_of(struct refrain_context *context, const void *object, uintptr_t return_address) {
    unsigned hash = (unsigned)((uintptr_t)object / 4 * 0x9e3779b97f4a7c15u >> 56);
    uint8_t guess = __atomic_load_n(&guesses[hash], __ATOMIC_RELAXED);
    if (!object || __builtin_expect(__atomic_load_n(&objects[guess], __ATOMIC_RELAXED) == object, 1))
        return object ? guess + 1u : 0;
    if (__atomic_load_n(&beyond[hash], __ATOMIC_RELAXED) == object || !is_place_of_program(context, return_address))
        return 0;
    uint32_t number = look_for_number(object);
    if (number)
        __atomic_store_n(&guesses[hash], (uint8_t)(number - 1), __ATOMIC_RELAXED);
    else
        __atomic_store_n(&beyond[hash], object, __ATOMIC_RELAXED);
    return number;
}

/* Kind and object of a call. */
struct call {
    enum refrain_construct_class class;
    bool block;
    uint32_t number, mutex; /* numbers of the object and of the condition's mutex; 0: none */
};

static char *append_number(char *end, char before, uint32_t number) {
    *end++ = before;
    if (number >= 10)
        *end++ = (char)('0' + number / 10);
    *end++ = (char)('0' + number % 10);
    return end;
}
_Static_assert(MOST_OBJECTS < 100, "append_number() writes two digits");

static uint32_t name_of(const struct call *call) {
    char text[64];
    strcpy(text, refrain_construct_is_pthread(call->class) ? REFRAIN_PTHREAD_PREFIX : REFRAIN_OPENMP_PREFIX);
    strcat(text, refrain_construct_word(call->class));
    if (call->number) {
        char *end = append_number(text + strlen(text), '(', call->number);
        if (call->mutex)
            end = append_number(end, ',', call->mutex);
        strcpy(end, ")");
    }
    if (call->block)
        strcat(text, " " REFRAIN_CONSTRUCT_BLOCK);
    return refrain_pool_name(text);
}

/* The thread's record of calls of this class from this place. Null if they are not the program's, or without memory.
 * Sets the owner of the place. */
static __attribute__((noinline)) struct refrain_region_name *make_record(const struct refrain_context *context,
                                                                         const struct call *call,
                                                                         uintptr_t return_address,
                                                                         enum refrain_loaded_owner *owner) {
    struct refrain_caller_code code;
    look(return_address, &code);
    *owner = code.owner;
    if (code.owner != REFRAIN_OF_PROGRAM)
        return NULL;
    uint32_t name = name_of(call), object = refrain_binary_name(&code.object);
    struct refrain_region_name *record =
        name && object ? refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET) : NULL;
    if (!record) {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
        return NULL;
    }
    record->name = name;
    record->thread = context->number;
    record->use = REFRAIN_USE_REGION;
    record->address = return_address - code.object.load_address;
    record->object = object;
    record->inside.number = UINT32_MAX;
    refrain_region_add(record);
    return record;
}

/* The return address of the call of an OpenMP runtime that called the function with this frame. Null if it is unknown.
 * libomp names an address in itself now and then: one that another of its functions has left behind. */
static void *out_of_runtime(const void *frame_address) {
    const uintptr_t *frame = frame_address;
    struct refrain_caller caller = refrain_caller_of_wrapper((const void *)frame[1], frame);
    for (unsigned depth = 0; depth < 8; depth++) {
        struct refrain_caller_code code;
        look(caller.address, &code);
        if (code.owner != REFRAIN_OF_RUNTIME)
            return (void *)caller.address;
        if (!code.rule)
            return NULL;
        refrain_caller_step(&caller, code.rule);
    }
    return NULL;
}

static struct refrain_region_name *record_of(struct refrain_context *context, const struct refrain_thread_call *made) {
    uintptr_t return_address = (uintptr_t)made->return_address;
    struct call call = {
        .class = made->class, .block = made->block, .number = number_of(context, made->object, return_address)};
    if (call.number)
        call.mutex = number_of(context, made->mutex, return_address);
    uint32_t kind = ENTRY_OF_CONSTRUCT + call.mutex * ENTRY_OF_MUTEX + call.number * ENTRY_OF_OBJECT +
                    call.block * ENTRY_OF_BLOCK + call.class;
    struct refrain_address_entry *entry = refrain_address_entry(context, return_address, kind);
    if (!entry) {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
        return NULL;
    }
    if (!entry->key) {
        enum refrain_loaded_owner owner;
        const struct refrain_region_name *record = make_record(context, &call, return_address, &owner);
        entry->key = return_address;
        entry->function = kind;
        entry->special = owner == REFRAIN_OF_RUNTIME && !refrain_construct_is_pthread(call.class);
        entry->reference = record ? refrain_reference(record) : 0;
    }
    if (entry->reference)
        return refrain_at_reference(entry->reference);
    if (!entry->special)
        return NULL;
    struct refrain_thread_call again = *made;
    again.return_address = out_of_runtime(made->frame_address);
    return again.return_address ? record_of(context, &again) : NULL;
}

/* ---- calls ---- */

/* The context of the thread, if a trace is open and the thread is not in a call of MPI, whose layers make calls of
 * their own. */
static struct refrain_context *outside_of_mpi(void) {
    struct refrain_context *context = refrain_thread_context;
    if (!refrain_trace_file.header || refrain_trace_file.header->finished != REFRAIN_UNFINISHED)
        return NULL;
    if (!context)
        context = refrain_context();
    if (!context || (context->busy & 1)) /* also that of a thread beyond the limit, which has no entries */
        return NULL;
    return context->top->kind != REFRAIN_ENTRY_CALL ? context : NULL;
}

/* True if the thread is paused. A pool's thread may make no call of MPI, so it follows pauses here, too. */
static bool is_paused(struct refrain_context *context, const void *frame_address) {
    if (context->thread && (refrain_trace_file.header->pause | context->thread->paused))
        refrain_pause_follow(context, frame_address);
    return context->busy == REFRAIN_PAUSED;
}

/* Address of the activation: the frame of the wrapper, which stays until the call returns. A construct lies in the
 * frame of the activation around it, as regions of the program do: the runtime has returned before its code goes on. */
static uintptr_t address_of(const struct refrain_context *context, const struct refrain_thread_call *call) {
    return refrain_construct_is_pthread(call->class) ? (uintptr_t)call->frame_address : context->top->address;
}

/* Records the number of the thread that the call creates, is, or has waited for. */
static void record_thread(struct refrain_context *context, uint32_t number) {
    struct refrain_region_name *record =
        number ? refrain_user_record(context, REFRAIN_PTHREAD_NUMBER, REFRAIN_USE_COUNTER) : NULL;
    if (record)
        refrain_user_record_value(context, record, number, true);
    else if (number)
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
}

static void *begin_call(const struct refrain_thread_call *call) {
    struct refrain_entry *entry = NULL;
    struct refrain_context *context = outside_of_mpi();
    if (!context || is_paused(context, call->frame_address) || !refrain_begin())
        return NULL;
    struct refrain_region_name *record = record_of(context, call);
    if (record) {
        if (context->path && refrain_construct_is_pthread(call->class) && call->class != REFRAIN_CONSTRUCT_THREAD)
            refrain_path_come(context, refrain_caller_of_wrapper(call->return_address, call->frame_address),
                              refrain_caller_frames(call->frame_address), NULL);
        else
            refrain_drop_above_caller(context, call->frame_address);
        if (call->class == REFRAIN_CONSTRUCT_THREAD)
            record_thread(context, call->thread);
        entry = refrain_enter_region(context, record, address_of(context, call), REFRAIN_ENTRY_REGION);
        if (entry) {
            entry->total_ticks = &record->total_ticks;
            if (call->class == REFRAIN_CONSTRUCT_CREATE)
                record_thread(context, call->thread);
        }
    }
    refrain_end(context);
    return entry;
}

static void end_call(void *begun, uint32_t thread) {
    struct refrain_entry *entry = begun;
    struct refrain_context *context = refrain_thread_context;
    if (!context || context->busy)
        return;
    refrain_begin_in(context);
    if (entry <= context->top) {
        if (entry < context->top)
            refrain_unwind(context, entry);
        record_thread(context, thread);
        refrain_leave(context);
    }
    refrain_end(context);
}

static void lose_call(void) {
    if (outside_of_mpi())
        refrain_lose(REFRAIN_LOSS_DEPTH, 1);
}

static int is_code_of_program(void *return_address) {
    struct refrain_caller_code code;
    const struct refrain_context *context = outside_of_mpi();
    if (!context) /* not null in a pause, which the new thread may outlast */
        return 0;
    look((uintptr_t)return_address, &code);
    return code.owner == REFRAIN_OF_PROGRAM;
}

void refrain_thread_calls_open(void) {
    static const struct refrain_thread_calls calls = {begin_call, end_call, lose_call, is_code_of_program};
    static const char *const names[] = {REFRAIN_THREAD_CALLS_ATTACH, REFRAIN_OPENMP_ATTACH};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        refrain_threads_attach_function *attach;
        *(void **)&attach = dlsym(RTLD_DEFAULT, names[i]);
        if (attach)
            attach(&calls);
    }
}
