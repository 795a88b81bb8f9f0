/* import_trace.c: another tool's events as records of an event file (import_trace.h). */
#define _GNU_SOURCE
#include "import_trace.h"
#include "import_image.h"
#include "import_objects.h"
#include "pair_table.h"
#include "request_table.h"
#include <refrain/event_file.h>
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct region {
    enum refrain_region_kind kind;
    char *name, *file;
    uint32_t line, function;
    size_t next; /* + 1, of the same hash */
};

/* A request under way: as the reader of the trace numbers it. */
struct request {
    bool taken;
    struct refrain_pair_node *node; /* in the location's table by the number that the other tool has */
    uint64_t record_at;             /* of the record that took it */
    enum refrain_operation operation;
};

struct request_name {
    struct refrain_pair_node node;
    int64_t number;
};

struct location {
    struct refrain_request_table requests;
    struct refrain_pair_table names;
    uint64_t collective_at; /* record of the collective that it has begun last */
    int64_t last_ns;
    bool ran;
};

struct rank {
    struct refrain_sink *events;
    uint64_t window; /* where the window begins that is written */
    struct location *threads;
    uint32_t n_threads;
    uint32_t *numbers; /* by region: its number in this rank + 1; 0 none yet */
    size_t n_numbers;
    uint32_t n_functions, n_sites, n_user_regions;
    struct refrain_import_objects objects;
};

struct refrain_import {
    struct refrain_error *error;
    char *directory, *program, *source;
    uint64_t start_ns;
    int32_t n_ranks;
    struct rank *ranks;
    struct region *regions;
    size_t n_regions, capacity_regions;
    size_t *hash; /* number of the first region + 1 */
    size_t hash_capacity;
    struct refrain_import_image_comm *comms; /* from number 2 on; members and names are owned */
    size_t n_comms;
    uint64_t events, left_out;
    bool made, no_memory;
};

/* ---- regions ---- */

