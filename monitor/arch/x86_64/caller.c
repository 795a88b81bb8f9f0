/* caller.c: finds out which code makes a call, and how to get from its frame to the frame above (caller.h). */
#define _GNU_SOURCE
#include "arch/caller.h"
#include "arch/x86_64/frame_table.h"

#include <string.h>

/* True if the object is a layer that was named. */
static bool is_named(const struct refrain_loaded *object, const char *layers) {
    const char *slash = strrchr(object->path, '/'), *name = slash ? slash + 1 : object->path;
    while (layers && *layers) {
        size_t n = strcspn(layers, ", ");
        if (n && strncmp(name, layers, n) == 0)
            return true;
        layers += n + (layers[n] != 0);
    }
    return false;
}

/* Puts a frame's layout into one word. 0 if it does not fit. */
static uint64_t rule_of(const struct refrain_frame_rule *frame) {
    int64_t words = frame->frame_pointer_saved ? -(frame->frame_pointer_offset / 8) : 0;
    if (frame->cfa_offset < 0 || frame->cfa_offset > UINT32_MAX || words < 0 || words > 0xffffff ||
        (frame->frame_pointer_saved && frame->frame_pointer_offset % 8 != 0))
        return 0;
    return REFRAIN_RULE | (frame->from_frame_pointer ? REFRAIN_RULE_FROM_FRAME_POINTER : 0) |
           (frame->frame_pointer_saved ? REFRAIN_RULE_FRAME_POINTER_SAVED : 0) | (uint64_t)words << 8 |
           (uint64_t)frame->cfa_offset << 32;
}

/* Describes the code at `instruction`. `found`: `object` is the object that has it. */
static void look(uintptr_t instruction, bool found, const struct refrain_loaded *object, const char *layers,
                 struct refrain_caller_code *code) {
    struct refrain_frame_rule frame;
    *code = (struct refrain_caller_code){.object = *object};
    if (found)
        code->owner = is_named(object, layers) ? REFRAIN_OF_MPI : refrain_loaded_owner(object);
    if (refrain_frame_find(object, instruction, &frame)) {
        code->rule = rule_of(&frame);
        code->function = frame.function;
    }
}

void refrain_caller_look(uintptr_t address, const char *layers, struct refrain_caller_code *code) {
    /* The instruction before the return address is the call. The one after it may belong to another function. */
    struct refrain_loaded object;
    bool found = refrain_loaded_find(address - 1, &object);
    look(address - 1, found, &object, layers, code);
}

void refrain_caller_look_at_once(uintptr_t instruction, const char *layers, struct refrain_caller_code *code) {
    struct refrain_loaded object;
    bool found = refrain_loaded_find_at_once(instruction, &object);
    look(instruction, found, &object, layers, code);
}

uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    struct refrain_caller_code code;
    refrain_caller_look(address, layers, &code);
    return code.owner == REFRAIN_OF_MPI ? code.rule : 0;
}
