/* decimal.c: writes decimal numbers (decimal.h). */
#include "formats/decimal.h"

const char refrain_digit_pairs[200] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748"
    "49505152535455565758596061626364656667686970717273747576777879808182838485868788899091929394959697"
    "9899";

unsigned char *refrain_put_long(unsigned char *at, uint64_t value) {
    char digits[REFRAIN_DECIMAL_BYTES];
    size_t first = sizeof digits;
    if (value < 1000) {
        *at = (unsigned char)('0' + value / 100);
        return refrain_put_pair(at + 1, (uint32_t)value % 100);
    }
    for (; value >= 10000; value /= 100)
        memcpy(&digits[first -= 2], &refrain_digit_pairs[value % 100 * 2], 2);
    at = value < 1000 ? refrain_put_long(at, value) : refrain_put_four(at, (uint32_t)value);
    memcpy(at, &digits[first], sizeof digits - first);
    return at + (sizeof digits - first);
}
