/* write_text.c: the format "text" (format.h): one event per line, separated by tabs: rank, seconds since the start
 * with nine decimals, event, name, then key=value pairs. */
#include "formats/write_text.h"
#include "analysis/waiting.h"
#include "formats/decimal.h"
#include "formats/event_names.h"
#include "formats/format.h"
#include "model/trace_read.h"

#include <stdio.h>
#include <stdlib.h>

/* The text of a region's entry, made once: "\tenter\tNAME\tfile=...\tline=...". Other events use the name in it. */
struct region_text {
    const char *enter;
    uint32_t name_bytes, enter_bytes;
};
#define BEFORE_NAME (sizeof "\tenter\t" - 1)

#define LINE_BYTES 512u   /* room that is reserved for the fields of a line whose length is limited */
#define PIECE_BYTES 8192u /* room for the text of a region; a longer one is written directly to the sink */

struct text_writer {
    struct refrain_writer writer;
    struct refrain_sink *sink;
    bool all, waiting;
    const struct refrain_trace *trace;
    bool begun, failed;
    struct refrain_error *error;
    struct region_text *regions; /* by index */
    size_t n_regions;
    char *texts;
    uint64_t latest_ns;               /* the millisecond of the latest event, which most next events share */
    char latest_text[REFRAIN_BEYOND]; /* a tab, and its digits */
    size_t latest_bytes;              /* 0: none yet */
};

/* ---- regions ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct text_writer *text = (struct text_writer *)writer;
    size_t bytes = REFRAIN_BEYOND, at = 0;
    for (size_t i = 0; i < trace->n_regions; i++)
        bytes += 4 * (strlen(trace->regions[i].name) + strlen(trace->regions[i].file)) +
                 sizeof "\tenter\t\tfile=\tline=4294967295";
    text->regions = calloc(trace->n_regions + 1, sizeof *text->regions);
    text->texts = calloc(bytes, 1);
    if (!text->regions || !text->texts) {
        REFRAIN_FAIL_MEMORY(text->error);
        return 1;
    }
    text->begun = true;
    text->trace = trace;
    text->n_regions = trace->n_regions;
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *region = &trace->regions[i];
        struct region_text *of_region = &text->regions[i];
        const size_t first = at;
        of_region->enter = text->texts + at;
        at += (size_t)sprintf(text->texts + at, "\tenter\t");
        at += refrain_escape_name(text->texts + at, region->name);
        of_region->name_bytes = (uint32_t)(at - first - BEFORE_NAME);
        at += (size_t)sprintf(text->texts + at, "\tfile=");
        at += refrain_escape_name(text->texts + at, region->file);
        at += (size_t)sprintf(text->texts + at, "\tline=%u", region->line);
        of_region->enter_bytes = (uint32_t)(at - first);
    }
    return 0;
}

/* ---- events ---- */

#define PUT REFRAIN_PUT_LITERAL

static unsigned char *put_text(unsigned char *at, const char *literal) {
    size_t n = strlen(literal);
    return (unsigned char *)memcpy(at, literal, n) + n;
}

static inline unsigned char *put_comm(unsigned char *at, const struct refrain_event *event) {
    at = PUT(at, "\tcomm=");
    return event->comm ? refrain_put_unsigned(at, event->comm->index) : PUT(at, "unknown");
}

static inline unsigned char *put_bytes(unsigned char *at, const struct refrain_event *event) {
    return refrain_put_signed(PUT(at, "\tbytes="), event->bytes);
}

static inline unsigned char *put_value(unsigned char *at, const struct refrain_event *event) {
    return refrain_put_signed(PUT(at, "\tvalue="), event->value);
}

static inline unsigned char *put_partner(unsigned char *at, const struct refrain_event *event) {
    at = refrain_put_signed(at, event->peer);
    return refrain_put_signed(PUT(at, "\ttag="), event->tag);
}

static inline unsigned char *put_message(unsigned char *at, const struct refrain_event *event) {
    return put_comm(put_bytes(put_partner(at, event), event), event);
}

