/* packed_coder.c: an adaptive range coder: it codes values by their kind, and decodes them (packed_coder.h). */
#include "packed_coder.h"

#include <string.h>

#define LEAST_RANGE ((uint32_t)1 << 24)
#define SLOWEST 30u           /* a probability moves by at least 1/32 */
#define LEAST_PROBABILITY 24u /* in 1 / 65536, so that no bit becomes impossible */
#define CLOSING_BYTES 5u

/* ---- bits ---- */

static void set_up(struct refrain_packed_bit *bits, size_t n) {
    for (size_t i = 0; i < n; i++)
        bits[i] = (struct refrain_packed_bit){32768, 0};
}

/* 2 / (2 n + 3) in units of 2^-32. It is rounded up, so that the product with a number below 2^16, rounded down, equals
 * the exact result rounded down. */
#define SHARE(n) (uint32_t)((((uint64_t)1 << 32) / (2 * (n) + 3) + 1) * 2)
#define SHARES(n) SHARE(n), SHARE(n + 1), SHARE(n + 2), SHARE(n + 3), SHARE(n + 4)
static const uint32_t share[] = {SHARES(0), SHARES(5), SHARES(10), SHARES(15), SHARES(20), SHARES(25), SHARE(30)};
_Static_assert(sizeof share / sizeof *share == SLOWEST + 1, "one share for each value of `seen`");

/* Moves the probability towards the bit, by share[seen] of the distance. It never reaches 0 or 1. */
static inline __attribute__((always_inline)) void learn(struct refrain_packed_bit *bit, unsigned value) {
    uint32_t one = bit->one, seen = bit->seen;
    uint64_t now = share[seen];
    if (value)
        one += (uint32_t)((65535 - LEAST_PROBABILITY - one) * now >> 32);
    else
        one -= (uint32_t)((one - LEAST_PROBABILITY) * now >> 32);
    *bit = (struct refrain_packed_bit){(uint16_t)one, (uint16_t)(seen + (seen < SLOWEST))};
}

static void put(struct refrain_packed_coder *coder, unsigned char byte) {
    if (coder->at < coder->capacity)
        coder->bytes[coder->at++] = byte;
    else
        coder->full = true;
}

/* Moves the highest byte of low to `cache`. Writes the bytes before it, which a carry can no longer change. */
static void shift_out(struct refrain_packed_coder *coder) {
    if ((uint32_t)coder->low < 0xff000000u || coder->low >> 32) {
        unsigned char carry = (unsigned char)(coder->low >> 32);
        if (coder->pending > 0)
            put(coder, (unsigned char)(coder->cache + carry));
        for (; coder->pending > 1; coder->pending--)
            put(coder, (unsigned char)(0xff + carry));
        coder->pending = 0;
        coder->cache = (unsigned char)(coder->low >> 24);
    }
    coder->pending++;
    coder->low = (coder->low & 0x00ffffff) << 8;
}

static unsigned char get(struct refrain_packed_coder *coder) {
    if (coder->at < coder->capacity)
        return coder->bytes[coder->at++];
    coder->full = true;
    return 0;
}

/* Decodes a bit, whose range is [0, bound) if it is 1. */
static unsigned decode(struct refrain_packed_coder *coder, uint32_t bound) {
    unsigned bit = coder->code < bound;
    coder->range = bit ? bound : coder->range - bound;
    coder->code -= bit ? 0 : bound;
    for (; coder->range < LEAST_RANGE; coder->range <<= 8)
        coder->code = coder->code << 8 | get(coder);
    return bit;
}

static unsigned decode_bit(struct refrain_packed_coder *coder, struct refrain_packed_bit *model) {
    unsigned bit = decode(coder, (uint32_t)((uint64_t)coder->range * model->one >> 16));
    learn(model, bit);
    return bit;
}

/* Decodes n bits, highest first. The model of each bit depends on the bits before it. */
static unsigned decode_tree(struct refrain_packed_coder *coder, struct refrain_packed_bit *models, unsigned n) {
    unsigned node = 1;
    for (unsigned i = n; i-- > 0;)
        node = node << 1 | decode_bit(coder, &models[node]);
    return node - (1u << n);
}

