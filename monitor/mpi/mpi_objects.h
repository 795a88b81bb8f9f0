/* mpi_objects.h: the tables of MPI's objects. They begin in the library's data, and grow into the pool. Objects that do
 * not fit are counted (enum refrain_loss) and are unknown; the value of what is unknown is -1 everywhere.
 *
 *     communicator -> struct refrain_communicator in the trace file   (mpi_communicators.c)
 *     datatype     -> bytes                                           (mpi_types.c)
 *     request      -> struct refrain_request                          (mpi_requests.h)
 *     window, file -> struct refrain_object in the trace file         (mpi_windows.c)
 *
 * No function passes a handle to MPI that MPI has not returned through a wrapper. So a wrong handle causes MPI's own
 * error, once, in the user's call. Any thread may call these functions: with MPI_THREAD_MULTIPLE they take a spin lock.
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

#define REFRAIN_WINDOWS 256u /* number of open windows before their table grows */
#define REFRAIN_FILES 256u   /* number of open files before their table grows */

/* The record of a communicator. Null if it is unknown. */
static inline const struct refrain_communicator *refrain_communicator_find(MPI_Comm comm) {
    if (comm == MPI_COMM_WORLD)
        return refrain_mpi_often.world;
    if (comm == refrain_mpi_often.latest && refrain_mpi_often.latest_record)
        return refrain_mpi_often.latest_record;
    refrain_idup_needed(comm);
    return refrain_communicator_find_other(comm);
}

/* ---- mpi_clock.c ---- */

/* Compares the clocks of nodes that have different ones (struct refrain_clock_sync). Called by all ranks, in MPI_Init
 * and in MPI_Finalize. On a single node the first call makes one reduction, the second does nothing. */
void refrain_mpi_clocks_begin(int rank);
void refrain_mpi_clocks_end(void);

/* ---- mpi_pack.c: by all ranks, in MPI_Finalize ---- */

/* True if one file of all ranks is wanted and possible. If it is wanted but impossible, rank 0 prints the reason. */
bool refrain_mpi_pack_begin(void);

/* Makes this file if it is wanted and possible. Ends tracing. */
void refrain_mpi_pack(void);

/* ---- mpi_p2p.c ---- */

/* Finds out, with a message of the process to itself, whether this MPI fills in the status of MPI_Isendrecv. Called
 * after MPI_Init. */
void refrain_isendrecv_try(void);

/* ---- mpi_windows.c ---- */

/* Record that a window has been made on a communicator, and that it has been freed. */
void refrain_window_new(struct refrain_call *call, MPI_Comm comm, MPI_Win window);
void refrain_window_freed(struct refrain_call *call, MPI_Win former);
/* Record an access to `target`, a rank of the window's communicator; an access with a request, which is taken; and any
 * other call that uses the window, with a target (or -1) and a lock (MPI_LOCK_*, or 0). */
void refrain_window_access(struct refrain_call *call, MPI_Win window, int target, int64_t bytes);
struct refrain_request *refrain_window_request(struct refrain_call *call, MPI_Win window, int target, int64_t bytes);
void refrain_window_used(struct refrain_call *call, MPI_Win window, int target, int lock_type);
/* A call that uses a group of the window's ranks has returned `rc`: records one operation for each rank of it. */
void refrain_window_group(struct refrain_call *call, int rc, MPI_Group group, MPI_Win window);

/* The same for files. */
void refrain_file_new(struct refrain_call *call, MPI_Comm comm, MPI_File file, const char *name, int amode);
void refrain_file_freed(struct refrain_call *call, MPI_File former);
void refrain_file_access(struct refrain_call *call, MPI_File file, int64_t bytes);
struct refrain_request *refrain_file_request(struct refrain_call *call, MPI_File file, int64_t bytes);
void refrain_file_used(struct refrain_call *call, MPI_File file);
/* A blocking access, or the second half of a split one, has returned: records the bytes that it moved, -1 unknown. */
void refrain_file_moved(struct refrain_call *call, MPI_File file, int64_t bytes);
/* The status of an access, which says how many bytes were moved. begin returns the status to pass to MPI; end ends the
 * call and returns `rc`. `asked`: requested bytes, -1 unknown. */
struct refrain_file_status {
    MPI_Status own, *status;
    int64_t asked;
};
MPI_Status *refrain_file_status_begin(const struct refrain_call *call, struct refrain_file_status *access,
                                      int64_t asked, MPI_Status *status);
int refrain_file_status_end(struct refrain_call *call, const struct refrain_file_status *access, int rc, MPI_File file);
/* Records where a file pointer is after a seek, -1 unknown: the seek has failed. */
void refrain_file_sought(struct refrain_call *call, MPI_File file, int whence, int64_t offset, int64_t position);
/* A seek has returned `rc`: records it, and ends the call. `is_shared`: it moved the pointer that the ranks share. To
 * ask where that one is may take a message or a file, so it is not asked for. Returns `rc`. */
int refrain_file_seek_end(struct refrain_call *call, int rc, MPI_File file, MPI_Offset offset, int whence,
                          bool is_shared);

#endif
