/* write_clog2.c: the format "clog2" (format.h): CLOG-2 of MPE 2, version 02.44 (sizes and numbers from MPE 2's
 * description of its records).
 *
 *     preamble of 1,024 bytes: titles and values as text, each followed by a zero; then blocks; then the communicators
 *     header: time (double), communicator, rank in it, thread, type     then by type, all numbers 4 bytes:
 *     state    2: state, its two events, 0, colour [24], name [32], format [40]
 *     definition of an event 3: event, 0, colour [24], name [32], format [40]        cargo 6: event, 0, bytes [32]
 *     event    5: event, 0                      message  7: -101 or -102, communicator, rank, tag, bytes, 0
 *     collective 8: event, root, bytes, 0       communicator 9: type, communicator, rank, world rank, identifier [32]
 *     source  10: number, line, file [40]
 *
 * The header of an event has MPI_COMM_WORLD and the rank in it. The header of a message has its communicator with
 * both ranks in it, or MPI_COMM_WORLD if the communicator is not a single group: an arrow leads from the rank in one
 * header to the rank in another, and each must name the other. */
#include "formats/clog_block.h"
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/locations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum type {
    END_LOG = 0,
    END_BLOCK = 1,
    STATE_DEFINITION = 2,
    EVENT_DEFINITION = 3,
    BARE_EVENT = 5,
    CARGO_EVENT = 6,
    MESSAGE = 7,
    COLLECTIVE = 8,
    COMMUNICATOR = 9,
    SOURCE = 10,
    TIME_SHIFT = 11
};
enum {
    COLOUR_BYTES = 24,
    NAME_BYTES = 32,
    FORMAT_BYTES = 40,
    FILE_BYTES = 40,
    IDENTIFIER_BYTES = 32,
    CARGO_BYTES = 32
};
enum { FIRST_STATE = 300, FIRST_EVENT = 600, FIRST_SOLO_EVENT = 5000, FIRST_SOURCE = 900 };
enum { WORLD_CREATE = 0, SELF_CREATE = 1, INTRA_CREATE = 100 };
enum { KIND_INTRA = 1 };
#define PREAMBLE_BYTES 1024u
#define GIGA 1073741824

struct clog2_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct refrain_clog_blocks blocks;
    struct refrain_omitted omitted;
    int32_t **rank_of; /* by communicator, then by world rank: rank in it, -1 none; null: not a single group, or as in
                          MPI_COMM_WORLD */
    int32_t *numbers;  /* by index: number in the file of communicators that are a single group */
    uint32_t most_threads;
    int64_t end_ns;
};

/* Origin of a record: a rank of a communicator, by its number in the file, and a thread. */
struct origin {
    int64_t comm, rank;
    uint32_t thread;
};

static void put_header(struct refrain_clog_blocks *blocks, enum type type, unsigned body_bytes, int64_t time_ns,
                       struct origin origin) {
    if (type != END_BLOCK && type != END_LOG)
        refrain_clog_room(blocks, REFRAIN_CLOG_HEADER_BYTES + body_bytes);
    refrain_clog_double(blocks, (double)time_ns / 1e9);
    refrain_clog_int(blocks, origin.comm);
    refrain_clog_int(blocks, origin.rank);
    refrain_clog_int(blocks, origin.thread);
    refrain_clog_int(blocks, type);
}

static void end_block(struct refrain_clog_blocks *blocks, bool of_log) {
    put_header(blocks, of_log ? END_LOG : END_BLOCK, 0, 0, (struct origin){0, 0, 0});
}

static int64_t region_of(const struct clog2_writer *clog2, const struct refrain_region_info *region) {
    return (int64_t)(region->index < clog2->trace->n_regions ? region->index : clog2->trace->n_regions);
}

/* Events without a state: + 2 i for markers of region i, and 1 more for its counters; they follow those of the
 * states. */
static int64_t first_solo_event(const struct clog2_writer *clog2) {
    int64_t after_states = FIRST_EVENT + 2 * ((int64_t)clog2->trace->n_regions + 1);
    return after_states > FIRST_SOLO_EVENT ? after_states : FIRST_SOLO_EVENT;
}

/* ---- begin ---- */

