/* Threads, mutexes, conditions and barriers in all the ways in which they are used, by threads that never call MPI.
 * Each thread writes an independent log of its calls, with the times around each: "THREAD CALL OBJECT BEGIN END".
 *   calls LOG ROUNDS */
#define _GNU_SOURCE
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define MOST 100000
#define NUMBERED 64 /* objects that get a number in the trace */
#define FIRST_OF_MANY 7

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
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t many[100]; /* more than get numbers */
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

/* Read-write locks and spin locks, each function once. The first use of a lock is after that of the lock before it. */
static void lock_all(void) {
    const struct timespec past = {0, 0};
    int result;
#define IF_LOCKED()                                                                                                    \
    if (result == 0)                                                                                                   \
    CALL(rwlock_unlock, 5, &lock)
    CALL(rwlock_rdlock, 5, &lock);
    CALL(rwlock_unlock, 5, &lock);
    CALL(rwlock_wrlock, 5, &lock);
    CALL(rwlock_unlock, 5, &lock);
    CALL(rwlock_tryrdlock, 5, &lock);
    IF_LOCKED();
    CALL(rwlock_trywrlock, 5, &lock);
    IF_LOCKED();
    CALL(rwlock_timedrdlock, 5, &lock, &past);
    IF_LOCKED();
    CALL(rwlock_timedwrlock, 5, &lock, &past);
    IF_LOCKED();
    CALL(rwlock_clockrdlock, 5, &lock, CLOCK_MONOTONIC, &past);
    IF_LOCKED();
    CALL(rwlock_clockwrlock, 5, &lock, CLOCK_MONOTONIC, &past);
    IF_LOCKED();
    CALL(spin_lock, 6, &spin);
    sum++;
    CALL(spin_unlock, 6, &spin);
    CALL(spin_trylock, 6, &spin);
    if (result == 0)
        CALL(spin_unlock, 6, &spin);
}

/* Waits with an end, for a mutex that nobody has or that another thread has for a short time. */
static void wait_until(void) {
    const struct timespec past = {0, 0};
    int result;
    CALL(mutex_timedlock, 1, &mutex, &past);
    if (result == 0)
        CALL(mutex_unlock, 1, &mutex);
    CALL(mutex_clocklock, 1, &mutex, CLOCK_MONOTONIC, &past);
    if (result == 0) {
        CALL(cond_clockwait, 3, &condition, &mutex, CLOCK_MONOTONIC, &past);
        CALL(mutex_unlock, 1, &mutex);
    }
}

/* More objects than get a number. */
static void use_many(void) {
    for (int k = 0, result; k < 2 * 100; k++) {
        int i = k % 100, number = i + FIRST_OF_MANY <= NUMBERED ? i + FIRST_OF_MANY : 0;
        CALL(mutex_lock, number, &many[i]);
        sum++;
        CALL(mutex_unlock, number, &many[i]);
    }
}

static void *work(void *argument) {
    int thread = (int)(intptr_t)argument, result;
    own = &logs[thread + 1];
    CALL(barrier_wait, 4, &barrier);
    lock_all();
    wait_until();
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
        use_many();
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

static void *nothing(void *argument) {
    return argument;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    int result, provided;
    rounds = argc > 2 ? atoi(argv[2]) : 100;
    own = &logs[0];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    pthread_barrier_init(&barrier, NULL, THREADS);
    pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
    for (int i = 0; i < 100; i++)
        pthread_mutex_init(&many[i], NULL);
    CALL(mutex_lock, 1, &mutex);
    CALL(mutex_lock, 2, &held);
    CALL(cond_signal, 3, &condition);
    CALL(mutex_unlock, 2, &held);
    CALL(mutex_unlock, 1, &mutex);
    for (int i = 0; i < THREADS; i++)
        CALL(create, 0, &threads[i], NULL, work, (void *)(intptr_t)i);
    for (;;) {
        CALL(tryjoin_np, 0, threads[0], NULL);
        if (result != EBUSY)
            break;
        usleep(5000);
    }
    const struct timespec late = {INT32_MAX, 0};
    CALL(timedjoin_np, 0, threads[1], NULL, &late);
    CALL(clockjoin_np, 0, threads[2], NULL, CLOCK_MONOTONIC, &late);
    CALL(create, 0, &threads[0], NULL, nothing, NULL);
    CALL(join, 0, threads[0], NULL);
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
