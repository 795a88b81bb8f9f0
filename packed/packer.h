/* packer.h: how each part of a trace file is visited, in both directions (packed_image.h).
 *
 *     packed_image.c                the process, and both directions
 *       -> packed_program.c         units: program trees, places of each thread
 *       -> packed_thread.c          threads, timelines
 *       -> packed_tables.c          call sites, user regions, communicators, windows, files, binaries, samples
 *          -> packed_learner.c      learners
 *             -> packed_archive.c   their archives
 *             -> packed_beat.c      those that are told by their beat
 *                -> packer.c        fields, records, references, names
 *
 * A visit of a part reads "take this field, then that": the same lines write and read. A function that fails marks the
 * stream as wrong (refrain_packer_fail()), after which values are nothing and visits end. */
#ifndef REFRAIN_PACKER_H
#define REFRAIN_PACKER_H

#include "packed_stream.h"

#define REFRAIN_PACKER_NAMES 64u /* that are found again, so that one name stays one */

struct refrain_packer {
    struct refrain_packed_stream *stream;
    const unsigned char *from; /* the trace file that is written; null: reading */
    size_t from_bytes;
    unsigned char *to; /* the image that is read; null: writing */
    size_t to_bytes;
    uint64_t used;                        /* of the image: where the next record goes */
    uint64_t pinned_from, pinned_to;      /* records with places of their own lie between: [from, to) */
    uint32_t names[REFRAIN_PACKER_NAMES]; /* references of the names met so far */
    unsigned n_names;
    uint32_t n_metrics; /* behind each history */
};

/* A value of this kind: written as it is, or what is read in its stead. 0 where reading has failed. */
REFRAIN_PACKED_API uint64_t refrain_packer_value(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                                 uint64_t value);

/* The same of a number that is near to what is expected: small differences of either sign take few bytes. */
REFRAIN_PACKED_API uint64_t refrain_packer_near(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                                uint64_t value, uint64_t expected);

static inline uint64_t refrain_packer_zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t refrain_packer_unzigzag(uint64_t coded) {
    return (int64_t)(coded >> 1 ^ -(coded & 1));
}

/* Fields are written as they are, and set to what is read; writing a trace file must not change it. */
#define REFRAIN_FIELD(packer, kind, field)                                                                             \
    do {                                                                                                               \
        uint64_t field_value = refrain_packer_value(packer, kind, (uint64_t)(field));                                  \
        if ((packer)->to)                                                                                              \
            (field) = (__typeof__(field))field_value;                                                                  \
    } while (0)
#define REFRAIN_NEAR(packer, kind, field, expected)                                                                    \
    do {                                                                                                               \
        uint64_t field_value = refrain_packer_near(packer, kind, (uint64_t)(field), (uint64_t)(expected));             \
        if ((packer)->to)                                                                                              \
            (field) = (__typeof__(field))field_value;                                                                  \
    } while (0)
#define REFRAIN_SIGNED(packer, kind, field) REFRAIN_NEAR(packer, kind, field, 0)

/* Elements of so many bytes each, for which there is room. Only refrain_packer_bound() and refrain_packer_inside() make
 * one of a number that was read, and records and bytes take nothing else: a length that nobody checked does not
 * compile. */
struct refrain_packer_elements {
    uint64_t n;
    uint64_t bytes_each;
};
#define REFRAIN_PACKER_NONE ((struct refrain_packer_elements){0, 1}) /* a record has none */

/* So many elements, if there are `most` of them at most and if their bytes are not more than what is left of the image
 * (writing: than the trace file). Else marks the stream as wrong and returns none. bytes_each > 0. */
REFRAIN_PACKED_API struct refrain_packer_elements refrain_packer_bound(struct refrain_packer *packer, uint64_t n,
                                                                       uint64_t bytes_each, uint64_t most);

/* The same of bytes in a record that there is, which has room for `most`. */
REFRAIN_PACKED_API struct refrain_packer_elements refrain_packer_inside(struct refrain_packer *packer, uint64_t n,
                                                                        uint64_t most);

/* Bytes as they are: written from there, or read to there, where there is room for them. */
REFRAIN_PACKED_API void refrain_packer_bytes(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                             const void *bytes, struct refrain_packer_elements elements);

/* In the order in which they are visited. */
enum refrain_packed_record {
    REFRAIN_PACKER_HEADER = 1,
    REFRAIN_PACKER_UNIT,
    REFRAIN_PACKER_THREAD,
    REFRAIN_PACKER_SLOT,
    REFRAIN_PACKER_CALL_SITE,
    REFRAIN_PACKER_GUEST,
    REFRAIN_PACKER_REGION,
    REFRAIN_PACKER_COMMUNICATOR,
    REFRAIN_PACKER_OBJECT,
    REFRAIN_PACKER_BINARY,
    REFRAIN_PACKER_SAMPLES,
};

