/* fuzz_trace.c: fuzzes the layers that read a trace, each alone or one after the other:
 *
 *     open      an image: header, tree, units, communicators, clocks, and each learner
 *     walk      the replay of each thread, without the rest of the trace
 *     match     translation, matching and merging
 *     window    a cursor that goes back, by its checkpoints
 *     recorded  events of an event file
 *     live      the copy of a running process's image is made consistent
 *     text      the text format with waits
 *     formats   one of the other formats that are a file
 *     import    lines of the text format become a trace
 *
 * The input is what the layer reads. The first two bytes of an image, which are its magic number, also say whether the
 * input is divided into the images of two ranks, and which format is written. The bytes behind the image are an event
 * file. Built with -fsanitize=fuzzer it is a libFuzzer target for the layer REFRAIN_FUZZ_LAYER. Otherwise: fuzz_trace
 * FILE SEED ROUNDS damages a real image in ROUNDS ways, for all layers that read an image. It must neither crash nor
 * hang nor take unbounded memory. The messages do not matter. */
#include "analysis/waiting.h"
#include "files/live_timeline.h"
#include "formats/format.h"
#include "formats/sink.h"
#include "formats/write_text.h"
#include "match/event.h"
#include "model/learners.h"
#include "model/trace_parts.h"
#include "read_image.h"
#include "walk/walk_rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef REFRAIN_LIBFUZZER
#include "import/import_source.h"

#include <dirent.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#define MOST_EVENTS 500
#define MOST_RANKS 4096
#define MOST_THREADS 4

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
    for (int i = 0; good && i < MOST_EVENTS && (event = refrain_cursor_step(cursor)); i++)
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
    for (int i = 0; i < MOST_EVENTS && (event = refrain_cursor_step(cursor)); i++, given++)
        last_ns = event->time_ns;
    refrain_cursor_set_end(cursor, last_ns);
    if (refrain_cursor_seek(cursor, last_ns / 2, NULL) == REFRAIN_OK)
        for (int i = 0; i < MOST_EVENTS && refrain_cursor_next(cursor); i++)
            ;
    refrain_cursor_close(cursor, NULL);
}

static void write_text(struct refrain_trace *trace) {
    uint64_t sum = 0;
    struct refrain_writer *text = refrain_write_text(refrain_sink_open_function(take_bytes, &sum), true, true, NULL);
    struct refrain_writer *with_waits = text ? refrain_waiting_writer(text, NULL) : NULL;
    if (with_waits)
        write_some(trace, with_waits);
}

/* `which`: of the formats. */
static void write_format(struct refrain_trace *trace, size_t which) {
    size_t n_formats = 0;
    while (refrain_formats[n_formats])
        n_formats++;
    const struct refrain_format *format = refrain_formats[which % n_formats];
    struct refrain_format_request request = {.path = "/dev/null", .force = true, .all = true};
    struct refrain_writer *writer;
    if (!format->directory && refrain_format_open(format, &request, &writer, NULL) == REFRAIN_OK)
        write_some(trace, writer);
}

static void look_at_learners(struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_processes; i++)
        refrain_learners_check(&trace->processes[i], NULL);
}

static void walk_threads(struct refrain_trace *trace) {
    struct refrain_record record;
    for (size_t i = 0; i < trace->n_processes; i++)
        for (unsigned thread = 0; thread < trace->processes[i].header->n_threads && thread < MOST_THREADS; thread++) {
            const char *what;
            uint64_t offset;
            struct refrain_walk *walk =
                refrain_walk_open(trace->processes[i].image, trace->processes[i].image_bytes, thread, &what, &offset);
            for (int n = 0; walk && n < MOST_EVENTS && refrain_walk_next(walk, &record); n++)
                given++;
            refrain_walk_close(walk);
        }
}

static void match_events(struct refrain_trace *trace, bool recorded) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    options.recorded = recorded;
    if (refrain_cursor_open(trace, &options, &cursor, NULL) != REFRAIN_OK)
        return;
    for (int i = 0; i < MOST_EVENTS && refrain_cursor_next(cursor); i++)
        given++;
    damaged += refrain_cursor_close(cursor, NULL) != REFRAIN_OK;
}

/* ---- layers ---- */

enum layer { OPEN, WALK, MATCH, WINDOW, RECORDED, LIVE, TEXT, FORMATS, IMPORT, LAYERS };
#define IMAGE_LAYERS IMPORT /* those before it read a region */
#ifdef REFRAIN_LIBFUZZER
static const char *const layer_names[LAYERS] = {"open", "walk", "match",   "window", "recorded",
                                                "live", "text", "formats", "import"};
#endif

static void use(struct refrain_trace *trace, enum layer layer, size_t which) {
    switch (layer) {
    case WALK:
        return walk_threads(trace);
    case MATCH:
        return match_events(trace, false);
    case WINDOW:
        return go_back_and_forth(trace);
    case RECORDED:
        return match_events(trace, true);
    case TEXT:
        return write_text(trace);
    case FORMATS:
        return write_format(trace, which);
    default:
        return look_at_learners(trace);
    }
}

/* A copy of its size, for the address sanitizer. */
static void *copy_of(const void *bytes, size_t n) {
    void *copy = aligned_alloc(16, (n + 15) & ~(size_t)15);
    if (!copy)
        abort();
    return memcpy(copy, bytes, n);
}

