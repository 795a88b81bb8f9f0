/* test_damaged.c: damage made by hand, each in the smallest trace that shows it. Opening the trace reports the damage,
 * and takes no more memory than an undamaged trace. */
#define _GNU_SOURCE
#include "check.h"
#include "files/trace_files.h"
#include "model/trace_parts.h"
#include "packed/packed_file.h"
#include "packed/packed_image.h"
#include "packed/packed_ranks.h"
#include <refrain/time_page.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define MANY ((uint64_t)1 << 27)

/* True if the message contains the text. */
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
    _Alignas(REFRAIN_ALIGNMENT_BYTES) struct refrain_communicator communicator;
    _Alignas(REFRAIN_ALIGNMENT_BYTES) struct {
        uint32_t length;
        char text[12];
    } name;
    _Alignas(REFRAIN_ALIGNMENT_BYTES) struct {
        struct refrain_journal journal;
        struct refrain_formula formula;
        struct refrain_item items[2];
    } change;
    _Alignas(REFRAIN_ALIGNMENT_BYTES) struct refrain_timeline timeline;
    _Alignas(REFRAIN_ALIGNMENT_BYTES) struct refrain_time_page page;
} image;
#define OFFSET_OF(part) offsetof(__typeof__(image), part)
#define REFERENCE_OF(part) (uint32_t)(OFFSET_OF(part) / REFRAIN_ALIGNMENT_BYTES)

static void begin_image(void) {
    memset(&image, 0, sizeof image);
    image.header = (struct refrain_header){.magic = REFRAIN_MAGIC,
                                           .version = REFRAIN_TRACE_VERSION,
                                           .header_bytes = REFRAIN_HEADER_BYTES,
                                           .bytes = sizeof image,
                                           .pool_used = sizeof image,
                                           .mode = REFRAIN_MODE_STAT,
                                           .size = 2,
                                           .finished = 1,
                                           .n_threads = 1,
                                           .threads = OFFSET_OF(thread),
                                           .n_communicators = 3,
                                           .communicators = REFERENCE_OF(communicator),
                                           .start = {1000, 1000, 1000},
                                           .last = {2000, 2000, 2000}};
    image.thread = (struct refrain_thread){.start_ticks = 1000, .last_ticks = 2000, .started = 1};
    image.communicator = (struct refrain_communicator){.index = 2, .size = 2};
    image.name.length = 7;
    memcpy(image.name.text, "program", 8);
}

static enum refrain_status open_image(struct refrain_error *error) {
    struct refrain_image one = {.name = "made", .bytes = &image, .length = sizeof image};
    struct refrain_trace *trace;
    *error = (struct refrain_error){0};
    enum refrain_status status = refrain_trace_open_images(&one, 1, &trace, error);
    refrain_trace_close(trace);
    return status;
}

/* A communicator without a list of members must have all ranks, and no other group: a reader would read members that
 * are not there. */
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

/* The message contains the two lengths that contradict each other. */
static void more_in_use_than_there_is(void) {
    struct refrain_error error;
    char beyond[64];
    begin_image();
    image.header.pool_used = sizeof image + MANY;
    snprintf(beyond, sizeof beyond, "says %llu;", (unsigned long long)image.header.pool_used);
    CHECK(open_image(&error) != REFRAIN_OK && says(&error, beyond), "%s", error.message);
}

/* A journal restores a formula that lies over itself: how long it is goes by what was checked. */
static void journal_over_itself(void) {
    struct refrain_error error;
    begin_image();
    image.thread.journal = REFERENCE_OF(change);
    image.thread.root.next.changes = 1;
    image.change.journal = (struct refrain_journal){.learner = OFFSET_OF(thread.root.next),
                                                    .before = {.state = REFRAIN_BUILD, .body = REFERENCE_OF(change)},
                                                    .formula_bytes = sizeof image.change.formula};
    memset(&image.change.formula, 0x7f, sizeof image.change.formula);
    CHECK(open_image(&error) != REFRAIN_OK, "it is opened");
}

/* Opens it as the file of a process that runs, or was killed. */
static enum refrain_status open_file(struct refrain_error *error) {
    char path[] = "/tmp/test_damaged-XXXXXX.trace";
    struct refrain_trace *trace = NULL;
    int fd = mkstemps(path, 6);
    image.header.finished = 0;
    enum refrain_status status = REFRAIN_ERROR;
    *error = (struct refrain_error){0};
    if (fd >= 0 && write(fd, &image, sizeof image) == (ssize_t)sizeof image)
        status = refrain_trace_open(path, false, &trace, error);
    refrain_trace_close(trace);
    close(fd);
    unlink(path);
    return status;
}

