/* calls.c: functions that make events and functions that do not, which only the link tells. Usage: calls [N] */
#include "sites.h"
#include <refrain/refrain.h>
#include <stdio.h>
#include <stdlib.h>

int square(int n);
int loud(int n);

/* Calls another file, but nothing there makes an event. */
__attribute__((noinline)) int quiet(int n) {
    int difference = square(n) - square(n - 1);
    return n % 3 ? difference : square(n);
}

__attribute__((noinline)) int busy(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (square(i) % 3)
            sum += loud(i);
    for (int i = 0; i < n % 3; i++)
        sum -= square(i);
    return sum;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 5;
    sites_print("begin");
    for (int i = 0; i < 4; i++)
        printf("%d %d\n", quiet(n + i), busy(n + i));
    for (int i = 0; i < n; i++)
        n -= square(i);
    sites_print("end");
    return 0;
}
