/* test_caller.c: the rules read from .eh_frame lead from frame to frame as libgcc's unwinder goes, through functions
 * with frames of many kinds. */
#define _GNU_SOURCE
#include "arch/caller.h"
#include "arch/x86_64/frame_table.h"

#include <alloca.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unwind.h>

#define MOST_FRAMES 64
#define RUNS 200

static unsigned checked, failed;

struct expected {
    uintptr_t address[MOST_FRAMES];
    unsigned n;
};

static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *data) {
    struct expected *expected = data;
    if (expected->n < MOST_FRAMES)
        expected->address[expected->n++] = _Unwind_GetIP(context);
    return _URC_NO_REASON;
}

struct search {
    uintptr_t address;
    const unsigned char *frames;
};

static int find(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    struct search *search = data;
    bool here = false;
    const unsigned char *frames = NULL;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;
        here |= header->p_type == PT_LOAD && search->address - begin < header->p_memsz;
        if (header->p_type == PT_GNU_EH_FRAME)
            frames = (const unsigned char *)begin;
    }
    if (here)
        search->frames = frames;
    return here;
}

/* Walks up from here by the rules until main, and compares each return address with that of the C library. */
static __attribute__((noinline)) void compare(void) {
    struct expected expected = {.n = 0};
    _Unwind_Backtrace(collect, &expected);
    const uintptr_t *frame = __builtin_frame_address(0);
    struct refrain_caller caller = refrain_caller_of_wrapper(__builtin_return_address(0), frame);
    unsigned at = 0;
    while (at < expected.n && expected.address[at] != caller.address)
        at++;
    for (; at + 3 < expected.n; at++) {
        struct search search = {.address = caller.address - 1};
        struct refrain_frame_rule rule;
        dl_iterate_phdr(find, &search);
        if (!search.frames || !refrain_frame_find(search.frames, caller.address - 1, &rule)) {
            printf("FAILED: no rule for frame %u\n", at);
            failed++;
            return;
        }
        uintptr_t base = rule.from_frame_pointer ? caller.frame_pointer : caller.stack_pointer;
        uintptr_t cfa = base + (uintptr_t)rule.cfa_offset;
        if (rule.frame_pointer_saved)
            caller.frame_pointer = *(uintptr_t *)(cfa + (uintptr_t)rule.frame_pointer_offset);
        caller.address = *(uintptr_t *)(cfa - 8);
        caller.stack_pointer = cfa;
        checked++;
        if (caller.address != expected.address[at + 1]) {
            printf("FAILED: frame %u leads to %#lx, not %#lx\n", at, (unsigned long)caller.address,
                   (unsigned long)expected.address[at + 1]);
            failed++;
            return;
        }
    }
}

/* ---- frames of many kinds, in a chain that depends on `kinds` ---- */

static volatile int sink;
static void next(unsigned kinds, int depth);

static __attribute__((noinline)) void plain(unsigned kinds, int depth) {
    next(kinds, depth);
    sink++;
}

static __attribute__((noinline)) void large(unsigned kinds, int depth) {
    volatile char room[3000];
    room[depth] = (char)kinds;
    next(kinds, depth);
    sink += room[depth];
}

static __attribute__((noinline)) void growing(unsigned kinds, int depth) {
    volatile char *room = alloca((size_t)(kinds % 97 + 17 * (unsigned)depth + 1));
    room[0] = 1;
    next(kinds, depth);
    sink += room[0];
}

static __attribute__((noinline)) void saving(unsigned kinds, int depth) {
    int a = sink, b = sink * 3, c = sink ^ 5, d = sink + 7, e = sink - 9, f = sink * sink;
    next(kinds, depth);
    sink += a + b * c + d * e + f;
}

static __attribute__((noinline)) int pushing(unsigned kinds, int depth, int c, int d, int e, int f, int g, int h) {
    next(kinds, depth);
    return c + d + e + f + g * h;
}

static __attribute__((noinline)) void many(unsigned kinds, int depth) {
    sink += pushing(kinds, depth, 1, 2, 3, 4, sink, depth);
}

static __attribute__((noinline)) void leaving_early(unsigned kinds, int depth) {
    if (sink == -12345)
        return;
    for (int i = 0; i < 2; i++)
        if (i == 1)
            next(kinds, depth);
    sink++;
}

static void next(unsigned kinds, int depth) {
    static void (*const functions[])(unsigned, int) = {plain, large, growing, saving, many, leaving_early};
    if (depth == 0)
        compare();
    else
        functions[kinds % 6](kinds / 6 * 31 + kinds % 7, depth - 1);
    sink++;
}

int main(void) {
    for (unsigned i = 0; i < RUNS; i++)
        next(i * 2654435761u, (int)(i % 12));
    printf("%u frames checked, %u failed\n", checked, failed);
    return failed > 0 || checked < RUNS;
}