/* Values from here on belong to this record; keys rise from record to record. `major` has 36 bits, `minor` 24. */
REFRAIN_PACKED_API void refrain_packer_begin(const struct refrain_packer *packer, enum refrain_packed_record record,
                                             uint64_t major, uint64_t minor);

/* Marks the stream as wrong, unless it is already. Returns null, for callers that return a record. */
REFRAIN_PACKED_API void *refrain_packer_fail(struct refrain_packer *packer, const char *wrong);

/* The offset of what keeps its place: writing `offset`, reading what it was, at most the image's bytes. */
REFRAIN_PACKED_API uint64_t refrain_packer_place_at(struct refrain_packer *packer, uint64_t offset);

/* Writing: the bytes at `offset` of the trace file. Null where they do not lie in it. */
REFRAIN_PACKED_API void *refrain_packer_trace_file_at(struct refrain_packer *packer, uint64_t offset, uint64_t bytes);

/* Takes the next room of the image for a record of `bytes` bytes, a constant, and of elements behind it: *offset is
 * where. False, and the stream is wrong, where there is none. Writing, there always is. */
REFRAIN_PACKED_API bool refrain_packer_room(struct refrain_packer *packer, size_t bytes,
                                            struct refrain_packer_elements elements, uint64_t *offset);

/* A record of `bytes` bytes, a constant, and of elements behind it. Writing: the one at *offset of the trace file.
 * Reading: memory for it in the image; *offset is set to where. Null when that fails. */
REFRAIN_PACKED_API void *refrain_packer_record(struct refrain_packer *packer, uint64_t *offset, size_t bytes,
                                               struct refrain_packer_elements elements);

/* Is there a record at the reference? That is a value. */
static inline bool refrain_packer_has(struct refrain_packer *packer, uint32_t reference) {
    return refrain_packer_value(packer, REFRAIN_PACKED_HAS, reference != 0) != 0;
}

/* A record by its reference, which there is. Writing, `reference` is only read. */
REFRAIN_PACKED_API void *refrain_packer_follow(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                                               struct refrain_packer_elements elements);

/* A record by a reference that there may be. */
REFRAIN_PACKED_API void *refrain_packer_reference(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                                                  struct refrain_packer_elements elements);

/* A list of records, each with a reference of the next one. */
struct refrain_packer_list {
    enum refrain_packed_kind kind; /* of whether there is another record */
    uint32_t first;                /* writing: its first record; reading, set to it */
    uint32_t *next;                /* where the reference of the next record is; null: it is `first` */
    uint64_t n, most;              /* records met so far, and that there can be; 0: UINT32_MAX */
};

/* The next record of a list: writing, that of the trace file; reading, memory for it in the image, and the reference to
 * it is set. Null at the end, or where that fails. The caller sets list->next before the next call. */
REFRAIN_PACKED_API void *refrain_packer_next(struct refrain_packer *packer, struct refrain_packer_list *list,
                                             size_t bytes);

/* A name by its reference; one that was met before is told by which it was. */
REFRAIN_PACKED_API void refrain_packer_name(struct refrain_packer *packer, uint32_t *reference);

/* packed_learner.c. `expect` and `until` beyond what is written are derived from the rest, for the monitor. */
REFRAIN_PACKED_API void refrain_packer_learner(struct refrain_packer *packer, struct refrain_learner *learner);

/* packed_archive.c. `pinned`: its bytes keep their places. */
REFRAIN_PACKED_API void refrain_packer_archive(struct refrain_packer *packer, struct refrain_formula *formula,
                                               bool pinned);

/* packed_beat.c. Writing: a learner by its beat, `told`. Reading: `told` is null. */
REFRAIN_PACKED_API void refrain_packer_beat(struct refrain_packer *packer, struct refrain_learner *learner,
                                            const struct refrain_beat *told);

/* packed_program.c. All of a slot but its number and flags. */
REFRAIN_PACKED_API void refrain_packer_place(struct refrain_packer *packer, struct refrain_slot *slot);
REFRAIN_PACKED_API void refrain_packer_units(struct refrain_packer *packer, struct refrain_header *header);
/* The places that a thread has in all units, which have been visited. */
REFRAIN_PACKED_API void refrain_packer_slots(struct refrain_packer *packer, const struct refrain_header *header,
                                             uint32_t thread);

/* packed_thread.c. */
REFRAIN_PACKED_API void refrain_packer_thread(struct refrain_packer *packer, const struct refrain_header *header,
                                              struct refrain_thread *thread, uint32_t number);

/* packed_tables.c. Call sites, guests and user regions newest first, as they are listed. */
REFRAIN_PACKED_API void refrain_packer_call_sites(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_guests(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_regions(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_communicators(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_objects(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_binaries(struct refrain_packer *packer, struct refrain_header *header);
/* packed_samples.c. The tables come without their free rows. */
REFRAIN_PACKED_API void refrain_packer_samples(struct refrain_packer *packer, struct refrain_header *header);

#endif
