/* step.c: runs shapes.c one instruction at a time and looks, between each two, at what probes' sites promise (unit.h):
 *
 *     registers   at the instruction behind a site all of them are as before it, vector registers too, and so is what
 *                 lies above the stack pointer, but for the frame that refrain_site_enter and _leave may write
 *     frames      wherever control is within a probe, the frames found from there lead back to the site, and from
 *                 there on to where they led before it; not so in .text.refrain, which is counted
 *     handlers    stepped (step.h), instrumented itself, is called between any two of them, also on another stack
 *
 * Usage: step TURNS registers|frames|handlers [altstack]. Prints what shapes computed and one line "N steps, N sites, N
 * off, ... N wrong", after the first of what is wrong. Not instrumented. x86-64, Linux. */
#define _GNU_SOURCE
#include "shapes.h"
#include "step.h"
#include <cpuid.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <refrain/unit.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum { FRAMES = 48, ABOVE = 64, OPEN = 16, TRAP = 0x100, KEPT_FLAGS = 0x40400 /* alignment check, direction */ };

extern const struct refrain_site __start_refrain_sites[] __attribute__((weak, visibility("hidden")));
extern const struct refrain_site __stop_refrain_sites[] __attribute__((weak, visibility("hidden")));

static enum { REGISTERS, NO_REGISTERS } registers = NO_REGISTERS;
static int frames, handlers;
static unsigned long steps, sites, off, in_probe, in_stub, lost_in_stub, wrong;

/* ---- where is what ---- */

static unsigned char *text_kind; /* of each byte from text_begin: a site's first, or 0 */
static uintptr_t text_begin, text_end, library_begin, library_end, stub_begin, stub_end;

static uintptr_t code_of(const struct refrain_site *site) {
    return (uintptr_t)&site->code + (uintptr_t)(intptr_t)site->code;
}

static int find_library(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    uintptr_t within = *(uintptr_t *)data;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X && within >= begin &&
            within < begin + info->dlpi_phdr[i].p_memsz) {
            library_begin = begin;
            library_end = begin + info->dlpi_phdr[i].p_memsz;
        }
    }
    return 0;
}

static void find_code(void) {
    text_begin = UINTPTR_MAX;
    stub_begin = UINTPTR_MAX;
    for (const struct refrain_site *site = __start_refrain_sites; site < __stop_refrain_sites; site++) {
        uintptr_t code = code_of(site);
        int32_t distance;
        memcpy(&distance, (void *)(code + 1), 4);
        uintptr_t stub = code + 5 + (uintptr_t)(intptr_t)distance;
        text_begin = code < text_begin ? code : text_begin;
        text_end = code >= text_end ? code + 1 : text_end;
        stub_begin = stub < stub_begin ? stub : stub_begin;
        stub_end = stub >= stub_end ? stub + 1 : stub_end;
    }
    text_kind = calloc(text_end - text_begin, 1);
    for (const struct refrain_site *site = __start_refrain_sites; site < __stop_refrain_sites; site++)
        text_kind[code_of(site) - text_begin] = 1;
    uintptr_t entry = (uintptr_t)dlsym(RTLD_DEFAULT, "refrain_site_enter");
    dl_iterate_phdr(find_library, &entry);
}

/* ---- one site under way ---- */

/* A site that control has come to, or a call of refrain__leave, which is not listed: the call into .text.refrain. */
struct place {
    uintptr_t at, stack;
    greg_t general[NGREG];
    unsigned char vectors[2048];
    uint64_t above[ABOVE];
    void *frame[FRAMES];
    int n_frames, lists;
};
static struct place open_places[OPEN];
static int n_open;

static void complain(const char *what, uintptr_t at, uintptr_t site) {
    Dl_info in = {0};
    if (wrong++ < 5)
        printf("%s at %#lx, site at %#lx in %s\n", what, (unsigned long)(at - text_begin),
               (unsigned long)(site - text_begin), dladdr((void *)site, &in) && in.dli_sname ? in.dli_sname : "?");
}

