/* Nested functions, which gcc has and clang has not: called, passed on, left by a goto, with probes in what is around them. */
#include <stdio.h>
#include <stdlib.h>
#ifdef REGIONS
#include <refrain/refrain.h>
#else
#define refrain_region_begin(name) ((void)0)
#define refrain_region_end() ((void)0)
#endif

int say(int value);
int say(int value) {
    refrain_region_begin(value % 2 ? "odd" : "even");
    printf("say %d\n", value);
    refrain_region_end();
    return value;
}

static int apply(int (*f)(int), int n) {
    int total = 0;
    while (n-- > 0) total += f(n);
    return total;
}

static int accumulates(int n) {
    int sum = 0;
    int add(int value) {
        if (value > 1) sum += say(value);
        return sum;
    }
    for (int i = 0; i < n; i++) add(i);
    return apply(add, n) + sum;
}

static int jumps(int n) {
    __label__ out;
    int tries = 0;
    int leave(int value) {
        tries++;
        if (say(value) == 1) goto out;
        return 1;
    }
    apply(leave, n);
    say(100);
out:
    return tries;
}

static int sorted(int n) {
    int values[n + 1], compared = 0;
    auto int compare(const void *a, const void *b);
    for (int i = 0; i <= n; i++) values[i] = (i * 5 + 3) % 7;
    qsort(values, (size_t)n + 1, sizeof *values, compare);
    int compare(const void *a, const void *b) {
        compared |= say(1);
        return *(const int *)a - *(const int *)b;
    }
    return values[n / 2] + compared;
}

static int untouched(int n) {
    for (int i = 0; i < n; i++)
        if (say(i) > 1) return say(i + 10);
    return 0;
}

int main(void) {
    for (int n = 0; n < 5; n++)
        printf("%d %d %d %d\n", accumulates(n), jumps(n), sorted(n), untouched(n));
    return 0;
}
