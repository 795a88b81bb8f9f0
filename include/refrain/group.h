/* group.h: values without a rule in an archive (formula.h), up to REFRAIN_GROUP_VALUES of them together (monitor ->
 * reader). A group reads as a LOOP of one iteration around its values. Its first byte says how it is written:
 *
 *     GROUP         bytes: how many values, bits of each; a zigzag varint: the least;
 *                   each one's distance from it in so many bits, the lowest first
 *     GROUP_0 + b   byte: how many; each value in b + 1 bits: the least is 0
 *     CODED         bytes: how many, where their table is: a multiple of 16 of the chunk's
 *                   bytes, divided by it; code
 *     CODED_TABLE   byte: how many; zeros up to a multiple of 16; a table; code
 *
 * A table is of values that come often: a byte, how many (1 to 64); the least as a zigzag varint, then the distance of
 * each from the one before as a varint; how often each comes among 256 values, a byte each, and a byte for all others
 * together. None is 0, and their sum is 256.
 *
 * Code is that of an asymmetric numeral system (after Duda, "Asymmetric numeral systems", 2013), bytewise: two bytes,
 * the lower first, are the state at the first value. A state's lowest byte lies in the part of 0 .. 255 that belongs to
 * a value; the next state is (state >> 8) * how often + distance from the part's begin, and while it is below 256 a
 * byte is taken in from below. Behind it are the others, zigzag varints, in their order. */
#ifndef REFRAIN_GROUP_H
#define REFRAIN_GROUP_H

#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_ARCHIVED_GROUP 0xf1u
#define REFRAIN_ARCHIVED_GROUP_0 0xf2u
#define REFRAIN_GROUP_0_BITS 6u /* at most */
#define REFRAIN_ARCHIVED_CODED 0xf8u
#define REFRAIN_ARCHIVED_CODED_TABLE 0xf9u
#define REFRAIN_IS_GROUP(byte) ((byte) >= REFRAIN_ARCHIVED_GROUP && (byte) <= REFRAIN_ARCHIVED_CODED_TABLE)

#define REFRAIN_GROUP_VALUES 127u
#define REFRAIN_GROUP_BITS 64u
#define REFRAIN_TABLE_VALUES 64u
#define REFRAIN_TABLE_UNIT 16u /* tables begin at multiples of it */

struct refrain_group_table {
    int64_t values[REFRAIN_TABLE_VALUES];
    unsigned n;
    uint16_t begin[REFRAIN_TABLE_VALUES + 2]; /* of each one's part; that of the others, and 256, are the last */
};

