/* simulate_schedule.c: see simulate_schedule.h. */
#define _GNU_SOURCE
#include "predict/simulate_schedule.h"
#include "analysis/open_regions.h"
#include "common/array.h"
#include "common/table.h"
#include "model/mpi_call.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LEAST_BUFFER_BYTES (1 << 20)
#define POSITION_BITS 40 /* of an op, below the rank */

struct frame {
    struct refrain_region_frame head;
    double speed;
};

struct location {
    struct refrain_region_stack stack;
    int64_t was_ns, now_ns;
    int64_t op_ns;       /* end of the latest op */
    int64_t computed_ns; /* since then, as it will be asked for */
    double stretch;      /* time that this takes, per ns */
    int64_t call_ns;     /* recorded begin of the MPI call */
    size_t at;           /* ops so far */
    size_t sendrecv;     /* op + 1 that MPI_Sendrecv has begun; 0: none */
    unsigned depth;      /* of MPI calls */
    bool begun, acted;   /* the call has ops */
};

struct moment {
    int64_t was_ns, now_ns;
};

struct refrain_schedule {
    const struct refrain_trace *trace;
    const struct refrain_changes *changes;
    double speed;
    struct refrain_location_index index;
    struct location *locations;
    struct refrain_simulate_job job;
    struct refrain_table sends;    /* by match: rank and position of the op, + 1 */
    struct refrain_table requests; /* by rank and request: position + 1 */
    int64_t *ends_ns;
    size_t n_ops;
    int64_t met_ns[REFRAIN_SIMULATE_MEETINGS]; /* latest recorded entry */
    struct moment init, finalize, first, last;
    bool again, no_memory;
};

struct refrain_schedule *refrain_schedule_open(const struct refrain_trace *trace, const struct refrain_changes *changes,
                                               double speed) {
    struct refrain_schedule *schedule = calloc(1, sizeof *schedule);
    if (!schedule)
        return NULL;
    struct refrain_simulate_job *job = &schedule->job;
    schedule->trace = trace;
    schedule->changes = changes;
    schedule->speed = speed;
    job->n_ranks = trace->size;
    job->n_comms = trace->n_comms;
    job->buffer_bytes = LEAST_BUFFER_BYTES;
    job->ranks = calloc((size_t)trace->size + 1, sizeof *job->ranks);
    job->comms = calloc(trace->n_comms + 1, sizeof *job->comms);
    schedule->locations = calloc(trace->n_locations + 1, sizeof *schedule->locations);
    if (!job->ranks || !job->comms || !schedule->locations || !refrain_location_index_open(&schedule->index, trace)) {
        refrain_schedule_close(schedule);
        return NULL;
    }
    for (size_t i = 0; i < trace->n_comms; i++) {
        job->comms[i].members = trace->comms[i].members;
        job->comms[i].size = trace->comms[i].size;
    }
    return schedule;
}

void refrain_schedule_close(struct refrain_schedule *schedule) {
    if (!schedule)
        return;
    for (int32_t i = 0; schedule->job.ranks && i < schedule->job.n_ranks; i++)
        free(schedule->job.ranks[i].ops);
    for (size_t i = 0; schedule->locations && i <= schedule->index.n; i++)
        refrain_region_stack_free(&schedule->locations[i].stack);
    if (schedule->ends_ns)
        munmap(schedule->ends_ns, (schedule->n_ops + 1) * sizeof *schedule->ends_ns);
    refrain_table_close(&schedule->sends);
    refrain_table_close(&schedule->requests);
    refrain_location_index_close(&schedule->index);
    free(schedule->locations);
    free(schedule->job.ranks);
    free(schedule->job.comms);
    free(schedule);
}

/* ---- ops ---- */

/* After an op: how long the computing that follows takes. */
static void stretch(const struct refrain_simulate_rank *rank, struct location *location) {
    const size_t next = location->at;
    location->stretch = 1;
    if (next < rank->n && rank->ops[next].kind == REFRAIN_SIMULATE_COMPUTE)
        location->stretch = (double)(rank->ends_ns[next] - location->op_ns) / (double)rank->ops[next].bytes;
}

