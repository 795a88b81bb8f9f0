/* without_mpi.c: regions, loops, decisions, recursion, a longjmp and threads, for processors that have no MPI here.
 * Usage: without_mpi [N] */
#include <pthread.h>
#include <refrain/refrain.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf back;

static int leaf(int n) {
    refrain_region_begin(n % 3 ? "some" : "third");
    n = n * 7 % 31;
    refrain_region_end();
    return n;
}

static int recurse(int n) {
    if (n <= 0)
        return leaf(n);
    int sum = leaf(n);
    for (int i = 0; i < n % 4; i++)
        sum += recurse(n - 2 - i);
    return sum;
}

static void jump(int n) {
    leaf(n);
    if (n % 5 == 0)
        longjmp(back, 1);
    leaf(n + 1);
}

static int work(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if (i % 2 || leaf(i) > 3)
            sum += recurse(i % 9);
        for (int k = 0; k < i % 6; k++)
            sum += leaf(k);
    }
    return sum;
}

static void *run(void *n) {
    return (void *)(long)work(*(int *)n);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 300, volatile_sum = 0;
    pthread_t thread;
    void *of_thread;
    pthread_create(&thread, NULL, run, &n);
    for (volatile int i = 0; i < 40; i++)
        if (setjmp(back) == 0)
            jump(i);
    volatile_sum += work(n);
    pthread_join(thread, &of_thread);
    printf("%d %d\n", volatile_sum, (int)(long)of_thread);
    return 0;
}
