/* write_otf2.c: the format "otf2" (format.h): an OTF2 archive, traces.otf2 (OTF2 3.0, otf2.h).
 *
 *     rank N thread t -> location  N | t << 32, in location group "MPI Rank N", on its host, on the machine
 *     region          -> region with file, line and role
 *     OpenMP construct -> region, fork and join, team, lock of critical sections (otf2_threads.h)
 *     communicator    -> group of ranks and communicator; ranks in messages are those of the communicator
 *
 * Ranks whose file is missing are locations without events. Timestamps are nanoseconds since the start of the run.
 * Events are written as they come. Definitions contain the number of events of each location, so they are written at
 * the end. An existing archive is replaced when the new one is complete.
 *
 * Several threads may write one archive, each with its own part (format.h). */
#define _GNU_SOURCE
#include "formats/format.h"
#include "formats/otf2_communication.h"
#include "formats/otf2_define.h"
#include "formats/otf2_files.h"
#include "formats/otf2_io.h"
#include "formats/otf2_memory.h"
#include "formats/otf2_rma.h"
#include "formats/otf2_threads.h"
#include "formats/warn.h"
#include "model/trace_read.h"

#include <errno.h>
#include <inttypes.h>
#include <otf2/otf2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EVENT_CHUNK_BYTES ((uint64_t)256 << 10)
#define DEFINITION_CHUNK_BYTES ((uint64_t)4 << 20)

/* OTF2 implements its POSIX locks as functions in a header. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <otf2/OTF2_Pthread_Locks.h>
#pragma GCC diagnostic pop

struct otf2_writer;

/* The part of an archive that one thread writes. */
struct otf2_part {
    struct refrain_writer writer;
    struct otf2_writer *otf2;
    struct refrain_call_tree calls;
    struct otf2_part *next; /* owned */
};

struct otf2_writer {
    struct refrain_writer writer;
    struct otf2_part own;
    pthread_mutex_t error_mutex;
    struct refrain_otf2_files files;
    struct refrain_error *error;
    const struct refrain_trace *trace;
    size_t first_value; /* index of the first region that is a marker or counter */
    OTF2_Archive *archive;
    struct refrain_otf2_location *locations;
    size_t n_locations;
    size_t *first_location; /* by rank: location of its thread 0 */
    struct refrain_otf2_comm *comms;
    struct refrain_otf2_objects objects;
    struct refrain_otf2_rma rma;
    struct refrain_construct_regions openmp;
    bool waiting;             /* events have their waits: */
    OTF2_AttributeList *wait; /* attributes of the wait that is being written */
    uint64_t end_ns;
    uint64_t unknown;            /* of all locations */
    bool opened;                 /* files were made */
    bool failed;                 /* OTF2 reported an error, which its functions do not always return */
    struct refrain_turns *turns; /* null: events come in time order */
};

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_FlushCallbacks flush_callbacks = {.otf2_pre_flush = before_flush, .otf2_post_flush = NULL};

static int fail(struct otf2_writer *otf2, OTF2_ErrorCode code) {
    pthread_mutex_lock(&otf2->error_mutex);
    REFRAIN_FAIL(otf2->error, "%s: the archive cannot be written: %s", otf2->files.directory,
                 OTF2_Error_GetDescription(code));
    pthread_mutex_unlock(&otf2->error_mutex);
    return 1;
}

/* OTF2 would print failures in several lines. Instead, the first one goes into the error. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments) {
    struct otf2_writer *otf2 = data;
    char text[512];
    (void)file, (void)line, (void)function;
    vsnprintf(text, sizeof text, format, arguments);
    pthread_mutex_lock(&otf2->error_mutex);
    otf2->failed = true;
    REFRAIN_FAIL(otf2->error, "%s: the archive cannot be written: %s (%s)", otf2->files.directory,
                 OTF2_Error_GetDescription(code), text);
    pthread_mutex_unlock(&otf2->error_mutex);
    return code;
}

/* ---- locations ---- */

