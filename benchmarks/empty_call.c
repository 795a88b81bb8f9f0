/* empty_call.c: an empty function, to measure the cost of a call alone. In a file of its own, so it is not inlined. */
#include <stdint.h>

void empty_call(int64_t value);

void empty_call(int64_t value) {
    (void)value;
}
