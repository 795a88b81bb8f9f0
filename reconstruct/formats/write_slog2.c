/* write_slog2.c: the format "slog2" (format.h): SLOG-2 2.0.6, for Jumpshot-4 (slog2_tree.h).
 *
 *     region             -> category of states, with a colour; collectives have root, bytes and communicator
 *     enter to leave     -> state on the line of the location; a call that is never left ends with the run, in a
 *                           category of its own, "NAME (not left)"
 *     message            -> arrow between the lines of its two ends, with tag, bytes and communicator
 *     marker, counter    -> event on the line of the location, of a counter with its value
 *     rank N, thread t   -> line, mapped to both
 *
 * Header; boxes; then categories, lines, the directory of the boxes and annotations, to which the header points. */
#define _GNU_SOURCE
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/intervals.h"
#include "formats/shortened.h"
#include "formats/slog2_tree.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define VERSION "SLOG 2.0.6"
#define HEADER_BYTES (2 + sizeof VERSION - 1 + 2 + 4 + 2 + 4 + 7 * 12)
#define LEAF_BYTES 65536u
#define MOST_NAME_BYTES 32000u
enum { NO_COLLECTIVE = -1, UNKNOWN_COMM = -2, PREVIEWS = 3 };

struct slog2_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct refrain_sink *directory;
    struct refrain_locations locations;
    struct refrain_intervals *intervals;
    struct refrain_omitted omitted;
    struct refrain_shortened shortened;
    struct refrain_slog2_sum *sums; /* by category */
    struct refrain_slog2_tree *tree;
    struct refrain_slog2_bytes bytes;
    /* Categories: finished states and markers; the same number of unfinished states and counters; then arrows. */
    size_t n_states;
    bool no_memory;
};

/* ---- drawables ---- */

static void put_info(struct refrain_slog2_drawable *drawable, int64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        drawable->info[drawable->n_info++] = (unsigned char)((uint64_t)value >> (8 * (bytes - 1 - i)));
}

static bool is_moment(const struct slog2_writer *slog2, size_t region) {
    return region < slog2->trace->n_regions && slog2->trace->regions[region].kind == REFRAIN_REGION_VALUE;
}

static size_t category_of(const struct slog2_writer *slog2, const struct refrain_interval *interval) {
    bool second = !interval->left || (interval->moment && interval->moment->kind == REFRAIN_EVENT_COUNTER);
    return interval->kind == REFRAIN_INTERVAL_MESSAGE ? 2 * slog2->n_states
                                                      : interval->region + (second ? slog2->n_states : 0);
}

static void put_call(struct slog2_writer *slog2, struct refrain_slog2_drawable *drawable,
                     const struct refrain_interval *interval) {
    const struct refrain_event *event = interval->collective;
    const struct refrain_trace *trace = slog2->trace;
    if (!interval->left || interval->region >= trace->n_regions ||
        !refrain_intervals_has_collective(&trace->regions[interval->region]))
        return;
    put_info(drawable, event ? event->peer : -1, 4);
    put_info(drawable, event ? event->bytes : -1, 8);
    put_info(drawable, event ? event->received : -1, 8);
    put_info(drawable, !event ? NO_COLLECTIVE : event->comm ? (int64_t)event->comm->index : UNKNOWN_COMM, 4);
}

/* Appends the values for the keys of the drawable's category. */
static void put_infos(struct slog2_writer *slog2, struct refrain_slog2_drawable *drawable,
                      const struct refrain_interval *interval) {
    const struct refrain_event *message = interval->receive, *moment = interval->moment;
    if (message) {
        put_info(drawable, message->tag, 8);
        put_info(drawable, interval->sent_bytes, 8);
        put_info(drawable, message->bytes, 8);
        put_info(drawable, message->comm ? (int64_t)message->comm->index : UNKNOWN_COMM, 4);
    } else if (moment && moment->kind == REFRAIN_EVENT_COUNTER) {
        put_info(drawable, moment->value, 8);
    } else if (!moment) {
        put_call(slog2, drawable, interval);
    }
}

static void put_interval(void *data, const struct refrain_interval *interval) {
    static const enum refrain_slog2_topology topologies[] = {[REFRAIN_INTERVAL_CALL] = REFRAIN_SLOG2_STATE,
                                                             [REFRAIN_INTERVAL_MESSAGE] = REFRAIN_SLOG2_ARROW,
                                                             [REFRAIN_INTERVAL_MOMENT] = REFRAIN_SLOG2_EVENT};
    struct slog2_writer *slog2 = data;
    struct refrain_slog2_drawable drawable = {
        .topology = topologies[interval->kind],
        .category = (int32_t)category_of(slog2, interval),
        .start = (double)interval->start_ns / 1e9,
        .end = (double)interval->end_ns / 1e9,
        .lines = {(uint32_t)interval->locations[0], (uint32_t)interval->locations[1]},
        .own = (double)interval->own_ns / 1e9};
    put_infos(slog2, &drawable, interval);
    slog2->no_memory |= !refrain_slog2_tree_add(slog2->tree, &drawable);
}