/* A copy of the encoder's state, which the compiler keeps in registers. Coding must be fast: it delays the end of the
 * traced program. */
struct encoder {
    uint64_t low;
    uint32_t range;
};

static inline __attribute__((always_inline)) void encode(struct refrain_packed_coder *coder, struct encoder *encoder,
                                                         uint32_t bound, unsigned bit) {
    encoder->low += bit ? 0 : bound;
    encoder->range = bit ? bound : encoder->range - bound;
    for (; __builtin_expect(encoder->range < LEAST_RANGE, 0); encoder->range <<= 8) {
        coder->low = encoder->low;
        shift_out(coder);
        encoder->low = coder->low;
    }
}

static inline __attribute__((always_inline)) void encode_bit(struct refrain_packed_coder *coder,
                                                             struct encoder *encoder, struct refrain_packed_bit *model,
                                                             unsigned bit) {
    uint32_t bound = (uint32_t)((uint64_t)encoder->range * model->one >> 16);
    learn(model, bit);
    encode(coder, encoder, bound, bit);
}

static inline __attribute__((always_inline)) void encode_tree(struct refrain_packed_coder *coder,
                                                              struct encoder *encoder,
                                                              struct refrain_packed_bit *models, unsigned n,
                                                              unsigned value) {
    for (unsigned node = 1, i = n; i-- > 0; node = node << 1 | (value >> i & 1))
        encode_bit(coder, encoder, &models[node], value >> i & 1);
}

static inline struct encoder encoder_of(const struct refrain_packed_coder *coder) {
    return (struct encoder){coder->low, coder->range};
}

static inline void store_encoder(struct refrain_packed_coder *coder, struct encoder encoder) {
    coder->low = encoder.low;
    coder->range = encoder.range;
}

static inline unsigned char decode_byte(struct refrain_packed_coder *coder, struct refrain_packed_bit *models) {
    uint32_t range = coder->range, code = coder->code;
    unsigned node = 1;
    while (node < 256) {
        uint32_t bound = (uint32_t)((uint64_t)range * models[node].one >> 16);
        if (code < bound) {
            learn(&models[node], 1);
            range = bound;
            node = node << 1 | 1;
        } else {
            learn(&models[node], 0);
            range -= bound;
            code -= bound;
            node <<= 1;
        }
        for (; __builtin_expect(range < LEAST_RANGE, 0); range <<= 8)
            code = code << 8 | get(coder);
    }
    coder->range = range;
    coder->code = code;
    return (unsigned char)node;
}

/* ---- values and bytes ---- */

void refrain_packed_models_begin(struct refrain_packed_models *models) {
    memset(models->value_is_set, 0, sizeof models->value_is_set);
    memset(models->text_of, 0, sizeof models->text_of);
    models->n_texts = models->n_tops = 0;
}

static struct refrain_packed_model *model_of(struct refrain_packed_models *models, enum refrain_packed_kind kind) {
    struct refrain_packed_model *model = &models->values[kind];
    if (models->value_is_set[kind])
        return model;
    models->value_is_set[kind] = true;
    model->last = 0;
    model->history = 0;
    set_up(model->same, sizeof model->same / sizeof *model->same);
    set_up(model->length, sizeof model->length / sizeof *model->length);
    memset(model->top_of, 0, sizeof model->top_of);
    return model;
}

static struct refrain_packed_bit *top_of(struct refrain_packed_models *models, struct refrain_packed_model *model,
                                         unsigned length) {
    if (!model->top_of[length]) {
        struct refrain_packed_top *top = &models->tops[models->n_tops];
        set_up(top->bits, sizeof top->bits / sizeof *top->bits);
        model->top_of[length] = ++models->n_tops;
    }
    return models->tops[model->top_of[length] - 1].bits;
}

/* Initialises the models of a byte at their first use. Returns their number. */
static uint16_t new_text(struct refrain_packed_models *models) {
    struct refrain_packed_text *text = &models->texts[models->n_texts];
    set_up(text->bits, sizeof text->bits / sizeof *text->bits);
    return ++models->n_texts;
}

