/* site_run.S: the entry of sites (refrain/unit.h), which changes no register but the flags. x86-64, System V.
 *
 * Nearly always the site is known, it is in the innermost activation, and what comes is what was learned. That is done
 * here, with five registers. Everything else is for C (site_run.c), once the others are saved, too: general registers
 * only, as it uses no others (arch/registers.h). The stack need not be aligned for it, as only those would ask for that.
 *
 *     rdi  the context            rsi  its innermost activation, then where that is
 *     rax  the slot               rcx  the first slot of its node
 */
#include "arch/x86_64/site_run.h"
#if defined(__CET__)
#include <cet.h>
#else
#define _CET_ENDBR
#endif

/* The learner takes what is in rdx, or control goes to `other`. Changes rdx. */
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

/* Saves the other registers, and what returns from the site with all of them as they were. */
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

/* Returns by a function of site_run.c. */
.macro rest function
    save_others
    mov %rsp, %rdi
    call \function
    return_with_all
.endm

    .text
    .globl refrain_site_10
    .type refrain_site_10, @function
    .p2align 6
refrain_site_10: /* with the version of units (refrain/unit.h) */
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

    mov 40(%rsp), %rax /* the address that the site returns to, from the table's base */
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

    mov SLOT_NUMBER(%rax), %edx /* a place that control passes */
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

.Lway: /* a decision's or loop's: one of two */
    lea -SLOT_BYTES(%rax), %rcx
    test $1, %dh
    jnz 1f
    lea -2 * SLOT_BYTES(%rax), %rcx
1:  mov ENTRY_LAST(%rsi), %rsi
    test $ARRIVAL_LOOP, %dh
    jz 2f
    mov SLOT_NUMBER(%rsi), %edx /* a visit of the loop begins, perhaps, after one that was left without an end */
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

.Lelsewhere: /* its function was not entered, unless it is open in the same frame */
    mov ENTRY_ADDRESS(%rsi), %rcx
    cmp %rcx, ENTRY_ADDRESS - ENTRY_BYTES(%rsi)
    je .Lrun
    lea 48(%rsp), %rdx
    cmp %rdx, %rcx
    jb .Lrun
    jmp .Ldone

.Lfunction: /* or something rare */
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
5:  mov CONTEXT_TOP(%rdi), %rsi /* frames of callers lie above: is what is left inside the innermost activation? */
    mov ENTRY_ADDRESS(%rsi), %rcx
    cmp %r11, %rcx
    jbe 6f
    movslq ENTRY_FRAME(%rsi), %rdx
    add %rcx, %rdx
    cmp %r11, %rdx
    jbe 6f
    cmpl $0, CONTEXT_ABANDONED(%rdi)
    je .Ldone /* then it was not entered */
6:  save_others
    mov %rax, %rsi
    mov %r11, %rdx
    call refrain_probe_leave
    return_with_all

.Lnext: /* another site's: it may be in the next place */
    add $1 << PLACE_BYTES_SHIFT, %rcx
    cmp %eax, (%rcx)
    je .Lknown
.Lrun:
    rest refrain_site_run
.Lvalue:
    rest refrain_site_value
.Lbegin:
    rest refrain_site_begin
    .cfi_endproc
    .size refrain_site_10, . - refrain_site_10

    .section .note.GNU-stack, "", %progbits
