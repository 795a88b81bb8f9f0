/* arch_x86_64.h: the functions of arch.h for x86-64. */
#ifndef REFRAIN_ARCH_X86_64_H
#define REFRAIN_ARCH_X86_64_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_FRAME_ADDRESS __builtin_frame_address(0) /* where the frame pointer is saved */

#define REFRAIN_ARCH_HAS_COUNTER 1

static inline uint64_t refrain_arch_counter(void) {
    return __builtin_ia32_rdtsc();
}

static inline bool refrain_arch_counter_is_steady(void) {
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && edx >> 8 & 1;
}

static inline void refrain_arch_wait(void) {
    __asm__ volatile("lfence" ::: "memory");
}

static inline bool refrain_arch_displace(const void *from, size_t bytes) {
    enum { LINE_BYTES = 64 };
    const char *at = (const char *)((uintptr_t)from & ~(uintptr_t)(LINE_BYTES - 1));
    for (const char *end = (const char *)from + bytes; at < end; at += LINE_BYTES)
        __asm__ volatile("clflush (%0)" ::"r"(at) : "memory");
    __asm__ volatile("mfence" ::: "memory");
    return true;
}

/* rep movsb is slow if `from` is less than a cache line behind `to`. */
static inline bool refrain_arch_copy_long(unsigned char *to, const unsigned char *from, size_t bytes) {
    enum { LINE_BYTES = 64 };
    if ((uintptr_t)from - (uintptr_t)to < LINE_BYTES)
        return false;
    __asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return true;
}

static inline bool refrain_arch_read_metric(uint32_t index, uint64_t *value) {
    uint32_t low, high;
    __asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index - 1));
    *value = (uint64_t)high << 32 | low;
    return true;
}

static inline long refrain_arch_call_system(long number, uintptr_t first, uintptr_t second, uintptr_t third) {
    long result = number;
    __asm__ volatile("syscall" : "+a"(result) : "D"(first), "S"(second), "d"(third) : "rcx", "r11", "memory");
    return result;
}

#endif
