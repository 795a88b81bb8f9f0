/* picl_records.h: records of PICL's trace file (write_picl.c, picl_paragraph.c; P. H. Worley, "A New PICL Trace File
 * Format", ORNL/TM-12125, 1992, which has the tables).
 *
 *     record type, event type, seconds, processor, process, number of data fields, their format, data fields */
#ifndef REFRAIN_PICL_RECORDS_H
#define REFRAIN_PICL_RECORDS_H

#include "formats/format.h"
#include "formats/locations.h"
#include "formats/sink.h"
#include "match/event.h"

enum picl_record {
    PICL_MARK = -2,
    PICL_ENTRY = -3,
    PICL_EXIT = -4,
    PICL_LABEL = -5,
    PICL_DESCRIPTOR = -6,
    PICL_MESSAGE = -7,
    PICL_TIMES = -101,
    PICL_COUNTS = -102,
    PICL_VOLUMES = -103,
    PICL_PROCESSORS = -201,
    PICL_PROCESSES = -202,
    PICL_EVENT_TYPES = -203
};
enum picl_user_record {
    PICL_RECORD_COLLECTIVE = 0,
    PICL_RECORD_RMA = 1,
    PICL_RECORD_COMPLETE = 2,
    PICL_RECORD_CANCEL = 3
};
/* Numbers of formats of data fields; those from 6 on are defined before the events (PICL_DESCRIPTOR). */
enum picl_descriptor {
    PICL_CHARACTERS = 0,
    PICL_INTEGERS = 2,
    PICL_LONG_INTEGERS = 3,
    PICL_TYPES_TIMES = 6,
    PICL_TYPES_NUMBERS = 7
};

/* Event types of tables 4 and 5. */
enum picl_event {
    PICL_ALL_EVENTS = -1,
    PICL_OPEN = -11,
    PICL_CLOSE = -12,
    PICL_SEND = -21,
    PICL_SEND_BEGIN = -27,
    PICL_SEND_FOUND = -28,
    PICL_SEND_MISSED = -29,
    PICL_SEND_DONE = -30,
    PICL_SEND_END = -31,
    PICL_RECV_THERE = -51,
    PICL_RECV = -52,
    PICL_PROBE_FOUND = -53,
    PICL_PROBE_MISSED = -54,
    PICL_PROBE_WAIT = -56,
    PICL_RECV_BEGIN = -57,
    PICL_RECV_FOUND = -58,
    PICL_RECV_MISSED = -59,
    PICL_RECV_DONE = -60,
    PICL_RECV_END = -61,
    PICL_FILE_OPEN = -201,
    PICL_FILE_CLOSE = -202,
    PICL_WRITE = -221,
    PICL_READ = -251,
    PICL_SYNC = -402,
    PICL_SPAWN = -503,
    PICL_TRACING = -901,
    PICL_TRACE_EVENTS = -902,
    PICL_TRACE_LEVEL = -904,
    PICL_SYSTEM = -602,
    PICL_SENDS = -1012,
    PICL_RECEIVES = -1013,
    PICL_BLOCKED = -1014,
    PICL_FILES = -1201,
    PICL_SYNCS = -1401,
    PICL_NO_TYPE = 0
};

/* Subsets defined by refrain: the processes of a processor (threads), and the user events of one kind. Communicator
 * N from 2 on is the subset -N of processors. */
enum picl_subset { PICL_FIRST_PROCESS = -2, PICL_FUNCTIONS = -2001, PICL_CALLS = -2002, PICL_REGIONS = -2003 };

/* Position of a record: a rank, and a thread of it. -1: all of them. */
struct refrain_picl_location {
    int32_t processor;
    int64_t process;
};
#define REFRAIN_PICL_EVERYWHERE ((struct refrain_picl_location){-1, -1})

/* Writes a blank and a number. */
void refrain_picl_number(struct refrain_sink *out, int64_t value);

/* Writes the fields that every record has, up to the process. */
void refrain_picl_start(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns,
                        struct refrain_picl_location location);

/* Writes a blank and the format of the data fields: its number or, in the verbose form, the format itself. */
void refrain_picl_descriptor(struct refrain_sink *out, enum picl_descriptor descriptor, bool verbose);

/* Writes a record with n integers. */
void refrain_picl_put(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns,
                      struct refrain_picl_location location, const int64_t *fields, size_t n, bool verbose);

/* Writes a record with text as its data, on a single line. */
void refrain_picl_put_text(struct refrain_sink *out, int64_t record, int64_t type,
                           struct refrain_picl_location location, const char *text, bool verbose);

/* Writes a mark: a file with this name was opened, and has this number from now on. */
void refrain_picl_put_open(struct refrain_sink *out, int64_t time_ns, struct refrain_picl_location location,
                           const char *name, int64_t number);

/* Number of fields of an entry or exit that are needed: process ids and wildcards (-1) at the end can be omitted. */
size_t refrain_picl_needed(const int64_t *fields, size_t n);

/* The subset of processors of a communicator, for its member `rank`. */
int64_t refrain_picl_processors(const struct refrain_comm_info *comm, int32_t rank);

/* The event type of an operation, and its fields as in a mark: those of the entry, then those of the exit. */
size_t refrain_picl_fields(const struct refrain_event *event, enum picl_event *type, int64_t fields[8],
                           size_t *of_entry);

/* The event type of an operation without waiting, given that of one with waiting. Other types are returned
 * unchanged. */
enum picl_event refrain_picl_unwaited(enum picl_event type);

/* The type of an MPI call in table 4; PICL_NO_TYPE if it is none of these. */
enum picl_event refrain_picl_type(const struct refrain_region_info *region);

/* Writes the header records: names of event types and processors, descriptors, subsets (picl_header.c). False
 * without memory. */
bool refrain_picl_header(struct refrain_sink *out, const struct refrain_trace *trace,
                         const struct refrain_locations *locations, bool verbose);

/* Opens the writer for ParaGraph (picl_paragraph.c). */
enum refrain_status refrain_picl_paragraph_open(const struct refrain_format_request *request,
                                                struct refrain_writer **writer, struct refrain_error *error);

#endif
