/* otf2_io.h: accesses to files as records of OTF2 (events -> IoCreateHandle, IoOperationBegin ...).
 *
 *     MPI_File_open, _close             IoCreateHandle, IoDestroyHandle
 *     read, write                       IoOperationBegin ... IoOperationComplete, with the moved bytes
 *     iread, iwrite                     IoOperationBegin ... IoOperationIssued; IoOperationComplete with the request
 *     read_all_begin ... read_all_end   the same; IoOperationComplete when the second half returns
 *     seek, seek_shared                 IoSeek */
#ifndef REFRAIN_OTF2_IO_H
#define REFRAIN_OTF2_IO_H

#include "formats/otf2_define.h"

/* Write records for: an IO event; a FILE event; a MOVED event; a SEEK event; an ACCESS_COMPLETE, if it is that of a
 * file; the end of a call. */
OTF2_ErrorCode refrain_otf2_io_access(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                      const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_io_file(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time);
void refrain_otf2_io_moved(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                           const struct refrain_event *event);
OTF2_ErrorCode refrain_otf2_io_seek(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time);
OTF2_ErrorCode refrain_otf2_io_complete(struct refrain_otf2_location *location, const struct refrain_event *event,
                                        uint64_t time);
OTF2_ErrorCode refrain_otf2_io_leave(struct refrain_otf2_location *location, const struct refrain_event *event,
                                     uint64_t time);

#endif
