/* foreign_otf2.c: usage foreign_otf2 scorep|tau|contexts|ring DIRECTORY: archives with what other tools write and
 * refrain does not (for test_convert.sh, which knows what has to come out).
 *
 *     scorep    two ranks, a worker thread, a GPU's stream and a location of metrics; references of rank 1 that are its
 *               own, with a mapping to the global ones; clocks that differ; definitions in no order; metrics,
 *               parameters, threads, locks, attributes, communicators made, windows, files of MPI and of POSIX
 *     tau       names with a signature, and with file and line in them; regions of no paradigm
 *     contexts  calls as calling contexts, which are entered and left by several at once, and sampled
 *     ring      the same, damaged: two of them lie within each other */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START 5000u /* of the clock */
#define AHEAD 1000  /* ticks by which the clock of rank 1 is ahead */
#define WORKER ((OTF2_LocationRef)1 << 32)
#define METRICS ((OTF2_LocationRef)1 << 32 | 1)
#define STREAM ((OTF2_LocationRef)2 << 32)

static OTF2_GlobalDefWriter *definitions;
static OTF2_StringRef n_strings;
static uint64_t n_events[5]; /* by place in `locations` */
static const OTF2_LocationRef locations[] = {0, 1, WORKER, METRICS, STREAM};

/* Every call of the library has to succeed. */
static void must(OTF2_ErrorCode code) {
    if (code) {
        fprintf(stderr, "foreign_otf2: %s\n", OTF2_Error_GetDescription(code));
        exit(1);
    }
}

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                                   bool final) {
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

static OTF2_StringRef string(const char *text) {
    must(OTF2_GlobalDefWriter_WriteString(definitions, n_strings, text));
    return n_strings++;
}

/* ---- regions: in front of the strings that they name ---- */

struct region {
    const char *name, *file;
    uint32_t line;
    OTF2_Paradigm paradigm;
};

static void define_regions(const struct region *regions, uint32_t n) {
    for (uint32_t i = n; i-- > 0;)
        must(OTF2_GlobalDefWriter_WriteRegion(
            definitions, i, 2 * i, 2 * i, 2 * i, OTF2_REGION_ROLE_UNKNOWN, regions[i].paradigm, OTF2_REGION_FLAG_NONE,
            2 * i + 1, regions[i].line ? regions[i].line : OTF2_UNDEFINED_UINT32, OTF2_UNDEFINED_UINT32));
    for (uint32_t i = 0; i < n; i++) {
        string(regions[i].name);
        string(regions[i].file);
    }
}

static void define_process(OTF2_LocationGroupRef group, OTF2_LocationRef location) {
    must(OTF2_GlobalDefWriter_WriteLocation(definitions, location, string("Master thread"),
                                            OTF2_LOCATION_TYPE_CPU_THREAD, n_events[location], group));
    must(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, group, string("MPI Rank"),
                                                 OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP));
}

