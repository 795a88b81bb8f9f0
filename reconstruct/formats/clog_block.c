/* clog_block.c: writes blocks of big-endian records (clog_block.h). */
#include "formats/clog_block.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>

static void put(struct refrain_clog_blocks *blocks, const void *bytes, size_t n) {
    refrain_sink_put_bytes(blocks->out, bytes, n);
    blocks->used += n;
}

/* Fills the rest of the block with zeros. The next block begins. */
static void pad_block(struct refrain_clog_blocks *blocks) {
    static const unsigned char zeros[256];
    while (blocks->used < REFRAIN_CLOG_BLOCK_BYTES) {
        size_t rest = REFRAIN_CLOG_BLOCK_BYTES - blocks->used;
        put(blocks, zeros, rest < sizeof zeros ? rest : sizeof zeros);
    }
    blocks->used = 0;
}

void refrain_clog_room(struct refrain_clog_blocks *blocks, size_t bytes) {
    /* There is always room for the record that ends the block. */
    if (blocks->used + bytes + REFRAIN_CLOG_HEADER_BYTES <= REFRAIN_CLOG_BLOCK_BYTES)
        return;
    blocks->end(blocks, false);
    pad_block(blocks);
}

void refrain_clog_finish(struct refrain_clog_blocks *blocks) {
    blocks->end(blocks, true);
    pad_block(blocks);
}

int32_t refrain_clog_clamp(int64_t value) {
    return value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

void refrain_clog_int(struct refrain_clog_blocks *blocks, int64_t value) {
    uint32_t bits = (uint32_t)refrain_clog_clamp(value);
    blocks->cut += refrain_clog_clamp(value) != value;
    unsigned char bytes[4] = {(unsigned char)(bits >> 24), (unsigned char)(bits >> 16), (unsigned char)(bits >> 8),
                              (unsigned char)bits};
    put(blocks, bytes, sizeof bytes);
}

void refrain_clog_long(struct refrain_clog_blocks *blocks, int64_t value) {
    unsigned char bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (unsigned char)((uint64_t)value >> (56 - 8 * i));
    put(blocks, bytes, sizeof bytes);
}

void refrain_clog_double(struct refrain_clog_blocks *blocks, double value) {
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    refrain_clog_long(blocks, bits);
}

/* Writes a field of `bytes` bytes, at most 64: the first n (fewer than `bytes`) of the text, the rest 0. */
static void put_field(struct refrain_clog_blocks *blocks, const char *text, size_t n, size_t bytes) {
    char field[64] = {0};
    memcpy(field, text, n);
    put(blocks, field, bytes);
}

void refrain_clog_text(struct refrain_clog_blocks *blocks, const char *text, size_t bytes, bool name) {
    size_t n = strlen(text);
    if (name)
        n = refrain_shorten(&blocks->shortened, text, bytes - 1);
    put_field(blocks, text, n < bytes ? n : bytes - 1, bytes);
}

void refrain_clog_path(struct refrain_clog_blocks *blocks, const char *path, size_t bytes) {
    size_t n = strlen(path), skip = n < bytes ? 0 : n - (bytes - 1);
    put_field(blocks, path + skip, n - skip, bytes);
}

void refrain_clog_warn(const struct refrain_clog_blocks *blocks, const char *format) {
    refrain_shortened_warn(&blocks->shortened, format);
    if (blocks->cut)
        refrain_warn("%s: %" PRIu64
                     " numbers (sizes, tags) did not fit into 4 bytes and were cut to the nearest that do",
                     format, blocks->cut);
}

const char *refrain_clog_colour(size_t i) {
    static const char *const colours[] = {"red",   "blue",  "green", "orange",    "yellow",    "purple",
                                          "cyan",  "brown", "pink",  "SteelBlue", "OliveDrab", "maroon",
                                          "coral", "gold",  "plum",  "SeaGreen"};
    return colours[i % (sizeof colours / sizeof *colours)];
}
