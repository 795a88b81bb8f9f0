/* call_path.c: from return addresses to activations on the shadow stack (call_path.h). */
#define _GNU_SOURCE
#include "call_path.h"
#include "activation.h"
#include "address_entry.h"
#include "binary.h"
#include "configure.h"
#include "left_out.h"
#include "object_name.h"
#include <refrain/settings.h>

#include <pthread.h>

/* A frame of the latest path. */
struct frame {
    struct refrain_caller at;           /* where its callee returns to */
    uint64_t rule;                      /* the way to the frame above (caller.h); 0: none is known */
    uintptr_t end;                      /* its CFA */
    struct refrain_region_name *region; /* of its function, null: it is not shown */
};
/* In a rule: the frame is the C library's. Paths end in it, or in the code that called it to start the program. */
#define OF_SYSTEM 16u
#define TEXT_BYTES 1024u /* of the name of a Python function or file */

struct refrain_path {
    uintptr_t stack_end;              /* of the thread */
    unsigned n;                       /* frames of the latest path ... */
    const struct refrain_entry *told; /* the innermost one's activation, where those that are shown are on top of the
                                         shadow stack; null: they are not */
    unsigned known;                   /* of frames[]: the path, and the frame that called the outermost one */
    struct frame frames[REFRAIN_MAXIMUM_PATH + 1]; /* from the inside */
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

/* The thread's record of a function; 0 when the pool is spent. */
static uint32_t function_region(const struct refrain_context *context, const struct refrain_caller_code *code) {
    uint32_t object = refrain_binary_name(&code->object);
    uint64_t address = code->function - code->object.load_address;
    struct refrain_region_name *record;
    for (uint32_t r = (uint32_t)refrain_trace_file.header->regions; r; r = record->next) {
        record = refrain_at_reference(r);
        if (record->use == REFRAIN_USE_FUNCTION && record->address == address && record->object == object &&
            record->thread == context->number)
            return r;
    }
    record = object ? refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET) : NULL;
    if (!record)
        return 0;
    record->thread = context->number;
    record->use = REFRAIN_USE_FUNCTION;
    record->address = address;
    record->object = object;
    record->inside.number = UINT32_MAX;
    refrain_region_add(record);
    return refrain_reference(record);
}

/* Fills in what follows from frame->at. */
static __attribute__((noinline)) void look(struct refrain_context *context, struct frame *frame) {
    uint64_t key = (uint64_t)frame->at.address << 1;
    struct refrain_address_entry *entry = refrain_address_entry(context, key, REFRAIN_ENTRY_OF_FRAME);
    frame->rule = 0;
    frame->region = NULL;
    if (entry && !entry->key) {
        struct refrain_caller_code code;
        refrain_caller_look(frame->at.address, refrain_configuration.layers, &code);
        entry->key = key;
        entry->function = REFRAIN_ENTRY_OF_FRAME;
        entry->special = code.rule | (code.is_system ? OF_SYSTEM : 0);
        entry->reference = 0;
        bool is_shown = code.rule && !code.is_layer && !code.is_system && !refrain_leaves_out_file(code.object.path) &&
                        !refrain_leaves_out_function(&code);
        if (is_shown && !(entry->reference = function_region(context, &code)))
            refrain_lose(REFRAIN_LOSS_PATHS, 1);
    }
    if (entry) {
        frame->rule = entry->special;
        frame->region = entry->reference ? refrain_at_reference(entry->reference) : NULL;
    }
}

/* ---- following the stack ---- */

static inline bool is_at(const struct frame *frame, const struct refrain_caller *caller) {
    return frame->at.address == caller->address && frame->at.stack_pointer == caller->stack_pointer &&
           frame->at.frame_pointer == caller->frame_pointer;
}

/* Does the path end below the frame: as it is that of an activation whose frame ends beyond `stop`, or as nothing is
 * known of the way up? */
static bool ends_below(const struct refrain_path *path, unsigned n, uintptr_t stop) {
    const struct frame *frame = &path->frames[n];
    bool follows = frame->end > frame->at.stack_pointer && frame->end <= path->stack_end;
    bool is_system = frame->rule & OF_SYSTEM || (n > 0 && path->frames[n - 1].rule & OF_SYSTEM);
    if (n == REFRAIN_MAXIMUM_PATH || (!follows && !is_system))
        refrain_lose(REFRAIN_LOSS_PATHS, 1);
    return n == REFRAIN_MAXIMUM_PATH || !follows || frame->end > stop;
}

/* Reads the path from `caller` up to the activation whose frame ends beyond `stop`. True when it is told already. */
static bool follow(struct refrain_context *context, struct refrain_caller caller, uintptr_t stop) {
    struct refrain_path *path = context->path;
    unsigned n = 0, shown = 0;
    bool told = path->told == context->top && context->top->kind == REFRAIN_ENTRY_FRAME;
    for (;; n++) {
        struct frame *frame = &path->frames[n];
        if (n >= path->known || !is_at(frame, &caller)) {
            told = false;
            frame->at = caller;
            look(context, frame);
        }
        frame->end = frame->rule & REFRAIN_RULE ? refrain_caller_frame_end(&caller, frame->rule) : 0;
        if (shown == refrain_configuration.path_depth || ends_below(path, n, stop))
            break;
        refrain_caller_step(&caller, frame->rule);
        shown += frame->region != NULL;
    }
    told = told && n == path->n;
    path->n = n;
    path->known = n + 1;
    return told;
}

/* ---- telling ---- */

/* Where the frame with index i returns to, as struct refrain_entry has it: in its caller, and in callers that are not
 * shown up to the first that is. */
static uint32_t called_from(const struct refrain_path *path, unsigned i) {
    uint32_t hash = 0;
    do
        hash = hash * 31 + (uint32_t)path->frames[++i].at.address;
    while (i < path->n && !path->frames[i].region);
    return hash;
}

/* Is that the activation of the frame with index i? */
static bool is_activation(const struct refrain_entry *entry, const struct refrain_path *path, unsigned i) {
    const struct frame *frame = &path->frames[i];
    return entry->kind == REFRAIN_ENTRY_FRAME && entry->frame_end == frame->end && entry->id == frame->region->number &&
           entry->called_from == called_from(path, i);
}

/* Makes the activations above `base` those of the path. */
static __attribute__((noinline)) void tell(struct refrain_context *context, struct refrain_entry *base) {
    struct refrain_path *path = context->path;
    struct refrain_entry *entry = base;
    unsigned i = path->n;
    path->told = NULL;
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
    path->told = context->top;
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

/* The functions of Python are the path, in an activation that is none of a function itself. */
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
        tell(context, base);
        path->told = NULL;
        return base->address;
    }
    if (!follow(context, caller, base->address))
        tell(context, base);
    return path->n > 0 ? path->frames[0].end - sizeof(uintptr_t) : base->address;
}
