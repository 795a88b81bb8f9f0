/* packed_image.h: what a trace file says, as a stream of values, and back (monitor -> file -> reader).
 *
 *     trace file                                              image
 *     | header | tables | learners, half used ... | free |  -- values -->  | header | tables | learners | end
 *
 * One traversal serves both directions. It visits every record that a reader can reach, in an order that follows from
 * the records before. When it writes, it passes each field to the stream; when it reads, it takes each field from the
 * stream and lays the records out anew, one behind the other, without gaps. So references need not be written, and two
 * trace files with the same records give the same values, wherever these lie. What is private to the monitor
 * (predictions, journals, anchors) is left out.
 *
 * Only the archive of a formula with REPEATs, which name chunks by their reference, goes back to where it was.
 *
 * An image that was written and read holds the same sequences, counts, names and times as the trace file. Nothing here
 * allocates; the monitor runs it at the end of a process. */
#ifndef REFRAIN_PACKED_IMAGE_H
#define REFRAIN_PACKED_IMAGE_H

#include "packed_stream.h"

/* Writes what the trace file says to the stream. Returns the bytes its image will have, 0 where the trace file is not
 * sound (stream->wrong). No thread may be learning meanwhile; its journals are empty or have been undone. */
REFRAIN_PACKED_API uint64_t refrain_packed_write(const void *trace_file, size_t trace_file_bytes,
                                                 struct refrain_packed_stream *stream);

/* Reads an image of `bytes` bytes, which are zero before. False where the stream does not fit that (stream->wrong). */
REFRAIN_PACKED_API bool refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream);

/* The same of one learner alone. Writing, `used` are the bytes of an image that learners before it take; returned is
 * what they take with this one. Reading, *used goes on by that, and the rest of the learner lies in the image. */
REFRAIN_PACKED_API uint64_t refrain_packed_write_learner(const void *trace_file, size_t trace_file_bytes,
                                                         const struct refrain_learner *learner, uint64_t used,
                                                         struct refrain_packed_stream *stream);
REFRAIN_PACKED_API bool refrain_packed_read_learner(void *image, size_t bytes, uint64_t *used,
                                                    struct refrain_learner *learner,
                                                    struct refrain_packed_stream *stream);

#endif
