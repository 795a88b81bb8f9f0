/* extrapolate.c: see extrapolate.h. */
#define _GNU_SOURCE
#include "predict/extrapolate.h"
#include "common/array.h"
#include "import/import_trace.h"
#include "predict/program_run.h"
#include "predict/world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 1e18 /* of a run */

/* A request of the rank: what it does when it is started, and when it completes. */
struct request {
    enum { NO_REQUEST, NOTHING, SENDS, RECEIVES, IS_COLLECTIVE } does; /* NOTHING: its message goes to nobody */
    bool persistent;
    int64_t peer, tag, bytes, received;
    size_t comm;
};

/* A rank as it walks through the program. */
struct walk {
    struct refrain_extrapolation *extrapolation;
    struct refrain_error *error;
    struct refrain_world world;
    struct refrain_import *import;
    bool second;
    int32_t rank;
    double ns;
    struct own_comm {
        size_t comm; /* SIZE_MAX: none */
        int64_t key; /* by which the rank has its place in it */
    } * comms;       /* by the number that the rank gives it */
    size_t n_comms, comms_capacity;
    struct refrain_table parts;  /* (communicator, group + 1) -> how many parts of it this rank has seen made */
    struct refrain_table totals; /* communicator -> how many collectives with amounts of each rank it was in */
    struct request *requests;
    size_t n_requests, requests_capacity;
    struct refrain_table regions; /* region -> its number in the import + 1 */
    uint32_t region;              /* of the call that is executed */
    const struct refrain_region_info *call;
};

static int fail_memory(struct walk *walk) {
    REFRAIN_FAIL_MEMORY(walk->error);
    return 1;
}

static int fail(struct walk *walk, const char *what, int64_t value) {
    REFRAIN_FAIL(walk->error, "%s (%s:%u) %s %" PRId64 " on rank %d of %d", walk->call->name,
                 walk->call->file[0] ? walk->call->file : "?", walk->call->line, what, value, (int)walk->rank,
                 (int)walk->world.ranks);
    return 1;
}

/* ---- events ---- */

static uint32_t region_of(struct walk *walk, const struct refrain_region_info *region) {
    uintptr_t known = refrain_table_number(&walk->regions, (uintptr_t)region, 0);
    if (known)
        return (uint32_t)known - 1;
    uint32_t number = refrain_import_region(walk->import, region->kind, region->name, region->file, region->line);
    refrain_table_put(&walk->regions, (uintptr_t)region, 0, (uintptr_t)number + 1); /* without memory: asked again */
    return number;
}

/* Adds an event whose other members are set. */
static int add(struct walk *walk, struct refrain_import_event event) {
    event.rank = walk->rank;
    event.time_ns = (int64_t)walk->ns;
    return refrain_import_add(walk->import, &event);
}

static int add_region(struct walk *walk, enum refrain_event_kind kind, uint32_t region) {
    return add(walk, (struct refrain_import_event){
                         .kind = kind, .region = region, .comm = REFRAIN_IMPORT_NO_COMM, .peer = -1, .request = -1});
}

/* Adds an event about a message or collective. request: -1 none. */
static int add_operation(struct walk *walk, enum refrain_event_kind kind, const struct request *of, int64_t request) {
    struct refrain_import_event event = {.kind = kind,
                                         .region = walk->region,
                                         .comm = walk->world.comms[of->comm].defined,
                                         .peer = refrain_world_rank(&walk->world, of->comm, walk->rank, of->peer),
                                         .tag = of->tag,
                                         .bytes = of->bytes,
                                         .received = of->received,
                                         .request = request};
    if (event.peer < 0 && (of->peer >= 0 || kind != REFRAIN_EVENT_COLLECTIVE) && kind != REFRAIN_EVENT_RECV_POST &&
        kind != REFRAIN_EVENT_COLLECTIVE_COMPLETE)
        return fail(walk, "names a rank that its communicator does not have:", of->peer);
    return add(walk, event);
}

