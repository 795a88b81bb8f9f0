/* chain.c: functions of a few instructions each, of which some lead to an event now and then. */
#include "hostile.h"

#define SMALL __attribute__((noinline))

int hostile_full(long *buffered) {
    static unsigned posted;
    (void)buffered;
    return ++posted % 4096 == 0;
}

long hostile_step(long n) {
    return n * 3 + 1;
}

static SMALL long end(long n) {
    if ((n & 65535) == 65535)
        hostile_communicate(n);
    return n ^ 5;
}
#define LINK(name, next)                                                                                               \
    static SMALL long name(long n) {                                                                                   \
        return next(n + 1 - 1) + 1;                                                                                    \
    }
LINK(seventh, end)
LINK(sixth, seventh)
LINK(fifth, sixth)
LINK(fourth, fifth)
LINK(third, fourth)
LINK(second, third)
LINK(first, second)

long hostile_chain(long n) {
    return first(n);
}

long hostile_handle(long sum, unsigned message) {
    return sum - message;
}

static SMALL long odd(long steps, long sum);

static SMALL long even(long steps, long sum) {
    if ((steps & 65535) == 0)
        hostile_communicate(sum);
    return steps == 0 ? sum : odd(steps - 1, sum + steps);
}

static SMALL long odd(long steps, long sum) {
    return steps == 0 ? sum : even(steps - 1, sum ^ steps);
}

long hostile_states(long steps) {
    return even(steps, 0);
}