/* The time of a point of the process's memory. INT64_MAX behind the last one. */
static int64_t memory_due(const struct refrain_process *process, uint32_t point) {
    const struct refrain_resident *resident = process ? &process->header->resident : NULL;
    return resident && point < resident->n ? refrain_trace_time_ns(process, resident->points[point].ticks) : INT64_MAX;
}

static bool make_locations(struct otf2_writer *otf2) {
    const struct refrain_trace *trace = otf2->trace;
    size_t most = (size_t)trace->size;
    for (size_t i = 0; i < trace->n_processes; i++)
        most += trace->processes[i].header->n_threads;
    otf2->locations = calloc(most + 1, sizeof *otf2->locations);
    otf2->first_location = calloc((size_t)trace->size + 1, sizeof *otf2->first_location);
    if (!otf2->locations || !otf2->first_location)
        return false;
    for (int32_t rank = 0; rank < trace->size; rank++) {
        const struct refrain_process *process = refrain_trace_process(trace, rank);
        uint32_t n = 1;
        for (uint32_t t = 1; process && t < process->header->n_threads; t++)
            if (process->threads[t].started)
                n = t + 1;
        otf2->first_location[rank] = otf2->n_locations;
        for (uint32_t t = 0; t < n; t++)
            otf2->locations[otf2->n_locations++] =
                (struct refrain_otf2_location){.id = (uint64_t)(uint32_t)rank | (uint64_t)t << 32,
                                               .rank = rank,
                                               .thread = t,
                                               .process = process,
                                               .memory_due_ns = t == 0 ? memory_due(process, 0) : INT64_MAX,
                                               .call = {REFRAIN_CALL_TREE_NONE, 0}};
    }
    return true;
}

static inline struct refrain_otf2_location *location_of(struct otf2_writer *otf2, const struct refrain_event *event) {
    return &otf2->locations[otf2->first_location[event->rank] + event->thread];
}

/* ---- begin ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct otf2_writer *otf2 = (struct otf2_writer *)writer;
    otf2->trace = trace;
    otf2->first_value = refrain_otf2_first_value(trace);
    bool made = refrain_otf2_files_make(&otf2->files, otf2->error);
    otf2->comms = refrain_otf2_comms(trace);
    otf2->rma = (struct refrain_otf2_rma){.objects = &otf2->objects, .comms = otf2->comms};
    if (otf2->comms)
        otf2->rma.groups.first = refrain_otf2_next_group(trace, otf2->comms);
    if (otf2->waiting)
        otf2->wait = OTF2_AttributeList_New();
    if (!refrain_construct_regions_make(&otf2->openmp, trace) || !otf2->comms || (otf2->waiting && !otf2->wait) ||
        !refrain_otf2_objects_open(&otf2->objects, trace) || !make_locations(otf2)) {
        REFRAIN_FAIL_MEMORY(otf2->error);
        made = false;
    }
    if (!made)
        return 1;
    OTF2_Error_RegisterCallback(on_error, otf2);
    otf2->archive =
        OTF2_Archive_Open(refrain_otf2_files_at(&otf2->files), "traces", OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES,
                          DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!otf2->archive)
        return fail(otf2, OTF2_ERROR_FILE_CAN_NOT_OPEN);
    otf2->opened = true;
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(otf2->archive, &flush_callbacks, NULL);
    if (!code)
        code = OTF2_Archive_SetMemoryCallbacks(otf2->archive, refrain_otf2_memory(), NULL);
    if (!code)
        code = OTF2_Pthread_Archive_SetLockingCallbacks(otf2->archive, NULL);
    if (!code)
        code = OTF2_Archive_SetSerialCollectiveCallbacks(otf2->archive);
    if (!code)
        code = OTF2_Archive_SetCreator(otf2->archive, "refrain");
    if (!code)
        code = OTF2_Archive_OpenEvtFiles(otf2->archive);
    for (size_t i = 0; !code && i < otf2->n_locations; i++) {
        otf2->locations[i].writer = OTF2_Archive_GetEvtWriter(otf2->archive, otf2->locations[i].id);
        if (!otf2->locations[i].writer)
            code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    }
    return code ? fail(otf2, code) : 0;
}

/* ---- events ---- */

