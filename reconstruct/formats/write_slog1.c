/* write_slog1.c: the format "slog1" (format.h): SLOG-1, for Jumpshot-3 (A. I. Margaris, "Log File Formats for
 * Parallel Applications: A Review", section 5; field sizes of version 0.7 of its library, big-endian).
 *
 *     region             -> interval type; collectives have four arguments: root, bytes sent, bytes received and
 *                           communicator
 *     enter to leave     -> complete interval (1,1); a call that is never left ends with the run, as a begin
 *                           interval (1,0) of a type of its own
 *     message            -> arrow between two threads, with tag, bytes sent, bytes received and communicator
 *     rank N, thread t   -> node N, thread t, on processor 0
 *
 * Header; frames (slog1_frames.h); then thread table, interval record definitions, display profile, preview and
 * preview statistics, to which the header points. Only types that occur are defined. */
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/intervals.h"
#include "formats/shortened.h"
#include "formats/slog1_frames.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { VERSION_MAJOR = 0, VERSION_MINOR = 7, HEADER_BYTES = 5 * 4 + 3 * 2 + 6 * 8 };
enum { LABEL_BYTES = 21, BINS = 128 };
enum { FIRST_TYPE = 1, MOST_STATES = 32000, MOST_RANKS = 65535 };
#define NO_VALUE UINT32_MAX
#define UNKNOWN_COMM (NO_VALUE - 1) /* NO_VALUE: the call had no collective */

/* Records of a type. */
struct kind {
    uint64_t n;
    double *bins; /* by bin of time: share taken by records of the type; null before the second pass */
};

struct slog1_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct refrain_locations locations;
    struct refrain_intervals *intervals;
    struct refrain_slog1_frames *frames;
    struct refrain_omitted omitted;
    struct refrain_shortened shortened;
    size_t n_states;    /* types of finished calls; the same number for unfinished calls; then messages */
    struct kind *kinds; /* 2 * n_states + 1 */
    struct refrain_slog1_summary summary;
    uint64_t cut; /* numbers too large for their field */
    bool no_memory;
};

/* ---- types ---- */

static const struct refrain_region_info *region_of(const struct slog1_writer *slog1, size_t kind) {
    size_t state = kind % slog1->n_states;
    return state + 1 < slog1->n_states ? &slog1->trace->regions[state] : NULL;
}

static bool is_message(const struct slog1_writer *slog1, size_t kind) {
    return kind == 2 * slog1->n_states;
}

static bool is_left(const struct slog1_writer *slog1, size_t kind) {
    return kind < slog1->n_states || is_message(slog1, kind);
}

static unsigned arguments_of(const struct slog1_writer *slog1, size_t kind) {
    const struct refrain_region_info *region = region_of(slog1, kind);
    return is_message(slog1, kind) || (is_left(slog1, kind) && region && refrain_intervals_has_collective(region))
               ? REFRAIN_SLOG1_ARGUMENTS
               : 0;
}

/* ---- events ---- */

static uint32_t argument(struct slog1_writer *slog1, int64_t value) {
    if (value >= 0 && value < NO_VALUE)
        return (uint32_t)value;
    slog1->cut += value >= NO_VALUE;
    return value < 0 ? NO_VALUE : NO_VALUE - 1;
}

static struct refrain_slog1_thread thread_of(const struct slog1_writer *slog1, size_t location) {
    const struct refrain_location *of = &slog1->locations.all[location];
    return (struct refrain_slog1_thread){(uint16_t)of->rank, of->thread};
}

static void put_arguments(struct slog1_writer *slog1, struct refrain_slog1_record *record,
                          const struct refrain_interval *interval) {
    const struct refrain_event *event = interval->receive ? interval->receive : interval->collective;
    int64_t values[REFRAIN_SLOG1_ARGUMENTS] = {-1, -1, -1, -1};
    if (interval->receive) {
        values[0] = event->tag;
        values[1] = interval->sent_bytes;
        values[2] = event->bytes;
    } else if (event) {
        values[0] = event->peer;
        values[1] = event->bytes;
        values[2] = event->received;
    }
    if (event)
        values[3] = event->comm ? (int64_t)event->comm->index : (int64_t)UNKNOWN_COMM;
    for (unsigned i = 0; i < record->n_arguments; i++)
        record->arguments[i] = argument(slog1, values[i]);
}

