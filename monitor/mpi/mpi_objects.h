/* mpi_objects.h: what the wrappers remember of MPI's objects, in tables that are part of the library's data at
 * first and grow into the pool. What does not fit is counted (enum refrain_loss) and stays unknown, which is -1
 * everywhere.
 *
 *     communicator -> struct refrain_communicator in the trace file   (mpi_communicators.c)
 *     datatype     -> bytes                                       (mpi_types.c)
 *     request      -> struct refrain_request                      (mpi_requests.h)
 *     window, file -> struct refrain_object in the trace file        (mpi_windows.c)
 *
 * No function here makes an MPI call on a handle that MPI has not itself given out through a wrapper, so that a bad
 * handle gets MPI's own error, from the user's call and only once. All may be called by any thread: a spin lock is
 * taken where the thread level is MPI_THREAD_MULTIPLE.
 */
#ifndef REFRAIN_MPI_OBJECTS_H
#define REFRAIN_MPI_OBJECTS_H

#include "call.h"
#include "mpi_communicators.h"
#include "mpi_idup.h"
#include "mpi_requests.h"
#include "mpi_types.h"
#include <limits.h>
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_WINDOWS 256u /* open at a time before their table grows */
#define REFRAIN_FILES 256u   /* open at a time before their table grows */

/* A communicator's record; null when it is unknown. */
static inline const struct refrain_communicator *refrain_communicator_find(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD)
        return refrain_mpi_often.world;
    if (comm == refrain_mpi_often.latest && refrain_mpi_often.latest_record)
        return refrain_mpi_often.latest_record;
    refrain_idup_needed(comm);
    return refrain_communicator_find_other(comm);
}

/* ---- mpi_clock.c ---- */

/* By all ranks, in MPI_Init and in MPI_Finalize: compares the clocks of nodes that do not have the same one
 * (struct refrain_clock_sync). Within one node the first makes one reduction and the second nothing. */
void refrain_mpi_clocks_begin(int rank);
void refrain_mpi_clocks_end(void);

/* ---- mpi_pack.c: by all ranks, in MPI_Finalize ---- */

/* Is there to be a file of all ranks, and can there be one? Where it cannot, that is said. */
bool refrain_mpi_pack_begin(void);

/* Makes it, if the above was so. Tracing ends with this. */
void refrain_mpi_pack(void);

/* ---- mpi_p2p.c ---- */

/* After MPI_Init: finds out, with a message to itself, whether this MPI fills in the status of MPI_Isendrecv. */
void refrain_isendrecv_try(void);

/* ---- mpi_windows.c ---- */

/* Tell that a window has been made on a communicator, and that it has been freed. */
void refrain_window_new(struct refrain_call *call, MPI_Comm comm, MPI_Win window);
void refrain_window_freed(struct refrain_call *call, MPI_Win former);
/* Tell an access to `target`, a rank of the window's communicator; an access with a request, which is taken; and any
 * other call that names the window, and maybe a target (else -1) and a lock (MPI_LOCK_*, else 0). */
void refrain_window_access(struct refrain_call *call, MPI_Win window, int target, int64_t bytes);
struct refrain_request *refrain_window_request(struct refrain_call *call, MPI_Win window, int target, int64_t bytes);
void refrain_window_used(struct refrain_call *call, MPI_Win window, int target, int lock_type);
/* A call that names a group of the window's ranks has returned `rc`: tells one operation for each of them. */
void refrain_window_group(struct refrain_call *call, int rc, MPI_Group group, MPI_Win window);

/* The same for files. */
void refrain_file_new(struct refrain_call *call, MPI_Comm comm, MPI_File file, const char *name, int amode);
void refrain_file_freed(struct refrain_call *call, MPI_File former);
void refrain_file_access(struct refrain_call *call, MPI_File file, int64_t bytes);
struct refrain_request *refrain_file_request(struct refrain_call *call, MPI_File file, int64_t bytes);
void refrain_file_used(struct refrain_call *call, MPI_File file);
/* A blocking access, or the second half of a split one, has returned: it has moved so many bytes, -1 unknown. */
void refrain_file_moved(struct refrain_call *call, MPI_File file, int64_t bytes);
/* The status of an access, which is needed to know what was moved: between begin, which returns the one to pass to MPI,
 * and end, which ends the call and returns `rc`. `asked`: bytes, -1 unknown. */
struct refrain_file_status {
    MPI_Status own, *status;
    int64_t asked;
};
MPI_Status *refrain_file_status_begin(const struct refrain_call *call, struct refrain_file_status *access,
                                      int64_t asked, MPI_Status *status);
int refrain_file_status_end(struct refrain_call *call, const struct refrain_file_status *access, int rc, MPI_File file);
/* A file pointer has been set, or that has failed: where it is now, -1 unknown. */
void refrain_file_sought(struct refrain_call *call, MPI_File file, int whence, int64_t offset, int64_t position);

#endif
