/* registers.h: what a probe's site takes for granted: no register changes (refrain/unit.h).
 *
 * The entries of probes save the general registers. Saving the vector registers too would cost several times what a
 * probe does, so librefrain is compiled to use none, down to its own memcpy and its like (bytes.c). What comes from
 * other libraries may use them: probes call it through refrain_keep_vectors(). */
#ifndef REFRAIN_REGISTERS_H
#define REFRAIN_REGISTERS_H

#include "arch/arch.h"
#include "visibility.h"

/* Calls function(argument) with the vector, mask and floating-point registers kept, at some 100 ns. The thread cannot
 * be cancelled meanwhile: functions of the C library that wait for the system are cancellation points, probes are none.
 */
REFRAIN_HIDDEN void refrain_keep_vectors(void (*function)(void *argument), void *argument);

/* What the processor's part of it does: calls function(argument) with these registers kept. */
REFRAIN_HIDDEN void refrain_arch_call_keeping_vectors(void (*function)(void *argument), void *argument);

#endif
