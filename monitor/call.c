/* call.c: records MPI calls (call.h). A call is an activation, in which its operations follow. All calls take one path.
 * It is a straight line if each step is as the learners predict, which is the most frequent case. */
#define _GNU_SOURCE
#include "call.h"
#include "activation.h"
#include "arch/arch.h"
#include "begin.h"
#include "call_operation.h"
#include "call_overflow.h"
#include "call_path.h"
#include "call_place.h"
#include "call_room.h"
#include "context.h"
#include "events.h"
#include "learn_parameters.h"
#include "learn_spare.h"
#include "left_out.h"
#include "pause.h"
#include "run/allowance.h"
#include "run/configure.h"
#include "run/pool.h"
#include "run/resident.h"
#include "run/tracing.h"
#include "untold.h"
#include <refrain/trace.h>

/* Makes the record of an operation at the call site. Null without memory (call_room.h). */
static __attribute__((noinline)) struct refrain_operation_record *new_operation(const struct refrain_call *call,
                                                                                enum refrain_operation operation) {
    struct refrain_operation_record *record = refrain_call_room_operation(call->context, call->call_site);
    if (!record) {
        refrain_lose(REFRAIN_LOSS_CALLS, 1);
        return NULL;
    }
    record->operation = operation;
    record->after_return = call->end_ticks != 0;
    record->after.number = UINT32_MAX;
    uint32_t *link = &call->call_site->operations;
    while (*link)
        link = &((struct refrain_operation_record *)refrain_at_reference(*link))->next;
    refrain_commit();
    *link = refrain_reference(record);
    return record;
}

/* The meaning of an operation's parameters in counts. If there are too many different values, amounts are dropped
 * first, then tags, communicators last. The number of a request is not counted, except where it begins, since its
 * partner follows from it. */
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
    [REFRAIN_OP_COMM] = {.width = 1},
};

/* Returns the operation's record after the activation has moved to it. Null without a record. */
static inline struct refrain_operation_record *come_to(struct refrain_call *call, enum refrain_operation operation) {
    struct refrain_operation_record *record = refrain_operation_find(call->call_site, operation);
    if (__builtin_expect(!record, 0) && !(record = new_operation(call, operation)))
        return NULL;
    refrain_step(call->context, call->entry, REFRAIN_NEXT_OPERATION + (int64_t)operation);
    call->entry->last = &record->after;
    return record;
}

static inline void record_operation(const struct refrain_call *call, enum refrain_operation operation,
                                    const int64_t *parameters, unsigned n) {
    if (__builtin_expect(call->context->events != NULL, 0))
        refrain_events_write(call->context, REFRAIN_RECORD_OPERATION,
                             call->end_ticks ? call->end_ticks : call->begin_ticks, call->entry->id, operation,
                             parameters, n);
}

/* Records that the call does this operation: its call site and the learners of its parameters take their values. Null
 * without a record. */
static inline __attribute__((always_inline)) struct refrain_operation_record *
learn_operation(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    struct refrain_operation_record *record = come_to(call, operation);
    if (__builtin_expect(!record, 0))
        return NULL;
    bool counted =
        __builtin_expect(call->overflow != NULL, 0) && refrain_overflow_count(call->overflow, operation, parameters);
    const struct refrain_row *row = &refrain_operation_rows[operation];
    if (counted || !call->context->learning)
        ;
    else if (__builtin_expect(n == REFRAIN_PARAMETERS, 1))
        refrain_learn_some_parameters(call->context, record->parameter, parameters, row, REFRAIN_PARAMETERS);
    else
        refrain_learn_some_parameters(call->context, refrain_operation_learners(record), parameters, row, row->width);
    record_operation(call, operation, parameters, n);
    return record;
}

/* Stores that the thread is in a call from this call site, and nothing else yet. */
static inline void now_calls(struct refrain_thread *thread, uint32_t call_site) {
    struct refrain_now *now = &thread->now;
    now->call = call_site + 1;
    now->inside = 1;
    now->sends_to = now->receives_from = -1;
    now->comm = 0;
    now->tag = -1;
    now->n_awaited = 0;
}

/* Does what is due once in some thousand calls. */
static __attribute__((noinline)) void look_around(struct refrain_context *context) {
    context->calls_before += REFRAIN_CLOCK_REFRESH_CALLS;
    context->calls_left = REFRAIN_CLOCK_REFRESH_CALLS;
    refrain_trace_file_refresh_clock();
    refrain_allowance_look(context);
}

/* Begins a call. The thread is inside the probe, and the innermost activation is the one that makes the call. `at`: the
 * call's refrain_place, or null. `operation`: the call's first operation, or null. `python`: the open functions of
 * Python; null if there are none, or if they are not recorded. */