static int32_t mpi_function(const char *name) {
    static const char *const names[] = {
#define REFRAIN_MPI_CALL(name, class, collective) #name,
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return (int32_t)i;
    return -1;
}

static size_t hash_of(const char *name, const char *file, uint32_t line) {
    uint64_t hash = 1469598103934665603u + line;
    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    for (const char *p = file; *p; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    return (size_t)(hash ^ hash >> 29);
}

static bool rehash(struct refrain_import *import) {
    size_t capacity = import->hash_capacity ? import->hash_capacity * 2 : 256;
    size_t *hash = calloc(capacity, sizeof *hash);
    if (!hash)
        return false;
    for (size_t i = 0; i < import->n_regions; i++) {
        struct region *region = &import->regions[i];
        size_t *first = &hash[hash_of(region->name, region->file, region->line) & (capacity - 1)];
        region->next = *first;
        *first = i + 1;
    }
    free(import->hash);
    import->hash = hash;
    import->hash_capacity = capacity;
    return true;
}

static bool room_for_region(struct refrain_import *import) {
    if (import->n_regions < import->capacity_regions)
        return true;
    size_t capacity = import->capacity_regions ? import->capacity_regions * 2 : 64;
    struct region *regions = realloc(import->regions, capacity * sizeof *regions);
    if (!regions)
        return false;
    import->regions = regions;
    import->capacity_regions = capacity;
    return true;
}

uint32_t refrain_import_region(struct refrain_import *import, enum refrain_region_kind kind, const char *name,
                               const char *file, uint32_t line) {
    int32_t function = kind == REFRAIN_REGION_MPI ? mpi_function(name) : -1;
    if (kind == REFRAIN_REGION_MPI && function < 0)
        kind = REFRAIN_REGION_FUNCTION;
    if (import->n_regions >= import->hash_capacity && !rehash(import)) {
        import->no_memory = true;
        return 0;
    }
    size_t *first = &import->hash[hash_of(name, file, line) & (import->hash_capacity - 1)];
    for (size_t i = *first; i; i = import->regions[i - 1].next) {
        const struct region *region = &import->regions[i - 1];
        if (region->kind == kind && region->line == line && strcmp(region->name, name) == 0 &&
            strcmp(region->file, file) == 0)
            return (uint32_t)(i - 1);
    }
    char *own_name = strdup(name), *own_file = strdup(file);
    if (!own_name || !own_file || !room_for_region(import)) {
        free(own_name);
        free(own_file);
        import->no_memory = true;
        return 0;
    }
    import->regions[import->n_regions] = (struct region){
        .kind = kind, .name = own_name, .file = own_file, .line = line, .function = (uint32_t)function, .next = *first};
    *first = ++import->n_regions;
    return (uint32_t)(import->n_regions - 1);
}

const char *refrain_import_region_name(const struct refrain_import *import, uint32_t region) {
    return region < import->n_regions ? import->regions[region].name : "";
}

enum refrain_region_kind refrain_import_region_kind(const struct refrain_import *import, uint32_t region) {
    return region < import->n_regions ? import->regions[region].kind : REFRAIN_REGION_FUNCTION;
}

/* The number that the rank's records have for a region. Functions have two slots each. */
static uint64_t number_of(struct refrain_import *import, struct rank *rank, uint32_t region) {
    if (region >= import->n_regions)
        return 0;
    if (region >= rank->n_numbers) {
        size_t n = import->n_regions * 2;
        uint32_t *numbers = realloc(rank->numbers, n * sizeof *numbers);
        if (!numbers) {
            import->no_memory = true;
            return 0;
        }
        memset(numbers + rank->n_numbers, 0, (n - rank->n_numbers) * sizeof *numbers);
        rank->numbers = numbers;
        rank->n_numbers = n;
    }
    uint32_t *number = &rank->numbers[region];
    if (*number == 0)
        switch (import->regions[region].kind) {
        case REFRAIN_REGION_FUNCTION:
            *number = 2 * rank->n_functions++ + 1;
            break;
        case REFRAIN_REGION_MPI:
            *number = ++rank->n_sites;
            break;
        case REFRAIN_REGION_USER:
        case REFRAIN_REGION_VALUE:
            *number = ++rank->n_user_regions;
            break;
        }
    return *number - 1;
}

/* ---- communicators ---- */

uint32_t refrain_import_comm(struct refrain_import *import, const char *name, const int32_t *members, int32_t size,
                             const int32_t *remote_members, int32_t remote_size) {
    struct refrain_import_image_comm *comms = realloc(import->comms, (import->n_comms + 1) * sizeof *comms);
    size_t n = (size_t)size + (size_t)remote_size;
    int32_t *own = malloc((n + 1) * sizeof *own);
    char *own_name = strdup(name);
    if (comms)
        import->comms = comms;
    if (!comms || !own || !own_name) {
        free(own);
        free(own_name);
        import->no_memory = true;
        return REFRAIN_IMPORT_NO_COMM;
    }
    if (size > 0)
        memcpy(own, members, (size_t)size * sizeof *own);
    if (remote_size > 0)
        memcpy(own + size, remote_members, (size_t)remote_size * sizeof *own);
    comms[import->n_comms++] = (struct refrain_import_image_comm){own_name, own, size, remote_size};
    return (uint32_t)import->n_comms + 1;
}

static int64_t place_among(const int32_t *members, int32_t n, int32_t rank) {
    for (int32_t i = 0; i < n; i++)
        if (members[i] == rank)
            return i;
    return -1;
}

/* The rank in the communicator that stands for `peer` in operations of `rank`; -1 where there is none. */
static int64_t rank_in(const struct refrain_import *import, const struct refrain_import_event *event, int32_t peer) {
    if (peer < 0 || event->comm == REFRAIN_IMPORT_NO_COMM || event->comm >= import->n_comms + 2)
        return -1;
    if (event->comm < 2)
        return event->comm == 0 ? peer : peer == event->rank ? 0 : -1;
    const struct refrain_import_image_comm *comm = &import->comms[event->comm - 2];
    if (comm->remote_size == 0 || place_among(comm->members + comm->size, comm->remote_size, event->rank) >= 0)
        return place_among(comm->members, comm->size, peer);
    return place_among(comm->members + comm->size, comm->remote_size, peer);
}

/* Roots of this side of an intercommunicator are no rank of the other side. */
static int64_t root_in(const struct refrain_import *import, const struct refrain_import_event *event) {
    int64_t root = rank_in(import, event, event->peer);
    return root < 0 && event->peer == event->rank ? REFRAIN_ROOT_SELF : root;
}

static int64_t comm_number(const struct refrain_import_event *event) {
    return event->comm == REFRAIN_IMPORT_NO_COMM ? -1 : (int64_t)event->comm;
}

/* ---- records ---- */

/* Windows of an imported trace have the events of all threads: their number in each record tells them apart. */

static void begin_window(struct rank *rank) {
    static const struct refrain_events_header nothing;
    rank->window = refrain_sink_position(rank->events);
    refrain_sink_put_bytes(rank->events, &nothing, sizeof nothing);
}

static void end_window(struct rank *rank) {
    struct refrain_events_header header = {.version = REFRAIN_EVENTS_VERSION,
                                           .header_bytes = REFRAIN_EVENTS_HEADER_BYTES,
                                           .thread = REFRAIN_EVENTS_ANY_THREAD,
                                           .bytes_used =
                                               (uint32_t)(refrain_sink_position(rank->events) - rank->window)};
    memcpy(header.magic, REFRAIN_EVENTS_MAGIC, sizeof header.magic);
    refrain_sink_patch(rank->events, rank->window, &header, sizeof header);
}

/* Writes a record of the event's location; returns where. */
static uint64_t put_record(struct refrain_import *import, const struct refrain_import_event *event,
                           enum refrain_record_kind kind, enum refrain_operation operation, const int64_t *parameters,
                           unsigned n) {
    struct rank *rank = &import->ranks[event->rank];
    uint64_t words[3 + REFRAIN_PARAMETERS] = {
        (uint64_t)kind | (uint64_t)event->thread << 8 | (uint64_t)(3 + n) << 24 | (uint64_t)operation << 32,
        REFRAIN_IMPORT_BASE_TICKS + (uint64_t)event->time_ns, number_of(import, rank, event->region)};
    static const unsigned char nothing[8 * (3 + REFRAIN_PARAMETERS)];
    for (unsigned i = 0; i < n; i++)
        words[3 + i] = (uint64_t)parameters[i];
    uint64_t at = refrain_sink_position(rank->events);
    size_t rest = REFRAIN_EVENTS_WINDOW_BYTES - (size_t)(at % REFRAIN_EVENTS_WINDOW_BYTES);
    if (rest == REFRAIN_EVENTS_WINDOW_BYTES || rest < (3 + n) * 8u) {
        end_window(rank);
        refrain_sink_put_bytes(rank->events, nothing, rest % REFRAIN_EVENTS_WINDOW_BYTES);
        begin_window(rank);
    }
    at = refrain_sink_position(rank->events);
    refrain_sink_put_bytes(rank->events, words, (3 + n) * 8u);
    return at;
}

static void put_operation(struct refrain_import *import, const struct refrain_import_event *event,
                          enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    put_record(import, event, REFRAIN_RECORD_OPERATION, operation, parameters, n);
}

static void amend(struct refrain_import *import, int32_t rank, uint64_t record_at, unsigned parameter, int64_t value) {
    refrain_sink_patch(import->ranks[rank].events, record_at + (3 + parameter) * 8u, &value, sizeof value);
}

/* ---- requests ---- */

static struct refrain_pair key_of(int64_t number) {
    return (struct refrain_pair){(uint64_t)number, 0};
}

static void give(struct location *location, struct request *request) {
    refrain_pair_table_remove(&location->names, request->node);
    free(request->node);
    refrain_requests_give(&location->requests, request);
}

static struct request *request_of(struct location *location, int64_t number) {
    struct refrain_pair_node *node = refrain_pair_table_find(&location->names, key_of(number));
    return node ? refrain_requests_at(&location->requests, ((struct request_name *)node)->number) : NULL;
}

/* An operation that takes a request. */
static void put_request(struct refrain_import *import, struct location *location,
                        const struct refrain_import_event *event, enum refrain_operation operation,
                        const int64_t *parameters, unsigned n) {
    uint64_t at = put_record(import, event, REFRAIN_RECORD_OPERATION, operation, parameters, n);
    struct request *old = request_of(location, event->request);
    if (old) { /* it was never seen to complete, and stays taken */
        refrain_pair_table_remove(&location->names, old->node);
        free(old->node);
        old->node = NULL;
    }
    struct request *request = refrain_requests_take(&location->requests);
    struct request_name *name = malloc(sizeof *name);
    if (request && name) {
        *name = (struct request_name){.node.key = key_of(event->request),
                                      .number = refrain_requests_number(&location->requests, request)};
        request->node = &name->node;
        request->record_at = at;
        request->operation = operation;
        if (refrain_pair_table_add(&location->names, &name->node))
            return;
    }
    free(name);
    import->no_memory = true;
}

static void complete(struct refrain_import *import, struct location *location, const struct refrain_import_event *event,
                     enum refrain_operation operation) {
    struct request *request = request_of(location, event->request);
    int64_t other[] = {operation, comm_number(event)};
    if (!request) { /* another thread took it */
        put_operation(import, event, REFRAIN_OP_COMPLETE_OTHER, other, 2);
        return;
    }
    int64_t number = refrain_requests_number(&location->requests, request);
    put_operation(import, event, REFRAIN_OP_COMPLETE, &number, 1);
    give(location, request);
}

static void receive(struct refrain_import *import, struct location *location,
                    const struct refrain_import_event *event) {
    struct request *request = event->request < 0 ? NULL : request_of(location, event->request);
    int64_t parameters[] = {rank_in(import, event, event->peer), event->tag, event->bytes, comm_number(event)};
    if (!request || request->operation != REFRAIN_OP_IRECV) {
        put_operation(import, event, REFRAIN_OP_RECV, parameters, 4);
        return;
    }
    amend(import, event->rank, request->record_at, 0, comm_number(event));
    int64_t completion[] = {refrain_requests_number(&location->requests, request), parameters[0], parameters[1],
                            parameters[2]};
    put_operation(import, event, REFRAIN_OP_COMPLETE, completion, 4);
    give(location, request);
}

static void cancel(struct refrain_import *import, struct location *location, const struct refrain_import_event *event) {
    struct request *request = request_of(location, event->request);
    if (!request)
        return;
    int64_t number = refrain_requests_number(&location->requests, request);
    put_operation(import, event, REFRAIN_OP_CANCELLED, &number, 1);
    give(location, request);
}

/* ---- events ---- */

static struct location *location_of(struct refrain_import *import, const struct refrain_import_event *event) {
    struct rank *rank = &import->ranks[event->rank];
    if (event->thread < rank->n_threads)
        return &rank->threads[event->thread];
    struct location *threads = realloc(rank->threads, (event->thread + 1) * sizeof *threads);
    if (!threads) {
        import->no_memory = true;
        return NULL;
    }
    memset(threads + rank->n_threads, 0, (event->thread + 1 - rank->n_threads) * sizeof *threads);
    for (uint32_t i = rank->n_threads; i <= event->thread; i++)
        threads[i].requests.entry_bytes = sizeof(struct request);
    rank->threads = threads;
    rank->n_threads = event->thread + 1;
    return &threads[event->thread];
}

static enum refrain_record_kind record_kind(const struct refrain_import *import,
                                            const struct refrain_import_event *event) {
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    switch (refrain_import_region_kind(import, event->region)) {
    case REFRAIN_REGION_MPI:
        return enters ? REFRAIN_RECORD_CALL_ENTER : REFRAIN_RECORD_CALL_LEAVE;
    case REFRAIN_REGION_USER:
        return enters ? REFRAIN_RECORD_REGION_ENTER : REFRAIN_RECORD_REGION_LEAVE;
    default:
        return enters ? REFRAIN_RECORD_ENTER : REFRAIN_RECORD_LEAVE;
    }
}

static int64_t object_of(struct refrain_import *import, const struct refrain_import_event *event,
                         enum refrain_object_kind kind) {
    int64_t number =
        refrain_import_object(&import->ranks[event->rank].objects, kind, comm_number(event), event->tag, event->name);
    import->no_memory |= number < -1;
    return number;
}

static void add_window(struct refrain_import *import, struct location *location,
                       const struct refrain_import_event *event) {
    const int64_t number = object_of(import, event, REFRAIN_OBJECT_WINDOW),
                  access[] = {event->peer, event->bytes, number}, use[] = {event->peer, event->value, number};
    if (event->kind == REFRAIN_EVENT_WINDOW)
        put_operation(import, event, REFRAIN_OP_WINDOW, use, 3);
    else if (event->request < 0)
        put_operation(import, event, REFRAIN_OP_RMA, access, 3);
    else
        put_request(import, location, event, REFRAIN_OP_RMA_REQUEST, access, 3);
}

static void add_file(struct refrain_import *import, struct location *location,
                     const struct refrain_import_event *event) {
    const int64_t number = object_of(import, event, REFRAIN_OBJECT_FILE), access[] = {event->bytes, number},
                  use[] = {event->value, number}, seek[] = {event->value, event->bytes, event->received, number};
    if (event->kind == REFRAIN_EVENT_FILE)
        put_operation(import, event, REFRAIN_OP_FILE, use, 2);
    else if (event->kind == REFRAIN_EVENT_MOVED)
        put_operation(import, event, REFRAIN_OP_MOVED, access, 2);
    else if (event->kind == REFRAIN_EVENT_SEEK)
        put_operation(import, event, REFRAIN_OP_SEEK, seek, 4);
    else if (event->request < 0)
        put_operation(import, event, REFRAIN_OP_IO, access, 2);
    else
        put_request(import, location, event, REFRAIN_OP_IO_REQUEST, access, 2);
}

int refrain_import_add(struct refrain_import *import, const struct refrain_import_event *event) {
    struct location *location = event->thread < REFRAIN_MAXIMUM_THREADS ? location_of(import, event) : NULL;
    import->events++;
    if (!location) {
        import->left_out++;
        return import->no_memory;
    }
    location->ran = true;
    location->last_ns = event->time_ns > location->last_ns ? event->time_ns : location->last_ns;
    const int64_t message[] = {rank_in(import, event, event->peer), event->tag, event->bytes, comm_number(event)},
                  collective[] = {root_in(import, event), event->bytes, event->received, comm_number(event)},
                  comm = comm_number(event);
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        put_record(import, event, record_kind(import, event), 0, NULL, 0);
        break;
    case REFRAIN_EVENT_SEND:
        if (event->request < 0)
            put_operation(import, event, REFRAIN_OP_SEND, message, 4);
        else
            put_request(import, location, event, REFRAIN_OP_ISEND, message, 4);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
        complete(import, location, event, REFRAIN_OP_ISEND);
        break;
    case REFRAIN_EVENT_RECV_POST:
        put_request(import, location, event, REFRAIN_OP_IRECV, &comm, 1);
        break;
    case REFRAIN_EVENT_RECV:
        receive(import, location, event);
        break;
    case REFRAIN_EVENT_CANCEL:
        cancel(import, location, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        if (event->request < 0)
            location->collective_at =
                put_record(import, event, REFRAIN_RECORD_OPERATION, REFRAIN_OP_COLLECTIVE, collective, 4);
        else
            put_request(import, location, event, REFRAIN_OP_ICOLLECTIVE, collective, 4);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        complete(import, location, event, REFRAIN_OP_ICOLLECTIVE);
        break;
    case REFRAIN_EVENT_RMA:
    case REFRAIN_EVENT_WINDOW:
        add_window(import, location, event);
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_FILE:
    case REFRAIN_EVENT_MOVED:
    case REFRAIN_EVENT_SEEK:
        add_file(import, location, event);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        complete(import, location, event, REFRAIN_OP_RMA_REQUEST);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        import->left_out++;
        break;
    }
    return import->no_memory || import->ranks[event->rank].events->failed;
}

static void amend_collective(struct refrain_import *import, const struct refrain_import_event *collective,
                             uint64_t record_at) {
    const int64_t parameters[] = {root_in(import, collective), collective->bytes, collective->received,
                                  comm_number(collective)};
    for (unsigned i = 0; record_at && i < 4; i++)
        amend(import, collective->rank, record_at, i, parameters[i]);
}

void refrain_import_amend_last(struct refrain_import *import, const struct refrain_import_event *collective) {
    if (collective->thread >= import->ranks[collective->rank].n_threads)
        return;
    struct location *location = &import->ranks[collective->rank].threads[collective->thread];
    amend_collective(import, collective, location->collective_at);
    location->collective_at = 0;
}

void refrain_import_amend_request(struct refrain_import *import, const struct refrain_import_event *collective) {
    struct location *location = collective->thread < import->ranks[collective->rank].n_threads
                                    ? &import->ranks[collective->rank].threads[collective->thread]
                                    : NULL;
    const struct request *request = location ? request_of(location, collective->request) : NULL;
    if (request && request->operation == REFRAIN_OP_ICOLLECTIVE)
        amend_collective(import, collective, request->record_at);
}

uint64_t refrain_import_events(const struct refrain_import *import) {
    return import->events;
}

uint64_t refrain_import_left_out(const struct refrain_import *import) {
    return import->left_out;
}

/* ---- opening ---- */

static struct refrain_sink *open_in(struct refrain_import *import, const char *form, int32_t rank) {
    char path[4096];
    struct refrain_sink *sink = NULL;
    int n = snprintf(path, sizeof path, "%s/", import->directory);
    if (n > 0 && (size_t)n < sizeof path - 64) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(path + n, sizeof path - (size_t)n, form, rank);
#pragma GCC diagnostic pop
        refrain_sink_open_patchable(path, false, &sink, import->error);
    } else {
        REFRAIN_FAIL(import->error, "%.200s...: a path of that length is not supported", import->directory);
    }
    return sink;
}

/* Each rank has a file that stays open. */
static void allow_files(int32_t ranks) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < (rlim_t)ranks + 64) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

