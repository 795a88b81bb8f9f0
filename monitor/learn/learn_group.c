/* learn_group.c: writes values without a rule as groups (learn_group.h). */
#define _GNU_SOURCE
#include "learn_group.h"

#include <string.h>

#define MOST_EXPANDED 64u /* values of a term that is expanded */
#define MOST_BITS_HEADER 14u
#define LEAST_ROOM 24u /* bytes at the end of a chunk: with fewer, no group is written there */
#define UNIT 64u       /* costs are in 1/64 of a bit */
#define FEW_VALUES 4u  /* a table of at most so many values expects no others */
#define MOST_OTHERS(n) ((n) < 128 ? 16 : (n) / 8) /* values of a group of n that need not be in its table */

/* ---- terms to values ---- */

/* The values that terms expand to, in order. */
struct expansion {
    int64_t *values;
    unsigned n, most;
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
};

static bool put(struct expansion *expansion, int64_t value) {
    if (expansion->n == expansion->most)
        return false;
    expansion->values[expansion->n++] = value;
    return true;
}

static bool expand(struct expansion *expansion, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * expansion->counter[h];
    if (item->kind == REFRAIN_ITEM_VALUE)
        return put(expansion, (int64_t)value);
    if (item->kind == REFRAIN_ITEM_REPEAT || value > MOST_EXPANDED)
        return false;
    bool whole = true;
    if (item->span == 2 && item[1].back == 2) { /* a loop over one value, by far the most frequent case */
        uint64_t next = (uint64_t)item[1].base, stride = (uint64_t)item[1].stride[item->height];
        for (uint64_t k = 0; k < value && whole; k++, next += stride)
            whole = put(expansion, (int64_t)next);
        return whole;
    }
    for (uint64_t k = 0; k < value && whole; k++) {
        expansion->counter[item->height] = k;
        for (unsigned i = 1; i < item->span && whole; i += item[i].span)
            whole = expand(expansion, &item[i]);
    }
    expansion->counter[item->height] = 0;
    return whole;
}

/* About the number of bytes of the term in an archive, without groups. */
static unsigned alone_bytes(const struct refrain_item *term) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < term->span; i++)
        bytes += term[i].kind == REFRAIN_ITEM_LOOP ? 3
                 : REFRAIN_IS_SHORT(term[i].base)  ? 1
                                                   : 1 + refrain_varint_size(refrain_zigzag(term[i].base));
    return bytes;
}

unsigned refrain_group_expand(const struct refrain_item *items, unsigned n_items, unsigned most, int64_t *values,
                              unsigned *moved, unsigned *alone) {
    struct expansion expansion = {.values = values, .most = most};
    *alone = *moved = 0;
    while (*moved < n_items && expansion.n < most) {
        const struct refrain_item *term = &items[*moved];
        unsigned before = expansion.n;
        if (!expand(&expansion, term) || expansion.n - before > MOST_EXPANDED) {
            expansion.n = before;
            break;
        }
        *alone += alone_bytes(term);
        *moved += term->span;
    }
    return expansion.n;
}

/* ---- form GROUP: the same number of bits for each value ---- */

static unsigned bits_header(unsigned n, int64_t least) {
    return 2 + refrain_varint_size(n) + refrain_varint_size(refrain_zigzag(least));
}

static unsigned write_bits(const int64_t *values, unsigned n, int64_t least, unsigned bits, unsigned char *out) {
    unsigned bytes = 0, filled = 0;
    uint64_t waiting = 0;
    out[bytes++] = REFRAIN_ARCHIVED_GROUP;
    bytes += refrain_varint_put(out + bytes, n);
    out[bytes++] = (unsigned char)bits;
    bytes += refrain_varint_put(out + bytes, refrain_zigzag(least));
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = (uint64_t)values[i] - (uint64_t)least;
        waiting |= value << filled;
        filled += bits;
        if (filled >= 64) {
            memcpy(out + bytes, &waiting, sizeof waiting);
            bytes += (unsigned)sizeof waiting;
            filled -= 64;
            waiting = filled ? value >> (bits - filled) : 0;
        }
    }
    memcpy(out + bytes, &waiting, (filled + 7) / 8);
    return bytes + (filled + 7) / 8;
}

/* ---- form CODED: a table of frequencies ---- */

/* The different values of a group. */
struct different {
    int64_t values[REFRAIN_TABLE_VALUES]; /* ascending */
    uint16_t counts[REFRAIN_TABLE_VALUES];
    uint8_t part[REFRAIN_TABLE_VALUES]; /* of each: its part in a table, table->n for values that are not in it */
    uint8_t of[REFRAIN_GROUP_VALUES];   /* of each value of the group: its index in `values` */
    unsigned n;
};

