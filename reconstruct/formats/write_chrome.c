/* write_chrome.c: the format "chrome" (format.h): trace events as JSON, for chrome://tracing, Perfetto's page and
 * speedscope ("Trace Event Format", the JSON object form).
 *
 *     rank N           -> process N + 1, named "Rank N"        (0 stands for the idle process in some readers)
 *     thread t of it   -> thread, numbered from 1 over the whole run, named "Thread t"
 *     enter, leave     -> B and E, with file and line
 *     other events     -> instants (i) of the thread, with their fields as arguments
 *     a message        -> a flow (s to f) between the two calls
 *     waiting          -> a counter (C) of each thread: its waiting time so far for late senders or, with --waiting,
 *                         for any reason; then also an instant (i) for each wait, named by its kind
 *
 * Times are microseconds since the start of the run, with three decimals. */
#include "common/array.h"
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/locations.h"
#include "formats/utf8.h"
#include "formats/waited.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Texts that each event of a region repeats, made once: its name in quotes; for its entry, everything from ,"name": up
 * to the line. */
struct region_text {
    size_t enter, enter_bytes, name, name_bytes; /* offsets in texts */
};

struct chrome_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct refrain_locations locations;
    struct refrain_waited *waiting; /* by location */
    struct region_text *regions;    /* by index; the unknown region comes last */
    size_t n_regions;
    struct texts {
        char *bytes;
        size_t n, capacity;
    } texts;
};

static const char *const categories[] = {[REFRAIN_REGION_FUNCTION] = "function",
                                         [REFRAIN_REGION_MPI] = "mpi",
                                         [REFRAIN_REGION_USER] = "user",
                                         [REFRAIN_REGION_VALUE] = "user",
                                         [REFRAIN_REGION_IO] = "io"};

/* ---- JSON ---- */

/* Writes the inside of a JSON string; bytes that are not UTF-8 become U+FFFD. */
static void put_characters(struct refrain_sink *out, const char *text) {
    for (size_t n; *text; text += n ? n : 1) {
        unsigned char c = (unsigned char)*text;
        n = refrain_utf8_length(text);
        if (n == 0)
            refrain_sink_put_text(out, "\\ufffd");
        else if (c < 0x20 || c == 0x7f)
            refrain_sink_printf(out, "\\u%04x", c);
        else if (c == '"' || c == '\\')
            refrain_sink_put_char(out, '\\'), refrain_sink_put_char(out, (char)c);
        else
            refrain_sink_put_bytes(out, text, n);
    }
}

static void put_string(struct refrain_sink *out, const char *text) {
    refrain_sink_put_char(out, '"');
    put_characters(out, text);
    refrain_sink_put_char(out, '"');
}

static void put_number(struct refrain_sink *out, const char *key, int64_t value) {
    refrain_sink_put_text(out, key);
    refrain_sink_put_signed(out, value);
}

static void put_time(struct refrain_sink *out, int64_t ns) {
    ns = ns < 0 ? 0 : ns;
    char decimals[4] = {'.', (char)('0' + ns / 100 % 10), (char)('0' + ns / 10 % 10), (char)('0' + ns % 10)};
    put_number(out, ",\"ts\":", ns / 1000);
    refrain_sink_put_bytes(out, decimals, sizeof decimals);
}

/* {"ph":"B","pid":..,"tid":..,"ts":.. */
static void open_event(struct chrome_writer *chrome, const char *phase, const struct refrain_event *event) {
    struct refrain_sink *out = chrome->file.out;
    refrain_sink_put_text(out, ",\n{\"ph\":\"");
    refrain_sink_put_text(out, phase);
    put_number(out, "\",\"pid\":", (int64_t)event->rank + 1);
    put_number(out, ",\"tid\":", (int64_t)refrain_locations_of(&chrome->locations, event) + 1);
    put_time(out, event->time_ns);
}

/* ---- regions ---- */

static bool append_text(void *data, const void *bytes, size_t n) {
    struct texts *texts = data;
    if (!REFRAIN_ARRAY_ROOMS(texts->bytes, texts->n, n, texts->capacity))
        return false;
    memcpy(texts->bytes + texts->n, bytes, n);
    texts->n += n;
    return true;
}

