/* outlined.c: the compiler makes functions of their own from parts of an instrumented one: they have sites, but no call,
 * so that they could keep what they need below the stack pointer. Prints the sums of random walks. */
#include <stdio.h>

static unsigned long walk(unsigned long seed, int turns) {
    unsigned long sum = 0;
#pragma omp parallel num_threads(2)
    {
        volatile unsigned long kept[8];
        for (int k = 0; k < 8; k++)
            kept[k] = seed + (unsigned long)k;
        for (int t = 0; t < turns; t++) {
            unsigned long now = kept[t % 8];
            if ((now ^ (unsigned long)t) & 1)
                kept[t % 8] = now * 3 + 1;
            else if (now % 3 == 0)
                kept[t % 8] = now / 3 + kept[(t + 1) % 8];
            else
                kept[t % 8] = now / 2;
        }
        for (int k = 0; k < 8; k++) {
#pragma omp atomic
            sum += kept[k];
        }
    }
    return sum;
}

int main(void) {
    for (int turns = 1; turns < 2000; turns += 37)
        printf("%lu\n", walk(88172645463325252u, turns));
    return 0;
}