/* A request for a message to nobody, or its completion. */
static int add_nobody(struct walk *walk, int64_t request, bool completes) {
    const struct refrain_import_event event = {.rank = walk->rank,
                                               .time_ns = (int64_t)walk->ns,
                                               .region = walk->region,
                                               .comm = REFRAIN_IMPORT_NO_COMM,
                                               .peer = -1,
                                               .request = request};
    return refrain_import_add_nobody(walk->import, &event, completes);
}

/* ---- communicators ---- */

/* The communicator with the number that the rank gives it; SIZE_MAX: it has none. */
static size_t comm_at(const struct walk *walk, int64_t number) {
    return number >= 0 && number < (int64_t)walk->n_comms ? walk->comms[number].comm : SIZE_MAX;
}

static bool set_comm(struct walk *walk, int64_t number, size_t comm, int64_t key) {
    for (; (int64_t)walk->n_comms <= number; walk->n_comms++) {
        if (!REFRAIN_ARRAY_ROOM(walk->comms, walk->n_comms, walk->comms_capacity))
            return false;
        walk->comms[walk->n_comms] = (struct own_comm){SIZE_MAX, 0};
    }
    walk->comms[number] = (struct own_comm){comm, key};
    return true;
}

/* Counts in a table of the rank, and returns the count before. */
static bool count(struct refrain_table *table, size_t key, uint64_t other, size_t *before) {
    *before = refrain_table_number(table, key, other);
    return refrain_table_put(table, key, other, *before + 1);
}

/* The same for a communicator of a group of the trace, whose members alone make the call. */
static int place_in_group(struct walk *walk, int64_t number, int64_t *first, int64_t *key) {
    const struct refrain_program *program = walk->extrapolation->program;
    if (number < 0) {
        *first = -1;
        return 0;
    }
    if (number >= (int64_t)program->n_groups)
        return fail(walk, "makes a communicator of a group that the model does not have:", number);
    const struct refrain_program_group *group = &program->groups[number];
    *first = group->members[0];
    for (*key = 0; *key < group->n && group->members[*key] != walk->rank;)
        ++*key;
    return *key < group->n ? 0 : fail(walk, "makes a communicator without this rank, of the group", number);
}

/* The first member of the communicator that the call makes, and the rank's place in it. */
static int place_in(struct walk *walk, const struct refrain_program_call *call, size_t parent, int64_t *first,
                    int64_t *key) {
    *first = call->arguments[REFRAIN_PROXY_LEADER];
    *key = call->arguments[REFRAIN_PROXY_KEY];
    if (refrain_program_asks(call->item, 'j'))
        return place_in_group(walk, call->arguments[REFRAIN_PROXY_MEMBERS], first, key);
    if (!refrain_program_asks(call->item, 'm')) { /* a copy */
        *first = parent == 1 ? walk->rank : 0;
        *key = walk->comms[call->arguments[REFRAIN_PROXY_PARENT]].key;
    }
    return 0;
}

static int make_comm(struct walk *walk, const struct refrain_program_call *call) {
    int64_t number = call->arguments[REFRAIN_PROXY_COMM], first, key;
    size_t parent = comm_at(walk, call->arguments[REFRAIN_PROXY_PARENT]), before, comm = SIZE_MAX;
    if (parent == SIZE_MAX)
        return fail(walk, "makes a communicator of one that the rank does not have, number",
                    call->arguments[REFRAIN_PROXY_PARENT]);
    if (number < 0 || number > 1 << 24)
        return fail(walk, "makes a communicator with the number", number);
    if (place_in(walk, call, parent, &first, &key))
        return 1;
    int64_t group = refrain_program_asks(call->item, 'j') ? call->arguments[REFRAIN_PROXY_MEMBERS] + 1 : 0;
    if (!count(&walk->parts, parent, (uint64_t)group, &before))
        return fail_memory(walk);
    if (first >= walk->world.ranks)
        return fail(walk, "makes a communicator whose first member is rank", first);
    if (first >= 0) {
        comm = refrain_world_part(&walk->world, parent, before, (uint64_t)group, (int32_t)first);
        if (comm == SIZE_MAX || (!walk->second && !refrain_world_join(&walk->world, comm, key, walk->rank, number)))
            return fail_memory(walk);
    }
    return set_comm(walk, number, comm, key) ? 0 : fail_memory(walk);
}