/* A communicator is defined before its group, and a group before the group of locations that it refers to. */
static void define_world(void) {
    must(OTF2_GlobalDefWriter_WriteComm(definitions, 7, string("MPI_COMM_WORLD"), 40, OTF2_UNDEFINED_COMM,
                                        OTF2_COMM_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteGroup(definitions, 40, string(""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 2, (const uint64_t[]){0, 1}));
    must(OTF2_GlobalDefWriter_WriteGroup(definitions, 30, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                         OTF2_GROUP_FLAG_NONE, 2, (const uint64_t[]){0, 1}));
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, 0, string("node"), string("node"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    must(OTF2_GlobalDefWriter_WriteClockProperties(definitions, 1000000000, START, 100000, 1700000000000000000u));
}

/* ---- Score-P ---- */

enum {
    MAIN,
    SEND,
    RECV,
    ISEND,
    IRECV,
    WAITALL,
    ALLREDUCE,
    PUT,
    FENCE,
    FILE_WRITE,
    PARALLEL,
    POSIX_WRITE,
    IBARRIER,
    WAIT,
    TEST,
    DUP,
    KERNEL,
    PHASE,
    REGIONS
};
static const struct region scorep_regions[REGIONS] = {
    [MAIN] = {"main", "app.c", 10, OTF2_PARADIGM_COMPILER},
    [SEND] = {"MPI_Send", "MPI", 0, OTF2_PARADIGM_MPI},
    [RECV] = {"MPI_Recv", "MPI", 0, OTF2_PARADIGM_MPI},
    [ISEND] = {"MPI_Isend", "MPI", 0, OTF2_PARADIGM_MPI},
    [IRECV] = {"MPI_Irecv", "MPI", 0, OTF2_PARADIGM_MPI},
    [WAITALL] = {"MPI_Waitall", "MPI", 0, OTF2_PARADIGM_MPI},
    [ALLREDUCE] = {"MPI_Allreduce", "MPI", 0, OTF2_PARADIGM_MPI},
    [PUT] = {"MPI_Put", "MPI", 0, OTF2_PARADIGM_MPI},
    [FENCE] = {"MPI_Win_fence", "MPI", 0, OTF2_PARADIGM_MPI},
    [FILE_WRITE] = {"MPI_File_write_at", "MPI", 0, OTF2_PARADIGM_MPI},
    [PARALLEL] = {"!$omp parallel @app.c:20", "app.c", 20, OTF2_PARADIGM_OPENMP},
    [POSIX_WRITE] = {"write", "POSIX I/O", 0, OTF2_PARADIGM_COMPILER},
    [IBARRIER] = {"MPI_Ibarrier", "MPI", 0, OTF2_PARADIGM_MPI},
    [WAIT] = {"MPI_Wait", "MPI", 0, OTF2_PARADIGM_MPI},
    [TEST] = {"MPI_Test", "MPI", 0, OTF2_PARADIGM_MPI},
    [DUP] = {"MPI_Comm_dup", "MPI", 0, OTF2_PARADIGM_MPI},
    [KERNEL] = {"kernel", "", 0, OTF2_PARADIGM_CUDA},
    [PHASE] = {"phase", "", 0, OTF2_PARADIGM_USER}};

static OTF2_EvtWriter *to;
static OTF2_TimeStamp now;
static bool mapped; /* rank 1: its own references of regions */

static OTF2_RegionRef own(OTF2_RegionRef region) {
    return mapped ? REGIONS - 1 - region : region;
}
static void enter(OTF2_RegionRef region) {
    must(OTF2_EvtWriter_Enter(to, NULL, now += 100, own(region)));
}
static void leave(OTF2_RegionRef region) {
    must(OTF2_EvtWriter_Leave(to, NULL, now += 100, own(region)));
}

/* The calls of both ranks: a message to each other, then collectives. */
static void exchange(uint32_t peer) {
    enter(IRECV);
    must(OTF2_EvtWriter_MpiIrecvRequest(to, NULL, now, 900));
    leave(IRECV);
    enter(ISEND);
    must(OTF2_EvtWriter_MpiIsend(to, NULL, now, peer, 7, 5, 64, 901));
    leave(ISEND);
    enter(TEST);
    must(OTF2_EvtWriter_MpiRequestTest(to, NULL, now, 900));
    leave(TEST);
    enter(WAITALL);
    must(OTF2_EvtWriter_MpiIrecv(to, NULL, now += 10000, peer, 7, 5, 64, 900));
    must(OTF2_EvtWriter_MpiIsendComplete(to, NULL, now, 901));
    leave(WAITALL);
    enter(ALLREDUCE);
    must(OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, now));
    must(OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, now += 100, OTF2_COLLECTIVE_OP_ALLREDUCE, 7,
                                         OTF2_COLLECTIVE_ROOT_NONE, 16, 16));
    leave(ALLREDUCE);
    enter(IBARRIER);
    must(OTF2_EvtWriter_NonBlockingCollectiveRequest(to, NULL, now, 902));
    leave(IBARRIER);
    enter(WAIT);
    must(OTF2_EvtWriter_NonBlockingCollectiveComplete(to, NULL, now, OTF2_COLLECTIVE_OP_BARRIER, 7,
                                                      OTF2_COLLECTIVE_ROOT_NONE, 0, 0, 902));
    leave(WAIT);
    enter(DUP);
    must(OTF2_EvtWriter_MpiCollectiveBegin(to, NULL, now));
    must(OTF2_EvtWriter_CommCreate(to, NULL, now, 8));
    must(OTF2_EvtWriter_MpiCollectiveEnd(to, NULL, now, OTF2_COLLECTIVE_OP_CREATE_HANDLE, 7, OTF2_COLLECTIVE_ROOT_NONE,
                                         0, 0));
    leave(DUP);
    must(OTF2_EvtWriter_RmaWinCreate(to, NULL, now, 3));
    enter(PUT);
    must(OTF2_EvtWriter_RmaPut(to, NULL, now, 3, peer, 24, 1));
    must(OTF2_EvtWriter_RmaOpCompleteNonBlocking(to, NULL, now, 3, 1));
    leave(PUT);
    enter(FENCE);
    must(OTF2_EvtWriter_RmaCollectiveBegin(to, NULL, now));
    must(OTF2_EvtWriter_RmaOpCompleteRemote(to, NULL, now, 3, 1));
    must(OTF2_EvtWriter_RmaCollectiveEnd(to, NULL, now, OTF2_COLLECTIVE_OP_BARRIER,
                                         OTF2_RMA_SYNC_LEVEL_PROCESS | OTF2_RMA_SYNC_LEVEL_MEMORY, 3,
                                         OTF2_COLLECTIVE_ROOT_NONE, 0, 0));
    leave(FENCE);
    must(OTF2_EvtWriter_RmaWinDestroy(to, NULL, now, 3));
    must(OTF2_EvtWriter_IoCreateHandle(to, NULL, now, 0, OTF2_IO_ACCESS_MODE_WRITE_ONLY, OTF2_IO_CREATION_FLAG_CREATE,
                                       OTF2_IO_STATUS_FLAG_NONE));
    enter(FILE_WRITE);
    must(OTF2_EvtWriter_IoOperationBegin(to, NULL, now, 0, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE,
                                         80, 2));
    enter(POSIX_WRITE); /* a call that MPI makes */
    must(OTF2_EvtWriter_IoOperationBegin(to, NULL, now, 1, OTF2_IO_OPERATION_MODE_WRITE, OTF2_IO_OPERATION_FLAG_NONE,
                                         80, 3));
    must(OTF2_EvtWriter_IoOperationComplete(to, NULL, now, 1, 80, 3));
    leave(POSIX_WRITE);
    must(OTF2_EvtWriter_IoOperationComplete(to, NULL, now, 0, 80, 2));
    leave(FILE_WRITE);
    must(OTF2_EvtWriter_IoDestroyHandle(to, NULL, now, 0));
}

static void scorep_rank(OTF2_Archive *archive, int rank) {
    OTF2_AttributeList *attributes = OTF2_AttributeList_New();
    OTF2_MetricValue values[] = {{.unsigned_int = 123}, {.floating_point = 0.5}};
    const OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_DOUBLE};
    to = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)rank);
    now = START + (rank ? AHEAD : 0);
    mapped = rank == 1;
    must(OTF2_EvtWriter_ProgramBegin(to, NULL, now, 0, 0, NULL));
    must(OTF2_AttributeList_AddUint32(attributes, 0, 17));
    must(OTF2_EvtWriter_Enter(to, attributes, now += 100, own(MAIN)));
    must(OTF2_EvtWriter_Metric(to, NULL, now, 0, 2, types, values));
    must(OTF2_EvtWriter_ParameterInt(to, NULL, now, 0, 42));
    must(OTF2_EvtWriter_MeasurementOnOff(to, NULL, now, OTF2_MEASUREMENT_OFF));
    must(OTF2_EvtWriter_MeasurementOnOff(to, NULL, now, OTF2_MEASUREMENT_ON));
    enter(PHASE);
    exchange((uint32_t)(1 - rank));
    leave(PHASE);
    if (rank == 0) {
        must(OTF2_EvtWriter_ThreadFork(to, NULL, now, OTF2_PARADIGM_OPENMP, 2));
        OTF2_EvtWriter *master = to;
        to = OTF2_Archive_GetEvtWriter(archive, WORKER);
        must(OTF2_EvtWriter_ThreadTeamBegin(to, NULL, now, 9));
        enter(PARALLEL);
        must(OTF2_EvtWriter_ThreadAcquireLock(to, NULL, now, OTF2_PARADIGM_OPENMP, 1, 1));
        must(OTF2_EvtWriter_ThreadReleaseLock(to, NULL, now, OTF2_PARADIGM_OPENMP, 1, 1));
        leave(PARALLEL);
        must(OTF2_EvtWriter_ThreadTeamEnd(to, NULL, now, 9));
        to = OTF2_Archive_GetEvtWriter(archive, STREAM);
        enter(KERNEL);
        leave(KERNEL);
        to = master;
        must(OTF2_EvtWriter_ThreadJoin(to, NULL, now, OTF2_PARADIGM_OPENMP));
    } else {
        OTF2_EvtWriter *metrics = OTF2_Archive_GetEvtWriter(archive, METRICS);
        must(OTF2_EvtWriter_Metric(metrics, NULL, now, 1, 2, types, values));
    }
    leave(MAIN);
    must(OTF2_EvtWriter_ProgramEnd(to, NULL, now, 0));
    OTF2_AttributeList_Delete(attributes);
}

