/* bytes.c: librefrain's own memcpy, memmove, memset and memcmp, seen by nothing else: those of the C library use vector
 * registers (registers.h). Eight bytes at a time. The empty statements keep the compiler from finding a memcpy here. */
#include "monitor.h"

#define STEP_FOR_STEP() __asm__ __volatile__("" ::: "memory")

typedef uint64_t __attribute__((__may_alias__, __aligned__(1))) any_word;

REFRAIN_HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
REFRAIN_HIDDEN void *memmove(void *to, const void *from, size_t bytes);
REFRAIN_HIDDEN void *memset(void *to, int value, size_t bytes);
REFRAIN_HIDDEN int memcmp(const void *a, const void *b, size_t bytes);
REFRAIN_HIDDEN int bcmp(const void *a, const void *b, size_t bytes);

static void copy_up(unsigned char *to, const unsigned char *from, size_t bytes) {
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
        *(any_word *)to = *(const any_word *)from;
        STEP_FOR_STEP();
    }
    for (; bytes; bytes--) {
        *to++ = *from++;
        STEP_FOR_STEP();
    }
}

static void copy_down(unsigned char *to, const unsigned char *from, size_t bytes) {
    while (bytes % 8) {
        bytes--;
        to[bytes] = from[bytes];
        STEP_FOR_STEP();
    }
    while (bytes) {
        bytes -= 8;
        *(any_word *)(to + bytes) = *(const any_word *)(from + bytes);
        STEP_FOR_STEP();
    }
}

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    copy_up(to, from, bytes);
    return to;
}

void *memmove(void *to, const void *from, size_t bytes) {
    if ((uintptr_t)to - (uintptr_t)from >= bytes)
        copy_up(to, from, bytes);
    else
        copy_down(to, from, bytes);
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    unsigned char *at = to;
    uint64_t word = (unsigned char)value * 0x0101010101010101u;
    for (; bytes >= 8; bytes -= 8, at += 8) {
        *(any_word *)at = word;
        STEP_FOR_STEP();
    }
    for (; bytes; bytes--) {
        *at++ = (unsigned char)value;
        STEP_FOR_STEP();
    }
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes) {
    const unsigned char *x = a, *y = b;
    for (; bytes >= 8 && *(const any_word *)x == *(const any_word *)y; bytes -= 8, x += 8, y += 8)
        STEP_FOR_STEP();
    for (; bytes; bytes--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

/* What clang makes of a memcmp whose sign is not used. */
int bcmp(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes);
}