/* The SSE and AVX registers of a signal's context: zeros where the processor has nothing to save. */
static void take_vectors(const ucontext_t *context, unsigned char *to) {
    static unsigned avx_offset, avx_bytes;
    const unsigned char *area = (const unsigned char *)context->uc_mcontext.fpregs;
    uint64_t has = 3;
    uint32_t magic;
    memset(to, 0, 2048);
    memcpy(&magic, area + 464, 4); /* FP_XSTATE_MAGIC1: the extended area follows */
    memcpy(to + 256, area, 24);    /* x87's control words are among these, and MXCSR */
    memset(to + 256 + 8, 0, 16);   /* its last instruction and operand are not kept */
    if (magic == 0x46505853u)
        memcpy(&has, area + 512, 8);
    if (has & 2)
        memcpy(to, area + 160, 256);
    if (avx_bytes == 0) {
        unsigned b, c, d;
        __cpuid_count(0xd, 2, avx_bytes, avx_offset, c, d);
        (void)b;
    }
    if (has & 4 && avx_bytes <= 256)
        memcpy(to + 512, area + avx_offset, avx_bytes);
}

static int is_stub(uintptr_t at) {
    return at >= stub_begin && at < stub_end + 64 && at != 0;
}

static int is_site(uintptr_t at, int *lists) {
    *lists = at >= text_begin && at < text_end && text_kind[at - text_begin];
    if (*lists)
        return 1;
    if (at < text_begin - 4096 || at >= text_end + 4096 || *(unsigned char *)at != REFRAIN_SITE_ON)
        return 0;
    int32_t distance;
    memcpy(&distance, (void *)(at + 1), 4);
    return is_stub(at + 5 + (uintptr_t)(intptr_t)distance);
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

static void begin_site(uintptr_t at, int lists, const ucontext_t *context) {
    sites++;
    if (n_open == OPEN) {
        complain("too many probes within each other", at, at);
        return;
    }
    struct place *place = &open_places[n_open++];
    place->at = at;
    place->lists = lists;
    place->stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    if (*(unsigned char *)at == REFRAIN_SITE_OFF)
        off++;
    memcpy(place->general, context->uc_mcontext.gregs, sizeof place->general);
    memcpy(place->above, (void *)place->stack, sizeof place->above);
    if (registers == REGISTERS)
        take_vectors(context, place->vectors);
    if (frames) {
        place->n_frames = find_frames(at, place->frame);
        if (place->n_frames < 3)
            complain("no frames before a site", at, at);
    }
}

static void end_site(const struct place *place, const ucontext_t *context) {
    static const char *const names[] = {"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi",
                                        "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp"};
    const greg_t *now = context->uc_mcontext.gregs;
    for (int i = REG_R8; i <= REG_RSP; i++)
        if (now[i] != place->general[i])
            complain(names[i], (uintptr_t)now[REG_RIP], place->at);
    if ((now[REG_EFL] ^ place->general[REG_EFL]) & KEPT_FLAGS)
        complain("flags", (uintptr_t)now[REG_RIP], place->at);
    if (registers == REGISTERS) {
        unsigned char vectors[2048];
        take_vectors(context, vectors);
        if (memcmp(vectors, place->vectors, sizeof vectors) != 0)
            complain("a vector register", (uintptr_t)now[REG_RIP], place->at);
    }
    int changed = 0; /* words, of which a frame has two */
    for (int i = 0; i < ABOVE; i++)
        changed += ((uint64_t *)place->stack)[i] != place->above[i];
    if (changed > 2)
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
            printf("%s+%#lx of %#lx: %d frames, %d behind the site\n", in.dli_sname ? in.dli_sname : "?",
                   (unsigned long)(at - (uintptr_t)in.dli_saddr), (unsigned long)(at - library_begin), n, rest);
        complain("frames", at, place->at);
    }
}

/* ---- one step ---- */

static void on_step(int signal, siginfo_t *info, void *data) {
    (void)signal;
    (void)info;
    const ucontext_t *context = data;
    uintptr_t at = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    uintptr_t stack = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
    int lists;
    steps++;
    while (n_open && stack > open_places[n_open - 1].stack)
        n_open--; /* left by a jump */
    struct place *place = n_open ? &open_places[n_open - 1] : NULL;
    if (place && at == place->at + 5 && stack == place->stack) {
        end_site(place, context);
        n_open--;
        place = NULL;
    }
    if (!is_stub(at) && is_site(at, &lists))
        begin_site(at, lists, context);
    else if (frames && place)
        look_at_frames(at, place);
    if (handlers)
        stepped((int)(steps % 1000));
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
        registers = strcmp(argv[i], "registers") == 0 ? REGISTERS : registers;
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