static inline __attribute__((always_inline)) void begin_call(struct refrain_call *call, struct refrain_context *context,
                                                             unsigned function, const void *at, void *return_address,
                                                             const void *frame_address,
                                                             const struct refrain_operation_values *operation,
                                                             const struct refrain_python_stack *python) {
    if (__builtin_expect(--context->calls_left <= 0, 0))
        look_around(context);
    struct refrain_call_place place =
        python ? refrain_call_place_python(context, context->top->last, function, &python->frames[0])
               : refrain_call_place(context, function, at, return_address, frame_address);
    struct refrain_call_site *call_site = place.call_site;
    struct refrain_entry *caller = context->top, *entry = NULL;
    call->context = NULL;
    if (__builtin_expect(call_site != NULL, 1)) {
        uint32_t number = place.overflow ? place.overflow->number : call_site->number;
        entry = refrain_push(context, &call_site->inside, (uintptr_t)frame_address, REFRAIN_ENTRY_CALL, number);
    } else {
        refrain_lose(REFRAIN_LOSS_CALLS, 1);
    }
    if (__builtin_expect(entry != NULL, 1)) {
        uint32_t number = (uint32_t)entry->id;
        call->context =
            context; /* Field by field, since compilers use a slow instruction to clear a whole structure. */
        call->entry = entry;
        call->call_site = call_site;
        call->overflow = place.overflow;
        call->end_ticks = 0;
        refrain_step(context, caller, REFRAIN_NEXT_CALL + number);
        call->begin_ticks = refrain_close_block(context, caller->last);
        if (__builtin_expect(call->begin_ticks >= refrain_resident_due(), 0))
            refrain_resident_read(place.overflow ? NULL : call_site, call->begin_ticks);
        now_calls(context->thread, number);
        refrain_event(context, REFRAIN_RECORD_CALL_ENTER, call->begin_ticks, number);
        if (operation)
            call->first_operation = learn_operation(call, operation->operation, operation->values, operation->n);
    }
    refrain_end(context);
}

/* Begins a call in any state of the thread: without a context, inside a probe, paused, with call paths or Python
 * functions, or with calls that are left out. */
static __attribute__((noinline)) void begin_unusual_call(struct refrain_call *call, unsigned function, const void *at,
                                                         void *return_address, void *frame_address,
                                                         const struct refrain_operation_values *operation) {
    struct refrain_context *context = refrain_thread_context;
    if (!context) {
        /* The constructor of a library may call MPI before the constructor of the MPI part has run. */
        refrain_mpi_linked = 1;
        context = refrain_context();
    }
    call->context = NULL;
    if (context && !context->trace_file && !refrain_trace_file.header)
        return; /* nothing is traced in this process */
    call->context = context;
    if (context && refrain_trace_file.header && refrain_pause_call(context, frame_address))
        return;
    if (context && context->filtered && refrain_leaves_out_call(function)) {
        context->thread->left_out_calls++;
        return;
    }
    /* After this search no code of Python runs until the call is recorded. */
    struct refrain_python_stack stack;
    bool found = context && context->python && !context->busy &&
                 refrain_python_begin(&stack, refrain_configuration.path_depth ? refrain_configuration.path_depth : 1);
    context = refrain_begin();
    call->context = context;
    if (context) {
        struct refrain_slot *slot = refrain_call_place_slot(context, at);
        if (slot)
            refrain_probe_come(context, slot, refrain_caller_frames(frame_address));
        if (context->path)
            refrain_path_come(context, refrain_caller_of_wrapper(return_address, frame_address),
                              refrain_caller_frames(frame_address), found ? &stack : NULL);
        else
            refrain_drop_above_caller(context, frame_address);
        if (context->filtered)
            refrain_untold_flush(context);
        begin_call(call, context, function, NULL, return_address, frame_address, operation, found ? &stack : NULL);
    }
    if (found)
        refrain_python_end(&stack);
}

static inline __attribute__((always_inline)) void begin(struct refrain_call *call, unsigned function,
                                                        void *return_address, void *frame_address,
                                                        const struct refrain_operation_values *operation) {
    struct refrain_context *context = refrain_thread_context;
    const void *at = refrain_place;
    refrain_place = NULL;
    call->entry = NULL;
    call->first_operation = NULL;
    if (__builtin_expect(!context || context->busy | context->unusual || refrain_trace_file.header->pause, 0)) {
        begin_unusual_call(call, function, at, return_address, frame_address, operation);
        return;
    }
    refrain_begin_in(context);
    refrain_drop_above_caller(context, frame_address);
    begin_call(call, context, function, at, return_address, frame_address, operation, NULL);
}

void refrain_call_begin(struct refrain_call *call, unsigned function, void *return_address, void *frame_address) {
    begin(call, function, return_address, frame_address, NULL);
}

void refrain_call_begin_with(struct refrain_call *call, unsigned function, void *return_address, void *frame_address,
                             const struct refrain_operation_values *operation) {
    begin(call, function, return_address, frame_address, operation);
}

