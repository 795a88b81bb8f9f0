/* handler.c: what the signal handler of step.c calls, with probes of its own. */
#include "step.h"
#include <refrain/refrain.h>

static volatile int count[4];

__attribute__((__noinline__)) static int decide(int n) {
    int sum = 0;
    for (int i = 0; i < n % 3; i++)
        if ((n >> i) & 1)
            sum += i;
    if (sum % 2) {
        refrain_region_begin("handler");
        refrain_region_end();
    }
    return sum;
}

void stepped(int n) {
    count[decide(n) & 3]++;
}
