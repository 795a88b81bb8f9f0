/* test_caller.c: the rules read from .eh_frame lead from frame to frame as libgcc's unwinder goes, through functions
 * with frames of many kinds. Damaged tables are read only where there is memory. */
#define _GNU_SOURCE
#include "arch/caller.h"
#include "arch/x86_64/frame_table.h"

#include <alloca.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
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
        struct refrain_loaded object;
        struct refrain_frame_rule rule;
        if (!refrain_loaded_find(caller.address - 1, &object) ||
            !refrain_frame_find(&object, caller.address - 1, &rule)) {
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

/* ---- damaged tables ---- */

#define DAMAGES 40000u

/* A copy of the segment with this executable's tables. Behind it is no memory. */
static struct {
    ElfW(Phdr) segments[2];
    struct refrain_loaded object;
    const unsigned char *original;
    unsigned char *bytes;
    size_t n, from; /* the tables begin at `from` */
} copy;

static void copy_tables(void) {
    struct refrain_loaded own;
    refrain_loaded_find((uintptr_t)&copy_tables, &own);
    const ElfW(Phdr) *segments = own.segments, *frames = segments, *loaded = segments;
    while (frames->p_type != PT_GNU_EH_FRAME)
        frames++;
    while (loaded->p_type != PT_LOAD || frames->p_vaddr - loaded->p_vaddr >= loaded->p_memsz)
        loaded++;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), room = (loaded->p_memsz + page - 1) / page * page;
    unsigned char *memory = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + page, room, PROT_READ | PROT_WRITE);
    copy.n = loaded->p_memsz;
    copy.bytes = memory + page + room - copy.n;
    copy.original = (const unsigned char *)(own.load_address + loaded->p_vaddr);
    copy.from = frames->p_vaddr - loaded->p_vaddr;
    copy.segments[0] = *loaded;
    copy.segments[1] = *frames;
    copy.object = (struct refrain_loaded){"", (uintptr_t)copy.bytes - loaded->p_vaddr, copy.segments, 2};
    memcpy(copy.bytes, copy.original, copy.n);
}

/* Looks up an address in a function of this file. `to`: by how much the copy is farther away. */
static bool looks_up(unsigned i, uintptr_t to) {
    static void (*const functions[])(unsigned, int) = {plain, large, growing, saving, many, leaving_early, next};
    struct refrain_frame_rule rule;
    return refrain_frame_find(&copy.object, (uintptr_t)functions[i % 7] + i % 13 + to, &rule);
}

static void damage(void) {
    unsigned found = 0, whole = 0;
    copy_tables();
    const uintptr_t to = (uintptr_t)copy.bytes - (uintptr_t)copy.original;
    for (unsigned i = 0; i < 100; i++)
        whole += looks_up(i, to);
    srand(1);
    for (unsigned i = 0; i < DAMAGES; i++) {
        size_t at[4];
        for (unsigned k = 0; k < 4; k++) {
            /* In the header more often, which is a few bytes among many. */
            size_t room = k == 0 && i % 4 == 0 ? 64 : copy.n - copy.from;
            at[k] = copy.from + (size_t)rand() % room;
            copy.bytes[at[k]] = (unsigned char)(i % 3 ? rand() : 0xff);
        }
        found += looks_up((unsigned)rand(), to);
        for (unsigned k = 0; k < 4; k++)
            copy.bytes[at[k]] = copy.original[at[k]];
    }
    failed += whole < 90 || found == 0 || found == DAMAGES;
    printf("%u of 100 addresses found in whole tables, %u of %u in damaged ones\n", whole, found, DAMAGES);
}

int main(void) {
    damage();
    for (unsigned i = 0; i < RUNS; i++)
        next(i * 2654435761u, (int)(i % 12));
    printf("%u frames checked, %u failed\n", checked, failed);
    return failed > 0 || checked < RUNS;
}
