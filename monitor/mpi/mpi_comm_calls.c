/* mpi_comm_calls.c: wrappers of the functions that make and name communicators, as far as they are not generated
 * (mpi_does.h). */
#include "call.h"
#include "mpi_idup.h"
#include "mpi_objects.h"
#include <refrain/trace.h>

/* Gives out the same communicator every time, and it has not been made by a call of this process. */
int MPI_Comm_get_parent(MPI_Comm *parent) {
    REFRAIN_MPI_BEGIN(MPI_Comm_get_parent);
    int rc = PMPI_Comm_get_parent(parent);
    if (rc == MPI_SUCCESS && !refrain_communicator_find(*parent))
        refrain_communicator_new(MPI_COMM_NULL, *parent);
    refrain_call_end(&call);
    return rc;
}

/* ---- idup ---- */

static int finish_idup(struct refrain_call *call, struct refrain_request *taken, int rc, MPI_Comm comm,
                       MPI_Comm *newcomm, const MPI_Request *request) {
    if (rc == MPI_SUCCESS && refrain_mpi_active) {
        int duplicate = taken ? refrain_idup_begin(comm, newcomm) : REFRAIN_IDUP_NONE;
        refrain_idup_agree(duplicate, comm);
        if (duplicate != REFRAIN_IDUP_NONE) {
            taken->message.peer = duplicate;
            taken->flags |= REFRAIN_REQUEST_IDUP;
        }
    }
    if (taken)
        refrain_request_bind(call, taken, rc == MPI_SUCCESS, rc == MPI_SUCCESS ? REFRAIN_MPI_KEY(*request) : 0);
    refrain_call_end(call);
    return rc;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request) {
    REFRAIN_MPI_BEGIN(MPI_Comm_idup);
    struct refrain_request *taken = refrain_request_take(&call, REFRAIN_OP_NOTHING, NULL, 0);
    return finish_idup(&call, taken, PMPI_Comm_idup(comm, newcomm, request), comm, newcomm, request);
}

#ifdef REFRAIN_HAS_MPI_Comm_idup_with_info
int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request) {
    REFRAIN_MPI_BEGIN(MPI_Comm_idup_with_info);
    struct refrain_request *taken = refrain_request_take(&call, REFRAIN_OP_NOTHING, NULL, 0);
    return finish_idup(&call, taken, PMPI_Comm_idup_with_info(comm, info, newcomm, request), comm, newcomm, request);
}
#endif

/* ---- name ---- */

int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name) {
    REFRAIN_MPI_BEGIN(MPI_Comm_set_name);
    int rc = PMPI_Comm_set_name(comm, comm_name);
    if (rc == MPI_SUCCESS) {
        refrain_idup_needed(comm);
        refrain_communicator_named(comm, comm_name);
    }
    refrain_call_end(&call);
    return rc;
}
