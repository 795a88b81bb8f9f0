/* pack.h: at the end of a process, its trace file becomes a packed file (packed/packed_file.h). */
#ifndef REFRAIN_PACK_H
#define REFRAIN_PACK_H

#include "monitor.h"

/* Puts a packed file in the place of `path`, which is the trace file. The trace file stays mapped, so that a thread
 * that still runs writes into a file without a name. Where the file system has no room for both, or `still` says that
 * something was learned meanwhile, the trace file stays, without the blocks that were never used. The header says
 * that the process has finished. Without `may_pack` it stays so in any case: there is no memory for packing. */
REFRAIN_HIDDEN void refrain_pack_trace_file(const char *path, bool may_pack, bool (*still)(void));

#endif