/* True if the call is still open in its thread, after what was abandoned above it has ended. */
static __attribute__((noinline)) bool resume_other(const struct refrain_call *call) {
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

/* Begins a probe within the call. False, without a probe, if the call is not traced, or no longer open. */
static inline bool resume(const struct refrain_call *call) {
    struct refrain_context *context = refrain_thread_context;
    if (!call->entry)
        return false;
    if (__builtin_expect(!context || context->busy || context->top != call->entry, 0))
        return resume_other(call);
    refrain_begin_in(context);
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

static inline __attribute__((always_inline)) void close_call(struct refrain_call *call) {
    if (!call->end_ticks)
        call->end_ticks = refrain_close_block(call->context, call->entry->last);
}

void refrain_call_returned(struct refrain_call *call) {
    if (!resume(call))
        return;
    close_call(call);
    refrain_end(call->context);
}

struct refrain_operation_record *refrain_call_operation(struct refrain_call *call, enum refrain_operation operation,
                                                        const int64_t *parameters, unsigned n) {
    if (!resume(call))
        return NULL;
    struct refrain_operation_record *record = learn_operation(call, operation, parameters, n);
    refrain_end(call->context);
    return record;
}

void refrain_call_operations(struct refrain_call *call, enum refrain_operation operation, const int64_t *requests,
                             unsigned n) {
    if (!resume(call))
        return;
    for (unsigned i = 0; i < n; i++)
        learn_operation(call, operation, &requests[i], 1);
    refrain_end(call->context);
}

static const struct refrain_row received = MESSAGE;
static const struct refrain_row moved = {1, 1, {1, 0}, 0};

/* The communicator was learned when the receive was posted. Rows of counts have it, too, since the source is a rank in
 * it. If it is only counted itself, replay may use the receive for one of another communicator. */
static void learn_received(struct refrain_context *context, struct refrain_operation_record *posted,
                           const struct refrain_completion *completion) {
    int64_t values[] = {completion->source, completion->tag, completion->bytes, completion->comm};
    if (refrain_operation_learners(posted)->state == REFRAIN_SUMMARY)
        refrain_lose(REFRAIN_LOSS_COUNTS, 1);
    refrain_learn_some_parameters(context, posted->parameter, values, &received, REFRAIN_PARAMETERS - 1);
}

static void learn_completion(struct refrain_context *context, const struct refrain_completion *completion) {
    struct refrain_operation_record *posted = completion->posted;
    if (!posted)
        return;
    if (__builtin_expect(posted->operation == REFRAIN_OP_IO_REQUEST, 0))
        refrain_learn_some_parameters(context, &posted->parameter[REFRAIN_PARAMETER_MOVED], &completion->bytes, &moved,
                                      moved.width);
    else
        learn_received(context, posted, completion);
}

static void record_completion(const struct refrain_call *call, int64_t request,
                              const struct refrain_completion *completion) {
    const struct refrain_operation_record *posted = completion->posted;
    if (posted && posted->operation == REFRAIN_OP_IO_REQUEST)
        record_operation(call, REFRAIN_OP_COMPLETE, (int64_t[]){request, completion->bytes}, 2);
    else
        record_operation(call, REFRAIN_OP_COMPLETE,
                         (int64_t[]){request, completion->source, completion->tag, completion->bytes}, posted ? 4 : 1);
}

/* Ends the call, and the probe with it. */
static inline __attribute__((always_inline)) void end_open(struct refrain_call *call) {
    struct refrain_context *context = call->context;
    refrain_step(context, call->entry, REFRAIN_NEXT_EXIT);
    refrain_event(context, REFRAIN_RECORD_CALL_LEAVE, call->end_ticks, call->entry->id);
    context->top = call->entry - 1;
    context->thread->now.inside = context->top->kind == REFRAIN_ENTRY_CALL;
    refrain_returned(context->top);
    refrain_end(context);
}

bool refrain_call_complete(struct refrain_call *call, uint32_t request, const struct refrain_completion *completions,
                           unsigned n, bool ends) {
    enum refrain_operation operation = n == 1 ? REFRAIN_OP_COMPLETE : REFRAIN_OP_COMPLETE_RUN;
    if (!resume(call))
        return false;
    struct refrain_context *context = call->context;
    close_call(call);
    struct refrain_operation_record *record = come_to(call, operation);
    if (record && context->learning) {
        const struct refrain_row *row = &refrain_operation_rows[operation];
        refrain_learn_some_parameters(context, record->parameter, (int64_t[]){request, n}, row, row->width);
        for (unsigned i = 0; i < n; i++)
            learn_completion(context, &completions[i]);
    }
    for (unsigned i = 0; record && __builtin_expect(context->events != NULL, 0) && i < n; i++)
        record_completion(call, request + i, &completions[i]);
    if (ends)
        end_open(call);
    else
        refrain_end(context);
    return record != NULL;
}

static inline __attribute__((always_inline)) void end(struct refrain_call *call,
                                                      const struct refrain_operation_values *operation) {
    if (!resume(call))
        return;
    close_call(call);
    if (operation)
        learn_operation(call, operation->operation, operation->values, operation->n);
    end_open(call);
}

void refrain_call_end(struct refrain_call *call) {
    end(call, NULL);
}

void refrain_call_end_with(struct refrain_call *call, const struct refrain_operation_values *operation) {
    end(call, operation);
}
