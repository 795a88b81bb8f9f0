/* frame_table.h: the layout of a function's frame at one instruction, from the unwinding tables of its object
 * (.eh_frame). */
#ifndef REFRAIN_FRAME_TABLE_H
#define REFRAIN_FRAME_TABLE_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* The frame's canonical address (CFA) is the value of the stack or frame pointer plus `cfa_offset`; the return address
 * lies 8 bytes below it. */
struct refrain_frame_rule {
    bool from_frame_pointer;
    bool frame_pointer_saved; /* else the register still has the caller's value */
    int64_t cfa_offset;
    int64_t frame_pointer_offset; /* distance from the CFA to where it is saved */
    uintptr_t function;           /* address of its first instruction */
};

/* `header`: the object's segment PT_GNU_EH_FRAME in memory. False if the tables have no entry for the address, or one
 * that is not supported (expressions, other registers). */
REFRAIN_HIDDEN bool refrain_frame_find(const unsigned char *header, uintptr_t address, struct refrain_frame_rule *rule);

#endif
