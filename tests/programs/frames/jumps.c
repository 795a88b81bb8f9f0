/* jumps.c: activations that are left by jumps, apart from shapes.c since such files are instrumented in another way. */
#include "shapes.h"
#include <refrain/refrain.h>
#include <setjmp.h>
#include <string.h>

static void event(void) {
    refrain_region_begin("jumps");
    refrain_region_end();
}

/* Left by jumps, from several activations down. */
static __thread jmp_buf back;
APART void down(int n) {
    unsigned char kept[50];
    if (n < 0)
        return;
    memset(kept, n, sizeof kept);
    event();
    if (n == 0)
        longjmp(back, 1 + kept[7]);
    down(n - 1);
    if (kept[n % 50] != (unsigned char)n)
        event();
}

unsigned long jumped(int n) {
    volatile unsigned long sum = 0;
    for (volatile int i = 0; i < n; i++) {
        if (setjmp(back) == 0)
            down(i % 7);
        else
            sum = mix(sum, (unsigned long)i);
        if (i % 4 == 3)
            event();
    }
    return sum;
}

/* Does not return; everything that it calls becomes part of it. */
static __thread jmp_buf out;
static __thread unsigned long found;
static __attribute__((__noinline__, __noreturn__)) void endless(volatile unsigned *numbers, int n) {
    volatile unsigned kept[10];
    for (int i = 0; i < 10; i++)
        kept[i] = numbers[i];
    for (int turn = 0;; turn++) {
        if (kept[turn % 10] & 1)
            kept[turn % 10] += 3;
        else if (kept[turn % 10] % 3)
            kept[(turn + 1) % 10]++;
        if (turn == n) {
            unsigned long sum = 0;
            for (int i = 0; i < 10; i++)
                sum = mix(sum, kept[i]);
            found = sum;
            __builtin_longjmp((void **)(void *)out, 1);
        }
    }
}

unsigned long ended(int n) {
    volatile unsigned numbers[10] = {3, 1, 4, 1, 5, 9, 2, 6, 5, (unsigned)n};
    if (__builtin_setjmp((void **)(void *)out) == 0)
        endless(numbers, n * 10);
    event();
    return found;
}
