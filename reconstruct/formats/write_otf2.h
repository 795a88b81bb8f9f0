/* write_otf2.h: an OTF2 archive, traces.otf2 (writer for event.h; format: OTF2 3.0, otf2.h).
 *
 *     rank N thread t -> location  N | t << 32, in location group "MPI Rank N", on its host, on the machine
 *     region          -> region with file, line and role
 *     communicator    -> group of ranks and communicator; the ranks in messages are those of the communicator
 *
 * Ranks whose file is missing are locations without events. Timestamps are nanoseconds since the start of the run. */
#ifndef REFRAIN_WRITE_OTF2_H
#define REFRAIN_WRITE_OTF2_H

#include "error.h"
#include "event.h"

/* A writer of an archive in `directory`, which is made; `force`: an archive that is there is removed first. Nothing is
 * touched before writer->begin. Freed by writer->end. */
enum refrain_status refrain_write_otf2(const char *directory, bool force, struct refrain_writer **writer,
                                       struct refrain_error *error);

#endif
