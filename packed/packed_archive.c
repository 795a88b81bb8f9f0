/* packed_archive.c: visits the archive of a formula (packer.h).
 *
 * A short archive is written term by term, so that it has the same shape on ranks whose terms differ only in
 * numbers:
 *
 *     head (kind, height, strides) | LOOP: span | base | each stride: height, value
 *
 * It is read into one chunk, however it was divided. An archive is written as bytes, chunk by chunk, if its bytes
 * have to keep their positions, if it is long, or if it has groups of values. */
#include "archive_bytes.h"
#include "packer.h"

#define MOST_CODED_TERMS 512u

/* ---- term by term ---- */

/* Number of heads and heights, and of other numbers, in an archive. */
struct parts {
    uint64_t heads, numbers;
};

/* Reads an item of a term and, if `packer` is not null, writes it. */
static void write_item(struct refrain_packer *packer, struct refrain_archive_source *source, struct parts *parts) {
    struct refrain_archive_head head = refrain_archive_get_head(source);
    bool loops = head.kind == REFRAIN_ITEM_LOOP;
    source->malformed |= head.kind == REFRAIN_ITEM_REPEAT;
    /* A reader would make one byte of it, so the bytes would differ. */
    source->malformed |= head.byte == REFRAIN_ARCHIVE_VALUE_HEAD && !head.is_one_byte && REFRAIN_IS_SHORT(head.base);
    parts->heads += 1 + head.strides;
    parts->numbers += loops + 1 + head.strides;
    if (packer) {
        refrain_packer_value(packer, REFRAIN_PACKED_TERM, head.byte);
        if (loops)
            refrain_packer_value(packer, REFRAIN_PACKED_TERM_NUMBER, head.span);
        refrain_packer_value(packer, REFRAIN_PACKED_TERM_NUMBER, refrain_packer_zigzag(head.base));
    }
    for (; head.strides > 0 && !source->malformed; head.strides--) {
        unsigned height;
        int64_t stride = refrain_archive_get_stride(source, &height);
        if (packer) {
            refrain_packer_value(packer, REFRAIN_PACKED_TERM, height);
            refrain_packer_value(packer, REFRAIN_PACKED_TERM_NUMBER, refrain_packer_zigzag(stride));
        }
    }
}

/* Writes all terms, or only counts their parts. False if the archive cannot be written in this form. */
static bool write_terms(struct refrain_packer *packer, const struct refrain_formula *formula, bool only_counts,
                        struct parts *parts) {
    *parts = (struct parts){0};
    uint32_t reference = formula->archive_first;
    for (uint64_t chunks = 0; reference; chunks++) {
        uint64_t offset = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_archive *chunk = refrain_packer_trace_file_at(packer, offset, sizeof *chunk);
        if (!chunk || chunks > MOST_CODED_TERMS ||
            !refrain_packer_trace_file_at(packer, offset, sizeof *chunk + chunk->used))
            return false;
        struct refrain_archive_source source = {.bytes = chunk->bytes, .end = chunk->used};
        while (source.at < source.end) {
            write_item(only_counts ? NULL : packer, &source, parts);
            if (source.malformed)
                return false;
        }
        reference = reference == formula->archive_last ? 0 : chunk->next;
    }
    return parts->heads > 0;
}

/* Upper bound of the bytes of the terms. */
static uint64_t most_bytes(const struct parts *parts) {
    return parts->heads + parts->numbers * REFRAIN_VARINT_BYTES;
}

/* As most_bytes(), as checked elements of a record. */
static struct refrain_packer_elements room_of(struct refrain_packer *packer, const struct parts *parts) {
    struct refrain_packer_elements heads = refrain_packer_bound(packer, parts->heads, 1, UINT16_MAX);
    struct refrain_packer_elements numbers =
        refrain_packer_bound(packer, parts->numbers, REFRAIN_VARINT_BYTES, UINT16_MAX / REFRAIN_VARINT_BYTES);
    return refrain_packer_bound(packer, heads.n + numbers.n * REFRAIN_VARINT_BYTES, 1, UINT16_MAX);
}

static uint64_t get_part(struct refrain_packer *packer, enum refrain_packed_kind kind, uint64_t *left) {
    if (*left == 0)
        refrain_packer_fail(packer, "an archive has more terms than it says");
    else
        --*left;
    return refrain_packer_value(packer, kind, 0);
}

