/* work.c: a function with a probe, called by threads that start before main() does (threads.c). */
#include "early.h"

unsigned work(unsigned n) {
    unsigned sum = n;
    for (unsigned i = 0; i < n; i++)
        sum = sum * 31 + i;
    return sum;
}

int main(void) {
    return early_end();
}
