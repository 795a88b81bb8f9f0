/* packer.c: writes or reads fields, records, references and names (packer.h). */
#include "packer.h"

uint64_t refrain_packer_value(struct refrain_packer *packer, enum refrain_packed_kind kind, uint64_t value) {
    if (packer->stream->wrong)
        return packer->to ? 0 : value;
    packer->stream->value(packer->stream, kind, &value);
    return packer->stream->wrong && packer->to ? 0 : value;
}

/* A number that is close to an expected number. */
uint64_t refrain_packer_near(struct refrain_packer *packer, enum refrain_packed_kind kind, uint64_t value,
                             uint64_t expected) {
    return expected + (uint64_t)refrain_packer_unzigzag(
                          refrain_packer_value(packer, kind, refrain_packer_zigzag((int64_t)(value - expected))));
}

static uint64_t bytes_of(struct refrain_packer_elements elements) {
    return elements.n * elements.bytes_each; /* at most the bytes that were left */
}

static uint64_t left(const struct refrain_packer *packer) {
    if (!packer->to)
        return packer->from_bytes;
    return packer->used < packer->to_bytes ? packer->to_bytes - packer->used : 0;
}

struct refrain_packer_elements refrain_packer_bound(struct refrain_packer *packer, uint64_t n, uint64_t bytes_each,
                                                    uint64_t most) {
    if (n > most)
        refrain_packer_fail(packer, "a number is larger than any can be");
    else if (n > left(packer) / bytes_each)
        refrain_packer_fail(packer, "the records need more bytes than the header says");
    return packer->stream->wrong ? REFRAIN_PACKER_NONE : (struct refrain_packer_elements){n, bytes_each};
}

struct refrain_packer_elements refrain_packer_inside(struct refrain_packer *packer, uint64_t n, uint64_t most) {
    if (n > most)
        refrain_packer_fail(packer, "a number is larger than any can be");
    return packer->stream->wrong ? REFRAIN_PACKER_NONE : (struct refrain_packer_elements){n, 1};
}

void refrain_packer_bytes(struct refrain_packer *packer, enum refrain_packed_kind kind, const void *bytes,
                          struct refrain_packer_elements elements) {
    if (!packer->stream->wrong)
        packer->stream->bytes(packer->stream, kind, (void *)(uintptr_t)bytes, (size_t)bytes_of(elements));
}

void refrain_packer_begin(const struct refrain_packer *packer, enum refrain_packed_record record, uint64_t major,
                          uint64_t minor) {
    if (packer->stream->record && !packer->stream->wrong)
        packer->stream->record(packer->stream,
                               (uint64_t)record << 60 | (major & (((uint64_t)1 << 36) - 1)) << 24 | (minor & 0xffffff));
}

void *refrain_packer_fail(struct refrain_packer *packer, const char *wrong) {
    refrain_packed_fail(packer->stream, wrong);
    return NULL;
}

uint64_t refrain_packer_place_at(struct refrain_packer *packer, uint64_t offset) {
    uint64_t place = refrain_packer_value(packer, REFRAIN_PACKED_PLACE, offset / REFRAIN_ALIGNMENT_BYTES);
    if (packer->to && place > packer->to_bytes / REFRAIN_ALIGNMENT_BYTES) {
        refrain_packer_fail(packer, "parts of an archive are out of place");
        return 0;
    }
    return place * REFRAIN_ALIGNMENT_BYTES;
}

void *refrain_packer_trace_file_at(struct refrain_packer *packer, uint64_t offset, uint64_t bytes) {
    if (offset < REFRAIN_HEADER_BYTES || offset % 4 || offset > packer->from_bytes ||
        bytes > packer->from_bytes - offset)
        return refrain_packer_fail(packer, "a record lies outside of the trace file");
    return (void *)(uintptr_t)(packer->from + offset);
}

