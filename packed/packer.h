/* packer.h: functions that visit the parts of a trace file in both directions (packed_image.h).
 *
 *     packed_image.c              the process, and both directions
 *       -> packed_program.c       units: program trees, places of each thread
 *       -> packed_thread.c        threads, timelines
 *       -> packed_tables.c        call sites, overflow sites, user regions, communicators, windows, files, binaries
 *       -> packed_samples.c       samples of each thread
 *          -> packed_learner.c    learners
 *             -> packed_archive.c their archives
 *             -> packed_beat.c    sequences that are written by their beat
 *                -> packer.c      fields, records, references, names
 *
 * The code of a visit reads "take this field, then that". The same lines write and read. A function that fails marks
 * the stream as wrong (refrain_packer_fail()). After that, values have no meaning, and visits end. */
#ifndef REFRAIN_PACKER_H
#define REFRAIN_PACKER_H

#include "packed_stream.h"

#define REFRAIN_PACKER_NAMES 64u /* recent names, which are written by their position */

struct refrain_packer {
    struct refrain_packed_stream *stream;
    const unsigned char *from; /* the trace file that is written; null: reading */
    size_t from_bytes;
    unsigned char *to; /* the image that is read; null: writing */
    size_t to_bytes;
    uint64_t used;                        /* size of the image so far, where the next record goes */
    uint64_t pinned_from, pinned_to;      /* records that keep their positions are in [from, to) */
    uint32_t names[REFRAIN_PACKER_NAMES]; /* references of the recent names */
    unsigned n_names;
    uint32_t n_metrics; /* of each slot that has some */
};

/* A value of this kind. Writing: writes `value` and returns it. Reading: returns the value read, 0 after a failure. */
REFRAIN_PACKED_API uint64_t refrain_packer_value(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                                 uint64_t value);

/* The same for a number that is close to an expected number: small differences of either sign need few bytes. */
REFRAIN_PACKED_API uint64_t refrain_packer_near(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                                uint64_t value, uint64_t expected);

