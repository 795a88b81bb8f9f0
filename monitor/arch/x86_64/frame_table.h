/* frame_table.h: one function's frame at one instruction, from the unwinding tables of its object (.eh_frame). */
#ifndef REFRAIN_FRAME_TABLE_H
#define REFRAIN_FRAME_TABLE_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* The frame's canonical address (CFA) is the value of the stack or frame pointer plus `cfa_offset`; the return address
 * lies 8 bytes below it. */
struct refrain_frame_rule {
    bool from_frame_pointer;
    bool frame_pointer_saved; /* else it is still the caller's */
    int64_t cfa_offset;
    int64_t frame_pointer_offset; /* from the CFA, where it is saved */
    uintptr_t function;           /* address of its first instruction */
};

/* `header`: the object's PT_GNU_EH_FRAME segment, mapped. False where the tables have nothing for the address, or say
 * it in a way that this does not read (expressions, other registers). */
REFRAIN_HIDDEN bool refrain_frame_find(const unsigned char *header, uintptr_t address, struct refrain_frame_rule *rule);

#endif
