/* bytes.c: librefrain's own memcpy, memmove, memset and memcmp, which no other object sees. Those of the C library use
 * vector registers (registers.h). They process eight bytes at a time, mostly four times in a row. A rest at the end is
 * covered by a word that overlaps the one before. The empty statements keep the compiler from replacing a loop by a
 * call of memcpy. */
#include "arch/arch.h"
#include "visibility.h"

#define STEP_FOR_STEP() __asm__ __volatile__("" ::: "memory")

typedef uint64_t __attribute__((__may_alias__, __aligned__(1))) any_word;
typedef uint32_t __attribute__((__may_alias__, __aligned__(1))) any_half;

REFRAIN_HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
REFRAIN_HIDDEN void *memmove(void *to, const void *from, size_t bytes);
REFRAIN_HIDDEN void *memset(void *to, int value, size_t bytes);
REFRAIN_HIDDEN int memcmp(const void *a, const void *b, size_t bytes);
REFRAIN_HIDDEN int bcmp(const void *a, const void *b, size_t bytes);

static inline uint64_t word_at(const unsigned char *from) {
    return *(const any_word *)from;
}

static inline void put_word(unsigned char *to, uint64_t word) {
    *(any_word *)to = word;
}

static inline void copy_four(unsigned char *to, const unsigned char *from) {
    uint64_t a = word_at(from), b = word_at(from + 8), c = word_at(from + 16), d = word_at(from + 24);
    put_word(to, a);
    put_word(to + 8, b);
    put_word(to + 16, c);
    put_word(to + 24, d);
    STEP_FOR_STEP();
}

/* Copies less than 8 bytes. */
static inline void copy_few(unsigned char *to, const unsigned char *from, size_t bytes) {
    if (bytes >= 4) {
        uint32_t first = *(const any_half *)from, last = *(const any_half *)(from + bytes - 4);
        *(any_half *)to = first;
        *(any_half *)(to + bytes - 4) = last;
    } else if (bytes > 0) {
        unsigned char first = from[0], middle = from[bytes / 2], last = from[bytes - 1];
        to[0] = first;
        to[bytes / 2] = middle;
        to[bytes - 1] = last;
    }
}

#define LONG_BYTES 512u /* from this number of bytes on the processor's own loop is faster, if it has one */

static inline void copy_up(unsigned char *to, const unsigned char *from, size_t bytes) {
    if (bytes < 8) {
        copy_few(to, from, bytes);
        return;
    }
    if (bytes >= LONG_BYTES && refrain_arch_copy_long(to, from, bytes))
        return;
    unsigned char *last = to + bytes - 8;
    uint64_t last_word = word_at(from + bytes - 8);
    for (; bytes >= 32; bytes -= 32, to += 32, from += 32)
        copy_four(to, from);
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
        put_word(to, word_at(from));
        STEP_FOR_STEP();
    }
    put_word(last, last_word);
}

static inline void copy_down(unsigned char *to, const unsigned char *from, size_t bytes) {
    if (bytes < 8) {
        copy_few(to, from, bytes);
        return;
    }
    uint64_t first_word = word_at(from);
    for (; bytes >= 32; bytes -= 32)
        copy_four(to + bytes - 32, from + bytes - 32);
    for (; bytes >= 8; bytes -= 8) {
        put_word(to + bytes - 8, word_at(from + bytes - 8));
        STEP_FOR_STEP();
    }
    put_word(to, first_word);
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
        put_word(at, word);
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
    for (; bytes >= 8 && word_at(x) == word_at(y); bytes -= 8, x += 8, y += 8)
        STEP_FOR_STEP();
    for (; bytes; bytes--, x++, y++)
        if (*x != *y)
            return *x < *y ? -1 : 1;
    return 0;
}

/* clang calls it in place of a memcmp whose sign is not used. */
int bcmp(const void *a, const void *b, size_t bytes) {
    return memcmp(a, b, bytes);
}
