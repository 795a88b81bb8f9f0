/* file_collect.c: adds an event to the use of files (file_collect.h). */
#include "analysis/file_collect.h"
#include "common/array.h"
#include "model/mpi_call.h"

/* Halves of split accesses are found by their file, since a file has at most one at a time. */
#define SPLIT_ACCESS ((uint64_t)1 << 63)

static bool is_inside(const struct refrain_file_collector *collector, int64_t ns) {
    return ns >= collector->request->from_ns && ns <= collector->request->to_ns;
}

static bool counts(const struct refrain_file_collector *collector, int32_t rank) {
    return collector->request->rank < 0 || collector->request->rank == rank;
}

/* ---- properties of calls ---- */

static enum refrain_file_direction direction_of(const struct refrain_region_info *region) {
    return refrain_mpi_writes_file(refrain_mpi_kind(region)) ? REFRAIN_FILE_WRITTEN : REFRAIN_FILE_READ;
}

static bool is_access(const struct refrain_region_info *region) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return refrain_mpi_reads_file(kind) || refrain_mpi_writes_file(kind);
}

/* True if the access is still under way when the call that begins it returns. */
static bool is_under_way(const struct refrain_region_info *region) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return refrain_mpi_file_has_request(kind) || refrain_mpi_file_begins(kind);
}

/* ---- sums ---- */

static uint32_t row_of(const struct refrain_file_collector *collector, int32_t rank, int64_t number) {
    if (rank < 0 || (size_t)rank >= collector->n_ranks || number < 0 || (uint64_t)number >= collector->n_numbers[rank])
        return 0;
    return collector->row_of[rank][number];
}

static struct refrain_file_rank *rank_of(struct refrain_file_collector *collector, uint32_t row, int32_t rank) {
    struct refrain_file_rank *of = refrain_table_make(&collector->ranks, row, (uint32_t)rank, sizeof *of);
    collector->no_memory |= !of;
    if (of)
        of->rank = rank;
    return of;
}

static void add_small(struct refrain_file_collector *collector, const struct refrain_file_access *access,
                      uint64_t accesses, uint64_t bytes, int64_t ns) {
    struct refrain_file_small *small = refrain_table_make(
        &collector->small, access->region->index, (uint64_t)access->row << 1 | access->direction, sizeof *small);
    collector->no_memory |= !small;
    if (!small)
        return;
    small->region = access->region;
    small->direction = access->direction;
    small->row = access->row;
    small->accesses += accesses;
    small->bytes += bytes;
    small->ns += ns;
}

static struct refrain_file_flow *count_access(struct refrain_file_collector *collector,
                                              const struct refrain_file_access *access, int32_t rank) {
    struct refrain_file_rank *of = rank_of(collector, access->row, rank);
    struct refrain_file_manner *manner = &collector->rows[access->row].use.manner[access->direction];
    const enum refrain_mpi_kind kind = refrain_mpi_kind(access->region);
    if (!of)
        return NULL;
    of->flow[access->direction].accesses++;
    manner->collective += refrain_mpi_file_is_collective(kind);
    manner->nonblocking += is_under_way(access->region);
    manner->sequential += access->sequential;
    manner->at[refrain_mpi_pointer(access->region)]++;
    return &of->flow[access->direction];
}

void refrain_file_collector_unknown(struct refrain_file_collector *collector, const struct refrain_file_access *access,
                                    int32_t rank) {
    struct refrain_file_flow *flow = count_access(collector, access, rank);
    if (flow)
        flow->unknown++;
}

/* The access has moved these bytes; negative: unknown. */
static void end_access(struct refrain_file_collector *collector, const struct refrain_file_access *access, int32_t rank,
                       int64_t moved) {
    if (moved < 0) {
        refrain_file_collector_unknown(collector, access, rank);
        return;
    }
    struct refrain_file_flow *flow = count_access(collector, access, rank);
    const uint64_t bytes = (uint64_t)moved;
    if (!flow)
        return;
    flow->least_bytes = flow->accesses - flow->unknown == 1 || bytes < flow->least_bytes ? bytes : flow->least_bytes;
    flow->most_bytes = bytes > flow->most_bytes ? bytes : flow->most_bytes;
    flow->bytes += bytes;
    struct refrain_file_sizes *sizes =
        &collector->rows[access->row].sizes[access->direction][bytes ? 64 - __builtin_clzll(bytes) : 0];
    sizes->accesses++;
    sizes->bytes += bytes;
}

