/* Probes in optimised code, for x86-64. A probe is a site: an instruction of five bytes that calls the jump of the
 * unit to refrain_site. To disable the probe, the monitor changes one byte, which makes the call an instruction
 * without effect (struct refrain_site, unit.h). The address of a site identifies it. It passes only the address of
 * the frame, when a function is entered or left, and a count. To the compiler, a site is an instruction that reads
 * the frame and changes no register, so the code around it stays as it is without probes. A decision has two sites,
 * one on each branch, so no value has to be kept for the probe. Because sites read the frame, the compiler keeps
 * them between prologue and epilogue.
 *
 * A function without calls may keep data below the stack pointer, where the call of a site would overwrite it. To
 * prevent this, functions with sites contain a call that is never reached: at the entry and, if the compiler may
 * outline parts of functions, at every site. It calls the jump of the unit. A function declared cold would not do:
 * for a call of it, gcc moves a part of the function elsewhere, with an unwind table. */
#if defined __OPTIMIZE__ && !defined REFRAIN__NO_SITES && defined __x86_64__ && defined __ELF__ && \
    !defined __ILP32__ && !defined __code_model_medium__ && !defined __code_model_large__ && \
    ((defined __clang__ && __clang_major__ >= 12) || (!defined __clang__ && __GNUC__ >= 9))
#define REFRAIN__SITES
#define REFRAIN__SITE_HERE "661:\tcall .Lrefrain_site\n\t.pushsection refrain_sites_10, \"a\", @progbits\n\t" \
    ".long 661b - .\n\t.long %c[on] + %c[slot] - .\n\t.popsection"
/* The jump of the unit, which returns at once if there is no library: cmpq $0, there(%rip); je; jmp *there(%rip);
 * ret. The bytes are the same in both assembler syntaxes. */
__asm__(".weak refrain_site_10\n\t.pushsection .text.refrain, \"ax\", @progbits\n"
    ".Lrefrain_site:\n\t" REFRAIN__KEEP_UNIT ".reloc ., R_X86_64_NONE, .Lrefrain_sites\n\t"
    ".byte 0x48, 0x83, 0x3d\n\t.long refrain_site_10@GOTPCREL - 5\n\t.byte 0, 0x74, 6\n\t"
    ".byte 0xff, 0x25\n\t.long refrain_site_10@GOTPCREL - 4\n\t.byte 0xc3\n\t"
    ".popsection\n\t.pushsection refrain_sites_10, \"a\", @progbits\n.Lrefrain_sites:\n\t.popsection");
extern void refrain__never(void) __asm__(".Lrefrain_site")
    __attribute__((__noreturn__, __visibility__("hidden")));
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
    register refrain__frame *activation __asm__("r11") = frame;
    refrain__may_call();
    __asm__ __volatile__ __inline__(REFRAIN__SITE_HERE
        : "=m"(*frame) : [on] "i"(refrain__u.on), [slot] "i"(slot), "r"(activation) : "cc");
    return 0;
}
REFRAIN__INLINE void refrain__leave(refrain__frame *frame, unsigned int slot) {
    register refrain__frame *activation __asm__("r11") = frame;
    REFRAIN__PART;
    __asm__ __volatile__ __inline__(REFRAIN__SITE_HERE
        : : "m"(*frame), [on] "i"(refrain__u.on), [slot] "i"(slot), "r"(activation) : "cc");
}
REFRAIN__INLINE void refrain__keep(refrain__frame *frame) {
    __asm__ __volatile__ __inline__("" : "=m"(*frame));
}
REFRAIN__INLINE void refrain__at(refrain__frame *frame, unsigned int slot) {
    REFRAIN__PART;
    __asm__ __volatile__ __inline__(REFRAIN__SITE_HERE
        : : "m"(*frame), [on] "i"(refrain__u.on), [slot] "i"(slot) : "cc");
}
REFRAIN__INLINE int refrain__if(refrain__frame *frame, unsigned int slot, int value) {
    if (value)
        refrain__at(frame, slot + 1);
    else
        refrain__at(frame, slot + 2);
    return value;
}
REFRAIN__INLINE void refrain__tell_count(refrain__frame *frame, unsigned int slot, unsigned long count) {
    REFRAIN__PART;
    __asm__ __volatile__ __inline__(REFRAIN__SITE_HERE
        : : "m"(*frame), [on] "i"(refrain__u.on), [slot] "i"(slot), "a"(count) : "cc");
}
#undef REFRAIN__SITE_HERE
#undef REFRAIN__PART
#endif
