/* archive_bytes.h: reads and writes the bytes of an archive (formula.h): numbers, items of terms, and whole terms.
 * Reading checks the bytes. group.h reads groups of values. */
#ifndef REFRAIN_ARCHIVE_BYTES_H
#define REFRAIN_ARCHIVE_BYTES_H

#include <refrain/group.h>

#include <stdbool.h>

#define REFRAIN_ARCHIVE_VALUE_HEAD 0u /* head of a value without strides that needs more than one byte */

/* The bytes of a chunk, and the position in them. */
struct refrain_archive_source {
    const unsigned char *bytes;
    unsigned end, at;
    bool malformed; /* the bytes are not as the monitor writes them; further reads return 0 */
};

static inline uint64_t refrain_archive_get_number(struct refrain_archive_source *source) {
    unsigned begin = source->at;
    uint64_t number;
    if (!refrain_varint_get(source->bytes, source->end, &source->at, &number)) {
        source->malformed = true;
        return 0;
    }
    source->malformed |= source->at - begin != refrain_varint_size(number); /* the number could have been shorter */
    return number;
}

static inline unsigned refrain_archive_get_byte(struct refrain_archive_source *source) {
    source->malformed |= source->at >= source->end;
    return source->malformed ? 0 : source->bytes[source->at++];
}

static inline int64_t refrain_archive_get_signed(struct refrain_archive_source *source) {
    return refrain_unzigzag(refrain_archive_get_number(source));
}

/* The beginning of an item. Its strides follow, each read by refrain_archive_get_stride(). */
struct refrain_archive_head {
    unsigned byte; /* as written; REFRAIN_ARCHIVE_VALUE_HEAD for a value of one byte */
    unsigned kind, height, strides;
    bool is_one_byte; /* the item is a value of one byte */
    uint64_t span;    /* of a LOOP; else 1 */
    int64_t base;
};

/* Reads the head of an item; of a REPEAT only its kind. A group is no item, so it is malformed. */
static inline struct refrain_archive_head refrain_archive_get_head(struct refrain_archive_source *source) {
    struct refrain_archive_head head = {.byte = refrain_archive_get_byte(source), .span = 1};
    if (REFRAIN_IS_SHORT_BYTE(head.byte)) {
        head.base = (int64_t)head.byte - REFRAIN_SHORT_FIRST + REFRAIN_SHORT_LEAST;
        head.byte = REFRAIN_ARCHIVE_VALUE_HEAD;
        head.is_one_byte = true;
        return head;
    }
    source->malformed |= REFRAIN_IS_GROUP(head.byte);
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

/* Reads an item with its strides, in the form that learners have. */
static inline void refrain_archive_get_item(struct refrain_archive_source *source, struct refrain_item *item) {
    struct refrain_archive_head head = refrain_archive_get_head(source);
    source->malformed |= head.span > UINT16_MAX;
    *item = (struct refrain_item){.kind = (uint8_t)head.kind,
                                  .height = (uint8_t)head.height,
                                  .span = source->malformed ? 1 : (uint16_t)head.span,
                                  .base = head.base};
    if (head.kind == REFRAIN_ITEM_REPEAT) {
        item->base = (int64_t)refrain_archive_get_number(source);
        for (unsigned i = 0; i < 4; i++)
            item->stride[i] = (int64_t)refrain_archive_get_number(source);
    }
    for (; head.strides > 0 && !source->malformed; head.strides--) {
        unsigned height;
        int64_t stride = refrain_archive_get_stride(source, &height);
        source->malformed |= height >= REFRAIN_LOOP_HEIGHTS;
        if (!source->malformed)
            item->stride[height] = stride;
    }
}

/* Reads a term: an item and the items of its body. Returns the number of items, at most `most`; 0 if it is
 * malformed. The caller checks that its loops are nested. */
static inline unsigned refrain_archive_get_term(struct refrain_archive_source *source, struct refrain_item *items,
                                                unsigned most) {
    unsigned n = 1;
    for (unsigned i = 0; i < n && !source->malformed; i++) {
        refrain_archive_get_item(source, &items[i]);
        source->malformed |= i > 0 && items[i].kind == REFRAIN_ITEM_REPEAT;
        if (i == 0)
            n = items[0].span;
        source->malformed |= n == 0 || n > most;
    }
    return source->malformed ? 0 : n;
}

/* Precondition of all put functions: the chunk has room. */
static inline void refrain_archive_put_byte(struct refrain_archive *chunk, uint64_t byte) {
    chunk->bytes[chunk->used++] = (unsigned char)byte;
}

static inline void refrain_archive_put_number(struct refrain_archive *chunk, uint64_t number) {
    chunk->used = (uint16_t)(chunk->used + refrain_varint_put(chunk->bytes + chunk->used, number));
}

/* A value without strides, alone or in a term. */
static inline void refrain_archive_put_value(struct refrain_archive *chunk, int64_t value) {
    if (REFRAIN_IS_SHORT(value)) {
        refrain_archive_put_byte(chunk, (uint64_t)(REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST));
        return;
    }
    refrain_archive_put_byte(chunk, REFRAIN_ARCHIVE_VALUE_HEAD);
    refrain_archive_put_number(chunk, refrain_zigzag(value));
}

/* The head of a loop. `span`: number of items of the loop and its body, which follows. */
static inline void refrain_archive_put_loop(struct refrain_archive *chunk, unsigned height, unsigned span,
                                            uint64_t iterations) {
    refrain_archive_put_byte(chunk, (uint64_t)REFRAIN_ITEM_LOOP << 7 | (uint64_t)height << 4);
    refrain_archive_put_number(chunk, span);
    refrain_archive_put_number(chunk, iterations << 1);
}

#endif