/* ---- events ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    static const unsigned char header[HEADER_BYTES];
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    slog2->trace = trace;
    slog2->n_states = trace->n_regions + 1;
    slog2->sums = calloc(2 * slog2->n_states + 1, sizeof *slog2->sums);
    if (refrain_locations_make(&slog2->locations, trace))
        slog2->intervals = refrain_intervals_make(trace, &slog2->locations, true, put_interval, slog2);
    if (slog2->intervals && slog2->sums)
        slog2->tree = refrain_slog2_tree_open(slog2->file.out, slog2->directory, slog2->sums);
    if (!slog2->tree) {
        REFRAIN_FAIL_MEMORY(slog2->file.error);
        return 1;
    }
    refrain_sink_put_bytes(slog2->file.out, header, sizeof header);
    slog2->file.begun = true;
    return slog2->file.out->failed != 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    if (!refrain_intervals_event(slog2->intervals, event))
        slog2->omitted.kinds[event->kind]++;
    return slog2->no_memory || slog2->file.out->failed || slog2->directory->failed;
}

/* ---- end ---- */

static uint32_t colour(size_t i) {
    static const uint32_t colours[] = {0xff0000, 0x0000ff, 0x00a000, 0xffa500, 0xb0b000, 0x800080, 0x00b0b0, 0xa52a2a,
                                       0xff69b4, 0x4682b4, 0x6b8e23, 0x800000, 0xff7f50, 0xd4af37, 0xdda0dd, 0x2e8b57};
    return 0xff000000u | colours[i % (sizeof colours / sizeof *colours)];
}

/* `keys`: pairs of text and type, up to a null. `sum` null: the category has no drawables of its own. */
static void put_category(struct slog2_writer *slog2, int32_t index, const char *name, const char *suffix,
                         enum refrain_slog2_topology topology, uint32_t argb, const char *const *keys,
                         const struct refrain_slog2_sum *sum, double duration) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    char text[MOST_NAME_BYTES + 32];
    size_t n = refrain_shorten(&slog2->shortened, name, MOST_NAME_BYTES), keys_n = 0;
    memcpy(text, name, n);
    n += (size_t)sprintf(text + n, "%s", suffix);
    while (keys[2 * keys_n])
        keys_n++;
    refrain_slog2_put(bytes, (uint32_t)index, 4);
    refrain_slog2_put_text(bytes, text, n);
    refrain_slog2_put(bytes, topology, 4);
    refrain_slog2_put(bytes, argb, 4);
    refrain_slog2_put(bytes, 1, 1); /* the colour may be changed */
    refrain_slog2_put(bytes, index < 0 ? 5 : topology == REFRAIN_SLOG2_ARROW ? 3 : 1, 1);
    refrain_slog2_put(bytes, keys_n, 2);
    for (size_t i = 0; i < keys_n; i++)
        refrain_slog2_put_text(bytes, keys[2 * i], strlen(keys[2 * i]));
    refrain_slog2_put(bytes, keys_n, 2);
    for (size_t i = 0; i < keys_n; i++)
        refrain_slog2_put(bytes, (unsigned char)keys[2 * i + 1][0], 1);
    refrain_slog2_put(bytes, 0, 2); /* no methods */
    double shares[2] = {sum && duration > 0 ? sum->seconds / duration : 0,
                        sum && duration > 0 ? sum->own / duration : 0};
    for (int i = 0; i < 2; i++) {
        float single = (float)shares[i];
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        refrain_slog2_put(bytes, bits, 4);
    }
    refrain_slog2_put(bytes, sum ? sum->n : 0, 8);
}

static void put_previews(struct slog2_writer *slog2) {
    static const char *const none[] = {NULL};
    static const struct {
        const char *name;
        enum refrain_slog2_topology topology;
        uint32_t argb;
    } previews[PREVIEWS] = {{"Preview_State", REFRAIN_SLOG2_STATE, 0xbfffffffu},
                            {"Preview_Arrow", REFRAIN_SLOG2_ARROW, 0xffffff00u},
                            {"Preview_Event", REFRAIN_SLOG2_EVENT, 0xbfffffffu}};
    for (size_t i = 0; i < PREVIEWS; i++)
        put_category(slog2, refrain_slog2_preview(previews[i].topology), previews[i].name, "", previews[i].topology,
                     previews[i].argb, none, NULL, 0);
}

