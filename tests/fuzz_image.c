/* fuzz_image.c: fuzzes the replay of a trace file. Built with -fsanitize=fuzzer it is a libFuzzer target whose input is
 * a trace file. Otherwise: fuzz_image FILE SEED ROUNDS damages a trace file in ROUNDS ways, and replays each. It must
 * neither crash nor hang. The messages do not matter. First it reads images made by hand that once kept a reader busy
 * for ever, and checks that their damage is found. */
#include "read_image.h"
#include "sequence/sequence.h"
#include "walk/walk_rank.h"

#include <refrain/unit.h>

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

/* ---- made by hand: small counts that stand for more than any run can do ---- */

#define MANY ((uint64_t)1 << 60)

struct small_image {
    union {
        struct refrain_header header;
        unsigned char bytes[REFRAIN_HEADER_BYTES];
    };
    struct refrain_thread thread;
    struct refrain_unit_record unit;
    struct refrain_node nodes[2];
    struct refrain_slot slots[3];
};

/* One place of that kind; the root goes there `times` times, and each time `next` is what comes next. */
static struct small_image *small_image(unsigned kind, uint64_t times, int64_t next) {
    struct small_image *image = aligned_alloc(16, (sizeof *image + 15) / 16 * 16);
    if (!image)
        exit(2);
    memset(image, 0, (sizeof *image + 15) / 16 * 16);
    image->header = (struct refrain_header){.magic = REFRAIN_MAGIC,
                                            .version = REFRAIN_TRACE_VERSION,
                                            .header_bytes = REFRAIN_HEADER_BYTES,
                                            .bytes = sizeof *image,
                                            .pool_used = sizeof *image,
                                            .mode = REFRAIN_MODE_STAT,
                                            .size = 1,
                                            .finished = 1,
                                            .n_threads = 1,
                                            .threads = offsetof(struct small_image, thread),
                                            .units = offsetof(struct small_image, unit),
                                            .n_slots = 3,
                                            .start = {1000, 1000, 1000},
                                            .last = {2000, 2000, 2000}};
    image->thread = (struct refrain_thread){.start_ticks = 1000, .last_ticks = 2000, .started = 1};
    image->thread.root.next = (struct refrain_learner){.state = REFRAIN_IDENTITY, .confirmed = times};
    image->unit = (struct refrain_unit_record){.nodes = offsetof(struct small_image, nodes),
                                               .slots = offsetof(struct small_image, slots),
                                               .n_nodes = 2,
                                               .n_slots = 3};
    image->nodes[0].slot = REFRAIN_NO_SLOT;
    image->nodes[1].kind = kind;
    for (unsigned i = 0; i < 3; i++)
        image->slots[i].number = i;
    for (unsigned i = 0; i < 3; i++)
        image->slots[i].next = (struct refrain_learner){.state = REFRAIN_IDENTITY, .confirmed = MANY, .expect = next};
    return image;
}

/* As small_image(), in a run with a very long duration in which nothing happened. */
static struct small_image *long_image(unsigned kind, uint64_t times, int64_t next) {
    struct small_image *image = small_image(kind, times, next);
    image->thread.last_ticks = MANY;
    image->header.last = (struct refrain_clock_pair){MANY, MANY, MANY};
    return image;
}

/* The same of a process that was killed: how long it ran after its last clock read is not known. */
static struct small_image *killed_image(unsigned kind, uint64_t times, int64_t next) {
    struct small_image *image = small_image(kind, times, next);
    image->header.finished = 0;
    return image;
}

/* True if the walk stops since the image is damaged. */
static bool is_stopped(struct small_image *image) {
    const char *what;
    uint64_t offset = 0;
    struct refrain_record record;
    struct refrain_walk *walk = refrain_walk_open(image, sizeof *image, 0, &what, &offset);
    if (walk) {
        while (refrain_walk_next(walk, &record))
            ;
        what = refrain_walk_wrong(walk, &offset);
        refrain_walk_close(walk);
    }
    free(image);
    return what && offset >= REFRAIN_HEADER_BYTES;
}

static unsigned made_by_hand(void) {
    unsigned failed = 0;
    struct {
        const char *name;
        struct small_image *image;
    } endless[] = {
        {"a place that comes after itself", small_image(REFRAIN_SWITCH, 1, 0)},
        {"a decision that comes after itself", small_image(REFRAIN_IF, 1, 0)},
        {"a loop that comes after itself", small_image(REFRAIN_FOR, 1, 0)},
        {"an empty function called over and over", small_image(REFRAIN_FUNCTION, MANY, REFRAIN_NEXT_EXIT)},
        {"a place that comes after itself for ages", long_image(REFRAIN_SWITCH, 1, 0)},
        {"a loop that comes after itself for ages", long_image(REFRAIN_FOR, 1, 0)},
        {"a place that comes after itself until the process is killed", killed_image(REFRAIN_SWITCH, 1, 0)},
        {"a loop that comes after itself until the process is killed", killed_image(REFRAIN_FOR, 1, 0)},
        {"an empty function called until the process is killed",
         killed_image(REFRAIN_FUNCTION, MANY, REFRAIN_NEXT_EXIT)},
        {"an empty function called for ages", long_image(REFRAIN_FUNCTION, MANY, REFRAIN_NEXT_EXIT)},
    };
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++)
        if (!is_stopped(endless[i].image)) {
            printf("FAILED: %s: not found to be damaged\n", endless[i].name);
            failed++;
        }
    return failed;
}

/* A damaged packed file with a correct checksum. Unpacking must stay within the sizes of the header. The image may then
 * have any damage. */
static void damage_packed(const char *path, long rounds) {
    size_t n = 0, image_bytes = 0;
    unsigned char *whole = read_file(path, &n), *bytes = malloc(n + 1);
    for (; whole && bytes && refrain_packed_is_file(whole, n) && rounds > 0; rounds--) {
        memcpy(bytes, whole, n);
        for (unsigned i = 1 + (unsigned)(random_next() % 3); i > 0; i--)
            bytes[sizeof(struct refrain_packed_header) + random_next() % (n - sizeof(struct refrain_packed_header))] ^=
                (unsigned char)(1u << random_next() % 8);
        unsigned char *image = unpack(bytes, n, &image_bytes);
        if (image)
            LLVMFuzzerTestOneInput(image, image_bytes);
        free(image);
    }
    free(whole);
    free(bytes);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: fuzz_image FILE SEED ROUNDS\n");
        return 2;
    }
    size_t n = 0;
    unsigned char *whole = read_image(argv[1], &n), *bytes = malloc(n + 1);
    if (!bytes || !whole)
        return 2;
    unsigned failed = made_by_hand();
    state = strtoull(argv[2], NULL, 0) | 1;
    damage_packed(argv[1], atol(argv[3]) / 64);
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
    failed += stopped == 0;
    printf("%lu records replayed, %lu damages found\n%s passed, %u failed\n", replayed, stopped, argv[3], failed);
    return failed != 0;
}
#endif
