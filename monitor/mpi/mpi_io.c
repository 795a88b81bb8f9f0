/* mpi_io.c: wrappers of MPI-IO: files, accesses with the bytes that are asked for and, of those that are over with a
 * call, moved, and seeks. What else names a file has generated wrappers, which tell which it is. */
#include "call.h"
#include "mpi_objects.h"

#include <string.h>

int MPI_File_open(MPI_Comm comm, const char *filename, int amode, MPI_Info info, MPI_File *fh) {
    REFRAIN_MPI_BEGIN(MPI_File_open);
    int rc = PMPI_File_open(comm, filename, amode, info, fh);
    if (rc == MPI_SUCCESS)
        refrain_file_new(&call, comm, *fh, filename, amode);
    refrain_call_end(&call);
    return rc;
}

int MPI_File_close(MPI_File *fh) {
    REFRAIN_MPI_BEGIN(MPI_File_close);
    MPI_File former = fh ? *fh : MPI_FILE_NULL;
    int rc = PMPI_File_close(fh);
    if (rc == MPI_SUCCESS)
        refrain_file_freed(&call, former);
    refrain_call_end(&call);
    return rc;
}

/* ---- accesses ---- */

/* What a status says in which MPI has not put what was moved, as implementations leave it out here and there. */
#define NOT_SAID ((MPI_Count)1 << 60)

/* Such a status. MPI is asked to make it for the first access only: setting the elements of one costs as much as
 * tracing the access. */
static MPI_Status not_said(void) {
    static MPI_Status kept;
    static bool made;
    MPI_Status status;
    if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
        return kept;
    memset(&status, 0, sizeof status);
    PMPI_Status_set_elements_x(&status, MPI_BYTE, NOT_SAID);
    kept = status; /* the same bytes, whichever thread writes them */
    __atomic_store_n(&made, true, __ATOMIC_RELEASE);
    return status;
}

struct access {
    MPI_Status own, *status; /* the one that MPI fills in */
    int64_t asked;           /* -1 unknown */
};

static void access_begin(const struct refrain_call *call, struct access *access, int64_t asked, MPI_Status *status) {
    access->asked = asked;
    access->status = status;
    if (!call->entry || status != MPI_STATUS_IGNORE)
        return;
    access->own = not_said();
    access->status = &access->own;
}

static int access_end(struct refrain_call *call, const struct access *access, int rc, MPI_File fh) {
    if (call->entry) {
        int64_t bytes = rc == MPI_SUCCESS ? refrain_status_bytes(access->status) : -1;
        if (bytes > (access->asked < 0 ? NOT_SAID - 1 : access->asked))
            bytes = -1;
        refrain_file_moved(call, fh, bytes);
    }
    refrain_call_end(call);
    return rc;
}

static int64_t tell_access(struct refrain_call *call, MPI_File fh, int64_t count, MPI_Datatype datatype) {
    int64_t bytes = call->entry ? refrain_bytes(count, datatype) : 0;
    refrain_file_access(call, fh, bytes);
    return bytes;
}

static struct refrain_request *tell_request(struct refrain_call *call, MPI_File fh, int64_t count,
                                            MPI_Datatype datatype) {
    return refrain_file_request(call, fh, call->entry ? refrain_bytes(count, datatype) : 0);
}

static int finish(struct refrain_call *call, struct refrain_request *taken, int rc, const MPI_Request *request) {
    if (taken)
        refrain_request_bind(call, taken, rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL,
                             rc == MPI_SUCCESS ? REFRAIN_MPI_KEY(*request) : 0);
    refrain_call_end(call);
    return rc;
}

