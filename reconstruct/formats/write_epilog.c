/* write_epilog.c: the format "epilog" (format.h): EPILOG 1.2 (F. Wolf, B. Mohr, N. Bhatia: EPILOG Binary Trace-Data
 * Format, 2004).
 *
 *     rank N thread t -> location, on its node; process N, thread t
 *     enter           -> ENTER of a region; ENTER_CS of a call site, for MPI calls whose line is known
 *     leave           -> EXIT; MPI_COLLEXIT if the call was a collective, or began one
 *     send, receive   -> MPI_SEND, MPI_RECV
 *     waiting         -> a metric of every entry and exit: the waiting time of the location so far, for senders or,
 *                        with --waiting, for any reason
 *     counter         -> a metric of every entry and exit: its current value
 *     marker          -> ENTER and EXIT of a user region at the same time
 *     pause           -> LOG_OFF, LOG_ON
 *     OpenMP construct-> a region of its type; OMP_FORK and OMP_JOIN in a parallel construct of the master,
 *                        OMP_COLLEXIT at its end, OMP_ALOCK and OMP_RLOCK around the block of a critical construct
 *     other threads   -> one team per rank, from OMP_FORK before the first event of a thread other than the master
 *                        to OMP_JOIN after all events
 *
 * The number of events comes before them, and is overwritten at the end. */
#include "formats/epilog_define.h"
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/held_locks.h"
#include "formats/region_uses.h"
#include "formats/waited.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct counter {
    double value;
    bool unwritten; /* no entry or exit has had this value yet */
};

struct location_state {
    bool in_collective, forked; /* forked: for a master */
    uint32_t n_parallel;        /* of a master: nested parallel constructs in which it has forked */
    struct refrain_event collective;
    struct refrain_waited waiting;
    struct refrain_held_locks held;
};

struct epilog_writer {
    struct refrain_file_writer file;
    struct refrain_locations locations;
    struct refrain_epilog_ids ids;
    size_t n_regions;
    struct refrain_omitted omitted;
    struct location_state *of_location; /* by location */
    struct counter *counters;           /* by location and metric */
    uint64_t replaced;                  /* values of counters that no entry or exit has */
    uint64_t events, cut,
        unknown; /* cut: numbers too large for their field; unknown: numbers that the trace does not have */
    int64_t end_ns;
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct epilog_writer *epilog = (struct epilog_writer *)writer;
    if (trace->size > (int32_t)REFRAIN_EPILOG_MOST_RANKS) {
        REFRAIN_FAIL(epilog->file.error,
                     "%s: has %" PRId32 " ranks; a communicator in EPILOG 1.2 has at most %u: use another format",
                     trace->path, trace->size, REFRAIN_EPILOG_MOST_RANKS);
        return 1;
    }
    if (refrain_locations_make(&epilog->locations, trace))
        epilog->of_location = calloc(epilog->locations.n + 1, sizeof *epilog->of_location);
    epilog->n_regions = trace->n_regions;
    if (epilog->of_location &&
        refrain_epilog_define(epilog->file.out, trace, &epilog->locations, epilog->file.waiting, &epilog->ids))
        epilog->counters = calloc(epilog->locations.n * epilog->ids.n_metrics + 1, sizeof *epilog->counters);
    if (!epilog->counters) {
        REFRAIN_FAIL_MEMORY(epilog->file.error);
        return 1;
    }
    epilog->file.begun = true;
    return epilog->file.out->failed != 0;
}

/* ---- events ---- */

static void put_double(struct refrain_epilog_record *record, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (unsigned shift = 0; shift < 64; shift += 8)
        refrain_epilog_ui1(record, bits >> shift & 255);
}

static struct counter *counter_of(struct epilog_writer *epilog, size_t location, uint32_t metric) {
    return &epilog->counters[location * epilog->ids.n_metrics + metric];
}

/* Appends the values of all metrics at the location. */
static void put_metrics(struct epilog_writer *epilog, struct refrain_epilog_record *record, size_t location) {
    uint64_t ns = (uint64_t)epilog->of_location[location].waiting.total_ns;
    refrain_epilog_ui4(record, (uint32_t)ns);
    refrain_epilog_ui4(record, (uint32_t)(ns >> 32));
    for (uint32_t i = 1; i < epilog->ids.n_metrics; i++) {
        struct counter *counter = counter_of(epilog, location, i);
        put_double(record, counter->value);
        counter->unwritten = false;
    }
}

