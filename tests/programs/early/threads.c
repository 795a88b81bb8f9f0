/* threads.c: two threads start in a constructor and come to their first probe at the same time: one of them opens the
 * trace file, and the other one runs on meanwhile. To be compiled without probes. */
#define _GNU_SOURCE
#include "early.h"
#include <pthread.h>
#include <sched.h>

#define THREADS 2
#define CALLS 20000u

static pthread_t threads[THREADS];
static pthread_barrier_t barrier;
static unsigned sums[THREADS];

static void *run(void *sum) {
    pthread_barrier_wait(&barrier);
    for (unsigned i = 0; i < CALLS; i++)
        *(unsigned *)sum += work(i % 7);
    return sum;
}

static __attribute__((constructor)) void begin(void) {
    pthread_barrier_init(&barrier, 0, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, run, &sums[i]);
}

int early_end(void) {
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    return sums[0] != sums[1];
}
