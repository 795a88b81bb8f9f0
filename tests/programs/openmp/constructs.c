/* OpenMP's constructs in all the ways in which they may be written: combined, nested, orphaned, cancelled, with clauses
 * of every kind, by macros. Prints what they calculate, which is the same with any number of threads. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define N 64
#define THREADS 4
#define PARALLEL_FOR _Pragma("omp parallel for")
#define ADD(x) x += 1
#define TWO(x, y) x += 1; y += 1

struct pair {
    int a, b;
};

static int counter;
#pragma omp threadprivate(counter)

static void show(const char *name, long value) {
    printf("%s %ld\n", name, value);
}

/* ---- orphaned: called from a team, or from none ---- */

static void orphans(int *values, int *ones, int *in_turn) {
#pragma omp for schedule(guided) /* orphaned */
    for (int i = 0; i < N; i++)
        values[i] += i;
#pragma omp single
    *ones += 1;
#pragma omp critical(in_turn)
    {
        *in_turn += 1;
    }
#pragma omp barrier
#pragma omp for nowait
    for (int i = 0; i < N; i++)
        values[i] *= 2;
}

static int sum_of(const int *values, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static void orphaned(void) {
    int values[N] = {0}, ones = 0, in_turn = 0;
    orphans(values, &ones, &in_turn);
#pragma omp parallel num_threads(THREADS)
    orphans(values, &ones, &in_turn);
    show("orphaned", sum_of(values, N) * 10000L + ones * 100 + in_turn);
}

/* ---- combined ---- */

static void combined(int n) {
    int sum = 0, last = -1, j = 7, base = 3, grid[8][8], products[3] = {1, 1, 1};
    long total = 0;
#pragma omp parallel for reduction(+ : sum), private(j) firstprivate(base) \
    lastprivate(last) num_threads(n / 2 + 1) if (n > 1) schedule(static, 3) /* of all kinds */
    for (int i = 0; i < N; i++) {
        j = i;
        for (int k = 0; k < 2; k++)
            sum += j + base;
        last = i;
    }
    show("parallel for", sum * 1000L + last * 10 + j);
#pragma omp parallel for collapse(2) shared(grid) schedule(dynamic, 3) default(shared) // both loops
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 8; k++)
            grid[i][k] = i * k;
#pragma omp parallel for default(none) shared(grid) reduction(+ : total) /* is left as it is */
    for (int i = 0; i < 8; i++)
        total += grid[i][i];
#pragma omp parallel for reduction(* : products[ : 3]) if (parallel : n > 100) proc_bind(close)
    for (int i = 1; i < 4; i++)
        products[i - 1] *= i + 1;
#pragma omp parallel sections num_threads(2) lastprivate(last)
    {
        ADD(sum);
#pragma omp section
        last = 5;
    }
#pragma omp parallel for simd reduction(+ : total)
    for (int i = 0; i < N; i++)
        total += i;
    counter = 11;
#pragma omp parallel copyin(counter) reduction(+ : total) num_threads(THREADS)
#pragma omp for
    for (int i = 0; i < N; i++)
        total += counter;
    show("combined", total * 1000 + products[0] * products[1] * products[2] + last + sum);
    PARALLEL_FOR
    for (int i = 0; i < 8; i++)
        grid[0][i] = i;
#pragma omp parallel for ordered
    for (int i = 0; i < 4; i++) {
        int twice = 2 * i;
#pragma omp ordered
        printf("in order %d\n", twice);
    }
    show("grid", grid[0][7] + grid[7][7]);
}

/* ---- statements of all forms ---- */