/* The category of a region; or of its unfinished states, or of its counters. */
static void put_region(struct slog2_writer *slog2, size_t i, double duration) {
    static const char *const none[] = {NULL}, *const of_counter[] = {"value=", "l", NULL},
                             *const of_collective[] = {"root=",           "d", ", sent=", "l", ", received=", "l",
                                                       ", communicator=", "d", NULL};
    const struct refrain_trace *trace = slog2->trace;
    size_t region = i % slog2->n_states;
    bool first = i < slog2->n_states, moment = is_moment(slog2, region),
         has_fields = first && region < trace->n_regions && refrain_intervals_has_collective(&trace->regions[region]);
    put_category(slog2, (int32_t)i, region < trace->n_regions ? trace->regions[region].name : "unknown",
                 first || moment ? "" : " (not left)", moment ? REFRAIN_SLOG2_EVENT : REFRAIN_SLOG2_STATE,
                 colour(region),
                 has_fields         ? of_collective
                 : moment && !first ? of_counter
                                    : none,
                 &slog2->sums[i], duration);
}

static void put_categories(struct slog2_writer *slog2, double duration) {
    static const char *const of_message[] = {
        "tag=", "l", ", bytes=", "l", ", received=", "l", ", communicator=", "d", NULL};
    size_t arrows = 2 * slog2->n_states;
    uint32_t n = PREVIEWS;
    for (size_t i = 0; i <= arrows; i++)
        n += slog2->sums[i].n > 0;
    refrain_slog2_put(&slog2->bytes, n, 4);
    put_previews(slog2);
    for (size_t i = 0; i < arrows; i++)
        if (slog2->sums[i].n > 0)
            put_region(slog2, i, duration);
    if (slog2->sums[arrows].n > 0)
        put_category(slog2, (int32_t)arrows, "message", "", REFRAIN_SLOG2_ARROW, 0xffffffffu, of_message,
                     &slog2->sums[arrows], duration);
}

/* The lines: one map from each line to its rank and thread. */
static void put_lines(struct slog2_writer *slog2) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    refrain_slog2_put(bytes, 1, 4);
    refrain_slog2_put_text(bytes, "Rank and thread", 15);
    refrain_slog2_put(bytes, 2, 4);
    refrain_slog2_put_text(bytes, "rank", 4);
    refrain_slog2_put_text(bytes, "thread", 6);
    refrain_slog2_put(bytes, slog2->locations.n, 4);
    for (size_t i = 0; i < slog2->locations.n; i++) {
        refrain_slog2_put(bytes, i, 4);
        refrain_slog2_put(bytes, (uint32_t)slog2->locations.all[i].rank, 4);
        refrain_slog2_put(bytes, slog2->locations.all[i].thread, 4);
    }
    refrain_slog2_put(bytes, 0, 2); /* no methods */
}

/* Annotations: strings about the file, their number and then each. */
static void put_annotations(struct slog2_writer *slog2) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    const struct refrain_trace *trace = slog2->trace;
    char texts[4][MOST_NAME_BYTES];
    size_t n = 0;
    time_t start = (time_t)(trace->start_realtime_ns / 1000000000);
    struct tm date;
    gmtime_r(&start, &date);
    snprintf(texts[n++], sizeof *texts, "written by refrain " REFRAIN_VERSION);
    snprintf(texts[n++], sizeof *texts, "program: %s", refrain_locations_program(trace));
    snprintf(texts[n++], sizeof *texts, "ranks: %" PRId32 ", %zu of them without a file", trace->size,
             trace->n_missing);
    strftime(texts[n++], sizeof *texts, "started: %Y-%m-%d %H:%M:%S UTC", &date);
    refrain_slog2_put(bytes, n, 4);
    for (size_t i = 0; i < n; i++)
        refrain_slog2_put_text(bytes, texts[i], strlen(texts[i]));
}

/* The parts that the header points to, in its order. */
enum { CATEGORIES, METHODS, LINES, ROOT, DIRECTORY, ANNOTATIONS, POSTAMBLE, PARTS };

struct part {
    uint64_t at;
    uint32_t bytes;
};

static struct part write_part(struct slog2_writer *slog2) {
    struct part part = {refrain_sink_position(slog2->file.out), (uint32_t)slog2->bytes.n};
    refrain_sink_put_bytes(slog2->file.out, slog2->bytes.bytes, slog2->bytes.n);
    slog2->bytes.n = 0;
    return part;
}

