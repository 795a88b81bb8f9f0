/* learn_group.c: groups of values without a rule (learn_group.h). */
#define _GNU_SOURCE
#include "learn_group.h"
#include "learn.h"

#include <string.h>

#define MOST_EXPANDED 64u /* values of a loop that are written out */
#define LEAST_VALUES 8u
#define MOST_BITS_BYTES 256u /* of a group whose values are wide: chunks are filled up with less waste */
#define SAMPLE 32u           /* values that tell whether they are wide ... */
#define SAMPLE_BITS 256u     /* ... and different, by a hash */
#define LEAST_WIDE_BITS 24u
#define MOST_BITS_HEADER 14u
#define LEAST_ROOM 96u /* bytes at a chunk's end that are worth a group: LEAST_VALUES of the widest, and more */
#define UNIT 16u       /* costs are in parts of a bit */
#define MOST_OTHERS(n) ((n) < 128 ? 16 : (n) / 8) /* values that a group of n may have and its table not */

_Static_assert(sizeof(((struct refrain_learn_scratch *)0)->entries) >= REFRAIN_GROUP_VALUES * sizeof(int64_t),
               "a group's values lie where a tally's entries do");

/* The values of terms, as they come. */
struct expansion {
    int64_t *values;
    unsigned n, most;           /* values */
    unsigned items, most_items; /* that the group will read as, of values that stand for themselves and runs */
    unsigned run;               /* equal values at the end */
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
};

