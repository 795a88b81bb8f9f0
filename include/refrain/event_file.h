/* event_file.h: recorded events, one file per process (modes events and both).
 *
 * The file grows by extents of at most REFRAIN_EVENTS_EXTENT_BYTES. Each has a header and then records of 8-byte
 * words, in the order of the events. An extent belongs to one thread, so that threads share nothing while they
 * record. The extents of a thread are in the order in which it filled them. Extents are mapped, so a killed process
 * keeps all that it wrote. An extent without the magic was allocated, but nothing was written to it. Names, call
 * sites and communicators are those of the trace file beside it. Little-endian.
 *
 * In mode both an event is learned before it is written here. A process that ends between the two, since it is killed
 * or another thread of it calls _exit(), leaves a trace that is one operation ahead of this file at the end of a
 * thread: one event, or the completions of several requests by one call. If the file has a limit, it may also be two
 * polls.
 *
 *     word 0: kind | thread << 8 | n_words << 24 | value << 32      (n_words counts all words of the record)
 *     word 1: ticks
 *     word 2: id                        (kind-dependent)
 *     words 3 .. 6: parameters          (OPERATION: in trace.h's order) */
#ifndef REFRAIN_EVENT_FILE_H
#define REFRAIN_EVENT_FILE_H

#include <stdint.h>

#define REFRAIN_EVENTS_MAGIC "refevts\n"
#define REFRAIN_EVENTS_VERSION 5u /* versions from OLDEST to this one are read, others are refused */
#define REFRAIN_EVENTS_OLDEST REFRAIN_EVENTS_VERSION
#define REFRAIN_EVENTS_HEADER_BYTES 64u
#define REFRAIN_EVENTS_EXTENT_BYTES (1u << 20)
#define REFRAIN_EVENTS_NO_EXTENT UINT64_MAX /* the thread has no more */
#define REFRAIN_MOST_POLLS 65536u

enum refrain_record_kind {
    REFRAIN_RECORD_NONE = 0,
    REFRAIN_RECORD_ENTER,        /* id: number of the function's slot */
    REFRAIN_RECORD_LEAVE,        /* id: the same */
    REFRAIN_RECORD_CALL_ENTER,   /* id: reference of the call site */
    REFRAIN_RECORD_CALL_LEAVE,   /* id: the same */
    REFRAIN_RECORD_OPERATION,    /* value: enum refrain_operation; id: reference of the call site; then its parameters.
                                    COMPLETE of a receive has request, source, tag, bytes; COMPLETE of a file
                                    access has request, bytes */
    REFRAIN_RECORD_REGION_ENTER, /* id: reference of the region name */
    REFRAIN_RECORD_REGION_LEAVE, /* id: the same */
    REFRAIN_RECORD_VALUE,        /* id: number of the marker or counter; its value */
    REFRAIN_RECORD_POLLS, /* value: number of consecutive calls without an operation, at most REFRAIN_MOST_POLLS; ticks:
                             begin of the first; id: reference of the call site; one parameter: end of the last, in
                             ticks. Only if the file has a limit (REFRAIN_EVENT_MEMORY) */
};

/* Header of each extent. */
struct refrain_events_header {
    char magic[8]; /* written after the rest of the header */
    uint32_t version;
    uint32_t header_bytes;
    uint32_t thread;       /* thread of the records */
    uint32_t bytes_used;   /* end of the last whole record, from the begin of the extent */
    uint32_t extent_bytes; /* distance to the next extent, if that is less than REFRAIN_EVENTS_EXTENT_BYTES; else 0 */
    uint32_t reserved_bytes;
    uint64_t
        next; /* offset of the next extent of the thread; 0: unknown, after this one; or REFRAIN_EVENTS_NO_EXTENT */
    uint64_t reserved[3];
};

#endif