/* As for a process that is still running, but whose file does not change. */
static void make_whole(struct refrain_header *header, size_t n) {
    struct refrain_process process = {
        .path = "live", .mapped = header, .image = (void *)header, .image_bytes = n, .header = header};
    header->finished = 0;
    void *file = copy_of(header, n);
    if (refrain_image_check("live", header, n, NULL) == REFRAIN_OK)
        refrain_process_settle(&process, file);
    free(file);
}

/* Corrects fields whose random values would be refused at once, so that the reader gets further. */
static void read_region(const unsigned char *bytes, size_t n, enum layer layer) {
    struct refrain_image images[2] = {{.name = "a"}, {.name = "b"}};
    struct refrain_trace *trace;
    size_t n_images = n > 0 && bytes[0] % 4 == 3 ? 2 : 1, room = n / n_images & ~(size_t)15;
    void *copies[2] = {NULL, NULL};
    if (room < sizeof(struct refrain_header))
        return;
    for (size_t i = 0; i < n_images; i++) {
        struct refrain_header *header = copies[i] = copy_of(bytes + i * room, room);
        memcpy(header->magic, REFRAIN_MAGIC, sizeof header->magic);
        header->version = REFRAIN_TRACE_VERSION;
        header->header_bytes = REFRAIN_HEADER_BYTES;
        header->rank %= MOST_RANKS; /* each rank without an image is named in every format */
        header->size %= MOST_RANKS;
        if (header->bytes < room)
            header->bytes = room;
        if (i == 1)
            header->rank = 1;
        if (layer == LIVE)
            make_whole(header, room);
        images[i].bytes = copies[i];
        images[i].length = room;
        if (layer == RECORDED && header->pool_used < room) {
            images[i].events = (const unsigned char *)copies[i] + header->pool_used;
            images[i].events_length = room - (size_t)header->pool_used;
            header->mode = REFRAIN_MODE_BOTH;
        }
    }
    if (refrain_trace_open_images(images, n_images, &trace, NULL) == REFRAIN_OK)
        use(trace, layer, bytes[1]);
    else
        refused++;
    refrain_trace_close(trace);
    free(copies[0]);
    free(copies[1]);
}

#ifdef REFRAIN_LIBFUZZER
/* Files are in memory: of the text, and of the trace that is made of it. */
static void read_text(const unsigned char *bytes, size_t n) {
    static int file = -1;
    static char path[64], directory[64];
    struct refrain_import_result result;
    if (file < 0) {
        file = memfd_create("text", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", file);
        snprintf(directory, sizeof directory, "/dev/shm/fuzz-%d.refrain", (int)getpid());
    }
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, n, 0) != (ssize_t)n)
        abort();
    struct refrain_import_request request = {.path = path, .directory = directory};
    if (refrain_import_text(&request, &result, NULL) != REFRAIN_OK) {
        refused++;
        return;
    }
    struct dirent *entry;
    DIR *made = opendir(directory);
    while (made && (entry = readdir(made)))
        unlinkat(dirfd(made), entry->d_name, 0);
    closedir(made);
    rmdir(directory);
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n);

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n) {
    static enum layer layer = LAYERS;
    if (layer == LAYERS) {
        refrain_settle_tries = 3; /* nothing changes that it could wait for */
        const char *name = getenv("REFRAIN_FUZZ_LAYER");
        for (layer = 0; layer < LAYERS && (!name || strcmp(name, layer_names[layer]) != 0); layer++)
            ;
        if (layer == LAYERS)
            abort();
    }
    if (layer == IMPORT)
        read_text(bytes, n);
    else
        read_region(bytes, n, layer);
    return 0;
}
#else
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

/* Layer live: sets each number of the header to one that overflows when something is added. */
static void read_extremes(unsigned char *bytes, const unsigned char *whole, size_t n) {
    const uint64_t extreme = UINT64_MAX - 4095;
    for (size_t at = 16; at + sizeof extreme <= sizeof(struct refrain_header); at += sizeof extreme) {
        memcpy(bytes, whole, n);
        memcpy(bytes + at, &extreme, sizeof extreme);
        read_region(bytes, n, LIVE);
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
    refrain_settle_tries = 3; /* nothing changes that it could wait for */
    read_extremes(bytes, whole, n);
    for (long round = atol(argv[3]); round > 0; round--) {
        bool two = draw(8) == 0;
        memcpy(bytes, whole, n);
        memcpy(bytes + n, whole, n);
        bytes[0] = two ? 3 : 0;
        bytes[1] = (unsigned char)draw(256);
        for (uint64_t i = 1 + draw(6); i > 0; i--)
            damage(bytes + 8, (two ? 2 * n : n) - 8);
        size_t length = two ? 2 * n : draw(16) ? n : (size_t)draw(n);
        for (enum layer layer = 0; layer < IMAGE_LAYERS; layer++)
            read_region(bytes, length, layer);
    }
    free(whole);
    free(bytes);
    printf("%lu events given, %lu traces refused, %lu found damaged on the way\n%s passed, %d failed\n", given, refused,
           damaged, argv[3], given == 0);
    return given == 0;
}
#endif
