/* packed_image.h: converts a trace file to a stream of values and back (monitor -> file -> reader).
 *
 *     trace file                                              image
 *     | header | tables | learners, half used ... | free |  -- values -->  | header | tables | learners | end
 *
 * One traversal serves both directions. It visits every record that a reader can reach, in an order that follows
 * from the records before. When writing, it passes each field to the stream. When reading, it takes each field from
 * the stream, and places the records one after the other, without gaps. So references need not be written, and two
 * trace files with the same records give the same values, wherever the records are. Data private to the monitor
 * (predictions, journals, anchors) is left out.
 *
 * One kind of record keeps its position: the archive of a formula with REPEATs, which refer to chunks.
 *
 * The image has the same sequences, counts, names and times as the trace file. Nothing here allocates, because the
 * monitor runs it at the end of a process. */
#ifndef REFRAIN_PACKED_IMAGE_H
#define REFRAIN_PACKED_IMAGE_H

#include "packed_stream.h"

/* Writes the trace file to the stream. Returns the size that its image will have; 0 if the trace file is damaged
 * (stream->wrong). No thread may learn meanwhile, and journals must be empty or undone. */
REFRAIN_PACKED_API uint64_t refrain_packed_write(const void *trace_file, size_t trace_file_bytes,
                                                 struct refrain_packed_stream *stream);

/* Reads an image of `bytes` bytes, which must be zero. False if the stream does not fit (stream->wrong). */
REFRAIN_PACKED_API bool refrain_packed_read(void *image, size_t bytes, struct refrain_packed_stream *stream);

/* The same for a single learner. Writing: `used` is the size of the image so far; returns its size including this
 * learner. Reading: *used advances by that, and the parts of the learner are in the image. */
REFRAIN_PACKED_API uint64_t refrain_packed_write_learner(const void *trace_file, size_t trace_file_bytes,
                                                         const struct refrain_learner *learner, uint64_t used,
                                                         struct refrain_packed_stream *stream);
REFRAIN_PACKED_API bool refrain_packed_read_learner(void *image, size_t bytes, uint64_t *used,
                                                    struct refrain_learner *learner,
                                                    struct refrain_packed_stream *stream);

#endif
