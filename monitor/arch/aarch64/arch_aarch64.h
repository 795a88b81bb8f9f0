/* arch_aarch64.h: what the monitor needs of a 64-bit Arm processor (arch.h describes each function). */
#ifndef REFRAIN_ARCH_AARCH64_H
#define REFRAIN_ARCH_AARCH64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* __builtin_frame_address(0) would be the lower end of the function's own frame, so the address is counted from the
 * caller's. */
#define REFRAIN_FRAME_ADDRESS ((void *)((uintptr_t *)__builtin_dwarf_cfa() - 2))

#define REFRAIN_ARCH_HAS_COUNTER 1

static inline uint64_t refrain_arch_counter(void) {
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/* The counter always runs at one rate: 1 GHz since Armv8.6. On some earlier processors the rate is 24 MHz, and a tick
 * is longer than a probe. */
static inline bool refrain_arch_counter_is_steady(void) {
    uint64_t hertz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hertz));
    return hertz >= 100000000u;
}

static inline void refrain_arch_wait(void) {
    __asm__ volatile("dsb ish\n\tisb" ::: "memory");
}

static inline bool refrain_arch_displace(const void *from, size_t bytes) {
    uint64_t type;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(type));
    size_t line = (size_t)4 << (type >> 16 & 15);
    const char *at = (const char *)((uintptr_t)from & ~(uintptr_t)(line - 1));
    for (const char *end = (const char *)from + bytes; at < end; at += line)
        __asm__ volatile("dc civac, %0" ::"r"(at) : "memory");
    __asm__ volatile("dsb ish" ::: "memory");
    return true;
}

static inline bool refrain_arch_copy_long(unsigned char *to, const unsigned char *from, size_t bytes) {
    (void)to;
    (void)from;
    (void)bytes;
    return false;
}

static inline bool refrain_arch_read_metric(uint32_t index, uint64_t *value) {
    (void)index;
    (void)value;
    return false;
}

static inline long refrain_arch_call_system(long number, uintptr_t first, uintptr_t second, uintptr_t third) {
    register long x8 __asm__("x8") = number;
    register uintptr_t x0 __asm__("x0") = first;
    register uintptr_t x1 __asm__("x1") = second;
    register uintptr_t x2 __asm__("x2") = third;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
    return (long)x0;
}

#endif
