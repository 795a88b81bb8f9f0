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

int MPI_Comm_create_from_group(MPI_Group group, const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
                               MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_create_from_group);
    int rc = PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
    if (rc == MPI_SUCCESS)
        refrain_communicator_new_of_session(*newcomm);
    refrain_call_end(&call);
    return rc;
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader,
                                     const char *stringtag, MPI_Info info, MPI_Errhandler errhandler,
                                     MPI_Comm *newintercomm) {
    REFRAIN_MPI_BEGIN(MPI_Intercomm_create_from_groups);
    int rc = PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, remote_leader, stringtag, info,
                                               errhandler, newintercomm);
    if (rc == MPI_SUCCESS)
        refrain_communicator_new_of_session(*newintercomm);
    refrain_call_end(&call);
    return rc;
}

#endif
