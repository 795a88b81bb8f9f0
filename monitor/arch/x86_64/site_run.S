/* site_run.S: the entry of sites (refrain/unit.h), for x86-64, System V. It changes no register except the flags.
 *
 * The fast path is here, and uses five registers: the monitor knows the site, the site is in the innermost activation,
 * and the value is the predicted one. The slow path saves the other general registers and calls C code (site_run.c),
 * which uses no vector registers (arch/registers.h). So the stack need not be aligned for it.
 *
 *     rdi  the context            rsi  its innermost activation, then the place of that
 *     rax  the slot               rcx  the first slot of its node
 */
#include "arch/x86_64/site_run.h"
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

/* The learner takes the value in rdx if it is predicted; if not, control goes to `other`. Changes rdx. */
.macro takes learner, other
    cmp %rdx, LEARNER_EXPECT(\learner)
    jne \other
    mov LEARNER_CONFIRMED(\learner), %rdx
    cmp LEARNER_UNTIL(\learner), %rdx
    je \other
    add $1, %rdx
    mov %rdx, LEARNER_CONFIRMED(\learner)
    mov LEARNER_STRIDE(\learner), %rdx
    test %rdx, %rdx
    jz 9f
    add %rdx, LEARNER_EXPECT(\learner)
9:
.endm

/* Saves the other general registers. Restores all registers and returns from the site. */
.macro save_others
    .cfi_remember_state
    .irp register, r8, r9, r10, r11
    push %\register
    .cfi_adjust_cfa_offset 8
    .endr
.endm
.macro return_with_all
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    pop %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore %\register
    .endr
    ret
    .cfi_restore_state
.endm

/* Calls a function of site_run.c and returns from the site. */
.macro slow_path function
    save_others
    mov %rsp, %rdi
    call \function
    return_with_all
.endm

    .text
    .globl refrain_site_10
    .type refrain_site_10, @function
    .p2align 6
refrain_site_10: /* the version of units is part of the name (refrain/unit.h) */
    .cfi_startproc
    _CET_ENDBR
    .set saved, 16
    .irp register, rax, rcx, rdx, rsi, rdi
    push %\register
    .cfi_adjust_cfa_offset 8
    .cfi_offset %\register, -saved
    .set saved, saved + 8
    .endr
    mov refrain_thread_context@gottpoff(%rip), %rax
    mov %fs:(%rax), %rdi
    mov refrain_place_10@gottpoff(%rip), %rax
    movq $0, %fs:(%rax)
    test %rdi, %rdi
    jz .Lbegin
    cmpl $0, CONTEXT_BUSY(%rdi)
    jne .Lbegin
    movl $1, CONTEXT_BUSY(%rdi)
    subl $1, CONTEXT_PROBES(%rdi)
    jz .Lrun

    mov 40(%rsp), %rax /* the return address of the site, relative to the base of the table */
    mov CONTEXT_SITE_TABLE(%rdi), %rsi
    sub TABLE_BASE(%rsi), %rax
    cmp TABLE_SPAN(%rsi), %rax
    jae .Lrun
    imul $SITE_HASH_FACTOR, %rax, %rcx
    shr $32, %rcx
    and TABLE_MASK(%rsi), %rcx
    shl $PLACE_BYTES_SHIFT, %rcx
    add TABLE_PLACES(%rsi), %rcx
    cmp %eax, (%rcx)
    jne .Lnext
.Lknown:
    mov PLACE_SLOT(%rcx), %eax
    shl $4, %rax
    mov PLACE_THREAD_BYTES(%rcx), %edx
    mov CONTEXT_NUMBER(%rdi), %esi
    imul %rsi, %rdx
    add CONTEXT_TRACE_FILE(%rdi), %rax
    add %rdx, %rax
    mov SLOT_FLAGS(%rax), %edx
    test $SLOT_OFF, %dl
    jnz .Lrun
    test $ARRIVAL_OFTEN, %dh
    jz .Lfunction
    mov CONTEXT_TOP(%rdi), %rsi
    mov PLACE_FUNCTION(%rcx), %ecx
    cmpl $ENTRY_KIND_FUNCTION, ENTRY_KIND(%rsi)
    jne .Lrun
    cmp %rcx, ENTRY_ID(%rsi)
    jne .Lelsewhere
    lea 48(%rsp), %rcx
    cmp %rcx, ENTRY_ADDRESS(%rsi)
    jb .Lrun
    test $ARRIVAL_BACK, %dh
    jnz .Lway

    mov SLOT_NUMBER(%rax), %edx /* a place that is neither a decision nor a loop */
    mov ENTRY_LAST(%rsi), %rcx
    takes %rcx, .Lrun
    mov %rax, ENTRY_LAST(%rsi)
