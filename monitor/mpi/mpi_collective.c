/* mpi_collective.c: wrappers of collective communication. A collective is told of before the call, with the bytes that
 * this rank contributes and obtains (S, R: bytes of the send and receive arguments for one rank; N: ranks of the group
 * that is communicated with, which is the remote one of an intercommunicator):
 *
 *                           contributes ("sent")                obtains ("received")
 *     barrier               0                                   0
 *     bcast                 root: S                             others: S
 *     gather(v)             S                                   root: N * R, or the sum
 *     scatter(v)            root: N * S, or the sum             R
 *     allgather(v)          S                                   N * R, or the sum
 *     alltoall(v, w)        N * S, or the sum                   N * R, or the sum
 *     reduce                S                                   root: S
 *     allreduce, scan       S                                   S
 *     exscan                S                                   S, rank 0: 0
 *     reduce_scatter        the sum                             R of this rank
 *     neighbor_allgather(v) S                                   in-neighbours * R, or the sum
 *     neighbor_alltoall...  out-neighbours * S, or the sum      in-neighbours * R, or the sum
 *
 * MPI_IN_PLACE changes where data lie and not how much there are: the other side's arguments count instead. Ranks of an
 * intercommunicator that take no part (MPI_PROC_NULL) have 0. -1 where a datatype or the communicator is unknown.
 */
#include "call.h"
#include "mpi_objects.h"
#include <refrain/trace.h>

struct amounts {
    int64_t root, sent, received;
};

typedef const struct refrain_communicator *communicator_t;

static int ranks_in(communicator_t c) {
    return c->remote_size ? c->remote_size : c->size;
}

static int64_t times(int64_t n, int64_t bytes) {
    return bytes < 0 ? -1 : n * bytes;
}

/* Sums of the v and w variants. */
#define DEFINE_SUMS(count_t, suffix)                                                                                   \
    static int64_t sum_v##suffix(int n, const count_t *counts, MPI_Datatype type) {                                    \
        int64_t total = 0;                                                                                             \
        for (int i = 0; i < n && counts; i++)                                                                          \
            total += counts[i] > 0 ? counts[i] : 0;                                                                    \
        return refrain_bytes(total, type);                                                                             \
    }                                                                                                                  \
    static int64_t sum_w##suffix(int n, const count_t *counts, const MPI_Datatype *types) {                            \
        int64_t total = 0;                                                                                             \
        for (int i = 0; i < n && counts && types; i++) {                                                               \
            int64_t bytes = refrain_bytes(counts[i], types[i]);                                                        \
            if (bytes < 0)                                                                                             \
                return -1;                                                                                             \
            total += bytes;                                                                                            \
        }                                                                                                              \
        return total;                                                                                                  \
    }

/* ---- amounts ---- */

/* The root as it is told: within an intercommunicator the root's own group says MPI_ROOT and MPI_PROC_NULL. */
static REFRAIN_INLINE int64_t told_root(communicator_t c, int root) {
    if (c->remote_size && root == MPI_ROOT)
        return REFRAIN_ROOT_SELF;
    return root >= 0 && root < ranks_in(c) ? root : -1;
}

static REFRAIN_INLINE bool is_root(communicator_t c, int root) {
    return c->remote_size ? root == MPI_ROOT : root == c->my_rank;
}

/* Whether this rank is one of those that the root sends to or gets from. With a root that there is not the call fails.
 */
static REFRAIN_INLINE bool is_served(communicator_t c, int root) {
    return root >= 0 && root < ranks_in(c);
}

static REFRAIN_INLINE struct amounts one_to_all(communicator_t c, int root, int64_t sent_by_root, int64_t received) {
    return (struct amounts){told_root(c, root), is_root(c, root) ? sent_by_root : 0, is_served(c, root) ? received : 0};
}

static REFRAIN_INLINE struct amounts all_to_one(communicator_t c, int root, int64_t sent, int64_t received_by_root) {
    return (struct amounts){told_root(c, root), is_served(c, root) ? sent : 0, is_root(c, root) ? received_by_root : 0};
}