static bool put(struct expansion *expansion, int64_t value) {
    bool same = expansion->run > 0 && expansion->values[expansion->n - 1] == value;
    unsigned run = same ? expansion->run + 1 : 1, items = expansion->items + (run <= 2);
    if (expansion->n == expansion->most || items > expansion->most_items)
        return false;
    expansion->values[expansion->n++] = value;
    expansion->run = run;
    expansion->items = items;
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
    if (item->span == 2 && item[1].back == 2) { /* a run by itself, by far the most frequent case */
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

static unsigned put_varint(unsigned char *out, uint64_t value) {
    unsigned n = 0;
    for (; value >= 128; value >>= 7)
        out[n++] = (unsigned char)(value | 128);
    out[n++] = (unsigned char)value;
    return n;
}

static uint64_t zigzag(int64_t value) {
    return ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
}

static unsigned varint_bytes(uint64_t value) {
    return (70u - (unsigned)__builtin_clzll(value | 1)) / 7;
}

/* ---- so many bits each ---- */

static unsigned bits_header(unsigned bits, int64_t least) {
    return least == 0 && bits > 0 && bits <= REFRAIN_GROUP_0_BITS ? 2 : 3 + varint_bytes(zigzag(least));
}

static unsigned put_number(unsigned char *out, unsigned n) {
    unsigned bytes = 0;
    if (n >= REFRAIN_GROUP_FEW) {
        n -= REFRAIN_GROUP_FEW;
        out[bytes++] = (unsigned char)(REFRAIN_GROUP_FEW + (n >> 8));
    }
    out[bytes++] = (unsigned char)n;
    return bytes;
}

static unsigned write_bits(const int64_t *values, unsigned n, int64_t least, unsigned bits, unsigned char *out) {
    unsigned bytes = 0, filled = 0;
    uint64_t waiting = 0;
    if (bits_header(bits, least) == 2) {
        out[bytes++] = (unsigned char)(REFRAIN_ARCHIVED_GROUP_0 + bits - 1);
        bytes += put_number(out + bytes, n);
    } else {
        out[bytes++] = REFRAIN_ARCHIVED_GROUP;
        bytes += put_number(out + bytes, n);
        out[bytes++] = (unsigned char)bits;
        bytes += put_varint(out + bytes, zigzag(least));
    }
    for (unsigned i = 0; i < n; i++) {
        uint64_t value = (uint64_t)values[i] - (uint64_t)least;
        unsigned left = bits;
        while (filled + left >= 8) {
            out[bytes++] = (unsigned char)(waiting | value << filled);
            value >>= 8 - filled;
            left -= 8 - filled;
            waiting = filled = 0;
        }
        waiting |= value << filled;
        filled += left;
    }
    if (filled > 0)
        out[bytes++] = (unsigned char)waiting;
    return bytes;
}

/* ---- by a table ---- */

/* The different values of a group. */
struct different {
    int64_t values[REFRAIN_TABLE_VALUES]; /* ascending */
    uint16_t counts[REFRAIN_TABLE_VALUES];
    uint8_t part[REFRAIN_TABLE_VALUES]; /* each one's in a table */
    uint8_t of[REFRAIN_GROUP_VALUES];   /* which one each value is */
    unsigned n;
};

/* False where there are too many for a table to be of use. */
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

/* What a value costs that comes so often among 256: -log2 of its share, between powers of two on a straight line. */
static unsigned cost_of(unsigned often) {
    unsigned power = 31u - (unsigned)__builtin_clz(often);
    return (8 - power) * UNIT - ((often * UNIT >> power) - UNIT);
}

static unsigned table_bytes(const struct refrain_group_table *table) {
    unsigned bytes = 2 + table->n + varint_bytes(zigzag(table->values[0]));
    for (unsigned i = 1; i < table->n; i++)
        bytes += varint_bytes((uint64_t)table->values[i] - (uint64_t)table->values[i - 1]);
    return bytes;
}

/* Finds each one's part, and returns the bytes of the code of `n` values, about; UINT32_MAX where too many have none.
 */
static unsigned fit(struct different *different, unsigned n, const struct refrain_group_table *table) {
    unsigned cost = 0, others = 0, other_bytes = 0;
    for (unsigned i = 0, at = 0; i < different->n; i++) {
        while (at < table->n && table->values[at] < different->values[i])
            at++;
        bool known = at < table->n && table->values[at] == different->values[i];
        unsigned part = known ? at : table->n;
        different->part[i] = (uint8_t)part;
        cost += different->counts[i] * cost_of((unsigned)(table->begin[part + 1] - table->begin[part]));
        if (!known) {
            others += different->counts[i];
            other_bytes += different->counts[i] * varint_bytes(zigzag(different->values[i]));
        }
    }
    return others > MOST_OTHERS(n) ? UINT32_MAX : 2 + cost / (8 * UNIT) + 1 + other_bytes;
}

/* Of the values that come more than once, and not so seldom that none of 256 is one. */
static void make_table(const struct different *different, unsigned n, struct refrain_group_table *table) {
    unsigned often[REFRAIN_TABLE_VALUES + 1], sum = 0, others = 0, largest = 0;
    table->n = 0;
    for (unsigned i = 0; i < different->n; i++) {
        unsigned share = different->counts[i] * 255u / n; /* rounded down: all together are 255 at most */
        if (different->counts[i] < 2 || share == 0) {
            others += different->counts[i];
            continue;
        }
        table->values[table->n] = different->values[i];
        often[table->n] = share;
        sum += often[table->n++];
    }
    often[table->n] = others * 255 / n + 1;
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
        bytes += put_varint(out + bytes,
                            i ? (uint64_t)table->values[i] - (uint64_t)table->values[i - 1] : zigzag(table->values[0]));
    for (unsigned i = 0; i <= table->n; i++)
        out[bytes++] = (unsigned char)(table->begin[i + 1] - table->begin[i]);
    return bytes;
}

static unsigned write_code(const struct different *different, unsigned n, const struct refrain_group_table *table,
                           unsigned char *out) {
    unsigned char reversed[REFRAIN_GROUP_VALUES];
    unsigned n_reversed = 0, bytes = 0;
    uint32_t state = 256;
    for (unsigned i = n; i-- > 0;) {
        unsigned part = different->part[different->of[i]];
        uint32_t often = (uint32_t)(table->begin[part + 1] - table->begin[part]);
        if (state >= often << 8) {
            reversed[n_reversed++] = (unsigned char)state;
            state >>= 8;
        }
        state = (state / often << 8) + state % often + table->begin[part];
    }
    out[bytes++] = (unsigned char)state;
    out[bytes++] = (unsigned char)(state >> 8);
    while (n_reversed > 0)
        out[bytes++] = reversed[--n_reversed];
    for (unsigned i = 0; i < n; i++)
        if (different->part[different->of[i]] == table->n)
            bytes += put_varint(out + bytes, zigzag(different->values[different->of[i]]));
    return bytes;
}

static unsigned round_up(unsigned at) {
    return (at + REFRAIN_TABLE_GRAIN - 1) / REFRAIN_TABLE_GRAIN * REFRAIN_TABLE_GRAIN;
}

/* By a table where that takes less than `bytes`; 0 where it does not. */
static unsigned write_coded(const int64_t *values, unsigned n, unsigned bytes, struct refrain_group_place *place,
                            unsigned char *out) {
    struct different different;
    struct refrain_group_table old, new;
    if (!find_different(values, n, &different))
        return 0;
    unsigned old_bytes = UINT32_MAX, at = place->table * REFRAIN_TABLE_GRAIN;
    if (place->table && refrain_group_table(place->chunk, place->used, &at, &old)) {
        unsigned code_bytes = fit(&different, n, &old);
        old_bytes = code_bytes == UINT32_MAX ? code_bytes : 3 + code_bytes;
    }
    make_table(&different, n, &new);
    unsigned new_bytes = UINT32_MAX;
    unsigned begin = round_up(place->used + 1 + (n < REFRAIN_GROUP_FEW ? 1 : 2));
    if (new.n > 0 && begin / REFRAIN_TABLE_GRAIN <= UINT8_MAX) {
        /* A table serves later groups of the chunk, too. */
        unsigned code_bytes = fit(&different, n, &new);
        if (code_bytes != UINT32_MAX)
            new_bytes = begin - place->used + code_bytes + table_bytes(&new) / 4;
    }
    if (old_bytes >= bytes && new_bytes >= bytes)
        return 0;
    unsigned written = 0;
    if (old_bytes <= new_bytes) {
        fit(&different, n, &old);
        bool near = place->table <= REFRAIN_CODED_AT_TABLES;
        out[written++] = (unsigned char)(near ? REFRAIN_ARCHIVED_CODED_AT + place->table - 1 : REFRAIN_ARCHIVED_CODED);
        written += put_number(out + written, n);
        if (!near)
            out[written++] = (unsigned char)place->table;
        return written + write_code(&different, n, &old, out + written);
    }
    out[written++] = REFRAIN_ARCHIVED_CODED_TABLE;
    written += put_number(out + written, n);
    while (place->used + written < begin)
        out[written++] = 0;
    place->table = begin / REFRAIN_TABLE_GRAIN;
    written += write_table(&new, out + written);
    return written + write_code(&different, n, &new, out + written);
}

/* ---- terms to groups and back ---- */

/* What the terms take one by one, about. */
static unsigned alone_bytes(const struct refrain_item *term) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < term->span; i++)
        bytes += term[i].kind == REFRAIN_ITEM_LOOP ? 3
                 : REFRAIN_IS_SHORT(term[i].base)  ? 1
                                                   : 1 + varint_bytes(zigzag(term[i].base));
    return bytes;
}

