/* mpi_kinds.h: what MPI functions do: the column `kind` of mpi_calls.def. */
#ifndef REFRAIN_MPI_KINDS_H
#define REFRAIN_MPI_KINDS_H

#include <stdbool.h>

enum refrain_mpi_kind {
    REFRAIN_MPI_OTHER, /* groups, datatypes ..., and calls that are none of MPI's */
    REFRAIN_MPI_INIT,
    REFRAIN_MPI_FINALIZE,
    REFRAIN_MPI_SPAWN,
    REFRAIN_MPI_COMM_MAKE, /* communicators, by all of their ranks at once */
    REFRAIN_MPI_COMM_FREE,
    REFRAIN_MPI_REQUEST_FREE,
    /* Messages: */
    REFRAIN_MPI_SEND,     /* blocking, and so are the next two */
    REFRAIN_MPI_BSEND,    /* buffered */
    REFRAIN_MPI_SSEND,    /* synchronous */
    REFRAIN_MPI_RECV,     /* blocking */
    REFRAIN_MPI_SENDRECV, /* both in one */
    REFRAIN_MPI_ISEND,    /* nonblocking, and so are the next two */
    REFRAIN_MPI_IBSEND,
    REFRAIN_MPI_ISSEND,
    REFRAIN_MPI_IRECV,     /* nonblocking */
    REFRAIN_MPI_ISENDRECV, /* nonblocking */
    REFRAIN_MPI_SEND_INIT, /* makes a persistent one */
    REFRAIN_MPI_RECV_INIT,
    REFRAIN_MPI_START,  /* persistent ones */
    REFRAIN_MPI_WAIT,   /* for requests to complete */
    REFRAIN_MPI_TEST,   /* whether requests are complete */
    REFRAIN_MPI_PROBE,  /* waits for a message */
    REFRAIN_MPI_IPROBE, /* whether there is a message */
    /* Collectives: */
    REFRAIN_MPI_COLLECTIVE,
    REFRAIN_MPI_ICOLLECTIVE,
    REFRAIN_MPI_COLLECTIVE_INIT,
    /* Accesses to windows, the R ones with a request, and calls that begin with MPI_Win_: */
    REFRAIN_MPI_PUT,
    REFRAIN_MPI_RPUT,
    REFRAIN_MPI_GET,
    REFRAIN_MPI_RGET,
    REFRAIN_MPI_ACCUMULATE,
    REFRAIN_MPI_RACCUMULATE,
    REFRAIN_MPI_GET_ACCUMULATE, /* and MPI_Fetch_and_op */
    REFRAIN_MPI_RGET_ACCUMULATE,
    REFRAIN_MPI_COMPARE_AND_SWAP,
    REFRAIN_MPI_WINDOW_MAKE,
    REFRAIN_MPI_WINDOW_FREE,
    REFRAIN_MPI_WINDOW_FENCE,
    REFRAIN_MPI_WINDOW_LOCK,
    REFRAIN_MPI_WINDOW_UNLOCK,
    REFRAIN_MPI_WINDOW_FLUSH,
    REFRAIN_MPI_WINDOW_FLUSH_LOCAL,
    REFRAIN_MPI_WINDOW_START,
    REFRAIN_MPI_WINDOW_COMPLETE,
    REFRAIN_MPI_WINDOW_POST,
    REFRAIN_MPI_WINDOW_WAIT,
    REFRAIN_MPI_WINDOW_TEST,
    REFRAIN_MPI_WINDOW_OTHER,
    /* Calls that begin with MPI_File_: */
    REFRAIN_MPI_FILE_OPEN,
    REFRAIN_MPI_FILE_CLOSE,
    REFRAIN_MPI_FILE_READ,
    REFRAIN_MPI_FILE_READ_ALL,   /* collective, and so are _BEGIN and _END */
    REFRAIN_MPI_FILE_READ_BEGIN, /* goes on until _END */
    REFRAIN_MPI_FILE_READ_END,
    REFRAIN_MPI_FILE_IREAD, /* with a request */
    REFRAIN_MPI_FILE_IREAD_ALL,
    REFRAIN_MPI_FILE_WRITE,
    REFRAIN_MPI_FILE_WRITE_ALL,
    REFRAIN_MPI_FILE_WRITE_BEGIN,
    REFRAIN_MPI_FILE_WRITE_END,
    REFRAIN_MPI_FILE_IWRITE,
    REFRAIN_MPI_FILE_IWRITE_ALL,
    REFRAIN_MPI_FILE_SEEK_SHARED, /* sets the pointer that all ranks share */
    REFRAIN_MPI_FILE_SET_VIEW,
    REFRAIN_MPI_FILE_OTHER,
    REFRAIN_MPI_KINDS
};

