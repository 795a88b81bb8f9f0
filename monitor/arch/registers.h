/* registers.h: a probe must not change any register (refrain/unit.h). The entries of probes save the general registers.
 * Saving the vector registers, too, would cost several times as much as the probe. So librefrain is compiled without
 * vector registers, and has its own memcpy and similar functions (bytes.c). Functions of other libraries may use these
 * registers, so probes call them through refrain_keep_vectors(). */
#ifndef REFRAIN_REGISTERS_H
#define REFRAIN_REGISTERS_H

#include "arch/arch.h"
#include "visibility.h"

/* Calls function(argument), and keeps the vector, mask and floating-point registers, which takes about 100 ns. The
 * thread cannot be cancelled meanwhile, since functions of the C library may be cancellation points, and probes are
 * none. */
REFRAIN_HIDDEN void refrain_keep_vectors(void (*function)(void *argument), void *argument);

/* The processor's part of it: calls function(argument), and keeps these registers. */
REFRAIN_HIDDEN void refrain_arch_call_keeping_vectors(void (*function)(void *argument), void *argument);

#endif
