/* write_text.c: the format "text" (format.h): one event a line, tab-separated: rank, seconds since the start with nine
 * decimals, event, name, then key=value pairs. */
#include "write_text.h"
#include "event_names.h"
#include "format.h"
#include "trace_read.h"
#include "waiting.h"

#include <stdio.h>
#include <stdlib.h>

/* What a region contributes to a line, made once. */
struct region_text {
    const char *name;
    const char *source; /* "\tfile=...\tline=..." */
    size_t name_bytes, source_bytes;
};

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
    uint64_t latest_ms;   /* of an event's time: those that follow mostly differ in what comes behind it */
    char latest_text[32]; /* a tab, and the digits of it */
    size_t latest_bytes;  /* 0: none yet */
};

/* ---- regions ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct text_writer *text = (struct text_writer *)writer;
    size_t bytes = 1, at = 0;
    for (size_t i = 0; i < trace->n_regions; i++)
        bytes +=
            4 * (strlen(trace->regions[i].name) + strlen(trace->regions[i].file)) + sizeof "\tfile=\tline=4294967295";
    text->regions = calloc(trace->n_regions + 1, sizeof *text->regions);
    text->texts = malloc(bytes);
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
        of_region->name = text->texts + at;
        of_region->name_bytes = refrain_escape_name(text->texts + at, region->name);
        at += of_region->name_bytes;
        of_region->source = text->texts + at;
        at += (size_t)sprintf(text->texts + at, "\tfile=");
        at += refrain_escape_name(text->texts + at, region->file);
        at += (size_t)sprintf(text->texts + at, "\tline=%u", region->line);
        of_region->source_bytes = (size_t)(text->texts + at - of_region->source);
    }
    return 0;
}

/* ---- events ---- */

#define PUT(sink, literal) refrain_sink_put_bytes((sink), literal, sizeof literal - 1)

static void put_comm(struct refrain_sink *sink, const struct refrain_event *event) {
    if (event->comm) {
        PUT(sink, "\tcomm=");
        refrain_sink_put_unsigned(sink, event->comm->index);
    } else {
        PUT(sink, "\tcomm=unknown");
    }
}

static void put_bytes(struct refrain_sink *sink, const struct refrain_event *event) {
    PUT(sink, "\tbytes=");
    refrain_sink_put_signed(sink, event->bytes);
}

static void put_value(struct refrain_sink *sink, const struct refrain_event *event) {
    PUT(sink, "\tvalue=");
    refrain_sink_put_signed(sink, event->value);
}

static void put_partner(struct refrain_sink *sink, const struct refrain_event *event) {
    refrain_sink_put_signed(sink, event->peer);
    PUT(sink, "\ttag=");
    refrain_sink_put_signed(sink, event->tag);
}

static void put_message(struct refrain_sink *sink, const struct refrain_event *event) {
    put_partner(sink, event);
    put_bytes(sink, event);
    put_comm(sink, event);
}

