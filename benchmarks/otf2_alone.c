/* otf2_alone.c: measures the time that the OTF2 library takes to write records from memory. No writer of OTF2 can be
 * faster.
 *
 *     otf2_alone ARCHIVE/traces.otf2 OUT [REPEATS]
 *
 * Reads entries, exits, messages, requests, collectives and metrics of all locations in the order of their times, and
 * writes them to archives in the directory OUT: with the library's own buffers, or with SMALL=1 in the environment with
 * two buffers of 256 KB for a location, as refrain does. Prints the least times of REPEATS (3) repetitions, and the
 * largest memory before and after. Built with cc -O2 otf2_alone.c -lotf2. */
#include <otf2/otf2.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum kind { ENTER, LEAVE, SEND, RECEIVE, ISEND, SENT, REQUEST, IRECEIVE, BEGIN, END, METRIC };

struct record {
    enum kind kind;
    uint32_t a, b, c;
    uint64_t time, bytes, request;
    size_t location;
};

static struct record *records;
static size_t n_records, capacity, n_locations;
static OTF2_LocationRef *locations;

static void *grow(void *array, size_t n, size_t bytes) {
    array = realloc(array, n * bytes);
    if (!array)
        abort();
    return array;
}

static OTF2_CallbackCode add(struct record record, OTF2_LocationRef location) {
    if (n_records == capacity)
        records = grow(records, capacity = capacity ? capacity * 2 : 1 << 20, sizeof *records);
    while (locations[record.location] != location)
        record.location++;
    records[n_records++] = record;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                     uint64_t events, OTF2_LocationGroupRef group) {
    (void)data, (void)name, (void)type, (void)events, (void)group;
    locations = grow(locations, n_locations + 1, sizeof *locations);
    locations[n_locations++] = self;
    return OTF2_CALLBACK_SUCCESS;
}

#define HANDLER(name, record, ...)                                                                                     \
    static OTF2_CallbackCode on_##name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,                     \
                                       OTF2_AttributeList *attributes __VA_OPT__(, ) __VA_ARGS__) {                    \
        (void)data, (void)attributes;                                                                                  \
        return add(record, location);                                                                                  \
    }
#define RECORD(kind, a, b, c, bytes, request) ((struct record){kind, a, b, c, time, bytes, request, 0})
#define MESSAGE uint32_t peer, OTF2_CommRef comm, uint32_t tag, uint64_t bytes

HANDLER(enter, RECORD(ENTER, region, 0, 0, 0, 0), OTF2_RegionRef region)
HANDLER(leave, RECORD(LEAVE, region, 0, 0, 0, 0), OTF2_RegionRef region)
HANDLER(send, RECORD(SEND, peer, comm, tag, bytes, 0), MESSAGE)
HANDLER(receive, RECORD(RECEIVE, peer, comm, tag, bytes, 0), MESSAGE)
HANDLER(isend, RECORD(ISEND, peer, comm, tag, bytes, request), MESSAGE, uint64_t request)
HANDLER(sent, RECORD(SENT, 0, 0, 0, 0, request), uint64_t request)
HANDLER(request, RECORD(REQUEST, 0, 0, 0, 0, request), uint64_t request)
HANDLER(ireceive, RECORD(IRECEIVE, peer, comm, tag, bytes, request), MESSAGE, uint64_t request)
HANDLER(begin, RECORD(BEGIN, 0, 0, 0, 0, 0))
HANDLER(end, RECORD(END, operation, comm, root, sent, received), OTF2_CollectiveOp operation, OTF2_CommRef comm,
        uint32_t root, uint64_t sent, uint64_t received)
HANDLER(metric, ((void)n, (void)types, RECORD(METRIC, metric, 0, 0, values[0].unsigned_int, 0)), OTF2_MetricRef metric,
        uint8_t n, const OTF2_Type *types, const OTF2_MetricValue *values)

