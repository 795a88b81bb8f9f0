/* learn_group.c: groups of values without a rule (learn_group.h). */
#define _GNU_SOURCE
#include "learn_group.h"
#include "learn_memory.h"

#include <string.h>

#define MOST_EXPANDED 16u /* values of a loop that are written out */
#define LEAST_VALUES 8u
#define VALUE_BYTES 2u /* what a value, and a loop, take one by one: some of them */
#define LOOP_BYTES 3u

/* The values of a term, as they come. */
struct expansion {
    int64_t *values;
    unsigned n, most;
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
};

static bool expand(struct expansion *expansion, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * expansion->counter[h];
    if (item->kind == REFRAIN_ITEM_VALUE) {
        if (expansion->n == expansion->most)
            return false;
        expansion->values[expansion->n++] = (int64_t)value;
        return true;
    }
    if (item->kind == REFRAIN_ITEM_REPEAT || value > MOST_EXPANDED)
        return false;
    bool whole = true;
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

/* Head, number of values, their bits, the least of them, then each one's distance from it. */
static unsigned write_group(const int64_t *values, unsigned n, int64_t least, unsigned bits, unsigned char *out) {
    unsigned bytes = 0, filled = 0;
    uint64_t waiting = 0;
    out[bytes++] = REFRAIN_ARCHIVED_GROUP;
    out[bytes++] = (unsigned char)n;
    out[bytes++] = (unsigned char)bits;
    bytes += put_varint(out + bytes, ((uint64_t)least << 1) ^ (uint64_t)(least >> 63));
    for (unsigned i = 0; i < n; i++) {
        waiting |= ((uint64_t)values[i] - (uint64_t)least) << filled;
        for (filled += bits; filled >= 8; filled -= 8, waiting >>= 8)
            out[bytes++] = (unsigned char)waiting;
    }
    if (filled > 0)
        out[bytes++] = (unsigned char)waiting;
    return bytes;
}

unsigned refrain_group_encode(const struct refrain_item *items, unsigned n_items, unsigned most_values,
                              unsigned char *out, unsigned *moved) {
    int64_t values[REFRAIN_GROUP_VALUES];
    struct expansion expansion = {.values = values};
    expansion.most = most_values < REFRAIN_GROUP_VALUES ? most_values : REFRAIN_GROUP_VALUES;
    unsigned n = 0, alone_bytes = 0;
    *moved = 0;
    while (*moved < n_items) {
        const struct refrain_item *term = &items[*moved];
        unsigned before = expansion.n;
        if (expansion.n + 1 > expansion.most || !expand(&expansion, term) || expansion.n - before > MOST_EXPANDED) {
            expansion.n = before;
            break;
        }
        for (unsigned i = 0; i < term->span; i++)
            alone_bytes += term[i].kind == REFRAIN_ITEM_LOOP ? LOOP_BYTES
                           : REFRAIN_IS_SHORT(term[i].base)  ? 1
                                                             : VALUE_BYTES;
        *moved += term->span;
    }
    n = expansion.n;
    if (*moved == 0)
        *moved = items[0].span;
    if (n < LEAST_VALUES)
        return 0;
    int64_t least = values[0], most = values[0];
    for (unsigned i = 1; i < n; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    unsigned bits = range ? 64u - (unsigned)__builtin_clzll(range) : 0;
    if (bits > REFRAIN_GROUP_BITS || 4 + (n * bits + 7) / 8 >= alone_bytes)
        return 0;
    return write_group(values, n, least, bits, out);
}

unsigned refrain_group_decode(const unsigned char *bytes, uint32_t *at, struct refrain_item *out) {
    unsigned n = bytes[(*at)++], bits = bytes[(*at)++], shift = 0, filled = 0;
    uint64_t coded = 0, waiting = 0;
    for (unsigned char byte = 128; byte >= 128; shift += 7)
        coded |= (uint64_t)((byte = bytes[(*at)++]) & 127) << shift;
    uint64_t least = coded >> 1 ^ -(coded & 1), mask = ((uint64_t)1 << bits) - 1;
    memset(out, 0, (n + 1) * sizeof *out);
    out[0].kind = REFRAIN_ITEM_LOOP;
    out[0].span = (uint16_t)(n + 1);
    out[0].base = 1;
    for (unsigned i = 1; i <= n; i++) {
        for (; filled < bits; filled += 8)
            waiting |= (uint64_t)bytes[(*at)++] << filled;
        out[i].span = 1;
        out[i].base = (int64_t)(least + (waiting & mask));
        waiting >>= bits;
        filled -= bits;
    }
    return n + 1;
}