.Ldone:
    movl $0, CONTEXT_BUSY(%rdi)
    .cfi_remember_state
    .irp register, rdi, rsi, rdx, rcx, rax
    pop %\register
    .cfi_adjust_cfa_offset -8
    .cfi_restore %\register
    .endr
    ret
    .cfi_restore_state

.Lway: /* a decision or a loop: one of its two ways */
    lea -SLOT_BYTES(%rax), %rcx
    test $1, %dh
    jnz 1f
    lea -2 * SLOT_BYTES(%rax), %rcx
1:  mov ENTRY_LAST(%rsi), %rsi
    test $ARRIVAL_LOOP, %dh
    jz 2f
    /* If the activation was outside of the loop, a visit begins. A count of an earlier visit that was left early has to
     * be learned first. */
    mov SLOT_NUMBER(%rsi), %edx
    sub SLOT_NUMBER(%rcx), %edx
    cmp LEARNER_LOOP_SLOTS(%rcx), %edx
    jb 2f
    cmpq $0, SLOT_COUNT(%rcx)
    jne .Lrun
2:  mov SLOT_NUMBER(%rcx), %edx
    takes %rsi, .Lrun
    mov CONTEXT_TOP(%rdi), %rdx
    mov %rax, ENTRY_LAST(%rdx)
    testb $ARRIVAL_LOOP, SLOT_FLAGS + 1(%rax)
    jnz 3f
    xor %edx, %edx
    testb $1, SLOT_FLAGS + 1(%rax)
    setnz %dl
    takes %rcx, .Lvalue
    jmp .Ldone
3:  testb $1, SLOT_FLAGS + 1(%rax)
    jz 4f
    addq $1, SLOT_COUNT(%rcx)
    jmp .Ldone
4:  mov SLOT_COUNT(%rcx), %rdx
    takes %rcx, .Lvalue
    movq $0, SLOT_COUNT(%rcx)
    jmp .Ldone

/* The innermost activation is of another function. The function of the site may be open in the same frame: slow path. If
 * it is not, it was not entered, and the probe does nothing. */
.Lelsewhere:
    mov ENTRY_ADDRESS(%rsi), %rcx
    cmp %rcx, ENTRY_ADDRESS - ENTRY_BYTES(%rsi)
    je .Lrun
    lea 48(%rsp), %rdx
    cmp %rdx, %rcx
    jb .Lrun
    jmp .Ldone

.Lfunction: /* a function is entered or left; anything else is rare */
    and $ARRIVAL_MASK, %dh
    cmp $ARRIVAL_LEAVE, %dh
    je 5f
    cmp $ARRIVAL_ENTER, %dh
    jne .Lrun
    save_others
    mov %rax, %rsi
    lea 80(%rsp), %rdx
    mov %r11, %rcx
    call refrain_probe_enter
    return_with_all
    /* Frames of callers are at higher addresses. If the frame that is left is below that of the innermost activation, its
     * function was not entered. */
5:  mov CONTEXT_TOP(%rdi), %rsi
    mov ENTRY_ADDRESS(%rsi), %rcx
    cmp %r11, %rcx
    jbe 6f
    movslq ENTRY_FRAME(%rsi), %rdx
    add %rcx, %rdx
    cmp %r11, %rdx
    jbe 6f
    cmpl $0, CONTEXT_ABANDONED(%rdi)
    je .Ldone
6:  save_others
    mov %rax, %rsi
    mov %r11, %rdx
    call refrain_probe_leave
    return_with_all

.Lnext: /* another site is in this place of the table, so this one may be in the next */
    add $1 << PLACE_BYTES_SHIFT, %rcx
    cmp %eax, (%rcx)
    je .Lknown
.Lrun:
    slow_path refrain_site_run
.Lvalue:
    slow_path refrain_site_value
.Lbegin:
    slow_path refrain_site_begin
    .cfi_endproc
    .size refrain_site_10, . - refrain_site_10

    .section .note.GNU-stack, "", %progbits