static void add_time(struct refrain_file_collector *collector, const struct refrain_file_access *access, int32_t rank,
                     int64_t ns) {
    struct refrain_file_rank *of = rank_of(collector, access->row, rank);
    if (of && is_access(access->region))
        of->flow[access->direction].ns += ns;
    else if (of)
        of->other_ns += ns;
}

/* ---- calls ---- */

static void push(struct refrain_file_collector *collector, struct refrain_file_location *location,
                 const struct refrain_event *event) {
    struct refrain_file_frame *frame =
        refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, event->time_ns);
    collector->no_memory |= !frame;
    if (!frame)
        return;
    collector->n_calls += event->time_ns <= collector->request->to_ns;
    frame->request = -1;
    frame->first_completed = location->n_completed;
}

/* The key of an access under way, beside its location. */
static uint64_t key_of(int64_t request, uint32_t row) {
    return request >= 0 ? (uint64_t)request : SPLIT_ACCESS | row;
}

/* Divides the time of a call among the requests that it completed. */
static void divide(struct refrain_file_collector *collector, struct refrain_file_location *location,
                   const struct refrain_file_frame *frame, int32_t rank, int64_t ns) {
    for (size_t i = frame->first_completed; i < location->n_completed; i++)
        add_time(collector, &location->completed[i], rank, ns / (int64_t)frame->completes);
    location->n_completed = frame->first_completed;
}

void refrain_file_collector_pop(struct refrain_file_collector *collector, size_t number, int64_t now_ns) {
    struct refrain_file_location *location = &collector->locations[number];
    const int32_t rank = collector->index.locations[number].rank;
    const struct refrain_file_frame *top = refrain_region_stack_top(&location->stack);
    int64_t ns =
        refrain_file_collector_cut(collector, now_ns) - refrain_file_collector_cut(collector, top->head.enter_ns);
    const struct refrain_file_frame *frame = refrain_region_stack_leave(&location->stack, ns);
    const struct refrain_file_access access = {frame->head.region, frame->row, direction_of(frame->head.region),
                                               frame->sequential, 0};
    ns -= frame->head.inner_ns;
    collector->n_calls -= frame->head.enter_ns <= collector->request->to_ns;
    if (!counts(collector, rank))
        return;
    if (frame->names_file && (ns > 0 || is_inside(collector, frame->head.enter_ns))) {
        struct refrain_file_rank *of = rank_of(collector, frame->row, rank);
        if (of)
            of->calls += is_inside(collector, frame->head.enter_ns);
        add_time(collector, &access, rank, ns);
    }
    if (frame->begins && frame->under_way) {
        struct refrain_file_access *under_way =
            refrain_table_object(&collector->under_way, number, key_of(frame->request, frame->row));
        if (under_way)
            under_way->ns = ns;
    } else if (frame->begins && is_inside(collector, now_ns)) {
        refrain_file_collector_unknown(collector, &access, rank);
    }
    if (frame->small)
        add_small(collector, &access, frame->small_accesses, frame->small_bytes, ns);
    divide(collector, location, frame, rank, ns);
}

/* ---- accesses ---- */

static bool is_small(int64_t bytes) {
    return bytes >= 0 && bytes < (int64_t)REFRAIN_SMALL_ACCESS_BYTES;
}

/* True if the access begins at the rank's pointer, where the access before it ended. Notes that it moves the pointer.
 */
static bool is_sequential(struct refrain_file_collector *collector, const struct refrain_event *event) {
    if (event->tag < 0 || refrain_mpi_pointer(event->region) != REFRAIN_MPI_OWN_POINTER)
        return false;
    const uint64_t rank = (uint32_t)event->rank, number = (uint64_t)event->tag;
    const bool moved_before = refrain_table_number(&collector->pointers, rank, number);
    collector->no_memory |= !refrain_table_put(&collector->pointers, rank, number, 1);
    return moved_before;
}

/* A call other than an access may have set the pointer of the rank. */
static void set_pointer(struct refrain_file_collector *collector, const struct refrain_event *event) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    const bool sets =
        event->kind == REFRAIN_EVENT_SEEK || kind == REFRAIN_MPI_FILE_OPEN || kind == REFRAIN_MPI_FILE_SET_VIEW;
    if (sets && kind != REFRAIN_MPI_FILE_SEEK_SHARED && collector->pointers.n)
        refrain_table_remove(&collector->pointers, (uint32_t)event->rank, (uint64_t)event->tag);
}

