/* size_calls.h: counts the calls of MPI functions in a program's machine code (refrain size). */
#ifndef REFRAIN_SIZE_CALLS_H
#define REFRAIN_SIZE_CALLS_H

#include <libelf.h>
#include <stdint.h>

/* Counts the call instructions and jumps in an x86-64 executable or library that lead to MPI functions of a shared
 * library, directly or through the procedure linkage table. The monitor identifies calls without a probe by their
 * return addresses, so this is the number of call sites that a run can have in the file, stripped or not. 0 for other
 * machines. */
uint64_t refrain_size_calls(Elf *elf);

#endif