/* Writes the fields after the name whose length is limited. */
static unsigned char *put_fields(unsigned char *at, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        return put_message(PUT(at, "\tdest="), event);
    case REFRAIN_EVENT_RECV:
        return put_message(PUT(at, "\tsource="), event);
    case REFRAIN_EVENT_COLLECTIVE:
        if (event->peer >= 0) /* else there is none */
            at = refrain_put_signed(PUT(at, "\troot="), event->peer);
        at = refrain_put_signed(PUT(at, "\tsent="), event->bytes);
        at = refrain_put_signed(PUT(at, "\treceived="), event->received);
        return put_comm(at, event);
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        return put_comm(at, event);
    case REFRAIN_EVENT_RMA:
        return put_bytes(refrain_put_signed(PUT(at, "\ttarget="), event->peer), event);
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        return put_bytes(at, event);
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        return event->bytes >= 0 ? put_bytes(at, event) : at;
    case REFRAIN_EVENT_SEEK:
        at = put_text(PUT(at, "\twhence="), refrain_whence_name(event->value));
        at = refrain_put_signed(PUT(at, "\toffset="), event->bytes);
        return refrain_put_signed(PUT(at, "\tposition="), event->received);
    case REFRAIN_EVENT_COUNTER:
        return put_value(at, event);
    case REFRAIN_EVENT_UNTOLD_SENDS:
        return put_value(put_comm(put_partner(PUT(at, "\tdest="), event), event), event);
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        return put_value(put_comm(put_partner(PUT(at, "\tsource="), event), event), event);
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        at = put_text(PUT(at, "\tkind="), event->request < 0 ? "" : "i");
        at = put_text(at, refrain_collective_name((enum refrain_collective)event->tag));
        return put_value(put_comm(at, event), event);
    default:
        return at;
    }
}

/* Texts of any length, and rare fields, are written directly to the sink. */
#define SINK_PUT(sink, literal) refrain_sink_put_bytes((sink), literal, sizeof literal - 1)

static void sink_put_comm(struct refrain_sink *sink, const struct refrain_event *event) {
    refrain_sink_reserve(sink, LINE_BYTES);
    sink->at = put_comm(sink->at, event);
}

static void put_flags(struct refrain_sink *sink, const char *key, int64_t value) {
    const char *separator = key;
    for (unsigned i = 0; i < REFRAIN_FILE_MODES; i++)
        if (value >> i & 1) {
            refrain_sink_put_text(sink, separator);
            refrain_sink_put_text(sink, refrain_file_mode_names[i]);
            separator = ",";
        }
}

/* Writes the number of the window in its communicator, or of the file in its process, and the name of a file that is
 * opened or otherwise named. */
static void put_object(struct text_writer *text, const struct refrain_event *event) {
    struct refrain_sink *sink = text->sink;
    const bool window = refrain_event_names_window(event->kind);
    if (!window && !refrain_event_names_file(event->kind))
        return;
    if (event->kind == REFRAIN_EVENT_WINDOW && event->peer >= 0) {
        SINK_PUT(sink, "\ttarget=");
        refrain_sink_put_signed(sink, event->peer);
    }
    if (window)
        SINK_PUT(sink, "\twindow=");
    else
        SINK_PUT(sink, "\thandle=");
    refrain_sink_put_signed(sink, refrain_event_object(text->trace, event));
    sink_put_comm(sink, event);
    if (event->kind == REFRAIN_EVENT_WINDOW && event->value != REFRAIN_LOCK_NONE)
        refrain_sink_put_text(sink, event->value == REFRAIN_LOCK_EXCLUSIVE ? "\tlock=exclusive" : "\tlock=shared");
    if (event->kind == REFRAIN_EVENT_FILE)
        put_flags(sink, "\tmode=", event->value);
    const char *name = event->kind == REFRAIN_EVENT_FILE ? refrain_event_file_name(text->trace, event) : "";
    if (name[0]) {
        SINK_PUT(sink, "\tname=");
        refrain_sink_put_name(sink, name);
    }
}

