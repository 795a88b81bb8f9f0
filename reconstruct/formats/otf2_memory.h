/* otf2_memory.h: limits the memory of an OTF2 archive that is written (write_otf2.c -> OTF2). */
#ifndef REFRAIN_OTF2_MEMORY_H
#define REFRAIN_OTF2_MEMORY_H

#include <otf2/otf2.h>

/* Callbacks that give the events of a location two chunks. When both are full, OTF2 writes them to disk. Without
 * them, OTF2 would keep up to 128 MB for each location. */
const OTF2_MemoryCallbacks *refrain_otf2_memory(void);

#endif
