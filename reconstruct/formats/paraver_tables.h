/* paraver_tables.h: numbers and names of Paraver's types, values and states, and the files .pcf and .row that
 * contain them (write_paraver.c). The numbers are those of Extrae, so that its configurations work. */
#ifndef REFRAIN_PARAVER_TABLES_H
#define REFRAIN_PARAVER_TABLES_H

#include "formats/locations.h"
#include "formats/sink.h"

enum refrain_paraver_type {
    REFRAIN_PARAVER_P2P = 50000001, /* an MPI call: its number; 0: it ends */
    REFRAIN_PARAVER_COLLECTIVE = 50000002,
    REFRAIN_PARAVER_OTHER = 50000003,
    REFRAIN_PARAVER_RMA = 50000004,
    REFRAIN_PARAVER_IO = 50000005,
    REFRAIN_PARAVER_COLLECTIVE_SENT = 50100001,
    REFRAIN_PARAVER_COLLECTIVE_RECEIVED = 50100002,
    REFRAIN_PARAVER_COLLECTIVE_ROOT = 50100003, /* rank in MPI_COMM_WORLD + 1; 0: none */
    REFRAIN_PARAVER_COLLECTIVE_COMM = 50100004, /* number of the communicator + 1; 0: unknown */
    REFRAIN_PARAVER_FUNCTION = 60000019,        /* a function: number of its region + 1; 0: it ends */
    REFRAIN_PARAVER_FUNCTION_LINE = 60000119,   /* number of its region + 1 */
    REFRAIN_PARAVER_CALL_LINE = 80000001,       /* of an MPI call: number of its region + 1 */
    REFRAIN_PARAVER_USER = 60001019,            /* a user region, as FUNCTION */
    REFRAIN_PARAVER_RMA_TARGET = 60002001,      /* rank in MPI_COMM_WORLD + 1; 0: unknown */
    REFRAIN_PARAVER_RMA_BYTES = 60002002,
    REFRAIN_PARAVER_IO_BYTES = 60002003,
    REFRAIN_PARAVER_LONE_DEST = 60002011, /* a message with only one end in the trace: as RMA_TARGET */
    REFRAIN_PARAVER_LONE_SOURCE = 60002012,
    REFRAIN_PARAVER_LONE_TAG = 60002013,
    REFRAIN_PARAVER_LONE_BYTES = 60002014,
};

/* Type and value of the event that enters a region. */
enum refrain_paraver_type refrain_paraver_type_of(const struct refrain_region_info *region);
int64_t refrain_paraver_value_of(const struct refrain_region_info *region);

/* The state of a thread in an MPI call; outside of MPI calls it is REFRAIN_PARAVER_RUNNING. */
#define REFRAIN_PARAVER_RUNNING 1
#define REFRAIN_PARAVER_NOT_CREATED 2
int refrain_paraver_state_of(const struct refrain_region_info *region);

void refrain_paraver_write_pcf(struct refrain_sink *out, const struct refrain_trace *trace);
void refrain_paraver_write_row(struct refrain_sink *out, const struct refrain_locations *locations);

#endif