/* Takes terms, as many as have at most so many values, and fit in the items; returns what they take one by one. */
static unsigned take_terms(const struct refrain_item *items, unsigned n_items, unsigned most,
                           struct expansion *expansion, unsigned *moved) {
    unsigned alone = 0;
    expansion->n = expansion->items = expansion->run = *moved = 0;
    expansion->most = most;
    while (*moved < n_items && expansion->n < most) {
        const struct refrain_item *term = &items[*moved];
        if (term->kind == REFRAIN_ITEM_VALUE) { /* what most of them are: there is nothing to go back to */
            if (!put(expansion, term->base))
                break;
        } else {
            struct expansion before = *expansion;
            if (!expand(expansion, term) || expansion->n - before.n > MOST_EXPANDED) {
                *expansion = before;
                break;
            }
        }
        alone += alone_bytes(term);
        *moved += term->span;
    }
    return alone;
}

static unsigned bits_between(int64_t least, int64_t most) {
    uint64_t range = (uint64_t)most - (uint64_t)least;
    return range ? 64u - (unsigned)__builtin_clzll(range) : 0;
}

static unsigned bits_of(const struct expansion *expansion, int64_t *least) {
    int64_t most = *least = expansion->values[0];
    for (unsigned i = 1; i < expansion->n; i++) {
        *least = expansion->values[i] < *least ? expansion->values[i] : *least;
        most = expansion->values[i] > most ? expansion->values[i] : most;
    }
    unsigned bits = bits_between(*least, most);
    if (bits == REFRAIN_GROUP_BITS || (*least > 0 && bits_between(0, most) == bits))
        *least = 0; /* takes fewer bytes, and no more bits */
    return bits;
}