/* ---- collectives ---- */

/* How the amounts that the text of a collective lacks follow from those that it has (proxy_calls.c). */
enum shape { BOTH, ROOT_RECEIVES, ROOT_SENDS, SAME, ALL_RECEIVE, ALL_SEND, ROOT_SAME };

static enum shape shape_of(enum refrain_collective role) {
    switch (role) {
    case REFRAIN_COLLECTIVE_GATHER:
    case REFRAIN_COLLECTIVE_GATHERV:
        return ROOT_RECEIVES;
    case REFRAIN_COLLECTIVE_SCATTER:
    case REFRAIN_COLLECTIVE_SCATTERV:
        return ROOT_SENDS;
    case REFRAIN_COLLECTIVE_REDUCE:
        return ROOT_SAME;
    case REFRAIN_COLLECTIVE_ALLREDUCE:
    case REFRAIN_COLLECTIVE_ALLTOALL:
    case REFRAIN_COLLECTIVE_SCAN:
    case REFRAIN_COLLECTIVE_EXSCAN:
        return SAME;
    case REFRAIN_COLLECTIVE_ALLGATHER:
    case REFRAIN_COLLECTIVE_ALLGATHERV:
        return ALL_RECEIVE;
    case REFRAIN_COLLECTIVE_REDUCE_SCATTER:
    case REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK:
        return ALL_SEND;
    default:
        return BOTH;
    }
}

/* The sum of the amounts of all ranks in this collective, which is known in the second walk. */
static int total_of(struct walk *walk, size_t comm, int64_t amount, int64_t *total) {
    size_t before;
    *total = amount;
    if (comm == 1) /* MPI_COMM_SELF */
        return 0;
    if (!count(&walk->totals, comm, 0, &before) ||
        (!walk->second && !refrain_world_add(&walk->world, comm, before, amount)))
        return fail_memory(walk);
    *total = walk->world.comms[comm].totals[before];
    return 0;
}

static int set_amounts(struct walk *walk, const struct refrain_program_call *call, struct request *made) {
    int64_t sent = call->arguments[REFRAIN_PROXY_SENT], received = call->arguments[REFRAIN_PROXY_RECEIVED];
    enum shape shape = shape_of(call->item->region->role);
    bool is_root = walk->second && refrain_world_rank(&walk->world, made->comm, walk->rank, made->peer) == walk->rank;
    int64_t total = 0;
    bool sums = shape == ROOT_RECEIVES || shape == ALL_RECEIVE || shape == ROOT_SENDS || shape == ALL_SEND;
    if (sums && total_of(walk, made->comm, shape == ROOT_SENDS || shape == ALL_SEND ? received : sent, &total))
        return 1;
    switch (shape) {
    case ROOT_RECEIVES:
        received = is_root ? total : 0;
        break;
    case ALL_RECEIVE:
        received = total;
        break;
    case ROOT_SENDS:
        sent = is_root ? total : 0;
        break;
    case ALL_SEND:
        sent = total;
        break;
    case SAME:
        received = sent;
        break;
    case ROOT_SAME:
        received = is_root ? sent : 0;
        break;
    default:
        break;
    }
    made->bytes = sent;
    made->received = received;
    return 0;
}

/* ---- requests ---- */

static struct request *request_at(struct walk *walk, int64_t number) {
    return number >= 0 && number < (int64_t)walk->n_requests ? &walk->requests[number] : NULL;
}

