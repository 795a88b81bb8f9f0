/* paraver_tables.c: numbers and names for Paraver (paraver_tables.h). */
#include "formats/paraver_tables.h"
#include "model/mpi_call.h"

#include <inttypes.h>
#include <string.h>

/* ---- numbers ---- */

/* MPI calls whose numbers Extrae's configurations know: the number is the index here. The number of any other call is
 * OTHER_CALLS + 1 + the index of its region. */
static const char *const calls[] = {"",
                                    "MPI_Send",
                                    "MPI_Recv",
                                    "MPI_Isend",
                                    "MPI_Irecv",
                                    "MPI_Wait",
                                    "MPI_Waitall",
                                    "MPI_Bcast",
                                    "MPI_Barrier",
                                    "MPI_Reduce",
                                    "MPI_Allreduce",
                                    "MPI_Alltoall",
                                    "MPI_Alltoallv",
                                    "MPI_Gather",
                                    "MPI_Gatherv",
                                    "MPI_Scatter",
                                    "MPI_Scatterv",
                                    "MPI_Allgather",
                                    "MPI_Allgatherv",
                                    "MPI_Comm_rank",
                                    "MPI_Comm_size",
                                    "MPI_Comm_create",
                                    "MPI_Comm_dup",
                                    "MPI_Comm_split",
                                    "MPI_Comm_group",
                                    "MPI_Comm_free",
                                    "MPI_Comm_remote_group",
                                    "MPI_Comm_remote_size",
                                    "MPI_Comm_test_inter",
                                    "MPI_Comm_compare",
                                    "MPI_Scan",
                                    "MPI_Init",
                                    "MPI_Finalize",
                                    "MPI_Bsend",
                                    "MPI_Ssend",
                                    "MPI_Rsend",
                                    "MPI_Ibsend",
                                    "MPI_Issend",
                                    "MPI_Irsend",
                                    "MPI_Test",
                                    "MPI_Cancel",
                                    "MPI_Sendrecv",
                                    "MPI_Sendrecv_replace"};
#define CALLS ((int64_t)(sizeof calls / sizeof *calls))
#define OTHER_CALLS 1000

enum refrain_paraver_type refrain_paraver_type_of(const struct refrain_region_info *region) {
    if (region->kind == REFRAIN_REGION_FUNCTION)
        return REFRAIN_PARAVER_FUNCTION;
    if (region->kind == REFRAIN_REGION_USER)
        return REFRAIN_PARAVER_USER;
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return region->role                                                 ? REFRAIN_PARAVER_COLLECTIVE
           : refrain_mpi_is_file(kind)                                  ? REFRAIN_PARAVER_IO
           : refrain_mpi_is_window(kind) || refrain_mpi_is_access(kind) ? REFRAIN_PARAVER_RMA
           : refrain_mpi_is_message(kind)                               ? REFRAIN_PARAVER_P2P
                                                                        : REFRAIN_PARAVER_OTHER;
}

int64_t refrain_paraver_value_of(const struct refrain_region_info *region) {
    for (int64_t i = 1; region->kind == REFRAIN_REGION_MPI && i < CALLS; i++)
        if (strcmp(region->name, calls[i]) == 0)
            return i;
    return (region->kind == REFRAIN_REGION_MPI ? OTHER_CALLS : 0) + (int64_t)region->index + 1;
}

static const struct {
    const char *name;
    unsigned red, green, blue;
} states[] = {{"Idle", 117, 195, 255},
              {"Running", 0, 0, 255},
              {"Not created", 255, 255, 255},
              {"Waiting a message", 255, 0, 0},
              {"Blocking Send", 255, 0, 174},
              {"Synchronization", 179, 0, 0},
              {"Test/Probe", 0, 255, 0},
              {"Scheduling and Fork/Join", 255, 255, 0},
              {"Wait/WaitAll", 235, 0, 0},
              {"Blocked", 0, 162, 0},
              {"Immediate Send", 255, 0, 255},
              {"Immediate Receive", 100, 100, 177},
              {"I/O", 172, 174, 41},
              {"Group Communication", 255, 144, 26},
              {"Tracing Disabled", 2, 255, 177},
              {"Others", 192, 224, 0},
              {"Send Receive", 66, 66, 66},
              {"Memory transfer", 255, 0, 96}};

