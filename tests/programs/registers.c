/* registers.c: registers STEPS | registers throttle: runs sites (refrain/unit.h) with random contents in all registers
 * that a function may change, and compares them afterwards. It covers the probe that opens the trace file, predicted
 * and unpredicted ones, those that open a window of the event file or disable a probe. Prints "N probes, N registers
 * changed: NAMES". x86-64 with XSAVE. Not instrumented: its tables are made by hand. */
#include <refrain/unit.h>

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FUNCTION = 0, IF = 2, LOOP = 5, CALL = 8, SPARE = 10, SLOTS = 13 };

static const char strings[] = "\0registers.c";
static const struct refrain_node nodes[] = {
    {.kind = REFRAIN_UNIT, .slot = REFRAIN_NO_SLOT, .name = 1, .file = 1},
    {.kind = REFRAIN_FUNCTION, .slot = FUNCTION, .line = 1, .name = 1, .file = 1},
    {.kind = REFRAIN_IF, .parent = 1, .slot = IF, .line = 2, .file = 1},
    {.kind = REFRAIN_FOR, .parent = 1, .slot = LOOP, .line = 3, .file = 1},
    {.kind = REFRAIN_CALL, .parent = 1, .slot = CALL, .line = 4, .file = 1},
    {.kind = REFRAIN_FOR, .parent = 1, .slot = SPARE, .line = 5, .file = 1},
};
static unsigned char on[SLOTS] __asm__("registers_on") __attribute__((__used__));
static const unsigned char base[SLOTS] = {[FUNCTION] = 1, [IF] = 1, [LOOP] = 1, [CALL] = 1, [SPARE] = 1};
extern const struct refrain_site first_site[] __asm__("__start_refrain_sites_10");
extern const struct refrain_site last_site[] __asm__("__stop_refrain_sites_10");
static struct refrain_unit unit = {.n_nodes = sizeof nodes / sizeof *nodes,
                                   .n_slots = SLOTS,
                                   .strings_bytes = sizeof strings,
                                   .nodes = nodes,
                                   .strings = strings,
                                   .on = on,
                                   .base = base};
static struct refrain_units units = {
    .version = REFRAIN_UNIT_VERSION, .sites = first_site, .sites_end = last_site, .unit = &unit};

/* ---- sites ---- */

/* One for each slot that is reached, as inserted code has them, with a return behind it. */
#define SITE(slot)                                                                                                     \
    ".p2align 4\nregisters_site_" #slot ":\n661: call 9f\n"                                                            \
    ".pushsection refrain_sites_10, \"a\", @progbits\n.long 661b - .\n.long registers_on + " #slot                     \
    " - .\n.popsection\n"                                                                                              \
    "ret\n"
#define SITES_OF(site) site(0) site(1) site(3) site(4) site(6) site(7) site(8) site(10)
__asm__(".pushsection .text\n" SITES_OF(SITE) "9: jmp *refrain_site_10@GOTPCREL(%rip)\n.popsection\n");
#define DECLARE(slot) void site_##slot(void) __asm__("registers_site_" #slot);
SITES_OF(DECLARE)
#define ENTRY(slot) [slot] = site_##slot,
static void (*const site_of[SLOTS])(void) = {SITES_OF(ENTRY)};

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, R8, R9, R10, R11, R12, R13, R14, R15, GENERAL };
static const char *const general_names[GENERAL] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "r8",
                                                   "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

/* Registers before and after the site. The assembler below knows the offsets of the first members. */
struct run {
    uint64_t before[GENERAL], after[GENERAL]; /* 0, 120 */
    unsigned char *vectors, *vectors_after;   /* 240, 248: XSAVE areas */
    uint64_t components, stack;               /* 256, 264 */
};

/* In the middle nothing but the stack pointer is as the compiler knows it; `running` and `site` are found by their
 * addresses. */
