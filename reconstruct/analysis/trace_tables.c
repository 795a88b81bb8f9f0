/* trace_tables.c: tables of the processes, locations and other facts of a run (tables.h). */
#include "analysis/tables.h"
#include "model/trace_read.h"

#define FIELD(row, type, member)                                                                                       \
    { #member, REFRAIN_FIELD_##type, offsetof(struct row, member), NULL }

static const char *const region_kinds[] = {"function", "mpi", "user", "value", "io"};
static const char *const own_times[REFRAIN_OWN_TIMES] = {"computing", "transmission", "management", "paused"};

static const struct refrain_field process_fields[] = {
    FIELD(refrain_process_info, INT32, rank),     FIELD(refrain_process_info, UINT32, pid),
    FIELD(refrain_process_info, BOOL, finished),  FIELD(refrain_process_info, BOOL, learned),
    FIELD(refrain_process_info, BOOL, recorded),  FIELD(refrain_process_info, TEXT, executable),
    FIELD(refrain_process_info, TEXT, host),      FIELD(refrain_process_info, TEXT, mpi_library),
    FIELD(refrain_process_info, TEXT, directory), FIELD(refrain_process_info, TEXT, environment)};

static const struct refrain_field location_fields[] = {
    FIELD(refrain_location_info, INT32, rank), FIELD(refrain_location_info, UINT32, thread),
    FIELD(refrain_location_info, INT64, start_ns), FIELD(refrain_location_info, INT64, end_ns)};

static const struct refrain_field region_fields[] = {
    {"kind", REFRAIN_FIELD_ENUM, offsetof(struct refrain_region_info, kind), region_kinds},
    FIELD(refrain_region_info, TEXT, name),
    FIELD(refrain_region_info, TEXT, file),
    FIELD(refrain_region_info, UINT32, line),
    FIELD(refrain_region_info, TEXT, function),
    FIELD(refrain_region_info, TEXT, collective),
    {"own_time", REFRAIN_FIELD_ENUM, offsetof(struct refrain_region_info, own_time), own_times}};

static const struct refrain_field comm_fields[] = {FIELD(refrain_comm_info, TEXT, name),
                                                   FIELD(refrain_comm_info, INT32, size),
                                                   FIELD(refrain_comm_info, INT32, remote_size)};

static const struct refrain_field loss_fields[] = {FIELD(refrain_loss_info, INT32, rank),
                                                   FIELD(refrain_loss_info, TEXT, what),
                                                   FIELD(refrain_loss_info, UINT64, count)};

#define MAKE(fields, rows, n)                                                                                          \
    refrain_trace_table_make(fields, sizeof(fields) / sizeof *(fields), rows, sizeof *(rows), n, error)

struct refrain_trace_table *refrain_trace_table_of_trace(const struct refrain_trace *trace,
                                                         enum refrain_trace_table_kind kind,
                                                         struct refrain_error *error) {
    switch (kind) {
    case REFRAIN_TABLE_PROCESSES:
        return MAKE(process_fields, trace->process_infos, trace->n_processes);
    case REFRAIN_TABLE_LOCATIONS:
        return MAKE(location_fields, trace->locations, trace->n_locations);
    case REFRAIN_TABLE_REGIONS:
        return MAKE(region_fields, trace->regions, trace->n_regions);
    case REFRAIN_TABLE_COMMUNICATORS:
        return MAKE(comm_fields, trace->comms, trace->n_comms);
    default:
        return MAKE(loss_fields, trace->losses, trace->n_losses);
    }
}