/* Time of the event in the location: not before the previous event. */
static inline uint64_t time_in(struct refrain_otf2_location *location, const struct refrain_event *event) {
    uint64_t time = event->time_ns < 0 ? 0 : (uint64_t)event->time_ns;
    if (time < location->last_ns)
        time = location->last_ns;
    location->last_ns = time;
    return time;
}

/* The waiting time of the location so far. */
static OTF2_ErrorCode waiting(struct refrain_otf2_location *location, OTF2_AttributeList *wait, uint64_t time) {
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = (uint64_t)location->waiting.total_ns};
    location->events++;
    return OTF2_EvtWriter_Metric(location->writer, wait, time, REFRAIN_OTF2_WAITING, 1, &type, &value);
}

/* A wait adds to the metric of the location that waited, and becomes attributes of the metric event. */
static OTF2_ErrorCode put_wait(struct otf2_writer *otf2, const struct refrain_event *event,
                               const struct refrain_wait *wait) {
    if (!wait)
        return OTF2_SUCCESS;
    const struct refrain_event waited = refrain_waited_in(event, wait);
    struct refrain_otf2_location *location = location_of(otf2, &waited);
    OTF2_RegionRef at = refrain_otf2_region(otf2->trace, wait->cause);
    OTF2_RegionRef call = refrain_otf2_region(otf2->trace, wait->region);
    OTF2_ErrorCode code = OTF2_AttributeList_RemoveAllAttributes(otf2->wait);
    if (!code)
        code = OTF2_AttributeList_AddStringRef(otf2->wait, REFRAIN_OTF2_WAIT_FOR, refrain_otf2_wait_kind(wait->kind));
    if (!code)
        code = OTF2_AttributeList_AddUint64(otf2->wait, REFRAIN_OTF2_WAITED, (uint64_t)wait->ns);
    if (!code)
        code = OTF2_AttributeList_AddInt32(otf2->wait, REFRAIN_OTF2_WAIT_BY, wait->cause_rank);
    if (!code)
        code = OTF2_AttributeList_AddRegionRef(otf2->wait, REFRAIN_OTF2_WAIT_AT, at);
    if (!code)
        code = OTF2_AttributeList_AddRegionRef(otf2->wait, REFRAIN_OTF2_WAIT_CALL, call);
    location->waiting.total_ns += wait->ns;
    return code ? code : waiting(location, otf2->wait, time_in(location, &waited));
}

/* A marker or counter: a value of the metric with its name; 1 for a marker. */
static OTF2_ErrorCode metric_value(const struct otf2_writer *otf2, struct refrain_otf2_location *location,
                                   const struct refrain_event *event, uint64_t time) {
    OTF2_Type type = OTF2_TYPE_INT64;
    OTF2_MetricValue value = {.signed_int = event->kind == REFRAIN_EVENT_MARKER ? 1 : event->value};
    if (event->region->index == UINT32_MAX)
        return OTF2_SUCCESS;
    location->events++;
    return OTF2_EvtWriter_Metric(location->writer, NULL, time, refrain_otf2_value(otf2->first_value, event->region), 1,
                                 &type, &value);
}

static inline OTF2_ErrorCode leave_plainly(struct otf2_part *part, struct refrain_otf2_location *location,
                                           const struct refrain_event *event, uint64_t time) {
    refrain_call_tree_leave(&part->calls, &location->call);
    location->events++;
    return OTF2_EvtWriter_Leave(location->writer, NULL, time, refrain_otf2_region(part->otf2->trace, event->region));
}

