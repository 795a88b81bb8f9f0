/* packed_coder.h: values and bytes into few bytes, and back: an adaptive binary range coder (packed_file.c).
 *
 * Each kind of value has models of its own, which learn from the values that came before. A value is coded as "the same
 * as the last of its kind" or not; then the number of its bits, the highest of these, and the rest as they are. The
 * coder is the carry-less one of G. N. N. Martin, "Range encoding" (1979), with the carry handled as in LZMA.
 *
 * Streams of a rank are a few kilobytes: what counts is that models learn fast. Nothing here allocates. */
#ifndef REFRAIN_PACKED_CODER_H
#define REFRAIN_PACKED_CODER_H

#include "packed_stream.h"

struct refrain_packed_bit {
    uint16_t one; /* probability that the bit is 1, in 1 / 65536 */
    uint16_t seen;
};

#define REFRAIN_PACKED_TOP_BITS 3u /* of a value, below its highest, that have models */
#define REFRAIN_PACKED_LENGTHS 65u /* of a value, in bits */
struct refrain_packed_model {
    uint64_t last;
    unsigned history; /* were the latest the same as the one before? */
    struct refrain_packed_bit same[4], length[128];
    uint16_t top_of[REFRAIN_PACKED_LENGTHS]; /* by length: 1 and up; 0 none yet */
};

/* The bits below the highest of a value of some length. */
struct refrain_packed_top {
    struct refrain_packed_bit bits[1u << REFRAIN_PACKED_TOP_BITS];
};

/* A byte, by the one before. */
struct refrain_packed_text {
    struct refrain_packed_bit bits[256];
};

#define REFRAIN_PACKED_TEXTS 4u /* kinds of bytes */
/* Most streams need few of these, so that what is not needed is never touched. */
struct refrain_packed_models {
    bool value_is_set[REFRAIN_PACKED_KINDS];
    struct refrain_packed_model values[REFRAIN_PACKED_KINDS];
    uint16_t text_of[REFRAIN_PACKED_TEXTS][256]; /* by kind and byte before: 1 and up; 0 none yet */
    uint16_t n_texts, n_tops;
    struct refrain_packed_top tops[REFRAIN_PACKED_KINDS * REFRAIN_PACKED_LENGTHS]; /* in the order of their first use */
    struct refrain_packed_text texts[REFRAIN_PACKED_TEXTS * 256];                  /* in the order of their first use */
};

struct refrain_packed_coder {
    struct refrain_packed_models *models;
    unsigned char *bytes; /* coding: room for `capacity`; decoding: there are so many */
    size_t capacity, at;
    bool full; /* coding: there was no room; decoding: there was more to read than there is */
    bool decodes;
    uint64_t low;
    uint32_t range, code;
    unsigned char cache;
    size_t pending;
};

/* As if nothing had been seen. Two coders may share models if they code values of different kinds. */
REFRAIN_PACKED_API void refrain_packed_models_begin(struct refrain_packed_models *models);

/* `models` have begun. */
REFRAIN_PACKED_API void refrain_packed_coder_open(struct refrain_packed_coder *coder,
                                                  struct refrain_packed_models *models, unsigned char *bytes,
                                                  size_t capacity, bool decodes);

/* Codes the value, or sets it to the next one. */
REFRAIN_PACKED_API void refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                                  uint64_t *value);
REFRAIN_PACKED_API void refrain_packed_code_bytes(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                                  unsigned char *bytes, size_t n);

/* The bytes that were coded; 0 where there was no room for them. Ends the stream. */
REFRAIN_PACKED_API size_t refrain_packed_coder_close(struct refrain_packed_coder *coder);

#endif
