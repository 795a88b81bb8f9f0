/* entry.S: what the entries made by stubs.awk share (x86-64). A row of refrain_front_table is in front.h. */

#define MPI 0
#define PMPI 8
#define REAL 24
#define BELOW 32
#define FIRST_BEGIN 40
#define FIRST_BYTES 48
#define SECOND_BEGIN 56
#define SECOND_BYTES 64
#define OWN_BEGIN 72
#define OWN_BYTES 80
#define ROW 88

    .text
/* First call through a row, whose number is in r10d: choose.c fills the row; then the call goes on through it. All
 * registers that arguments may be in are kept, the vector registers for functions of variable arguments. */
    .globl refrain_front_first, refrain_front_first_p
    .hidden refrain_front_first, refrain_front_first_p
    .type refrain_front_first,@function
    .type refrain_front_first_p,@function
refrain_front_first_p:
    .cfi_startproc
    movl $PMPI, %r11d
    jmp 1f
    .cfi_endproc
refrain_front_first:
    .cfi_startproc
    movl $MPI, %r11d
1:  pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register rbp
    subq $208, %rsp
    andq $-16, %rsp
    movq %rdi, (%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movq %r10, 56(%rsp)
    movq %r11, 64(%rsp)
    movaps %xmm0, 80(%rsp)
    movaps %xmm1, 96(%rsp)
    movaps %xmm2, 112(%rsp)
    movaps %xmm3, 128(%rsp)
    movaps %xmm4, 144(%rsp)
    movaps %xmm5, 160(%rsp)
    movaps %xmm6, 176(%rsp)
    movaps %xmm7, 192(%rsp)
    movl %r10d, %edi
    call refrain_front_fill
    movq (%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movq 56(%rsp), %r10
    movq 64(%rsp), %r11
    movaps 80(%rsp), %xmm0
    movaps 96(%rsp), %xmm1
    movaps 112(%rsp), %xmm2
    movaps 128(%rsp), %xmm3
    movaps 144(%rsp), %xmm4
    movaps 160(%rsp), %xmm5
    movaps 176(%rsp), %xmm6
    movaps 192(%rsp), %xmm7
    imulq $ROW, %r10, %r10
    addq %r11, %r10
    leaq refrain_front_table(%rip), %r11
    movq %rbp, %rsp
    popq %rbp
    .cfi_def_cfa rsp, 8
    jmp *(%r10,%r11)
    .cfi_endproc
    .size refrain_front_first, .-refrain_front_first

/* A call of a PMPI function whose row is in r10. It is the program's own call where it comes from the function's
 * binding for another language, and goes to a tool below where it comes from refrain's wrapper of this function. */
    .globl refrain_front_check
    .hidden refrain_front_check
    .type refrain_front_check,@function
refrain_front_check:
    .cfi_startproc
    movq (%rsp), %r11
    subq FIRST_BEGIN(%r10), %r11
    cmpq FIRST_BYTES(%r10), %r11
    jb 2f
    movq (%rsp), %r11
    subq SECOND_BEGIN(%r10), %r11
    cmpq SECOND_BYTES(%r10), %r11
    jb 2f
    movq (%rsp), %r11
    subq OWN_BEGIN(%r10), %r11
    cmpq OWN_BYTES(%r10), %r11
    jb 3f
    jmp *REAL(%r10)
2:  jmp *MPI(%r10)
3:  jmp *BELOW(%r10)
    .cfi_endproc
    .size refrain_front_check, .-refrain_front_check
    .section .note.GNU-stack,"",@progbits
