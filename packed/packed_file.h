/* packed_file.h: the form of a trace file after its process has ended by itself (monitor -> reader).
 *
 *     | header | structure: what was learned | times | timeline bytes that are not coded |
 *
 * rank-N.trace is either a trace file in the layout of trace.h, or a packed file, made by packed_image.h and
 * packed_coder.h. One traversal (packed_image.h) makes the values of all parts. */
#ifndef REFRAIN_PACKED_FILE_H
#define REFRAIN_PACKED_FILE_H

#include "packed_coder.h"

#define REFRAIN_PACKED_MAGIC "refrainp"
/* Bytes of timelines that are coded. The rest is copied: coding it would take long and save little. */
#define REFRAIN_PACKED_CODED_TIMES ((size_t)64 << 10)

struct refrain_packed_header {
    char magic[8];
    uint32_t version; /* REFRAIN_TRACE_VERSION */
    uint32_t header_bytes;
    uint64_t image_bytes; /* of the image after reading */
    uint64_t structure_bytes, times_bytes, copied_bytes;
    uint64_t checksum; /* of the three parts */
    uint64_t pack_ns;  /* as in struct refrain_header, but known only after the file is made */
};

/* Upper bound of the size of a packed file, header included, for a trace file with `used` bytes in use. */
REFRAIN_PACKED_API size_t refrain_packed_most_bytes(uint64_t used);

/* Packs the first `used` bytes of a trace file into `file`, which has room for refrain_packed_most_bytes(). `models`
 * are scratch memory. Returns the size of the file; 0 if the trace file is damaged (*wrong is the reason). */
REFRAIN_PACKED_API size_t refrain_packed_file_write(const void *trace_file, uint64_t used, unsigned char *file,
                                                    struct refrain_packed_models *models, const char **wrong);

/* Stores the processor time that packing took. It becomes `pack_ns` of the image. */
REFRAIN_PACKED_API void refrain_packed_file_set_pack_ns(unsigned char *file, uint64_t ns);

/* The checksum of the bytes after a header. */
REFRAIN_PACKED_API uint64_t refrain_packed_checksum(const void *bytes, size_t n);

/* True if the bytes are the beginning of a packed file. */
REFRAIN_PACKED_API bool refrain_packed_is_file(const void *bytes, size_t length);

/* Checks the header, its version, the length of the file and its checksum. Returns null, or what is wrong.
 * *image_bytes: size of the image. */
REFRAIN_PACKED_API const char *refrain_packed_file_check(const void *file, size_t length, uint64_t *image_bytes);

/* Makes the image in `image`: header->image_bytes of zeroed memory, 16-byte aligned. The file must have been
 * checked. Returns null, or what is wrong. */
REFRAIN_PACKED_API const char *refrain_packed_file_read(const void *file, size_t length, void *image,
                                                        struct refrain_packed_models *models);

#endif
