/* call_path.c: turns return addresses into activations on the shadow stack (call_path.h). */
#define _GNU_SOURCE
#include "call_path.h"
#include "activation.h"
#include "address_entry.h"
#include "context.h"
#include "left_out.h"
#include "run/binary.h"
#include "run/configure.h"
#include "run/object_name.h"
#include "run/pool.h"
#include "run/region_list.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <pthread.h>

/* A frame of the latest path. */
struct frame {
    struct refrain_caller at;           /* the return address of its callee */
    uint64_t rule;                      /* leads to the frame above (caller.h); 0: unknown */
    uintptr_t end;                      /* its CFA */
    struct refrain_region_name *region; /* of its function as called here; null: not looked up yet, or none */
};
/* Flag in a rule: the frame is of the C library. Paths end in it, or in the program's start, which called it. */
#define OF_SYSTEM 16u
#define SHOWN 32u        /* flag in a rule: neither of a layer nor left out by a filter */
#define TEXT_BYTES 1024u /* size of the name of a Python function or file */

struct refrain_path {
    uintptr_t stack_end;                  /* of the thread */
    unsigned n;                           /* number of frames in the latest path */
    const struct refrain_entry *recorded; /* the activation of the innermost frame, if the shown frames are on top of
                                         the shadow stack; null: they are not */
    unsigned known; /* number of valid frames[]: the path, and the frame that called the outermost one */
    struct frame frames[REFRAIN_MAXIMUM_PATH + 1]; /* the innermost first */
};

bool refrain_path_open(struct refrain_context *context) {
    if (refrain_configuration.path_depth == 0)
        return true;
    context->path = refrain_pool_take(sizeof *context->path, REFRAIN_POOL_FIRST_MET);
    if (!context->path)
        return false;
    refrain_path_reopen(context);
    return true;
}

void refrain_path_reopen(struct refrain_context *context) {
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t bytes = 0;
    if (!context->path)
        return;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &begin, &bytes) != 0)
            bytes = 0;
        pthread_attr_destroy(&attributes);
    }
    context->path->stack_end = (uintptr_t)begin + bytes;
}

/* ---- what a return address stands for ---- */

/* The common part of all records of a function that is called from one place. */
struct calls {
    uint64_t address, called_from;
    uint32_t object, called_object;
};

/* Finds the thread's record of such calls. With `any`: of the function, wherever it is called from. Null if there is
 * none. */
static struct refrain_region_name *find_region(const struct refrain_context *context, const struct calls *calls,
                                               bool any) {
    struct refrain_region_name *record;
    for (uint32_t r = (uint32_t)refrain_trace_file.header->regions; r; r = record->next) {
        record = refrain_at_reference(r);
        if (record->use == REFRAIN_USE_FUNCTION && record->address == calls->address &&
            record->object == calls->object && record->thread == context->number &&
            (any || (record->called_from == calls->called_from && record->called_object == calls->called_object)))
            return record;
    }
    return NULL;
}

/* Finds or makes it. Null without memory. */
static struct refrain_region_name *region_of(const struct refrain_context *context, const struct calls *calls) {
    struct refrain_region_name *record = find_region(context, calls, false);
    if (!record && (record = refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET))) {
        record->thread = context->number;
        record->use = REFRAIN_USE_FUNCTION;
        record->address = calls->address;
        record->object = calls->object;
        record->called_from = calls->called_from;
        record->called_object = calls->called_object;
        record->inside.number = UINT32_MAX;
        refrain_region_add(record);
    }
    return record;
}

/* Finds or makes the record of a function with code at `address` that is called from `called_from` (0: not shown).
 * Without memory it returns the record of a call from another place. Null if there is none. */
static __attribute__((noinline)) struct refrain_region_name *look_for_region(const struct refrain_context *context,
                                                                             uintptr_t address, uintptr_t called_from) {
    struct refrain_caller_code code, caller = {.rule = 0};
    refrain_caller_look(address, refrain_configuration.layers, &code);
    if (called_from)
        refrain_caller_look(called_from, refrain_configuration.layers, &caller);
    const struct calls calls = {
        code.function - code.object.load_address, called_from ? called_from - caller.object.load_address : 0,
        refrain_binary_name(&code.object), called_from ? refrain_binary_name(&caller.object) : 0};
    bool named = calls.object && (calls.called_object || !called_from);
    struct refrain_region_name *record = named ? region_of(context, &calls) : NULL;
    if (!record)
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
    return record ? record : find_region(context, &calls, true);
}