void refrain_packed_coder_open(struct refrain_packed_coder *coder, struct refrain_packed_models *models,
                               unsigned char *bytes, size_t capacity, bool decodes) {
    *coder = (struct refrain_packed_coder){.models = models, .bytes = bytes, .capacity = capacity, .decodes = decodes};
    coder->range = UINT32_MAX;
    for (unsigned i = 0; decodes && i < CLOSING_BYTES - 1; i++)
        coder->code = coder->code << 8 | get(coder);
}

static unsigned bits_of(uint64_t value) {
    return value ? 64u - (unsigned)__builtin_clzll(value) : 0;
}

static void encode_value(struct refrain_packed_coder *coder, struct refrain_packed_model *model, uint64_t value) {
    struct encoder encoder = encoder_of(coder);
    unsigned same = value == model->last;
    encode_bit(coder, &encoder, &model->same[model->history], same);
    model->history = (model->history << 1 | same) & 3;
    if (!same) {
        unsigned length = bits_of(value), left = length > 0 ? length - 1 : 0;
        unsigned top = left < REFRAIN_PACKED_TOP_BITS ? left : REFRAIN_PACKED_TOP_BITS;
        left -= top;
        encode_tree(coder, &encoder, model->length, 7, length);
        encode_tree(coder, &encoder, top_of(coder->models, model, length), top,
                    (unsigned)(value >> left) & ((1u << top) - 1));
        while (left-- > 0)
            encode(coder, &encoder, encoder.range >> 1, value >> left & 1);
        model->last = value;
    }
    store_encoder(coder, encoder);
}

static uint64_t decode_value(struct refrain_packed_coder *coder, struct refrain_packed_model *model) {
    unsigned same = decode_bit(coder, &model->same[model->history]);
    model->history = (model->history << 1 | same) & 3;
    if (same)
        return model->last;
    unsigned length = decode_tree(coder, model->length, 7);
    if (length > 64)
        length = 64; /* damage */
    uint64_t value = length > 0;
    unsigned left = length > 0 ? length - 1 : 0;
    unsigned top = left < REFRAIN_PACKED_TOP_BITS ? left : REFRAIN_PACKED_TOP_BITS;
    value = value << top | decode_tree(coder, top_of(coder->models, model, length), top);
    for (left -= top; left-- > 0;)
        value = value << 1 | decode(coder, coder->range >> 1);
    return model->last = value;
}

void refrain_packed_code_value(struct refrain_packed_coder *coder, enum refrain_packed_kind kind, uint64_t *value) {
    struct refrain_packed_model *model = model_of(coder->models, kind);
    if (coder->decodes)
        *value = decode_value(coder, model);
    else
        encode_value(coder, model, *value);
}

static unsigned text_of(enum refrain_packed_kind kind) {
    switch (kind) {
    case REFRAIN_PACKED_NAME:
        return 0;
    case REFRAIN_PACKED_TEXT:
        return 1;
    case REFRAIN_PACKED_TIMELINE:
        return 2;
    default:
        return 3;
    }
}

void refrain_packed_code_bytes(struct refrain_packed_coder *coder, enum refrain_packed_kind kind, unsigned char *bytes,
                               size_t n) {
    struct refrain_packed_models *models = coder->models;
    uint16_t *number = models->text_of[text_of(kind)];
    struct encoder encoder = encoder_of(coder);
    unsigned before = 0;
    for (size_t i = 0; i < n && !coder->full; i++) { /* a damaged file may have a length far beyond its end */
        if (!number[before])
            number[before] = new_text(models);
        struct refrain_packed_bit *bits = models->texts[number[before] - 1].bits;
        if (coder->decodes)
            bytes[i] = decode_byte(coder, bits);
        else
            encode_tree(coder, &encoder, bits, 8, bytes[i]);
        before = bytes[i];
    }
    if (!coder->decodes)
        store_encoder(coder, encoder);
}

size_t refrain_packed_coder_close(struct refrain_packed_coder *coder) {
    for (unsigned i = 0; !coder->decodes && i < CLOSING_BYTES; i++)
        shift_out(coder);
    return coder->full ? 0 : coder->at;
}