/* A counter has eight bytes of cargo. */
static void define_values(struct clog2_writer *clog2, size_t i, const char *name) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    for (int counter = 0; counter < 2; counter++) {
        put_header(blocks, EVENT_DEFINITION, 8 + COLOUR_BYTES + NAME_BYTES + FORMAT_BYTES, 0, (struct origin){0, 0, 0});
        refrain_clog_int(blocks, first_solo_event(clog2) + 2 * (int64_t)i + counter);
        refrain_clog_int(blocks, 0);
        refrain_clog_text(blocks, refrain_clog_colour(i), COLOUR_BYTES, false);
        refrain_clog_text(blocks, name, NAME_BYTES, true);
        refrain_clog_text(blocks, counter ? "value=%l" : "", FORMAT_BYTES, false);
    }
}

static void define_state(struct clog2_writer *clog2, size_t i, const char *name, const char *file, uint32_t line) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    put_header(blocks, STATE_DEFINITION, 16 + COLOUR_BYTES + NAME_BYTES + FORMAT_BYTES, 0, (struct origin){0, 0, 0});
    refrain_clog_int(blocks, FIRST_STATE + (int64_t)i);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * (int64_t)i);
    refrain_clog_int(blocks, FIRST_EVENT + 2 * (int64_t)i + 1);
    refrain_clog_int(blocks, 0);
    refrain_clog_text(blocks, refrain_clog_colour(i), COLOUR_BYTES, false);
    refrain_clog_text(blocks, name, NAME_BYTES, true);
    refrain_clog_text(blocks, "", FORMAT_BYTES, false);
    put_header(blocks, SOURCE, 8 + FILE_BYTES, 0, (struct origin){0, 0, 0});
    refrain_clog_int(blocks, FIRST_SOURCE + (int64_t)i);
    refrain_clog_int(blocks, line);
    refrain_clog_path(blocks, file, FILE_BYTES);
}

/* Numbers of communicators in the file: 0 MPI_COMM_WORLD, then the MPI_COMM_SELF of each rank, then the others. */
static int64_t comm_number(const struct clog2_writer *clog2, size_t comm, int32_t rank) {
    return comm == 0 ? 0 : comm == 1 ? 1 + (int64_t)rank : clog2->numbers[comm];
}

/* An identifier that is the same for all members: a random number, a time and a name. Here the number makes it
 * unique. */
static void put_identifier(struct refrain_clog_blocks *blocks, int64_t number) {
    refrain_clog_int(blocks, number);
    refrain_clog_double(blocks, 0);
    refrain_clog_text(blocks, "refrain", IDENTIFIER_BYTES - 12, false);
}

static void define_member(struct clog2_writer *clog2, size_t comm, int32_t rank, int32_t world_rank) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    int64_t number = comm_number(clog2, comm, world_rank);
    put_header(blocks, COMMUNICATOR, 16 + IDENTIFIER_BYTES, 0, (struct origin){0, world_rank, 0});
    refrain_clog_int(blocks, comm == 0 ? WORLD_CREATE : comm == 1 ? SELF_CREATE : INTRA_CREATE);
    refrain_clog_int(blocks, number);
    refrain_clog_int(blocks, rank);
    refrain_clog_int(blocks, world_rank);
    put_identifier(blocks, number);
}

