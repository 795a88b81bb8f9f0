/* picl_records.c: writes records of PICL's trace file (picl_records.h). */
#include "formats/picl_records.h"
#include "model/mpi_call.h"

#include <stdlib.h>

void refrain_picl_number(struct refrain_sink *out, int64_t value) {
    refrain_sink_put_char(out, ' ');
    refrain_sink_put_signed(out, value);
}

void refrain_picl_start(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns,
                        struct refrain_picl_location location) {
    refrain_sink_put_signed(out, record);
    refrain_picl_number(out, type);
    refrain_picl_number(out, time_ns / 1000000000);
    refrain_sink_put_char(out, '.');
    refrain_sink_put_digits(out, (uint64_t)(time_ns % 1000000000), 9);
    refrain_picl_number(out, location.processor);
    refrain_picl_number(out, location.process);
}

void refrain_picl_descriptor(struct refrain_sink *out, enum picl_descriptor descriptor, bool verbose) {
    static const char *const formats[] = {"%c", "%s", "%d", "%ld", "%f", "%lf", "%d%lf", "%d%d"};
    if (verbose)
        refrain_sink_printf(out, " \"%s\"", formats[descriptor]);
    else
        refrain_picl_number(out, descriptor);
}

void refrain_picl_put(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns,
                      struct refrain_picl_location location, const int64_t *fields, size_t n, bool verbose) {
    refrain_picl_start(out, record, type, time_ns, location);
    refrain_picl_number(out, (int64_t)n);
    if (n > 0)
        refrain_picl_descriptor(out, PICL_INTEGERS, verbose);
    for (size_t i = 0; i < n; i++)
        refrain_picl_number(out, fields[i]);
    refrain_sink_put_char(out, '\n');
}

void refrain_picl_put_text(struct refrain_sink *out, int64_t record, int64_t type,
                           struct refrain_picl_location location, const char *text, bool verbose) {
    char *escaped = malloc(4 * strlen(text) + 1);
    if (!escaped)
        return;
    size_t n = refrain_escape_name(escaped, text);
    refrain_picl_start(out, record, type, 0, location);
    refrain_picl_number(out, (int64_t)n);
    if (n > 0) {
        refrain_picl_descriptor(out, PICL_CHARACTERS, verbose);
        refrain_sink_put_char(out, ' ');
        refrain_sink_put_bytes(out, escaped, n);
    }
    refrain_sink_put_char(out, '\n');
    free(escaped);
}

void refrain_picl_put_open(struct refrain_sink *out, int64_t time_ns, struct refrain_picl_location location,
                           const char *name, int64_t number) {
    char *escaped = malloc(4 * strlen(name) + 1);
    size_t n = escaped ? refrain_escape_name(escaped, name) : 0;
    refrain_picl_start(out, PICL_MARK, PICL_FILE_OPEN, time_ns, location);
    if (n > 0) {
        refrain_sink_printf(out, " 1 \"%%%zuc%%d\" ", n);
        refrain_sink_put_bytes(out, escaped, n);
    } else {
        refrain_sink_put_text(out, " 1 \"%d\"");
    }
    refrain_picl_number(out, number);
    refrain_sink_put_char(out, '\n');
    free(escaped);
}

size_t refrain_picl_needed(const int64_t *fields, size_t n) {
    if (n == 4) /* the last of four fields is a process in all of tables 7 and 8 */
        n--;
    while (n > 0 && fields[n - 1] == -1)
        n--;
    return n;
}

int64_t refrain_picl_processors(const struct refrain_comm_info *comm, int32_t rank) {
    return !comm || comm->index == 0 ? -1 : comm->index == 1 ? rank : -(int64_t)comm->index;
}