static void open_event(struct refrain_epilog_record *record, enum refrain_epilog_type type, size_t location,
                       int64_t time_ns) {
    refrain_epilog_open(record, type);
    refrain_epilog_ui4(record, (uint32_t)location);
    put_double(record, (double)time_ns / 1e9);
}

static void close_event(struct epilog_writer *epilog, struct refrain_epilog_record *record) {
    refrain_epilog_close(record, epilog->file.out);
    epilog->events++;
}

static uint32_t number(struct epilog_writer *epilog, int64_t value) {
    epilog->cut += value >= REFRAIN_EPILOG_NO_ID;
    epilog->unknown += value < 0;
    return value < 0                       ? REFRAIN_EPILOG_NO_ID
           : value >= REFRAIN_EPILOG_NO_ID ? REFRAIN_EPILOG_NO_ID - 1
                                           : (uint32_t)value;
}

static uint32_t location_of_rank(const struct epilog_writer *epilog, int32_t rank) {
    return rank >= 0 && rank < epilog->locations.size ? (uint32_t)epilog->locations.first[rank] : REFRAIN_EPILOG_NO_ID;
}

/* True if the region stands for a pause; writes the record of its begin or end. */
static bool put_pause(struct epilog_writer *epilog, size_t location, const struct refrain_event *event,
                      int64_t time_ns) {
    struct refrain_epilog_record record;
    if (event->region->index >= epilog->n_regions || !refrain_region_is_pause(epilog->ids.uses[event->region->index]))
        return false;
    open_event(&record, event->kind == REFRAIN_EVENT_ENTER ? REFRAIN_EPILOG_LOG_OFF : REFRAIN_EPILOG_LOG_ON, location,
               time_ns);
    put_metrics(epilog, &record, location);
    close_event(epilog, &record);
    return true;
}

static void put_enter(struct epilog_writer *epilog, size_t location, const struct refrain_event *event,
                      int64_t time_ns) {
    struct refrain_epilog_record record;
    size_t region = event->region->index < epilog->n_regions ? event->region->index : epilog->n_regions;
    uint32_t site = epilog->ids.call_sites[region];
    open_event(&record, site == REFRAIN_EPILOG_NO_ID ? REFRAIN_EPILOG_ENTER : REFRAIN_EPILOG_ENTER_CS, location,
               time_ns);
    refrain_epilog_ui4(&record, site == REFRAIN_EPILOG_NO_ID ? epilog->ids.regions[region] : site);
    put_metrics(epilog, &record, location);
    close_event(epilog, &record);
}

static void put_leave(struct epilog_writer *epilog, size_t location, const struct refrain_event *event,
                      int64_t time_ns) {
    struct refrain_epilog_record record;
    struct location_state *of = &epilog->of_location[location];
    bool collective = of->in_collective && of->collective.region == event->region;
    bool parallel = refrain_construct_region(&epilog->ids.openmp, event->region)->class == REFRAIN_CONSTRUCT_PARALLEL;
    open_event(&record,
               collective ? REFRAIN_EPILOG_MPI_COLLEXIT
               : parallel ? REFRAIN_EPILOG_OMP_COLLEXIT
                          : REFRAIN_EPILOG_EXIT,
               location, time_ns);
    put_metrics(epilog, &record, location);
    if (collective) {
        refrain_epilog_ui4(&record, location_of_rank(epilog, of->collective.peer));
        refrain_epilog_ui4(&record, refrain_epilog_comm(&epilog->ids, of->collective.comm, event->rank));
        refrain_epilog_ui4(&record, number(epilog, of->collective.bytes));
        refrain_epilog_ui4(&record, number(epilog, of->collective.received));
        of->in_collective = false;
    }
    close_event(epilog, &record);
}

