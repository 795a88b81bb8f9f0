/* packed_coder.h: codes values and bytes in few bytes, and decodes them: an adaptive binary range coder
 * (packed_file.c).
 *
 * Each kind of value has its own models, which learn from earlier values of the kind. A value is coded as "the same
 * as the last of its kind" or not. If not, the number of its bits follows, then the highest of them by models, then
 * the others as they are. The coder is the range coder of G. N. N. Martin, "Range encoding" (1979), with carries
 * handled as in LZMA.
 *
 * The streams of a rank have a few kilobytes, so it matters most that the models learn fast. Nothing here allocates. */
#ifndef REFRAIN_PACKED_CODER_H
#define REFRAIN_PACKED_CODER_H

#include "packed_stream.h"

struct refrain_packed_bit {
    uint16_t one; /* probability that the bit is 1, in 1 / 65536 */
    uint16_t seen;
};

#define REFRAIN_PACKED_TOP_BITS 3u /* bits below the highest bit of a value that have models */
#define REFRAIN_PACKED_LENGTHS 65u /* lengths of a value in bits, 0 to 64 */
struct refrain_packed_model {
    uint64_t last;
    unsigned history; /* for each of the latest values, a bit: it was the same as the one before */
    struct refrain_packed_bit same[4], length[128];
    uint16_t top_of[REFRAIN_PACKED_LENGTHS]; /* by length: number of the models, from 1; 0 none yet */
};

/* Models of the bits below the highest one, for one length. */
struct refrain_packed_top {
    struct refrain_packed_bit bits[1u << REFRAIN_PACKED_TOP_BITS];
};

/* Models of a byte, for one preceding byte. */
struct refrain_packed_text {
    struct refrain_packed_bit bits[256];
};

#define REFRAIN_PACKED_TEXTS 4u /* kinds of bytes */
/* Most streams use few of these, and unused ones are never touched. */
struct refrain_packed_models {
    bool value_is_set[REFRAIN_PACKED_KINDS];
    struct refrain_packed_model values[REFRAIN_PACKED_KINDS];
    uint16_t text_of[REFRAIN_PACKED_TEXTS][256]; /* by kind and preceding byte: number of its models; 0 none */
    uint16_t n_texts, n_tops;
    struct refrain_packed_top tops[REFRAIN_PACKED_KINDS * REFRAIN_PACKED_LENGTHS]; /* in the order of their first use */
    struct refrain_packed_text texts[REFRAIN_PACKED_TEXTS * 256];                  /* in the order of their first use */
};

struct refrain_packed_coder {
    struct refrain_packed_models *models;
    unsigned char *bytes;
    size_t capacity; /* coding: size of the memory; decoding: number of coded bytes */
    size_t at;
    bool full; /* coding: there was no room; decoding: the input has ended */
    bool decodes;
    uint64_t low;
    uint32_t range, code;
    unsigned char cache;
    size_t pending;
};

/* Initialises the models. Two coders may share models if they code values of different kinds. */
REFRAIN_PACKED_API void refrain_packed_models_begin(struct refrain_packed_models *models);

/* Starts coding or decoding. The models must have been initialised. */
REFRAIN_PACKED_API void refrain_packed_coder_open(struct refrain_packed_coder *coder,
                                                  struct refrain_packed_models *models, unsigned char *bytes,
                                                  size_t capacity, bool decodes);

/* Codes the value, or sets it to the next decoded value. */
REFRAIN_PACKED_API void refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                                  uint64_t *value);
REFRAIN_PACKED_API void refrain_packed_code_bytes(struct refrain_packed_coder *coder, enum refrain_packed_kind kind,
                                                  unsigned char *bytes, size_t n);

/* Ends the stream. Returns the number of coded bytes; 0 if there was no room. */
REFRAIN_PACKED_API size_t refrain_packed_coder_close(struct refrain_packed_coder *coder);

#endif
