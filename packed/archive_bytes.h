/* archive_bytes.h: the bytes of an archive (formula.h), one number after the other: read with checks, written where
 * there is room. */
#ifndef REFRAIN_ARCHIVE_BYTES_H
#define REFRAIN_ARCHIVE_BYTES_H

#include <refrain/formula.h>
#include <stdbool.h>

#define REFRAIN_ARCHIVE_NUMBER_BYTES 10u /* most of a number */
#define REFRAIN_ARCHIVE_VALUE_HEAD 0u    /* of a value without strides that is not one byte alone */

/* Bytes of a chunk that are read. */
struct refrain_archive_source {
    const unsigned char *bytes;
    unsigned end, at;
    bool strange; /* it is not what the monitor writes; what is read from then on is 0 */
};

static inline uint64_t refrain_archive_get_number(struct refrain_archive_source *source) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && source->at < source->end; shift += 7) {
        unsigned char byte = source->bytes[source->at++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            source->strange |= (byte == 0 && shift > 0) || (shift == 63 && byte > 1);
            return value;
        }
    }
    source->strange = true;
    return 0;
}

static inline unsigned refrain_archive_get_byte(struct refrain_archive_source *source) {
    source->strange |= source->at >= source->end;
    return source->strange ? 0 : source->bytes[source->at++];
}

/* The chunk has room for what is put. */
static inline void refrain_archive_put_byte(struct refrain_archive *chunk, uint64_t byte) {
    chunk->bytes[chunk->used++] = (unsigned char)byte;
}

static inline void refrain_archive_put_number(struct refrain_archive *chunk, uint64_t number) {
    for (; number >= 128; number >>= 7)
        refrain_archive_put_byte(chunk, number | 128);
    refrain_archive_put_byte(chunk, number);
}

/* A value without strides, as a term or in one. */
static inline void refrain_archive_put_value(struct refrain_archive *chunk, int64_t value) {
    if (REFRAIN_IS_SHORT(value)) {
        refrain_archive_put_byte(chunk, (uint64_t)(REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST));
        return;
    }
    refrain_archive_put_byte(chunk, REFRAIN_ARCHIVE_VALUE_HEAD);
    refrain_archive_put_number(chunk, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* What a loop begins with; `span` items are the loop and its body, which follows. */
static inline void refrain_archive_put_loop(struct refrain_archive *chunk, unsigned height, unsigned span,
                                            uint64_t iterations) {
    refrain_archive_put_byte(chunk, (uint64_t)REFRAIN_ITEM_LOOP << 7 | (uint64_t)height << 4);
    refrain_archive_put_number(chunk, span);
    refrain_archive_put_number(chunk, iterations << 1);
}

#endif
