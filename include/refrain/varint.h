/* varint.h: numbers in as few bytes as they need (monitor -> reader): seven bits per byte, the lowest first; the
 * eighth bit says that more bytes follow. A signed number has its sign in the lowest bit. */
#ifndef REFRAIN_VARINT_H
#define REFRAIN_VARINT_H

#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_VARINT_BYTES 10u /* at most */

static inline uint64_t refrain_zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t refrain_unzigzag(uint64_t number) {
    return (int64_t)(number >> 1 ^ -(number & 1));
}

static inline unsigned refrain_varint_size(uint64_t number) {
    return (70u - (unsigned)__builtin_clzll(number | 1)) / 7;
}

/* Returns the number of bytes written. */
static inline unsigned refrain_varint_put(unsigned char *out, uint64_t number) {
    unsigned n = 0;
    for (; number >= 128; number >>= 7)
        out[n++] = (unsigned char)(number | 128);
    out[n++] = (unsigned char)number;
    return n;
}

/* Reads the number at bytes[*at] (size: `end`), and moves *at behind it. False if it is truncated, or has more than
 * 64 bits. */
static inline bool refrain_varint_get(const unsigned char *bytes, unsigned end, unsigned *at, uint64_t *number) {
    unsigned here = *at;
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 64 && here < end; shift += 7) {
        unsigned char byte = bytes[here++];
        sum |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *at = here;
            *number = sum;
            return shift < 63 || byte < 2;
        }
    }
    *at = here;
    *number = sum;
    return false;
}

#endif