static void begin_access(struct refrain_file_collector *collector, size_t number, struct refrain_file_frame *frame,
                         const struct refrain_event *event) {
    frame->begins = true;
    frame->request = event->request;
    frame->under_way = is_under_way(event->region);
    frame->sequential = is_sequential(collector, event);
    if (!frame->under_way)
        return;
    struct refrain_file_access *access =
        refrain_table_make(&collector->under_way, number, key_of(event->request, frame->row), sizeof *access);
    collector->no_memory |= !access;
    if (access)
        *access =
            (struct refrain_file_access){event->region, frame->row, direction_of(event->region), frame->sequential, 0};
}

/* Removes an access under way; false if there is none, since it began before the trace or in another thread. */
static bool take_under_way(struct refrain_file_collector *collector, size_t number, uint64_t key,
                           struct refrain_file_access *access) {
    struct refrain_file_access *found = refrain_table_object(&collector->under_way, number, key);
    if (!found)
        return false;
    *access = *found;
    refrain_table_remove(&collector->under_way, number, key);
    refrain_free(found);
    return true;
}

/* A blocking access, or the second half of a split one, has moved bytes. */
static void moved(struct refrain_file_collector *collector, size_t number, struct refrain_file_frame *frame,
                  const struct refrain_event *event) {
    struct refrain_file_access access = {event->region, frame->row, direction_of(event->region), frame->sequential, 0};
    const bool is_split = !frame->begins && take_under_way(collector, number, key_of(-1, frame->row), &access);
    frame->begins = false;
    if (!is_inside(collector, event->time_ns) || !counts(collector, event->rank))
        return;
    end_access(collector, &access, event->rank, event->bytes);
    if (!is_small(event->bytes))
        return;
    frame->small = true;
    frame->small_accesses = !is_split;
    frame->small_bytes = is_split ? 0 : (uint64_t)event->bytes;
    if (is_split)
        add_small(collector, &access, 1, (uint64_t)event->bytes, access.ns);
}

static void complete(struct refrain_file_collector *collector, size_t number, const struct refrain_event *event) {
    struct refrain_file_location *location = &collector->locations[number];
    struct refrain_file_access access;
    if (event->request < 0 || !take_under_way(collector, number, key_of(event->request, 0), &access))
        return;
    if (is_inside(collector, event->time_ns) && counts(collector, event->rank)) {
        end_access(collector, &access, event->rank, event->bytes);
        if (is_small(event->bytes))
            add_small(collector, &access, 1, (uint64_t)event->bytes, access.ns);
    }
    if (!REFRAIN_ARRAY_ROOM(location->completed, location->n_completed, location->capacity_completed)) {
        collector->no_memory = true;
        return;
    }
    location->completed[location->n_completed++] = access;
}

/* ---- events ---- */

/* An event inside of an open call. */
static void add_to_call(struct refrain_file_collector *collector, size_t number, struct refrain_file_frame *frame,
                        const struct refrain_event *event) {
    if (refrain_event_names_file(event->kind)) {
        frame->names_file = true;
        frame->row = row_of(collector, event->rank, event->tag);
        collector->approximate += event->approximate;
    }
    if (event->kind == REFRAIN_EVENT_SEEK || event->kind == REFRAIN_EVENT_FILE)
        set_pointer(collector, event);
    switch (event->kind) {
    case REFRAIN_EVENT_IO:
        begin_access(collector, number, frame, event);
        return;
    case REFRAIN_EVENT_MOVED:
        moved(collector, number, frame, event);
        return;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        frame->completes++;
        complete(collector, number, event);
        return;
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
    case REFRAIN_EVENT_CANCEL:
        frame->completes++;
        return;
    case REFRAIN_EVENT_RECV:
        frame->completes += event->request >= 0;
        return;
    default:
        return;
    }
}

bool refrain_file_collector_event(void *data, const struct refrain_event *event) {
    struct refrain_file_collector *collector = data;
    const size_t number = refrain_location_index_of(&collector->index, event);
    if (number == collector->index.n)
        return true;
    struct refrain_file_location *location = &collector->locations[number];
    if (!location->begun)
        location->first_ns = event->time_ns;
    location->begun = true;
    location->last_ns = event->time_ns;
    if (!refrain_region_is_call(event->region))
        return true;
    struct refrain_file_frame *top = refrain_region_stack_top(&location->stack);
    if (event->kind == REFRAIN_EVENT_ENTER)
        push(collector, location, event);
    else if (!top || top->head.region != event->region)
        return true;
    else if (event->kind == REFRAIN_EVENT_LEAVE)
        refrain_file_collector_pop(collector, number, event->time_ns);
    else
        add_to_call(collector, number, top, event);
    return !collector->no_memory;
}
