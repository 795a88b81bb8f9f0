/* samples.c: functions that use known shares of the processor, by the threads' own clocks (refrain record --sample).
 *
 *     heavy 3 parts, light 1 part, between two MPI calls; deep calls itself; a thread that never calls MPI runs aside
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OWN __attribute__((noinline, noclone))
static volatile unsigned long sink;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#define SPIN(seconds)                                                                                                  \
    for (double end = now() + (seconds); now() < end;)                                                                 \
        for (int i = 0; i < 20000; i++)                                                                                \
    sink += (unsigned long)i

OWN void heavy(double seconds) {
    SPIN(seconds);
}
OWN void light(double seconds) {
    SPIN(seconds);
}
OWN void deep(int levels, double seconds) {
    if (levels > 0)
        deep(levels - 1, seconds);
    else
        SPIN(seconds);
    sink++;
}
OWN void *aside(void *seconds) {
    SPIN(*(double *)seconds);
    return NULL;
}

static jmp_buf out;
OWN void jumps(double seconds) {
    SPIN(seconds);
    longjmp(out, 1);
}

int main(int argc, char **argv) {
    double part = argc > 1 ? atof(argv[1]) : 0.1;
    int rank, levels = argc > 2 ? atoi(argv[2]) : 20;
    pthread_t thread;
    struct sigaction taken = {.sa_handler = SIG_IGN};
    sigaction(SIGRTMAX, &taken, NULL); /* samples need another signal */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    double aside_seconds = 2 * part;
    pthread_create(&thread, NULL, aside, &aside_seconds);
    for (int i = 0; i < 4; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        heavy(3 * part);
        light(part);
        MPI_Bcast(&rank, 0, MPI_INT, 0, MPI_COMM_WORLD);
        deep(levels, part / 2);
    }
    if (!setjmp(out))
        jumps(part);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        heavy(part);
        _exit(0);
    }
    int status;
    if (waitpid(child, &status, 0) != child || status != 0)
        puts("the child failed");
    MPI_Finalize();
    puts("done");
    return 0;
}