bool refrain_packer_room(struct refrain_packer *packer, size_t bytes, struct refrain_packer_elements elements,
                         uint64_t *offset) {
    uint64_t unit = REFRAIN_ALIGNMENT_BYTES, room = (bytes + bytes_of(elements) + unit - 1) / unit * unit;
    if (packer->used < packer->pinned_to && packer->used + room > packer->pinned_from)
        packer->used = packer->pinned_to;
    if (packer->to && room > left(packer))
        refrain_packer_fail(packer, "the records need more bytes than the header says");
    if (packer->stream->wrong)
        return false;
    *offset = packer->used;
    packer->used += room;
    return true;
}

void *refrain_packer_record(struct refrain_packer *packer, uint64_t *offset, size_t bytes,
                            struct refrain_packer_elements elements) {
    void *record = packer->to ? NULL : refrain_packer_trace_file_at(packer, *offset, bytes + bytes_of(elements));
    uint64_t at;
    if (packer->stream->wrong || !refrain_packer_room(packer, bytes, elements, &at))
        return NULL;
    if (!packer->to)
        return record;
    *offset = at;
    return packer->to + at;
}

void *refrain_packer_follow(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                            struct refrain_packer_elements elements) {
    uint64_t offset = (uint64_t)*reference * REFRAIN_ALIGNMENT_BYTES;
    void *record = refrain_packer_record(packer, &offset, bytes, elements);
    if (packer->to && record)
        *reference = (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
    return record;
}

void *refrain_packer_reference(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                               struct refrain_packer_elements elements) {
    return refrain_packer_has(packer, *reference) ? refrain_packer_follow(packer, reference, bytes, elements) : NULL;
}

void *refrain_packer_next(struct refrain_packer *packer, struct refrain_packer_list *list, size_t bytes) {
    uint32_t *next = list->next ? list->next : &list->first; /* when reading, it points to 0 so far */
    if (!refrain_packer_value(packer, list->kind, *next != 0) || packer->stream->wrong)
        return NULL;
    uint64_t offset = (uint64_t)*next * REFRAIN_ALIGNMENT_BYTES;
    void *record = refrain_packer_record(packer, &offset, bytes, REFRAIN_PACKER_NONE);
    if (!record || list->n++ == (list->most ? list->most : UINT32_MAX))
        return refrain_packer_fail(packer, "a list runs in circles");
    if (packer->to)
        *next = (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
    return record;
}

void refrain_packer_name(struct refrain_packer *packer, uint32_t *reference) {
    uint64_t which = 0; /* 0: none; 1: a new name; 2 + i: names[i] */
    if (!packer->to && *reference) {
        which = 1;
        for (unsigned i = 0; i < packer->n_names; i++)
            if (packer->names[i] == *reference)
                which = 2 + i;
    }
    which = refrain_packer_value(packer, REFRAIN_PACKED_HAS, which);
    if (which == 0)
        return;
    if (which > 1) {
        if (which - 2 >= packer->n_names)
            refrain_packer_fail(packer, "a name is missing");
        else if (packer->to)
            *reference = packer->names[which - 2];
        return;
    }
    uint64_t offset = (uint64_t)*reference * REFRAIN_ALIGNMENT_BYTES, length = 0;
    if (!packer->to) {
        const struct refrain_name *before = refrain_packer_trace_file_at(packer, offset, sizeof *before);
        length = before ? before->length : 0;
    }
    length = refrain_packer_value(packer, REFRAIN_PACKED_NAME_LENGTH, length);
    struct refrain_packer_elements text = refrain_packer_bound(packer, length, 1, UINT32_MAX);
    struct refrain_name *record = refrain_packer_record(packer, &offset, sizeof *record + 1, text);
    if (!record)
        return;
    if (packer->to) {
        record->length = (uint32_t)text.n;
        *reference = (uint32_t)(offset / REFRAIN_ALIGNMENT_BYTES);
    }
    refrain_packer_bytes(packer, REFRAIN_PACKED_NAME, record->text, text);
    if (packer->n_names < REFRAIN_PACKER_NAMES)
        packer->names[packer->n_names++] = *reference;
}
