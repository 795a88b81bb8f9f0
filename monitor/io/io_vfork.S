/* io_vfork.S: pid_t vfork(void), so that the calls of the child are not recorded in its parent (io_wrap.h). x86-64,
 * System V.
 *
 * The child runs on the stack of the parent, below the frame of the caller: what a frame of this function kept would be
 * overwritten. So the caller's return address is kept by refrain_io_vfork_begins(), and this function has no frame. */
    .text
    .globl vfork
    .type vfork, @function
    .p2align 4
vfork:
    .cfi_startproc
    endbr64
    pop %rdi
    .cfi_adjust_cfa_offset -8
    .cfi_undefined %rip
    call refrain_io_vfork_begins
    call *%rax
    mov %eax, %edi
    call refrain_io_vfork_returns
    push %rdx
    .cfi_adjust_cfa_offset 8
    .cfi_offset %rip, -8
    ret
    .cfi_endproc
    .size vfork, .-vfork
    .section .note.GNU-stack, "", @progbits