static void put_message(struct epilog_writer *epilog, size_t location, const struct refrain_event *event,
                        int64_t time_ns) {
    struct refrain_epilog_record record;
    bool sends = event->kind == REFRAIN_EVENT_SEND;
    open_event(&record, sends ? REFRAIN_EPILOG_MPI_SEND : REFRAIN_EPILOG_MPI_RECV, location, time_ns);
    refrain_epilog_ui4(&record, location_of_rank(epilog, event->peer));
    refrain_epilog_ui4(&record, refrain_epilog_comm(&epilog->ids, event->comm, event->rank));
    refrain_epilog_ui4(&record, number(epilog, event->tag));
    if (sends)
        refrain_epilog_ui4(&record, number(epilog, event->bytes));
    close_event(epilog, &record);
}

static void put_counter(struct epilog_writer *epilog, size_t location, const struct refrain_event *event) {
    uint32_t index = event->region->index, metric = index < epilog->n_regions ? epilog->ids.metrics[index] : 0;
    if (refrain_construct_region(&epilog->ids.openmp, event->region)->number)
        return; /* no counter of the program */
    if (metric == 0) {
        epilog->omitted.kinds[event->kind]++;
        return;
    }
    struct counter *counter = counter_of(epilog, location, metric);
    epilog->replaced += counter->unwritten;
    *counter = (struct counter){(double)event->value, true};
}

static void put_team(struct epilog_writer *epilog, int32_t rank, enum refrain_epilog_type type, int64_t time_ns) {
    struct refrain_epilog_record record;
    open_event(&record, type, epilog->locations.first[rank], time_ns);
    close_event(epilog, &record);
    epilog->of_location[epilog->locations.first[rank]].forked = type == REFRAIN_EPILOG_OMP_FORK;
}

static void put_lock(struct epilog_writer *epilog, size_t location, enum refrain_epilog_type type, uint32_t lock,
                     int64_t time_ns) {
    struct refrain_epilog_record record;
    open_event(&record, type, location, time_ns);
    refrain_epilog_ui4(&record, lock);
    close_event(epilog, &record);
}

/* Writes records of a construct besides its entry and exit: before an exit, after an entry. */
static void put_construct(struct epilog_writer *epilog, size_t location, const struct refrain_event *event,
                          int64_t time_ns) {
    const struct refrain_construct_region *region = refrain_construct_region(&epilog->ids.openmp, event->region);
    struct location_state *of = &epilog->of_location[location];
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    if (region->class == REFRAIN_CONSTRUCT_PARALLEL && !region->block && event->thread == 0) {
        if (enters && !of->forked)
            put_team(epilog, event->rank, REFRAIN_EPILOG_OMP_FORK, time_ns);
        else if (enters && of->n_parallel == 0) /* the team of another thread lasts until the end of the run */
            return;
        of->n_parallel += enters ? 1 : of->n_parallel ? -1u : 0;
        if (!enters && of->forked && of->n_parallel == 0)
            put_team(epilog, event->rank, REFRAIN_EPILOG_OMP_JOIN, time_ns);
    } else if (region->class == REFRAIN_CONSTRUCT_CRITICAL && region->block) {
        put_lock(epilog, location, enters ? REFRAIN_EPILOG_OMP_ALOCK : REFRAIN_EPILOG_OMP_RLOCK, region->lock, time_ns);
    } else if (refrain_construct_is_pthread(region->class)) {
        uint32_t order = 0;
        enum refrain_held_change change = refrain_held_change(&of->held, region, enters, &order);
        if (change != REFRAIN_HELD_SAME)
            put_lock(epilog, location, change == REFRAIN_HELD_GOT ? REFRAIN_EPILOG_OMP_ALOCK : REFRAIN_EPILOG_OMP_RLOCK,
                     region->lock, time_ns);
    }
}