static int store_request(struct walk *walk, int64_t number, const struct request *made) {
    if (number < 0)
        return 0; /* a persistent request whose message goes to nobody */
    if (number > 1 << 28)
        return fail(walk, "makes a request with the number", number);
    for (; (int64_t)walk->n_requests <= number; walk->n_requests++) {
        if (!REFRAIN_ARRAY_ROOM(walk->requests, walk->n_requests, walk->requests_capacity))
            return fail_memory(walk);
        walk->requests[walk->n_requests] = (struct request){0};
    }
    walk->requests[number] = *made;
    return 0;
}

/* Adds the event of a request that begins. */
static int begin_request(struct walk *walk, int64_t number) {
    static const enum refrain_event_kind kinds[] = {
        [SENDS] = REFRAIN_EVENT_SEND, [RECEIVES] = REFRAIN_EVENT_RECV_POST, [IS_COLLECTIVE] = REFRAIN_EVENT_COLLECTIVE};
    const struct request *request = request_at(walk, number);
    if (!walk->second || !request || request->does == NO_REQUEST)
        return 0;
    if (request->does == NOTHING)
        return add_nobody(walk, number, false);
    struct request posted = *request;
    if (request->does == RECEIVES) /* its message is not known yet */
        posted.peer = -1, posted.tag = posted.bytes = 0;
    return add_operation(walk, kinds[request->does], &posted, number);
}

static void forget_request(struct walk *walk, int64_t number) {
    struct request *request = request_at(walk, number);
    if (request)
        *request = (struct request){0};
}

static int complete_request(struct walk *walk, int64_t number) {
    static const enum refrain_event_kind kinds[] = {[SENDS] = REFRAIN_EVENT_SEND_COMPLETE,
                                                    [RECEIVES] = REFRAIN_EVENT_RECV,
                                                    [IS_COLLECTIVE] = REFRAIN_EVENT_COLLECTIVE_COMPLETE};
    struct request *request = request_at(walk, number);
    if (!walk->second || !request || request->does == NO_REQUEST)
        return 0;
    if (request->does == RECEIVES && (request->peer < 0 || request->tag < 0))
        return fail(walk, "receives messages of several ranks or tags through one persistent request, number", number);
    int result = request->does == NOTHING ? add_nobody(walk, number, true)
                                          : add_operation(walk, kinds[request->does], request, number);
    if (!request->persistent)
        *request = (struct request){0};
    return result;
}

/* ---- calls ---- */

/* The message that a call sends (`sends`) or receives. False: none. */
static bool message_of(struct walk *walk, const struct refrain_program_call *call, bool sends, struct request *made) {
    const int64_t *arguments = call->arguments + (sends ? REFRAIN_PROXY_DEST : REFRAIN_PROXY_SOURCE);
    if (!refrain_program_asks(call->item, sends ? 'd' : 's') || arguments[0] == REFRAIN_PROXY_NONE)
        return false;
    enum refrain_mpi_kind kind = refrain_mpi_kind(call->item->region);
    *made = (struct request){.does = sends ? SENDS : RECEIVES,
                             .persistent = kind == REFRAIN_MPI_SEND_INIT || kind == REFRAIN_MPI_RECV_INIT,
                             .peer = arguments[0],
                             .tag = arguments[1],
                             .bytes = arguments[2],
                             .comm = comm_at(walk, call->arguments[REFRAIN_PROXY_COMM])};
    return true;
}

static int collective_of(struct walk *walk, const struct refrain_program_call *call, struct request *made) {
    *made = (struct request){.does = IS_COLLECTIVE,
                             .persistent = refrain_mpi_kind(call->item->region) == REFRAIN_MPI_COLLECTIVE_INIT,
                             .peer = refrain_program_asks(call->item, 'o') ? call->arguments[REFRAIN_PROXY_ROOT] : -1,
                             .comm = comm_at(walk, call->arguments[REFRAIN_PROXY_COMM])};
    if (made->comm == SIZE_MAX)
        return fail(walk, "uses a communicator that the rank does not have, number",
                    call->arguments[REFRAIN_PROXY_COMM]);
    return set_amounts(walk, call, made);
}