static bool define_comm(struct clog2_writer *clog2, size_t comm) {
    const struct refrain_trace *trace = clog2->trace;
    const struct refrain_comm_info *info = &trace->comms[comm];
    if (comm < 2) {
        for (int32_t rank = 0; rank < trace->size; rank++)
            define_member(clog2, comm, comm ? 0 : rank, rank);
        return true;
    }
    if (info->remote_size > 0)
        return true;
    int32_t *rank_of = malloc(((size_t)trace->size + 1) * sizeof *rank_of);
    if (!rank_of)
        return false;
    memset(rank_of, -1, ((size_t)trace->size + 1) * sizeof *rank_of);
    clog2->rank_of[comm] = rank_of;
    for (int32_t i = 0; i < info->size; i++) {
        int32_t world_rank = info->members ? info->members[i] : i;
        if (world_rank < 0 || world_rank >= trace->size)
            continue;
        rank_of[world_rank] = i;
        define_member(clog2, comm, i, world_rank);
    }
    return true;
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    static const unsigned char preamble[PREAMBLE_BYTES];
    struct clog2_writer *clog2 = (struct clog2_writer *)writer;
    clog2->trace = trace;
    clog2->blocks.out = clog2->file.out;
    clog2->blocks.end = end_block;
    clog2->most_threads = 1;
    for (size_t i = 0; i < trace->n_processes; i++)
        for (uint32_t t = 1; t < trace->processes[i].header->n_threads; t++)
            if (trace->processes[i].threads[t].started && t + 1 > clog2->most_threads)
                clog2->most_threads = t + 1;
    clog2->rank_of = calloc(trace->n_comms + 1, sizeof *clog2->rank_of);
    refrain_sink_put_bytes(clog2->blocks.out, preamble, sizeof preamble);
    clog2->numbers = calloc(trace->n_comms + 1, sizeof *clog2->numbers);
    int32_t next = 1 + trace->size;
    for (size_t i = 2; clog2->numbers && i < trace->n_comms; i++)
        if (trace->comms[i].remote_size == 0)
            clog2->numbers[i] = next++;
    for (int32_t rank = 0; rank < trace->size; rank++) {
        put_header(&clog2->blocks, TIME_SHIFT, 8, 0, (struct origin){0, rank, 0});
        refrain_clog_double(&clog2->blocks, 0);
    }
    for (size_t i = 0; i < trace->n_comms; i++)
        if (!clog2->rank_of || !clog2->numbers || !define_comm(clog2, i)) {
            REFRAIN_FAIL_MEMORY(clog2->file.error);
            return 1;
        }
    for (size_t i = 0; i < trace->n_regions; i++)
        if (trace->regions[i].kind == REFRAIN_REGION_VALUE)
            define_values(clog2, i, trace->regions[i].name);
        else
            define_state(clog2, i, trace->regions[i].name, trace->regions[i].file, trace->regions[i].line);
    define_state(clog2, trace->n_regions, "unknown", "", 0);
    clog2->file.begun = true;
    return clog2->blocks.out->failed != 0;
}

/* ---- events ---- */

/* Writes one end of a message. If both ends are members of the communicator, the record has the communicator and the
 * ranks in it; otherwise MPI_COMM_WORLD and its ranks. So both ends of a message name the same communicator. */
static void put_message(struct clog2_writer *clog2, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    struct origin origin = {0, event->rank, event->thread};
    int64_t rank = event->peer;
    const int32_t *rank_of = event->comm ? clog2->rank_of[event->comm->index] : NULL;
    if (event->comm && event->comm->index == 1 && event->peer == event->rank) {
        origin.comm = comm_number(clog2, 1, event->rank);
        origin.rank = rank = 0;
    } else if (rank_of && event->peer >= 0 && rank_of[event->peer] >= 0 && rank_of[event->rank] >= 0) {
        origin.comm = comm_number(clog2, event->comm->index, event->rank);
        origin.rank = rank_of[event->rank];
        rank = rank_of[event->peer];
    }
    put_header(blocks, MESSAGE, 24, time_ns, origin);
    refrain_clog_int(blocks, event->kind == REFRAIN_EVENT_SEND ? REFRAIN_CLOG_SEND : REFRAIN_CLOG_RECV);
    refrain_clog_int(blocks, origin.comm);
    refrain_clog_int(blocks, rank);
    refrain_clog_int(blocks, event->tag);
    refrain_clog_int(blocks, event->bytes);
    refrain_clog_int(blocks, 0);
}

/* Writes a marker or counter. False if the trace has no name for it. */
static bool put_moment(struct clog2_writer *clog2, const struct refrain_event *event, int64_t time_ns) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    struct origin origin = {0, event->rank, event->thread};
    bool counter = event->kind == REFRAIN_EVENT_COUNTER;
    if (event->region->index >= clog2->trace->n_regions)
        return false;
    put_header(blocks, counter ? CARGO_EVENT : BARE_EVENT, counter ? 8 + CARGO_BYTES : 8, time_ns, origin);
    refrain_clog_int(blocks, first_solo_event(clog2) + 2 * (int64_t)event->region->index + counter);
    refrain_clog_int(blocks, 0);
    if (counter) {
        refrain_clog_long(blocks, event->value);
        refrain_clog_text(blocks, "", CARGO_BYTES - 8, false);
    }
    return true;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct clog2_writer *clog2 = (struct clog2_writer *)writer;
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    int64_t time_ns = event->time_ns < clog2->end_ns ? clog2->end_ns : event->time_ns;
    int64_t region = region_of(clog2, event->region);
    struct origin origin = {0, event->rank, event->thread};
    clog2->end_ns = time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        put_header(blocks, BARE_EVENT, 8, time_ns, origin);
        refrain_clog_int(blocks, FIRST_EVENT + 2 * region + (event->kind == REFRAIN_EVENT_LEAVE));
        refrain_clog_int(blocks, 0);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_message(clog2, event, time_ns);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_header(blocks, COLLECTIVE, 16, time_ns, origin);
        refrain_clog_int(blocks, FIRST_EVENT + 2 * region);
        refrain_clog_int(blocks, event->peer);
        refrain_clog_int(blocks, event->bytes);
        refrain_clog_int(blocks, 0);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        clog2->omitted.kinds[event->kind] += !put_moment(clog2, event, time_ns);
        break;
    default:
        clog2->omitted.kinds[event->kind]++;
        break;
    }
    return blocks->out->failed != 0;
}

