/* mpi_collective.c: functions for the wrappers of collective communication (mpi_collective.h). */
#include "mpi_collective.h"

#define DEFINE_SUMS(count_t, suffix)                                                                                   \
    int64_t refrain_sum_v##suffix(int n, const count_t *counts, MPI_Datatype type) {                                   \
        int64_t total = 0;                                                                                             \
        for (int i = 0; i < n && counts; i++)                                                                          \
            total += counts[i] > 0 ? counts[i] : 0;                                                                    \
        return refrain_bytes(total, type);                                                                             \
    }                                                                                                                  \
    int64_t refrain_sum_w##suffix(int n, const count_t *counts, const MPI_Datatype *types) {                           \
        int64_t total = 0;                                                                                             \
        for (int i = 0; i < n && counts && types; i++) {                                                               \
            int64_t bytes = refrain_bytes(counts[i], types[i]);                                                        \
            if (bytes < 0)                                                                                             \
                return -1;                                                                                             \
            total += bytes;                                                                                            \
        }                                                                                                              \
        return total;                                                                                                  \
    }
DEFINE_SUMS(int, )
DEFINE_SUMS(MPI_Count, _large)

struct refrain_neighbours refrain_neighbours_of(communicator_t c, MPI_Comm comm) {
    struct refrain_neighbours n = {0, 0};
    int kind = MPI_UNDEFINED, dimensions = 0, weighted;
    if (c->remote_size == 0)
        PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) {
        PMPI_Cartdim_get(comm, &dimensions);
        n.in = n.out = 2 * dimensions;
    } else if (kind == MPI_GRAPH) {
        PMPI_Graph_neighbors_count(comm, c->my_rank, &n.in);
        n.out = n.in;
    } else if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, &n.in, &n.out, &weighted);
    }
    return n;
}

void refrain_collective_untold(const struct refrain_call *call, enum refrain_untold what, unsigned function,
                               MPI_Comm comm) {
    if (!refrain_call_is_untold(call) || !refrain_mpi_active || comm == MPI_COMM_NULL)
        return;
    communicator_t c = refrain_communicator_find(comm);
    refrain_call_count_untold(call, what, function, 0, refrain_communicator_index(c));
    if (c && what == REFRAIN_UNTOLD_COLLECTIVE)
        refrain_communicator_entered(call, c);
}

struct refrain_request *refrain_collective_take(struct refrain_call *call, enum refrain_operation operation,
                                                communicator_t c, struct amounts amounts) {
    int64_t parameters[] = {amounts.root, amounts.sent, amounts.received, refrain_communicator_index(c)};
    return refrain_request_take(call, operation, parameters, 4);
}
