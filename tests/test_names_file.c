/* test_names_file.c: names of code addresses are read as they were written. Damaged bytes are reported, and no byte
 * beyond the file is read: each length and number is set to extremes, with a correct checksum. */
#include "check.h"
#include "files/names_file.h"
#include "model/trace_parts.h"
#include "packed/packed_file.h"
#include <refrain/varint.h>

#include <stdlib.h>
#include <string.h>

static struct refrain_trace *trace;

static struct refrain_names example(void) {
    static struct refrain_names_frame inlined[] = {{"sum", "library.c", 2}, {"library", "library.c", 4}},
                                      symbol[] = {{"deep::send(long)+0x12", "", 0}};
    static struct refrain_names_address first[] =
        {{.address = 0x10, .is_tried = true, .n_frames = 2, .frames = inlined},
         {.address = 0x20},
         {.address = UINT64_MAX, .is_function = true, .is_tried = true}},
                                        second[] = {{.address = 7, .is_tried = true, .n_frames = 1, .frames = symbol}};
    static struct refrain_names_code codes[] = {
        {.path = "/usr/bin/a",
         .build_id = "00ff",
         .asked_s = 5,
         .level = REFRAIN_NAMES_LINES,
         .addresses = first,
         .n = 3},
        {.path = "b", .build_id = "", .file_bytes = 1, .changed_ns = UINT64_MAX, .addresses = second, .n = 1}};
    return (struct refrain_names){codes, 2};
}

static void test_round_trip(void) {
    struct refrain_names names = example(), found;
    size_t n, again;
    const unsigned char *bytes = refrain_names_write(trace, &names, &n);
    CHECK(bytes && !refrain_names_read(trace, &found, bytes, n), "cannot be written and read");
    CHECK(found.n == 2 && found.codes[0].n == 2 && found.codes[1].n == 1,
          "what was not looked up is stored"); /* names that were not looked up are not stored */
    CHECK(strcmp(found.codes[0].path, "/usr/bin/a") == 0 && strcmp(found.codes[0].build_id, "00ff") == 0,
          "path and build id");
    CHECK(found.codes[0].asked_s == 5 && found.codes[0].level == REFRAIN_NAMES_LINES, "when it was asked, and level");
    CHECK(found.codes[1].file_bytes == 1 && found.codes[1].changed_ns == UINT64_MAX && !*found.codes[1].build_id,
          "the file without a build id");
    const struct refrain_names_address *address = found.codes[0].addresses;
    CHECK(address[0].address == 0x10 && address[0].n_frames == 2 && address[0].is_tried && !address[0].is_function,
          "the first address");
    CHECK(strcmp(address[0].frames[1].function, "library") == 0 && address[0].frames[1].line == 4, "its outer frame");
    CHECK(address[1].address == UINT64_MAX && address[1].is_function && address[1].n_frames == 0, "the last address");
    CHECK(strcmp(found.codes[1].addresses[0].frames[0].function, "deep::send(long)+0x12") == 0, "a symbol");
    const unsigned char *same = refrain_names_write(trace, &found, &again);
    CHECK(same && again == n && memcmp(same, bytes, n) == 0, "written again it is another");
}

/* Reads a copy that ends where its memory does, with a checksum that is right. Null, or what is wrong. */
static const char *read_copy(const unsigned char *bytes, size_t n) {
    struct refrain_names_header header;
    struct refrain_names found;
    unsigned char *copy = malloc(n);
    memcpy(copy, bytes, n);
    memcpy(&header, copy, sizeof header);
    header.bytes = n - sizeof header;
    header.checksum = refrain_packed_checksum(copy + sizeof header, n - sizeof header);
    memcpy(copy, &header, sizeof header);
    const char *wrong = refrain_names_read(trace, &found, copy, n);
    CHECK(!wrong || found.n == 0, "a table beside an error");
    for (size_t i = 0; i < found.n; i++)
        for (size_t k = 0; k < found.codes[i].n; k++)
            for (unsigned f = 0; f < found.codes[i].addresses[k].n_frames; f++)
                CHECK(strlen(found.codes[i].addresses[k].frames[f].function) < n, "a frame is longer than all");
    free(copy);
    return wrong;
}

static void test_cut(const unsigned char *bytes, size_t n) {
    struct refrain_names found;
    for (size_t cut = 0; cut < n; cut++) {
        unsigned char *copy = malloc(cut + 1);
        memcpy(copy, bytes, cut);
        CHECK(refrain_names_read(trace, &found, copy, cut) && found.n == 0, "cut off after %zu bytes", cut);
        free(copy);
        if (cut >= sizeof(struct refrain_names_header))
            CHECK(read_copy(bytes, cut), "cut off after %zu bytes, its header right", cut);
    }
    unsigned char *damaged = malloc(n);
    for (size_t at = 0; at < n; at++) {
        memcpy(damaged, bytes, n);
        damaged[at] ^= 1;
        CHECK(refrain_names_read(trace, &found, damaged, n) && found.n == 0, "byte %zu differs", at);
    }
    free(damaged);
}

/* Puts an extreme number at each position where a number may begin, before the remaining bytes or at the end. */
static void test_extremes(const unsigned char *bytes, size_t n) {
    const uint64_t extremes[] = {0,         1, 2, 127, 128, UINT32_MAX, (uint64_t)1 << 32, INT64_MAX, UINT64_MAX - 5,
                                 UINT64_MAX};
    unsigned char *changed = malloc(n + REFRAIN_VARINT_BYTES);
    size_t refused = 0, tried = 0;
    for (size_t at = sizeof(struct refrain_names_header); at < n; at++)
        for (size_t i = 0; i < sizeof extremes / sizeof *extremes; i++) {
            memcpy(changed, bytes, at);
            size_t put = refrain_varint_put(changed + at, extremes[i]);
            memcpy(changed + at + put, bytes + at + 1, n - at - 1);
            refused += read_copy(changed, n - 1 + put) != NULL;
            refused += read_copy(changed, at + put) != NULL;
            tried += 2;
        }
    CHECK(refused > tried / 2 && refused < tried, "%zu of %zu refused", refused, tried);
    free(changed);
}

int main(void) {
    trace = refrain_trace_make("test");
    size_t n;
    struct refrain_names names = example();
    const unsigned char *bytes = refrain_names_write(trace, &names, &n);
    test_round_trip();
    test_cut(bytes, n);
    test_extremes(bytes, n);
    refrain_trace_close(trace);
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0;
}
