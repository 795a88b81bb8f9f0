/* test_damaged.c: damage made by hand, each in the smallest trace that shows it: opening says what is wrong with it, in
 * the memory that the trace itself would take. */
#include "check.h"
#include "packed_file.h"
#include "packed_ranks.h"
#include "trace_parts.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define MANY ((uint64_t)1 << 27)

/* Does the message say so? */
static bool says(const struct refrain_error *error, const char *what) {
    return strstr(error->message, what) != NULL;
}

/* ---- images ---- */

static struct {
    union {
        struct refrain_header header;
        unsigned char bytes[REFRAIN_HEADER_BYTES];
    };
    struct refrain_thread thread;
    _Alignas(REFRAIN_GRAIN_BYTES) struct refrain_communicator communicator;
} image;

static void begin_image(void) {
    memset(&image, 0, sizeof image);
    image.header =
        (struct refrain_header){.magic = REFRAIN_MAGIC,
                                .version = REFRAIN_TRACE_VERSION,
                                .header_bytes = REFRAIN_HEADER_BYTES,
                                .bytes = sizeof image,
                                .pool_used = sizeof image,
                                .mode = REFRAIN_MODE_STAT,
                                .size = 2,
                                .finished = 1,
                                .n_threads = 1,
                                .threads = offsetof(__typeof__(image), thread),
                                .n_communicators = 3,
                                .communicators = offsetof(__typeof__(image), communicator) / REFRAIN_GRAIN_BYTES,
                                .start = {1000, 1000, 1000},
                                .last = {2000, 2000, 2000}};
    image.thread = (struct refrain_thread){.start_ticks = 1000, .last_ticks = 2000, .started = 1};
    image.communicator = (struct refrain_communicator){.index = 2, .size = 2};
}

static enum refrain_status open_image(struct refrain_error *error) {
    struct refrain_image one = {.name = "made", .bytes = &image, .length = sizeof image};
    struct refrain_trace *trace;
    *error = (struct refrain_error){0};
    enum refrain_status status = refrain_trace_open_images(&one, 1, &trace, error);
    refrain_trace_close(trace);
    return status;
}

/* Only all ranks in their order need no list: what reads the other group's members would read nothing. */
static void members_without_a_list(void) {
    struct refrain_error error;
    begin_image();
    CHECK(open_image(&error) == REFRAIN_OK, "%s", error.message);
    image.communicator.remote_size = 2;
    CHECK(open_image(&error) != REFRAIN_OK && says(&error, "without the list of its members"), "two groups: %s",
          error.message);
    image.communicator.remote_size = 0;
    image.communicator.size = 3;
    CHECK(open_image(&error) != REFRAIN_OK && says(&error, "without the list of its members"), "three of two: %s",
          error.message);
}

/* The message tells the two lengths that contradict each other. */
static void more_in_use_than_there_is(void) {
    struct refrain_error error;
    char beyond[64];
    begin_image();
    image.header.pool_used = sizeof image + MANY;
    snprintf(beyond, sizeof beyond, "says %llu;", (unsigned long long)image.header.pool_used);
    CHECK(open_image(&error) != REFRAIN_OK && says(&error, beyond), "%s", error.message);
}

/* ---- packs ---- */

static struct refrain_packed_models models;

/* Opens a pack of one rank whose structure consists of these numbers and ends there. */
static enum refrain_status open_pack(const enum refrain_packed_kind *kinds, const uint64_t *numbers, size_t n,
                                     struct refrain_error *error) {
    _Alignas(16) static unsigned char file[4096];
    struct refrain_ranks_header *header = (void *)file;
    size_t head = sizeof *header + sizeof(struct refrain_ranks_index);
    struct refrain_packed_coder coder;
    memset(file, 0, sizeof file);
    refrain_packed_models_begin(&models);
    refrain_packed_coder_open(&coder, &models, file + head, sizeof file - head, false);
    for (size_t i = 0; i < n; i++) {
        uint64_t value = numbers[i];
        refrain_packed_code_value(&coder, kinds[i], &value);
    }
    *header = (struct refrain_ranks_header){.magic = REFRAIN_RANKS_MAGIC,
                                            .version = REFRAIN_TRACE_VERSION,
                                            .header_bytes = sizeof *header,
                                            .n_ranks = 1,
                                            .structure_bytes = refrain_packed_coder_close(&coder),
                                            .rows_bytes = REFRAIN_HEADER_BYTES};
    header->checksum =
        refrain_packed_checksum(file + sizeof *header, head - sizeof *header + (size_t)header->structure_bytes);
    struct refrain_trace *trace = refrain_trace_make("pack");
    if (!trace)
        exit(2);
    *error = (struct refrain_error){0};
    enum refrain_status status =
        refrain_ranks_unpack(trace, "pack", file, head + (size_t)header->structure_bytes, error);
    refrain_trace_close(trace);
    return status;
}

/* A number says how much follows, and nothing does. */
static void structure_that_ends_early(void) {
    static const enum refrain_packed_kind texts[] = {REFRAIN_PACKED_COUNT_OF},
                                          text[] = {REFRAIN_PACKED_COUNT_OF, REFRAIN_PACKED_NAME_LENGTH},
                                          records[] = {REFRAIN_PACKED_COUNT_OF, REFRAIN_PACKED_COUNT_OF},
                                          values[] = {REFRAIN_PACKED_COUNT_OF, REFRAIN_PACKED_COUNT_OF,
                                                      REFRAIN_PACKED_COUNT_OF, REFRAIN_PACKED_HAS,
                                                      REFRAIN_PACKED_USED,     REFRAIN_PACKED_ITEMS};
    const struct {
        const char *of;
        const enum refrain_packed_kind *kinds;
        size_t n;
        uint64_t numbers[6];
    } ends[] = {{"texts", texts, 1, {MANY}},
                {"the bytes of a text", text, 2, {1, MANY}},
                {"records", records, 2, {0, MANY}},
                {"the values of a class", values, 6, {0, 1, 0, REFRAIN_ROW_SAME, 1, MANY}}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct refrain_error error;
        enum refrain_status status = open_pack(ends[i].kinds, ends[i].numbers, ends[i].n, &error);
        CHECK(status != REFRAIN_OK && says(&error, "damaged: the structure"), "%s: %s", ends[i].of, error.message);
    }
}

int main(void) {
#ifndef __SANITIZE_ADDRESS__ /* which takes address space of its own */
    struct rlimit limit = {(rlim_t)64 << 20, (rlim_t)64 << 20};
    setrlimit(RLIMIT_AS, &limit);
#endif
    members_without_a_list();
    more_in_use_than_there_is();
    structure_that_ends_early();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