/* Appends the op; in the second walk, moves the clock to its end. Returns its position. */
static size_t push(struct refrain_schedule *schedule, int32_t number, struct location *location,
                   struct refrain_simulate_op op) {
    struct refrain_simulate_rank *rank = &schedule->job.ranks[number];
    const size_t position = location->at++;
    if (schedule->again) {
        location->now_ns = location->op_ns = rank->ends_ns[position];
        stretch(rank, location);
    } else if (REFRAIN_ARRAY_ROOM(rank->ops, rank->n, rank->capacity)) {
        rank->ops[rank->n++] = op;
    } else {
        schedule->no_memory = true;
    }
    const int64_t most = op.bytes > op.received ? op.bytes : op.received;
    if (op.kind >= REFRAIN_SIMULATE_SEND && op.kind != REFRAIN_SIMULATE_WAIT &&
        most > (int64_t)schedule->job.buffer_bytes)
        schedule->job.buffer_bytes = (size_t)most;
    return position;
}

static void push_time(struct refrain_schedule *schedule, int32_t rank, struct location *location,
                      enum refrain_simulate_kind kind, int64_t ns) {
    if (ns > 0)
        push(schedule, rank, location, (struct refrain_simulate_op){.kind = (uint16_t)kind, .bytes = ns});
}

static void put(struct refrain_schedule *schedule, struct refrain_table *table, uint64_t a, uint64_t b, size_t number) {
    schedule->no_memory |= !refrain_table_put(table, a, b, number);
}

/* ---- messages ---- */

static void send(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    const bool synchronous = kind == REFRAIN_MPI_SSEND || kind == REFRAIN_MPI_ISSEND;
    const bool nonblocking = event->request >= 0 || kind == REFRAIN_MPI_SENDRECV || kind == REFRAIN_MPI_BSEND;
    struct refrain_simulate_op op = {.kind = nonblocking ? REFRAIN_SIMULATE_ISEND : REFRAIN_SIMULATE_SEND,
                                     .peer = event->peer,
                                     .tag = (int32_t)(location->at & INT32_MAX),
                                     .bytes = event->bytes};
    op.kind = (uint16_t)(op.kind + synchronous);
    if (event->peer < 0)
        op.kind = REFRAIN_SIMULATE_SKIP;
    const size_t position = push(schedule, event->rank, location, op);
    location->acted = true;
    if (kind == REFRAIN_MPI_SENDRECV)
        location->sendrecv = position + 1;
    if (schedule->again)
        return;
    if (event->request >= 0)
        put(schedule, &schedule->requests, (uint64_t)event->rank, (uint64_t)event->request, position + 1);
    if (event->match)
        put(schedule, &schedule->sends, event->match, 0, ((size_t)event->rank << POSITION_BITS | position) + 1);
    else if (!schedule->no_memory)
        schedule->job.ranks[event->rank].ops[position].kind = REFRAIN_SIMULATE_SKIP;
}

static void post(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    const size_t position = push(schedule, event->rank, location, (struct refrain_simulate_op){0});
    location->acted = true;
    if (!schedule->again)
        put(schedule, &schedule->requests, (uint64_t)event->rank, (uint64_t)event->request, position + 1);
}

static void wait(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    const size_t begun = refrain_table_number(&schedule->requests, (uint64_t)event->rank, (uint64_t)event->request);
    struct refrain_simulate_op op = {.kind = begun ? REFRAIN_SIMULATE_WAIT : REFRAIN_SIMULATE_SKIP,
                                     .bytes = begun ? (int64_t)begun - 1 : 0};
    push(schedule, event->rank, location, op);
    location->acted = true;
    if (!schedule->again)
        refrain_table_remove(&schedule->requests, (uint64_t)event->rank, (uint64_t)event->request);
}

