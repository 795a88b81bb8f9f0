/* mpi_io.c: wrappers of MPI-IO: files, and accesses with the bytes that are asked for. The second half of a split
 * access, and all that moves no data, have generated wrappers, which tell which file it is. */
#include "mpi_objects.h"

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

static void tell_access(struct refrain_call *call, MPI_File fh, int64_t count, MPI_Datatype datatype) {
    if (call->entry)
        refrain_file_access(call, fh, refrain_bytes(count, datatype));
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
        tell_access(&call, fh, count, datatype);                                                                       \
        REFRAIN_MPI_PASS(P##name(fh, buf, count, datatype, status));                                                   \
    }

#define BLOCKING_AT(name, buffer_t, T)                                                                                 \
    int name(MPI_File fh, MPI_Offset offset, buffer_t buf, T count, MPI_Datatype datatype, MPI_Status *status) {       \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_access(&call, fh, count, datatype);                                                                       \
        REFRAIN_MPI_PASS(P##name(fh, offset, buf, count, datatype, status));                                           \
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
