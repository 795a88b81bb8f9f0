/* write_clog.c: the format "clog" (format.h): CLOG of MPE 1 (A. I. Margaris, "Log File Formats for Parallel
 * Applications: A Review", section 3; field sizes from MPE's description of its records).
 *
 *     header: time (double), type, length in doubles, process, 0        then by type, all numbers 4 bytes but the time:
 *     state    6: state, its two events, 0, colour [24], name [16]      source 7: number, line, file [40]
 *     raw      1: event, data, source, 0, text [16]                     communicator 4: type, parent, new one, source
 *     message  2: event, tag, other rank, communicator, bytes, source   event 5: event, 0, name [16]
 *     collective 3: event, root, communicator, bytes, source, 0
 *
 * A marker or counter is a state that ends as it begins, because viewers skip events without a state. Its beginning
 * is also defined as an event, with the value as data, and
 * that of a counter as text, too.
 *
 * MPE's library writes only raw events, and its viewers read only these: they draw an arrow from -101 to -102, with
 * the other rank as data and "tag bytes" as text. A record of type 2 with all facts follows. Its event has a number
 * of its own, as that of a collective has, because clog2alog takes each number of a state as that state.
 *
 * Only the first thread of a rank is represented. */
#include "formats/clog_block.h"
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/locations.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum type {
    END_LOG = -2,
    END_BLOCK = -1,
    RAW_EVENT = 1,
    MESSAGE = 2,
    COLLECTIVE = 3,
    COMMUNICATOR = 4,
    EVENT_DEFINITION = 5,
    STATE_DEFINITION = 6,
    SOURCE = 7
};
enum { COLOUR_BYTES = 24, NAME_BYTES = 16, FILE_BYTES = 40 };
enum further { SENT, RECEIVED, COLLECTIVE_EVENT, FURTHER_EVENTS }; /* after those of the states */
enum { FIRST_EVENT = 500, FIRST_STATE = 200, FIRST_SOURCE = 900 }; /* above the numbers that MPE reserves */
enum { COMMUNICATOR_INIT = 101, COMMUNICATOR_CREATED = 105 };

struct clog_writer {
    struct refrain_file_writer file;
    struct refrain_clog_blocks blocks;
    struct refrain_omitted omitted;
    uint64_t thread_events; /* events of other threads than the first */
    uint64_t cut_texts;     /* numbers that do not fit into the text of a raw event */
    size_t n_regions;
    int64_t end_ns;
};

static void put_header(struct refrain_clog_blocks *blocks, enum type type, unsigned body_bytes, int64_t time_ns,
                       int32_t rank) {
    if (type != END_BLOCK && type != END_LOG)
        refrain_clog_room(blocks, REFRAIN_CLOG_HEADER_BYTES + body_bytes);
    refrain_clog_double(blocks, (double)time_ns / 1e9);
    refrain_clog_int(blocks, type);
    refrain_clog_int(blocks, (REFRAIN_CLOG_HEADER_BYTES + body_bytes) / 8);
    refrain_clog_int(blocks, rank);
    refrain_clog_int(blocks, 0);
}

static void end_block(struct refrain_clog_blocks *blocks, bool of_log) {
    put_header(blocks, of_log ? END_LOG : END_BLOCK, 0, 0, 0);
}

static size_t region_of(const struct clog_writer *clog, const struct refrain_region_info *region) {
    return region->index < clog->n_regions ? region->index : clog->n_regions;
}

static int64_t further_event(const struct clog_writer *clog, enum further event) {
    return FIRST_EVENT + 2 * ((int64_t)clog->n_regions + 1) + event;
}

/* ---- definitions ---- */

static void define_event(struct clog_writer *clog, int64_t event, const char *name) {
    put_header(&clog->blocks, EVENT_DEFINITION, 8 + NAME_BYTES, 0, 0);
    refrain_clog_int(&clog->blocks, event);
    refrain_clog_int(&clog->blocks, 0);
    refrain_clog_text(&clog->blocks, name, NAME_BYTES, true);
}

static void define_state(struct clog_writer *clog, size_t i, const char *name, const char *file, uint32_t line) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    put_header(blocks, STATE_DEFINITION, 16 + COLOUR_BYTES + NAME_BYTES, 0, 0);
    refrain_clog_int(blocks, FIRST_STATE + (int64_t)i);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * (int64_t)i);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * (int64_t)i + 1);
    refrain_clog_int(blocks, 0);
    refrain_clog_text(blocks, refrain_clog_colour(i), COLOUR_BYTES, false);
    refrain_clog_text(blocks, name, NAME_BYTES, true);
    put_header(blocks, SOURCE, 8 + FILE_BYTES, 0, 0);
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)i);
    refrain_clog_int(blocks, line);
    refrain_clog_path(blocks, file, FILE_BYTES);
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    static const char *const further_names[FURTHER_EVENTS] = {"sent", "received", "collective"};
    struct clog_writer *clog = (struct clog_writer *)writer;
    struct refrain_clog_blocks *blocks = &clog->blocks;
    blocks->out = clog->file.out;
    blocks->end = end_block;
    clog->n_regions = trace->n_regions;
    for (size_t i = 0; i < trace->n_regions; i++) {
        define_state(clog, i, trace->regions[i].name, trace->regions[i].file, trace->regions[i].line);
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE)
            define_event(clog, FIRST_EVENT + 2 * (int64_t)i, trace->regions[i].name);
    }
    define_state(clog, trace->n_regions, "unknown", "", 0);
    for (enum further i = 0; i < FURTHER_EVENTS; i++)
        define_event(clog, further_event(clog, i), further_names[i]);
    for (size_t i = 0; i < trace->n_comms; i++) {
        put_header(blocks, COMMUNICATOR, 16, 0, 0);
        refrain_clog_int(blocks, i < 2 ? COMMUNICATOR_INIT : COMMUNICATOR_CREATED);
        refrain_clog_int(blocks, i < 2 ? -1 : 0);
        refrain_clog_int(blocks, (int64_t)i);
        refrain_clog_int(blocks, FIRST_SOURCE);
    }
    clog->file.begun = true;
    return blocks->out->failed != 0;
}

