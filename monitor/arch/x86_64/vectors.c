/* vectors.c: finds out which registers the processor has besides the general ones, and keeps them (arch/registers.h).
 */
#include "arch/arch.h"
#include "arch/registers.h"
#include "visibility.h"

#include <cpuid.h>

/* Components of the extended state that a function may change: x87, SSE, AVX, the three of AVX-512, the further general
 * registers (Intel's manual, volume 1, section 13.1). The tiles are left out: programs that use them expect to lose
 * them in any system call. */
#define COMPONENTS (1u << 0 | 1u << 1 | 1u << 2 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 19)
#define LEGACY_BYTES 512u
#define HEADER_BYTES 64u

REFRAIN_HIDDEN void refrain_call_with_state(void (*function)(void *), void *argument, size_t bytes,
                                            uint64_t components);

static uint32_t state_bytes, state_components; /* state_bytes is stored last; 0: not measured yet */

/* Reads size and offset of each component (cpuid leaf 0xd). */
static void measure(void) {
    unsigned a, b, c, d, enabled, high, bytes = LEGACY_BYTES, components = 0;
    if (__get_cpuid(1, &a, &b, &c, &d) && c & bit_OSXSAVE) {
        __asm__("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
        components = enabled & COMPONENTS;
        bytes += HEADER_BYTES;
        for (unsigned i = 2; i < 32; i++)
            if (components >> i & 1) {
                __cpuid_count(0xd, i, a, b, c, d);
                bytes = a + b > bytes ? a + b : bytes;
            }
    }
    __atomic_store_n(&state_components, components, __ATOMIC_RELAXED);
    __atomic_store_n(&state_bytes, bytes, __ATOMIC_RELEASE);
}

void refrain_arch_call_keeping_vectors(void (*function)(void *argument), void *argument) {
    if (__atomic_load_n(&state_bytes, __ATOMIC_ACQUIRE) == 0)
        measure();
    refrain_call_with_state(function, argument, state_bytes, state_components);
}
