/* shapes.c: functions whose frames and code are of many kinds, all with probes, each with much to keep over them.
 * Prints a line for each: what it computed, or what was wrong. Usage: shapes [TURNS] */
#include "shapes.h"
#include <alloca.h>
#include <refrain/refrain.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What makes functions traced. */
static void event(void) {
    refrain_region_begin("event");
    refrain_region_end();
}

/* No call but what a decision that is never made would need: without probes it might keep what it has below the stack
 * pointer. */
APART unsigned long leaf(const unsigned *from, int n) {
    volatile unsigned kept[12];
    unsigned long sum = 0;
    for (int i = 0; i < 12; i++)
        kept[i] = from[i];
    for (int i = 0; i < n; i++) {
        if (from[i % 12] & 1)
            kept[i % 12] += (unsigned)i;
        else if (from[i % 12] & 2 && sum % 3)
            kept[(i + 5) % 12] ^= from[i % 12];
        sum = mix(sum, kept[i % 12]);
    }
    for (int i = 0; i < 12; i++)
        sum = mix(sum, kept[i]);
    return sum;
}

/* More than there are registers, of both kinds, all needed after each probe. */
APART unsigned long pressure(unsigned long n, double x) {
    unsigned long a = n, b = n + 1, c = n + 2, d = n + 3, e = n + 4, f = n + 5, g = n + 6, h = n + 7, k = n + 8;
    double p = x, q = x + 1, r = x + 2, s = x + 3, t = x + 4, u = x + 5, v = x + 6, w = x + 7;
    for (unsigned long i = 0; i < n % 16 + 3; i++) {
        a += b, b ^= c, c += d, d ^= e, e += f, f ^= g, g += h, h ^= k, k += a;
        if (a & 1 ? b & 2 : c & 4)
            p += q * 0.5, q += r * 0.25, r -= s * 0.125, s += t * 0.5;
        else
            t += u * 0.25, u -= v * 0.5, v += w * 0.125, w -= p * 0.25;
        if (i % 5 == 4)
            event();
    }
    union {
        double number;
        unsigned long bits;
    } all = {p + q * 2 + r * 3 + s * 5 + t * 7 + u * 11 + v * 13 + w * 17};
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ k ^ all.bits;
}

/* Vectors kept over probes, in a frame aligned for them. */
typedef float lanes __attribute__((__vector_size__(32)));
APART unsigned long vectors(int n) {
    lanes a = {1, 2, 3, 4, 5, 6, 7, 8}, b = a * 3, c = b - a * 2;
    lanes kept[3] = {a, b, c};
    for (int i = 0; i < n; i++) {
        a = a * 0.5f + b, b = b * 0.25f + c, c = c * 0.125f + a;
        if (i % 3 == 1)
            kept[i % 3] += a;
        else if (i % 7 == 2)
            kept[i % 3] -= c;
    }
    unsigned long sum = (uintptr_t)&kept % 32;
    event();
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 8; j++)
            sum = mix(sum, (unsigned long)(long)(kept[i][j] * 1000 + a[j] + b[j]));
    return sum;
}

/* Loops that count for themselves, and tell the count. */
APART unsigned long counted(const unsigned *from, int n) {
    unsigned long sum = 0;
    for (int i = 0; i < n; i++)
        sum += from[i % 12] ^ sum >> 3;
    event();
    for (int i = 0; i < n + 1000; i++)
        sum ^= from[i % 12] + (sum << 1);
    return sum;
}

/* The stack pointer moves within the function. */
APART unsigned long variable(int n) {
    unsigned long sum = 0;
    for (int i = 1; i < n; i++) {
        unsigned char bytes[i * 37 % 80 + 1];
        memset(bytes, i, sizeof bytes);
        if (i % 2)
            event();
        for (size_t j = 0; j < sizeof bytes; j++)
            if (bytes[j] != (unsigned char)i)
                return j;
        sum = mix(sum, bytes[sizeof bytes / 2] + leaf((unsigned[12]){1, 2, 3, (unsigned)i}, i));
    }
    return sum;
}

APART unsigned long allocated(int n) {
    unsigned *last = NULL;
    unsigned long sum = 0;
    for (int i = 1; i < n; i++) {
        unsigned *words = alloca((size_t)i * 24);
        for (int j = 0; j < 6 * i; j++)
            words[j] = (unsigned)(i * j);
        if (last && last[3] % 2)
            event();
        last = words;
    }
    for (int j = 0; j < 6; j++)
        sum = mix(sum, last ? last[j] : 0);
    return sum;
}

/* An alignment of its own; with a variable array the frame is found through a third register. */
APART unsigned long aligned(int n) {
    unsigned char kept[96] __attribute__((__aligned__(64)));
    unsigned short words[n * 3 + 1];
    unsigned long sum = (uintptr_t)kept % 64;
    for (int i = 0; i < 96; i++)
        kept[i] = (unsigned char)(i * n);
    for (int i = 0; i <= n * 3; i++) {
        words[i] = (unsigned short)(i ^ n);
        if (words[i] % 5 == 1)
            kept[words[i] % 96]++;
        else if (i % 9 == 8)
            event();
    }
    for (int i = 0; i < 96; i++)
        sum = mix(sum, kept[i] + words[i % (n * 3 + 1)]);
    return sum;
}

APART unsigned long page(int n) {
    unsigned kept[16] __attribute__((__aligned__(4096)));
    unsigned long sum = (uintptr_t)kept % 4096;
    for (int i = 0; i < 16; i++)
        if ((i ^ n) % 7)
            kept[i] = (unsigned)(i + n);
        else
            kept[i] = 0, event();
    for (int i = 0; i < 16; i++)
        sum = mix(sum, kept[i]);
    return sum;
}

