/* mpi_io.c: the number of bytes that an access to a file has moved, and the position that a seek has reached
 * (mpi_does.h). */
#include "call.h"
#include "mpi_objects.h"

#include <string.h>

/* ---- what was moved ---- */

/* The count in a status where MPI has not stored what was moved, as some implementations do not. */
#define NOT_SAID ((MPI_Count)1 << 60)

/* Returns such a status. MPI makes it for the first access only, since setting the elements of a status takes as long
 * as tracing the access. */
static MPI_Status not_said(void) {
    static MPI_Status kept;
    static bool made;
    MPI_Status status;
    if (__atomic_load_n(&made, __ATOMIC_ACQUIRE))
        return kept;
    memset(&status, 0, sizeof status);
    PMPI_Status_set_elements_x(&status, MPI_BYTE, NOT_SAID);
    kept = status; /* all threads write the same bytes */
    __atomic_store_n(&made, true, __ATOMIC_RELEASE);
    return status;
}

MPI_Status *refrain_file_status_begin(const struct refrain_call *call, struct refrain_file_status *access,
                                      int64_t asked, MPI_Status *status) {
    access->asked = asked;
    access->status = status;
    if (call->entry && status == MPI_STATUS_IGNORE) {
        access->own = not_said();
        access->status = &access->own;
    }
    return access->status;
}

int refrain_file_status_end(struct refrain_call *call, const struct refrain_file_status *access, int rc,
                            MPI_File file) {
    if (call->entry) {
        int64_t bytes = rc == MPI_SUCCESS ? refrain_status_bytes(access->status) : -1;
        if (bytes > (access->asked < 0 ? NOT_SAID - 1 : access->asked))
            bytes = -1;
        refrain_file_moved(call, file, bytes);
    }
    refrain_call_end(call);
    return rc;
}

/* ---- seeks ---- */

int refrain_file_seek_end(struct refrain_call *call, int rc, MPI_File file, MPI_Offset offset, int whence,
                          bool is_shared) {
    MPI_Offset position = offset;
    refrain_call_returned(call);
    if (rc != MPI_SUCCESS || (whence != MPI_SEEK_SET &&
                              (is_shared || (call->entry && PMPI_File_get_position(file, &position) != MPI_SUCCESS))))
        position = -1;
    refrain_file_sought(call, file, whence, offset, position);
    refrain_call_end(call);
    return rc;
}