static void put_fields(struct refrain_sink *sink, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        PUT(sink, "\tdest=");
        put_message(sink, event);
        break;
    case REFRAIN_EVENT_RECV:
        PUT(sink, "\tsource=");
        put_message(sink, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        if (event->peer >= 0) { /* else there is none */
            PUT(sink, "\troot=");
            refrain_sink_put_signed(sink, event->peer);
        }
        PUT(sink, "\tsent=");
        refrain_sink_put_signed(sink, event->bytes);
        PUT(sink, "\treceived=");
        refrain_sink_put_signed(sink, event->received);
        put_comm(sink, event);
        break;
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        put_comm(sink, event);
        break;
    case REFRAIN_EVENT_RMA:
        PUT(sink, "\ttarget=");
        refrain_sink_put_signed(sink, event->peer);
        put_bytes(sink, event);
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        put_bytes(sink, event);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        if (event->bytes >= 0)
            put_bytes(sink, event);
        break;
    case REFRAIN_EVENT_SEEK:
        PUT(sink, "\twhence=");
        refrain_sink_put_text(sink, refrain_whence_name(event->value));
        PUT(sink, "\toffset=");
        refrain_sink_put_signed(sink, event->bytes);
        PUT(sink, "\tposition=");
        refrain_sink_put_signed(sink, event->received);
        break;
    case REFRAIN_EVENT_COUNTER:
        put_value(sink, event);
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        if (event->kind == REFRAIN_EVENT_UNTOLD_SENDS)
            PUT(sink, "\tdest=");
        else
            PUT(sink, "\tsource=");
        put_partner(sink, event);
        put_comm(sink, event);
        put_value(sink, event);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        PUT(sink, "\tkind=");
        refrain_sink_put_text(sink, event->request < 0 ? "" : "i");
        refrain_sink_put_text(sink, refrain_collective_name((enum refrain_collective)event->tag));
        put_comm(sink, event);
        put_value(sink, event);
        break;
    default:
        break;
    }
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

/* Which of the windows of its communicator it is; which of the files of its process, and its name where it is opened or
 * the like. */
static void put_object(struct text_writer *text, const struct refrain_event *event) {
    struct refrain_sink *sink = text->sink;
    const bool window = event->kind == REFRAIN_EVENT_WINDOW || event->kind == REFRAIN_EVENT_RMA;
    if (!window && !refrain_event_names_file(event->kind))
        return;
    if (event->kind == REFRAIN_EVENT_WINDOW && event->peer >= 0) {
        PUT(sink, "\ttarget=");
        refrain_sink_put_signed(sink, event->peer);
    }
    if (window)
        PUT(sink, "\twindow=");
    else
        PUT(sink, "\thandle=");
    refrain_sink_put_signed(sink, refrain_event_object(text->trace, event));
    put_comm(sink, event);
    if (event->kind == REFRAIN_EVENT_WINDOW && event->value != REFRAIN_LOCK_NONE)
        refrain_sink_put_text(sink, event->value == REFRAIN_LOCK_EXCLUSIVE ? "\tlock=exclusive" : "\tlock=shared");
    if (event->kind == REFRAIN_EVENT_FILE)
        put_flags(sink, "\tmode=", event->value);
    const char *name = event->kind == REFRAIN_EVENT_FILE ? refrain_event_file_name(text->trace, event) : "";
    if (name[0]) {
        PUT(sink, "\tname=");
        refrain_sink_put_name(sink, name);
    }
}

/* Names of the kinds, with a tab on either side; null: no such events are written. */
static const char *name_of(enum refrain_event_kind kind, bool all) {
    switch (kind) {
    case REFRAIN_EVENT_ENTER:
        return "\tenter\t";
    case REFRAIN_EVENT_LEAVE:
        return "\tleave\t";
    case REFRAIN_EVENT_SEND:
        return "\tsend\t";
    case REFRAIN_EVENT_RECV:
        return "\trecv\t";
    case REFRAIN_EVENT_COLLECTIVE:
        return "\tcollective\t";
    case REFRAIN_EVENT_RMA:
        return "\trma\t";
    case REFRAIN_EVENT_IO:
        return "\tio\t";
    case REFRAIN_EVENT_MARKER:
        return "\tmarker\t";
    case REFRAIN_EVENT_COUNTER:
        return "\tcounter\t";
    case REFRAIN_EVENT_UNTOLD_SENDS:
        return "\tuntold-sends\t";
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        return "\tuntold-receives\t";
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        return "\tuntold-collectives\t";
    case REFRAIN_EVENT_SEND_COMPLETE:
        return all ? "\tsend-complete\t" : NULL;
    case REFRAIN_EVENT_RECV_POST:
        return all ? "\trecv-post\t" : NULL;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        return all ? "\tcollective-complete\t" : NULL;
    case REFRAIN_EVENT_CANCEL:
        return all ? "\tcancel\t" : NULL;
    case REFRAIN_EVENT_WINDOW:
        return all ? "\twindow\t" : NULL;
    case REFRAIN_EVENT_FILE:
        return all ? "\tfile\t" : NULL;
    case REFRAIN_EVENT_MOVED:
        return all ? "\tmoved\t" : NULL;
    case REFRAIN_EVENT_SEEK:
        return all ? "\tseek\t" : NULL;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        return all ? "\taccess-complete\t" : NULL;
    }
    return NULL;
}

static void put_seconds(struct refrain_sink *sink, uint64_t ns) {
    refrain_sink_put_unsigned(sink, ns / 1000000000);
    refrain_sink_put_char(sink, '.');
    refrain_sink_put_digits(sink, ns % 1000000000, 9);
}

static void put_place(struct refrain_sink *sink, const struct refrain_region_info *region) {
    refrain_sink_put_text(sink, region->file);
    refrain_sink_put_char(sink, ':');
    refrain_sink_put_unsigned(sink, region->line);
}

static void put_wait(struct refrain_sink *sink, const struct refrain_wait *wait) {
    PUT(sink, "\tfor=");
    refrain_sink_put_text(sink, refrain_wait_kind_name(wait->kind));
    PUT(sink, "\twaited=");
    put_seconds(sink, (uint64_t)wait->ns);
    PUT(sink, "\tby=");
    refrain_sink_put_signed(sink, wait->cause_rank);
    PUT(sink, "\tat=");
    put_place(sink, wait->cause);
}

/* The wait of the call that sent or completed the message, known only now: that call may have been left before. */
static void put_peer_wait(struct refrain_sink *sink, const struct refrain_wait *wait) {
    PUT(sink, "\tsender_for=");
    refrain_sink_put_text(sink, refrain_wait_kind_name(wait->kind));
    PUT(sink, "\tsender_waited=");
    put_seconds(sink, (uint64_t)wait->ns);
    PUT(sink, "\tsender_at=");
    put_place(sink, wait->region);
}

/* A tab, and the time in seconds. */
static void put_time(struct text_writer *text, uint64_t ns) {
    struct refrain_sink *sink = text->sink;
    uint64_t ms = ns / 1000000;
    if (ms != text->latest_ms || text->latest_bytes == 0) {
        refrain_sink_reserve(sink, sizeof text->latest_text);
        const unsigned char *begin = sink->at;
        refrain_sink_put_char(sink, '\t');
        refrain_sink_put_unsigned(sink, ms / 1000);
        refrain_sink_put_char(sink, '.');
        refrain_sink_put_digits(sink, ms % 1000, 3);
        text->latest_ms = ms;
        text->latest_bytes = (size_t)(sink->at - begin);
        memcpy(text->latest_text, begin, text->latest_bytes);
    } else {
        refrain_sink_put_bytes(sink, text->latest_text, text->latest_bytes);
    }
    refrain_sink_put_digits(sink, ns % 1000000, 6);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct text_writer *text = (struct text_writer *)writer;
    struct refrain_sink *sink = text->sink;
    const char *kind = name_of(event->kind, text->all || (text->waiting && event->wait));
    if (!kind)
        return 0;
    uint64_t ns = event->time_ns < 0 ? 0 : (uint64_t)event->time_ns;
    refrain_sink_put_signed(sink, event->rank);
    put_time(text, ns);
    refrain_sink_put_text(sink, kind);
    if (event->region->index < text->n_regions) {
        const struct region_text *region = &text->regions[event->region->index];
        bool enters = event->kind == REFRAIN_EVENT_ENTER; /* the source follows the name */
        refrain_sink_put_bytes(sink, region->name, region->name_bytes + (enters ? region->source_bytes : 0));
    } else {
        refrain_sink_put_text(sink, event->region->name);
        if (event->kind == REFRAIN_EVENT_ENTER)
            PUT(sink, "\tfile=\tline=0");
    }
    put_fields(sink, event);
    if (text->all)
        put_object(text, event);
    if (text->all && event->request >= 0 && event->kind < REFRAIN_EVENT_UNTOLD_SENDS) {
        PUT(sink, "\trequest=");
        refrain_sink_put_signed(sink, event->request);
    }
    if (event->thread) {
        PUT(sink, "\tthread=");
        refrain_sink_put_unsigned(sink, event->thread);
    }
    if (text->waiting && event->wait)
        put_wait(sink, event->wait);
    if (text->waiting && event->peer_wait)
        put_peer_wait(sink, event->peer_wait);
    if (event->approximate)
        PUT(sink, "\tapproximate");
    refrain_sink_put_char(sink, '\n');
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