/* ---- events ---- */

static void put_raw(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns, int64_t number,
                    int64_t data, const char *text) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    put_header(blocks, RAW_EVENT, 16 + NAME_BYTES, time_ns, event->rank);
    refrain_clog_int(blocks, number);
    refrain_clog_int(blocks, data);
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)region_of(clog, event->region));
    refrain_clog_int(blocks, 0);
    refrain_clog_text(blocks, text, NAME_BYTES, false);
}

static void put_state(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    int64_t number = FIRST_EVENT + 2 * (int64_t)region_of(clog, event->region);
    put_raw(clog, event, time_ns, number + (event->kind == REFRAIN_EVENT_LEAVE), 0, "");
}

/* Appends a number to the text of a raw event, which has `at` bytes so far. A number that does not fit becomes 9s. */
static void append_number(struct clog_writer *clog, char text[NAME_BYTES], size_t at, int64_t value) {
    char digits[24];
    size_t n = (size_t)sprintf(digits, "%" PRId64, value), room = NAME_BYTES - 1 - at;
    if (n > room) {
        memset(digits + (value < 0), '9', n - (value < 0));
        n = room;
        clog->cut_texts++;
    }
    memcpy(text + at, digits, n);
    text[at + n] = 0;
}

/* "tag bytes" */
static void put_arrow(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns, bool sent) {
    char text[NAME_BYTES];
    int at = snprintf(text, sizeof text, "%d ", refrain_clog_clamp(event->tag));
    append_number(clog, text, (size_t)at, refrain_clog_clamp(event->bytes));
    put_raw(clog, event, time_ns, sent ? REFRAIN_CLOG_SEND : REFRAIN_CLOG_RECV, event->peer, text);
}

static void put_moment(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    int64_t number = FIRST_EVENT + 2 * (int64_t)region_of(clog, event->region);
    char text[NAME_BYTES] = "";
    if (event->kind == REFRAIN_EVENT_COUNTER)
        append_number(clog, text, 0, event->value);
    put_raw(clog, event, time_ns, number, refrain_clog_clamp(event->value), text);
    put_raw(clog, event, time_ns, number + 1, 0, "");
}

static void put_message(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    bool sent = event->kind == REFRAIN_EVENT_SEND;
    put_arrow(clog, event, time_ns, sent);
    put_header(blocks, MESSAGE, 24, time_ns, event->rank);
    refrain_clog_int(blocks, further_event(clog, sent ? SENT : RECEIVED));
    refrain_clog_int(blocks, event->tag);
    refrain_clog_int(blocks, event->peer);
    refrain_clog_int(blocks, event->comm ? (int64_t)event->comm->index : -1);
    refrain_clog_int(blocks, event->bytes);
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)region_of(clog, event->region));
}

static void put_collective(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    put_header(blocks, COLLECTIVE, 24, time_ns, event->rank);
    refrain_clog_int(blocks, further_event(clog, COLLECTIVE_EVENT));
    refrain_clog_int(blocks, event->peer);
    refrain_clog_int(blocks, event->comm ? (int64_t)event->comm->index : -1);
    refrain_clog_int(blocks, event->bytes);
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)region_of(clog, event->region));
    refrain_clog_int(blocks, 0);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct clog_writer *clog = (struct clog_writer *)writer;
    int64_t time_ns = event->time_ns < clog->end_ns ? clog->end_ns : event->time_ns;
    if (event->thread > 0) {
        clog->thread_events++;
        return 0;
    }
    clog->end_ns = time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        put_state(clog, event, time_ns);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_message(clog, event, time_ns);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_collective(clog, event, time_ns);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        put_moment(clog, event, time_ns);
        break;
    default:
        clog->omitted.kinds[event->kind]++;
        break;
    }
    return clog->blocks.out->failed != 0;
}

/* ---- end ---- */

static int end(struct refrain_writer *writer) {
    struct clog_writer *clog = (struct clog_writer *)writer;
    if (clog->file.begun)
        refrain_clog_finish(&clog->blocks);
    enum refrain_status status = refrain_file_writer_close(&clog->file, false);
    if (!status && clog->file.begun) {
        if (clog->thread_events)
            refrain_warn("clog has no place for threads: %" PRIu64 " events of further threads are left out",
                         clog->thread_events);
        refrain_omitted_warn(&clog->omitted, "clog");
        refrain_clog_warn(&clog->blocks, "clog");
        if (clog->cut_texts)
            refrain_warn("clog has 15 bytes for the tag and size of an arrow, or for a counter: %" PRIu64
                         " numbers became 9s there",
                         clog->cut_texts);
    }
    free(clog);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_clog = {
    .name = "clog",
    .suffix = ".clog",
    .summary = "CLOG of MPE 1, for Jumpshot-2",
    .by_order = true,
    .file = {sizeof(struct clog_writer), {begin, write_event, end}, .patchable = false}};