/* False if there are too many different values for a table. */
static bool find_different(const int64_t *values, unsigned n, struct different *different) {
    uint8_t slots[256], order[REFRAIN_TABLE_VALUES], rank[REFRAIN_TABLE_VALUES];
    int64_t found[REFRAIN_TABLE_VALUES];
    uint16_t counts[REFRAIN_TABLE_VALUES];
    unsigned k = 0;
    memset(slots, 0, sizeof slots);
    for (unsigned i = 0; i < n; i++) {
        unsigned slot = (unsigned)((uint64_t)values[i] * 0x9e3779b97f4a7c15u >> 56);
        while (slots[slot] && found[slots[slot] - 1] != values[i])
            slot = (slot + 1) % 256;
        if (!slots[slot]) {
            if (k == REFRAIN_TABLE_VALUES || k * 2 > n)
                return false;
            found[k] = values[i];
            counts[k] = 0;
            slots[slot] = (uint8_t)++k;
        }
        different->of[i] = (uint8_t)(slots[slot] - 1);
        counts[slots[slot] - 1]++;
    }
    for (unsigned i = 0; i < k; i++) {
        unsigned j = i;
        for (; j > 0 && found[order[j - 1]] > found[i]; j--)
            order[j] = order[j - 1];
        order[j] = (uint8_t)i;
    }
    for (unsigned i = 0; i < k; i++) {
        rank[order[i]] = (uint8_t)i;
        different->values[i] = found[order[i]];
        different->counts[i] = counts[order[i]];
    }
    for (unsigned i = 0; i < n; i++)
        different->of[i] = rank[different->of[i]];
    different->n = k;
    return true;
}

/* Cost of a value with a frequency of `often` among 256: -log2 of its share. Between powers of two, a parabola. */
static unsigned cost_of(unsigned often) {
    unsigned power = 31u - (unsigned)__builtin_clz(often), beyond = (often * UNIT >> power) - UNIT;
    return (8 - power) * UNIT - beyond - beyond * (UNIT - beyond) / (3 * UNIT);
}

static unsigned table_bytes(const struct refrain_group_table *table) {
    unsigned bytes = 2 + table->n + refrain_varint_size(refrain_zigzag(table->values[0]));
    for (unsigned i = 1; i < table->n; i++)
        bytes += refrain_varint_size((uint64_t)table->values[i] - (uint64_t)table->values[i - 1]);
    return bytes;
}

/* Finds the part of each different value. Returns about the number of bytes of the code of `n` values; UINT32_MAX if
 * too many of them are not in the table. */
static unsigned fit(struct different *different, unsigned n, const struct refrain_group_table *table) {
    unsigned cost = 0, others = 0, other_bytes = 0;
    for (unsigned i = 0, at = 0; i < different->n; i++) {
        while (at < table->n && table->values[at] < different->values[i])
            at++;
        bool known = at < table->n && table->values[at] == different->values[i];
        unsigned part = known ? at : table->n;
        different->part[i] = (uint8_t)part;
        unsigned often = (unsigned)(table->begin[part + 1] - table->begin[part]);
        if (often == 0)
            return UINT32_MAX;
        cost += different->counts[i] * cost_of(often);
        if (!known) {
            others += different->counts[i];
            other_bytes += different->counts[i] * refrain_varint_size(refrain_zigzag(different->values[i]));
        }
    }
    return others > MOST_OTHERS(n) ? UINT32_MAX : 2 + cost / (8 * UNIT) + 1 + other_bytes;
}

/* Makes a table of the values that occur more than once and have a frequency of at least 1 among 255. */
static void make_table(const struct different *different, unsigned n, struct refrain_group_table *table) {
    unsigned often[REFRAIN_TABLE_VALUES + 1], sum = 0, others = 0, largest = 0;
    table->n = 0;
    for (unsigned i = 0; i < different->n; i++) {
        unsigned share = different->counts[i] * 255u / n; /* rounded down, so the sum is 255 at most */
        if (different->counts[i] < 2 || share == 0) {
            others += different->counts[i];
            continue;
        }
        table->values[table->n] = different->values[i];
        often[table->n] = share;
        sum += often[table->n++];
    }
    bool alone = table->n == 1; /* its frequency would be 256, which does not fit in a byte */
    often[table->n] = others || alone || table->n > FEW_VALUES ? others * 255 / n + 1 : 0;
    sum += often[table->n];
    for (unsigned i = 1; i <= table->n; i++)
        largest = often[i] > often[largest] ? i : largest;
    often[largest] += 256 - sum;
    table->begin[0] = 0;
    for (unsigned i = 0; i <= table->n; i++)
        table->begin[i + 1] = (uint16_t)(table->begin[i] + often[i]);
}

static unsigned write_table(const struct refrain_group_table *table, unsigned char *out) {
    unsigned bytes = 0;
    out[bytes++] = (unsigned char)table->n;
    for (unsigned i = 0; i < table->n; i++)
        bytes += refrain_varint_put(out + bytes, i ? (uint64_t)table->values[i] - (uint64_t)table->values[i - 1]
                                                   : refrain_zigzag(table->values[0]));
    for (unsigned i = 0; i <= table->n; i++)
        out[bytes++] = (unsigned char)(table->begin[i + 1] - table->begin[i]);
    return bytes;
}