APART unsigned long large(int n) {
    volatile unsigned char kept[200000];
    unsigned long sum = 0;
    for (size_t i = 0; i < sizeof kept; i += 9001)
        kept[i] = (unsigned char)(i + (size_t)n);
    for (size_t i = 0; i < sizeof kept; i += 9001)
        if (i % 4)
            kept[i]++;
        else
            event();
    for (size_t i = 0; i < sizeof kept; i += 9001)
        sum = mix(sum, kept[i]);
    return sum;
}

/* Arguments on the stack, one from a decision, one from a traced call; a result on the stack. */
struct many {
    unsigned long sum[5];
};
APART struct many arguments(int a, long b, double c, int d, float e, long f, int g, struct many h, char i, long j,
                            int k, long l, short m) {
    struct many result = h;
    if (a > k && b != l)
        event();
    result.sum[a % 5] += (unsigned long)(a + b + d + f + g + i + j + k + l + m);
    result.sum[4] ^= (unsigned long)(long)(c * 3 + (double)e);
    return result;
}

APART unsigned long callers(int n) {
    struct many all = {{1, 2, 3, 4, 5}};
    for (int i = 0; i < n; i++)
        all = arguments(i, i + 1, i * 0.5, (i & 1 ? (int)variable(3) & 7 : i), (float)i, n, i, all, (char)i,
                        i % 3 == 1 && n > 2 ? 5 : (long)(leaf((unsigned[12]){9, 8, 7}, i) & 15), i ^ n, 12, 13);
    unsigned long sum = 0;
    for (int i = 0; i < 5; i++)
        sum = mix(sum, all.sum[i]);
    return sum;
}

APART unsigned long varied(int n, ...) {
    va_list list;
    unsigned long sum = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++)
        if (i % 2) {
            sum = mix(sum, (unsigned long)(long)(va_arg(list, double) * 8));
            event();
        } else {
            sum = mix(sum, (unsigned long)va_arg(list, long));
        }
    va_end(list);
    return sum;
}

/* Calls after arguments on the stack, in one block, of functions that become part of this one. */
static inline __attribute__((__always_inline__)) unsigned long inner(int n) {
    if (n % 3 == 1)
        event();
    return (unsigned long)n * 7;
}

static inline __attribute__((__always_inline__)) unsigned long outer(int n) {
    unsigned long sum = varied(9, 1L, 1.5, 2L, 2.5, 3L, 3.5, 4L, 4.5, (long)n);
    sum = mix(sum, inner(n));
    return mix(sum, inner(n + 1));
}

APART unsigned long inlined(int n) {
    unsigned long sum = varied(7, 11L, 0.5, 12L, 0.25, 13L, 0.125, 14L);
    for (int i = 0; i < n; i++) {
        sum = mix(sum, varied(8, 1L, 1.5, 2L, 2.5, 3L, 3.5, (long)i, 4.5));
        sum = mix(sum, outer(i));
    }
    return sum;
}

#ifdef __GNUC__
APART unsigned long computed(int n) {
    static void *const places[] = {&&add, &&flip, &&tell, &&end};
    unsigned long sum = (unsigned long)n;
    int turn = 0;
next:
    if (turn++ > 3 * n)
        goto end;
    goto *places[turn % 3];
add:
    sum += (unsigned long)turn;
    goto next;
flip:
    sum = sum & 4 ? ~sum : mix(sum, 3);
    goto next;
tell:
    if (sum % 4 == 0)
        event();
    goto next;
end:
    return sum;
}
#endif

APART unsigned long recursive(int n, unsigned long sum) {
    event();
    if (n == 0)
        return sum;
    return n % 2 ? recursive(n - 1, mix(sum, 1)) : mix(recursive(n - 1, sum), (unsigned long)n);
}

APART unsigned long switched(int n) {
    unsigned long sum = 0;
    for (int i = 0; i < n * 5; i++)
        switch ((sum >> 3) % 9) {
        case 0:
            sum += 3;
            break;
        case 1:
            event(); /* fall through */
        case 2:
            sum = mix(sum, 2);
            break;
        case 5:
            if (i % 2)
                continue;
            sum ^= 5;
            break;
        default:
            sum = mix(sum, (unsigned long)i);
        }
    return sum;
}

unsigned long shapes_turn(int turn, void (*tell)(const char *name, unsigned long value)) {
    unsigned numbers[12];
    for (unsigned i = 0; i < 12; i++)
        numbers[i] = i * 2654435761u + (unsigned)turn;
    unsigned long sum = 0, value;
#define SHAPE(call) (value = (call), sum = mix(sum, value), tell ? tell(#call, value) : (void)0)
    SHAPE(leaf(numbers, turn % 9 + 9));
    SHAPE(counted(numbers, turn % 4));
    SHAPE(pressure((unsigned long)turn * 77, turn * 0.75));
    SHAPE(vectors(turn % 9 + 5));
    SHAPE(variable(turn % 9 + 3));
    SHAPE(allocated(turn % 9 + 4));
    SHAPE(aligned(turn % 5 + 2));
    SHAPE(page(turn));
    SHAPE(large(turn));
    SHAPE(callers(turn % 6 + 1));
    SHAPE(inlined(turn % 5));
    SHAPE(computed(turn % 7));
    SHAPE(jumped(turn % 6 + 2));
    SHAPE(ended(turn % 9));
    SHAPE(recursive(turn % 12, 0));
    SHAPE(switched(turn % 10));
    return sum;
}