static void put_region(struct refrain_sink *sink, const struct refrain_region_info *region, struct region_text *text) {
    text->name = refrain_sink_position(sink);
    put_string(sink, region->name);
    text->name_bytes = refrain_sink_position(sink) - text->name;
    text->enter = refrain_sink_position(sink);
    refrain_sink_put_text(sink, ",\"name\":");
    put_string(sink, region->name);
    refrain_sink_put_text(sink, ",\"cat\":\"");
    refrain_sink_put_text(sink, categories[region->kind]);
    refrain_sink_put_text(sink, "\",\"args\":{\"file\":");
    put_string(sink, region->file);
    put_number(sink, ",\"line\":", region->line);
    text->enter_bytes = refrain_sink_position(sink) - text->enter;
}

static bool make_regions(struct chrome_writer *chrome, const struct refrain_trace *trace) {
    static const struct refrain_region_info unknown = {.name = "unknown", .file = "", .collective = ""};
    struct refrain_sink *sink = refrain_sink_open_function(append_text, &chrome->texts);
    chrome->n_regions = trace->n_regions;
    chrome->regions = calloc(trace->n_regions + 1, sizeof *chrome->regions);
    for (size_t i = 0; sink && chrome->regions && i <= trace->n_regions; i++)
        put_region(sink, i < trace->n_regions ? &trace->regions[i] : &unknown, &chrome->regions[i]);
    return sink && refrain_sink_close(sink, true, NULL) == REFRAIN_OK && chrome->regions;
}

static const struct region_text *text_of(const struct chrome_writer *chrome, const struct refrain_event *event) {
    size_t index = event->region->index;
    return &chrome->regions[index < chrome->n_regions ? index : chrome->n_regions];
}

/* ---- begin ---- */

static void put_metadata(struct chrome_writer *chrome, const struct refrain_location *location, size_t number) {
    struct refrain_sink *out = chrome->file.out;
    if (location->thread == 0)
        refrain_sink_printf(out,
                            ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":\"process_name\",\"args\":{\"name\":"
                            "\"Rank %d%s\"}},\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":\"process_sort_index\","
                            "\"args\":{\"sort_index\":%d}}",
                            location->rank + 1, number + 1, location->rank, location->process ? "" : " (no file)",
                            location->rank + 1, number + 1, location->rank);
    refrain_sink_printf(out,
                        ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":\"thread_name\",\"args\":{\"name\":\"Thread "
                        "%u\",\"rank\":%d,\"thread\":%u}},\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%zu,\"name\":"
                        "\"thread_sort_index\",\"args\":{\"sort_index\":%u}}",
                        location->rank + 1, number + 1, location->thread, location->rank, location->thread,
                        location->rank + 1, number + 1, location->thread);
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct chrome_writer *chrome = (struct chrome_writer *)writer;
    struct refrain_sink *out = chrome->file.out;
    chrome->trace = trace;
    if (refrain_locations_make(&chrome->locations, trace))
        chrome->waiting = calloc(chrome->locations.n + 1, sizeof *chrome->waiting);
    if (!chrome->waiting || !make_regions(chrome, trace)) {
        REFRAIN_FAIL_MEMORY(chrome->file.error);
        return 1;
    }
    refrain_sink_put_text(out, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"refrain " REFRAIN_VERSION
                               "\",\"program\":");
    put_string(out, refrain_locations_program(trace));
    put_number(out, ",\"ranks\":", trace->size);
    refrain_sink_put_text(out,
                          "},\"traceEvents\":[\n{\"ph\":\"M\",\"pid\":1,\"tid\":1,\"name\":\"process_labels\",\"args\":"
                          "{\"labels\":");
    put_string(out, refrain_locations_program(trace));
    refrain_sink_put_text(out, "}}");
    for (size_t i = 0; i < chrome->locations.n; i++)
        put_metadata(chrome, &chrome->locations.all[i], i);
    chrome->file.begun = true;
    return out->failed != 0;
}

/* ---- events ---- */

static void put_comm(struct refrain_sink *out, const struct refrain_event *event) {
    if (event->comm)
        put_number(out, ",\"comm\":", event->comm->index);
    if (event->comm && event->comm->name[0]) {
        refrain_sink_put_text(out, ",\"comm_name\":");
        put_string(out, event->comm->name);
    }
}

