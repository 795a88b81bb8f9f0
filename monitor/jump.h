/* jump.h: probes that are off are taken out of the program's code (struct refrain_jump). Under the lock of unit.c. */
#ifndef REFRAIN_JUMP_H
#define REFRAIN_JUMP_H

#include "monitor.h"

/* Learns of the code of the executable or library that `unit` belongs to: with its first unit. Code that is not mapped
 * to be read and executed only, or is one library too many, stays as it is. */
REFRAIN_HIDDEN void refrain_jumps_add(const struct refrain_unit *unit);

/* That executable or library is about to be unloaded. */
REFRAIN_HIDDEN void refrain_jumps_drop(const struct refrain_unit *unit);

/* Brings the code in line with the probes' bytes. Other threads may run it meanwhile; a probe that one of them still
 * comes to, or leaves out, for a moment is as if its byte had been read a moment before. Where the system does not let
 * code be changed, it stays as it is from then on. Keeps errno. */
REFRAIN_HIDDEN void refrain_jumps_place(void);

#endif
