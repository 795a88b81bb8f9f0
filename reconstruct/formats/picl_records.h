/* picl_records.h: records of PICL's trace file (write_picl.c, picl_paragraph.c; P. H. Worley, "A New PICL Trace File
 * Format", ORNL/TM-12125, 1992; the tables are its own).
 *
 *     record type, event type, seconds, processor, process, number of data fields, their format, data fields */
#ifndef REFRAIN_PICL_RECORDS_H
#define REFRAIN_PICL_RECORDS_H

#include "event.h"
#include "format.h"
#include "sink.h"

enum picl_record {
    PICL_MARK = -2,
    PICL_ENTRY = -3,
    PICL_EXIT = -4,
    PICL_LABEL = -5,
    PICL_TIMES = -101,
    PICL_COUNTS = -102,
    PICL_VOLUMES = -103
};
enum picl_user_record {
    PICL_RECORD_COLLECTIVE = 0,
    PICL_RECORD_RMA = 1,
    PICL_RECORD_COMPLETE = 2,
    PICL_RECORD_CANCEL = 3
};
enum picl_descriptor { PICL_CHARACTERS = 0, PICL_INTEGERS = 2 };

/* Event types of table 4. */
enum picl_event {
    PICL_ALL_EVENTS = -1,
    PICL_OPEN = -11,
    PICL_CLOSE = -12,
    PICL_SEND = -21,
    PICL_SEND_BEGIN = -27,
    PICL_SEND_END = -30,
    PICL_RECV = -52,
    PICL_PROBE_WAIT = -56,
    PICL_RECV_BEGIN = -57,
    PICL_RECV_END = -61,
    PICL_WRITE = -221,
    PICL_READ = -251,
    PICL_SYNC = -402,
    PICL_TRACING = -901,
    PICL_TRACE_LEVEL = -904,
    PICL_SYSTEM = -602,
    PICL_NO_TYPE = 0
};

/* A number behind a blank. */
void refrain_picl_number(struct refrain_sink *out, int64_t value);

/* The fields that every record has, up to the process. */
void refrain_picl_start(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns, int32_t rank);

/* A record with n whole numbers. */
void refrain_picl_put(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns, int32_t rank,
                      const int64_t *fields, size_t n);

/* The event type of what an operation does, and its fields as a mark has them: those of the entry, then of the exit. */
size_t refrain_picl_fields(const struct refrain_event *event, enum picl_event *type, int64_t fields[8],
                           size_t *of_entry);

/* What an MPI call is in table 4; PICL_NO_TYPE where it is none of these. */
enum picl_event refrain_picl_type(const struct refrain_region_info *region);

/* A writer of what ParaGraph takes (picl_paragraph.c). */
enum refrain_status refrain_picl_paragraph_open(const struct refrain_format_request *request,
                                                struct refrain_writer **writer, struct refrain_error *error);

#endif
