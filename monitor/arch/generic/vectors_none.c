/* vectors_none.c: probes are functions that are called, so that nobody expects vector registers to be kept
 * (arch/registers.h). */
#include "arch/arch.h"
#include "arch/registers.h"

void refrain_arch_call_keeping_vectors(void (*function)(void *argument), void *argument) {
    function(argument);
}
