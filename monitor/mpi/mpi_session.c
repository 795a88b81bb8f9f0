/* mpi_session.c: MPI without MPI_Init. A session is local: the rank is known from the process set mpi://WORLD, but the
 * processes have nothing to agree on a directory with until the first communicator that all of them are in. Where there
 * never is one, each process leaves its trace in a directory of its own. */
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
    refrain_mpi_active = true; /* whether or not this process is traced: others may be, and agree with it on names */
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
