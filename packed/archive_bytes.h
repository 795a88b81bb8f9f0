/* archive_bytes.h: the bytes of an archive (formula.h): its numbers, the items of its terms and whole terms, read with
 * checks; written where there is room. Groups of values are read by group.h. */
#ifndef REFRAIN_ARCHIVE_BYTES_H
#define REFRAIN_ARCHIVE_BYTES_H

#include <refrain/group.h>

#include <stdbool.h>

#define REFRAIN_ARCHIVE_VALUE_HEAD 0u /* of a value without strides that is not one byte alone */

/* Bytes of a chunk that are read. */
struct refrain_archive_source {
    const unsigned char *bytes;
    unsigned end, at;
    bool strange; /* it is not what the monitor writes; what is read from then on is 0 */
};

static inline uint64_t refrain_archive_get_number(struct refrain_archive_source *source) {
    unsigned begin = source->at;
    uint64_t number;
    if (!refrain_varint_get(source->bytes, source->end, &source->at, &number)) {
        source->strange = true;
        return 0;
    }
    source->strange |= source->at - begin != refrain_varint_size(number); /* it could have been shorter */
    return number;
}

static inline unsigned refrain_archive_get_byte(struct refrain_archive_source *source) {
    source->strange |= source->at >= source->end;
    return source->strange ? 0 : source->bytes[source->at++];
}

static inline int64_t refrain_archive_get_signed(struct refrain_archive_source *source) {
    return refrain_unzigzag(refrain_archive_get_number(source));
}

/* What an item begins with; the strides follow, each by refrain_archive_get_stride(). */
struct refrain_archive_head {
    unsigned byte; /* as written; REFRAIN_ARCHIVE_VALUE_HEAD of a value that is one byte alone */
    unsigned kind, height, strides;
    bool alone;    /* it is a byte alone */
    uint64_t span; /* of a LOOP; else 1 */
    int64_t base;
};

/* Of a REPEAT nothing but its kind is read. A group is no item: strange. */
static inline struct refrain_archive_head refrain_archive_get_head(struct refrain_archive_source *source) {
    struct refrain_archive_head head = {.byte = refrain_archive_get_byte(source), .span = 1};
    if (REFRAIN_IS_SHORT_BYTE(head.byte)) {
        head.base = (int64_t)head.byte - REFRAIN_SHORT_FIRST + REFRAIN_SHORT_LEAST;
        head.byte = REFRAIN_ARCHIVE_VALUE_HEAD;
        head.alone = true;
        return head;
    }
    source->strange |= REFRAIN_IS_GROUP(head.byte);
    head.kind = head.byte == REFRAIN_ARCHIVED_REPEAT ? REFRAIN_ITEM_REPEAT : head.byte >> 7;
    if (head.kind == REFRAIN_ITEM_REPEAT)
        return head;
    head.height = head.byte >> 4 & 7;
    head.strides = head.byte & 15;
    if (head.kind == REFRAIN_ITEM_LOOP)
        head.span = refrain_archive_get_number(source);
    head.base = refrain_archive_get_signed(source);
    return head;
}

static inline int64_t refrain_archive_get_stride(struct refrain_archive_source *source, unsigned *height) {
    *height = refrain_archive_get_byte(source);
    return refrain_archive_get_signed(source);
}

/* An item with its strides, as learners have it. */
static inline void refrain_archive_get_item(struct refrain_archive_source *source, struct refrain_item *item) {
    struct refrain_archive_head head = refrain_archive_get_head(source);
    source->strange |= head.span > UINT16_MAX;
    *item = (struct refrain_item){.kind = (uint8_t)head.kind,
                                  .height = (uint8_t)head.height,
                                  .span = source->strange ? 1 : (uint16_t)head.span,
                                  .base = head.base};
    if (head.kind == REFRAIN_ITEM_REPEAT) {
        item->base = (int64_t)refrain_archive_get_number(source);
        for (unsigned i = 0; i < 4; i++)
            item->stride[i] = (int64_t)refrain_archive_get_number(source);
    }
    for (; head.strides > 0 && !source->strange; head.strides--) {
        unsigned height;
        int64_t stride = refrain_archive_get_stride(source, &height);
        source->strange |= height >= REFRAIN_LOOP_HEIGHTS;
        if (!source->strange)
            item->stride[height] = stride;
    }
}

/* A term: an item, and those of its body. Returns how many items it is, `most` at most; 0 where it is strange. Whether
 * its loops lie within each other is for the caller to see. */
static inline unsigned refrain_archive_get_term(struct refrain_archive_source *source, struct refrain_item *items,
                                                unsigned most) {
    unsigned n = 1;
    for (unsigned i = 0; i < n && !source->strange; i++) {
        refrain_archive_get_item(source, &items[i]);
        source->strange |= i > 0 && items[i].kind == REFRAIN_ITEM_REPEAT;
        if (i == 0)
            n = items[0].span;
        source->strange |= n == 0 || n > most;
    }
    return source->strange ? 0 : n;
}

/* The chunk has room for what is put. */
static inline void refrain_archive_put_byte(struct refrain_archive *chunk, uint64_t byte) {
    chunk->bytes[chunk->used++] = (unsigned char)byte;
}

static inline void refrain_archive_put_number(struct refrain_archive *chunk, uint64_t number) {
    chunk->used = (uint16_t)(chunk->used + refrain_varint_put(chunk->bytes + chunk->used, number));
}

/* A value without strides, as a term or in one. */
static inline void refrain_archive_put_value(struct refrain_archive *chunk, int64_t value) {
    if (REFRAIN_IS_SHORT(value)) {
        refrain_archive_put_byte(chunk, (uint64_t)(REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST));
        return;
    }
    refrain_archive_put_byte(chunk, REFRAIN_ARCHIVE_VALUE_HEAD);
    refrain_archive_put_number(chunk, refrain_zigzag(value));
}

/* What a loop begins with; `span` items are the loop and its body, which follows. */
static inline void refrain_archive_put_loop(struct refrain_archive *chunk, unsigned height, unsigned span,
                                            uint64_t iterations) {
    refrain_archive_put_byte(chunk, (uint64_t)REFRAIN_ITEM_LOOP << 7 | (uint64_t)height << 4);
    refrain_archive_put_number(chunk, span);
    refrain_archive_put_number(chunk, iterations << 1);
}

#endif