/* The forms of an access: where the file pointer is, and at an offset (`_at`). `buffer_t` is the buffer's type. */
#define BLOCKING(name, buffer_t, T)                                                                                    \
    int name(MPI_File fh, buffer_t buf, T count, MPI_Datatype datatype, MPI_Status *status) {                          \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct access access;                                                                                          \
        access_begin(&call, &access, tell_access(&call, fh, count, datatype), status);                                 \
        return access_end(&call, &access, P##name(fh, buf, count, datatype, access.status), fh);                       \
    }

#define BLOCKING_AT(name, buffer_t, T)                                                                                 \
    int name(MPI_File fh, MPI_Offset offset, buffer_t buf, T count, MPI_Datatype datatype, MPI_Status *status) {       \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct access access;                                                                                          \
        access_begin(&call, &access, tell_access(&call, fh, count, datatype), status);                                 \
        return access_end(&call, &access, P##name(fh, offset, buf, count, datatype, access.status), fh);               \
    }

#define SPLIT(name, buffer_t, T)                                                                                       \
    int name(MPI_File fh, buffer_t buf, T count, MPI_Datatype datatype) {                                              \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_access(&call, fh, count, datatype);                                                                       \
        REFRAIN_MPI_PASS(P##name(fh, buf, count, datatype));                                                           \
    }

#define SPLIT_AT(name, buffer_t, T)                                                                                    \
    int name(MPI_File fh, MPI_Offset offset, buffer_t buf, T count, MPI_Datatype datatype) {                           \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_access(&call, fh, count, datatype);                                                                       \
        REFRAIN_MPI_PASS(P##name(fh, offset, buf, count, datatype));                                                   \
    }

#define SPLIT_END(name, buffer_t)                                                                                      \
    int name(MPI_File fh, buffer_t buf, MPI_Status *status) {                                                          \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct access access;                                                                                          \
        refrain_file_used(&call, fh);                                                                                  \
        access_begin(&call, &access, -1, status);                                                                      \
        return access_end(&call, &access, P##name(fh, buf, access.status), fh);                                        \
    }

#define NONBLOCKING(name, buffer_t, T)                                                                                 \
    int name(MPI_File fh, buffer_t buf, T count, MPI_Datatype datatype, MPI_Request *request) {                        \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_request(&call, fh, count, datatype);                                      \
        return finish(&call, taken, P##name(fh, buf, count, datatype, request), request);                              \
    }

#define NONBLOCKING_AT(name, buffer_t, T)                                                                              \
    int name(MPI_File fh, MPI_Offset offset, buffer_t buf, T count, MPI_Datatype datatype, MPI_Request *request) {     \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_request(&call, fh, count, datatype);                                      \
        return finish(&call, taken, P##name(fh, offset, buf, count, datatype, request), request);                      \
    }

#define ALL(verb, buffer_t, T, suffix)                                                                                 \
    BLOCKING(MPI_File_##verb##suffix, buffer_t, T)                                                                     \
    BLOCKING(MPI_File_##verb##_all##suffix, buffer_t, T)                                                               \
    BLOCKING(MPI_File_##verb##_shared##suffix, buffer_t, T)                                                            \
    BLOCKING(MPI_File_##verb##_ordered##suffix, buffer_t, T)                                                           \
    BLOCKING_AT(MPI_File_##verb##_at##suffix, buffer_t, T)                                                             \
    BLOCKING_AT(MPI_File_##verb##_at_all##suffix, buffer_t, T)                                                         \
    SPLIT(MPI_File_##verb##_all_begin##suffix, buffer_t, T)                                                            \
    SPLIT(MPI_File_##verb##_ordered_begin##suffix, buffer_t, T)                                                        \
    SPLIT_AT(MPI_File_##verb##_at_all_begin##suffix, buffer_t, T)                                                      \
    NONBLOCKING(MPI_File_i##verb##suffix, buffer_t, T)                                                                 \
    NONBLOCKING(MPI_File_i##verb##_all##suffix, buffer_t, T)                                                           \
    NONBLOCKING(MPI_File_i##verb##_shared##suffix, buffer_t, T)                                                        \
    NONBLOCKING_AT(MPI_File_i##verb##_at##suffix, buffer_t, T)                                                         \
    NONBLOCKING_AT(MPI_File_i##verb##_at_all##suffix, buffer_t, T)

ALL(read, void *, int, )
ALL(write, const void *, int, )
#ifdef REFRAIN_HAS_MPI_File_read_c
ALL(read, void *, MPI_Count, _c)
ALL(write, const void *, MPI_Count, _c)
#endif

#define ALL_ENDS(verb, buffer_t)                                                                                       \
    SPLIT_END(MPI_File_##verb##_all_end, buffer_t)                                                                     \
    SPLIT_END(MPI_File_##verb##_at_all_end, buffer_t)                                                                  \
    SPLIT_END(MPI_File_##verb##_ordered_end, buffer_t)

ALL_ENDS(read, void *)
ALL_ENDS(write, const void *)

/* ---- seeks ---- */

int MPI_File_seek(MPI_File fh, MPI_Offset offset, int whence) {
    REFRAIN_MPI_BEGIN(MPI_File_seek);
    MPI_Offset position = offset;
    int rc = PMPI_File_seek(fh, offset, whence);
    refrain_call_returned(&call);
    if (rc != MPI_SUCCESS ||
        (whence != MPI_SEEK_SET && call.entry && PMPI_File_get_position(fh, &position) != MPI_SUCCESS))
        position = -1;
    refrain_file_sought(&call, fh, whence, offset, position);
    refrain_call_end(&call);
    return rc;
}

/* Where the shared pointer is may take a message or a file to find out. */
int MPI_File_seek_shared(MPI_File fh, MPI_Offset offset, int whence) {
    REFRAIN_MPI_BEGIN(MPI_File_seek_shared);
    int rc = PMPI_File_seek_shared(fh, offset, whence);
    refrain_file_sought(&call, fh, whence, offset, rc == MPI_SUCCESS && whence == MPI_SEEK_SET ? offset : -1);
    refrain_call_end(&call);
    return rc;
}
