/* Threads, mutexes, conditions and barriers in all the ways in which they are used, by threads that never call MPI.
 * Each thread writes an independent log of its calls, with the times around each: "THREAD CALL OBJECT BEGIN END".
 *   calls LOG ROUNDS */
#define _GNU_SOURCE
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define MOST 100000

struct call {
    const char *name;
    int object;
    int64_t begin, end;
};
static struct log {
    struct call calls[MOST];
    int n;
} logs[THREADS + 1]; /* 0: the main thread */
static __thread struct log *own;

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000 + time.tv_nsec;
}

#define CALL(what, number, ...)                                                                                        \
    do {                                                                                                               \
        struct call *call = &own->calls[own->n++];                                                                     \
        *call = (struct call){#what, number, now(), 0};                                                                \
        result = pthread_##what(__VA_ARGS__);                                                                          \
        call->end = now();                                                                                             \
    } while (0)

/* Numbered in the order of their first use: the main thread uses each once. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn, rounds, sum;

static void in_turn(int thread) {
    int result;
    CALL(mutex_lock, 1, &mutex);
    while (turn % THREADS != thread)
        CALL(cond_wait, 3, &condition, &mutex);
    turn++;
    CALL(cond_broadcast, 3, &condition);
    CALL(mutex_unlock, 1, &mutex);
}

static void *work(void *argument) {
    int thread = (int)(intptr_t)argument, result;
    own = &logs[thread + 1];
    CALL(barrier_wait, 4, &barrier);
    for (int i = 0; i < rounds; i++) {
        in_turn(thread);
        CALL(mutex_trylock, 2, &held);
        if (result == 0) {
            sum++;
            CALL(mutex_unlock, 2, &held);
        }
        for (int k = 0; k < thread; k++) { /* uncontended but for its neighbours */
            CALL(mutex_lock, 1, &mutex);
            sum++;
            CALL(mutex_unlock, 1, &mutex);
        }
    }
    if (thread == 0) { /* the others wait for it in the barrier */
        CALL(mutex_lock, 2, &held);
        usleep(100000);
        CALL(mutex_unlock, 2, &held);
    } else if (thread == 1) {
        struct timespec until = {0, 0};
        CALL(mutex_lock, 1, &mutex);
        CALL(cond_timedwait, 3, &condition, &mutex, &until);
        CALL(mutex_unlock, 1, &mutex);
    }
    CALL(barrier_wait, 4, &barrier);
    return argument;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int result, provided;
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    own = &logs[0];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_barrier_init(&barrier, NULL, THREADS);
    CALL(mutex_lock, 1, &mutex);
    CALL(mutex_lock, 2, &held);
    CALL(cond_signal, 3, &condition);
    CALL(mutex_unlock, 2, &held);
    CALL(mutex_unlock, 1, &mutex);
    for (int i = 0; i < THREADS; i++)
        CALL(create, 0, &threads[i], NULL, work, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        CALL(join, 0, threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) {
        FILE *log = fopen(argv[1], "w");
        for (int t = 0; log && t <= THREADS; t++)
            for (int i = 0; i < logs[t].n; i++) {
                const struct call *call = &logs[t].calls[i];
                fprintf(log, "%d %s %d %ld %ld\n", t, call->name, call->object, (long)call->begin, (long)call->end);
            }
        if (log)
            fclose(log);
    }
    printf("turns %d\n", turn);
    MPI_Finalize();
    return result;
}