static void put_interval(void *data, const struct refrain_interval *interval) {
    struct slog1_writer *slog1 = data;
    size_t state = interval->region < slog1->n_states - 1 ? interval->region : slog1->n_states - 1;
    size_t kind = interval->receive ? 2 * slog1->n_states : state + (interval->left ? 0 : slog1->n_states);
    struct refrain_slog1_record record = {
        .class = interval->receive ? REFRAIN_SLOG1_ARROW : REFRAIN_SLOG1_STATE,
        .type = (uint16_t)(FIRST_TYPE + kind),
        .bebits = interval->left ? REFRAIN_SLOG1_COMPLETE : REFRAIN_SLOG1_BEGIN,
        .start = (double)interval->start_ns / 1e9,
        .duration = (double)(interval->end_ns - interval->start_ns) / 1e9,
        .threads = {thread_of(slog1, interval->locations[0]), thread_of(slog1, interval->locations[1])},
        .n_arguments = arguments_of(slog1, kind)};
    struct refrain_intervals_open open = refrain_intervals_open(slog1->intervals);
    put_arguments(slog1, &record, interval);
    slog1->kinds[kind].n++;
    slog1->no_memory |=
        !refrain_slog1_frames_add(slog1->frames, &record,
                                  open.calls * (REFRAIN_SLOG1_STATE_BYTES + 4 * REFRAIN_SLOG1_ARGUMENTS) +
                                      open.messages * (REFRAIN_SLOG1_ARROW_BYTES + 4 * REFRAIN_SLOG1_ARGUMENTS));
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    static const unsigned char header[HEADER_BYTES];
    struct slog1_writer *slog1 = (struct slog1_writer *)writer;
    if (trace->size > MOST_RANKS) {
        REFRAIN_FAIL(slog1->file.error, "%s: has %" PRId32 " ranks; SLOG-1 has_fields %d apart: use another format",
                     trace->path, trace->size, MOST_RANKS);
        return 1;
    }
    slog1->trace = trace;
    slog1->n_states = trace->n_regions < MOST_STATES ? trace->n_regions + 1 : MOST_STATES;
    slog1->kinds = calloc(2 * slog1->n_states + 1, sizeof *slog1->kinds);
    if (refrain_locations_make(&slog1->locations, trace))
        slog1->intervals = refrain_intervals_make(trace, &slog1->locations, false, put_interval, slog1);
    slog1->frames = refrain_slog1_frames_open(slog1->file.out);
    if (!slog1->kinds || !slog1->intervals || !slog1->frames) {
        REFRAIN_FAIL_MEMORY(slog1->file.error);
        return 1;
    }
    refrain_sink_put_bytes(slog1->file.out, header, sizeof header);
    slog1->file.begun = true;
    return slog1->file.out->failed != 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct slog1_writer *slog1 = (struct slog1_writer *)writer;
    if (!refrain_intervals_event(slog1->intervals, event))
        slog1->omitted.kinds[event->kind]++;
    return slog1->no_memory || slog1->file.out->failed;
}

/* ---- preview statistics ---- */

/* Adds the shares of the bins that a record takes (section 5.6, equations 3 to 10). */
static void count(void *data, const struct refrain_slog1_record *record) {
    struct slog1_writer *slog1 = data;
    double *bins = slog1->kinds[record->type - FIRST_TYPE].bins;
    double width = (slog1->summary.end - slog1->summary.start) / BINS;
    if (record->bebits != REFRAIN_SLOG1_COMPLETE || !bins || !(width > 0))
        return;
    double start = record->start - slog1->summary.start, end = start + record->duration;
    int first = (int)floor(start / width), last = (int)floor(end / width);
    first = first < 0 ? 0 : first < BINS ? first : BINS - 1;
    last = last < 0 ? 0 : last < BINS ? last : BINS - 1;
    for (int i = first; i <= last; i++) {
        double from = i == first ? start / width - i : 0, to = i == last ? end / width - i : 1;
        bins[i] += to - from;
    }
}

/* ---- tables ---- */

static void put(struct refrain_sink *out, uint64_t value, unsigned bytes) {
    unsigned char buffer[8], *to = buffer;
    refrain_slog1_put(&to, value, bytes);
    refrain_sink_put_bytes(out, buffer, bytes);
}

static void put_double(struct refrain_sink *out, double value) {
    unsigned char buffer[8], *to = buffer;
    refrain_slog1_put_double(&to, value);
    refrain_sink_put_bytes(out, buffer, sizeof buffer);
}