static struct run *running __asm__("registers_running") __attribute__((__used__));
static void (*site)(void) __asm__("registers_site") __attribute__((__used__));
void run_site(void) __asm__("registers_run_site");
__asm__(".pushsection .text\n"
        ".type registers_run_site, @function\n"
        "registers_run_site:\n"
        "push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
        "mov registers_running(%rip), %rdi\n"
        "mov %rsp, 264(%rdi)\n"
        "mov 240(%rdi), %rbx; mov 256(%rdi), %eax; xor %edx, %edx; xrstor64 (%rbx)\n"
        "mov 0(%rdi), %rax; mov 8(%rdi), %rbx; mov 16(%rdi), %rcx; mov 24(%rdi), %rdx; mov 32(%rdi), %rsi\n"
        "mov 48(%rdi), %rbp; mov 56(%rdi), %r8; mov 64(%rdi), %r9; mov 72(%rdi), %r10; mov 80(%rdi), %r11\n"
        "mov 88(%rdi), %r12; mov 96(%rdi), %r13; mov 104(%rdi), %r14; mov 112(%rdi), %r15; mov 40(%rdi), %rdi\n"
        "call *registers_site(%rip)\n"
        "push %rdi; mov registers_running(%rip), %rdi\n"
        "mov %rax, 120(%rdi); mov %rbx, 128(%rdi); mov %rcx, 136(%rdi); mov %rdx, 144(%rdi); mov %rsi, 152(%rdi)\n"
        "pop 160(%rdi)\n"
        "mov %rbp, 168(%rdi); mov %r8, 176(%rdi); mov %r9, 184(%rdi); mov %r10, 192(%rdi); mov %r11, 200(%rdi)\n"
        "mov %r12, 208(%rdi); mov %r13, 216(%rdi); mov %r14, 224(%rdi); mov %r15, 232(%rdi)\n"
        "sub %rsp, 264(%rdi)\n"
        "mov 248(%rdi), %rbx; mov 256(%rdi), %eax; xor %edx, %edx; xsave64 (%rbx)\n"
        "add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
        "ret\n"
        ".popsection\n");

/* ---- random contents ---- */

static uint64_t state = 88172645463325252u;

static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

#define AREA_BYTES 4096u
static unsigned char before[AREA_BYTES] __attribute__((__aligned__(64)));
static unsigned char after[AREA_BYTES] __attribute__((__aligned__(64)));

/* The parts of an XSAVE area that contain only registers. */
static struct part {
    const char *name;
    unsigned offset, bytes;
} parts[8];
static unsigned n_parts;
static uint64_t components;

static int find_parts(void) {
    static const struct {
        unsigned bit;
        const char *name;
    } further[] = {{2, "ymm"}, {5, "k"}, {6, "zmm0-15"}, {7, "zmm16-31"}};
    unsigned a, b, c, d, enabled, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    __asm__("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
    parts[n_parts++] = (struct part){"xmm", 160, 256};
    components = 2;
    for (unsigned i = 0; i < sizeof further / sizeof *further; i++)
        if (enabled >> further[i].bit & 1) {
            __cpuid_count(0xd, further[i].bit, a, b, c, d);
            if (a + b > AREA_BYTES)
                continue;
            parts[n_parts++] = (struct part){further[i].name, b, a};
            components |= 1u << further[i].bit;
        }
    return 1;
}

static unsigned long n_probes, n_changed;
static char changed[1000];

static void tell(unsigned slot, const char *name) {
    size_t used = strlen(changed);
    if (n_changed++ < 20)
        snprintf(changed + used, sizeof changed - used, " %s at slot %u,", name, slot);
}

/* Runs the site that reaches `slot`, with the frame's address in r11 if a function is entered or left, and a count in
 * rax. */
static void run(unsigned slot, const struct refrain_frame *frame, uint64_t count) {
    struct run of = {.vectors = before, .vectors_after = after, .components = components};
    for (unsigned i = 0; i < GENERAL; i++)
        of.before[i] = next();
    if (slot == FUNCTION || slot == FUNCTION + 1)
        of.before[R11] = (uint64_t)(uintptr_t)frame;
    if (slot == SPARE)
        of.before[RAX] = count;
    for (unsigned i = 0; i < n_parts; i++)
        for (unsigned j = 0; j < parts[i].bytes; j += 8) {
            uint64_t word = next();
            memcpy(before + parts[i].offset + j, &word, 8);
        }
    memcpy(before + 512, &components, 8); /* all of them are in the area */
    before[24] = 0x80;                    /* MXCSR, with SSE: exceptions masked */
    before[25] = 0x1f;
    memset(after, 0, sizeof after);
    running = &of;
    site = site_of[slot];
    n_probes++;
    run_site();
    for (unsigned i = 0; i < GENERAL; i++)
        if (of.before[i] != of.after[i])
            tell(slot, general_names[i]);
    for (unsigned i = 0; i < n_parts; i++)
        if (memcmp(before + parts[i].offset, after + parts[i].offset, parts[i].bytes) != 0)
            tell(slot, parts[i].name);
    if (of.stack != 0)
        tell(slot, "rsp");
}

/* The same without a comparison of registers, as fast as a program may reach its probes. */
static void pass(unsigned slot, const struct refrain_frame *frame, uint64_t count) {
    register const struct refrain_frame *activation __asm__("r11") = frame;
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tcall *%[site]\n\tlea 128(%%rsp), %%rsp"
                     :
                     : [site] "r"(site_of[slot]), "r"(activation), "a"(count)
                     : "cc", "memory");
}

