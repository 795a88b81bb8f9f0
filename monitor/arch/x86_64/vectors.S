/* vectors.S: calls a function and keeps the vector registers (arch/registers.h). x86-64, System V. */
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

    .text
/* void refrain_call_with_state(void (*function)(void *), void *argument, size_t bytes, uint64_t components)
 * If `components` is 0, uses FXSAVE, which all of these processors have. */
    .globl refrain_call_with_state
    .hidden refrain_call_with_state
    .type refrain_call_with_state, @function
    .p2align 4
refrain_call_with_state:
    .cfi_startproc
    _CET_ENDBR
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rbx
    .cfi_offset %rbx, -24
    push %r12
    .cfi_offset %r12, -32
    mov %rdi, %r8
    mov %rsi, %rdi
    mov %rcx, %rbx /* components */
    mov %rcx, %r12
    shr $32, %r12
    sub %rdx, %rsp
    and $-64, %rsp
    test %rcx, %rcx
    jz 1f
    xor %eax, %eax
    .irp word, 0, 1, 2, 3, 4, 5, 6, 7 /* the header of the area, which XSAVE does not write completely */
    mov %rax, 512 + 8 * \word(%rsp)
    .endr
    mov %ebx, %eax
    mov %r12d, %edx
    xsave64 (%rsp)
    call *%r8
    mov %ebx, %eax
    mov %r12d, %edx
    xrstor64 (%rsp)
    jmp 2f
1:  fxsave64 (%rsp)
    call *%r8
    fxrstor64 (%rsp)
2:  mov -16(%rbp), %r12
    mov -8(%rbp), %rbx
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size refrain_call_with_state, . - refrain_call_with_state

    .section .note.GNU-stack, "", %progbits