/* Text in a column of 20 bytes, filled with blanks, and the end of the column. */
static void put_column(struct refrain_sink *out, const char *text, size_t n, char end) {
    char column[LABEL_BYTES];
    memset(column, ' ', sizeof column);
    memcpy(column, text, n);
    column[LABEL_BYTES - 1] = end;
    refrain_sink_put_bytes(out, column, sizeof column);
}

/* The label of a type, without control characters, which would end columns. Returns its size. */
static size_t label_of(struct slog1_writer *slog1, size_t kind, char label[LABEL_BYTES]) {
    const struct refrain_region_info *region = region_of(slog1, kind);
    const char *name = is_message(slog1, kind) ? "message" : region ? region->name : "unknown";
    size_t n = refrain_shorten(&slog1->shortened, name, LABEL_BYTES - 1);
    for (size_t i = 0; i < n; i++)
        label[i] = (unsigned char)name[i] < ' ' || name[i] == 127 ? ' ' : name[i];
    return n;
}

static uint32_t defined(const struct slog1_writer *slog1) {
    uint32_t n = 0;
    for (size_t i = 0; i <= 2 * slog1->n_states; i++)
        n += slog1->kinds[i].n > 0;
    return n;
}

static void put_threads(struct slog1_writer *slog1) {
    struct refrain_sink *out = slog1->file.out;
    put(out, slog1->locations.n, 4);
    for (size_t i = 0; i < slog1->locations.n; i++) {
        const struct refrain_location *location = &slog1->locations.all[i];
        put(out, (uint32_t)location->rank, 2);
        put(out, location->thread, 4);
        put(out, location->process ? (uint32_t)location->process->header->pid : 0, 4);
        put(out, location->thread, 4); /* the id of the operating system is unknown */
        put(out, 0, 4);
    }
}

static void put_definitions(struct slog1_writer *slog1) {
    struct refrain_sink *out = slog1->file.out;
    put(out, defined(slog1), 4);
    for (size_t i = 0; i <= 2 * slog1->n_states; i++)
        if (slog1->kinds[i].n > 0) {
            put(out, FIRST_TYPE + i, 2);
            put(out, is_left(slog1, i) ? REFRAIN_SLOG1_COMPLETE : REFRAIN_SLOG1_BEGIN, 1);
            put(out, 0, 2); /* associated records */
            put(out, arguments_of(slog1, i), 2);
        }
}

static void put_profile(struct slog1_writer *slog1) {
    static const char *const colours[] = {"red",   "blue",  "green", "orange",    "yellow",    "purple",
                                          "cyan",  "brown", "pink",  "SteelBlue", "OliveDrab", "maroon",
                                          "coral", "gold",  "plum",  "SeaGreen"};
    struct refrain_sink *out = slog1->file.out;
    put(out, defined(slog1), 4);
    for (size_t i = 0; i <= 2 * slog1->n_states; i++) {
        char number[16], label[LABEL_BYTES];
        const char *class = is_message(slog1, i) ? "message"
                            : is_left(slog1, i)  ? "state"
                                                 : "not left",
                   *colour = is_message(slog1, i) ? "white"
                                                  : colours[i % slog1->n_states % (sizeof colours / sizeof *colours)];
        if (slog1->kinds[i].n == 0)
            continue;
        put_column(out, number, (size_t)sprintf(number, "%zu", FIRST_TYPE + i), '\t');
        put_column(out, class, strlen(class), '\t');
        put_column(out, label, label_of(slog1, i, label), '\t');
        put_column(out, colour, strlen(colour), '\t');
        refrain_sink_put_char(out, '\n');
    }
}

static void put_preview(struct slog1_writer *slog1) {
    const char *program = refrain_locations_program(slog1->trace);
    put(slog1->file.out, strlen(program), 4);
    refrain_sink_put_text(slog1->file.out, program);
}

static void put_statistics(struct slog1_writer *slog1) {
    struct refrain_sink *out = slog1->file.out;
    put(out, defined(slog1), 4);
    put(out, BINS, 4);
    put_double(out, slog1->summary.start);
    put_double(out, slog1->summary.end);
    for (size_t i = 0; i <= 2 * slog1->n_states; i++) {
        char label[LABEL_BYTES];
        if (slog1->kinds[i].n == 0)
            continue;
        put(out, is_message(slog1, i) ? REFRAIN_SLOG1_ARROW : REFRAIN_SLOG1_STATE, 2);
        put(out, FIRST_TYPE + i, 2);
        put(out, LABEL_BYTES, 2);
        put_column(out, label, label_of(slog1, i, label), '\n');
        put(out, BINS, 4);
        for (int bin = 0; bin < BINS; bin++)
            put_double(out, slog1->kinds[i].bins[bin]);
    }
}

