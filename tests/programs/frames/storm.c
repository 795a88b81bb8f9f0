/* storm.c: signals come at any time, to each of several threads; the handler has probes, and may leave what it
 * interrupted by a jump. Then threads that are cancelled, wherever they are with `cancel`, and children. Prints what is
 * the same in every run; how many signals came is not. Usage: storm MILLISECONDS [jump] [altstack] [cancel] */
#define _GNU_SOURCE
#include "shapes.h"
#include <pthread.h>
#include <refrain/refrain.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 2, TURNS = 12 };

static int jumps, other_stack, anywhere;
static long milliseconds;
static __thread sigjmp_buf back;
static __thread volatile sig_atomic_t may_jump;
static __thread volatile unsigned long n_signals;

__attribute__((__noinline__)) static unsigned long handled(unsigned long n) {
    unsigned long sum = 0;
    for (unsigned long i = 0; i < n % 4; i++)
        sum += n % 3 ? i : n;
    if (n % 16 == 3) {
        refrain_region_begin("handled");
        refrain_region_end();
    }
    return sum;
}

static void on_signal(int signal) {
    (void)signal;
    n_signals += 1 + handled(n_signals) % 1;
    if (may_jump && n_signals % 8 == 0)
        siglongjmp(back, 1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static unsigned long expected[TURNS];

static void *work(void *unused) {
    stack_t other = {.ss_size = 1 << 16};
    if (other_stack) {
        other.ss_sp = malloc(other.ss_size);
        sigaltstack(&other, NULL);
    }
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
    event._sigev_un._tid = (int)syscall(SYS_gettid);
    timer_t timer;
    struct itimerspec often = {{0, 70000}, {0, 70000}}, never = {{0, 0}, {0, 0}};
    double end = now() + (double)milliseconds * 1e-3;
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    volatile unsigned long wrong = 0, turns = 0;
    while (now() < end) {
        int turn = (int)(turns++ % TURNS);
        if (jumps && sigsetjmp(back, 1) == 0) {
            may_jump = 1;
            shapes_turn(turn, NULL);
        }
        may_jump = 0;
        if (!jumps)
            wrong += shapes_turn(turn, NULL) != expected[turn];
    }
    timer_settime(timer, 0, &never, NULL);
    may_jump = 0;
    wrong += shapes_turn(3, NULL) != expected[3];
    printf("thread: %lu wrong, %s signals\n", wrong, n_signals > 10 ? "many" : "few");
    if (other_stack) {
        other.ss_flags = SS_DISABLE;
        sigaltstack(&other, NULL);
    }
    return unused;
}

static void *forever(void *how) {
    pthread_setcanceltype(how ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
    for (int turn = 0;; turn++) {
        shapes_turn(turn % TURNS, NULL);
        pthread_testcancel();
    }
    return NULL;
}

int main(int argc, char **argv) {
    milliseconds = argc > 1 ? atol(argv[1]) : 100;
    for (int i = 2; i < argc; i++) {
        jumps |= strcmp(argv[i], "jump") == 0;
        other_stack |= strcmp(argv[i], "altstack") == 0;
        anywhere |= strcmp(argv[i], "cancel") == 0;
    }
    for (int turn = 0; turn < TURNS; turn++)
        printf("%lx\n", expected[turn] = shapes_turn(turn, NULL));
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART | (other_stack ? SA_ONSTACK : 0)};
    sigaction(SIGUSR1, &action, NULL);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 6; i++) {
        void *result;
        pthread_create(&threads[0], NULL, forever, anywhere && i % 2 ? "now" : NULL);
        usleep(3000);
        pthread_cancel(threads[0]);
        pthread_join(threads[0], &result);
        printf("%s\n", result == PTHREAD_CANCELED ? "cancelled" : "ended");
    }
    for (int i = 0; i < 3; i++) {
        fflush(stdout);
        pid_t child = fork();
        if (child == 0)
            _exit(shapes_turn(i, NULL) != expected[i]);
        int status = -1;
        waitpid(child, &status, 0);
        printf("child: %d\n", status);
    }
    return 0;
}
