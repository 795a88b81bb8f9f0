/* write_alog.c: the format "alog" (format.h): ALOG, the text that upshot and nupshot read (A. I. Margaris, "Log File
 * Formats for Parallel Applications: A Review", section 2).
 *
 *     a line: event type, process, task, integer, clock cycle, time stamp, string
 *
 *     definitions      -> -1 to -11, and -13 for each state
 *     rank N, thread t -> process N, task t
 *     enter, leave     -> the two events of the region's state
 *     send, receive    -> -101, -102: the other rank as integer, tag and bytes as string
 *     collective       -> an event of its own: root as integer, bytes sent and received and communicator as string
 *     marker, counter  -> an event of its own, of a counter with the value as integer
 *
 * Times are microseconds, in cycles of 2^32. The numbers of events and the first and last time are at the beginning
 * of the file, and are overwritten at the end. */
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/locations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum definition {
    CREATOR = -1,
    EVENTS = -2,
    PROCESSES = -3,
    TASKS = -4,
    EVENT_TYPES = -5,
    START_TIME = -6,
    END_TIME = -7,
    CYCLES = -8,
    DESCRIPTION = -9,
    PRINTF = -10,
    ROLLOVER = -11,
    STATE = -13,
    SEND = -101,
    RECV = -102
};

#define CYCLE_US ((uint64_t)1 << 32)
#define PATCHED_DIGITS 20

struct alog_writer {
    struct refrain_file_writer file;
    struct refrain_locations locations;
    struct refrain_omitted omitted;
    uint64_t events_at, start_at, end_at, cycles_at; /* positions of these numbers in the file */
    uint64_t events;
    int64_t start_ns, end_ns;
    size_t n_regions;
};

/* ---- lines ---- */

static void put_line(struct refrain_sink *out, int64_t type, int64_t process, int64_t task, int64_t integer,
                     uint64_t us) {
    const int64_t fields[] = {type, process, task, integer, (int64_t)(us / CYCLE_US), (int64_t)(us % CYCLE_US)};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (i)
            refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, fields[i]);
    }
}

static void put_number(struct refrain_sink *out, enum definition definition, int64_t value) {
    put_line(out, definition, 0, 0, value, 0);
    refrain_sink_put_char(out, '\n');
}

/* Writes a line whose integer or time is not known yet, with blanks for it. Returns the position of the blanks. */
static uint64_t put_blank(struct refrain_sink *out, enum definition definition, bool is_time) {
    refrain_sink_printf(out, is_time ? "%d 0 0 0 0 " : "%d 0 0 ", definition);
    uint64_t at = refrain_sink_position(out);
    refrain_sink_printf(out, is_time ? "%*s\n" : "%*s 0 0\n", PATCHED_DIGITS, "");
    return at;
}

static void fill_blank(struct refrain_sink *out, uint64_t at, uint64_t value) {
    char text[PATCHED_DIGITS + 1];
    snprintf(text, sizeof text, "%*" PRIu64, PATCHED_DIGITS, value);
    refrain_sink_patch(out, at, text, PATCHED_DIGITS);
}

/* ---- begin ---- */

/* Types: 2 i and 2 i + 1 for the state of region i, or for its markers and counters. The unknown region comes last,
 * and then the collectives. */
static int64_t start_type(const struct alog_writer *alog, const struct refrain_region_info *region) {
    return 2 * (int64_t)(region->index < alog->n_regions ? region->index : alog->n_regions);
}

static int64_t collective_type(const struct alog_writer *alog) {
    return 2 * ((int64_t)alog->n_regions + 1);
}

/* Writes a bitmap after the colour, although ALOG does not require one: without it, nupshot takes a colon in the name
 * for the one before the bitmap. */
static void put_state(struct refrain_sink *out, int64_t start, const char *name) {
    static const char *const colours[] = {"red", "blue", "green", "orange", "yellow", "purple", "cyan", "brown"};
    for (int end = 0; end < 2; end++) {
        put_line(out, DESCRIPTION, 0, 0, start + end, 0);
        refrain_sink_put_text(out, end ? " End " : " Start ");
        refrain_sink_put_name(out, name);
        refrain_sink_put_char(out, '\n');
    }
    refrain_sink_printf(out, "%d 0 %" PRId64 " %" PRId64 " 0 0 %s:gray ", STATE, start, start + 1,
                        colours[start / 2 % 8]);
    refrain_sink_put_name(out, name);
    refrain_sink_put_char(out, '\n');
}

/* Two types for the markers and counters of a name, since only counters have a value. */
static void put_values(struct refrain_sink *out, int64_t marker, const char *name) {
    for (int counter = 0; counter < 2; counter++) {
        put_line(out, DESCRIPTION, 0, 0, marker + counter, 0);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_name(out, name);
        refrain_sink_put_char(out, '\n');
    }
    put_line(out, PRINTF, 0, 0, marker + 1, 0);
    refrain_sink_put_text(out, " value=%d\n");
}