/* The op of a receive is known when the message has come. A nonblocking one was posted before. */
static void receive(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    const size_t sent = event->match ? refrain_table_number(&schedule->sends, event->match, 0) : 0;
    struct refrain_simulate_op op = {.kind = REFRAIN_SIMULATE_SKIP};
    if (sent) {
        const size_t position = (sent - 1) & (((size_t)1 << POSITION_BITS) - 1);
        op = (struct refrain_simulate_op){.kind = event->request < 0 ? REFRAIN_SIMULATE_RECV : REFRAIN_SIMULATE_IRECV,
                                          .peer = (int32_t)((sent - 1) >> POSITION_BITS),
                                          .tag = (int32_t)(position & INT32_MAX),
                                          .bytes = event->bytes};
        refrain_table_remove(&schedule->sends, event->match, 0);
    }
    if (event->request < 0) {
        push(schedule, event->rank, location, op);
        location->acted = true;
        return;
    }
    const size_t posted = refrain_table_number(&schedule->requests, (uint64_t)event->rank, (uint64_t)event->request);
    if (posted && !schedule->again && !schedule->no_memory)
        schedule->job.ranks[event->rank].ops[posted - 1] = op;
    wait(schedule, location, event);
}

/* ---- collectives ---- */

static int32_t position_in(const struct refrain_comm_info *comm, int32_t rank) {
    for (int32_t i = 0; comm->members && i < comm->size; i++)
        if (comm->members[i] == rank)
            return i;
    return comm->members ? -1 : rank;
}

static void collect(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    struct refrain_simulate_op op = {.kind = event->request < 0 ? REFRAIN_SIMULATE_COLLECTIVE
                                                                : REFRAIN_SIMULATE_ICOLLECTIVE,
                                     .role = (uint16_t)event->region->role,
                                     .peer = event->peer < 0 ? -1 : position_in(event->comm, event->peer),
                                     .tag = (int32_t)event->comm->index,
                                     .bytes = event->bytes,
                                     .received = event->received};
    schedule->job.comms[event->comm->index].used = 1;
    const size_t position = push(schedule, event->rank, location, op);
    location->acted = true;
    if (event->request >= 0 && !schedule->again)
        put(schedule, &schedule->requests, (uint64_t)event->rank, (uint64_t)event->request, position + 1);
}

/* ---- regions ---- */

static int meeting_of(const struct refrain_region_info *region) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return kind == REFRAIN_MPI_INIT ? 0 : kind == REFRAIN_MPI_FINALIZE ? 1 : -1;
}

static void flush(struct refrain_schedule *schedule, int32_t rank, struct location *location) {
    const int64_t ns = location->computed_ns;
    location->computed_ns = 0;
    push_time(schedule, rank, location, REFRAIN_SIMULATE_COMPUTE, ns);
}

static void enter(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    const struct frame *outer = refrain_region_stack_top(&location->stack);
    const double speed = refrain_changes_of(schedule->changes, event->region)->speed;
    const double inherited = outer ? outer->speed : 1;
    struct frame *frame = refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, location->was_ns);
    schedule->no_memory |= !frame;
    if (frame)
        frame->speed = speed > 0 ? speed : inherited;
    if (event->region->kind != REFRAIN_REGION_MPI || event->thread > 0 || location->depth++ > 0)
        return;
    location->call_ns = event->time_ns;
    location->acted = false;
    const int meeting = meeting_of(event->region);
    if (meeting < 0)
        return;
    schedule->met_ns[meeting] = event->time_ns;
    schedule->job.meeting[meeting] += !schedule->again;
    if (meeting == 1)
        schedule->finalize =
            (struct moment){event->time_ns, location->now_ns > schedule->finalize.now_ns ? location->now_ns
                                                                                         : schedule->finalize.now_ns};
    push(schedule, event->rank, location, (struct refrain_simulate_op){.kind = REFRAIN_SIMULATE_MEET, .peer = meeting});
}

