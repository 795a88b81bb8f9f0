/* OpenMP's constructs in a program that is recorded as it is: the runtime says when they begin and end. Prints what it
 * computes. On THREADS threads: ROUNDS teams, in each of which thread 1 works SLEEP milliseconds longer in the loop.
 *   ompt ROUNDS SLEEP */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 3
#define TASKS 8

static int sum, in_turn, twice;
static omp_lock_t lock;
static omp_nest_lock_t nest;

static int tree(int depth) { /* tied tasks that wait for others */
    int left = 1, right = 1;
    if (depth == 0)
        return 1;
#pragma omp task shared(left)
    left = tree(depth - 1);
#pragma omp task shared(right)
    right = tree(depth - 1);
#pragma omp taskwait /* tree */
    return left + right;
}

static void round_of(int sleep) {
#pragma omp parallel num_threads(THREADS) /* team */
    {
#pragma omp for schedule(static) reduction(+ : sum) /* loop */
        for (int i = 0; i < THREADS; i++) {
            if (i == 1)
                usleep(sleep * 1000);
            sum += i;
        }
#pragma omp sections /* sections */
        {
#pragma omp section
#pragma omp atomic
            sum += 1;
#pragma omp section
#pragma omp atomic
            sum += 2;
        }
#pragma omp critical(held) /* held */
        in_turn++;
#pragma omp critical /* nameless */
        in_turn++;
        omp_set_lock(&lock); /* set */
        in_turn++;
        omp_unset_lock(&lock);
        omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        twice++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
#pragma omp barrier /* explicit */
#pragma omp master /* master */
        {
            pid_t child = fork();
            if (child == 0)
                _exit(0);
            waitpid(child, NULL, 0);
            sum += 10;
        }
#pragma omp single /* single */
        for (int i = 0; i < TASKS; i++)
#pragma omp task /* task */
        {
#pragma omp atomic
            sum += 100;
        }
#pragma omp for ordered schedule(dynamic) /* in order */
        for (int i = 0; i < THREADS; i++) {
#pragma omp ordered /* one after another */
            twice += i == twice % THREADS;
        }
    }
}

static int nested(void) {
    int count = 0;
#pragma omp parallel num_threads(2) /* outer */
    {
#pragma omp parallel num_threads(2) reduction(+ : count) /* inner */
        count++;
    }
    return count;
}

static int cancelled(void) {
    int found = 0;
#pragma omp parallel num_threads(2) /* cancelled */
    {
#pragma omp for
        for (int i = 0; i < 1000; i++) {
#pragma omp cancel for if (i == 3)
#pragma omp atomic
            found++;
        }
    }
    return found >= 0;
}

int main(int argc, char **argv) {
    int rank, leaves = 0, rounds = argc > 1 ? atoi(argv[1]) : 3, sleep = argc > 2 ? atoi(argv[2]) : 0, provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
    for (int i = 0; i < rounds; i++) {
        round_of(sleep);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    int inner = nested(), cancels = cancelled();
#pragma omp parallel num_threads(THREADS)
#pragma omp single
    leaves = tree(5);
    printf("rank %d: %d %d %d, %d %d %d\n", rank, sum, in_turn, twice > 0, inner, cancels, leaves);
    usleep(sleep * 1000); /* no thread waits here */
    MPI_Finalize();
    return 0;
}
