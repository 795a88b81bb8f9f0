/* caller.c: what the code before a return address is, and the way out of its frame (caller.h). */
#define _GNU_SOURCE
#include "caller.h"
#include "frame_table.h"

#include <link.h>
#include <string.h>

#if defined(__x86_64__)
struct object {
    uintptr_t address, load_address;
    const unsigned char *frames; /* PT_GNU_EH_FRAME */
    const char *path;
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
    object->frames = frames;
    object->path = info->dlpi_name;
    object->load_address = info->dlpi_addr;
    return 1;
}

static bool begins_with_one_of(const char *name, const char *const *beginnings) {
    for (; *beginnings; beginnings++)
        if (strncmp(name, *beginnings, strlen(*beginnings)) == 0)
            return true;
    return false;
}

/* `name`: of a file, without directories. */
static bool is_layer(const char *name, const char *layers) {
    static const char *const own[] = {"libmpi", "mca_", "libopen-", "librefrain-", NULL};
    if (begins_with_one_of(name, own))
        return true;
    while (layers && *layers) {
        size_t n = strcspn(layers, ", ");
        if (n && strncmp(name, layers, n) == 0)
            return true;
        layers += n + (layers[n] != 0);
    }
    return false;
}

static bool is_system(const char *name) {
    static const char *const own[] = {"libc.so", "libpthread.so", "ld-linux", NULL};
    return begins_with_one_of(name, own);
}

/* 0 where the frame's layout is beyond what a rule can say. */
static uint64_t rule_of(const struct refrain_frame_rule *frame) {
    int64_t words = frame->frame_pointer_saved ? -frame->frame_pointer_offset / 8 : 0;
    if (frame->cfa_offset < 0 || frame->cfa_offset > UINT32_MAX || words < 0 || words > 0xffffff ||
        (frame->frame_pointer_saved && frame->frame_pointer_offset % 8 != 0))
        return 0;
    return REFRAIN_RULE | (frame->from_frame_pointer ? REFRAIN_RULE_FROM_FRAME_POINTER : 0) |
           (frame->frame_pointer_saved ? REFRAIN_RULE_FRAME_POINTER_SAVED : 0) | (uint64_t)words << 8 |
           (uint64_t)frame->cfa_offset << 32;
}

void refrain_caller_look(uintptr_t address, const char *layers, struct refrain_caller_code *code) {
    /* The instruction before the return address is the call: what follows may belong to another function. */
    struct object object = {.address = address - 1, .path = ""};
    struct refrain_frame_rule frame;
    bool found = dl_iterate_phdr(find_object, &object) != 0;
    const char *slash = strrchr(object.path, '/'), *name = slash ? slash + 1 : object.path;
    *code = (struct refrain_caller_code){.is_layer = found && is_layer(name, layers),
                                         .is_system = found && is_system(name),
                                         .load_address = object.load_address,
                                         .path = object.path};
    if (found && object.frames && refrain_frame_find(object.frames, address - 1, &frame)) {
        code->rule = rule_of(&frame);
        code->function = frame.function;
    }
}

uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    struct refrain_caller_code code;
    refrain_caller_look(address, layers, &code);
    return code.is_layer ? code.rule : 0;
}

#else
void refrain_caller_look(uintptr_t address, const char *layers, struct refrain_caller_code *code) {
    (void)address;
    (void)layers;
    *code = (struct refrain_caller_code){.path = ""};
}

uint64_t refrain_caller_rule(uintptr_t address, const char *layers) {
    (void)address;
    (void)layers;
    return 0;
}
#endif
