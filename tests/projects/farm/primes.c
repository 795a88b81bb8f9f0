#include "farm.h"

static int is_prime(long n) {
    if (n < 2)
        return 0;
    for (long d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

long primes(long from, long to) {
    long n = 0;
    for (; from < to; from++)
        n += is_prime(from);
    return n;
}
