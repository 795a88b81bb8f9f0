/* write_clog.c: the format "clog" (format.h): CLOG of MPE 1 (A. I. Margaris, "Log File Formats for Parallel
 * Applications: A Review", section 3; sizes of the fields from MPE's description of its records).
 *
 *     header: time (double), type, length in doubles, process, 0        then by type, all numbers 4 bytes but the time:
 *     state    6: state, its two events, 0, colour [24], name [16]      source 7: number, line, file [40]
 *     event    1: event, data, source, 0, text [16]                     communicator 4: type, parent, new one, source
 *     message  2: -101 or -102, tag, other rank, communicator, bytes, source
 *     collective 3: event, root, communicator, bytes, source, 0
 *
 * Threads but the first have no place. */
#include "clog_block.h"
#include "event_names.h"
#include "file_writer.h"
#include "locations.h"
#include "warn.h"

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
    STATE_DEFINITION = 6,
    SOURCE = 7
};
enum { COLOUR_BYTES = 24, NAME_BYTES = 16, FILE_BYTES = 40 };
enum { FIRST_EVENT = 500, FIRST_STATE = 200, FIRST_SOURCE = 900 }; /* above those that MPE keeps for itself */
enum { COMMUNICATOR_INIT = 101, COMMUNICATOR_CREATED = 105 };

struct clog_writer {
    struct refrain_file_writer file;
    struct refrain_clog_blocks blocks;
    struct refrain_omitted omitted;
    uint64_t thread_events;
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

/* ---- definitions ---- */

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
    struct clog_writer *clog = (struct clog_writer *)writer;
    struct refrain_clog_blocks *blocks = &clog->blocks;
    clog->n_regions = trace->n_regions;
    for (size_t i = 0; i < trace->n_regions; i++)
        define_state(clog, i, trace->regions[i].name, trace->regions[i].file, trace->regions[i].line);
    define_state(clog, trace->n_regions, "unknown", "", 0);
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

static void put_state(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    int64_t region = (int64_t)region_of(clog, event->region);
    put_header(blocks, RAW_EVENT, 16 + NAME_BYTES, time_ns, event->rank);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * region + (event->kind == REFRAIN_EVENT_LEAVE));
    refrain_clog_int(blocks, 0);
    refrain_clog_int(blocks, FIRST_SOURCE + region);
    refrain_clog_int(blocks, 0);
    refrain_clog_text(blocks, "", NAME_BYTES, false);
}

static void put_message(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    put_header(blocks, MESSAGE, 24, time_ns, event->rank);
    refrain_clog_int(blocks, event->kind == REFRAIN_EVENT_SEND ? REFRAIN_CLOG_SEND : REFRAIN_CLOG_RECV);
    refrain_clog_int(blocks, event->tag);
    refrain_clog_int(blocks, event->peer);
    refrain_clog_int(blocks, event->comm ? (int64_t)event->comm->index : -1);
    refrain_clog_int(blocks, event->bytes);
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)region_of(clog, event->region));
}

static void put_collective(struct clog_writer *clog, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog->blocks;
    int64_t region = (int64_t)region_of(clog, event->region);
    put_header(blocks, COLLECTIVE, 24, time_ns, event->rank);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * region);
    refrain_clog_int(blocks, event->peer);
    refrain_clog_int(blocks, event->comm ? (int64_t)event->comm->index : -1);
    refrain_clog_int(blocks, event->bytes);
    refrain_clog_int(blocks, FIRST_SOURCE + region);
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
        refrain_omitted_say(&clog->omitted);
        refrain_clog_say(&clog->blocks, "clog");
    }
    free(clog);
    return status != REFRAIN_OK;
}

static enum refrain_status open_clog(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    static const struct refrain_writer functions = {begin, write_event, end};
    enum refrain_status status =
        refrain_file_writer_open(request, sizeof(struct clog_writer), false, &functions, writer, error);
    struct clog_writer *clog = (struct clog_writer *)*writer;
    if (clog) {
        clog->omitted.format = "clog";
        clog->blocks.out = clog->file.out;
        clog->blocks.end = end_block;
    }
    return status;
}

const struct refrain_format refrain_format_clog = {
    .name = "clog", .suffix = ".clog", .summary = "CLOG of MPE 1, for Jumpshot-2", .by_order = true, .open = open_clog};
