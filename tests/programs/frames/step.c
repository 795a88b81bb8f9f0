/* step.c: runs shapes.c one instruction at a time and looks, between each two, at what probes' sites promise (unit.h):
 *
 *     registers   at the instruction after a site all of them are as before it, vector registers too, and so is what
 *                 lies above the stack pointer
 *     frames      wherever control is within a probe, the frames found from there lead back to the site, and from
 *                 there on to where they led before it; not so in .text.refrain, which is counted
 *     handlers    stepped (step.h), instrumented itself, is called at each in .text.refrain, and at some others, also
 * on another stack
 *
 * Usage: step TURNS [registers] [frames] [handlers] [altstack]. Prints what shapes computed and one line "N steps, N
 * sites, ... N wrong", after the first of what is wrong. Not instrumented. All that is
 * has one .text.refrain. x86-64, Linux. */
#define _GNU_SOURCE
#include "step.h"
#include "shapes.h"
#include <cpuid.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <refrain/unit.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
    FRAMES = 48,
    ABOVE = 64,
    OPEN = 16,
    TRAP = 0x100,
    HANDLER_STEPS = 100000,
    KEPT_FLAGS = 0x40400 /* alignment check, direction */
};

extern const struct refrain_site __start_refrain_sites_10[] __attribute__((weak, visibility("hidden")));
extern const struct refrain_site __stop_refrain_sites_10[] __attribute__((weak, visibility("hidden")));

static int registers, frames, handlers;
static unsigned long steps, sites, off, in_probe, in_stub, lost_in_stub, wrong;

/* ---- where is what ---- */

static unsigned char *listed; /* for each byte from text_begin: does a site begin with it? */
static uintptr_t text_begin, text_end, stub_begin, stub_end;

static uintptr_t code_of(const struct refrain_site *site) {
    return (uintptr_t)&site->code + (uintptr_t)(intptr_t)site->code;
}

static void find_code(void) {
    text_begin = UINTPTR_MAX;
    stub_begin = UINTPTR_MAX;
    for (const struct refrain_site *site = __start_refrain_sites_10; site < __stop_refrain_sites_10; site++) {
        uintptr_t code = code_of(site);
        int32_t distance;
        memcpy(&distance, (void *)(code + 1), 4);
        uintptr_t stub = code + 5 + (uintptr_t)(intptr_t)distance;
        text_begin = code < text_begin ? code : text_begin;
        text_end = code >= text_end ? code + 1 : text_end;
        stub_begin = stub < stub_begin ? stub : stub_begin;
        stub_end = stub >= stub_end ? stub + 1 : stub_end;
    }
    listed = calloc(text_end - text_begin, 1);
    for (const struct refrain_site *site = __start_refrain_sites_10; site < __stop_refrain_sites_10; site++)
        listed[code_of(site) - text_begin] = 1;
}

/* ---- one site under way ---- */

/* A site that control has come to. */
struct place {
    uintptr_t at, stack;
    greg_t general[NGREG];
    unsigned char vectors[2048];
    uint64_t above[ABOVE];
    void *frame[FRAMES];
    int n_frames;
};
static struct place open_places[OPEN];
static int n_open;

static void complain(const char *what, uintptr_t at, uintptr_t site) {
    Dl_info in = {0};
    if (wrong++ < 5)
        printf("wrong: %s %#lx behind a site in %s\n", what, (unsigned long)(at - site),
               dladdr((void *)site, &in) && in.dli_sname ? in.dli_sname : "?");
}

static unsigned avx_offset, avx_bytes; /* within such an area */

/* The SSE and AVX registers of a signal's context: zeros where the processor has nothing to save. */
static void take_vectors(const ucontext_t *context, unsigned char *to) {
    const unsigned char *area = (const unsigned char *)context->uc_mcontext.fpregs;
    uint64_t has = 2;
    uint32_t magic;
    memset(to, 0, 2048);
    memcpy(&magic, area + 464, 4); /* FP_XSTATE_MAGIC1: the extended area follows */
    memcpy(to + 256, area, 24);    /* x87's control words are among these, and MXCSR */
    memset(to + 256 + 8, 0, 16);   /* its last instruction and operand are not kept */
    if (magic == 0x46505853u)
        memcpy(&has, area + 512, 8);
    if (has & 2)
        memcpy(to, area + 160, 256);
    if (has & 4 && avx_bytes <= 256)
        memcpy(to + 512, area + avx_offset, avx_bytes);
}

static int is_stub(uintptr_t at) {
    return at >= stub_begin && at < stub_end + 64 && at != 0;
}

static int is_site(uintptr_t at) {
    return at >= text_begin && at < text_end && listed[at - text_begin];
}

static int find_frames(uintptr_t at, void **found) {
    void *all[FRAMES + 8];
    int n = backtrace(all, FRAMES + 8), first = 0;
    while (first < n && (uintptr_t)all[first] != at)
        first++;
    n = n - first < FRAMES ? n - first : FRAMES;
    memcpy(found, all + first, (size_t)n * sizeof *found);
    return n;
}

static void begin_site(uintptr_t at, const ucontext_t *context) {
    sites++;
    if (n_open == OPEN) {
        complain("too many probes within each other", at, at);
        return;
    }
    struct place *place = &open_places[n_open++];
    place->at = at;
    place->stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    if (*(unsigned char *)at == REFRAIN_SITE_OFF)
        off++;
    memcpy(place->general, context->uc_mcontext.gregs, sizeof place->general);
    memcpy(place->above, (void *)place->stack, sizeof place->above);
    if (registers)
        take_vectors(context, place->vectors);
    if (frames) {
        place->n_frames = find_frames(at, place->frame);
        if (place->n_frames < 3)
            complain("no frames before a site", at, at);
    }
}

