/* size_calls.h: the calls of MPI functions in a program's machine code (refrain size). */
#ifndef REFRAIN_SIZE_CALLS_H
#define REFRAIN_SIZE_CALLS_H

#include <libelf.h>
#include <stdint.h>

/* Call instructions and jumps in an x86-64 executable or library that lead to MPI functions of a shared library:
 * through the procedure linkage table, or without it. The monitor knows calls without a probe by where they return to,
 * so that these are the call sites that a run can have in this file, stripped or not. 0 for other machines. */
uint64_t refrain_size_calls(Elf *elf);

#endif
