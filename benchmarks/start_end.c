/* start_end.c: measures how long a process takes from its start to main, and from MPI_Finalize to its end
 * (start_end.sh).
 *
 *     start_end PROGRAM     runs the program, and prints both times and its processor time, in microseconds
 *     start_end N PROGRAM   runs N programs at once, which end without a call of MPI, and prints how long all of them
 *                           took, and the processor time of one
 *     start_end             built with -DPROGRAM: the program, which makes a barrier and ends
 *
 * The times are from a clock that all processes share. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef PROGRAM
#include <mpi.h>
#endif

#define CHANNEL 9 /* the program's two moments */
#define ALONE "START_END_ALONE"

static int64_t now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

#ifdef PROGRAM
int main(int argc, char **argv) {
    int64_t moments[2] = {now_us()};
    if (getenv(ALONE))
        return 0;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    moments[1] = now_us();
    if (write(CHANNEL, moments, sizeof moments) < 0)
        return 1;
    return MPI_Finalize();
}
#else
static long long cpu_us(const struct rusage *used) {
    return (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000LL + used->ru_utime.tv_usec +
           used->ru_stime.tv_usec;
}

static int run_at_once(int n, char **program) {
    struct rusage used;
    int failed = 0, status;
    int64_t started = now_us();
    setenv(ALONE, "1", 1);
    for (int i = 0; i < n; i++)
        if (fork() == 0) {
            execv(program[0], program);
            _exit(127);
        }
    for (int i = 0; i < n; i++)
        failed |= wait(&status) < 0 || status != 0;
    int64_t ended = now_us();
    getrusage(RUSAGE_CHILDREN, &used);
    printf("%lld %lld\n", (long long)(ended - started), cpu_us(&used) / n);
    return failed;
}

int main(int argc, char **argv) {
    int channel[2], status;
    int64_t moments[2] = {0};
    struct rusage used;
    if (argc > 2 && atoi(argv[1]) > 0)
        return run_at_once(atoi(argv[1]), argv + 2);
    if (argc < 2 || pipe(channel) != 0)
        return 2;
    int64_t started = now_us();
    pid_t child = fork();
    if (child == 0) {
        dup2(channel[1], CHANNEL);
        execv(argv[1], &argv[1]);
        _exit(127);
    }
    if (wait4(child, &status, 0, &used) < 0 || status != 0)
        return 1;
    int64_t ended = now_us();
    if (read(channel[0], moments, sizeof moments) != sizeof moments)
        return 1;
    printf("%lld %lld %lld\n", (long long)(moments[0] - started), (long long)(ended - moments[1]), cpu_us(&used));
    return 0;
}
#endif
