/* Probes in code without optimisation, for x86-64: calls of the entries of the unit, which test the byte that
 * enables the probe. Entries are in assembler, since a compiler that does not optimise makes a function of every
 * inline function, and takes as long for each as for a function of the program. An entry gets the activation in %rdi
 * and the slot in %esi. It calls refrain_probe with unit, slot, place and extra. The code is given in bytes, which
 * are the same in both assembler syntaxes.
 *
 *     not_yet:     xor %eax, %eax; mov %rdi, %rdx; ret                         a struct refrain__late that was not entered
 *     leave_late:  cmpl $0, (%rdi); je none; mov 8(%rdi), %rdi                 the frame, if it was
 *     leave:       mov %rdi, %rdx                                              place
 *     enter_at:    mov %rdi, %rcx; jmp 1f                                      extra
 *     at:          mov %rdi, %rdx; xor %ecx, %ecx
 *     1:           lea on(%rip), %rax; mov %esi, %esi; cmpb $0, (%rax,%rsi); je none
 *     tell:        mov refrain_probe_10@GOTPCREL(%rip), %rax; test %rax, %rax; je none; lea unit(%rip), %rdi; jmp *%rax
 *     none:        xor %eax, %eax; ret */
#if !defined __OPTIMIZE__ && defined REFRAIN__LISTED && defined REFRAIN__ON && \
    ((defined __clang__ && __clang_major__ >= 12) || (!defined __clang__ && __GNUC__ >= 9))
#define REFRAIN__ENTRIES
#define REFRAIN__ENTRY(name) __asm__(".Lrefrain__" #name) __attribute__((__visibility__("hidden")))
__asm__(".weak refrain_probe_10\n\t.pushsection .text.refrain, \"ax\", @progbits\n"
    ".Lrefrain__not_yet:\n\t.byte 0x31, 0xc0, 0x48, 0x89, 0xfa, 0xc3\n"
    ".Lrefrain__leave_late:\n\t.byte 0x83, 0x3f, 0, 0x74, 2f - . - 1, 0x48, 0x8b, 0x7f, 8\n"
    ".Lrefrain__leave:\n\t.byte 0x48, 0x89, 0xfa\n"
    ".Lrefrain__enter_at:\n\t.byte 0x48, 0x89, 0xf9, 0xeb, 1f - . - 1\n"
    ".Lrefrain__at:\n\t.byte 0x48, 0x89, 0xfa, 0x31, 0xc9\n"
    "1:\t.byte 0x48, 0x8d, 0x05\n\t.long " REFRAIN__ON " - . - 4\n\t"
    ".byte 0x89, 0xf6, 0x80, 0x3c, 0x30, 0, 0x74, 2f - . - 1\n"
    ".Lrefrain__tell:\n\t" REFRAIN__KEEP_UNIT ".byte 0x48, 0x8b, 0x05\n\t.long refrain_probe_10@GOTPCREL - 4\n\t"
    ".byte 0x48, 0x85, 0xc0, 0x74, 2f - . - 1, 0x48, 0x8d, 0x3d\n\t.long refrain__u - . - 4\n\t.byte 0xff, 0xe0\n"
    "2:\t.byte 0x31, 0xc0, 0xc3\n\t.popsection");
extern refrain__late refrain__not_yet(refrain__frame *frame) REFRAIN__ENTRY(not_yet);
extern int refrain__enter_at(refrain__frame *frame, unsigned int slot, void *frame_address) REFRAIN__ENTRY(enter_at);
extern void refrain__at(refrain__frame *frame, unsigned int slot) REFRAIN__ENTRY(at);
extern void refrain__tell(void *unit, unsigned int slot, void *place, unsigned long extra) REFRAIN__ENTRY(tell);
/* The code that runs when an activation of the function with this slot ends: mov $slot + 1, %esi; jmp leave. */
#define REFRAIN__LEAVES(slot, kind, leave) \
    __asm__(".pushsection .text.refrain, \"ax\", @progbits\n.Lrefrain__leave_" #slot ":\n\t.byte 0xbe\n\t" \
        ".long " #slot " + 1\n\t.byte 0xe9\n\t.long .L" #leave " - . - 4\n\t.popsection"); \
    extern void refrain__leave_##slot(refrain__##kind *activation) REFRAIN__ENTRY(leave_##slot);
#endif