/* ---- end ---- */

/* Writes the communicators after the blocks: their number, then identifier, number and kind of each. */
static void put_communicators(struct clog2_writer *clog2) {
    struct refrain_clog_blocks *blocks = &clog2->blocks;
    const struct refrain_trace *trace = clog2->trace;
    int64_t n = 1 + trace->size;
    for (size_t i = 2; i < trace->n_comms; i++)
        n += clog2->rank_of[i] != NULL;
    refrain_clog_int(blocks, n);
    for (size_t i = 0; i < trace->n_comms; i++)
        for (int32_t rank = 0; rank < (i == 1 ? trace->size : i == 0 || clog2->rank_of[i] ? 1 : 0); rank++) {
            put_identifier(blocks, comm_number(clog2, i, rank));
            refrain_clog_int(blocks, comm_number(clog2, i, rank));
            refrain_clog_int(blocks, KIND_INTRA);
        }
}

static void fill_preamble(struct clog2_writer *clog2, uint64_t communicators_at) {
    const struct refrain_trace *trace = clog2->trace;
    int64_t states = (int64_t)trace->n_regions + 1;
    char preamble[PREAMBLE_BYTES] = {0}, *at = preamble;
    const struct {
        const char *title;
        int64_t value;
    } values[] = {{"block_size=", REFRAIN_CLOG_BLOCK_BYTES},
                  {"num_buffered_blocks=", 128},
                  {"max_comm_world_size=", trace->size},
                  {"max_thread_count=", clog2->most_threads},
                  {"known_eventID_start=", 0},
                  {"user_eventID_start=", FIRST_EVENT},
                  {"known_solo_eventID_start=", -10},
                  {"user_solo_eventID_start=", first_solo_event(clog2)},
                  {"known_stateID_count=", FIRST_STATE},
                  {"user_stateID_count=", states},
                  {"known_solo_eventID_count=", 0},
                  {"user_solo_eventID_count=", 2 * (int64_t)trace->n_regions},
                  {"commtable_fptr=", (int64_t)(communicators_at / GIGA)}};
    at += sprintf(at, "CLOG-02.44%cis_big_endian=%cTRUE %cis_finalzed=%cTRUE ", 0, 0, 0, 0) + 1;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        at += sprintf(at, "%s%c%" PRId64, values[i].title, 0, values[i].value) + 1;
    at += sprintf(at, "%d", GIGA) + 1;
    sprintf(at, "%d", (int)(communicators_at % GIGA));
    refrain_sink_patch(clog2->blocks.out, 0, preamble, sizeof preamble);
}

static int end(struct refrain_writer *writer) {
    struct clog2_writer *clog2 = (struct clog2_writer *)writer;
    if (clog2->file.begun) {
        refrain_clog_finish(&clog2->blocks);
        uint64_t communicators_at = refrain_sink_position(clog2->blocks.out);
        put_communicators(clog2);
        fill_preamble(clog2, communicators_at);
    }
    enum refrain_status status = refrain_file_writer_close(&clog2->file, false);
    if (!status && clog2->file.begun) {
        refrain_omitted_warn(&clog2->omitted, "clog2");
        refrain_clog_warn(&clog2->blocks, "clog2");
    }
    for (size_t i = 0; clog2->rank_of && i < clog2->trace->n_comms; i++)
        free(clog2->rank_of[i]);
    free(clog2->rank_of);
    free(clog2->numbers);
    free(clog2);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_clog2 = {
    .name = "clog2",
    .suffix = ".clog2",
    .summary = "CLOG-2 of MPE 2, for Jumpshot-4",
    .by_order = true,
    .file = {sizeof(struct clog2_writer), {begin, write_event, end}, .patchable = true}};