/* A call that makes a request, or does the same at once. */
static int do_operation(struct walk *walk, const struct refrain_program_call *call, const struct request *made) {
    bool requests = refrain_program_asks(call->item, 'x') || refrain_program_asks(call->item, 'q');
    int64_t number = call->arguments[REFRAIN_PROXY_REQUEST];
    if (made->does > NOTHING && made->comm == SIZE_MAX)
        return fail(walk, "uses a communicator that the rank does not have, number",
                    call->arguments[REFRAIN_PROXY_COMM]);
    if (requests)
        return store_request(walk, number, made) || (made->persistent ? 0 : begin_request(walk, number));
    if (!walk->second)
        return 0;
    return add_operation(walk,
                         made->does == SENDS      ? REFRAIN_EVENT_SEND
                         : made->does == RECEIVES ? REFRAIN_EVENT_RECV
                                                  : REFRAIN_EVENT_COLLECTIVE,
                         made, -1);
}

static int use_requests(struct walk *walk, const struct refrain_program_call *call) {
    enum refrain_mpi_kind kind = refrain_mpi_kind(call->item->region);
    int result = 0;
    for (size_t i = 0; i < call->n_requests && !result; i++)
        if (kind == REFRAIN_MPI_START)
            result = begin_request(walk, call->requests[i]);
        else if (kind == REFRAIN_MPI_REQUEST_FREE)
            forget_request(walk, call->requests[i]);
        else if (kind != REFRAIN_MPI_IRECV) /* MPI_Imrecv names the message, and completes nothing */
            result = complete_request(walk, call->requests[i]);
    return result;
}

static int do_call(struct walk *walk, const struct refrain_program_call *call) {
    const struct refrain_program_item *item = call->item;
    struct request made = {0};
    if (!item->text)
        return 0;
    if (refrain_program_asks(item, 'w'))
        return refrain_program_asks(item, 'p') ? make_comm(walk, call) : 0;
    if (item->region->role)
        return collective_of(walk, call, &made) || do_operation(walk, call, &made);
    bool sends = message_of(walk, call, true, &made);
    if (sends && do_operation(walk, call, &made))
        return 1;
    bool receives = message_of(walk, call, false, &made);
    bool requests = refrain_program_asks(item, 'x') || refrain_program_asks(item, 'q');
    if (!sends && !receives)
        made = (struct request){.does = NOTHING};
    if ((receives || (requests && !sends)) && do_operation(walk, call, &made))
        return 1;
    return use_requests(walk, call);
}

/* ---- the walk ---- */

static int visit_compute(void *data, double seconds) {
    struct walk *walk = data;
    walk->ns += 1e9 * seconds;
    if (walk->ns < MOST_NS)
        return 0;
    REFRAIN_FAIL(walk->error, "rank %d would compute for more than %.0f seconds", (int)walk->rank, MOST_NS / 1e9);
    return 1;
}

static int visit_enter(void *data, const struct refrain_region_info *region) {
    struct walk *walk = data;
    return walk->second && add_region(walk, REFRAIN_EVENT_ENTER, region_of(walk, region));
}

static int visit_leave(void *data, const struct refrain_region_info *region) {
    struct walk *walk = data;
    return walk->second && add_region(walk, REFRAIN_EVENT_LEAVE, region_of(walk, region));
}

static int visit_call(void *data, const struct refrain_program_call *call) {
    struct walk *walk = data;
    walk->call = call->item->region;
    if (!walk->second)
        return do_call(walk, call);
    walk->region = region_of(walk, walk->call);
    return add_region(walk, REFRAIN_EVENT_ENTER, walk->region) || do_call(walk, call) ||
           add_region(walk, REFRAIN_EVENT_LEAVE, walk->region);
}