static struct part write_directory(struct slog2_writer *slog2, const struct refrain_slog2_root *root) {
    unsigned char buffer[4096];
    uint64_t n = refrain_sink_position(slog2->directory);
    refrain_slog2_put(&slog2->bytes, root->boxes, 4);
    struct part part = write_part(slog2);
    for (uint64_t at = 0; at < n;) {
        size_t bytes = n - at < sizeof buffer ? (size_t)(n - at) : sizeof buffer;
        if (!refrain_sink_read(slog2->directory, at, buffer, bytes))
            break;
        refrain_sink_put_bytes(slog2->file.out, buffer, bytes);
        at += bytes;
    }
    part.bytes += (uint32_t)n;
    return part;
}

static void fill_header(struct slog2_writer *slog2, const struct refrain_slog2_root *root, const struct part *parts) {
    struct refrain_slog2_bytes *bytes = &slog2->bytes;
    uint32_t most_bytes = root->most_bytes; /* readers have one buffer, for each box and each part */
    for (size_t i = 0; i < PARTS; i++)
        most_bytes = parts[i].bytes > most_bytes ? parts[i].bytes : most_bytes;
    refrain_slog2_put_text(bytes, VERSION, sizeof VERSION - 1);
    refrain_slog2_put(bytes, 2, 2); /* children of a box */
    refrain_slog2_put(bytes, LEAF_BYTES, 4);
    refrain_slog2_put(bytes, root->depth, 2);
    refrain_slog2_put(bytes, most_bytes, 4);
    for (size_t i = 0; i < PARTS; i++) {
        refrain_slog2_put(bytes, parts[i].at, 8);
        refrain_slog2_put(bytes, parts[i].bytes, 4);
    }
    if (!bytes->no_memory)
        refrain_sink_patch(slog2->file.out, 0, bytes->bytes, bytes->n);
}

static bool finish(struct slog2_writer *slog2) {
    struct refrain_slog2_root root;
    struct part parts[PARTS] = {{0, 0}};
    refrain_intervals_finish(slog2->intervals);
    if (slog2->no_memory || refrain_intervals_no_memory(slog2->intervals) ||
        !refrain_slog2_tree_finish(slog2->tree, &root))
        return false;
    put_categories(slog2, root.duration);
    parts[CATEGORIES] = write_part(slog2);
    put_lines(slog2);
    parts[LINES] = write_part(slog2);
    parts[ROOT] = (struct part){root.at, root.bytes};
    parts[DIRECTORY] = write_directory(slog2, &root);
    put_annotations(slog2);
    parts[ANNOTATIONS] = write_part(slog2);
    fill_header(slog2, &root, parts);
    return !slog2->bytes.no_memory;
}

static void warn_losses(const struct slog2_writer *slog2) {
    uint64_t lone = refrain_intervals_lone(slog2->intervals);
    refrain_omitted_warn(&slog2->omitted, "slog2");
    if (lone)
        refrain_warn("slog2 draws messages between two ends: %" PRIu64 " ends without another are left out", lone);
    refrain_shortened_warn(&slog2->shortened, "slog2");
}

static int end(struct refrain_writer *writer) {
    struct slog2_writer *slog2 = (struct slog2_writer *)writer;
    bool no_memory = slog2->file.begun && !finish(slog2);
    bool keep = slog2->file.begun && !no_memory;
    enum refrain_status spooled = refrain_sink_close(slog2->directory, keep, slog2->file.error);
    slog2->file.begun = keep && !spooled;
    enum refrain_status status = refrain_file_writer_close(&slog2->file, no_memory);
    status = status ? status : spooled;
    if (!status && keep)
        warn_losses(slog2);
    refrain_slog2_tree_close(slog2->tree);
    refrain_intervals_free(slog2->intervals);
    refrain_locations_free(&slog2->locations);
    free(slog2->sums);
    free(slog2->bytes.bytes);
    free(slog2);
    return status != REFRAIN_OK;
}

static enum refrain_status open_slog2(const struct refrain_format_request *request, struct refrain_writer **writer,
                                      struct refrain_error *error) {
    static const struct refrain_format_file file = {
        sizeof(struct slog2_writer), {begin, write_event, end}, .patchable = true};
    enum refrain_status status = refrain_file_writer_open(request, &file, writer, error);
    struct slog2_writer *slog2 = (struct slog2_writer *)*writer;
    if (!slog2)
        return status;
    status = refrain_sink_open_spool(request->path, &slog2->directory, error);
    if (status) {
        refrain_sink_close(slog2->file.out, false, NULL);
        free(slog2);
        *writer = NULL;
    }
    return status;
}

const struct refrain_format refrain_format_slog2 = {
    .name = "slog2", .suffix = ".slog2", .summary = "SLOG-2, for Jumpshot-4", .open = open_slog2};