/* How many values are worth looking at: where the first ones are wide, and nearly all of them different, no more than
 * fill a group of MOST_BITS_BYTES. A group takes less than what is looked at then, and the rest would be looked at
 * again. */
static unsigned most_values(const struct refrain_item *items, unsigned n_items) {
    uint64_t seen[SAMPLE_BITS / 64] = {0};
    int64_t least = items[0].base, most = least;
    unsigned different = 0;
    if (n_items < SAMPLE)
        return REFRAIN_GROUP_VALUES;
    for (unsigned i = 0; i < SAMPLE; i++) {
        if (items[i].kind != REFRAIN_ITEM_VALUE)
            return REFRAIN_GROUP_VALUES;
        unsigned bit = (unsigned)((uint64_t)items[i].base * 0x9e3779b97f4a7c15u >> 32) % SAMPLE_BITS;
        different += !(seen[bit / 64] >> bit % 64 & 1);
        seen[bit / 64] |= (uint64_t)1 << bit % 64;
        least = items[i].base < least ? items[i].base : least;
        most = items[i].base > most ? items[i].base : most;
    }
    unsigned bits = bits_between(least, most);
    return different < SAMPLE * 3 / 4 || bits < LEAST_WIDE_BITS ? REFRAIN_GROUP_VALUES : MOST_BITS_BYTES * 8 / bits;
}

unsigned refrain_group_encode(const struct refrain_item *items, unsigned n_items, unsigned most_items,
                              struct refrain_group_place *place, struct refrain_learn_scratch *scratch,
                              unsigned *moved) {
    int64_t *values = (int64_t *)scratch->entries, least = 0;
    struct expansion expansion = {.values = values, .most_items = most_items - 1};
    unsigned alone = take_terms(items, n_items, most_values(items, n_items), &expansion, moved);
    if (*moved == 0)
        *moved = items[0].span;
    if (expansion.n < LEAST_VALUES)
        return 0;
    unsigned bits = bits_of(&expansion, &least);
    unsigned bytes = bits_header(bits, least) + (expansion.n * bits + 7) / 8;
    unsigned coded = write_coded(values, expansion.n, bytes < alone ? bytes : alone, place, scratch->bytes);
    if (coded || bytes >= alone)
        return coded;
    unsigned most_bytes = place->room > LEAST_ROOM && place->room < MOST_BITS_BYTES ? place->room : MOST_BITS_BYTES;
    if (bytes > most_bytes) {
        take_terms(items, n_items, (most_bytes - MOST_BITS_HEADER) * 8 / bits, &expansion, moved);
        bits = bits_of(&expansion, &least);
    }
    return write_bits(values, expansion.n, least, bits, scratch->bytes);
}