/* Reads the terms into the chunk, which has room for them. */
static void read_terms(struct refrain_packer *packer, struct refrain_archive *chunk, struct parts left) {
    while (left.heads > 0) {
        uint64_t head = get_part(packer, REFRAIN_PACKED_TERM, &left.heads);
        uint64_t number = get_part(packer, REFRAIN_PACKED_TERM_NUMBER, &left.numbers);
        if (packer->stream->wrong)
            return;
        if (head == REFRAIN_ARCHIVE_VALUE_HEAD) {
            refrain_archive_put_value(chunk, refrain_packer_unzigzag(number));
            continue;
        }
        refrain_archive_put_byte(chunk, head);
        refrain_archive_put_number(chunk, number);
        if ((head & 255) >> 7 == REFRAIN_ITEM_LOOP) {
            uint64_t base = get_part(packer, REFRAIN_PACKED_TERM_NUMBER, &left.numbers);
            if (packer->stream->wrong)
                return;
            refrain_archive_put_number(chunk, base);
        }
        for (unsigned strides = head & 15; strides > 0; strides--) {
            uint64_t height = get_part(packer, REFRAIN_PACKED_TERM, &left.heads);
            uint64_t stride = get_part(packer, REFRAIN_PACKED_TERM_NUMBER, &left.numbers);
            if (packer->stream->wrong)
                return;
            refrain_archive_put_byte(chunk, height);
            refrain_archive_put_number(chunk, stride);
        }
    }
    chunk->capacity = chunk->used;
}

/* ---- chunk by chunk ---- */

/* The chunk at a reference. If `pinned`, it keeps its position. */
static struct refrain_archive *chunk_of(struct refrain_packer *packer, uint32_t *reference,
                                        struct refrain_packer_elements used, bool pinned) {
    uint64_t offset = (uint64_t)*reference * REFRAIN_ALIGNMENT_BYTES, bytes = sizeof(struct refrain_archive) + used.n;
    struct refrain_archive *chunk;
    if (!pinned) {
        chunk = refrain_packer_record(packer, &offset, sizeof *chunk, used);
    } else if (!packer->to) {
        chunk = refrain_packer_trace_file_at(packer, offset, bytes);
        refrain_packer_place_at(packer, offset);
        if (offset < packer->pinned_from)
            packer->pinned_from = offset;
        if (offset + bytes > packer->pinned_to)
            packer->pinned_to =
                (offset + bytes + REFRAIN_ALIGNMENT_BYTES - 1) & ~(uint64_t)(REFRAIN_ALIGNMENT_BYTES - 1);
    } else {
        offset = refrain_packer_place_at(packer, 0);
        if (offset < packer->pinned_from || offset + bytes > packer->pinned_to)
            return refrain_packer_fail(packer, "a part of an archive is out of place");
        chunk = (struct refrain_archive *)(packer->to + offset);
    }
    if (chunk && packer->to)
        *reference = (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
    return chunk;
}

static void chunks(struct refrain_packer *packer, struct refrain_formula *formula, bool pinned) {
    uint32_t *link = &formula->archive_first, last = formula->archive_last, reference = *link;
    for (size_t n = 0; refrain_packer_value(packer, REFRAIN_PACKED_HAS, reference != 0) && !packer->stream->wrong;
         n++) {
        uint64_t used = 0;
        if (!packer->to) {
            const struct refrain_archive *before =
                refrain_packer_trace_file_at(packer, (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES, sizeof *before);
            used = before ? before->used : 0;
        }
        used = refrain_packer_value(packer, REFRAIN_PACKED_CHUNK, used);
        struct refrain_packer_elements in_use = pinned ? refrain_packer_inside(packer, used, UINT16_MAX)
                                                       : refrain_packer_bound(packer, used, 1, UINT16_MAX);
        struct refrain_archive *chunk = packer->stream->wrong ? NULL : chunk_of(packer, &reference, in_use, pinned);
        if (!chunk || n > packer->from_bytes + packer->to_bytes) {
            refrain_packer_fail(packer, "an archive does not end");
            return;
        }
        if (packer->to) {
            chunk->capacity = chunk->used = (uint16_t)in_use.n;
            *link = reference;
            formula->archive_last = reference;
        }
        refrain_packer_bytes(packer, REFRAIN_PACKED_ARCHIVE, chunk->bytes, in_use);
        link = &chunk->next;
        reference = packer->to || reference == last ? 0 : chunk->next;
    }
}

void refrain_packer_archive(struct refrain_packer *packer, struct refrain_formula *formula, bool pinned) {
    struct parts parts = {0}, same;
    if (!packer->to && !pinned && formula->archive_first && formula->archived_terms <= MOST_CODED_TERMS &&
        (!write_terms(packer, formula, true, &parts) || most_bytes(&parts) > UINT16_MAX))
        parts = (struct parts){0};
    parts.heads = refrain_packer_value(packer, REFRAIN_PACKED_CHUNK, parts.heads);
    if (parts.heads == 0) {
        chunks(packer, formula, pinned);
        return;
    }
    parts.numbers = refrain_packer_value(packer, REFRAIN_PACKED_CHUNK, parts.numbers);
    uint64_t offset;
    struct refrain_packer_elements room = room_of(packer, &parts);
    if (!refrain_packer_room(packer, sizeof(struct refrain_archive), room, &offset))
        return;
    if (packer->to) {
        formula->archive_first = formula->archive_last = (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
        read_terms(packer, (struct refrain_archive *)(void *)(packer->to + offset), parts);
    } else {
        write_terms(packer, formula, false, &same);
    }
}