static void add_wait(struct epilog_writer *epilog, const struct refrain_event *event, const struct refrain_wait *wait) {
    if (!wait)
        return;
    const struct refrain_event waited = refrain_waited_in(event, wait);
    epilog->of_location[refrain_locations_of(&epilog->locations, &waited)].waiting.total_ns += wait->ns;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct epilog_writer *epilog = (struct epilog_writer *)writer;
    size_t location = refrain_locations_of(&epilog->locations, event);
    struct location_state *of = &epilog->of_location[location];
    int64_t time_ns = event->time_ns < epilog->end_ns ? epilog->end_ns : event->time_ns;
    epilog->end_ns = time_ns;
    if (!epilog->file.waiting)
        refrain_waited_for_sender(&of->waiting, event);
    add_wait(epilog, event, event->wait);
    add_wait(epilog, event, event->peer_wait);
    if (event->thread > 0 && !epilog->of_location[epilog->locations.first[event->rank]].forked)
        put_team(epilog, event->rank, REFRAIN_EPILOG_OMP_FORK, time_ns);
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        if (!put_pause(epilog, location, event, time_ns))
            put_enter(epilog, location, event, time_ns);
        put_construct(epilog, location, event, time_ns);
        break;
    case REFRAIN_EVENT_LEAVE:
        put_construct(epilog, location, event, time_ns);
        if (!put_pause(epilog, location, event, time_ns))
            put_leave(epilog, location, event, time_ns);
        break;
    case REFRAIN_EVENT_MARKER:
        put_enter(epilog, location, event, time_ns);
        put_leave(epilog, location, event, time_ns);
        break;
    case REFRAIN_EVENT_COUNTER:
        put_counter(epilog, location, event);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_message(epilog, location, event, time_ns);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        if (!of->in_collective) {
            of->in_collective = true;
            of->collective = *event;
            break;
        }
        epilog->omitted.kinds[event->kind]++; /* a further collective that the call began */
        break;
    default:
        epilog->omitted.kinds[event->kind]++;
        break;
    }
    return epilog->file.out->failed != 0;
}

/* ---- end ---- */

static void warn_losses(const struct epilog_writer *epilog) {
    refrain_omitted_warn(&epilog->omitted, "epilog");
    if (epilog->ids.shortened)
        refrain_warn("epilog holds 65,274 bytes of a name: %" PRIu64 " are shortened", epilog->ids.shortened);
    if (epilog->cut)
        refrain_warn("epilog holds sizes and tags up to 4,294,967,294: %" PRIu64 " larger ones became that",
                     epilog->cut);
    if (epilog->unknown)
        refrain_warn("epilog has 4,294,967,295 for the sizes and tags that the trace does not know: %" PRIu64,
                     epilog->unknown);
    if (epilog->replaced)
        refrain_warn("epilog has the values of counters in entries and exits: %" PRIu64
                     " that were replaced before the next one, or had none, are left out",
                     epilog->replaced);
    if (epilog->events >= UINT32_MAX)
        refrain_warn("epilog counts up to 4,294,967,294 events: the number of all of them is left out");
}

static int end(struct refrain_writer *writer) {
    struct epilog_writer *epilog = (struct epilog_writer *)writer;
    for (int32_t rank = 0; epilog->file.begun && rank < epilog->locations.size; rank++)
        if (epilog->of_location[epilog->locations.first[rank]].forked)
            put_team(epilog, rank, REFRAIN_EPILOG_OMP_JOIN, epilog->end_ns);
    for (size_t i = 0; epilog->file.begun && i < epilog->locations.n; i++)
        epilog->omitted.kinds[REFRAIN_EVENT_COLLECTIVE] +=
            epilog->of_location[i].in_collective; /* the run ended in it */
    for (size_t i = 0; epilog->file.begun && i < epilog->locations.n * epilog->ids.n_metrics; i++)
        epilog->replaced += epilog->counters[i].unwritten;
    if (epilog->file.begun) {
        uint32_t events = epilog->events < UINT32_MAX ? (uint32_t)epilog->events : UINT32_MAX;
        unsigned char bytes[4] = {(unsigned char)events, (unsigned char)(events >> 8), (unsigned char)(events >> 16),
                                  (unsigned char)(events >> 24)};
        refrain_sink_patch(epilog->file.out, epilog->ids.events_at, bytes, sizeof bytes);
    }
    enum refrain_status status = refrain_file_writer_close(&epilog->file, false);
    if (!status && epilog->file.begun)
        warn_losses(epilog);
    refrain_epilog_ids_free(&epilog->ids);
    refrain_locations_free(&epilog->locations);
    free(epilog->of_location);
    free(epilog->counters);
    free(epilog);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_epilog = {
    .name = "epilog",
    .suffix = ".elg",
    .summary = "EPILOG 1.2, for KOJAK's tools",
    .by_order = true,
    .file = {sizeof(struct epilog_writer), {begin, write_event, end}, .patchable = true}};