int refrain_paraver_state_of(const struct refrain_region_info *region) {
    static const int of_kind[REFRAIN_MPI_KINDS] = {
        [REFRAIN_MPI_SEND] = 4,       [REFRAIN_MPI_BSEND] = 4,      [REFRAIN_MPI_SSEND] = 4,
        [REFRAIN_MPI_RECV] = 3,       [REFRAIN_MPI_SENDRECV] = 16,  [REFRAIN_MPI_IBSEND] = 10,
        [REFRAIN_MPI_ISSEND] = 10,    [REFRAIN_MPI_ISEND] = 10,     [REFRAIN_MPI_IRECV] = 11,
        [REFRAIN_MPI_ISENDRECV] = 10, [REFRAIN_MPI_SEND_INIT] = 10, [REFRAIN_MPI_RECV_INIT] = 11,
        [REFRAIN_MPI_START] = 10,     [REFRAIN_MPI_WAIT] = 8,       [REFRAIN_MPI_TEST] = 6,
        [REFRAIN_MPI_PROBE] = 6,      [REFRAIN_MPI_IPROBE] = 6};
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    return region->role                ? (region->role == REFRAIN_COLLECTIVE_BARRIER ? 5 : 13)
           : refrain_mpi_is_file(kind) ? 12
           : refrain_mpi_is_window(kind) || refrain_mpi_is_access(kind) ? 17
           : of_kind[kind]                                              ? of_kind[kind]
                                                                        : 15;
}

/* ---- the file of names ---- */

static void put_type(struct refrain_sink *out, unsigned type, const char *name) {
    refrain_sink_printf(out, "\n\nEVENT_TYPE\n9    %u    %s\n", type, name);
}

static void put_line(struct refrain_sink *out, const struct refrain_region_info *region) {
    refrain_sink_printf(out, "%" PRIu32 "      %" PRIu32 " (", region->index + 1, region->line);
    refrain_sink_put_name(out, region->file[0] ? region->file : "unknown");
    refrain_sink_put_text(out, ")\n");
}

/* The values of one type: the regions entered with it. MPI calls with a known number are listed once. */
static void put_values(struct refrain_sink *out, const struct refrain_trace *trace, enum refrain_paraver_type type) {
    bool listed[CALLS] = {false};
    refrain_sink_put_text(out, "VALUES\n0      End\n");
    for (size_t i = 0; i < trace->n_regions; i++) {
        const struct refrain_region_info *region = &trace->regions[i];
        if (refrain_paraver_type_of(region) != type)
            continue;
        int64_t value = refrain_paraver_value_of(region);
        if (value < CALLS && region->kind == REFRAIN_REGION_MPI && listed[value])
            continue;
        if (value < CALLS)
            listed[value] = true;
        refrain_sink_printf(out, "%" PRId64 "      ", value);
        refrain_sink_put_name(out, region->name);
        refrain_sink_put_char(out, '\n');
    }
}

static void put_lines(struct refrain_sink *out, const struct refrain_trace *trace, bool mpi) {
    refrain_sink_put_text(out, "VALUES\n0      End\n");
    for (size_t i = 0; i < trace->n_regions; i++)
        if ((trace->regions[i].kind == REFRAIN_REGION_MPI) == mpi)
            put_line(out, &trace->regions[i]);
}

