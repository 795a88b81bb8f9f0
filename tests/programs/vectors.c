/* vectors.c: loops that reach no event, which compilers turn into vector instructions, and calls that are the last
 * thing that a function does (test_small.sh). */
#include <mpi.h>
#include <stdio.h>

#define N 1000

static double a[N], b[N];
static int rounds = 3;

__attribute__((noinline)) double squares(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

__attribute__((noinline)) void add(double *restrict y, const double *restrict x, double factor, int n) {
    for (int i = 0; i < n; i++)
        y[i] += factor * x[i];
}

__attribute__((noinline)) void clip(double *restrict y, const double *restrict x, int n) {
    for (int i = 0; i < n; i++) {
        if (x[i] > 1)
            y[i] = 1;
        else
            y[i] = x[i] * 2;
    }
}

__attribute__((noinline)) int meet(int round) {
    MPI_Barrier(MPI_COMM_WORLD);
    return round + 1;
}

/* The call is a jump, so the function's end has no probe. */
__attribute__((noinline)) int hand_on(int round) {
    if (round > 1)
        return meet(round - 1);
    return meet(round);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    for (int i = 0; i < N; i++)
        b[i] = i % 7;
    int sum = 0;
    for (int i = 0; i < rounds; i++) {
        add(a, b, 2, N);
        clip(a, b, N);
        sum += hand_on(i);
    }
    printf("%g %d\n", squares(a, N), sum);
    MPI_Finalize();
    return 0;
}