/* Returns the record of the path's frame i. */
static struct refrain_region_name *region_of_frame(struct refrain_context *context, const struct refrain_path *path,
                                                   unsigned i) {
    const struct frame *outer = &path->frames[i + 1];
    uint64_t address = path->frames[i].at.address,
             called_from = i + 1 < path->n && outer->rule & SHOWN ? outer->at.address : 0;
    /* The key of a function is its first record; the key of a call of it is that record's number with the return
     * address. */
    struct refrain_address_entry *function = refrain_address_entry(context, address << 1, REFRAIN_ENTRY_OF_FRAME);
    if (!function || !function->key)
        return NULL;
    if (!function->reference) {
        struct refrain_region_name *first = look_for_region(context, address, called_from);
        if (first)
            function->reference = refrain_reference(first);
        else
            function->special &= ~(uint64_t)SHOWN;
        return first;
    }
    const struct refrain_region_name *first = refrain_at_reference(function->reference);
    struct refrain_address_entry *entry =
        refrain_address_entry(context, called_from << 1 | 1, REFRAIN_ENTRY_OF_PATH + first->number);
    if (entry && !entry->key) {
        const struct refrain_region_name *record = look_for_region(context, address, called_from);
        entry->key = called_from << 1 | 1;
        entry->function = REFRAIN_ENTRY_OF_PATH + first->number;
        entry->reference = record ? refrain_reference(record) : 0;
    }
    return refrain_at_reference(entry && entry->reference ? entry->reference : function->reference);
}

/* Sets what follows from frame->at. */
static __attribute__((noinline)) void look(struct refrain_context *context, struct frame *frame) {
    uint64_t key = (uint64_t)frame->at.address << 1;
    struct refrain_address_entry *entry = refrain_address_entry(context, key, REFRAIN_ENTRY_OF_FRAME);
    if (entry && !entry->key) {
        struct refrain_caller_code code;
        refrain_caller_look(frame->at.address, refrain_configuration.layers, &code);
        bool is_shown = code.rule && code.owner != REFRAIN_OF_MPI && code.owner != REFRAIN_OF_SYSTEM &&
                        !refrain_leaves_out_file(code.object.path) && !refrain_leaves_out_function(&code);
        entry->key = key;
        entry->function = REFRAIN_ENTRY_OF_FRAME;
        entry->special = code.rule | (code.owner == REFRAIN_OF_SYSTEM ? OF_SYSTEM : 0) | (is_shown ? SHOWN : 0);
        entry->reference = 0;
    }
    frame->rule = entry ? entry->special : 0;
    frame->region = NULL;
}

/* ---- following the stack ---- */

static inline bool is_at(const struct frame *frame, const struct refrain_caller *caller) {
    return frame->at.address == caller->address && frame->at.stack_pointer == caller->stack_pointer &&
           frame->at.frame_pointer == caller->frame_pointer;
}

/* True if the path ends below the frame: it belongs to an activation whose frame ends above `stop`, or the rule to the
 * frame above is unknown. */
static bool ends_below(const struct refrain_path *path, unsigned n, uintptr_t stop) {
    const struct frame *frame = &path->frames[n];
    bool follows = frame->end > frame->at.stack_pointer && frame->end <= path->stack_end;
    bool is_system = frame->rule & OF_SYSTEM || (n > 0 && path->frames[n - 1].rule & OF_SYSTEM);
    if (n == REFRAIN_MAXIMUM_PATH || (!follows && !is_system))
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
    return n == REFRAIN_MAXIMUM_PATH || !follows || frame->end > stop;
}

/* Reads the path from `caller` up to the activation whose frame ends above `stop`. True if it is on the shadow stack
 * already. */
static bool follow(struct refrain_context *context, struct refrain_caller caller, uintptr_t stop) {
    struct refrain_path *path = context->path;
    unsigned n = 0, shown = 0;
    bool is_recorded = path->recorded == context->top && context->top->kind == REFRAIN_ENTRY_FRAME;
    for (;; n++) {
        struct frame *frame = &path->frames[n];
        if (n >= path->known || !is_at(frame, &caller)) {
            is_recorded = false;
            frame->at = caller;
            look(context, frame);
            if (n > 0)
                path->frames[n - 1].region = NULL; /* it has another caller now */
        }
        frame->end = frame->rule & REFRAIN_RULE ? refrain_caller_frame_end(&caller, frame->rule) : 0;
        if (shown == refrain_configuration.path_depth || ends_below(path, n, stop))
            break;
        refrain_caller_step(&caller, frame->rule);
        shown += (frame->rule & SHOWN) != 0;
    }
    is_recorded = is_recorded && n == path->n;
    if (n > 0 && n != path->n)
        path->frames[n - 1].region = NULL;
    path->n = n;
    path->known = n + 1;
    return is_recorded;
}

/* ---- recording ---- */

/* The return address of frame i, as struct refrain_entry has it: in its caller, combined with those of callers that are
 * not shown, up to the first shown one. */
