/* caller.c: which code is a layer of MPI, and the way out of it (caller.h). A rule is one word:
 *
 *     bit 1       always set: no rule is 0 or 1
 *     bit 2       the CFA is relative to the frame pointer, not the stack pointer
 *     bit 3       the caller's frame pointer is saved in this frame
 *     bits 8-31   where, in words below the CFA
 *     bits 32-63  the CFA's distance from the register
 */
#define _GNU_SOURCE
#include "caller.h"
#include "frame_table.h"

#include <link.h>
#include <string.h>

#if defined(__x86_64__)
#define RULE 2u
#define FROM_FRAME_POINTER 4u
#define FRAME_POINTER_SAVED 8u

struct object {
    uintptr_t address;
    const unsigned char *frames; /* PT_GNU_EH_FRAME */
    const char *name;            /* of the file, without directories */
};

static int find_object(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct object *object = data;
    const unsigned char *frames = NULL;
    bool is_here = false;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_GNU_EH_FRAME)
            frames = (const unsigned char *)begin;
        if (header->p_type == PT_LOAD && object->address - begin < header->p_memsz)
            is_here = true;
    }
    if (!is_here)
        return 0;
    const char *slash = strrchr(info->dlpi_name, '/');
    object->frames = frames;
    object->name = slash ? slash + 1 : info->dlpi_name;
    return 1;
}

static bool is_layer(const char *name, const char *layers) {
    static const char *const own[] = {"libmpi", "mca_", "libopen-", "librefrain-"};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        if (strncmp(name, own[i], strlen(own[i])) == 0)
            return true;
    while (layers && *layers) {
        size_t n = strcspn(layers, ", ");
        if (n && strncmp(name, layers, n) == 0)
            return true;
        layers += n + (layers[n] != 0);
    }
    return false;
}

uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    /* The instruction before the return address is the call: what follows may belong to another function. */
    struct object object = {.address = address - 1};
    struct refrain_frame_rule frame;
    if (!dl_iterate_phdr(find_object, &object) || !is_layer(object.name, layers) || !object.frames ||
        !refrain_frame_find(object.frames, address - 1, &frame))
        return 0;
    int64_t words = frame.frame_pointer_saved ? -frame.frame_pointer_offset / 8 : 0;
    if (frame.cfa_offset < 0 || frame.cfa_offset > UINT32_MAX || words < 0 || words > 0xffffff ||
        (frame.frame_pointer_saved && frame.frame_pointer_offset % 8 != 0))
        return 0;
    return RULE | (frame.from_frame_pointer ? FROM_FRAME_POINTER : 0) |
           (frame.frame_pointer_saved ? FRAME_POINTER_SAVED : 0) | (uint64_t)words << 8 |
           (uint64_t)frame.cfa_offset << 32;
}

void refrain_caller_step(struct refrain_caller *caller, uint64_t rule) {
    uintptr_t base = rule & FROM_FRAME_POINTER ? caller->frame_pointer : caller->stack_pointer;
    uintptr_t *frame = (uintptr_t *)(base + (rule >> 32));
    if (rule & FRAME_POINTER_SAVED)
        caller->frame_pointer = *(frame - (rule >> 8 & 0xffffff));
    caller->address = frame[-1];
    caller->stack_pointer = (uintptr_t)frame;
}
#else
uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    (void)address;
    (void)layers;
    return 0;
}

void refrain_caller_step(struct refrain_caller *caller, uint64_t rule) {
    (void)caller;
    (void)rule;
}
#endif
