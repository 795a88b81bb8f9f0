/* test_group.c: values without a rule in groups (include/refrain/group.h): what is written reads back value for value,
 * in a chunk of an archive that fills up with groups of all kinds, and damaged bytes are read without harm. Usage:
 * test_group [SEED [CHUNKS]] */
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
    case 1: /* so many bits, from another value than 0 on */
        return 1000 + (int64_t)(random64() >> (63 - width % 63));
    case 2:
        return (int64_t)1 << below(width % 62 + 1);
    case 3:
        return below(width % 20 + 1) ? 0 : (int64_t)random64();
    case 6: /* long runs of 0 between others */
        return (int64_t)(n_drawn++ % 2);
    case 7: /* longer ones between values that come so seldom that they have no part of a table */
        return n_drawn++ % 2 ? (int64_t)below(16) + 1 : 0;
    case 4:
        return below(2) ? INT64_MAX - below(3) : INT64_MIN + below(3);
    default:
        return (int64_t)below(width % 300 + 1) - 100;
    }
}

/* Terms: values, and runs of a value or of values in equal steps. */
static unsigned make_items(struct refrain_item *items, unsigned kind, unsigned width) {
    unsigned n = 0, most = below(REFRAIN_WINDOW_ITEMS) + 1;
    memset(items, 0, REFRAIN_WINDOW_ITEMS * sizeof *items);
    while (n < most) {
        bool runs = kind >= 6;
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

/* Are the values of the group those of the terms? */
static bool same(const struct refrain_item *items, unsigned n_items, const struct refrain_item *group, unsigned span) {
    static int64_t expected[REFRAIN_WINDOW_ITEMS * 100], got[REFRAIN_WINDOW_ITEMS * 100];
    unsigned n = expand(items, n_items, expected);
    return group->kind == REFRAIN_ITEM_LOOP && group->span == span && group->base == 1 &&
           expand(group + 1, span - 1, got) == n && memcmp(expected, got, n * sizeof *got) == 0;
}

/* Fills a chunk with groups and sets *filled to their bytes; false where one does not read back. */
static bool fill(unsigned char *chunk, unsigned *filled) {
    static struct refrain_item items[REFRAIN_WINDOW_ITEMS], group[REFRAIN_GROUP_ITEMS];
    static struct refrain_learn_scratch scratch;
    unsigned used = 0, kind = below(8), width = below(2) ? below(1000) : 12 + below(8);
    struct refrain_group_place place = {.chunk = chunk};
    for (unsigned tries = 0; tries < 200; tries++) {
        unsigned n_items = make_items(items, kind, width), moved = 0, at = used;
        unsigned most = below(3) ? REFRAIN_GROUP_ITEMS : below(REFRAIN_GROUP_ITEMS - 1) + 2;
        place.used = used;
        unsigned bytes = refrain_group_encode(items, n_items, most, &place, &scratch, &moved);
        if (used + bytes > CHUNK_BYTES)
            break;
        if (bytes == 0)
            continue;
        memcpy(chunk + used, scratch.bytes, bytes);
        used += bytes;
        unsigned n = refrain_group_decode(chunk, used, &at, group);
        if (n == 0 || n > most || at != used || moved > n_items || !same(items, moved, group, n)) {
            printf("FAILED: a group of kind %#x, %u of at most %u items, does not read back\n", chunk[used - bytes], n,
                   most);
            return false;
        }
        groups++;
    }
    *filled = used;
    return true;
}

static void damage(const unsigned char *chunk, unsigned used) {
    struct refrain_item group[REFRAIN_GROUP_ITEMS];
    unsigned end = below(used) + 1, at = below(end);
    unsigned char *copy = malloc(end);
    if (!copy)
        return;
    memcpy(copy, chunk, end);
    for (unsigned i = 0; i < 3; i++)
        copy[below(end)] = (unsigned char)random64();
    refrain_group_decode(copy, end, &at, group);
    free(copy);
}

int main(int argc, char **argv) {
    static unsigned char chunk[CHUNK_BYTES];
    unsigned long chunks = argc > 2 ? strtoul(argv[2], NULL, 0) : 1000;
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 2654435761u + 88172645463325252u;
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
