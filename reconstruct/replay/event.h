/* event.h: events as every writer sees them, whether reconstructed or recorded (walker, recorded-event reader ->
 * writers).
 *
 * A writer fills a struct refrain_writer; null members are skipped. Events of one location come in time order; events
 * of all locations together do so as well. Strings live as long as the trace is open. A nonzero return stops the run
 * with that status; the writer has set its error. */
#ifndef REFRAIN_EVENT_H
#define REFRAIN_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct refrain_trace;

enum refrain_event_kind {
    REFRAIN_EVENT_ENTER,
    REFRAIN_EVENT_LEAVE,
    REFRAIN_EVENT_SEND,          /* a message leaves: peer, tag, bytes, comm; request >= 0 when nonblocking */
    REFRAIN_EVENT_SEND_COMPLETE, /* request: a nonblocking send completed */
    REFRAIN_EVENT_RECV_POST,     /* request: a nonblocking receive was posted; comm */
    REFRAIN_EVENT_RECV,          /* a message has arrived: peer, tag, bytes, comm; request >= 0 when nonblocking */
    REFRAIN_EVENT_CANCEL,        /* request: it completed without a message */
    REFRAIN_EVENT_COLLECTIVE,    /* root, sent, received, comm; request >= 0 when nonblocking */
    REFRAIN_EVENT_COLLECTIVE_COMPLETE, /* request: a nonblocking collective completed; comm */
    REFRAIN_EVENT_RMA,                 /* peer, bytes; tag: number of the window in its process, -1 unknown */
    REFRAIN_EVENT_IO,                  /* bytes; tag: number of the file in its process, -1 unknown */
};

enum refrain_region_kind { REFRAIN_REGION_FUNCTION, REFRAIN_REGION_MPI, REFRAIN_REGION_USER };

/* A function, MPI function or user region together with the place it is entered from: one per construct. */
struct refrain_region_info {
    uint32_t index; /* dense, over the whole trace */
    enum refrain_region_kind kind;
    const char *name;
    const char *file;       /* "" unknown */
    uint32_t line;          /* 0 unknown */
    const char *collective; /* MPI: "" unless a collective call; then its lower-case MPI name */
};

/* A communicator, the same object for all members. */
struct refrain_comm_info {
    uint32_t index;   /* dense, over the whole trace; 0 MPI_COMM_WORLD, 1 MPI_COMM_SELF */
    const char *name; /* "" none */
    int32_t size;
    const int32_t *members; /* world ranks; null: identity */
    int32_t remote_size;
    const int32_t *remote_members;
};

struct refrain_wait;

struct refrain_event {
    enum refrain_event_kind kind;
    bool approximate;                         /* some field of it is not known to be exact */
    int32_t rank;                             /* location: world rank ... */
    uint32_t thread;                          /* ... and thread */
    int64_t time_ns;                          /* since the start of the run */
    const struct refrain_region_info *region; /* ENTER, LEAVE: itself; else the MPI call it happens in */
    const struct refrain_comm_info *comm;     /* null unknown or none */
    int32_t peer; /* dest, source, target or root as rank in MPI_COMM_WORLD; -1 none or unknown */
    int64_t tag;
    int64_t bytes;    /* message; collective: sent */
    int64_t received; /* collective */
    int64_t request;  /* unique in the location, -1 none */
    /* Filled by waiting.h, where it is asked for; null: none, or nobody asked. They live until the next event. */
    const struct refrain_wait *wait;      /* of this location: it ended by or before this event */
    const struct refrain_wait *peer_wait; /* RECV: of the sender, for this receive */
};

struct refrain_writer {
    /* Once, before the first event. */
    int (*begin)(struct refrain_writer *writer, const struct refrain_trace *trace);
    int (*event)(struct refrain_writer *writer, const struct refrain_event *event);
    /* Once, after the last event; also where something failed before, begin itself included, and where begin was not
     * come to. Frees the writer. */
    int (*end)(struct refrain_writer *writer);
};

#endif