static bool read_archive(const char *path) {
    uint64_t n;
    OTF2_Reader *reader = OTF2_Reader_Open(path);
    if (!reader)
        return false;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks *defined = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(defined, on_location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, defined, NULL);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n);
    for (size_t i = 0; i < n_locations; i++)
        OTF2_Reader_SelectLocation(reader, locations[i]);
    OTF2_Reader_OpenEvtFiles(reader);
    for (size_t i = 0; i < n_locations; i++)
        OTF2_Reader_GetEvtReader(reader, locations[i]);
    OTF2_GlobalEvtReader *events = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks *came = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(came, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(came, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(came, on_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(came, on_receive);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(came, on_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(came, on_sent);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(came, on_request);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(came, on_ireceive);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(came, on_begin);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(came, on_end);
    OTF2_GlobalEvtReaderCallbacks_SetMetricCallback(came, on_metric);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, events, came, NULL);
    OTF2_Reader_ReadAllGlobalEvents(reader, events, &n);
    OTF2_Reader_Close(reader);
    return n_records > 0;
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

struct chunks {
    void *all[64];
    size_t n;
};

static void *allocate(void *data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer, uint64_t bytes) {
    struct chunks *chunks = *of_buffer ? *of_buffer : (*of_buffer = calloc(1, sizeof *chunks));
    (void)data, (void)location;
    if (!chunks || chunks->n == (type == OTF2_FILETYPE_EVENTS ? 2 : 64))
        return NULL;
    return chunks->all[chunks->n++] = malloc(bytes);
}

static void free_all(void *data, OTF2_FileType type, OTF2_LocationRef location, void **of_buffer, bool final) {
    struct chunks *chunks = *of_buffer;
    (void)data, (void)type, (void)location, (void) final;
    for (; chunks && chunks->n > 0; chunks->n--)
        free(chunks->all[chunks->n - 1]);
}

static void write_record(OTF2_EvtWriter *to, const struct record *r) {
    OTF2_Type type = OTF2_TYPE_UINT64;
    OTF2_MetricValue value = {.unsigned_int = r->bytes};
    switch (r->kind) {
    case ENTER:
        OTF2_EvtWriter_Enter(to, NULL, r->time, r->a);
        break;
    case LEAVE:
        OTF2_EvtWriter_Leave(to, NULL, r->time, r->a);
        break;
    case SEND:
        OTF2_EvtWriter_MpiSend(to, NULL, r->time, r->a, r->b, r->c, r->bytes);
        break;
    case RECEIVE:
        OTF2_EvtWriter_MpiRecv(to, NULL, r->time, r->a, r->b, r->c, r->bytes);
        break;
    case ISEND:
        OTF2_EvtWriter_MpiIsend(to, NULL, r->time, r->a, r->b, r->c, r->bytes, r->request);
        break;
    case SENT:
        OTF2_EvtWriter_MpiIsendComplete(to, NULL, r->time, r->request);
        break;
    case REQUEST:
        OTF2_EvtWriter_MpiIrecvRequest(to, NULL, r->time, r->request);
        break;
    case IRECEIVE:
        OTF2_EvtWriter_MpiIrecv(to, NULL, r->time, r->a, r->b, r->c, r->bytes, r->request);
        break;
    case BEGIN:
        OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, r->time);
        break;
    case END:
        OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, r->time, (OTF2_CollectiveOp)r->a, r->b, r->c, r->bytes, r->request);
        break;
    case METRIC:
        OTF2_EvtWriter_Metric(to, NULL, r->time, r->a, 1, &type, &value);
        break;
    }
}

static bool write_archive(const char *directory) {
    const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    const OTF2_MemoryCallbacks memory = {.otf2_allocate = allocate, .otf2_free_all = free_all};
    const bool small = getenv("SMALL") != NULL;
    OTF2_Archive *archive =
        OTF2_Archive_Open(directory, "traces", OTF2_FILEMODE_WRITE, small ? 256 << 10 : OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
                          OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    OTF2_EvtWriter **writers = grow(NULL, n_locations, sizeof *writers);
    if (!archive)
        return false;
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    if (small)
        OTF2_Archive_SetMemoryCallbacks(archive, &memory, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    for (size_t i = 0; i < n_locations; i++)
        writers[i] = OTF2_Archive_GetEvtWriter(archive, locations[i]);
    for (size_t i = 0; i < n_records; i++)
        write_record(writers[records[i].location], &records[i]);
    for (size_t i = 0; i < n_locations; i++)
        OTF2_Archive_CloseEvtWriter(archive, writers[i]);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_GlobalDefWriter *definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, 0, records[n_records - 1].time, 0);
    free(writers);
    return OTF2_Archive_Close(archive) == OTF2_SUCCESS;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static long most_kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char **argv) {
    double least_processor = 1e9, least_clock = 1e9;
    if (argc < 3)
        return fprintf(stderr, "usage: otf2_alone ARCHIVE/traces.otf2 OUT [REPEATS]\n"), 2;
    if (!read_archive(argv[1]))
        return fprintf(stderr, "%s cannot be read\n", argv[1]), 1;
    const long before = most_kilobytes();
    for (int i = argc > 3 ? atoi(argv[3]) : 3; i > 0; i--) {
        char out[4096];
        snprintf(out, sizeof out, "%s/%d", argv[2], i);
        double processor = -seconds(CLOCK_PROCESS_CPUTIME_ID), clock = -seconds(CLOCK_MONOTONIC);
        if (!write_archive(out))
            return fprintf(stderr, "%s cannot be written\n", out), 1;
        processor += seconds(CLOCK_PROCESS_CPUTIME_ID);
        clock += seconds(CLOCK_MONOTONIC);
        least_processor = processor < least_processor ? processor : least_processor;
        least_clock = clock < least_clock ? clock : least_clock;
    }
    printf("%zu records: %.3f s of processor time, %.3f s; %.1f and %.1f million a second; %ld KB before, %ld after\n",
           n_records, least_processor, least_clock, (double)n_records / least_processor / 1e6,
           (double)n_records / least_clock / 1e6, before, most_kilobytes());
    return 0;
}
