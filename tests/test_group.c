/* test_group.c: values without a rule in groups (include/refrain/group.h): what is written reads back value for value,
 * in a chunk of an archive that fills up with groups of all kinds, and damaged bytes are read without harm. Usage:
 * test_group [SEED [CHUNKS]] */
#include "learn_alone.h"
#include "learn_group.h"
#include <refrain/group.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 4080u
#define DAMAGED 8 /* copies of each chunk */

static uint64_t state;
static unsigned groups;

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
        if (below(6) == 0 && n + 2 <= most) {
            items[n] =
                (struct refrain_item){.kind = REFRAIN_ITEM_LOOP, .span = 2, .base = below(below(4) ? 4 : 70) + 2};
            items[n + 1].stride[0] = below(3);
            n++;
        }
        items[n].span = 1;
        items[n++].base = draw(kind, width);
    }
    return n;
}

/* Are the values those of the terms? */
static bool same(const struct refrain_item *items, unsigned n_items, const int64_t *values, unsigned n) {
    unsigned k = 0;
    for (unsigned i = 0; i < n_items; i += items[i].span) {
        bool loop = items[i].kind == REFRAIN_ITEM_LOOP;
        const struct refrain_item *value = &items[i + loop];
        for (int64_t turn = 0; turn < (loop ? items[i].base : 1); turn++)
            if (k == n || values[k++] != (int64_t)((uint64_t)value->base + (uint64_t)(value->stride[0] * turn)))
                return false;
    }
    return k == n;
}

/* A chunk filled with groups; its bytes, 0 where one does not read back. */
static unsigned fill(unsigned char *chunk) {
    static struct refrain_item items[REFRAIN_WINDOW_ITEMS];
    static unsigned char out[REFRAIN_WINDOW_ITEMS * REFRAIN_ITEM_ARCHIVE_BYTES];
    int64_t values[REFRAIN_GROUP_VALUES];
    unsigned used = 0, kind = below(6), width = below(2) ? below(1000) : 12 + below(8);
    struct refrain_group_place place = {.chunk = chunk};
    for (unsigned tries = 0; tries < 200; tries++) {
        unsigned n_items = make_items(items, kind, width), moved = 0, at = used;
        unsigned most = below(3) ? REFRAIN_GROUP_VALUES : below(REFRAIN_GROUP_VALUES) + 1;
        place.used = used;
        unsigned bytes = refrain_group_encode(items, n_items, most, &place, out, &moved);
        if (used + bytes > CHUNK_BYTES)
            break;
        if (bytes == 0)
            continue;
        memcpy(chunk + used, out, bytes);
        used += bytes;
        unsigned n = refrain_group_decode(chunk, used, &at, values);
        if (n == 0 || n > most || at != used || moved > n_items || !same(items, moved, values, n)) {
            printf("FAILED: a group of kind %#x, %u of at most %u values, does not read back\n", chunk[used - bytes], n,
                   most);
            return 0;
        }
        groups++;
    }
    return used;
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
    for (unsigned long i = 0; i < chunks; i++) {
        unsigned used = fill(chunk);
        if (used == 0 && groups > 0)
            return 1;
        for (unsigned k = 0; used > 0 && k < DAMAGED; k++)
            damage(chunk, used);
    }
    printf("%u groups read back\n", groups);
    return groups == 0;
}
