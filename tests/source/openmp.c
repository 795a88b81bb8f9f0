/* OpenMP: loops keep their canonical form, nothing comes between a pragma and its statement. */
#include <stdio.h>

int work(int i);
int work(int i) { return i * 2 % 7; }
#define PARALLEL_FOR _Pragma("omp parallel for")
#define REPORT(x) printf("%d\n", work(x))

int main(void) {
    int total = 0, i, j, grid[4][4];
#pragma omp parallel for reduction(+ : total)
    for (i = 0; i < 10; i++)
        total += work(i);
#pragma omp parallel for collapse(2) private(j)
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) {
            grid[i][j] = work(i) + work(j);
            for (int k = 0; k < 2; k++) grid[i][j] += work(k);
        }
#pragma omp parallel default(none) shared(total)
    {
#pragma omp for
        for (int k = 0; k < work(3); k++) {
#pragma omp atomic
            total += 1;
        }
#pragma omp critical
        total += work(0);
    }
#pragma omp parallel
#pragma omp single
    REPORT(total);
#pragma omp parallel
#pragma omp for schedule(static)
    for (i = 0; i < 10; i++)
        if (work(i) > 100) REPORT(i);
#pragma omp simd
    for (i = 0; i < 4; i++)
        grid[0][i] += work(i);
    PARALLEL_FOR
    for (i = 0; i < 4; i++)
        grid[1][i] += work(i);
    _Pragma("omp parallel for") for (i = 0; i < 4; i++) grid[2][i] += work(i);
#pragma GCC unroll 2
    for (i = 0; i < 16; i++)
        total += grid[i / 4][i % 4] > 3 ? work(i) : 0;
    for (i = 0; i < 4; i++)
#pragma omp task firstprivate(i)
        work(i);
#pragma omp taskwait
    printf("%d\n", total > 0);
    for (i = 0; i < 16; i++) printf("%d ", grid[i / 4][i % 4]);
    printf("\n");
    return 0;
}
