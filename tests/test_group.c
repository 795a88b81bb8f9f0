/* test_group.c: tests groups of values without a rule (include/refrain/group.h). Groups of all kinds fill a chunk of an
 * archive, and each is read back value by value. Damaged bytes are read without harm. Usage: test_group [SEED [CHUNKS]]
 */
#include "learn.h"
#include "learn_alone.h"
#include "learn_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 4080u
#define DAMAGED 8 /* copies of each chunk */

static uint64_t state;
static unsigned groups, n_drawn;

static uint64_t random64(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * 0x9e3779b97f4a7c15u;
}

static unsigned below(unsigned n) {
    return (unsigned)(random64() >> 32) % n;
}

static int64_t draw(unsigned kind, unsigned width) {
    switch (kind) {
    case 0:
        return (int64_t)(random64() >> (63 - width % 63));
    case 1: /* a number of bits, above 1000 */
        return 1000 + (int64_t)(random64() >> (63 - width % 63));
    case 2:
        return (int64_t)1 << below(width % 62 + 1);
    case 3:
        return below(width % 20 + 1) ? 0 : (int64_t)random64();
    case 6: /* long runs of 0 between others */
        return (int64_t)(n_drawn++ % 2);
    case 7: /* longer runs, between values that are too rare for the table */
        return n_drawn++ % 2 ? (int64_t)below(16) + 1 : 0;
    case 8: /* wide values, about as many different ones as a table holds */
        return (int64_t)below(60 + width % 8) * INT64_C(0x100000001);
    case 4:
        return below(2) ? INT64_MAX - below(3) : INT64_MIN + below(3);
    default:
        return (int64_t)below(width % 300 + 1) - 100;
    }
}

/* Terms: values, and runs of a value or of values in equal steps. */
static unsigned make_items(struct refrain_item *items, unsigned kind, unsigned width) {
    unsigned n = 0, most = below(REFRAIN_FORMULA_ITEMS) + 1;
    memset(items, 0, REFRAIN_FORMULA_ITEMS * sizeof *items);
    while (n < most) {
        bool runs = kind == 6 || kind == 7;
        if ((runs ? n % 3 == 0 : below(6) == 0) && n + 2 <= most) {
            items[n] =
                (struct refrain_item){.kind = REFRAIN_ITEM_LOOP,
                                      .span = 2,
                                      .base = runs ? below(kind == 6 ? 18 : 40) + 3 : below(below(4) ? 4 : 70) + 2};
            items[n + 1].stride[0] = runs ? 0 : below(3);
            n++;
        }
        items[n].span = 1;
        items[n++].base = draw(kind, width);
    }
    return n;
}

/* The values of terms that are values and runs; their number. */
static unsigned expand(const struct refrain_item *items, unsigned n_items, int64_t *values) {
    unsigned n = 0;
    for (unsigned i = 0; i < n_items; i += items[i].span) {
        bool loop = items[i].kind == REFRAIN_ITEM_LOOP;
        const struct refrain_item *value = &items[i + loop];
        for (int64_t turn = 0; turn < (loop ? items[i].base : 1); turn++)
            values[n++] = (int64_t)((uint64_t)value->base + (uint64_t)(value->stride[0] * turn));
    }
    return n;
}

/* True if these are the values of the terms, and also of the group as a term. */
static bool same(const struct refrain_item *items, unsigned n_items, const int64_t *values, unsigned n) {
    static int64_t expected[REFRAIN_FORMULA_ITEMS * 100], got[REFRAIN_GROUP_VALUES];
    static struct refrain_item term[REFRAIN_GROUP_ITEMS];
    if (expand(items, n_items, expected) != n || memcmp(expected, values, n * sizeof *values) != 0)
        return false;
    unsigned span = refrain_group_term(values, n, term);
    return term->kind == REFRAIN_ITEM_LOOP && term->span == span && term->base == 1 &&
           expand(term + 1, span - 1, got) == n && memcmp(expected, got, n * sizeof *got) == 0;
}

