/* hot.c: probes that are switched off while they are in use: a function that calls itself, a loop of decisions, both
 * within an activation that goes on. Usage: hot [THREADS [N [others]]]: with `others` the
 * first thread leaves the work to them. */
#include "sites.h"
#include <errno.h>
#include <pthread.h>
#include <refrain/refrain.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_ROUNDS 2000 /* mostly none or one is enough; where others want the processors, twenty were not */

static int changed; /* calls that changed errno */

__attribute__((noinline)) int deep(int n) {
    int sum = n;
    if (n > 0)
        sum += deep(n - 1);
    refrain_region_begin("deep");
    refrain_region_end();
    return sum;
}

__attribute__((noinline)) int decide(int n) {
    int sum = 0;
    for (int i = 0; i < 40; i++) {
        if ((i ^ n) % 3)
            sum += i & n ? 1 : n;
        while (sum > 100 && n)
            sum /= 2;
    }
    return sum;
}

__attribute__((noinline)) int around(int n) {
    int sum = 0;
    refrain_region_begin("around");
    for (int i = 0; i < n; i++) {
        errno = 77;
        sum += deep(1);
        sum += decide(i);
        if (errno != 77)
            __atomic_add_fetch(&changed, 1, __ATOMIC_RELAXED);
    }
    refrain_region_end();
    return sum;
}

static int quiet;

void *run(void *n) {
    int sum = around(*(int *)n);
    if (!quiet)
        printf("sum %d\n", sum);
    return NULL;
}

/* In n_threads further threads and, if `here`, in this one. */
__attribute__((noinline)) void work(int n_threads, int n, int here) {
    pthread_t threads[16];
    for (int i = 0; i < n_threads; i++)
        pthread_create(&threads[i], NULL, run, &n);
    if (here)
        run(&n);
    for (int i = 0; i < n_threads; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv) {
    int n_threads = argc > 1 ? atoi(argv[1]) : 0, n = argc > 2 ? atoi(argv[2]) : 8000;
    sites_print("begin");
    work(n_threads, n, argc <= 3);
    /* Code is changed for several probes at once, or when one that is off runs on: the last ones may still be calls. */
    quiet = 1;
    for (int i = 0; i < MOST_ROUNDS && sites_unsettled() > 0; i++)
        work(n_threads, 200, 1);
    sites_print("end");
    sites_print_maps();
    printf("errno changed %d times\n", changed);
    return 0;
}