/* Every 64th probe is measured, and may be disabled: compares the registers for this one. */
static void often(unsigned slot, const struct refrain_frame *frame, uint64_t count) {
    static unsigned long n;
    (++n % 64 == 0 ? run : pass)(slot, frame, count);
}

static bool function_slept, spare_slept; /* later they may be woken again */

/* Probes that are throttled, each by one that a site ran: they take more than they may, as they do nothing else. */
static void throttle(void) {
    struct refrain_frame frame;
    time_t begin = time(NULL);
    often(FUNCTION, &frame, 0);
    while (on[SPARE] && time(NULL) < begin + 20)
        for (unsigned i = 0; i < 64 && on[SPARE]; i++)
            often(SPARE, &frame, 3);
    spare_slept = !on[SPARE];
    often(FUNCTION + 1, &frame, 0);
    while (on[FUNCTION] && time(NULL) < begin + 40)
        for (unsigned i = 0; i < 64 && on[FUNCTION]; i++) {
            often(FUNCTION, &frame, 0);
            often(CALL, &frame, 0);
            often(FUNCTION + 1, &frame, 0);
        }
    function_slept = !on[FUNCTION];
    run(FUNCTION, &frame, 0);
    run(FUNCTION + 1, &frame, 0);
}

static void walk(long steps) {
    for (long step = 0; step < steps; step++) {
        struct refrain_frame frame;
        run(FUNCTION, &frame, 0);
        run(CALL, &frame, 0);
        /* first as expected, then in no order at all */
        run(IF + 1 + (step < steps / 4 ? step & 1 : (int64_t)(next() >> 63)), &frame, 0);
        unsigned n = step < steps / 4 ? 3 : next() % 4;
        for (unsigned i = 0; i <= n; i++)
            run(i < n ? LOOP + 1 : LOOP + 2, &frame, 0);
        run(SPARE, &frame, step < steps / 4 ? 7 : next() >> 40);
        run(FUNCTION + 1, &frame, 0);
    }
}

int main(int argc, char **argv) {
    if (!find_parts()) {
        printf("no XSAVE\n");
        return 77;
    }
    refrain_register(&units);
    if (argc > 1 && strcmp(argv[1], "throttle") == 0)
        throttle();
    else
        walk(argc > 1 ? atol(argv[1]) : 100000);
    printf("%lu probes, %lu registers changed:%s\n", n_probes, n_changed, changed);
    printf("%s, %s, %u kinds of vector registers\n", function_slept ? "throttled" : "on",
           spare_slept ? "throttled" : "on", n_parts);
    refrain_unregister(&units);
    return n_changed != 0;
}