/* The end of a call that may have begun more than messages. */
static OTF2_ErrorCode leave(struct otf2_part *part, struct refrain_otf2_location *location,
                            const struct refrain_event *event, uint64_t time) {
    struct otf2_writer *otf2 = part->otf2;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (location->in_collective && location->collective.region == event->region)
        code = refrain_otf2_collective_end(otf2->comms, location, time);
    if (!code)
        code = refrain_otf2_io_leave(location, event, time);
    if (!code && location->window_call.region == event->region)
        code = refrain_otf2_rma_leave(&otf2->rma, location, time);
    location->leaves_plainly = !location->in_collective && !location->window_call.region && !location->group.region &&
                               !location->ends_halves && location->n_operations == 0;
    return code ? code : leave_plainly(part, location, event, time);
}

static inline OTF2_ErrorCode enter(struct otf2_part *part, struct refrain_otf2_location *location,
                                   const struct refrain_event *event, uint64_t time) {
    OTF2_RegionRef region = refrain_otf2_region(part->otf2->trace, event->region);
    location->events++;
    refrain_call_tree_enter(&part->calls, &location->call, region);
    location->waiting.from_ns = event->time_ns;
    return OTF2_EvtWriter_Enter(location->writer, NULL, time, region);
}

/* Enters or leaves a region, which may be an OpenMP construct. */
static OTF2_ErrorCode enter_or_leave(struct otf2_part *part, struct refrain_otf2_location *location,
                                     const struct refrain_event *event, uint64_t time) {
    const struct refrain_construct_regions *openmp = &part->otf2->openmp;
    OTF2_ErrorCode code = refrain_otf2_before(openmp, part->otf2->trace, location, event, time);
    if (!code)
        code = event->kind == REFRAIN_EVENT_ENTER ? enter(part, location, event, time)
                                                  : leave(part, location, event, time);
    return code ? code : refrain_otf2_after(openmp, part->otf2->trace, location, event, time);
}

static OTF2_ErrorCode message(struct otf2_writer *otf2, struct refrain_otf2_location *location,
                              const struct refrain_event *event, uint64_t time) {
    OTF2_ErrorCode code = refrain_otf2_message(otf2->comms, location, event, time);
    if (!code && !otf2->waiting && refrain_waited_for_sender(&location->waiting, event))
        code = waiting(location, NULL, time);
    return code;
}

static OTF2_ErrorCode access_complete(struct refrain_otf2_location *location, const struct refrain_event *event,
                                      uint64_t time) {
    OTF2_ErrorCode code = refrain_otf2_rma_complete(location, event, time);
    return code ? code : refrain_otf2_io_complete(location, event, time);
}

/* Writes the records of the event. */
static OTF2_ErrorCode write_records(struct otf2_part *part, struct refrain_otf2_location *location,
                                    const struct refrain_event *event) {
    struct otf2_writer *otf2 = part->otf2;
    uint64_t time = time_in(location, event);
    if (event->kind == REFRAIN_EVENT_SEND || event->kind == REFRAIN_EVENT_RECV)
        return message(otf2, location, event, time);
    if (event->kind != REFRAIN_EVENT_ENTER)
        location->leaves_plainly = false;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        return enter_or_leave(part, location, event, time);
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_CANCEL:
        return refrain_otf2_request(location, event, time);
    case REFRAIN_EVENT_COLLECTIVE:
        return refrain_otf2_collective(otf2->comms, location, event, time);
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        return refrain_otf2_collective_complete(otf2->comms, location, event->request, time);
    case REFRAIN_EVENT_RMA:
        return refrain_otf2_rma_access(&otf2->rma, location, event, time);
    case REFRAIN_EVENT_IO:
        return refrain_otf2_io_access(&otf2->objects, location, event, time);
    case REFRAIN_EVENT_WINDOW:
        return refrain_otf2_rma_window(&otf2->rma, location, event, time);
    case REFRAIN_EVENT_FILE:
        return refrain_otf2_io_file(&otf2->objects, location, event, time);
    case REFRAIN_EVENT_MOVED:
        refrain_otf2_io_moved(&otf2->objects, location, event);
        return OTF2_SUCCESS;
    case REFRAIN_EVENT_SEEK:
        return refrain_otf2_io_seek(&otf2->objects, location, event, time);
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        return access_complete(location, event, time);
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        return refrain_construct_region(&otf2->openmp, event->region)->number
                   ? refrain_otf2_put_thread(&otf2->openmp, otf2->trace, location, (uint64_t)event->value, time)
                   : metric_value(otf2, location, event, time);
    default: /* only for formats that ask for it */
        return OTF2_SUCCESS;
    }
}