/* The names of the kinds, with a tab on either side. */
static const struct kind_text {
    char text[REFRAIN_BEYOND];
    uint8_t bytes;
    bool always; /* such events are written even without --all */
} kinds[REFRAIN_EVENT_KINDS] = {
#define REFRAIN_EVENT_OF(kind, about, always, name, plural) {"\t" name "\t", sizeof("\t" name "\t") - 1, always},
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF
};

static void put_seconds(struct refrain_sink *sink, uint64_t ns) {
    refrain_sink_put_unsigned(sink, ns / 1000000000);
    refrain_sink_put_char(sink, '.');
    refrain_sink_put_digits(sink, ns % 1000000000, 9);
}

static void put_source(struct refrain_sink *sink, const struct refrain_region_info *region) {
    refrain_sink_put_text(sink, region->file);
    refrain_sink_put_char(sink, ':');
    refrain_sink_put_unsigned(sink, region->line);
}

static void put_wait(struct refrain_sink *sink, const struct refrain_wait *wait) {
    SINK_PUT(sink, "\tfor=");
    refrain_sink_put_text(sink, refrain_wait_kind_name(wait->kind));
    SINK_PUT(sink, "\twaited=");
    put_seconds(sink, (uint64_t)wait->ns);
    SINK_PUT(sink, "\tby=");
    refrain_sink_put_signed(sink, wait->cause_rank);
    SINK_PUT(sink, "\tat=");
    put_source(sink, wait->cause);
}

/* The wait of the call that sent or completed the message. It is known only now, when that call may have ended. */
static void put_peer_wait(struct refrain_sink *sink, const struct refrain_wait *wait) {
    SINK_PUT(sink, "\tsender_for=");
    refrain_sink_put_text(sink, refrain_wait_kind_name(wait->kind));
    SINK_PUT(sink, "\tsender_waited=");
    put_seconds(sink, (uint64_t)wait->ns);
    SINK_PUT(sink, "\tsender_at=");
    put_source(sink, wait->region);
}

/* The time up to its milliseconds, with a tab before it. */
static void keep_latest(struct text_writer *text, uint64_t ms) {
    unsigned char *begin = (unsigned char *)text->latest_text, *at = PUT(begin, "\t");
    at = refrain_put_unsigned(at, ms / 1000);
    *at++ = '.';
    *at++ = (unsigned char)('0' + ms % 1000 / 100);
    at = refrain_put_pair(at, (uint32_t)(ms % 100));
    text->latest_ns = ms * 1000000;
    text->latest_bytes = (size_t)(at - begin);
}

/* A tab, and the time in seconds. */
static inline unsigned char *put_time(struct text_writer *text, unsigned char *at, uint64_t ns) {
    if (ns - text->latest_ns >= 1000000 || text->latest_bytes == 0)
        keep_latest(text, ns / 1000000);
    memcpy(at, text->latest_text, sizeof text->latest_text);
    return refrain_put_six(at + text->latest_bytes, (uint32_t)(ns - text->latest_ns));
}

/* Name of the region and, at its entry, its source. A region without prepared text, or with a name longer than the
 * room of the line, is written directly to the sink. */
static unsigned char *put_long_region(struct text_writer *text, unsigned char *at, const struct refrain_event *event) {
    const bool enters = event->kind == REFRAIN_EVENT_ENTER;
    struct refrain_sink *sink = text->sink;
    sink->at = put_text(at, kinds[event->kind].text);
    if (event->region->index < text->n_regions) {
        const struct region_text *region = &text->regions[event->region->index];
        refrain_sink_put_bytes(sink, region->enter + BEFORE_NAME,
                               enters ? region->enter_bytes - BEFORE_NAME : region->name_bytes);
    } else {
        refrain_sink_put_text(sink, event->region->name);
        if (enters)
            SINK_PUT(sink, "\tfile=\tline=0");
    }
    refrain_sink_reserve(sink, LINE_BYTES);
    return sink->at;
}

