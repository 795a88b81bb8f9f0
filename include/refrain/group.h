/* group.h: groups of up to REFRAIN_GROUP_VALUES values without a rule in an archive (formula.h; monitor -> reader).
 * As a term, a group is a LOOP of one iteration around its values; three or more equal values in a row are a LOOP,
 * too. It has at most REFRAIN_GROUP_ITEMS items. Its first byte gives its form:
 *
 *     GROUP    varint: number of values; a byte: bits per value; a zigzag varint: the smallest value;
 *              the distance of each value from it, in this number of bits, the lowest first
 *     CODED    varint: number of values; varint: position of their table in the chunk, or 0 and the table; code
 *
 * A table has the frequent values: a byte, their number (1 to 64); the smallest as a zigzag varint, then the
 * distance of each from the one before as a varint; the frequency of each among 256 values, a byte each, and a byte
 * for all other values together. No frequency is 0, except that of the others if there are none. Their sum is 256.
 *
 * The code is that of an asymmetric numeral system (after Duda, "Asymmetric numeral systems", 2013) on bytes: two
 * bytes, the lower first, are the state at the first value. The lowest byte of a state is in the part of 0 .. 255
 * that belongs to a value. The next state is (state >> 8) * frequency + distance from the begin of the part; while
 * it is below 256, a byte is shifted in from below. After the code come the other values, as zigzag varints, in
 * order. */
#ifndef REFRAIN_GROUP_H
#define REFRAIN_GROUP_H

#include <refrain/formula.h>
#include <refrain/varint.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REFRAIN_ARCHIVED_GROUP 0xf1u
#define REFRAIN_ARCHIVED_CODED 0xf2u
#define REFRAIN_IS_GROUP(byte) ((byte) >= REFRAIN_ARCHIVED_GROUP)

#define REFRAIN_GROUP_VALUES 1023u
#define REFRAIN_GROUP_ITEMS (1u + REFRAIN_GROUP_VALUES)
#define REFRAIN_GROUP_BITS 64u
#define REFRAIN_TABLE_VALUES 64u

struct refrain_group_table {
    int64_t values[REFRAIN_TABLE_VALUES];
    unsigned n;
    uint16_t begin[REFRAIN_TABLE_VALUES +
                   2]; /* begin of the part of each value; the last two are that of the others, and 256 */
};

/* Reads a table. */
static inline bool refrain_group_table(const unsigned char *bytes, unsigned end, unsigned *at,
                                       struct refrain_group_table *table) {
    uint64_t value = 0;
    table->n = *at < end ? bytes[(*at)++] : 0;
    if (table->n == 0 || table->n > REFRAIN_TABLE_VALUES)
        return false;
    for (unsigned i = 0; i < table->n; i++) {
        uint64_t coded;
        if (!refrain_varint_get(bytes, end, at, &coded))
            return false;
        value = i ? value + coded : (uint64_t)refrain_unzigzag(coded);
        table->values[i] = (int64_t)value;
    }
    table->begin[0] = 0;
    for (unsigned i = 0; i <= table->n; i++) {
        if (*at == end || (bytes[*at] == 0 && i < table->n))
            return false;
        table->begin[i + 1] = (uint16_t)(table->begin[i] + bytes[(*at)++]);
    }
    return table->begin[table->n + 1] == 256;
}

static inline bool refrain_group_decode_code(const unsigned char *bytes, unsigned end, unsigned *at, unsigned n,
                                             const struct refrain_group_table *table, int64_t *values) {
    unsigned char part_of[256], parts[REFRAIN_GROUP_VALUES];
    for (unsigned i = 0; i <= table->n; i++)
        for (unsigned k = table->begin[i]; k < table->begin[i + 1]; k++)
            part_of[k] = (unsigned char)i;
    if (end - *at < 2)
        return false;
    uint32_t state = bytes[*at] | (uint32_t)bytes[*at + 1] << 8;
    *at += 2;
    for (unsigned i = 0; i < n; i++) {
        unsigned low = state & 255, part = parts[i] = part_of[low];
        state = (state >> 8) * (uint32_t)(table->begin[part + 1] - table->begin[part]) + low - table->begin[part];
        if (state < 256) {
            if (*at == end)
                return false;
            state = state << 8 | bytes[(*at)++];
        }
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t coded = 0;
        if (parts[i] == table->n && !refrain_varint_get(bytes, end, at, &coded))
            return false;
        values[i] = parts[i] < table->n ? table->values[parts[i]] : refrain_unzigzag(coded);
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

/* Reads the group that begins at bytes[*at] (size: `end`) into `values`, which have room for REFRAIN_GROUP_VALUES,
 * and moves *at behind it. Returns the number of values; 0 if it is no group or truncated. */
static inline unsigned refrain_group_decode(const unsigned char *bytes, unsigned end, unsigned *at, int64_t *values) {
    uint64_t n, least, table_at;
    if (*at >= end || !REFRAIN_IS_GROUP(bytes[*at]))
        return 0;
    unsigned head = bytes[(*at)++];
    if (!refrain_varint_get(bytes, end, at, &n) || n == 0 || n > REFRAIN_GROUP_VALUES)
        return 0;
    if (head == REFRAIN_ARCHIVED_GROUP) {
        unsigned bits = *at < end ? bytes[(*at)++] : REFRAIN_GROUP_BITS + 1;
        if (bits > REFRAIN_GROUP_BITS || !refrain_varint_get(bytes, end, at, &least))
            return 0;
        least = (uint64_t)refrain_unzigzag(least);
        return refrain_group_decode_bits(bytes, end, at, (unsigned)n, bits, least, values) ? (unsigned)n : 0;
    }
    struct refrain_group_table table;
    if (head != REFRAIN_ARCHIVED_CODED || !refrain_varint_get(bytes, end, at, &table_at) || table_at >= *at)
        return 0;
    unsigned before = (unsigned)table_at;
    if (!refrain_group_table(bytes, end, before ? &before : at, &table))
        return 0;
    return refrain_group_decode_code(bytes, end, at, (unsigned)n, &table, values) ? (unsigned)n : 0;
}

/* Writes `n` values as a term to `items`, which have room for n + 1. Returns the number of items. */
static inline unsigned refrain_group_term(const int64_t *values, unsigned n, struct refrain_item *items) {
    unsigned n_items = 1;
    items[0] = (struct refrain_item){.kind = REFRAIN_ITEM_LOOP, .base = 1};
    for (unsigned i = 0; i < n; i++) {
        struct refrain_item *last = &items[n_items - 1];
        if (n_items > 2 && last->base == values[i] && last[-1].kind == REFRAIN_ITEM_LOOP) {
            last[-1].base++;
        } else if (n_items > 2 && last->base == values[i] && last[-1].base == values[i]) {
            last[-1].kind = REFRAIN_ITEM_LOOP;
            last[-1].span = 2;
            last[-1].base = 3;
            items[0].height = 1;
        } else {
            items[n_items++] = (struct refrain_item){.kind = REFRAIN_ITEM_VALUE, .span = 1, .base = values[i]};
        }
    }
    items[0].span = (uint16_t)n_items;
    return n_items;
}

#endif