/* Pages of times are copied one after the other: the list ends. */
static void page_after_itself(void) {
    struct refrain_error error;
    begin_image();
    image.thread.timeline = REFERENCE_OF(timeline);
    image.timeline = (struct refrain_timeline){.first = REFERENCE_OF(page), .pages = 1, .most_pages = 8};
    image.page = (struct refrain_time_page){.next = REFERENCE_OF(page), .entries = {1, 1, 1}};
    CHECK(open_file(&error) == REFRAIN_OK, "%s", error.message);
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

/* A number promises further values, and there are none. */
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

/* ---- files of one rank ---- */

/* Codes the image above, but for the length of a name. */
struct forger {
    struct refrain_packed_coder structure, times;
    bool done;
};

static void put(struct forger *forger, enum refrain_packed_kind kind, uint64_t value) {
    refrain_packed_code_value(refrain_packed_is_time(kind) ? &forger->times : &forger->structure, kind, &value);
}

static void forge_value(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value) {
    struct forger *forger = stream->data;
    bool here = !forger->done && kind == REFRAIN_PACKED_NAME_LENGTH;
    forger->done |= here;
    put(forger, kind, here ? UINT64_MAX - sizeof(uint32_t) : *value);
}

static void forge_bytes(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n) {
    static unsigned char many[8192];
    struct forger *forger = stream->data;
    bool name = kind == REFRAIN_PACKED_NAME;
    refrain_packed_code_bytes(&forger->structure, kind, name ? many : bytes, name ? sizeof many : n);
}

/* Opens a packed file with a forged length of a name. Its header asks for an image of `image_bytes` bytes. */
static void open_forged(uint64_t image_bytes, struct refrain_error *error) {
    _Alignas(16) static unsigned char file[65536], times[4096];
    struct refrain_packed_header *header = (void *)file;
    struct forger forger = {0};
    struct refrain_packed_stream stream = {.data = &forger, .value = forge_value, .bytes = forge_bytes};
    begin_image();
    image.header.executable = REFERENCE_OF(name);
    refrain_packed_models_begin(&models);
    refrain_packed_coder_open(&forger.structure, &models, file + sizeof *header, sizeof file - sizeof times, false);
    refrain_packed_coder_open(&forger.times, &models, times, sizeof times, false);
    CHECK(refrain_packed_write(&image, sizeof image, &stream) > 0 && forger.done, "%s", stream.wrong);
    *header = (struct refrain_packed_header){.version = REFRAIN_TRACE_VERSION,
                                             .header_bytes = sizeof *header,
                                             .image_bytes = image_bytes,
                                             .structure_bytes = refrain_packed_coder_close(&forger.structure),
                                             .times_bytes = refrain_packed_coder_close(&forger.times)};
    memcpy(header->magic, REFRAIN_PACKED_MAGIC, sizeof header->magic);
    memcpy(file + sizeof *header + header->structure_bytes, times, (size_t)header->times_bytes);
    size_t length = (size_t)(header->structure_bytes + header->times_bytes);
    header->checksum = refrain_packed_checksum(file + sizeof *header, length);
    struct refrain_image one = {.name = "forged", .bytes = file, .length = sizeof *header + length};
    struct refrain_trace *trace;
    *error = (struct refrain_error){0};
    CHECK(refrain_trace_open_images(&one, 1, &trace, error) != REFRAIN_OK, "a forged file is opened");
    refrain_trace_close(trace);
}

/* With what lies before it the length would be that of a record without a name. */
static void name_longer_than_the_image(void) {
    struct refrain_error error;
    open_forged(4096, &error);
    CHECK(says(&error, "damaged: a number is larger than any can be"), "%s", error.message);
}

int main(void) {
#ifndef __SANITIZE_ADDRESS__ /* which takes address space of its own */
    struct rlimit limit = {(rlim_t)64 << 20, (rlim_t)64 << 20};
    setrlimit(RLIMIT_AS, &limit);
#endif
    members_without_a_list();
    more_in_use_than_there_is();
    journal_over_itself();
    alarm(60);
    page_after_itself();
    alarm(0);
    structure_that_ends_early();
    name_longer_than_the_image();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