static void scorep_local(OTF2_DefWriter *local, OTF2_LocationRef location) {
    uint32_t backwards[REGIONS];
    for (uint32_t i = 0; i < REGIONS; i++)
        backwards[i] = REGIONS - 1 - i;
    OTF2_IdMap *map = OTF2_IdMap_CreateFromUint32Array(REGIONS, backwards, false);
    if (location == 1) {
        must(OTF2_DefWriter_WriteMappingTable(local, OTF2_MAPPING_REGION, map));
        must(OTF2_DefWriter_WriteClockOffset(local, START, -AHEAD, 0.0));
        must(OTF2_DefWriter_WriteClockOffset(local, START + 100000, -AHEAD, 0.0));
    }
    OTF2_IdMap_Free(map);
}

static void scorep_definitions(void) {
    define_regions(scorep_regions, REGIONS);
    define_process(1, 1);
    must(OTF2_GlobalDefWriter_WriteLocation(definitions, STREAM, string("stream"),
                                            OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, n_events[4], 2));
    must(OTF2_GlobalDefWriter_WriteLocation(definitions, WORKER, string("worker"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            n_events[2], 0));
    define_process(0, 0);
    must(OTF2_GlobalDefWriter_WriteLocation(definitions, METRICS, string("metrics"), OTF2_LOCATION_TYPE_METRIC,
                                            n_events[3], 1));
    must(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, 2, string("GPU"), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0,
                                                 0));
    define_world();
    must(OTF2_GlobalDefWriter_WriteComm(definitions, 8, string("copy"), 40, 7, OTF2_COMM_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteComm(definitions, 9, string("team"), 50, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteGroup(definitions, 50, string(""), OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_OPENMP,
                                         OTF2_GROUP_FLAG_NONE, 1, (const uint64_t[]){1}));
    must(OTF2_GlobalDefWriter_WriteGroup(definitions, 20, string(""), OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                         OTF2_PARADIGM_OPENMP, OTF2_GROUP_FLAG_NONE, 2, (const uint64_t[]){0, WORKER}));
    must(OTF2_GlobalDefWriter_WriteRmaWin(definitions, 3, string("window"), 7, OTF2_RMA_WIN_FLAG_NONE));
    must(OTF2_GlobalDefWriter_WriteAttribute(definitions, 0, string("line"), string(""), OTF2_TYPE_UINT32));
    must(OTF2_GlobalDefWriter_WriteParameter(definitions, 0, string("step"), OTF2_PARAMETER_TYPE_INT64));
}

/* ---- TAU ---- */

static const struct region tau_regions[] = {
    {"int main(int, char **) C [{/home/user/app.c} {10,1}-{20,1}]", "", 0, OTF2_PARADIGM_USER},
    {"MPI_Send()", "", 0, OTF2_PARADIGM_USER},
    {"MPI_Recv()", "", 0, OTF2_PARADIGM_USER},
    {"Loop: work [{/home/user/work.c} {7,3}-{9,3}]", "", 0, OTF2_PARADIGM_USER}};

static void tau_rank(OTF2_Archive *archive, int rank) {
    to = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)rank);
    now = START;
    enter(0);
    enter(3);
    leave(3);
    enter(rank ? 2 : 1);
    if (rank)
        must(OTF2_EvtWriter_MpiRecv(to, NULL, now += 5000, 0, 7, 4, 32));
    else
        must(OTF2_EvtWriter_MpiSend(to, NULL, now, 1, 7, 4, 32));
    leave(rank ? 2 : 1);
    leave(0);
}