static void put_fields(const struct chrome_writer *chrome, const struct refrain_event *event) {
    struct refrain_sink *out = chrome->file.out;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_number(out, event->kind == REFRAIN_EVENT_SEND ? ",\"dest\":" : ",\"source\":", event->peer);
        put_number(out, ",\"tag\":", event->tag);
        put_number(out, ",\"bytes\":", event->bytes);
        put_comm(out, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_number(out, ",\"root\":", event->peer);
        put_number(out, ",\"sent\":", event->bytes);
        put_number(out, ",\"received\":", event->received);
        put_comm(out, event);
        break;
    case REFRAIN_EVENT_RMA:
        put_number(out, ",\"target\":", event->peer);
        put_number(out, ",\"bytes\":", event->bytes);
        put_number(out, ",\"window\":", refrain_event_object(chrome->trace, event));
        put_comm(out, event);
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        put_number(out, ",\"bytes\":", event->bytes);
        put_number(out, ",\"handle\":", event->tag);
        put_comm(out, event);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        if (event->bytes >= 0)
            put_number(out, ",\"bytes\":", event->bytes);
        break;
    case REFRAIN_EVENT_WINDOW:
        if (event->peer >= 0)
            put_number(out, ",\"target\":", event->peer);
        put_number(out, ",\"window\":", refrain_event_object(chrome->trace, event));
        put_comm(out, event);
        if (event->value != REFRAIN_LOCK_NONE)
            refrain_sink_put_text(out, event->value == REFRAIN_LOCK_EXCLUSIVE ? ",\"lock\":\"exclusive\""
                                                                              : ",\"lock\":\"shared\"");
        break;
    case REFRAIN_EVENT_SEEK:
        refrain_sink_put_text(out, ",\"whence\":");
        put_string(out, refrain_whence_name(event->value));
        put_number(out, ",\"offset\":", event->bytes);
        put_number(out, ",\"position\":", event->received);
        put_number(out, ",\"handle\":", event->tag);
        put_comm(out, event);
        break;
    case REFRAIN_EVENT_FILE:
        put_number(out, ",\"handle\":", event->tag);
        put_comm(out, event);
        refrain_sink_put_text(out, ",\"name\":");
        put_string(out, refrain_event_file_name(chrome->trace, event));
        break;
    default:
        put_comm(out, event);
        break;
    }
    if (event->request >= 0)
        put_number(out, ",\"request\":", event->request);
}

/* The waiting time of the location of the event so far. */
static void put_waited(struct chrome_writer *chrome, const struct refrain_event *event, int64_t total_ns) {
    open_event(chrome, "C", event);
    refrain_sink_printf(chrome->file.out, ",\"name\":\"waiting%s, thread %u\"",
                        chrome->file.waiting ? "" : " for senders", event->thread);
    put_number(chrome->file.out, ",\"args\":{\"ns\":", total_ns);
    refrain_sink_put_text(chrome->file.out, "}}");
}

static void put_wait(struct chrome_writer *chrome, const struct refrain_event *event, const struct refrain_wait *wait) {
    struct refrain_sink *out = chrome->file.out;
    if (!wait)
        return;
    const struct refrain_event waited = refrain_waited_in(event, wait);
    const struct region_text *call = text_of(chrome, &waited);
    int64_t *total_ns = &chrome->waiting[refrain_locations_of(&chrome->locations, &waited)].total_ns;
    open_event(chrome, "i", &waited);
    refrain_sink_put_text(out, ",\"s\":\"t\",\"cat\":\"waiting\",\"name\":");
    put_string(out, refrain_wait_kind_name(wait->kind));
    refrain_sink_put_text(out, ",\"args\":{\"call\":");
    refrain_sink_put_bytes(out, chrome->texts.bytes + call->name, call->name_bytes);
    put_number(out, ",\"waited_ns\":", wait->ns);
    put_number(out, ",\"by\":", wait->cause_rank);
    refrain_sink_put_text(out, ",\"at\":\"");
    put_characters(out, wait->cause->file);
    put_number(out, ":", wait->cause->line);
    refrain_sink_put_text(out, waited.approximate ? "\",\"approximate\":true}}" : "\"}}");
    put_waited(chrome, &waited, *total_ns += wait->ns);
}