/* Fills a chunk with groups, and sets *filled to their bytes. False if a group is not read back. */
static bool fill(unsigned char *chunk, unsigned *filled) {
    static struct refrain_item items[REFRAIN_FORMULA_ITEMS];
    static int64_t values[REFRAIN_GROUP_VALUES], got[REFRAIN_GROUP_VALUES];
    static unsigned char out[REFRAIN_GROUP_BYTES];
    unsigned used = 0, kind = below(9), width = below(2) ? below(1000) : 12 + below(8);
    struct refrain_chunk_end end = {.chunk = chunk};
    for (unsigned tries = 0; tries < 200; tries++) {
        unsigned n_items = make_items(items, kind, width), moved, alone, taken, at = used;
        unsigned most = below(3) ? REFRAIN_GROUP_VALUES : below(REFRAIN_GROUP_VALUES) + 1;
        unsigned n = refrain_group_expand(items, n_items, most, values, &moved, &alone);
        if (n > most || moved > n_items || !same(items, moved, values, n)) {
            printf("FAILED: %u items are not what their %u values are\n", moved, n);
            return false;
        }
        if (n == 0)
            continue;
        end.used = used;
        end.room = CHUNK_BYTES - used;
        unsigned bytes = refrain_group_encode(values, n, below(2) ? alone : UINT32_MAX, &end, out, &taken);
        if (bytes > end.room && end.room > CHUNK_BYTES / 2) {
            printf("FAILED: %u bytes do not fit in %u\n", bytes, end.room);
            return false;
        }
        if (bytes > end.room)
            break;
        if (bytes == 0)
            continue;
        memcpy(chunk + used, out, bytes);
        used += bytes;
        if (refrain_group_decode(chunk, used, &at, got) != taken || taken > n || at != used ||
            memcmp(values, got, taken * sizeof *got) != 0) {
            printf("FAILED: a group of kind %#x, %u of %u values, does not read back\n", chunk[used - bytes], taken, n);
            return false;
        }
        groups++;
    }
    *filled = used;
    return true;
}

/* If a chunk has no room for all values, a group has as many values as fill it; these may all be equal. False if a
 * group is not read back, for any size of the room. */
static bool fill_ends(void) {
    static unsigned char chunk[CHUNK_BYTES], out[REFRAIN_GROUP_BYTES];
    static int64_t values[REFRAIN_GROUP_VALUES], got[REFRAIN_GROUP_VALUES];
    for (unsigned i = 0; i < REFRAIN_GROUP_VALUES; i++)
        values[i] = i < REFRAIN_GROUP_VALUES / 4 ? -1 : (int64_t)below(7);
    for (unsigned room = 0; room < CHUNK_BYTES / 8; room++) {
        unsigned used = CHUNK_BYTES / 4, at = used, taken;
        struct refrain_chunk_end end = {.chunk = chunk, .used = used, .room = room};
        unsigned bytes = refrain_group_encode(values, REFRAIN_GROUP_VALUES, UINT32_MAX, &end, out, &taken);
        if (bytes > room)
            continue;
        memcpy(chunk + used, out, bytes);
        if (refrain_group_decode(chunk, used + bytes, &at, got) != taken || at != used + bytes ||
            memcmp(values, got, taken * sizeof *got) != 0) {
            printf("FAILED: the first %u values in a room of %u bytes do not read back\n", taken, room);
            return false;
        }
        groups++;
    }
    return true;
}

static void damage(const unsigned char *chunk, unsigned used) {
    int64_t values[REFRAIN_GROUP_VALUES];
    unsigned end = below(used) + 1, at = below(end);
    unsigned char *copy = malloc(end);
    if (!copy)
        return;
    memcpy(copy, chunk, end);
    for (unsigned i = 0; i < 3; i++)
        copy[below(end)] = (unsigned char)random64();
    refrain_group_decode(copy, end, &at, values);
    free(copy);
}

int main(int argc, char **argv) {
    static unsigned char chunk[CHUNK_BYTES];
    unsigned long chunks = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000;
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 2654435761u + 88172645463325252u;
    if (!fill_ends())
        return 1;
    for (unsigned long i = 0; i < chunks; i++) {
        unsigned used;
        if (!fill(chunk, &used))
            return 1;
        for (unsigned k = 0; used > 0 && k < DAMAGED; k++)
            damage(chunk, used);
    }
    printf("%u groups read back\n", groups);
    return groups == 0;
}
