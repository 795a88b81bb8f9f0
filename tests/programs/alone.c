/* alone.c: a plain C program without MPI: recursion, a sort with a callback, a jump out of several frames, an exit handler,
 * regions at the leaves. Usage: alone [N] */
#include <refrain/refrain.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static int visits;
static jmp_buf enough;

static int visit(int n) {
    refrain_region_begin(n % 2 ? "odd" : "even");
    visits++;
    refrain_region_end();
    return n;
}

static int ackermann(int m, int n) {
    visit(m + n);
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

static int compare(const void *a, const void *b) {
    return visit(*(const int *)a) - visit(*(const int *)b);
}

static void search(int depth, int wanted) {
    for (int i = 0; i < 3; i++) {
        if (visit(depth * 3 + i) == wanted)
            longjmp(enough, 1 + i);
        if (depth < 3)
            search(depth + 1, wanted);
    }
}

static void at_exit(void) {
    visit(0);
    printf("%d visits\n", visits);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 6, sum = 0;
    atexit(at_exit);
    for (int i = 0; i < n; i++) {
        int values[8];
        for (int j = 0; j < 8; j++)
            values[j] = (j * 5 + i) % 8;
        qsort(values, 8, sizeof *values, compare);
        volatile int total = sum;
        if (setjmp(enough) == 0)
            search(0, i % 14);
        sum = total + ackermann(i % 3, 2) + values[i % 8];
    }
    printf("sum %d\n", sum);
    exit(sum % 7);
}