/* Writes the points of the process's memory before this event. Of those before the location's first event, only the
 * last one, since the others may lie before the window that is written. */
static __attribute__((noinline)) OTF2_ErrorCode memory(const struct otf2_writer *otf2,
                                                       struct refrain_otf2_location *location, int64_t event_ns) {
    const OTF2_MetricRef metric = refrain_otf2_resident(otf2->trace, otf2->first_value);
    const OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (!code && location->memory_due_ns <= event_ns) {
        const uint32_t point = location->memory_point++;
        const OTF2_MetricValue value = {.unsigned_int = (uint64_t)location->process->header->resident.points[point].kib
                                                        << 10};
        struct refrain_event at = {.time_ns = location->memory_due_ns};
        location->memory_due_ns = memory_due(location->process, point + 1);
        if (location->events == 0 && location->memory_due_ns <= event_ns)
            continue;
        location->events++;
        code = OTF2_EvtWriter_Metric(location->writer, NULL, time_in(location, &at), metric, 1, &type, &value);
    }
    return code;
}

static __attribute__((noinline)) int write_any(struct otf2_part *part, struct refrain_otf2_location *location,
                                               const struct refrain_event *event) {
    struct otf2_writer *otf2 = part->otf2;
    OTF2_ErrorCode code = put_wait(otf2, event, event->wait);
    if (!code)
        code = put_wait(otf2, event, event->peer_wait);
    if (code)
        return fail(otf2, code);
    if (!refrain_otf2_rma_follow(&otf2->rma, location, event))
        return fail(otf2, OTF2_ERROR_MEM_ALLOC_FAILED);
    code = write_records(part, location, event);
    return code ? fail(otf2, code) : 0;
}

/* Fast path for an ENTER, and for a LEAVE of a call that needs no other record. write_any() is the slow path. */
static inline int write_to_part(struct otf2_part *part, const struct refrain_event *event) {
    struct otf2_writer *otf2 = part->otf2;
    struct refrain_otf2_location *location = location_of(otf2, event);
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (__builtin_expect(event->time_ns >= location->memory_due_ns, 0))
        code = memory(otf2, location, event->time_ns);
    if (code)
        return fail(otf2, code);
    if (otf2->waiting || otf2->openmp.any)
        return write_any(part, location, event);
    if (event->kind == REFRAIN_EVENT_ENTER)
        code = enter(part, location, event, time_in(location, event));
    else if (event->kind == REFRAIN_EVENT_LEAVE && location->leaves_plainly)
        code = leave_plainly(part, location, event, time_in(location, event));
    else
        return write_any(part, location, event);
    return code ? fail(otf2, code) : 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    return write_to_part(&((struct otf2_writer *)writer)->own, event);
}

static int write_event_of_part(struct refrain_writer *writer, const struct refrain_event *event) {
    return write_to_part((struct otf2_part *)writer, event);
}

static struct refrain_writer *make_part(struct refrain_writer *writer) {
    struct otf2_writer *otf2 = (struct otf2_writer *)writer;
    struct otf2_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    *part = (struct otf2_part){.writer = {.event = write_event_of_part}, .otf2 = otf2, .next = otf2->own.next};
    otf2->own.next = part;
    return &part->writer;
}

/* ---- end ---- */

/* The first n nodes of a tree, in the form of refrain_call_tree_add(). */
static void list_calls(const struct refrain_call_tree *calls, uint64_t n, uint64_t *nodes) {
    for (uint64_t i = 0; i < n; i++)
        nodes[i] = (uint64_t)(calls->nodes[i].parent + 1) << 32 | calls->nodes[i].region;
}

/* Joins the parts of several threads. If there are too many call paths, those that are left out depend on the order
 * of the threads. The output is then invalid and written again by one thread. */