static void leave(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    refrain_region_stack_leave(&location->stack, 0);
    if (event->region->kind != REFRAIN_REGION_MPI || event->thread > 0 || location->depth == 0 || --location->depth > 0)
        return;
    const int meeting = meeting_of(event->region);
    int64_t from_ns = location->call_ns;
    if (meeting >= 0 && schedule->met_ns[meeting] > from_ns)
        from_ns = schedule->met_ns[meeting];
    if (location->sendrecv)
        push(schedule, event->rank, location,
             (struct refrain_simulate_op){.kind = REFRAIN_SIMULATE_WAIT, .bytes = (int64_t)location->sendrecv - 1});
    location->sendrecv = 0;
    if (!location->acted && refrain_mpi_kind(event->region) != REFRAIN_MPI_PROBE)
        push_time(schedule, event->rank, location, REFRAIN_SIMULATE_SLEEP, event->time_ns - from_ns);
    if (meeting == 0) {
        schedule->init.was_ns = event->time_ns;
        schedule->init.now_ns = location->now_ns > schedule->init.now_ns ? location->now_ns : schedule->init.now_ns;
    }
}

/* ---- events ---- */

static void pass(const struct refrain_schedule *schedule, struct location *location,
                 const struct refrain_event *event) {
    const struct frame *top = refrain_region_stack_top(&location->stack);
    const int64_t ns = event->time_ns - location->was_ns;
    const double before =
        event->kind == REFRAIN_EVENT_ENTER ? refrain_changes_of(schedule->changes, event->region)->before : 0;
    location->was_ns = event->time_ns;
    if (location->depth > 0)
        return;
    const double factor = schedule->speed * (top ? top->speed : 1) * (before > 0 ? before : 1);
    location->computed_ns += factor == 1 ? ns : (int64_t)llround((double)ns / factor);
    location->now_ns = location->op_ns + (int64_t)llround((double)location->computed_ns * location->stretch);
}

static void begin(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    location->begun = true;
    location->was_ns = event->time_ns;
    if (schedule->again)
        stretch(&schedule->job.ranks[event->rank], location);
    push_time(schedule, event->rank, location, REFRAIN_SIMULATE_SLEEP, event->time_ns);
    if (schedule->first.was_ns == 0)
        schedule->first = (struct moment){event->time_ns, location->now_ns};
}

/* Processes an event of a first thread. Returns its new time, which is right in the second walk. */
static int64_t step(struct refrain_schedule *schedule, struct location *location, const struct refrain_event *event) {
    if (!location->begun)
        begin(schedule, location, event);
    pass(schedule, location, event);
    if (event->kind == REFRAIN_EVENT_ENTER && event->region->kind == REFRAIN_REGION_MPI && location->depth == 0)
        flush(schedule, event->rank, location);
    const int64_t before_ns = location->now_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        enter(schedule, location, event);
        return before_ns;
    case REFRAIN_EVENT_LEAVE:
        leave(schedule, location, event);
        break;
    case REFRAIN_EVENT_SEND:
        send(schedule, location, event);
        return before_ns;
    case REFRAIN_EVENT_COLLECTIVE:
        collect(schedule, location, event);
        return before_ns;
    case REFRAIN_EVENT_RECV_POST:
        post(schedule, location, event);
        return before_ns;
    case REFRAIN_EVENT_RECV:
        receive(schedule, location, event);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        wait(schedule, location, event);
        break;
    default:
        break;
    }
    return location->now_ns;
}

/* Null, or why SMPI cannot carry out the event. */
static const char *refused(const struct refrain_event *event) {
    if (event->region->kind != REFRAIN_REGION_MPI || event->kind <= REFRAIN_EVENT_LEAVE)
        return event->kind >= REFRAIN_EVENT_UNTOLD_SENDS ? "MPI calls while it was paused" : NULL;
    if (event->thread > 0)
        return "MPI calls on a further thread";
    if (event->kind >= REFRAIN_EVENT_RMA && event->kind <= REFRAIN_EVENT_SEEK)
        return "windows or files";
    if (event->kind != REFRAIN_EVENT_COLLECTIVE)
        return NULL;
    if (!event->comm || event->comm->remote_size > 0)
        return "a collective between two groups";
    return event->region->role == REFRAIN_COLLECTIVE_NONE ||
                   event->region->role >= REFRAIN_COLLECTIVE_NEIGHBOR_ALLGATHER
               ? "a collective of neighbors, or a persistent one"
               : NULL;
}