static void put_flow(struct chrome_writer *chrome, const struct refrain_event *event) {
    struct refrain_waited *waiting = &chrome->waiting[refrain_locations_of(&chrome->locations, event)];
    if (!event->match)
        return;
    open_event(chrome, event->kind == REFRAIN_EVENT_SEND ? "s" : "f", event);
    refrain_sink_put_text(chrome->file.out, ",\"bp\":\"e\",\"name\":\"message\",\"cat\":\"message\"");
    refrain_sink_put_text(chrome->file.out, ",\"id\":\"");
    refrain_sink_put_unsigned(chrome->file.out, event->match); /* larger than a number in JavaScript can be */
    refrain_sink_put_text(chrome->file.out, "\"}");
    if (!chrome->file.waiting && refrain_waited_for_sender(waiting, event))
        put_waited(chrome, event, waiting->total_ns);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct chrome_writer *chrome = (struct chrome_writer *)writer;
    struct refrain_sink *out = chrome->file.out;
    const struct region_text *text = text_of(chrome, event);
    put_wait(chrome, event, event->wait);
    put_wait(chrome, event, event->peer_wait);
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        refrain_waited_for_sender(&chrome->waiting[refrain_locations_of(&chrome->locations, event)], event);
        open_event(chrome, "B", event);
        refrain_sink_put_bytes(out, chrome->texts.bytes + text->enter, text->enter_bytes);
        refrain_sink_put_text(out, event->approximate ? ",\"approximate\":true}}" : "}}");
        break;
    case REFRAIN_EVENT_LEAVE: /* ends the slice that was begun last */
        open_event(chrome, "E", event);
        refrain_sink_put_text(out, event->approximate ? ",\"args\":{\"approximate\":true}}" : "}");
        break;
    case REFRAIN_EVENT_MARKER:
        open_event(chrome, "i", event);
        refrain_sink_put_text(out, ",\"s\":\"t\",\"cat\":\"user\",\"name\":");
        refrain_sink_put_bytes(out, chrome->texts.bytes + text->name, text->name_bytes);
        refrain_sink_put_text(out, event->approximate ? ",\"args\":{\"approximate\":true}}" : "}");
        break;
    case REFRAIN_EVENT_COUNTER:
        open_event(chrome, "C", event);
        refrain_sink_put_text(out, ",\"name\":");
        refrain_sink_put_bytes(out, chrome->texts.bytes + text->name, text->name_bytes);
        refrain_sink_printf(out, ",\"id\":\"thread %u\",\"args\":{\"value\":%" PRId64 "}}", event->thread,
                            event->value);
        break;
    default:
        open_event(chrome, "i", event);
        refrain_sink_put_text(out, ",\"s\":\"t\",\"cat\":\"operation\",\"name\":\"");
        refrain_sink_put_text(out, refrain_event_name(event->kind));
        refrain_sink_put_text(out, "\",\"args\":{\"call\":");
        refrain_sink_put_bytes(out, chrome->texts.bytes + text->name, text->name_bytes);
        put_fields(chrome, event);
        refrain_sink_put_text(out, event->approximate ? ",\"approximate\":true}}" : "}}");
        if (event->kind == REFRAIN_EVENT_SEND || event->kind == REFRAIN_EVENT_RECV)
            put_flow(chrome, event);
        break;
    }
    return out->failed != 0;
}

/* ---- end ---- */

static int end(struct refrain_writer *writer) {
    struct chrome_writer *chrome = (struct chrome_writer *)writer;
    refrain_sink_put_text(chrome->file.out, "\n]}\n");
    enum refrain_status status = refrain_file_writer_close(&chrome->file, false);
    free(chrome->waiting);
    free(chrome->regions);
    free(chrome->texts.bytes);
    refrain_locations_free(&chrome->locations);
    free(chrome);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_chrome = {
    .name = "chrome",
    .suffix = ".json",
    .summary = "JSON for chrome://tracing, ui.perfetto.dev, speedscope",
    .file = {sizeof(struct chrome_writer), {begin, write_event, end}, .patchable = false}};