static uint32_t called_from(const struct refrain_path *path, unsigned i) {
    uint32_t hash = 0;
    do
        hash = hash * 31 + (uint32_t)path->frames[++i].at.address;
    while (i < path->n && !path->frames[i].region);
    return hash;
}

/* True if this is the activation of frame i. */
static bool is_activation(const struct refrain_entry *entry, const struct refrain_path *path, unsigned i) {
    const struct frame *frame = &path->frames[i];
    return entry->kind == REFRAIN_ENTRY_FRAME && entry->frame_end == frame->end && entry->id == frame->region->number &&
           entry->called_from == called_from(path, i);
}

/* Replaces the activations above `base` by those of the path. */
static __attribute__((noinline)) void record(struct refrain_context *context, struct refrain_entry *base) {
    struct refrain_path *path = context->path;
    struct refrain_entry *entry = base;
    unsigned i = path->n;
    path->recorded = NULL;
    for (; i > 0; i--) {
        if (!path->frames[i - 1].region)
            continue;
        if (entry == context->top || !is_activation(entry + 1, path, i - 1))
            break;
        entry++;
    }
    refrain_end_path_above(context, entry);
    for (; i > 0; i--) {
        const struct frame *frame = &path->frames[i - 1];
        if (!frame->region)
            continue;
        entry = refrain_enter_region(context, frame->region, 0, REFRAIN_ENTRY_FRAME);
        if (!entry)
            return;
        entry->frame_end = frame->end;
        entry->called_from = called_from(path, i - 1);
    }
    path->recorded = context->top;
}

/* The same for frames that were read from the stack. */
static void record_frames(struct refrain_context *context, struct refrain_entry *base) {
    struct refrain_path *path = context->path;
    for (unsigned i = path->n; i-- > 0;)
        if (!path->frames[i].region && path->frames[i].rule & SHOWN)
            path->frames[i].region = region_of_frame(context, path, i);
    record(context, base);
}

/* ---- Python ---- */

static __attribute__((noinline)) void look_at_code(struct refrain_address_entry *entry, struct refrain_context *context,
                                                   uint64_t key, const void *code) {
    char file[TEXT_BYTES], name[TEXT_BYTES];
    int line = refrain_python_describe(code, file, name, sizeof file);
    uint32_t object = *file ? refrain_object_name(file) : 0, text = refrain_pool_name(name);
    struct refrain_region_name *record = text ? refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET) : NULL;
    *entry = (struct refrain_address_entry){.key = key, .function = REFRAIN_ENTRY_OF_CODE};
    if (!record) {
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
        return;
    }
    record->name = text;
    record->thread = context->number;
    record->use = REFRAIN_USE_PYTHON;
    record->address = line > 0 ? (uint64_t)line : 0;
    record->object = object;
    record->inside.number = UINT32_MAX;
    refrain_region_add(record);
    entry->reference = refrain_reference(record);
}

/* Makes the Python functions the path, inside of an activation that is no function of Python. */
static void follow_python(struct refrain_context *context, const struct refrain_python_stack *python) {
    struct refrain_path *path = context->path;
    for (unsigned i = 0; i < python->n; i++) {
        struct frame *frame = &path->frames[i];
        uint64_t key = (uint64_t)(uintptr_t)python->frames[i].code;
        struct refrain_address_entry *entry = refrain_address_entry(context, key, REFRAIN_ENTRY_OF_CODE);
        if (entry && !entry->key)
            look_at_code(entry, context, key, python->frames[i].code);
        if (!entry)
            refrain_lose(REFRAIN_LOSS_PATHS, 1);
        frame->at = (struct refrain_caller){(uintptr_t)(uint32_t)python->frames[i].instruction, 0, 0};
        frame->rule = 0;
        frame->end = (uintptr_t)python->frames[i].frame;
        frame->region = entry && entry->reference ? refrain_at_reference(entry->reference) : NULL;
    }
    path->n = python->n;
    path->frames[path->n].at.address = 0;
}

uintptr_t refrain_path_come(struct refrain_context *context, struct refrain_caller caller, uintptr_t frame_address,
                            const struct refrain_python_stack *python) {
    struct refrain_path *path = context->path;
    struct refrain_entry *base = refrain_below_path(context);
    if (base->address < frame_address) {
        refrain_drop_abandoned(context, frame_address);
        base = context->top;
    }
    if (python && (base->kind == REFRAIN_ENTRY_ROOT || base->kind == REFRAIN_ENTRY_REGION)) {
        follow_python(context, python);
        record(context, base);
        path->recorded = NULL;
        return base->address;
    }
    if (!follow(context, caller, base->address))
        record_frames(context, base);
    return path->n > 0 ? path->frames[0].end - sizeof(uintptr_t) : base->address;
}
