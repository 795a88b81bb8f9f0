/* packed_file.c: makes a packed file of a trace file's image, and reads it back (packed_file.h). */
#include "packed_file.h"
#include "packed_image.h"

#include <refrain/trace.h>
#include <stddef.h>
#include <string.h>

#define MOST_IMAGE_BYTES ((uint64_t)REFRAIN_ALIGNMENT_BYTES << 32)

/* Destinations of the values: each goes to the part of the file to which it belongs. */
struct parts {
    struct refrain_packed_coder structure, times;
    unsigned char *copied; /* bytes of timelines that are not coded */
    size_t copied_bytes, capacity_copied;
    size_t timeline_bytes; /* so far */
};

static void value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct parts *parts = stream->data;
    struct refrain_packed_coder *coder = refrain_packed_is_time(kind) ? &parts->times : &parts->structure;
    refrain_packed_code_value(coder, kind, value);
    if (coder->full)
        refrain_packed_fail(stream, "it does not fit");
}

static void copy(struct refrain_packed_stream *stream, unsigned char *bytes, size_t n) {
    struct parts *parts = stream->data;
    if (n > parts->capacity_copied - parts->copied_bytes) {
        refrain_packed_fail(stream, "the times do not fit");
        return;
    }
    if (parts->times.decodes)
        memcpy(bytes, parts->copied + parts->copied_bytes, n);
    else
        memcpy(parts->copied + parts->copied_bytes, bytes, n);
    parts->copied_bytes += n;
}

static void bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    struct parts *parts = stream->data;
    struct refrain_packed_coder *coder = refrain_packed_is_time(kind) ? &parts->times : &parts->structure;
    if (kind == REFRAIN_PACKED_TIMELINE) {
        parts->timeline_bytes += n;
        if (parts->timeline_bytes > REFRAIN_PACKED_CODED_TIMES) {
            copy(stream, bytes, n);
            return;
        }
    }
    refrain_packed_code_bytes(coder, kind, bytes, n);
    if (coder->full)
        refrain_packed_fail(stream, "it does not fit");
}

/* FNV-1a, by words. */
uint64_t refrain_packed_checksum(const void *all, size_t n) {
    const unsigned char *bytes = all;
    uint64_t sum = 0xcbf29ce484222325u, word;
    for (; n >= sizeof word; n -= sizeof word, bytes += sizeof word) {
        memcpy(&word, bytes, sizeof word);
        sum = (sum ^ word) * 0x100000001b3u;
        sum ^= sum >> 29;
    }
    for (; n > 0; n--)
        sum = (sum ^ *bytes++) * 0x100000001b3u;
    return sum;
}

/* Upper bound of a part: a value that is new to a model may need a few bits more than it has. */
static size_t part_bytes(uint64_t used) {
    return (size_t)(used + used / 4) + 4096;
}

size_t refrain_packed_most_bytes(uint64_t used) {
    return sizeof(struct refrain_packed_header) + 2 * part_bytes(used) + (size_t)used;
}

size_t refrain_packed_file_write(const void *trace_file, uint64_t used, unsigned char *file,
                                 struct refrain_packed_models *models, const char **wrong) {
    struct refrain_packed_header header = {.version = REFRAIN_TRACE_VERSION, .header_bytes = sizeof header};
    unsigned char *first = file + sizeof header;
    struct parts parts = {.copied = first + 2 * part_bytes(used), .capacity_copied = (size_t)used};
    struct refrain_packed_stream stream = {.data = &parts, .value = value, .bytes = bytes};
    refrain_packed_models_begin(models);
    refrain_packed_coder_open(&parts.structure, models, first, part_bytes(used), false);
    refrain_packed_coder_open(&parts.times, models, first + part_bytes(used), part_bytes(used), false);
    header.image_bytes = refrain_packed_write(trace_file, (size_t)used, &stream);
    header.structure_bytes = refrain_packed_coder_close(&parts.structure);
    header.times_bytes = refrain_packed_coder_close(&parts.times);
    header.copied_bytes = parts.copied_bytes;
    *wrong = stream.wrong;
    if (stream.wrong || !header.structure_bytes || !header.times_bytes)
        return 0;
    memmove(first + header.structure_bytes, first + part_bytes(used), header.times_bytes);
    size_t length = header.structure_bytes + header.times_bytes;
    memmove(first + length, parts.copied, parts.copied_bytes);
    length += parts.copied_bytes;
    header.checksum = refrain_packed_checksum(first, length);
    memcpy(header.magic, REFRAIN_PACKED_MAGIC, sizeof header.magic);
    memcpy(file, &header, sizeof header);
    return sizeof header + length;
}

void refrain_packed_file_set_pack_ns(unsigned char *file, uint64_t ns) {
    memcpy(file + offsetof(struct refrain_packed_header, pack_ns), &ns, sizeof ns);
}

bool refrain_packed_is_file(const void *bytes, size_t length) {
    return length >= sizeof REFRAIN_PACKED_MAGIC - 1 &&
           memcmp(bytes, REFRAIN_PACKED_MAGIC, sizeof REFRAIN_PACKED_MAGIC - 1) == 0;
}

const char *refrain_packed_file_check(const void *file, size_t length, uint64_t *image_bytes) {
    struct refrain_packed_header header;
    if (length < sizeof header)
        return "truncated: copy it again from where it was made";
    memcpy(&header, file, sizeof header);
    if (header.version < REFRAIN_TRACE_OLDEST || header.version > REFRAIN_TRACE_VERSION)
        return "of a trace version that this refrain does not read";
    uint64_t rest = length - sizeof header;
    if (header.header_bytes != sizeof header || header.structure_bytes > rest ||
        header.times_bytes > rest - header.structure_bytes ||
        header.copied_bytes != rest - header.structure_bytes - header.times_bytes)
        return "truncated or damaged: its header says that it has another length; copy it again from where it was made";
    if (header.image_bytes < REFRAIN_HEADER_BYTES || header.image_bytes > MOST_IMAGE_BYTES ||
        header.checksum != refrain_packed_checksum((const unsigned char *)file + sizeof header, (size_t)rest))
        return "damaged: its checksum is wrong; copy it again from where it was made";
    *image_bytes = header.image_bytes;
    return NULL;
}

const char *refrain_packed_file_read(const void *file, size_t length, void *image,
                                     struct refrain_packed_models *models) {
    struct refrain_packed_header header;
    memcpy(&header, file, sizeof header);
    unsigned char *first = (unsigned char *)(uintptr_t)file + sizeof header;
    unsigned char *times = first + header.structure_bytes;
    struct parts parts = {.copied = times + header.times_bytes, .capacity_copied = (size_t)header.copied_bytes};
    struct refrain_packed_stream stream = {.data = &parts, .value = value, .bytes = bytes};
    (void)length;
    refrain_packed_models_begin(models);
    refrain_packed_coder_open(&parts.structure, models, first, (size_t)header.structure_bytes, true);
    refrain_packed_coder_open(&parts.times, models, times, (size_t)header.times_bytes, true);
    if (!refrain_packed_read(image, (size_t)header.image_bytes, &stream))
        return stream.wrong;
    ((struct refrain_header *)image)->pack_ns = header.pack_ns;
    return NULL;
}