size_t refrain_picl_fields(const struct refrain_event *event, enum picl_event *type, int64_t fields[8],
                           size_t *of_entry) {
    const int64_t tag = event->tag, bytes = event->bytes, peer = event->peer;
    const bool tests = refrain_mpi_kind(event->region) == REFRAIN_MPI_TEST;
    const int64_t process = event->match ? (int64_t)event->match_thread : -1; /* of the sender */
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        *type = event->request < 0 ? PICL_SEND : PICL_SEND_BEGIN;
        *of_entry = 4;
        memcpy(fields, (int64_t[]){bytes, tag, peer, -1, event->request}, 5 * sizeof *fields);
        return event->request < 0 ? 4 : 5;
    case REFRAIN_EVENT_RECV:
        *type = event->request < 0 ? PICL_RECV : tests ? PICL_RECV_FOUND : PICL_RECV_END;
        *of_entry = event->request < 0 ? 3 : 1;
        if (event->request < 0)
            memcpy(fields, (int64_t[]){-1, -1, -1, bytes, tag, peer, process}, 7 * sizeof *fields);
        else
            memcpy(fields, (int64_t[]){event->request, bytes, tag, peer, process}, 5 * sizeof *fields);
        return event->request < 0 ? 7 : 5;
    case REFRAIN_EVENT_RECV_POST:
        *type = PICL_RECV_BEGIN;
        *of_entry = 3;
        memcpy(fields, (int64_t[]){-1, -1, -1, event->request}, 4 * sizeof *fields);
        return 4;
    case REFRAIN_EVENT_SEND_COMPLETE:
        *type = tests ? PICL_SEND_FOUND : PICL_SEND_END;
        *of_entry = 1;
        fields[0] = event->request;
        return 1;
    case REFRAIN_EVENT_COLLECTIVE:
        *type = PICL_SYNC;
        *of_entry = 2;
        fields[0] = refrain_picl_processors(event->comm, event->rank);
        fields[1] = PICL_FIRST_PROCESS;
        return 2;
    default:
        *type = refrain_mpi_writes_file(refrain_mpi_kind(event->region)) ? PICL_WRITE : PICL_READ;
        *of_entry = *type == PICL_WRITE ? 2 : 0;
        memcpy(fields, (int64_t[]){bytes, event->tag}, 2 * sizeof *fields);
        return 2;
    }
}

enum picl_event refrain_picl_unwaited(enum picl_event type) {
    return type == PICL_RECV       ? PICL_RECV_THERE
           : type == PICL_RECV_END ? PICL_RECV_DONE
           : type == PICL_SEND_END ? PICL_SEND_DONE
                                   : type;
}

enum picl_event refrain_picl_type(const struct refrain_region_info *region) {
    static const enum picl_event types[REFRAIN_MPI_KINDS] = {
        [REFRAIN_MPI_SEND] = PICL_SEND,
        [REFRAIN_MPI_BSEND] = PICL_SEND,
        [REFRAIN_MPI_SSEND] = PICL_SEND,
        [REFRAIN_MPI_RECV] = PICL_RECV,
        [REFRAIN_MPI_ISEND] = PICL_SEND_BEGIN,
        [REFRAIN_MPI_IBSEND] = PICL_SEND_BEGIN,
        [REFRAIN_MPI_ISSEND] = PICL_SEND_BEGIN,
        [REFRAIN_MPI_IRECV] = PICL_RECV_BEGIN,
        [REFRAIN_MPI_PROBE] = PICL_PROBE_WAIT,
        [REFRAIN_MPI_FILE_READ] = PICL_READ,
        [REFRAIN_MPI_FILE_READ_ALL] = PICL_READ,
        [REFRAIN_MPI_FILE_READ_BEGIN] = PICL_READ,
        [REFRAIN_MPI_FILE_READ_END] = PICL_READ,
        [REFRAIN_MPI_FILE_WRITE] = PICL_WRITE,
        [REFRAIN_MPI_FILE_WRITE_ALL] = PICL_WRITE,
        [REFRAIN_MPI_FILE_WRITE_BEGIN] = PICL_WRITE,
        [REFRAIN_MPI_FILE_WRITE_END] = PICL_WRITE,
        [REFRAIN_MPI_FILE_OPEN] = PICL_FILE_OPEN,
        [REFRAIN_MPI_FILE_CLOSE] = PICL_FILE_CLOSE,
        [REFRAIN_MPI_INIT] = PICL_OPEN,
        [REFRAIN_MPI_FINALIZE] = PICL_CLOSE,
        [REFRAIN_MPI_SPAWN] = PICL_SPAWN,
    };
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    if (kind == REFRAIN_MPI_COLLECTIVE && region->role == REFRAIN_COLLECTIVE_BARRIER)
        return PICL_SYNC;
    return types[kind];
}
