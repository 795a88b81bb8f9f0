/* packed_file.h: a trace file as a process that came to its end by itself leaves it (monitor -> reader).
 *
 *     | header | structure: what was learned | times | single blocks that came late |
 *
 * rank-N.trace is either a trace file, as trace.h draws it, or this, which is made of one by packed_image.h and
 * packed_coder.h. One traversal (packed_image.h) makes the values of both parts. */
#ifndef REFRAIN_PACKED_FILE_H
#define REFRAIN_PACKED_FILE_H

#include "packed_coder.h"

#define REFRAIN_PACKED_MAGIC "refrainp"
/* Bytes of the timelines that are coded; the rest, which would take long and win little, is copied. */
#define REFRAIN_PACKED_CODED_TIMES ((size_t)64 << 10)

struct refrain_packed_header {
    char magic[8];
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    uint32_t header_bytes;
    uint64_t image_bytes; /* when it is read */
    uint64_t structure_bytes, times_bytes, copied_bytes;
    uint64_t checksum; /* of the three parts */
    uint64_t pack_ns;  /* as in struct refrain_header: known only when the file is made */
};

/* Bytes that a packed trace file of so many bytes in use takes at most, header included. */
REFRAIN_PACKED_API size_t refrain_packed_most_bytes(uint64_t used);

/* Packs the trace file (its first `used` bytes) into `file`, which has room for refrain_packed_most_bytes(). `models`
 * are scratch. Returns the bytes of the file, 0 where the trace file is not sound (*wrong says why). */
REFRAIN_PACKED_API size_t refrain_packed_file_write(const void *trace_file, uint64_t used, unsigned char *file,
                                                    struct refrain_packed_models *models, const char **wrong);

/* What making the packed file took, in processor time; it becomes the image's `pack_ns`. */
REFRAIN_PACKED_API void refrain_packed_file_took(unsigned char *file, uint64_t ns);

/* The checksum of what follows a header. */
REFRAIN_PACKED_API uint64_t refrain_packed_checksum(const void *bytes, size_t n);

/* Is this the beginning of a packed file? */
REFRAIN_PACKED_API bool refrain_packed_is_file(const void *bytes, size_t length);

/* Checks the header, but for the version, and that the file is whole: null, or what is wrong. *image_bytes: how large
 * the image is. */
REFRAIN_PACKED_API const char *refrain_packed_file_check(const void *file, size_t length, uint64_t *image_bytes);

/* Makes the image, header->image_bytes of zeroed memory, 16-byte aligned. The file has been checked. Null, or what is
 * wrong. */
REFRAIN_PACKED_API const char *refrain_packed_file_read(const void *file, size_t length, void *image,
                                                        struct refrain_packed_models *models);

#endif
