/* empty_call.c: the least that a step out of line costs; a file of its own so that no compiler sees through it. */
#include <stdint.h>

void empty_call(int64_t value);

void empty_call(int64_t value) {
    (void)value;
}