static void statements(int n) {
    int sum = 0, other = 0, private_sum = 0;
    struct pair pair = {0, 0};
    if (n)
#pragma omp parallel num_threads(3) reduction(+ : sum)
#pragma omp critical
        sum += 1;
    else
#pragma omp parallel
        sum = -1;
#pragma omp parallel default(none) shared(sum, other, pair, n) num_threads(THREADS) firstprivate(private_sum)
    {
#pragma omp single
        {
#pragma omp critical(pairs)
            pair = (struct pair){1, 2};
        }
        switch (n) {
        case 3:;
#pragma omp barrier
            private_sum = 1;
            break;
        default:
            break;
        }
#pragma omp master
        ADD(sum);
#pragma omp barrier
#pragma omp critical
        do
            other++;
        while (other < 0);
#pragma omp single copyprivate(private_sum)
        private_sum = 40;
#pragma omp critical
        for (int i = 0; i < 2; i++)
            sum += private_sum;
#pragma omp atomic
        other += 1;
#pragma omp single nowait
        ;
#pragma omp for
        for (int i = 0; i < 2; i++)
            ;
    }
#pragma omp parallel num_threads(2)
#pragma omp single
    TWO(sum, other);
again:
#pragma omp parallel num_threads(2)
    {
#pragma omp sections nowait
        {
#pragma omp section
            pair.a++;
#pragma omp section
            {
                pair.b++;
            }
        }
    }
    if (pair.a < 4)
        goto again;
    show("statements", sum * 100000L + other * 1000 + pair.a * 10 + pair.b);
}

/* ---- teams in teams, tasks, locks ---- */

static void nested(void) {
    int inner = 0, outer = 0;
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) // outer
    {
#pragma omp atomic
        outer++;
        for (int round = 0; round < 3; round++)
#pragma omp parallel num_threads(2) // inner
        {
#pragma omp critical(inner)
            inner++;
#pragma omp barrier
        }
    }
    show("nested", outer * 100 + inner);
}

static int fibonacci(int n) {
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) if (n > 5)
    a = fibonacci(n - 1);
#pragma omp task shared(b) untied
    b = fibonacci(n - 2);
#pragma omp taskwait
    return a + b;
}

static void tasks(void) {
    int value = 0, done = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp master
        {
            value = fibonacci(10);
#pragma omp taskgroup
            for (int i = 0; i < 10; i++)
#pragma omp task
            {
#pragma omp atomic
                done++;
            }
#pragma omp taskloop
            for (int i = 0; i < 5; i++)
#pragma omp atomic
                done++;
        }
    }
    show("tasks", value * 100 + done);
}

static void locks(void) {
    int sum = 0, nested = 0; /* each has a lock of its own */
    omp_lock_t lock;
    omp_nest_lock_t nest;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest);
#pragma omp parallel num_threads(THREADS)
    {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
        sum > 100 ? omp_set_nest_lock(&nest) : omp_set_nest_lock(&nest);
        omp_set_nest_lock(&nest);
        nested++;
        omp_unset_nest_lock(&nest);
        omp_unset_nest_lock(&nest);
    }
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nest);
    show("locks", sum + nested);
}

/* ---- ends that come early ---- */

static void cancelled(void) {
    int found = 0, rounds = 0;
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp for
        for (int i = 0; i < 1000; i++) {
            if (i == 10) {
#pragma omp atomic write
                found = 1;
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
#pragma omp critical
        rounds++;
    }
    for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(THREADS)
        {
#pragma omp cancel parallel if (omp_get_thread_num() == 1)
#pragma omp barrier
#pragma omp single
            rounds += 0;
        }
#pragma omp parallel for num_threads(2)
        for (int i = 0; i < 2; i++)
#pragma omp critical
            rounds++;
    }
    show("cancelled", found * 100 + rounds);
}

static void forked(void) {
    int children = 0;
    fflush(stdout);
#pragma omp parallel num_threads(3) reduction(+ : children)
    {
        pid_t child = fork();
        if (child == 0)
            _exit(7);
        int status = 0;
#pragma omp critical
        waitpid(child, &status, 0);
        children += WEXITSTATUS(status);
    }
    show("forked", children);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3;
    for (int round = 0; round < n; round++) {
        orphaned();
        combined(n);
        statements(n);
        nested();
        tasks();
        locks();
        cancelled();
    }
    forked();
    if (argc > 2) /* ends in the middle of a team */
#pragma omp parallel num_threads(THREADS)
    {
#pragma omp barrier
#pragma omp master
        {
            fflush(stdout);
            _exit(3);
        }
        for (;;)
            pause();
    }
    return 0;
}