static inline uint64_t refrain_packer_zigzag(int64_t value) {
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

static inline int64_t refrain_packer_unzigzag(uint64_t coded) {
    return (int64_t)(coded >> 1 ^ -(coded & 1));
}

/* Writing: writes the field. Reading: sets the field. Writing must not change the trace file. */
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

/* A number of elements of a fixed size for which there is room. Only refrain_packer_bound() and
 * refrain_packer_inside() make one from a number that was read, and records and bytes accept nothing else. So the
 * use of an unchecked length does not compile. */
struct refrain_packer_elements {
    uint64_t n;
    uint64_t bytes_each;
};
#define REFRAIN_PACKER_NONE ((struct refrain_packer_elements){0, 1}) /* for a record without elements */

/* `n` elements, if they are at most `most`, and if their bytes are no more than what is left of the image (writing:
 * than the trace file). Else marks the stream as wrong and returns no elements. bytes_each > 0. */
REFRAIN_PACKED_API struct refrain_packer_elements refrain_packer_bound(struct refrain_packer *packer, uint64_t n,
                                                                       uint64_t bytes_each, uint64_t most);

/* The same for bytes inside an existing record, which has room for `most`. */
REFRAIN_PACKED_API struct refrain_packer_elements refrain_packer_inside(struct refrain_packer *packer, uint64_t n,
                                                                        uint64_t most);

/* Writes bytes, or reads them to where there is room for them. */
REFRAIN_PACKED_API void refrain_packer_bytes(struct refrain_packer *packer, enum refrain_packed_kind kind,
                                             const void *bytes, struct refrain_packer_elements elements);

/* Kinds of records, in the order in which they are visited. */
enum refrain_packed_record {
    REFRAIN_PACKER_HEADER = 1,
    REFRAIN_PACKER_UNIT,
    REFRAIN_PACKER_THREAD,
    REFRAIN_PACKER_SLOT,
    REFRAIN_PACKER_CALL_SITE,
    REFRAIN_PACKER_OVERFLOW_SITE,
    REFRAIN_PACKER_REGION,
    REFRAIN_PACKER_COMMUNICATOR,
    REFRAIN_PACKER_OBJECT,
    REFRAIN_PACKER_BINARY,
    REFRAIN_PACKER_SAMPLES,
};

/* A record begins; keys increase from record to record. `major` has 36 bits, `minor` 24. */
REFRAIN_PACKED_API void refrain_packer_begin(const struct refrain_packer *packer, enum refrain_packed_record record,
                                             uint64_t major, uint64_t minor);

/* Marks the stream as wrong, unless it is already. Returns null, for callers that return a record. */
REFRAIN_PACKED_API void *refrain_packer_fail(struct refrain_packer *packer, const char *wrong);

/* The offset of a record that keeps its position. Writing: `offset`. Reading: the offset read, at most the size of
 * the image. */
REFRAIN_PACKED_API uint64_t refrain_packer_place_at(struct refrain_packer *packer, uint64_t offset);

/* Writing: the bytes at `offset` of the trace file. Null if they are outside of it. */
REFRAIN_PACKED_API void *refrain_packer_trace_file_at(struct refrain_packer *packer, uint64_t offset, uint64_t bytes);

/* Reserves room in the image for a record of `bytes` bytes, a constant, and for elements after it; when writing, in the
 * image that a reader will make. *offset: its position. False if the stream is wrong, also because a reader's image has
 * no room. */
REFRAIN_PACKED_API bool refrain_packer_room(struct refrain_packer *packer, size_t bytes,
                                            struct refrain_packer_elements elements, uint64_t *offset);

/* A record of `bytes` bytes, a constant, and of elements after it. Writing: the record at *offset of the trace file.
 * Reading: memory for it in the image, and *offset is set. Null after a failure. */
REFRAIN_PACKED_API void *refrain_packer_record(struct refrain_packer *packer, uint64_t *offset, size_t bytes,
                                               struct refrain_packer_elements elements);

/* True if the reference is not 0. This is written as a value. */
static inline bool refrain_packer_has(struct refrain_packer *packer, uint32_t reference) {
    return refrain_packer_value(packer, REFRAIN_PACKED_HAS, reference != 0) != 0;
}

/* The record at a reference that is not 0. Writing: `reference` is only read. */
REFRAIN_PACKED_API void *refrain_packer_follow(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                                               struct refrain_packer_elements elements);

/* The record at a reference that may be 0. */
REFRAIN_PACKED_API void *refrain_packer_reference(struct refrain_packer *packer, uint32_t *reference, size_t bytes,
                                                  struct refrain_packer_elements elements);

/* A list of records, each with the reference of the next one. */
struct refrain_packer_list {
    enum refrain_packed_kind kind; /* of the values that say whether another record follows */
    uint32_t first;                /* writing: the first record; reading: set to it */
    uint32_t *next;                /* where the reference of the next record is; null: in `first` */
    uint64_t n, most;              /* n: records so far; most: limit, 0 for UINT32_MAX */
};

/* The next record of a list. Writing: the record in the trace file. Reading: memory for it in the image, and the
 * reference to it is set. Null at the end and after a failure. The caller sets list->next before the next call. */
REFRAIN_PACKED_API void *refrain_packer_next(struct refrain_packer *packer, struct refrain_packer_list *list,
                                             size_t bytes);

/* A name by its reference. A recent name is written by its position among the recent names. */
REFRAIN_PACKED_API void refrain_packer_name(struct refrain_packer *packer, uint32_t *reference);

/* packed_learner.c. Predictions that only the monitor needs are not written. */
REFRAIN_PACKED_API void refrain_packer_learner(struct refrain_packer *packer, struct refrain_learner *learner);

/* packed_archive.c. `pinned`: its bytes keep their positions. */
REFRAIN_PACKED_API void refrain_packer_archive(struct refrain_packer *packer, struct refrain_formula *formula,
                                               bool pinned);

/* packed_beat.c. Writing: `beat` is the beat of the learner. Reading: `beat` is null. */
REFRAIN_PACKED_API void refrain_packer_beat(struct refrain_packer *packer, struct refrain_learner *learner,
                                            const struct refrain_beat *beat);

/* packed_program.c. A slot without its number and flags. */
REFRAIN_PACKED_API void refrain_packer_place(struct refrain_packer *packer, struct refrain_slot *slot);
REFRAIN_PACKED_API void refrain_packer_units(struct refrain_packer *packer, struct refrain_header *header);
/* The places of a thread in all units. The units must have been visited. */
REFRAIN_PACKED_API void refrain_packer_slots(struct refrain_packer *packer, const struct refrain_header *header,
                                             uint32_t thread);

/* packed_thread.c. */
REFRAIN_PACKED_API void refrain_packer_thread(struct refrain_packer *packer, const struct refrain_header *header,
                                              struct refrain_thread *thread, uint32_t number);

/* packed_tables.c. Call sites, overflow sites and user regions, in the order of their lists: newest first. */
REFRAIN_PACKED_API void refrain_packer_call_sites(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_overflow_sites(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_regions(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_communicators(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_objects(struct refrain_packer *packer, struct refrain_header *header);
REFRAIN_PACKED_API void refrain_packer_binaries(struct refrain_packer *packer, struct refrain_header *header);
/* packed_samples.c. The tables without their free rows. */
REFRAIN_PACKED_API void refrain_packer_samples(struct refrain_packer *packer, struct refrain_header *header);

#endif
