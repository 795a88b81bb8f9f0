/* mpi_session.c: wrappers of MPI without MPI_Init. A session is local. The process set mpi://WORLD gives the rank. But
 * the processes cannot agree on a directory before they make a communicator that contains all of them. If they never
 * do, each process leaves its trace in a directory of its own. */
#include "call.h"
#include "mpi_objects.h"
#include "run/own_files.h"

#ifdef REFRAIN_HAS_MPI_Session_init

static void first_session(MPI_Session session) {
    MPI_Group group;
    int rank, size;
    if (PMPI_Group_from_session_pset(session, "mpi://WORLD", &group) != MPI_SUCCESS)
        return;
    PMPI_Group_rank(group, &rank);
    PMPI_Group_size(group, &size);
    PMPI_Group_free(&group);
    if (!refrain_communicators_open(rank, size, false))
        return;
    refrain_mpi_active = true; /* even if this process is not traced: others may be, and agree on names with it */
    refrain_mpi_multiple = true;
    refrain_trace_file_move(rank, size, "");
    refrain_types_open();
    refrain_mpi_describe(MPI_THREAD_MULTIPLE);
}

int MPI_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session) {
    REFRAIN_MPI_BEGIN(MPI_Session_init);
    int rc = PMPI_Session_init(info, errhandler, session);
    if (rc == MPI_SUCCESS && !refrain_mpi_active && !refrain_mpi_world)
        first_session(*session);
    refrain_call_end(&call);
    return rc;
}

#endif
