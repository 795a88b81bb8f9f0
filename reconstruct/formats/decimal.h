/* decimal.h: writes numbers and short texts to memory. The caller makes room and counts the bytes (sink.h,
 * write_text.c).
 *
 * Each function returns the position of the next byte. refrain_put_wide() may overwrite up to REFRAIN_BEYOND bytes
 * after that, because it copies pieces of this size. */
#ifndef REFRAIN_DECIMAL_H
#define REFRAIN_DECIMAL_H

#include <stdint.h>
#include <string.h>

#define REFRAIN_BEYOND 32u        /* bytes beyond the end that refrain_put_wide() may read and write */
#define REFRAIN_DECIMAL_BYTES 20u /* of the longest number, including its sign */

/* "00", "01" ... "99". Two digits at a time, since division is the slow part. */
extern const char refrain_digit_pairs[200];

/* Copies n bytes. Both source and target must have REFRAIN_BEYOND bytes after their ends. */
static inline unsigned char *refrain_put_wide(unsigned char *at, const char *from, size_t n) {
    unsigned char *end = at + n;
    do {
        memcpy(at, from, REFRAIN_BEYOND);
        at += REFRAIN_BEYOND;
        from += REFRAIN_BEYOND;
    } while (at < end);
    return end;
}

/* A string literal. */
#define REFRAIN_PUT_LITERAL(at, literal)                                                                               \
    ((unsigned char *)memcpy((at), (literal), sizeof(literal) - 1) + (sizeof(literal) - 1))

/* Exactly two digits. */
static inline unsigned char *refrain_put_pair(unsigned char *at, uint32_t value) {
    memcpy(at, &refrain_digit_pairs[value * 2], 2);
    return at + 2;
}

/* Exactly four digits; exactly six digits. */
static inline unsigned char *refrain_put_four(unsigned char *at, uint32_t value) {
    return refrain_put_pair(refrain_put_pair(at, value / 100), value % 100);
}

static inline unsigned char *refrain_put_six(unsigned char *at, uint32_t value) {
    return refrain_put_four(refrain_put_pair(at, value / 10000), value % 10000);
}

/* A number with at least three digits. */
unsigned char *refrain_put_long(unsigned char *at, uint64_t value);

static inline unsigned char *refrain_put_unsigned(unsigned char *at, uint64_t value) {
    if (value < 10) {
        *at = (unsigned char)('0' + value);
        return at + 1;
    }
    return value < 100 ? refrain_put_pair(at, (uint32_t)value) : refrain_put_long(at, value);
}

static inline unsigned char *refrain_put_signed(unsigned char *at, int64_t value) {
    if (value >= 0)
        return refrain_put_unsigned(at, (uint64_t)value);
    *at = '-';
    return refrain_put_unsigned(at + 1, -(uint64_t)value);
}

#endif