/* Which place of the file an access is for. */
enum refrain_mpi_pointer {
    REFRAIN_MPI_OWN_POINTER,
    REFRAIN_MPI_AT_OFFSET, /* one that the call names */
    REFRAIN_MPI_SHARED_POINTER,
    REFRAIN_MPI_POINTERS
};

/* In mpi_calls.def, the kind of an access that is not at the rank's own pointer ends with _AT or _SHARED. Such a value
 * is a kind and a pointer together; refrain_mpi_call() (model/mpi_call.h) has them apart. */
#define REFRAIN_MPI_KIND_OF(value) ((enum refrain_mpi_kind)((unsigned)(value) % 256))
#define REFRAIN_MPI_POINTER_OF(value) ((enum refrain_mpi_pointer)((unsigned)(value) / 256))
#define REFRAIN_MPI_AT_POINTERS(kind)                                                                                  \
    REFRAIN_MPI_##kind##_AT = REFRAIN_MPI_##kind + 256 * REFRAIN_MPI_AT_OFFSET,                                        \
    REFRAIN_MPI_##kind##_SHARED = REFRAIN_MPI_##kind + 256 * REFRAIN_MPI_SHARED_POINTER
enum {
    REFRAIN_MPI_AT_POINTERS(FILE_READ),
    REFRAIN_MPI_AT_POINTERS(FILE_READ_ALL),
    REFRAIN_MPI_AT_POINTERS(FILE_READ_BEGIN),
    REFRAIN_MPI_AT_POINTERS(FILE_READ_END),
    REFRAIN_MPI_AT_POINTERS(FILE_IREAD),
    REFRAIN_MPI_AT_POINTERS(FILE_IREAD_ALL),
    REFRAIN_MPI_AT_POINTERS(FILE_WRITE),
    REFRAIN_MPI_AT_POINTERS(FILE_WRITE_ALL),
    REFRAIN_MPI_AT_POINTERS(FILE_WRITE_BEGIN),
    REFRAIN_MPI_AT_POINTERS(FILE_WRITE_END),
    REFRAIN_MPI_AT_POINTERS(FILE_IWRITE),
    REFRAIN_MPI_AT_POINTERS(FILE_IWRITE_ALL)
};
#undef REFRAIN_MPI_AT_POINTERS
_Static_assert(REFRAIN_MPI_KINDS <= 256, "a kind is the low byte of such a value");

static inline bool refrain_mpi_is_message(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_SEND && kind <= REFRAIN_MPI_IPROBE;
}
static inline bool refrain_mpi_is_access(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_PUT && kind <= REFRAIN_MPI_COMPARE_AND_SWAP;
}
static inline bool refrain_mpi_is_window(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_WINDOW_MAKE && kind <= REFRAIN_MPI_WINDOW_OTHER;
}
static inline bool refrain_mpi_is_file(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_FILE_OPEN && kind <= REFRAIN_MPI_FILE_OTHER;
}
static inline bool refrain_mpi_reads_file(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_FILE_READ && kind <= REFRAIN_MPI_FILE_IREAD_ALL;
}
static inline bool refrain_mpi_writes_file(enum refrain_mpi_kind kind) {
    return kind >= REFRAIN_MPI_FILE_WRITE && kind <= REFRAIN_MPI_FILE_IWRITE_ALL;
}
static inline bool refrain_mpi_file_has_request(enum refrain_mpi_kind kind) {
    return kind == REFRAIN_MPI_FILE_IREAD || kind == REFRAIN_MPI_FILE_IREAD_ALL || kind == REFRAIN_MPI_FILE_IWRITE ||
           kind == REFRAIN_MPI_FILE_IWRITE_ALL;
}
static inline bool refrain_mpi_file_begins(enum refrain_mpi_kind kind) {
    return kind == REFRAIN_MPI_FILE_READ_BEGIN || kind == REFRAIN_MPI_FILE_WRITE_BEGIN;
}
static inline bool refrain_mpi_file_is_collective(enum refrain_mpi_kind kind) {
    return (refrain_mpi_reads_file(kind) && kind != REFRAIN_MPI_FILE_READ && kind != REFRAIN_MPI_FILE_IREAD) ||
           (refrain_mpi_writes_file(kind) && kind != REFRAIN_MPI_FILE_WRITE && kind != REFRAIN_MPI_FILE_IWRITE);
}

#endif
