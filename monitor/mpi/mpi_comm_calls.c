/* mpi_comm_calls.c: wrappers of the functions that make, free and name communicators. */
#include "call.h"
#include "mpi_idup.h"
#include "mpi_objects.h"
#include <refrain/trace.h>

/* Makes the wrapper's call, then announces the communicator it has made. */
#define MAKE(parent, comm, pmpi_call)                                                                                  \
    do {                                                                                                               \
        int rc = pmpi_call;                                                                                            \
        refrain_idup_needed(parent);                                                                                   \
        if (rc == MPI_SUCCESS)                                                                                         \
            refrain_communicator_new(parent, comm);                                                                    \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    } while (0)

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_dup);
    MAKE(comm, *newcomm, PMPI_Comm_dup(comm, newcomm));
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_dup_with_info);
    MAKE(comm, *newcomm, PMPI_Comm_dup_with_info(comm, info, newcomm));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_split);
    MAKE(comm, *newcomm, PMPI_Comm_split(comm, color, key, newcomm));
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_split_type);
    MAKE(comm, *newcomm, PMPI_Comm_split_type(comm, split_type, key, info, newcomm));
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_create);
    MAKE(comm, *newcomm, PMPI_Comm_create(comm, group, newcomm));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_create_group);
    MAKE(comm, *newcomm, PMPI_Comm_create_group(comm, group, tag, newcomm));
}

int MPI_Cart_create(MPI_Comm old_comm, int ndims, const int dims[], const int periods[], int reorder,
                    MPI_Comm *comm_cart) {
    REFRAIN_MPI_BEGIN(MPI_Cart_create);
    MAKE(old_comm, *comm_cart, PMPI_Cart_create(old_comm, ndims, dims, periods, reorder, comm_cart));
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Cart_sub);
    MAKE(comm, *newcomm, PMPI_Cart_sub(comm, remain_dims, newcomm));
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                     MPI_Comm *comm_graph) {
    REFRAIN_MPI_BEGIN(MPI_Graph_create);
    MAKE(comm_old, *comm_graph, PMPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph));
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Dist_graph_create);
    MAKE(comm_old, *newcomm,
         PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, info, reorder, newcomm));
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[],
                                   int outdegree, const int destinations[], const int destweights[], MPI_Info info,
                                   int reorder, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Dist_graph_create_adjacent);
    MAKE(comm_old, *newcomm,
         PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, outdegree, destinations,
                                         destweights, info, reorder, newcomm));
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm bridge_comm, int remote_leader, int tag,
                         MPI_Comm *newintercomm) {
    REFRAIN_MPI_BEGIN(MPI_Intercomm_create);
    MAKE(local_comm, *newintercomm,
         PMPI_Intercomm_create(local_comm, local_leader, bridge_comm, remote_leader, tag, newintercomm));
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newintercomm) {
    REFRAIN_MPI_BEGIN(MPI_Intercomm_merge);
    MAKE(intercomm, *newintercomm, PMPI_Intercomm_merge(intercomm, high, newintercomm));
}

/* ---- with processes of other runs ---- */

int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_accept);
    MAKE(comm, *newcomm, PMPI_Comm_accept(port_name, info, root, comm, newcomm));
}

int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *newcomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_connect);
    MAKE(comm, *newcomm, PMPI_Comm_connect(port_name, info, root, comm, newcomm));
}

int MPI_Comm_join(int fd, MPI_Comm *intercomm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_join);
    MAKE(MPI_COMM_NULL, *intercomm, PMPI_Comm_join(fd, intercomm));
}

int MPI_Comm_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm,
                   MPI_Comm *intercomm, int array_of_errcodes[]) {
    REFRAIN_MPI_BEGIN(MPI_Comm_spawn);
    MAKE(comm, *intercomm, PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes));
}

int MPI_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[], const int array_of_maxprocs[],
                            const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm *intercomm,
                            int array_of_errcodes[]) {
    REFRAIN_MPI_BEGIN(MPI_Comm_spawn_multiple);
    MAKE(comm, *intercomm,
         PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm,
                                  intercomm, array_of_errcodes));
}

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

/* ---- end and name ---- */

int MPI_Comm_free(MPI_Comm *comm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_free);
    MPI_Comm former = comm ? *comm : MPI_COMM_NULL;
    int rc = PMPI_Comm_free(comm);
    if (rc == MPI_SUCCESS) {
        refrain_idup_freed(former);
        refrain_communicator_freed(former);
    }
    refrain_call_end(&call);
    return rc;
}

int MPI_Comm_disconnect(MPI_Comm *comm) {
    REFRAIN_MPI_BEGIN(MPI_Comm_disconnect);
    MPI_Comm former = comm ? *comm : MPI_COMM_NULL;
    int rc = PMPI_Comm_disconnect(comm);
    if (rc == MPI_SUCCESS) {
        refrain_idup_freed(former);
        refrain_communicator_freed(former);
    }
    refrain_call_end(&call);
    return rc;
}

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