/* The kind of the event and the name of its region; at an entry, also file and line. */
static inline unsigned char *put_region(struct text_writer *text, unsigned char *at,
                                        const struct refrain_event *event) {
    const uint32_t index = event->region->index;
    if (index >= text->n_regions || text->regions[index].enter_bytes > PIECE_BYTES)
        return put_long_region(text, at, event);
    const struct region_text *region = &text->regions[index];
    if (event->kind == REFRAIN_EVENT_ENTER)
        return refrain_put_wide(at, region->enter, region->enter_bytes);
    memcpy(at, kinds[event->kind].text, sizeof kinds->text);
    return refrain_put_wide(at + kinds[event->kind].bytes, region->enter + BEFORE_NAME, region->name_bytes);
}

/* Further fields with --all: the window or file of the event, and its request. */
static unsigned char *put_all(struct text_writer *text, unsigned char *at, const struct refrain_event *event) {
    struct refrain_sink *sink = text->sink;
    sink->at = at;
    put_object(text, event);
    if (event->request >= 0 && event->kind < REFRAIN_EVENT_UNTOLD_SENDS) {
        SINK_PUT(sink, "\trequest=");
        refrain_sink_put_signed(sink, event->request);
    }
    refrain_sink_reserve(sink, LINE_BYTES);
    return sink->at;
}

static unsigned char *put_waits(struct text_writer *text, unsigned char *at, const struct refrain_event *event) {
    struct refrain_sink *sink = text->sink;
    sink->at = at;
    if (event->wait)
        put_wait(sink, event->wait);
    if (event->peer_wait)
        put_peer_wait(sink, event->peer_wait);
    refrain_sink_reserve(sink, LINE_BYTES);
    return sink->at;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct text_writer *text = (struct text_writer *)writer;
    struct refrain_sink *sink = text->sink;
    if (!kinds[event->kind].always && !text->all && !(text->waiting && event->wait))
        return 0;
    refrain_sink_reserve(sink, LINE_BYTES + PIECE_BYTES);
    unsigned char *at = refrain_put_signed(sink->at, event->rank);
    at = put_time(text, at, event->time_ns < 0 ? 0 : (uint64_t)event->time_ns);
    at = put_region(text, at, event);
    if (event->kind > REFRAIN_EVENT_LEAVE)
        at = put_fields(at, event);
    if (text->all)
        at = put_all(text, at, event);
    if (event->thread)
        at = refrain_put_unsigned(PUT(at, "\tthread="), event->thread);
    if (text->waiting && (event->wait || event->peer_wait))
        at = put_waits(text, at, event);
    if (event->approximate)
        at = PUT(at, "\tapproximate");
    *at++ = '\n';
    sink->at = at;
    text->failed |= sink->failed != 0;
    return text->failed;
}

static int end_text(struct refrain_writer *writer) {
    struct text_writer *text = (struct text_writer *)writer;
    bool failed = refrain_sink_close(text->sink, text->begun && !text->failed, text->error) != REFRAIN_OK;
    free(text->regions);
    free(text->texts);
    free(text);
    return failed;
}

struct refrain_writer *refrain_write_text(struct refrain_sink *sink, bool all, bool waiting,
                                          struct refrain_error *error) {
    struct text_writer *text = sink ? calloc(1, sizeof *text) : NULL;
    if (!text) {
        if (sink)
            refrain_sink_close(sink, false, NULL);
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    text->writer = (struct refrain_writer){begin, write_event, end_text};
    text->sink = sink;
    text->all = all;
    text->waiting = waiting;
    text->error = error;
    return &text->writer;
}

static enum refrain_status open_text(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    struct refrain_sink *sink;
    *writer = NULL;
    enum refrain_status status = refrain_sink_open(request->path, request->force, &sink, error);
    if (status)
        return status;
    *writer = refrain_write_text(sink, request->all, request->waiting, error);
    return *writer ? REFRAIN_OK : REFRAIN_ERROR;
}

const struct refrain_format refrain_format_text = {
    .name = "text", .suffix = ".txt", .summary = "one event a line, tab-separated", .untold = true, .open = open_text};
