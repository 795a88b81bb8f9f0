/* A team of two, of which the second thread sleeps when the first one is there: the first one waits for it at the end of
 * the loop, and at a critical section that the second one holds. Arguments: repetitions, milliseconds. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void rest(int milliseconds) {
    nanosleep(&(struct timespec){0, milliseconds * 1000000L}, NULL);
}

static void wait_for(const int *flag) {
    int seen = 0;
    while (!seen) {
#pragma omp atomic read
        seen = *flag;
    }
}

int main(int argc, char **argv) {
    int repetitions = argc > 1 ? atoi(argv[1]) : 5, milliseconds = argc > 2 ? atoi(argv[2]) : 20, inside = 0, there = 0;
    for (int i = 0; i < repetitions; i++) {
#pragma omp parallel for num_threads(2) schedule(static, 1)
        for (int k = 0; k < 2; k++) {
            if (k == 1) {
                wait_for(&there);
                rest(milliseconds);
            } else {
#pragma omp atomic write
                there = 1;
            }
        }
        there = 0;
#pragma omp parallel num_threads(2)
        {
            if (omp_get_thread_num() == 1) {
#pragma omp critical(held)
                {
#pragma omp atomic write
                    inside = 1;
                    rest(milliseconds);
                }
            } else {
                wait_for(&inside);
#pragma omp critical(held)
                inside = 0;
            }
        }
    }
    printf("imbalance: %d\n", repetitions);
    return 0;
}
