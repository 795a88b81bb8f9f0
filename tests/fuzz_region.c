/* fuzz_region.c: the reading side on nonsense. With -fsanitize=fuzzer a libFuzzer target whose input is a region file;
 * else: fuzz_region FILE SEED ROUNDS damages a real region file in ROUNDS ways and replays each. It must neither crash
 * nor hang; what it says about the damage does not matter. */
#include "../reconstruct/sequence.h"
#include "../reconstruct/walk_rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_RECORDS 20000

static unsigned long stopped, replayed;

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n) {
    const char *what;
    uint64_t offset;
    struct refrain_record record;
    if (n < REFRAIN_HEADER_BYTES)
        return 0;
    void *copy = aligned_alloc(16, (n + 15) & ~(size_t)15); /* exact size for the address sanitizer, aligned as a map */
    if (!copy)
        return 0;
    memcpy(copy, bytes, n);
    struct refrain_walk *walk = refrain_walk_open(copy, n, 0, &what, &offset);
    if (walk) {
        for (int i = 0; i < MOST_RECORDS && refrain_walk_next(walk, &record); i++)
            replayed++;
        what = refrain_walk_wrong(walk, &offset);
        refrain_walk_close(walk);
    }
    stopped += what != NULL;
    free(copy);
    return 0;
}

#ifndef REFRAIN_LIBFUZZER
static uint64_t state;

static uint64_t random_next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: fuzz_region FILE SEED ROUNDS\n");
        return 2;
    }
    FILE *file = fopen(argv[1], "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return perror(argv[1]), 2;
    size_t n = (size_t)ftell(file);
    unsigned char *bytes = malloc(n), *whole = malloc(n);
    rewind(file);
    if (!bytes || !whole || fread(whole, 1, n, file) != n)
        return perror(argv[1]), 2;
    fclose(file);
    state = strtoull(argv[2], NULL, 0) | 1;
    const struct refrain_header *header = (const void *)whole;
    size_t used = header->pool_used < n ? (size_t)header->pool_used : n;
    for (long round = atol(argv[3]); round > 0; round--) {
        memcpy(bytes, whole, n);
        for (unsigned i = 1 + (unsigned)(random_next() % 8); i > 0; i--) {
            size_t at = random_next() % used;
            switch (random_next() % 4) {
            case 0:
                bytes[at] ^= (unsigned char)(1u << random_next() % 8);
                break;
            case 1:
                bytes[at] = (unsigned char)random_next();
                break;
            case 2:
                memset(bytes + at, (int)(random_next() % 2) * 255, n - at < 64 ? n - at : random_next() % 64);
                break;
            default:
                memcpy(bytes + at / 8 * 8, whole + random_next() % (used / 8) * 8, 8);
            }
        }
        LLVMFuzzerTestOneInput(bytes, random_next() % 16 ? n : random_next() % n);
    }
    free(bytes);
    free(whole);
    printf("%lu records replayed, %lu damages found\n%s passed, 0 failed\n", replayed, stopped, argv[3]);
    return stopped == 0;
}
#endif
