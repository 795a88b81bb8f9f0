/* fuzz_trace.c: every layer that reads a trace on nonsense: opening, model, replay, translation, matching, windows, and
 * the formats that write files. Input: the bytes of a region, of which the first two, its mark's, say whether it is cut
 * in two for two ranks, and in which format it is written. Built with -fsanitize=fuzzer it is a libFuzzer target; else:
 * fuzz_trace FILE SEED ROUNDS damages a real region in ROUNDS ways. It must neither crash nor hang nor take unbounded
 * memory; what it says does not matter. */
#include "event.h"
#include "format.h"
#include "learners.h"
#include "read_image.h"
#include "sink.h"
#include "trace_read.h"
#include "waiting.h"
#include "write_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EVENTS 500
#define MOST_RANKS 4096

static unsigned long refused, damaged, given;

/* ---- what is done with a trace ---- */

static bool take_bytes(void *data, const void *bytes, size_t n) {
    uint64_t *sum = data;
    for (size_t i = 0; i < n; i++)
        *sum += ((const unsigned char *)bytes)[i];
    return true;
}

/* Gives some of the events to a writer, as refrain_write does. */
static void write_some(struct refrain_trace *trace, struct refrain_writer *writer) {
    struct refrain_cursor *cursor;
    const struct refrain_event *event;
    bool good = refrain_cursor_open(trace, NULL, &cursor, NULL) == REFRAIN_OK;
    good = good && (!writer->begin || writer->begin(writer, trace) == 0);
    for (int i = 0; good && i < MOST_EVENTS && (event = refrain_cursor_next(cursor)); i++)
        good = !writer->event || writer->event(writer, event) == 0;
    if (writer->end)
        writer->end(writer);
    damaged += refrain_cursor_close(cursor, NULL) != REFRAIN_OK;
}

static void go_back_and_forth(struct refrain_trace *trace) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    const struct refrain_event *event;
    int64_t last_ns = 0;
    options.checkpoint_bytes = (size_t)1 << 20;
    if (refrain_cursor_open(trace, &options, &cursor, NULL) != REFRAIN_OK)
        return;
    for (int i = 0; i < MOST_EVENTS && (event = refrain_cursor_next(cursor)); i++, given++)
        last_ns = event->time_ns;
    refrain_cursor_set_end(cursor, last_ns);
    if (refrain_cursor_seek(cursor, last_ns / 2, NULL) == REFRAIN_OK)
        for (int i = 0; i < MOST_EVENTS && refrain_cursor_next(cursor); i++)
            ;
    refrain_cursor_close(cursor, NULL);
}

/* `which`: the format that it is written in, besides text. */
static void use(struct refrain_trace *trace, size_t which) {
    uint64_t sum = 0;
    size_t n_formats = 0;
    for (size_t i = 0; i < trace->n_processes; i++)
        refrain_learners_check(&trace->processes[i], NULL);
    go_back_and_forth(trace);
    struct refrain_writer *text = refrain_write_text(refrain_sink_open_function(take_bytes, &sum), true, true, NULL);
    struct refrain_writer *with_waits = text ? refrain_waiting_writer(text, NULL) : NULL;
    if (with_waits)
        write_some(trace, with_waits);
    while (refrain_formats[n_formats])
        n_formats++;
    const struct refrain_format *format = refrain_formats[which % n_formats];
    struct refrain_format_request request = {.path = "/dev/null", .force = true, .all = true};
    struct refrain_writer *writer;
    if (!format->directory && format->open(&request, &writer, NULL) == REFRAIN_OK)
        write_some(trace, writer);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

/* What a chance change of the first bytes would only have refused is put right, so that chance gets further. */
int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n) {
    struct refrain_image images[2] = {{.name = "a"}, {.name = "b"}};
    struct refrain_trace *trace;
    size_t n_images = n > 0 && bytes[0] % 4 == 3 ? 2 : 1, room = n / n_images;
    void *copies[2] = {NULL, NULL};
    if (room < sizeof(struct refrain_header))
        return 0;
    for (size_t i = 0; i < n_images; i++) {
        copies[i] = aligned_alloc(16, (room + 15) & ~(size_t)15); /* of its size for the address sanitizer */
        if (!copies[i])
            abort();
        memcpy(copies[i], bytes + i * room, room);
        struct refrain_header *header = copies[i];
        memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
        header->version = REFRAIN_TRACE_VERSION;
        header->header_bytes = REFRAIN_HEADER_BYTES;
        header->rank %= MOST_RANKS; /* each rank without an image is named in every format */
        header->size %= MOST_RANKS;
        if (header->bytes < room)
            header->bytes = room;
        if (i == 1)
            header->rank = 1;
        images[i].bytes = copies[i];
        images[i].length = room;
    }
    if (refrain_trace_open_images(images, n_images, &trace, NULL) == REFRAIN_OK)
        use(trace, bytes[1]);
    else
        refused++;
    refrain_trace_close(trace);
    free(copies[0]);
    free(copies[1]);
    return 0;
}

#ifndef REFRAIN_LIBFUZZER
static uint64_t state;

static uint64_t draw(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return n ? (state >> 9) % n : 0;
}

static void damage(unsigned char *bytes, size_t n) {
    size_t at = (size_t)draw(n);
    switch (draw(5)) {
    case 0:
        bytes[at] ^= (unsigned char)(1u << draw(8));
        break;
    case 1:
        bytes[at] = (unsigned char)draw(256);
        break;
    case 2:
        memset(bytes + at, (int)draw(2) * 255, n - at < 64 ? n - at : (size_t)draw(64));
        break;
    case 3: /* another of its numbers */
        memcpy(bytes + at / 8 * 8, bytes + draw(n / 8) * 8, n - at / 8 * 8 < 8 ? 0 : 8);
        break;
    default: /* a little more or less */
        bytes[at] = (unsigned char)(bytes[at] + draw(5) - 2);
    }
}

int main(int argc, char **argv) {
    size_t n = 0;
    if (argc != 4)
        return fprintf(stderr, "usage: fuzz_trace FILE SEED ROUNDS\n"), 2;
    unsigned char *whole = read_image(argv[1], &n), *bytes = malloc(2 * n + 1);
    if (!whole || !bytes)
        return 2;
    const struct refrain_header *header = (const void *)whole;
    if (header->pool_used < n)
        n = (size_t)header->pool_used;
    state = strtoull(argv[2], NULL, 0) | 1;
    for (long round = atol(argv[3]); round > 0; round--) {
        bool two = draw(8) == 0;
        memcpy(bytes, whole, n);
        memcpy(bytes + n, whole, n);
        bytes[0] = two ? 3 : 0;
        bytes[1] = (unsigned char)draw(256);
        for (uint64_t i = 1 + draw(6); i > 0; i--)
            damage(bytes + 8, (two ? 2 * n : n) - 8);
        LLVMFuzzerTestOneInput(bytes, two ? 2 * n : draw(16) ? n : (size_t)draw(n));
    }
    free(whole);
    free(bytes);
    printf("%lu events given, %lu traces refused, %lu found damaged on the way\n%s passed, %d failed\n", given, refused,
           damaged, argv[3], given == 0);
    return given == 0;
}
#endif