static enum refrain_status walk_ranks(struct walk *walk, bool second) {
    static const struct refrain_program_visitor visitor = {visit_compute, visit_enter, visit_leave, visit_call};
    struct refrain_extrapolation *extrapolation = walk->extrapolation;
    struct refrain_program_run *run = refrain_program_run_open(extrapolation->program, extrapolation->ranks);
    enum refrain_status status = run ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(walk->error);
    walk->second = second;
    for (walk->rank = 0; walk->rank < extrapolation->ranks && !status; walk->rank++) {
        if (extrapolation->progress)
            extrapolation->progress(extrapolation->data, walk->rank + second * extrapolation->ranks,
                                    2 * extrapolation->ranks);
        walk->ns = 0;
        walk->n_comms = walk->n_requests = 0;
        refrain_table_close(&walk->parts);
        refrain_table_close(&walk->totals);
        walk->parts = walk->totals = (struct refrain_table){0};
        status =
            set_comm(walk, 0, 0, walk->rank) && set_comm(walk, 1, 1, 0) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(walk->error);
        if (!status)
            status = refrain_program_run_rank(run, walk->rank, &visitor, walk, walk->error);
        if (!status && second && refrain_import_end_rank(walk->import, walk->rank))
            status = REFRAIN_ERROR;
    }
    refrain_program_run_close(run);
    return status;
}

static enum refrain_status open_trace(struct walk *walk) {
    const struct refrain_extrapolation *extrapolation = walk->extrapolation;
    char *source;
    if (asprintf(&source, "extrapolated from %s", extrapolation->source) < 0)
        return REFRAIN_FAIL_MEMORY(walk->error);
    enum refrain_status status =
        refrain_import_open(extrapolation->directory, extrapolation->ranks, extrapolation->program->executable, source,
                            0, &walk->import, walk->error);
    free(source);
    return status;
}

static enum refrain_status define_comms(struct walk *walk) {
    int32_t *members = malloc(((size_t)walk->world.ranks + 1) * sizeof *members);
    for (size_t i = 2; members && i < walk->world.n_comms; i++) {
        const struct refrain_world_comm *comm = &walk->world.comms[i];
        if (comm->again)
            continue;
        for (size_t k = 0; k < comm->n; k++)
            members[k] = comm->members[k].rank;
        refrain_import_comm(walk->import, "", members, (int32_t)comm->n, NULL, 0);
    }
    free(members);
    return members ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(walk->error);
}

static enum refrain_status check(const struct refrain_extrapolation *extrapolation, struct refrain_error *error) {
    const struct refrain_program *program = extrapolation->program;
    if (refrain_program_foresees(program, extrapolation->ranks))
        return REFRAIN_OK;
    if (program->n_runs == 1)
        return REFRAIN_FAIL(error, "a model of one run, on %d ranks, says nothing of %d", program->runs[0],
                            (int)extrapolation->ranks);
    if (program->n_tables)
        return REFRAIN_FAIL(error, "%zu values of the model follow no formula, so it says nothing of %d ranks",
                            program->n_tables, (int)extrapolation->ranks);
    return REFRAIN_FAIL(error, "the model is of runs on powers of two or on squares, and says nothing of %d ranks",
                        (int)extrapolation->ranks);
}

enum refrain_status refrain_extrapolate(struct refrain_extrapolation *extrapolation, struct refrain_error *error) {
    struct walk walk = {.extrapolation = extrapolation, .error = error};
    enum refrain_status status = check(extrapolation, error);
    if (status)
        return status;
    status =
        refrain_world_open(&walk.world, extrapolation->ranks) ? walk_ranks(&walk, false) : REFRAIN_FAIL_MEMORY(error);
    if (!status && !refrain_world_settle(&walk.world))
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status)
        status = open_trace(&walk);
    if (!status)
        status = define_comms(&walk);
    if (!status)
        status = walk_ranks(&walk, true);
    if (walk.import) {
        extrapolation->events = refrain_import_events(walk.import);
        enum refrain_status finished = refrain_import_finish(walk.import, !status);
        status = status ? status : finished;
    }
    refrain_world_close(&walk.world);
    refrain_table_close(&walk.parts);
    refrain_table_close(&walk.totals);
    refrain_table_close(&walk.regions);
    free(walk.comms);
    free(walk.requests);
    return status;
}