static unsigned write_code(const struct different *different, unsigned n, const struct refrain_group_table *table,
                           unsigned char *out) {
    unsigned char reversed[REFRAIN_GROUP_VALUES];
    uint32_t inverse[REFRAIN_TABLE_VALUES + 1]; /* 2^24 / frequency, rounded up: exact for states below 256 times it */
    unsigned n_reversed = 0, bytes = 0;
    uint32_t state = 256;
    for (unsigned part = 0; part <= table->n; part++) {
        uint32_t often = (uint32_t)(table->begin[part + 1] - table->begin[part]);
        inverse[part] = often ? ((1u << 24) - 1) / often + 1 : 0;
    }
    for (unsigned i = n; i-- > 0;) {
        unsigned part = different->part[different->of[i]];
        uint32_t often = (uint32_t)(table->begin[part + 1] - table->begin[part]);
        if (state >= often << 8) {
            reversed[n_reversed++] = (unsigned char)state;
            state >>= 8;
        }
        uint32_t whole = (uint32_t)((uint64_t)state * inverse[part] >> 24);
        state += whole * (256 - often) + table->begin[part];
    }
    out[bytes++] = (unsigned char)state;
    out[bytes++] = (unsigned char)(state >> 8);
    while (n_reversed > 0)
        out[bytes++] = reversed[--n_reversed];
    for (unsigned i = 0; i < n; i++)
        if (different->part[different->of[i]] == table->n)
            bytes += refrain_varint_put(out + bytes, refrain_zigzag(different->values[different->of[i]]));
    return bytes;
}

/* Writes the form CODED if it has fewer than `bytes` bytes, with the latest table or a new one. Returns its bytes; 0 if
 * it has not. If it is about larger than the room at the chunk's end, nothing is written. */
static unsigned write_coded(const int64_t *values, unsigned n, unsigned bytes, struct refrain_chunk_end *end,
                            unsigned char *out) {
    struct different different;
    struct refrain_group_table old, new;
    if (!find_different(values, n, &different))
        return 0;
    unsigned header = 1 + refrain_varint_size(n), old_bytes = UINT32_MAX, new_bytes = UINT32_MAX, at = end->table;
    if (end->table && refrain_group_table(end->chunk, end->used, &at, &old))
        old_bytes = fit(&different, n, &old);
    if (old_bytes != UINT32_MAX)
        old_bytes += header + refrain_varint_size(end->table);
    make_table(&different, n, &new);
    if (new.n > 0)
        new_bytes = fit(&different, n, &new);
    /* Later groups use the new table, too, unless it is small: then it is seldom better than the one before it. */
    if (new_bytes != UINT32_MAX)
        new_bytes += header + 1 + table_bytes(&new) / (new.n > FEW_VALUES ? 4 : 1);
    bool is_old = old_bytes <= new_bytes;
    unsigned least = is_old ? old_bytes : new_bytes;
    if (least >= bytes)
        return 0;
    if (least > end->room)
        return least;
    unsigned written = 0;
    out[written++] = REFRAIN_ARCHIVED_CODED;
    written += refrain_varint_put(out + written, n);
    written += refrain_varint_put(out + written, is_old ? end->table : 0);
    if (is_old) {
        fit(&different, n, &old);
    } else {
        end->table = end->used + written;
        written += write_table(&new, out + written);
    }
    return written + write_code(&different, n, is_old ? &old : &new, out + written);
}

/* ---- the shorter form ---- */

static unsigned bits_between(int64_t least, int64_t most) {
    uint64_t range = (uint64_t)most - (uint64_t)least;
    return range ? 64u - (unsigned)__builtin_clzll(range) : 0;
}

static unsigned bits_of(const int64_t *values, unsigned n, int64_t *from) {
    int64_t least = values[0], most = least;
    for (unsigned i = 1; i < n; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    unsigned bits = bits_between(least, most);
    bool from_0 = bits == REFRAIN_GROUP_BITS || (least > 0 && bits_between(0, most) == bits);
    *from = from_0 ? 0 : least; /* 0 takes fewer bytes than the smallest value, and here no more bits */
    return bits;
}

unsigned refrain_group_encode(const int64_t *values, unsigned n, unsigned alone, struct refrain_chunk_end *end,
                              unsigned char *out, unsigned *taken) {
    int64_t least = 0;
    unsigned bits = bits_of(values, n, &least), bytes = bits_header(n, least) + (n * bits + 7) / 8;
    struct refrain_chunk_end before = *end;
    unsigned coded = write_coded(values, *taken = n, bytes < alone ? bytes : alone, end, out);
    if (coded > end->room && end->room >= LEAST_ROOM) { /* as many values as fill the room, about */
        *end = before;
        *taken = n * (end->room - 4 - end->room / 64) / coded;
        coded = write_coded(values, *taken, bytes, end, out);
        if (coded > end->room) {
            *end = before;
            coded = 0;
        }
    }
    if (coded || bytes >= alone)
        return coded;
    *taken = n;
    if (bytes > end->room) {
        if (end->room < LEAST_ROOM)
            return bytes;
        *taken = (end->room - MOST_BITS_HEADER) * 8 / bits;
    }
    return write_bits(values, *taken, least, bits, out);
}