enum refrain_status refrain_schedule_event(struct refrain_schedule *schedule, const struct refrain_event *event,
                                           struct refrain_error *error) {
    const char *why = refused(event);
    if (why)
        return REFRAIN_FAIL(error,
                            "%s: rank %d calls %s (%s:%u): %s cannot be simulated; only messages and collectives",
                            schedule->trace->path, (int)event->rank, event->region->name, event->region->file,
                            (unsigned)event->region->line, why);
    if (event->thread == 0 && event->rank >= 0 && event->rank < schedule->job.n_ranks)
        step(schedule, &schedule->locations[refrain_location_index_of(&schedule->index, event)], event);
    return schedule->no_memory ? REFRAIN_FAIL_MEMORY(error) : REFRAIN_OK;
}

const struct refrain_simulate_job *refrain_schedule_finish(struct refrain_schedule *schedule, const char *platform,
                                                           const char *module) {
    struct refrain_simulate_job *job = &schedule->job;
    for (size_t i = 0; i < schedule->index.n; i++)
        if (schedule->index.locations[i].thread == 0 && schedule->index.locations[i].rank < job->n_ranks)
            flush(schedule, schedule->index.locations[i].rank, &schedule->locations[i]);
    /* Nobody receives these. */
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&schedule->sends, slot));)
        job->ranks[(slot->number - 1) >> POSITION_BITS]
            .ops[(slot->number - 1) & (((size_t)1 << POSITION_BITS) - 1)]
            .kind = REFRAIN_SIMULATE_SKIP;
    for (int32_t i = 0; i < job->n_ranks; i++)
        schedule->n_ops += job->ranks[i].n;
    schedule->ends_ns = mmap(NULL, (schedule->n_ops + 1) * sizeof *schedule->ends_ns, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (schedule->no_memory || schedule->ends_ns == MAP_FAILED) {
        schedule->ends_ns = NULL;
        return NULL;
    }
    size_t n = 0;
    for (int32_t i = 0; i < job->n_ranks; n += job->ranks[i++].n)
        job->ranks[i].ends_ns = schedule->ends_ns + n;
    for (size_t i = 0; i <= schedule->index.n; i++) {
        refrain_region_stack_free(&schedule->locations[i].stack);
        schedule->locations[i] = (struct location){0};
    }
    memset(schedule->met_ns, 0, sizeof schedule->met_ns);
    schedule->init = schedule->finalize = schedule->first = (struct moment){0};
    schedule->again = true;
    job->platform = platform;
    job->module = module;
    return job;
}

int64_t refrain_schedule_time(struct refrain_schedule *schedule, const struct refrain_event *event) {
    struct location *location = &schedule->locations[refrain_location_index_of(&schedule->index, event)];
    int64_t now_ns;
    if (event->thread == 0 && event->rank >= 0 && event->rank < schedule->job.n_ranks) {
        now_ns = step(schedule, location, event);
    } else {
        /* as long after the first thread as it was */
        const struct refrain_event first = {.rank = event->rank};
        const struct location *of = &schedule->locations[refrain_location_index_of(&schedule->index, &first)];
        now_ns = event->time_ns + of->now_ns - of->was_ns;
        now_ns = location->now_ns = now_ns > location->now_ns ? now_ns : location->now_ns;
    }
    schedule->last.was_ns = event->time_ns;
    schedule->last.now_ns = now_ns > schedule->last.now_ns ? now_ns : schedule->last.now_ns;
    return now_ns;
}

void refrain_schedule_length(const struct refrain_schedule *schedule, int64_t *was_ns, int64_t *now_ns) {
    const struct moment from = schedule->init.was_ns ? schedule->init : schedule->first;
    const struct moment to = schedule->finalize.was_ns ? schedule->finalize : schedule->last;
    *was_ns = to.was_ns - from.was_ns;
    *now_ns = to.now_ns - from.now_ns;
}