static void end_site(const struct place *place, const ucontext_t *context) {
    static const char *const names[] = {"r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15",
                                        "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp"};
    const greg_t *now = context->uc_mcontext.gregs;
    for (int i = REG_R8; i <= REG_RSP; i++)
        if (now[i] != place->general[i])
            complain(names[i], (uintptr_t)now[REG_RIP], place->at);
    if ((now[REG_EFL] ^ place->general[REG_EFL]) & KEPT_FLAGS)
        complain("flags", (uintptr_t)now[REG_RIP], place->at);
    if (registers) {
        unsigned char vectors[2048];
        take_vectors(context, vectors);
        if (memcmp(vectors, place->vectors, sizeof vectors) != 0)
            complain("a vector register", (uintptr_t)now[REG_RIP], place->at);
    }
    if (memcmp((void *)place->stack, place->above, sizeof place->above) != 0)
        complain("the stack", (uintptr_t)now[REG_RIP], place->at);
}

/* Within a probe: the frames lead to the place behind the site and on from there. */
static void look_at_frames(uintptr_t at, const struct place *place) {
    void *found[FRAMES];
    int n = find_frames(at, found), i = 0;
    while (i < n && (uintptr_t)found[i] != place->at + 5)
        i++;
    int rest = n - i < place->n_frames ? n - i : place->n_frames;
    int leads = rest >= 3 && memcmp(found + i + 1, place->frame + 1, (size_t)(rest - 1) * sizeof *found) == 0;
    if (is_stub(at)) {
        in_stub++;
        lost_in_stub += !leads;
        return;
    }
    in_probe++;
    if (!leads) {
        Dl_info in = {0};
        dladdr((void *)at, &in);
        if (wrong < 5)
            printf("wrong: in %s+%#lx\n", in.dli_sname ? in.dli_sname : "?",
                   (unsigned long)(at - (uintptr_t)in.dli_saddr));
        complain("frames", at, place->at);
    }
}

/* ---- one step ---- */

static void on_step(int signal, siginfo_t *info, void *data) {
    (void)signal;
    (void)info;
    ucontext_t *context = data;
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    uintptr_t stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    steps++;
    while (n_open && stack > open_places[n_open - 1].stack)
        n_open--; /* left by a jump */
    struct place *place = n_open ? &open_places[n_open - 1] : NULL;
    if (place && at == place->at + 5 && stack == place->stack) {
        end_site(place, context);
        n_open--;
        place = NULL;
    }
    if (!is_stub(at) && is_site(at))
        begin_site(at, context);
    else if (frames && place)
        look_at_frames(at, place);
    if (handlers && (is_stub(at) || steps % 64 == 0)) {
        stepped((int)(steps / 7 % 1000));
        if (steps > HANDLER_STEPS) /* the more comes at any time, the more each probe has to do */
            context->uc_mcontext.gregs[REG_EFL] &= ~TRAP;
    }
}

static void step(int on) {
    if (on)
        __asm__ __volatile__("lea -128(%%rsp), %%rsp\n\tpushf\n\torl $0x100, (%%rsp)\n\tpopf\n\tlea 128(%%rsp), %%rsp"
                             :
                             :
                             : "memory", "cc");
    else
        __asm__ __volatile__(
            "lea -128(%%rsp), %%rsp\n\tpushf\n\tandl $0xfffffeff, (%%rsp)\n\tpopf\n\tlea 128(%%rsp), %%rsp"
            :
            :
            : "memory", "cc");
}

static const char *told[64];
static unsigned long told_value[64];
static int n_told;
static void tell(const char *name, unsigned long value) {
    told[n_told % 64] = name;
    told_value[n_told++ % 64] = value;
}

int main(int argc, char **argv) {
    int turns = argc > 1 ? atoi(argv[1]) : 1;
    for (int i = 2; i < argc; i++) {
        registers |= strcmp(argv[i], "registers") == 0;
        frames |= strcmp(argv[i], "frames") == 0;
        handlers |= strcmp(argv[i], "handlers") == 0;
    }
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO | SA_RESTART};
    if (strcmp(argv[argc - 1], "altstack") == 0) {
        stack_t other = {.ss_size = 1 << 20};
        other.ss_sp = mmap(NULL, other.ss_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        sigaltstack(&other, NULL);
        action.sa_flags |= SA_ONSTACK;
    }
    void *first[4];
    backtrace(first, 4); /* loads what it needs */
    find_code();
    unsigned c, d;
    __cpuid_count(0xd, 2, avx_bytes, avx_offset, c, d);
    sigaction(SIGTRAP, &action, NULL);
    unsigned long sum = shapes_turn(100, NULL); /* opens the region */
    if (handlers)
        stepped(0);
    for (int turn = 0; turn < turns; turn++) {
        n_told = 0;
        step(1);
        sum = sum * 31 + shapes_turn(turn, tell);
        step(0);
        for (int i = 0; i < n_told; i++)
            printf("%s %lx\n", told[i], told_value[i]);
    }
    printf("sum %lx\n", sum);
    printf("%lu steps, %lu sites, %lu off, %lu steps in probes, %lu in .text.refrain (%lu of them without frames), %lu "
           "wrong\n",
           steps, sites, off, in_probe, in_stub, lost_in_stub, wrong);
    return wrong != 0;
}