static REFRAIN_INLINE struct amounts bcast(communicator_t c, int root, int64_t bytes) {
    struct amounts amounts = one_to_all(c, root, bytes, bytes);
    amounts.received = is_root(c, root) ? 0 : amounts.received;
    return amounts;
}

static REFRAIN_INLINE struct amounts all_to_all(int64_t sent, int64_t received) {
    return (struct amounts){-1, sent, received};
}

/* Each contributes as much as it obtains. */
static REFRAIN_INLINE struct amounts alike(int64_t bytes) {
    return all_to_all(bytes, bytes);
}

struct neighbours {
    int in, out;
};

static struct neighbours neighbours_of(communicator_t c, MPI_Comm comm) {
    struct neighbours n = {0, 0};
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

/* ---- telling ---- */

static communicator_t find(const struct refrain_call *call, MPI_Comm comm) {
    return call->entry ? refrain_communicator_find(comm) : NULL;
}

/* Whether there is something to tell, be it of an unknown communicator. */
static bool is_told(const struct refrain_call *call, communicator_t c, MPI_Comm comm) {
    return call->entry && (c || (refrain_mpi_active && comm != MPI_COMM_NULL));
}

/* In a pause. */
static void count_untold(const struct refrain_call *call, enum refrain_untold what, unsigned function, MPI_Comm comm) {
    if (!refrain_call_is_untold(call) || !refrain_mpi_active || comm == MPI_COMM_NULL)
        return;
    communicator_t c = refrain_communicator_find(comm);
    refrain_call_count_untold(call, what, function, 0, refrain_communicator_index(c));
    if (c && what == REFRAIN_UNTOLD_COLLECTIVE)
        refrain_communicator_entered(call, c);
}

/* A blocking collective has begun. */
static REFRAIN_INLINE void tell(struct refrain_call *call, unsigned function, MPI_Comm comm, communicator_t c,
                                struct amounts amounts) {
    if (!is_told(call, c, comm)) {
        count_untold(call, REFRAIN_UNTOLD_COLLECTIVE, function, comm);
        return;
    }
    int64_t parameters[] = {amounts.root, amounts.sent, amounts.received, refrain_communicator_index(c)};
    refrain_call_operation(call, REFRAIN_OP_COLLECTIVE, parameters, 4);
    if (c)
        refrain_communicator_entered(call, c);
}

static struct refrain_request *tell_request(struct refrain_call *call, enum refrain_operation operation,
                                            communicator_t c, struct amounts amounts) {
    int64_t parameters[] = {amounts.root, amounts.sent, amounts.received, refrain_communicator_index(c)};
    return refrain_request_take(call, operation, parameters, 4);
}

static int finish(struct refrain_call *call, struct refrain_request *taken, int rc, const MPI_Request *request) {
    if (taken)
        refrain_request_bind(call, taken, rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL,
                             rc == MPI_SUCCESS ? REFRAIN_MPI_KEY(*request) : 0);
    refrain_call_end(call);
    return rc;
}

/* ---- wrappers: blocking, nonblocking and persistent forms of one operation ----
 *
 * `parameters` and `arguments` are lists in parentheses; `amounts` is evaluated with the communicator's record `c`. */
#define UNWRAP(...) __VA_ARGS__
#define AMOUNTS_OR_UNKNOWN(told) (c ? (told) : (struct amounts){-1, -1, -1})

#define BLOCKING(name, parameters, arguments, amounts)                                                                 \
    int name parameters {                                                                                              \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        communicator_t c = find(&call, comm);                                                                          \
        tell(&call, REFRAIN_CALL_##name, comm, c, AMOUNTS_OR_UNKNOWN(amounts));                                        \
        REFRAIN_MPI_PASS(P##name arguments);                                                                           \
    }

#define WITH_REQUEST(name, operation, parameters, arguments, amounts)                                                  \
    int name parameters {                                                                                              \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        communicator_t c = find(&call, comm);                                                                          \
        struct refrain_request *taken = NULL;                                                                          \
        if (is_told(&call, c, comm))                                                                                   \
            taken = tell_request(&call, operation, c, AMOUNTS_OR_UNKNOWN(amounts));                                    \
        else if ((operation) == REFRAIN_OP_ICOLLECTIVE)                                                                \
            count_untold(&call, REFRAIN_UNTOLD_ICOLLECTIVE, REFRAIN_CALL_##name, comm);                                \
        return finish(&call, taken, P##name arguments, request);                                                       \
    }

#define NONBLOCKING(name, parameters, arguments, amounts)                                                              \
    WITH_REQUEST(name, REFRAIN_OP_ICOLLECTIVE, (UNWRAP parameters, MPI_Request * request),                             \
                 (UNWRAP arguments, request), amounts)

#define PERSISTENT(name, parameters, arguments, amounts)                                                               \
    WITH_REQUEST(name, REFRAIN_OP_COLLECTIVE_INIT, (UNWRAP parameters, MPI_Info info, MPI_Request * request),          \
                 (UNWRAP arguments, info, request), amounts)

#ifdef REFRAIN_HAS_MPI_Bcast_init
#define WITH_REQUESTS(Name, Iname, suffix, parameters, arguments, amounts)                                             \
    NONBLOCKING(MPI_##Iname##suffix, parameters, arguments, amounts)                                                   \
    PERSISTENT(MPI_##Name##_init##suffix, parameters, arguments, amounts)
#else
#define WITH_REQUESTS(Name, Iname, suffix, parameters, arguments, amounts)                                             \
    NONBLOCKING(MPI_##Iname##suffix, parameters, arguments, amounts)
#endif
#define FORMS(Name, Iname, suffix, parameters, arguments, amounts)                                                     \
    BLOCKING(MPI_##Name##suffix, parameters, arguments, amounts)                                                       \
    WITH_REQUESTS(Name, Iname, suffix, parameters, arguments, amounts)

FORMS(Barrier, Ibarrier, , (MPI_Comm comm), (comm), all_to_all(0, 0))

/* Contributed bytes, from the other arguments where they are in place. */
#define SENT (sendbuf == MPI_IN_PLACE ? refrain_bytes(recvcount, recvtype) : refrain_bytes(sendcount, sendtype))
#define RECEIVED (recvbuf == MPI_IN_PLACE ? refrain_bytes(sendcount, sendtype) : refrain_bytes(recvcount, recvtype))

#define TO_ROOT_AND_FROM(T, D, x)                                                                                      \
    FORMS(Bcast, Ibcast, x, (void *buffer, T count, MPI_Datatype datatype, int root, MPI_Comm comm),                   \
          (buffer, count, datatype, root, comm), bcast(c, root, refrain_bytes(count, datatype)))                       \
    FORMS(Gather, Igather, x,                                                                                          \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype, \
           int root, MPI_Comm comm),                                                                                   \
          (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),                                    \
          all_to_one(c, root, SENT, is_root(c, root) ? times(ranks_in(c), refrain_bytes(recvcount, recvtype)) : 0))    \
    FORMS(Gatherv, Igatherv, x,                                                                                        \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, const T recvcounts[],               \
           const D displs[], MPI_Datatype recvtype, int root, MPI_Comm comm),                                          \
          (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm),                           \
          all_to_one(c, root,                                                                                          \
                     sendbuf == MPI_IN_PLACE && recvcounts ? refrain_bytes(recvcounts[c->my_rank], recvtype)           \
                                                           : refrain_bytes(sendcount, sendtype),                       \
                     is_root(c, root) ? sum_v##x(ranks_in(c), recvcounts, recvtype) : 0))                              \
    FORMS(                                                                                                             \
        Scatter, Iscatter, x,                                                                                          \
        (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype,   \
         int root, MPI_Comm comm),                                                                                     \
        (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm),                                      \
        one_to_all(c, root, is_root(c, root) ? times(ranks_in(c), refrain_bytes(sendcount, sendtype)) : 0, RECEIVED))  \
    FORMS(Scatterv, Iscatterv, x,                                                                                      \
          (const void *sendbuf, const T sendcounts[], const D displs[], MPI_Datatype sendtype, void *recvbuf,          \
           T recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm),                                               \
          (sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm),                           \
          one_to_all(c, root, is_root(c, root) ? sum_v##x(ranks_in(c), sendcounts, sendtype) : 0,                      \
                     recvbuf == MPI_IN_PLACE && sendcounts ? refrain_bytes(sendcounts[c->my_rank], sendtype)           \
                                                           : refrain_bytes(recvcount, recvtype)))                      \
    FORMS(Reduce, Ireduce, x,                                                                                          \
          (const void *sendbuf, void *recvbuf, T count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm),    \
          (sendbuf, recvbuf, count, datatype, op, root, comm),                                                         \
          all_to_one(c, root, refrain_bytes(count, datatype), refrain_bytes(count, datatype)))

#define AMONG_ALL(T, D, x)                                                                                             \
    FORMS(Allgather, Iallgather, x,                                                                                    \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype, \
           MPI_Comm comm),                                                                                             \
          (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                                          \
          all_to_all(SENT, times(ranks_in(c), refrain_bytes(recvcount, recvtype))))                                    \
    FORMS(Allgatherv, Iallgatherv, x,                                                                                  \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, const T recvcounts[],               \
           const D displs[], MPI_Datatype recvtype, MPI_Comm comm),                                                    \
          (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),                                 \
          all_to_all(sendbuf == MPI_IN_PLACE && recvcounts ? refrain_bytes(recvcounts[c->my_rank], recvtype)           \
                                                           : refrain_bytes(sendcount, sendtype),                       \
                     sum_v##x(ranks_in(c), recvcounts, recvtype)))                                                     \
    FORMS(Alltoall, Ialltoall, x,                                                                                      \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype, \
           MPI_Comm comm),                                                                                             \
          (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                                          \
          all_to_all(times(ranks_in(c), SENT), times(ranks_in(c), refrain_bytes(recvcount, recvtype))))                \
    FORMS(Alltoallv, Ialltoallv, x,                                                                                    \
          (const void *sendbuf, const T sendcounts[], const D sdispls[], MPI_Datatype sendtype, void *recvbuf,         \
           const T recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm),                             \
          (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),                      \
          all_to_all(sendbuf == MPI_IN_PLACE ? sum_v##x(ranks_in(c), recvcounts, recvtype)                             \
                                             : sum_v##x(ranks_in(c), sendcounts, sendtype),                            \
                     sum_v##x(ranks_in(c), recvcounts, recvtype)))                                                     \
    FORMS(Alltoallw, Ialltoallw, x,                                                                                    \
          (const void *sendbuf, const T sendcounts[], const D sdispls[], const MPI_Datatype sendtypes[],               \
           void *recvbuf, const T recvcounts[], const D rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm),     \
          (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),                    \
          all_to_all(sendbuf == MPI_IN_PLACE ? sum_w##x(ranks_in(c), recvcounts, recvtypes)                            \
                                             : sum_w##x(ranks_in(c), sendcounts, sendtypes),                           \
                     sum_w##x(ranks_in(c), recvcounts, recvtypes)))

#define REDUCTIONS(T, x)                                                                                               \
    FORMS(Allreduce, Iallreduce, x,                                                                                    \
          (const void *sendbuf, void *recvbuf, T count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),              \
          (sendbuf, recvbuf, count, datatype, op, comm), alike(refrain_bytes(count, datatype)))                        \
    FORMS(Scan, Iscan, x,                                                                                              \
          (const void *sendbuf, void *recvbuf, T count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),              \
          (sendbuf, recvbuf, count, datatype, op, comm), alike(refrain_bytes(count, datatype)))                        \
    FORMS(Exscan, Iexscan, x,                                                                                          \
          (const void *sendbuf, void *recvbuf, T count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),              \
          (sendbuf, recvbuf, count, datatype, op, comm),                                                               \
          all_to_all(refrain_bytes(count, datatype), c->my_rank == 0 ? 0 : refrain_bytes(count, datatype)))            \
    FORMS(Reduce_scatter, Ireduce_scatter, x,                                                                          \
          (const void *sendbuf, void *recvbuf, const T recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm), \
          (sendbuf, recvbuf, recvcounts, datatype, op, comm),                                                          \
          all_to_all(sum_v##x(c->size, recvcounts, datatype),                                                          \
                     recvcounts ? refrain_bytes(recvcounts[c->my_rank], datatype) : 0))                                \
    FORMS(Reduce_scatter_block, Ireduce_scatter_block, x,                                                              \
          (const void *sendbuf, void *recvbuf, T recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm),          \
          (sendbuf, recvbuf, recvcount, datatype, op, comm),                                                           \
          all_to_all(times(c->size, refrain_bytes(recvcount, datatype)), refrain_bytes(recvcount, datatype)))

#define AMONG_NEIGHBOURS(T, D, x)                                                                                      \
    FORMS(Neighbor_allgather, Ineighbor_allgather, x,                                                                  \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype, \
           MPI_Comm comm),                                                                                             \
          (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                                          \
          all_to_all(refrain_bytes(sendcount, sendtype),                                                               \
                     times(neighbours_of(c, comm).in, refrain_bytes(recvcount, recvtype))))                            \
    FORMS(Neighbor_allgatherv, Ineighbor_allgatherv, x,                                                                \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, const T recvcounts[],               \
           const D displs[], MPI_Datatype recvtype, MPI_Comm comm),                                                    \
          (sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm),                                 \
          all_to_all(refrain_bytes(sendcount, sendtype), sum_v##x(neighbours_of(c, comm).in, recvcounts, recvtype)))   \
    FORMS(Neighbor_alltoall, Ineighbor_alltoall, x,                                                                    \
          (const void *sendbuf, T sendcount, MPI_Datatype sendtype, void *recvbuf, T recvcount, MPI_Datatype recvtype, \
           MPI_Comm comm),                                                                                             \
          (sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm),                                          \
          all_to_all(times(neighbours_of(c, comm).out, refrain_bytes(sendcount, sendtype)),                            \
                     times(neighbours_of(c, comm).in, refrain_bytes(recvcount, recvtype))))                            \
    FORMS(Neighbor_alltoallv, Ineighbor_alltoallv, x,                                                                  \
          (const void *sendbuf, const T sendcounts[], const D sdispls[], MPI_Datatype sendtype, void *recvbuf,         \
           const T recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm),                             \
          (sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm),                      \
          all_to_all(sum_v##x(neighbours_of(c, comm).out, sendcounts, sendtype),                                       \
                     sum_v##x(neighbours_of(c, comm).in, recvcounts, recvtype)))                                       \
    FORMS(Neighbor_alltoallw, Ineighbor_alltoallw, x,                                                                  \
          (const void *sendbuf, const T sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],        \
           void *recvbuf, const T recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],              \
           MPI_Comm comm),                                                                                             \
          (sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm),                    \
          all_to_all(sum_w##x(neighbours_of(c, comm).out, sendcounts, sendtypes),                                      \
                     sum_w##x(neighbours_of(c, comm).in, recvcounts, recvtypes)))

DEFINE_SUMS(int, )
TO_ROOT_AND_FROM(int, int, )
AMONG_ALL(int, int, )
REDUCTIONS(int, )
AMONG_NEIGHBOURS(int, int, )

#ifdef REFRAIN_HAS_MPI_Bcast_c
DEFINE_SUMS(MPI_Count, _c)
TO_ROOT_AND_FROM(MPI_Count, MPI_Aint, _c)
AMONG_ALL(MPI_Count, MPI_Aint, _c)
REDUCTIONS(MPI_Count, _c)
AMONG_NEIGHBOURS(MPI_Count, MPI_Aint, _c)
#endif