void refrain_paraver_write_pcf(struct refrain_sink *out, const struct refrain_trace *trace) {
    static const struct {
        enum refrain_paraver_type type;
        const char *name;
    } regions[] = {{REFRAIN_PARAVER_P2P, "MPI Point-to-point"},
                   {REFRAIN_PARAVER_COLLECTIVE, "MPI Collective Comm"},
                   {REFRAIN_PARAVER_OTHER, "MPI Other"},
                   {REFRAIN_PARAVER_RMA, "MPI One-sided"},
                   {REFRAIN_PARAVER_IO, "MPI I/O"},
                   {REFRAIN_PARAVER_FUNCTION, "User function"},
                   {REFRAIN_PARAVER_USER, "User region"}},
      fields[] = {{REFRAIN_PARAVER_COLLECTIVE_SENT, "Send Size in MPI Global OP"},
                  {REFRAIN_PARAVER_COLLECTIVE_RECEIVED, "Recv Size in MPI Global OP"},
                  {REFRAIN_PARAVER_COLLECTIVE_ROOT, "Root in MPI Global OP (rank + 1)"},
                  {REFRAIN_PARAVER_COLLECTIVE_COMM, "Communicator in MPI Global OP"},
                  {REFRAIN_PARAVER_RMA_TARGET, "Target of one-sided access (rank + 1)"},
                  {REFRAIN_PARAVER_RMA_BYTES, "Bytes of one-sided access"},
                  {REFRAIN_PARAVER_IO_BYTES, "Bytes of file access"},
                  {REFRAIN_PARAVER_LONE_DEST, "Destination of a message that is not received in the trace (rank + 1)"},
                  {REFRAIN_PARAVER_LONE_SOURCE, "Source of a message that is not sent in the trace (rank + 1)"},
                  {REFRAIN_PARAVER_LONE_TAG, "Tag of a message with one end"},
                  {REFRAIN_PARAVER_LONE_BYTES, "Bytes of a message with one end"}};
    refrain_sink_put_text(out, "DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
                               "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
                               "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\nDEFAULT_SEMANTIC\n\n"
                               "THREAD_FUNC          State As Is\n\n\nSTATES\n");
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
        refrain_sink_printf(out, "%u    %s\n", i, states[i].name);
    refrain_sink_put_text(out, "\n\nSTATES_COLOR\n");
    for (unsigned i = 0; i < sizeof states / sizeof *states; i++)
        refrain_sink_printf(out, "%u    {%u,%u,%u}\n", i, states[i].red, states[i].green, states[i].blue);
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++) {
        put_type(out, regions[i].type, regions[i].name);
        put_values(out, trace, regions[i].type);
    }
    put_type(out, REFRAIN_PARAVER_FUNCTION_LINE, "User function line");
    put_lines(out, trace, false);
    put_type(out, REFRAIN_PARAVER_CALL_LINE, "Caller line at level 1");
    put_lines(out, trace, true);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        put_type(out, fields[i].type, fields[i].name);
    refrain_sink_put_char(out, '\n');
}

/* ---- the file of rows ---- */

void refrain_paraver_write_row(struct refrain_sink *out, const struct refrain_locations *locations) {
    refrain_sink_printf(out, "LEVEL CPU SIZE %zu\n", locations->n);
    for (uint32_t host = 0; host < locations->n_hosts; host++)
        for (size_t i = 0, cpu = 1; i < locations->n; i++)
            if (locations->all[i].host == host)
                refrain_sink_printf(out, "%zu.%s\n", cpu++, locations->hosts[host]);
    refrain_sink_printf(out, "\nLEVEL NODE SIZE %" PRIu32 "\n", locations->n_hosts);
    for (uint32_t host = 0; host < locations->n_hosts; host++)
        refrain_sink_printf(out, "%s\n", locations->hosts[host][0] ? locations->hosts[host] : "unknown");
    refrain_sink_printf(out, "\nLEVEL THREAD SIZE %zu\n", locations->n);
    for (size_t i = 0; i < locations->n; i++)
        refrain_sink_printf(out, "THREAD 1.%" PRId32 ".%" PRIu32 "\n", locations->all[i].rank + 1,
                            locations->all[i].thread + 1);
}
