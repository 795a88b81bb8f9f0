#include "farm.h"

long collatz(long from, long to) {
    long longest = 0;
    for (; from < to; from++) {
        long n = from, steps = 0;
        while (n > 1) {
            n = n % 2 ? 3 * n + 1 : n / 2;
            steps++;
        }
        longest = steps > longest ? steps : longest;
    }
    return longest;
}