static void tau_definitions(void) {
    define_regions(tau_regions, sizeof tau_regions / sizeof *tau_regions);
    define_process(0, 0);
    define_process(1, 1);
    define_world();
}

/* ---- calling contexts: 0 main, 1 main f, 2 main f MPI_Send, 3 main g, 4 main f MPI_Recv ---- */

static const struct region context_regions[] = {{"main", "app.c", 1, OTF2_PARADIGM_SAMPLING},
                                                {"f", "app.c", 2, OTF2_PARADIGM_SAMPLING},
                                                {"g", "app.c", 3, OTF2_PARADIGM_SAMPLING},
                                                {"MPI_Send", "MPI", 0, OTF2_PARADIGM_MPI},
                                                {"MPI_Recv", "MPI", 0, OTF2_PARADIGM_MPI}};

static void contexts_rank(OTF2_Archive *archive, int rank) {
    to = OTF2_Archive_GetEvtWriter(archive, (OTF2_LocationRef)rank);
    now = START;
    must(OTF2_EvtWriter_CallingContextEnter(to, NULL, now += 100, rank ? 4 : 2, 3));
    if (rank)
        must(OTF2_EvtWriter_MpiRecv(to, NULL, now += 5000, 0, 7, 4, 32));
    else
        must(OTF2_EvtWriter_MpiSend(to, NULL, now, 1, 7, 4, 32));
    must(OTF2_EvtWriter_CallingContextLeave(to, NULL, now += 100, rank ? 4 : 2));
    must(OTF2_EvtWriter_CallingContextSample(to, NULL, now += 100, 3, 2, 0));
    must(OTF2_EvtWriter_CallingContextSample(to, NULL, now += 100, 0, 1, 0));
}

