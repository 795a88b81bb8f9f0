/* Probes in optimised code for x86-64. A probe is an instruction of five bytes, its site: a call into .text.refrain, of
 * which the monitor makes another that does nothing, by one byte, where the probe is off (struct refrain_site, unit.h).
 * To the compiler it is an instruction that reads the frame and changes no register, so that the code around it is what
 * it would be without. A decision has two sites, one on either way, so that nothing has to be kept for the probe.
 *
 * In .text.refrain it is looked whether the probe is on, and the arguments are made: those registers are saved, the
 * stack pointer is set back to what it was at the site, since the frame may be found through it (what was saved lies
 * then in the 128 bytes below, which signal handlers spare), and lowered again. What refrain_site_... leave behind is
 * as before; they return to behind the site. The slot is 32 bits wide, the frame's address is computed in the
 * compiler's dialect of assembler, everything else in AT&T's.
 *
 * A function without calls may keep data below the stack pointer, where a call writes. So that none with sites is such
 * a function, there is one call that is never come to: where the function is entered, and at every site where the
 * compiler may make functions of their own from parts of it. */
#if defined __OPTIMIZE__ && !defined REFRAIN__NO_SITES && defined __x86_64__ && defined __ELF__ && \
    !defined __ILP32__ && !defined __code_model_medium__ && !defined __code_model_large__ && \
    ((defined __clang__ && __clang_major__ >= 12) || (!defined __clang__ && __GNUC__ >= 9))
#define REFRAIN__SITES
#define REFRAIN__ATT "{|.att_syntax\n\t}"
#define REFRAIN__OWN "{|.intel_syntax noprefix\n\t}"
#define REFRAIN__OUTSIDE ".pushsection .text.refrain, \"ax\", @progbits\n662:\t" REFRAIN__ATT
#define REFRAIN__LISTED "661:\tcall 662f\n\t" \
    ".pushsection refrain_sites, \"a\", @progbits\n\t.long 661b - .\n\t.long %c1 + %c2 - .\n\t.popsection\n\t" \
    REFRAIN__OUTSIDE "cmpb $0, %c1+%c2(%%rip)\n\tje 663f\n\t"
#define REFRAIN__CALLED(name, saved, arguments) "push %%rdi\n\tpush %%rsi\n\tpush %%rdx\n\t" \
    "lea " saved "(%%rsp), %%rsp\n\t" REFRAIN__OWN "lea {%0, %%rdi|rdi, %0}\n\t" REFRAIN__ATT \
    "lea -" saved "(%%rsp), %%rsp\n\t" arguments "jmp *refrain_site_" name "@GOTPCREL(%%rip)\n" \
    "663:\tret\n\t" REFRAIN__OWN ".popsection"
#define REFRAIN__SITE(name, arguments) __asm__ __volatile__ __inline__( \
    REFRAIN__LISTED REFRAIN__CALLED(name, "32", "mov $%c2, %%esi\n\t" arguments) \
    : : "m"(*frame), "i"(refrain__on), "i"(slot) : "cc")
__asm__(".weak refrain_site_enter, refrain_site_leave, refrain_site_at\n\t"
    ".weak refrain_site_if, refrain_site_loop, refrain_site_count");
REFRAIN__OUT void __attribute__((__cold__, __noreturn__)) refrain__never(void) {
    __builtin_trap();
}
REFRAIN__INLINE void refrain__may_call(void) {
    __asm__ __inline__ goto("" : : : : never);
    return;
never:
    refrain__never();
}
#if defined _OPENMP || defined _OPENACC || defined __BLOCKS__
#define REFRAIN__PART refrain__may_call()
#else
#define REFRAIN__PART (void)0
#endif
REFRAIN__INLINE int refrain__enter(refrain__frame *frame, unsigned int slot) {
    refrain__may_call();
    __asm__ __volatile__ __inline__(
        REFRAIN__LISTED REFRAIN__CALLED("enter", "32", "mov $%c2, %%esi\n\tlea %c3(%%rip), %%rdx\n\t")
        : "+m"(*frame) : "i"(refrain__on), "i"(slot), "i"(&refrain__u) : "cc");
    return 0;
}
/* No site: who entered leaves, whatever was switched meanwhile. */
REFRAIN__INLINE void refrain__leave(refrain__frame *frame) {
    if (frame->entry)
        __asm__ __volatile__ __inline__("call 662f\n\t" REFRAIN__OUTSIDE REFRAIN__CALLED("leave", "32", "")
            : "+m"(*frame) : : "cc");
}
REFRAIN__INLINE void refrain__at(refrain__frame *frame, unsigned int slot) {
    REFRAIN__PART;
    REFRAIN__SITE("at", "");
}
#define REFRAIN__DECISION(name) \
    REFRAIN__PART; \
    if (value) \
        REFRAIN__SITE(name, "mov $1, %%edx\n\t"); \
    else \
        REFRAIN__SITE(name, "xor %%edx, %%edx\n\t"); \
    return value
REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {
    REFRAIN__DECISION("if");
}
REFRAIN__INLINE int refrain__loop(refrain__frame *frame, unsigned int slot, int value) {
    REFRAIN__DECISION("loop");
}
/* The count, which may be in any register, is passed on the stack. */
REFRAIN__INLINE void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {
    REFRAIN__PART;
    __asm__ __volatile__ __inline__(
        REFRAIN__LISTED REFRAIN__OWN "push %3\n\t" REFRAIN__ATT REFRAIN__CALLED("count", "40", "mov $%c2, %%esi\n\t")
        : : "m"(*frame), "i"(refrain__on), "i"(slot), "r"(count) : "cc");
}
#undef REFRAIN__ATT
#undef REFRAIN__OWN
#undef REFRAIN__OUTSIDE
#undef REFRAIN__LISTED
#undef REFRAIN__CALLED
#undef REFRAIN__SITE
#undef REFRAIN__PART
#undef REFRAIN__DECISION
#endif