static enum refrain_status begin(struct refrain_import *import, struct refrain_error *error) {
    if (mkdir(import->directory, 0777) != 0)
        return REFRAIN_FAIL(error, "%s: %s", import->directory,
                            errno == EEXIST ? "exists; remove it, or give another name" : strerror(errno));
    import->made = true;
    allow_files(import->n_ranks);
    for (int32_t i = 0; i < import->n_ranks; i++) {
        import->ranks[i].events = open_in(import, REFRAIN_EVENTS_NAME, i);
        if (!import->ranks[i].events)
            return REFRAIN_ERROR;
        begin_window(&import->ranks[i]);
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_import_open(const char *directory, int32_t ranks, const char *program, const char *source,
                                        uint64_t start_ns, struct refrain_import **result,
                                        struct refrain_error *error) {
    struct refrain_import *import = calloc(1, sizeof *import);
    *result = NULL;
    if (!import)
        return REFRAIN_FAIL_MEMORY(error);
    import->error = error;
    import->n_ranks = ranks;
    import->start_ns = start_ns;
    import->directory = strdup(directory);
    import->program = strdup(program);
    import->source = strdup(source);
    import->ranks = calloc((size_t)ranks + 1, sizeof *import->ranks);
    enum refrain_status status = import->directory && import->program && import->source && import->ranks
                                     ? begin(import, error)
                                     : REFRAIN_FAIL_MEMORY(error);
    if (status)
        refrain_import_finish(import, false);
    else
        *result = import;
    return status;
}

/* ---- finishing ---- */

static int by_number(const void *a, const void *b) {
    const struct refrain_import_image_region *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static enum refrain_status write_image(struct refrain_import *import, int32_t number) {
    struct rank *rank = &import->ranks[number];
    uint32_t n_threads = rank->n_threads ? rank->n_threads : 1;
    struct refrain_import_image_region *regions = calloc(import->n_regions + 1, sizeof *regions);
    int64_t *last_ns = calloc(n_threads, sizeof *last_ns);
    struct refrain_sink *out = open_in(import, REFRAIN_REGION_NAME, number);
    struct refrain_import_image image = {.rank = number,
                                         .size = import->n_ranks,
                                         .n_threads = n_threads,
                                         .last_ns = last_ns,
                                         .program = import->program,
                                         .source = import->source,
                                         .start_ns = import->start_ns,
                                         .regions = regions,
                                         .n_slots = 2 * rank->n_functions,
                                         .comms = import->comms,
                                         .objects = rank->objects.first,
                                         .n_comms = import->n_comms};
    for (uint32_t i = 0; last_ns && i < n_threads; i++)
        last_ns[i] = i < rank->n_threads && rank->threads[i].ran ? rank->threads[i].last_ns : i == 0 ? 0 : -1;
    for (size_t i = 0; regions && i < import->n_regions && i < rank->n_numbers; i++)
        if (rank->numbers[i])
            regions[image.n_regions++] = (struct refrain_import_image_region){
                import->regions[i].kind, import->regions[i].name,     import->regions[i].file,
                import->regions[i].line, import->regions[i].function, rank->numbers[i] - 1};
    bool good = regions && last_ns;
    if (good)
        qsort(regions, image.n_regions, sizeof *regions, by_number);
    enum refrain_status status = out ? REFRAIN_OK : REFRAIN_ERROR;
    if (out) {
        good = good && refrain_import_image_write(out, &image);
        status = refrain_sink_close(out, good, import->error);
        if (!good)
            status = REFRAIN_FAIL_MEMORY(import->error);
    }
    free(regions);
    free(last_ns);
    return status;
}

static enum refrain_status close_events(struct refrain_import *import, struct rank *rank, bool keep) {
    if (!rank->events)
        return REFRAIN_OK;
    end_window(rank);
    return refrain_sink_close(rank->events, keep, import->error);
}

static void remove_all(const struct refrain_import *import) {
    char path[4200];
    for (int32_t i = 0; i < import->n_ranks; i++) {
        snprintf(path, sizeof path, "%.4096s/" REFRAIN_EVENTS_NAME, import->directory, i);
        unlink(path);
        snprintf(path, sizeof path, "%.4096s/" REFRAIN_REGION_NAME, import->directory, i);
        unlink(path);
    }
    rmdir(import->directory);
}

static void free_rank(struct rank *rank) {
    for (uint32_t i = 0; i < rank->n_threads; i++) {
        struct location *location = &rank->threads[i];
        for (size_t b = 0; b < location->names.capacity; b++)
            for (struct refrain_pair_node *node = location->names.buckets[b], *next; node; node = next) {
                next = node->next;
                free(node);
            }
        free(location->names.buckets);
        refrain_requests_close(&location->requests);
    }
    free(rank->threads);
    free(rank->numbers);
    refrain_import_objects_free(&rank->objects);
}

enum refrain_status refrain_import_finish(struct refrain_import *import, bool keep) {
    enum refrain_status status = import->no_memory ? REFRAIN_FAIL_MEMORY(import->error) : REFRAIN_OK;
    for (int32_t i = 0; import->ranks && i < import->n_ranks; i++) {
        enum refrain_status closed = close_events(import, &import->ranks[i], keep && !status);
        status = status ? status : closed;
    }
    for (int32_t i = 0; keep && !status && i < import->n_ranks; i++)
        status = write_image(import, i);
    if (import->made && (!keep || status))
        remove_all(import);
    for (int32_t i = 0; import->ranks && i < import->n_ranks; i++)
        free_rank(&import->ranks[i]);
    for (size_t i = 0; i < import->n_regions; i++) {
        free(import->regions[i].name);
        free(import->regions[i].file);
    }
    for (size_t i = 0; i < import->n_comms; i++) {
        free((char *)(uintptr_t)import->comms[i].name);
        free((int32_t *)(uintptr_t)import->comms[i].members);
    }
    free(import->regions);
    free(import->hash);
    free(import->comms);
    free(import->ranks);
    free(import->directory);
    free(import->program);
    free(import->source);
    free(import);
    return status;
}