static OTF2_ErrorCode join_parts(struct otf2_writer *otf2) {
    struct refrain_call_tree *own = &otf2->own.calls;
    for (struct otf2_part *part = otf2->own.next; part; part = part->next) {
        uint64_t *nodes = calloc((size_t)part->calls.n + 1, sizeof *nodes);
        if (!nodes)
            return OTF2_ERROR_MEM_ALLOC_FAILED;
        list_calls(&part->calls, part->calls.n, nodes);
        bool added = refrain_call_tree_add(own, nodes, part->calls.n);
        own->left_out += part->calls.left_out;
        free(nodes);
        if (!added)
            return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    if (own->left_out && otf2->turns && !otf2->turns->wrong)
        otf2->turns->wrong = "there are more call paths than are kept";
    for (size_t i = 0; i < otf2->n_locations; i++)
        if (otf2->locations[i].last_ns > otf2->end_ns)
            otf2->end_ns = otf2->locations[i].last_ns;
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode close_locations(struct otf2_writer *otf2) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (size_t i = 0; !code && i < otf2->n_locations; i++) {
        struct refrain_otf2_location *location = &otf2->locations[i];
        if (location->in_collective) /* the run ended in it */
            code = refrain_otf2_collective_end(otf2->comms, location, location->last_ns);
        refrain_otf2_rma_end(&otf2->rma, location);
        otf2->unknown += location->unknown;
        if (!code)
            code = OTF2_Archive_CloseEvtWriter(otf2->archive, location->writer);
    }
    if (!code)
        code = OTF2_Archive_CloseEvtFiles(otf2->archive);
    if (!code)
        code = OTF2_Archive_OpenDefFiles(otf2->archive);
    for (size_t i = 0; !code && i < otf2->n_locations; i++) {
        OTF2_DefWriter *definitions = OTF2_Archive_GetDefWriter(otf2->archive, otf2->locations[i].id);
        code = definitions ? OTF2_SUCCESS : OTF2_ERROR_FILE_CAN_NOT_OPEN;
        /* The times of all locations are those of one clock already. */
        if (!code)
            code = OTF2_DefWriter_WriteClockOffset(definitions, 0, 0, 0);
        if (!code)
            code = OTF2_DefWriter_WriteClockOffset(definitions, otf2->end_ns + 1, 0, 0);
        if (!code)
            code = OTF2_Archive_CloseDefWriter(otf2->archive, definitions);
    }
    return code ? code : OTF2_Archive_CloseDefFiles(otf2->archive);
}

/* Leaves the archive open after a failed write, because OTF2 3.0 must not close it. If it cannot write the 4 MB that
 * it has collected for a file, it frees them. When it closes the file, it writes and frees them again
 * (otf2_file_write_buffered and otf2_file_finalize in its OTF2_File.c). This happens only in the middle of the
 * events: the rest of the events, and definitions, are smaller, or bypass this memory. */
static void abandon(struct otf2_writer *otf2) {
    static OTF2_Archive *abandoned; /* keeps a reference, so that memory checkers see that this is intended */
    abandoned = otf2->archive;
    otf2->archive = NULL;
    (void)abandoned;
}

/* Writes the definitions and closes the archive. */
static int finish(struct otf2_writer *otf2) {
    OTF2_ErrorCode code = otf2->failed ? OTF2_ERROR_FILE_INTERACTION : join_parts(otf2);
    if (!code)
        code = close_locations(otf2);
    OTF2_GlobalDefWriter *global = code ? NULL : OTF2_Archive_GetGlobalDefWriter(otf2->archive);
    if (global)
        code = refrain_otf2_define(global, otf2->trace, otf2->locations, otf2->n_locations, otf2->comms, &otf2->objects,
                                   &otf2->rma.groups, &otf2->own.calls, &otf2->openmp, otf2->end_ns, otf2->waiting);
    if (!code && global)
        code = OTF2_Archive_CloseGlobalDefWriter(otf2->archive, global);
    bool complete = !code && global && !otf2->failed;
    if (!complete)
        abandon(otf2);
    else
        code = OTF2_Archive_Close(otf2->archive);
    return !complete || code || otf2->failed ? fail(otf2, code ? code : OTF2_ERROR_FILE_INTERACTION) : 0;
}

static int end(struct refrain_writer *writer) {
    struct otf2_writer *otf2 = (struct otf2_writer *)writer;
    int result = 1;
    if (otf2->archive && otf2->locations)
        result = finish(otf2) || (otf2->turns && otf2->turns->wrong);
    OTF2_Error_RegisterCallback(NULL, NULL);
    if (!refrain_otf2_files_settle(&otf2->files, otf2->opened, result == 0, otf2->error))
        result = 1;
    if (result == 0 && otf2->own.calls.left_out)
        refrain_warn("otf2 defines the first %u call paths: %" PRIu64 " calls are of further ones", otf2->own.calls.n,
                     otf2->own.calls.left_out);
    if (result == 0 && otf2->rma.incomplete)
        refrain_warn("otf2 has one-sided accesses without their completion: %" PRIu64
                     ", as no call that completes them is in what was written",
                     otf2->rma.incomplete);
    if (result == 0 && otf2->unknown)
        refrain_warn("otf2 names ranks, communicators, windows and files: %" PRIu64
                     " messages, collectives and accesses of which the trace does not know them are left out",
                     otf2->unknown);
    if (otf2->comms)
        refrain_otf2_comms_free(otf2->comms, otf2->trace);
    for (size_t i = 0; otf2->locations && i < otf2->n_locations; i++) {
        free(otf2->locations[i].pending);
        free(otf2->locations[i].accesses);
        free(otf2->locations[i].operations);
        free(otf2->locations[i].group.ranks);
    }
    if (otf2->wait)
        OTF2_AttributeList_Delete(otf2->wait);
    free(otf2->locations);
    free(otf2->first_location);
    refrain_otf2_groups_free(&otf2->rma.groups);
    refrain_construct_regions_free(&otf2->openmp);
    refrain_otf2_objects_close(&otf2->objects);
    for (struct otf2_part *part = otf2->own.next, *next; part; part = next) {
        next = part->next;
        refrain_call_tree_free(&part->calls);
        free(part);
    }
    refrain_call_tree_free(&otf2->own.calls);
    pthread_mutex_destroy(&otf2->error_mutex);
    refrain_otf2_files_free(&otf2->files);
    free(otf2);
    return result;
}

/* ---- opening ---- */

static enum refrain_status open_otf2(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    struct stat status;
    const char *directory = request->path;
    *writer = NULL;
    if (stat(directory, &status) == 0 && !S_ISDIR(status.st_mode))
        return REFRAIN_FAIL(error, "%s: exists and is not a directory; an OTF2 archive is one", directory);
    bool replaces = refrain_otf2_files_there(directory);
    if (replaces && !request->force)
        return REFRAIN_FAIL(error, "%s: holds an archive (traces.otf2); --force overwrites it", directory);
    struct otf2_writer *otf2 = calloc(1, sizeof *otf2);
    if (!otf2)
        return REFRAIN_FAIL_MEMORY(error);
    if (!refrain_otf2_files_name(&otf2->files, directory, replaces, (long)getpid())) {
        refrain_otf2_files_free(&otf2->files);
        free(otf2);
        return REFRAIN_FAIL_MEMORY(error);
    }
    otf2->writer = (struct refrain_writer){begin, write_event, end};
    otf2->own.otf2 = otf2;
    pthread_mutex_init(&otf2->error_mutex, NULL);
    otf2->turns = request->turns;
    otf2->error = error;
    otf2->waiting = request->waiting;
    *writer = &otf2->writer;
    return REFRAIN_OK;
}

const struct refrain_format refrain_format_otf2 = {.name = "otf2",
                                                   .summary = "for otf2-print, ViTE, Vampir and others",
                                                   .directory = true,
                                                   .by_order = true,
                                                   .open = open_otf2,
                                                   .part = make_part};
