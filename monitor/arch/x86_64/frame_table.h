/* frame_table.h: the layout of a function's frame at one instruction, from the unwinding tables of its object
 * (.eh_frame). */
#ifndef REFRAIN_FRAME_TABLE_H
#define REFRAIN_FRAME_TABLE_H

#include "run/loaded.h"
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

/* Looks up the address in the tables of its object. False if they have no entry for it, or one that is not supported
 * (expressions, other registers). Reads only inside of the object's segments, also if the tables are damaged. */
REFRAIN_HIDDEN bool refrain_frame_find(const struct refrain_loaded *object, uintptr_t address,
                                       struct refrain_frame_rule *rule);

#endif