static void put_types(struct refrain_sink *out, const struct refrain_trace *trace) {
    for (size_t i = 0; i < trace->n_regions; i++)
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE)
            put_values(out, 2 * (int64_t)i, trace->regions[i].name);
        else
            put_state(out, 2 * (int64_t)i, trace->regions[i].name);
    put_state(out, 2 * (int64_t)trace->n_regions, "unknown");
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct alog_writer *alog = (struct alog_writer *)writer;
    struct refrain_sink *out = alog->file.out;
    uint32_t tasks = 1;
    if (!refrain_locations_make(&alog->locations, trace)) {
        REFRAIN_FAIL_MEMORY(alog->file.error);
        return 1;
    }
    for (size_t i = 0; i < alog->locations.n; i++)
        tasks = alog->locations.all[i].thread + 1 > tasks ? alog->locations.all[i].thread + 1 : tasks;
    alog->n_regions = trace->n_regions;
    alog->start_ns = -1;
    put_line(out, CREATOR, 0, 0, 0, 0);
    refrain_sink_put_char(out, ' ');
    refrain_sink_put_name(out, refrain_locations_program(trace));
    refrain_sink_put_text(out, " by refrain " REFRAIN_VERSION "\n");
    alog->events_at = put_blank(out, EVENTS, false);
    put_number(out, PROCESSES, trace->size);
    put_number(out, TASKS, tasks);
    put_number(out, EVENT_TYPES, 2 * ((int64_t)trace->n_regions + 1) + 3);
    alog->start_at = put_blank(out, START_TIME, true);
    alog->end_at = put_blank(out, END_TIME, true);
    alog->cycles_at = put_blank(out, CYCLES, false);
    refrain_sink_printf(out, "%d 0 0 0 0 %" PRIu64 "\n", ROLLOVER, CYCLE_US - 1);
    put_types(out, trace);
    put_line(out, DESCRIPTION, 0, 0, collective_type(alog), 0);
    refrain_sink_put_text(out, " Collective\n");
    put_line(out, PRINTF, 0, 0, collective_type(alog), 0);
    refrain_sink_put_text(out, " root=%d (sent received communicator)\n");
    alog->file.begun = true;
    return out->failed != 0;
}

/* ---- events ---- */

static void put_event(struct alog_writer *alog, int64_t type, const struct refrain_event *event, int64_t integer) {
    int64_t ns = event->time_ns < alog->end_ns ? alog->end_ns : event->time_ns;
    alog->end_ns = ns;
    alog->start_ns = alog->start_ns < 0 ? ns : alog->start_ns;
    alog->events++;
    put_line(alog->file.out, type, event->rank, event->thread, integer, (uint64_t)ns / 1000);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct alog_writer *alog = (struct alog_writer *)writer;
    struct refrain_sink *out = alog->file.out;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        put_event(alog, start_type(alog, event->region) + (event->kind == REFRAIN_EVENT_LEAVE), event, 0);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_event(alog, event->kind == REFRAIN_EVENT_SEND ? SEND : RECV, event, event->peer);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, event->tag);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, event->bytes);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_event(alog, collective_type(alog), event, event->peer);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, event->bytes);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, event->received);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_signed(out, event->comm ? (int64_t)event->comm->index : -1);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        if (event->region->index >= alog->n_regions) {
            alog->omitted.kinds[event->kind]++;
            return out->failed != 0;
        }
        put_event(alog, start_type(alog, event->region) + (event->kind == REFRAIN_EVENT_COUNTER), event, event->value);
        break;
    default:
        alog->omitted.kinds[event->kind]++;
        return out->failed != 0;
    }
    refrain_sink_put_char(out, '\n');
    return out->failed != 0;
}

/* ---- end ---- */

static int end(struct refrain_writer *writer) {
    struct alog_writer *alog = (struct alog_writer *)writer;
    if (alog->file.begun) {
        uint64_t start_us = alog->start_ns < 0 ? 0 : (uint64_t)alog->start_ns / 1000,
                 end_us = (uint64_t)alog->end_ns / 1000;
        fill_blank(alog->file.out, alog->events_at, alog->events);
        fill_blank(alog->file.out, alog->start_at, start_us % CYCLE_US);
        fill_blank(alog->file.out, alog->end_at, end_us % CYCLE_US);
        fill_blank(alog->file.out, alog->cycles_at, end_us / CYCLE_US + 1);
    }
    enum refrain_status status = refrain_file_writer_close(&alog->file, false);
    if (!status && alog->file.begun)
        refrain_omitted_warn(&alog->omitted, "alog");
    refrain_locations_free(&alog->locations);
    free(alog);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_alog = {
    .name = "alog",
    .suffix = ".alog",
    .summary = "ALOG text, for upshot and nupshot",
    .by_order = true,
    .file = {sizeof(struct alog_writer), {begin, write_event, end}, .patchable = true}};