static inline bool refrain_group_varint(const unsigned char *bytes, unsigned end, unsigned *at, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        unsigned char byte = bytes[(*at)++];
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static inline int64_t refrain_group_signed(uint64_t coded) {
    return (int64_t)(coded >> 1 ^ -(coded & 1));
}

/* Reads a table. */
static inline bool refrain_group_table(const unsigned char *bytes, unsigned end, unsigned *at,
                                       struct refrain_group_table *table) {
    uint64_t value = 0;
    table->n = *at < end ? bytes[(*at)++] : 0;
    if (table->n == 0 || table->n > REFRAIN_TABLE_VALUES)
        return false;
    for (unsigned i = 0; i < table->n; i++) {
        uint64_t coded;
        if (!refrain_group_varint(bytes, end, at, &coded))
            return false;
        value = i ? value + coded : (uint64_t)refrain_group_signed(coded);
        table->values[i] = (int64_t)value;
    }
    table->begin[0] = 0;
    for (unsigned i = 0; i <= table->n; i++) {
        if (*at == end || bytes[*at] == 0)
            return false;
        table->begin[i + 1] = (uint16_t)(table->begin[i] + bytes[(*at)++]);
    }
    return table->begin[table->n + 1] == 256;
}

static inline bool refrain_group_decode_code(const unsigned char *bytes, unsigned end, unsigned *at, unsigned n,
                                             const struct refrain_group_table *table, int64_t *values) {
    unsigned char part_of[256];
    unsigned char others[REFRAIN_GROUP_VALUES];
    unsigned n_others = 0;
    for (unsigned i = 0; i <= table->n; i++)
        for (unsigned k = table->begin[i]; k < table->begin[i + 1]; k++)
            part_of[k] = (unsigned char)i;
    if (end - *at < 2)
        return false;
    uint32_t state = bytes[*at] | (uint32_t)bytes[*at + 1] << 8;
    *at += 2;
    for (unsigned i = 0; i < n; i++) {
        unsigned low = state & 255, part = part_of[low];
        if (part < table->n)
            values[i] = table->values[part];
        else
            others[n_others++] = (unsigned char)i;
        state = (state >> 8) * (uint32_t)(table->begin[part + 1] - table->begin[part]) + low - table->begin[part];
        if (state < 256) {
            if (*at == end)
                return false;
            state = state << 8 | bytes[(*at)++];
        }
    }
    for (unsigned i = 0; i < n_others; i++) {
        uint64_t coded;
        if (!refrain_group_varint(bytes, end, at, &coded))
            return false;
        values[others[i]] = refrain_group_signed(coded);
    }
    return true;
}

static inline bool refrain_group_decode_bits(const unsigned char *bytes, unsigned end, unsigned *at, unsigned n,
                                             unsigned bits, uint64_t least, int64_t *values) {
    uint64_t mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX, waiting = 0;
    unsigned filled = 0;
    if (end - *at < (n * bits + 7) / 8)
        return false;
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = waiting;
        unsigned known = filled;
        for (; known < bits; known += 8) {
            uint64_t byte = bytes[(*at)++];
            value |= byte << known;
            waiting = known + 8 > bits ? byte >> (bits - known) : 0;
        }
        if (filled >= bits)
            waiting >>= bits;
        filled = known - bits;
        values[i] = (int64_t)(least + (value & mask));
    }
    return true;
}

/* Reads the group whose first byte is bytes[*at], of which `end` there are, into `values`, and moves *at behind it.
 * Returns how many there are; 0 where it is none, or cut off. */
static inline unsigned refrain_group_decode(const unsigned char *bytes, unsigned end, unsigned *at, int64_t *values) {
    if (end - *at < 2 || !REFRAIN_IS_GROUP(bytes[*at]))
        return 0;
    unsigned head = bytes[(*at)++], n = bytes[(*at)++];
    if (n == 0 || n > REFRAIN_GROUP_VALUES)
        return 0;
    if (head < REFRAIN_ARCHIVED_CODED) {
        unsigned bits = head - REFRAIN_ARCHIVED_GROUP_0 + 1;
        uint64_t least = 0;
        if (head == REFRAIN_ARCHIVED_GROUP) {
            bits = *at < end ? bytes[(*at)++] : REFRAIN_GROUP_BITS + 1;
            if (bits > REFRAIN_GROUP_BITS || !refrain_group_varint(bytes, end, at, &least))
                return 0;
            least = (uint64_t)refrain_group_signed(least);
        }
        return refrain_group_decode_bits(bytes, end, at, n, bits, least, values) ? n : 0;
    }
    struct refrain_group_table table;
    unsigned place;
    if (head == REFRAIN_ARCHIVED_CODED) {
        if (*at == end)
            return 0;
        place = bytes[(*at)++] * REFRAIN_TABLE_UNIT;
        if (place >= *at || !refrain_group_table(bytes, end, &place, &table))
            return 0;
    } else {
        *at = (*at + REFRAIN_TABLE_UNIT - 1) / REFRAIN_TABLE_UNIT * REFRAIN_TABLE_UNIT;
        if (*at >= end || !refrain_group_table(bytes, end, at, &table))
            return 0;
    }
    return refrain_group_decode_code(bytes, end, at, n, &table, values) ? n : 0;
}

#endif
