/* test_decimal.c: numbers as text, compared with printf's: all lengths, and the smallest and largest of each. */
#include "formats/decimal.h"

#include <inttypes.h>
#include <stdio.h>

static int failed, passed;

static void check(const char *what, const unsigned char *text, const unsigned char *end, const char *expected) {
    const size_t n = (size_t)(end - text);
    if (n == strlen(expected) && memcmp(text, expected, n) == 0) {
        passed++;
        return;
    }
    printf("%s: %.*s instead of %s\n", what, (int)n, text, expected);
    failed++;
}

static void numbers(uint64_t value) {
    unsigned char text[REFRAIN_DECIMAL_BYTES + REFRAIN_BEYOND];
    char expected[32];
    snprintf(expected, sizeof expected, "%" PRIu64, value);
    check("unsigned", text, refrain_put_unsigned(text, value), expected);
    snprintf(expected, sizeof expected, "%" PRId64, (int64_t)value);
    check("signed", text, refrain_put_signed(text, (int64_t)value), expected);
    snprintf(expected, sizeof expected, "%06" PRIu64, value % 1000000);
    check("six digits", text, refrain_put_six(text, (uint32_t)(value % 1000000)), expected);
}

int main(void) {
    const char of[100] = "a text that is copied in words, of which the last one is not full";
    for (uint64_t value = 0; value < 12000; value++)
        numbers(value);
    for (uint64_t power = 1;; power *= 10) {
        for (uint64_t factor = 1; factor < 10 && power <= UINT64_MAX / factor; factor++)
            for (uint64_t i = 0; i < 5; i++)
                numbers(power * factor + i - 2);
        if (power > UINT64_MAX / 10)
            break;
    }
    numbers(UINT64_MAX);
    numbers((uint64_t)INT64_MAX);
    numbers((uint64_t)INT64_MIN);
    for (size_t n = 0; n <= strlen(of); n++) {
        unsigned char text[sizeof of + REFRAIN_BEYOND];
        char expected[sizeof of];
        snprintf(expected, sizeof expected, "%.*s", (int)n, of);
        check("wide", text, refrain_put_wide(text, of, n), expected);
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
