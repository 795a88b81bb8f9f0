/* lock_jumps.c: under MPI_THREAD_MULTIPLE, threads leave what refrain does for MPI_Type_free at every third of its
 * first instructions in turn: a signal handler jumps out of it, or ends the thread there. The calls after it, of the same
 * thread or of others, go on. Prints how many left. x86-64, Linux.
 *
 *     lock_jumps INSTRUCTIONS */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { TRAP = 0x100, HERE = REG_RIP };

static sigjmp_buf back;
static uintptr_t begin, end; /* refrain's code for MPI */
static volatile int ends_thread;
static volatile unsigned long step, last; /* instructions there, and the one to leave at */

static int find(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    for (int i = 0; strstr(info->dlpi_name, "librefrain-mpich") && i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            begin = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            end = begin + info->dlpi_phdr[i].p_memsz;
        }
    return 0;
}

static void at_step(int number, siginfo_t *info, void *given) {
    (void)number, (void)info;
    greg_t *registers = ((ucontext_t *)given)->uc_mcontext.gregs;
    if ((uintptr_t)registers[HERE] < begin || (uintptr_t)registers[HERE] >= end || ++step != last)
        return;
    registers[REG_EFL] &= ~TRAP;
    if (ends_thread)
        pthread_exit("left");
    siglongjmp(back, 1);
}

static MPI_Datatype make(void) {
    MPI_Datatype type;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

/* Null where the instruction is behind the last one. */
static void *leave(void *unused) {
    (void)unused;
    MPI_Datatype type = make();
    step = 0;
    if (sigsetjmp(back, 1))
        return "left";
    __asm__ volatile("pushfq; orl %0, (%%rsp); popfq" ::"i"(TRAP) : "memory", "cc");
    MPI_Type_free(&type);
    __asm__ volatile("pushfq; andl %0, (%%rsp); popfq" ::"i"(~TRAP) : "memory", "cc");
    return NULL;
}

static void go_on(void) {
    MPI_Datatype type = make();
    MPI_Type_free(&type);
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = at_step, .sa_flags = SA_SIGINFO};
    unsigned long instructions = argc > 1 ? strtoul(argv[1], NULL, 10) : 100, left = 0;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    dl_iterate_phdr(find, NULL);
    sigaction(SIGTRAP, &action, NULL);
    for (last = 1; last <= instructions && provided == MPI_THREAD_MULTIPLE; last += 3) {
        pthread_t thread;
        void *how = NULL;
        ends_thread = 0;
        left += leave(NULL) != NULL;
        go_on();
        ends_thread = 1;
        if (pthread_create(&thread, NULL, leave, NULL) == 0 && pthread_join(thread, &how) == 0)
            left += how != NULL;
        go_on();
    }
    printf("%lu left\n", left);
    return MPI_Finalize();
}
