/* The list of the units of an executable or library (struct refrain_units, unit.h). Each unit adds two distances to
 * a section. A constructor and a destructor are in a section group with a fixed name, of which the linker keeps only
 * the first. No other code uses symbols of the group, so the linker can drop it with all its names. If the linker
 * drops unreferenced sections, a unit stays as long as the code of its probes, because this code refers to it
 * (REFRAIN__KEEP_UNIT).
 *
 *     begin: endbr64; mov refrain_register@GOTPCREL(%rip), %rax     as bytes, the same in both syntaxes
 *     1:     lea list(%rip), %rdi; test %rax, %rax; je 2f; jmp *%rax
 *     2:     ret
 *     end:   endbr64; mov refrain_unregister@GOTPCREL(%rip), %rax; jmp 1b */
#if !defined REFRAIN__NO_SITES && defined __x86_64__ && defined __ELF__ && !defined __ILP32__ && \
    !defined __code_model_medium__ && !defined __code_model_large__
#define REFRAIN__LISTED
#define REFRAIN__KEEP_UNIT ".reloc ., R_X86_64_NONE, .Lrefrain_distances\n\t"
__asm__(".pushsection refrain_units_10, \"a\", @progbits\n\t.balign 4\n.Lrefrain_distances:\n\t"
    ".long refrain__tables - .\n\t.long refrain__u - .\n\t.popsection");
__asm__(".weak refrain_register, refrain_unregister\n\t"
    ".weak __start_refrain_units_10, __stop_refrain_units_10\n\t"
    ".hidden __start_refrain_units_10, __stop_refrain_units_10\n\t"
    ".weak __start_refrain_sites_10, __stop_refrain_sites_10\n\t"
    ".hidden __start_refrain_sites_10, __stop_refrain_sites_10");
__asm__(".pushsection .text.refrain_units_10, \"axG\", @progbits, refrain_units_10, comdat\n"
    ".Lrefrain_begin:\n\t" REFRAIN__KEEP_UNIT
    ".byte 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8b, 0x05\n\t.long refrain_register@GOTPCREL - 4\n"
    "1:\t.byte 0x48, 0x8d, 0x3d\n\t.long .Lrefrain_list - . - 4\n\t"
    ".byte 0x48, 0x85, 0xc0, 0x74, 2, 0xff, 0xe0, 0xc3\n"
    ".Lrefrain_end:\n\t.byte 0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0x8b, 0x05\n\t.long refrain_unregister@GOTPCREL - 4\n\t"
    ".byte 0xeb\n\t.byte 1b - . - 1\n\t.popsection");
__asm__(".pushsection .data.rel.ro.refrain_units_10, \"awG\", @progbits, refrain_units_10, comdat\n\t.balign 8\n"
    ".Lrefrain_list:\n\t.quad 10, __start_refrain_units_10, __stop_refrain_units_10\n\t"
    ".quad __start_refrain_sites_10, __stop_refrain_sites_10, 0, 0\n\t.popsection");
__asm__(".pushsection .init_array.00101, \"awG\", @init_array, refrain_units_10, comdat\n\t.balign 8\n\t"
    ".quad .Lrefrain_begin\n\t.popsection\n\t"
    ".pushsection .fini_array.00101, \"awG\", @fini_array, refrain_units_10, comdat\n\t.balign 8\n\t"
    ".quad .Lrefrain_end\n\t.popsection");
#endif