/* ---- end ---- */

static void fill_header(struct slog1_writer *slog1, const uint64_t *parts) {
    unsigned char header[HEADER_BYTES], *to = header;
    refrain_slog1_put(&to, VERSION_MAJOR, 4);
    refrain_slog1_put(&to, VERSION_MINOR, 4);
    refrain_slog1_put(&to, slog1->summary.frame_bytes, 4);
    refrain_slog1_put(&to, 0, 4); /* unknown: the room for pseudo-records differs between frames */
    refrain_slog1_put(&to, REFRAIN_SLOG1_DIRECTORY_ENTRIES, 4);
    refrain_slog1_put(&to, false, 2); /* in the order of starts */
    refrain_slog1_put(&to, true, 2);  /* in the order of ends */
    refrain_slog1_put(&to, slog1->summary.has_pseudo_records, 2);
    for (int i = 0; i < 6; i++)
        refrain_slog1_put(&to, parts[i], 8);
    refrain_sink_patch(slog1->file.out, 0, header, sizeof header);
}

static bool finish(struct slog1_writer *slog1) {
    struct refrain_sink *out = slog1->file.out;
    enum { STATISTICS, PREVIEW, PROFILE, THREADS, DEFINITIONS, FRAMES, PARTS };
    uint64_t parts[PARTS];
    refrain_intervals_finish(slog1->intervals);
    if (slog1->no_memory || refrain_intervals_no_memory(slog1->intervals))
        return false;
    for (size_t i = 0; i <= 2 * slog1->n_states; i++)
        if (slog1->kinds[i].n > 0 && !(slog1->kinds[i].bins = calloc(BINS, sizeof *slog1->kinds[i].bins)))
            return false;
    if (!refrain_slog1_frames_finish(slog1->frames, &slog1->summary, count, slog1))
        return out->failed != 0; /* reported when the file is closed */
    parts[FRAMES] = slog1->summary.at;
    parts[THREADS] = refrain_sink_position(out);
    put_threads(slog1);
    parts[DEFINITIONS] = refrain_sink_position(out);
    put_definitions(slog1);
    parts[PROFILE] = refrain_sink_position(out);
    put_profile(slog1);
    parts[PREVIEW] = refrain_sink_position(out);
    put_preview(slog1);
    parts[STATISTICS] = refrain_sink_position(out);
    put_statistics(slog1);
    fill_header(slog1, parts);
    return true;
}

static void warn_losses(const struct slog1_writer *slog1) {
    uint64_t lone = refrain_intervals_lone(slog1->intervals);
    refrain_omitted_warn(&slog1->omitted, "slog1");
    if (lone)
        refrain_warn("slog1 draws messages between two ends: %" PRIu64 " ends without another are left out", lone);
    if (slog1->trace->n_regions >= MOST_STATES)
        refrain_warn("slog1 has_fields %d regions apart: of the %zu of the trace, the others are called unknown",
                     MOST_STATES - 1, slog1->trace->n_regions);
    if (slog1->cut)
        refrain_warn("slog1: %" PRIu64 " numbers (sizes, tags) did not fit into 4 bytes and were cut to 4,294,967,294",
                     slog1->cut);
    refrain_shortened_warn(&slog1->shortened, "slog1");
}

static int end(struct refrain_writer *writer) {
    struct slog1_writer *slog1 = (struct slog1_writer *)writer;
    bool no_memory = slog1->file.begun && !finish(slog1), keep = slog1->file.begun && !no_memory;
    enum refrain_status status = refrain_file_writer_close(&slog1->file, no_memory);
    if (!status && keep)
        warn_losses(slog1);
    for (size_t i = 0; slog1->kinds && i <= 2 * slog1->n_states; i++)
        free(slog1->kinds[i].bins);
    free(slog1->kinds);
    refrain_slog1_frames_close(slog1->frames);
    refrain_intervals_free(slog1->intervals);
    refrain_locations_free(&slog1->locations);
    free(slog1);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_slog1 = {
    .name = "slog1",
    .suffix = ".slog",
    .summary = "SLOG-1, for Jumpshot-3",
    .file = {sizeof(struct slog1_writer), {begin, write_event, end}, .patchable = true}};
