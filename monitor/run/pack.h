/* pack.h: replaces the trace file by a packed file at the end of a process (packed/packed_file.h). */
#ifndef REFRAIN_PACK_H
#define REFRAIN_PACK_H

#include "visibility.h"
#include <stdbool.h>

/* Puts a packed file in the place of `path`, which is the trace file. The trace file stays mapped, so that a thread
 * that still runs writes into a file without a name. The trace file stays, without the disk space that was never used,
 * in three cases: the file system has no room for both, or `still` returns false, as something was learned meanwhile,
 * or `may_pack` is false, as there is no memory for packing. In each case its header says that the process has
 * finished. */
REFRAIN_HIDDEN void refrain_pack_trace_file(const char *path, bool may_pack, bool (*still)(void));

#endif
