/* otf2_memory.h: the memory of an OTF2 archive that is written (write_otf2.c -> OTF2). */
#ifndef REFRAIN_OTF2_MEMORY_H
#define REFRAIN_OTF2_MEMORY_H

#include <otf2/otf2.h>

/* Callbacks by which the events of a location have two chunks: when both are full they are written out. Without them
 * OTF2 keeps up to 128 MB of each location. */
const OTF2_MemoryCallbacks *refrain_otf2_memory(void);

#endif
