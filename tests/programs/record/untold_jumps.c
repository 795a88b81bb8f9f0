/* untold_jumps.c: a signal handler jumps out of what counts a collective in a pause, at each of its first instructions
 * in turn; the calls after it go on. Prints how many jumps there were. x86-64, Linux.
 *
 *     untold_jumps INSTRUCTIONS */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <refrain/refrain.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

enum { TRAP = 0x100, STACK_REGISTER = REG_RSP, HERE = REG_RIP };

static sigjmp_buf back;
static uintptr_t function;               /* that counts */
static volatile uintptr_t stack;         /* pointer at its entry; 0: not in it */
static volatile unsigned long step, end; /* instructions in it, and the one to jump at */

static void at_step(int number, siginfo_t *info, void *given) {
    (void)number, (void)info;
    greg_t *registers = ((ucontext_t *)given)->uc_mcontext.gregs;
    if ((uintptr_t)registers[HERE] == function)
        stack = (uintptr_t)registers[STACK_REGISTER];
    else if (stack && (uintptr_t)registers[STACK_REGISTER] > stack) {
        stack = 0;
        registers[REG_EFL] &= ~TRAP; /* it has returned */
    }
    if (stack && ++step == end)
        siglongjmp(back, 1);
}

/* Is there an instruction so far in? */
static int jump_at(unsigned long wanted) {
    step = stack = 0;
    end = wanted;
    if (sigsetjmp(back, 1))
        return 1;
    __asm__ volatile("pushfq; orl %0, (%%rsp); popfq" ::"i"(TRAP) : "memory", "cc");
    MPI_Barrier(MPI_COMM_SELF);
    return 0;
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = at_step, .sa_flags = SA_SIGINFO};
    unsigned long instructions = argc > 1 ? strtoul(argv[1], NULL, 10) : 100, jumps = 0;
    MPI_Init(&argc, &argv);
    function = (uintptr_t)dlsym(RTLD_DEFAULT, "refrain_call_count_untold");
    sigaction(SIGTRAP, &action, NULL);
    for (unsigned long at = 1; at <= instructions; at++) {
        refrain_pause();
        jumps += (unsigned)jump_at(at);
        MPI_Barrier(MPI_COMM_SELF);
        refrain_resume();
        MPI_Barrier(MPI_COMM_SELF);
    }
    printf("%lu jumps\n", jumps);
    return MPI_Finalize();
}