/* Damaged, `ring`: the outer two lie within each other. */
static void contexts_definitions(bool ring) {
    static const OTF2_RegionRef regions[] = {0, 1, 3, 2, 4};
    static const OTF2_CallingContextRef parents[] = {OTF2_UNDEFINED_CALLING_CONTEXT, 0, 1, 0, 1};
    define_regions(context_regions, sizeof context_regions / sizeof *context_regions);
    define_process(0, 0);
    define_process(1, 1);
    define_world();
    for (uint32_t i = 5; i-- > 0;)
        must(OTF2_GlobalDefWriter_WriteCallingContext(definitions, i, regions[i], OTF2_UNDEFINED_SOURCE_CODE_LOCATION,
                                                      ring && i == 0 ? 1 : parents[i]));
    must(OTF2_GlobalDefWriter_WriteInterruptGenerator(definitions, 0, string("timer"),
                                                      OTF2_INTERRUPT_GENERATOR_MODE_TIME, OTF2_BASE_DECIMAL, -3, 1));
}

/* ---- all ---- */

int main(int argc, char **argv) {
    static const OTF2_FlushCallbacks flush = {.otf2_pre_flush = before_flush};
    if (argc != 3)
        return 2;
    bool scorep = strcmp(argv[1], "scorep") == 0, tau = strcmp(argv[1], "tau") == 0;
    size_t n = scorep ? 5 : 2;
    OTF2_Archive *archive = OTF2_Archive_Open(argv[2], "traces", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 20,
                                              OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive)
        return 1;
    must(OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL));
    must(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    must(OTF2_Archive_SetCreator(archive, argv[1]));
    must(OTF2_Archive_OpenEvtFiles(archive));
    for (int rank = 0; rank < 2; rank++)
        (scorep ? scorep_rank : tau ? tau_rank : contexts_rank)(archive, rank);
    for (size_t i = 0; i < n; i++) {
        OTF2_EvtWriter *writer = OTF2_Archive_GetEvtWriter(archive, locations[i]);
        must(OTF2_EvtWriter_GetNumberOfEvents(writer, &n_events[i]));
        must(OTF2_Archive_CloseEvtWriter(archive, writer));
    }
    must(OTF2_Archive_CloseEvtFiles(archive));
    must(OTF2_Archive_OpenDefFiles(archive));
    for (size_t i = 0; i < n; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive, locations[i]);
        if (scorep)
            scorep_local(local, locations[i]);
        must(OTF2_Archive_CloseDefWriter(archive, local));
    }
    must(OTF2_Archive_CloseDefFiles(archive));
    definitions = OTF2_Archive_GetGlobalDefWriter(archive);
    if (scorep || tau)
        (scorep ? scorep_definitions : tau_definitions)();
    else
        contexts_definitions(strcmp(argv[1], "ring") == 0);
    must(OTF2_Archive_CloseGlobalDefWriter(archive, definitions));
    must(OTF2_Archive_Close(archive));
    return 0;
}
