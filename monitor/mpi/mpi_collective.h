/* mpi_collective.h: the bodies of the generated wrappers of collective communication (mpi_calls.def, mpi_does.h). A
 * collective is recorded before the call, with the bytes that this rank contributes and obtains (S, R: bytes of the
 * send and receive arguments for one rank; N: ranks of the group that is communicated with, which is the remote one of
 * an intercommunicator):
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
 * MPI_IN_PLACE changes the position of data, not their number: the arguments of the other side count instead. Ranks of
 * an intercommunicator that take no part (MPI_PROC_NULL) have 0. If a datatype or the communicator is unknown: -1.
 */
#ifndef REFRAIN_MPI_COLLECTIVE_H
#define REFRAIN_MPI_COLLECTIVE_H

#include "mpi_objects.h"

typedef const struct refrain_communicator *communicator_t;

struct amounts {
    int64_t root, sent, received;
};

/* ---- functions of mpi_collective.c ---- */

/* Sums of the v and w variants: the bytes of n counts of one type, or with a type each. */
int64_t refrain_sum_v(int n, const int *counts, MPI_Datatype type);
int64_t refrain_sum_w(int n, const int *counts, const MPI_Datatype *types);
int64_t refrain_sum_v_large(int n, const MPI_Count *counts, MPI_Datatype type);
int64_t refrain_sum_w_large(int n, const MPI_Count *counts, const MPI_Datatype *types);
#define SUM_V(n, counts, type)                                                                                         \
    _Generic(*(counts), int : refrain_sum_v, default : refrain_sum_v_large)((n), (const void *)(counts), (type))
#define SUM_W(n, counts, types)                                                                                        \
    _Generic(*(counts), int : refrain_sum_w, default : refrain_sum_w_large)((n), (const void *)(counts), (types))

struct refrain_neighbours {
    int in, out;
};
struct refrain_neighbours refrain_neighbours_of(communicator_t c, MPI_Comm comm);

/* Counts a collective that begins in a pause. */
void refrain_collective_untold(const struct refrain_call *call, enum refrain_untold what, unsigned function,
                               MPI_Comm comm);

/* Records a collective that makes a request, and takes a request for it. `operation`: ICOLLECTIVE or COLLECTIVE_INIT.
 */
struct refrain_request *refrain_collective_take(struct refrain_call *call, enum refrain_operation operation,
                                                communicator_t c, struct amounts amounts);

static REFRAIN_INLINE int ranks_in(communicator_t c) {
    return c->remote_size ? c->remote_size : c->size;
}

static REFRAIN_INLINE int64_t times(int64_t n, int64_t bytes) {
    return bytes < 0 ? -1 : n * bytes;
}

/* ---- amounts ---- */

/* The root as it is recorded. In an intercommunicator the ranks of the root's own group pass MPI_ROOT or MPI_PROC_NULL.
 */
static REFRAIN_INLINE int64_t recorded_root(communicator_t c, int root) {
    if (c->remote_size && root == MPI_ROOT)
        return REFRAIN_ROOT_SELF;
    return root >= 0 && root < ranks_in(c) ? root : -1;
}

static REFRAIN_INLINE bool is_root(communicator_t c, int root) {
    return c->remote_size ? root == MPI_ROOT : root == c->my_rank;
}

/* True if this rank is one to which the root sends, or from which it receives. If there is no such root, the call
 * fails. */
static REFRAIN_INLINE bool is_served(communicator_t c, int root) {
    return root >= 0 && root < ranks_in(c);
}

static REFRAIN_INLINE struct amounts one_to_all(communicator_t c, int root, int64_t sent_by_root, int64_t received) {
    return (struct amounts){recorded_root(c, root), is_root(c, root) ? sent_by_root : 0,
                            is_served(c, root) ? received : 0};
}

static REFRAIN_INLINE struct amounts all_to_one(communicator_t c, int root, int64_t sent, int64_t received_by_root) {
    return (struct amounts){recorded_root(c, root), is_served(c, root) ? sent : 0,
                            is_root(c, root) ? received_by_root : 0};
}

static REFRAIN_INLINE struct amounts bcast(communicator_t c, int root, int64_t bytes) {
    struct amounts amounts = one_to_all(c, root, bytes, bytes);
    amounts.received = is_root(c, root) ? 0 : amounts.received;
    return amounts;
}

static REFRAIN_INLINE struct amounts all_to_all(int64_t sent, int64_t received) {
    return (struct amounts){-1, sent, received};
}

/* Each rank contributes as much as it obtains. */
static REFRAIN_INLINE struct amounts alike(int64_t bytes) {
    return all_to_all(bytes, bytes);
}

/* ---- telling ---- */

static REFRAIN_INLINE communicator_t find(const struct refrain_call *call, MPI_Comm comm) {
    return call->entry ? refrain_communicator_find(comm) : NULL;
}

/* True if there is something to record, maybe of an unknown communicator. */
static REFRAIN_INLINE bool is_recorded(const struct refrain_call *call, communicator_t c, MPI_Comm comm) {
    return call->entry && (c || (refrain_mpi_active && comm != MPI_COMM_NULL));
}

/* The operation of a blocking collective, to be recorded with the begin of the call. Null if there is nothing to
 * record. */
static REFRAIN_INLINE const struct refrain_operation_values *
collective_operation(struct refrain_operation_values *values, MPI_Comm comm, communicator_t c, struct amounts amounts) {
    if (!c && (!refrain_mpi_active || comm == MPI_COMM_NULL))
        return NULL;
    values->operation = REFRAIN_OP_COLLECTIVE;
    values->n = REFRAIN_PARAMETERS;
    values->values[0] = amounts.root;
    values->values[1] = amounts.sent;
    values->values[2] = amounts.received;
    values->values[3] = refrain_communicator_index(c);
    return values;
}

/* The call has begun. */
static REFRAIN_INLINE void collective_begun(struct refrain_call *call, unsigned function, MPI_Comm comm,
                                            communicator_t c) {
    if (__builtin_expect(!call->entry, 0))
        refrain_collective_untold(call, REFRAIN_UNTOLD_COLLECTIVE, function, comm);
    else if (c)
        refrain_communicator_entered(call, c);
}

/* ---- wrappers: blocking, nonblocking and persistent ----
 * `amounts` is one of the macros below. It gets the communicator's record and the following arguments. */
#define AMOUNTS_OR_UNKNOWN(known) (c ? (known) : (struct amounts){-1, -1, -1})

#define REFRAIN_DOES_COLLECTS(passed, amounts, comm, ...)                                                              \
    communicator_t c = refrain_communicator_find(comm);                                                                \
    struct refrain_operation_values values;                                                                            \
    REFRAIN_MPI_BEGIN_WITH(collective_operation(&values, comm, c, AMOUNTS_OR_UNKNOWN(amounts(c, comm, __VA_ARGS__)))); \
    collective_begun(&call, function, comm, c);                                                                        \
    REFRAIN_MPI_PASS(passed)

#define WITH_REQUEST(operation, passed, amounts, comm, request, ...)                                                   \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    communicator_t c = find(&call, comm);                                                                              \
    struct refrain_request *taken = NULL;                                                                              \
    if (is_recorded(&call, c, comm))                                                                                   \
        taken = refrain_collective_take(&call, operation, c, AMOUNTS_OR_UNKNOWN(amounts(c, comm, __VA_ARGS__)));       \
    else if ((operation) == REFRAIN_OP_ICOLLECTIVE)                                                                    \
        refrain_collective_untold(&call, REFRAIN_UNTOLD_ICOLLECTIVE, function, comm);                                  \
    return refrain_request_end_taking(&call, taken, passed, request)
#define REFRAIN_DOES_STARTS_COLLECTIVE(passed, ...) WITH_REQUEST(REFRAIN_OP_ICOLLECTIVE, passed, __VA_ARGS__)
#define REFRAIN_DOES_PREPARES_COLLECTIVE(passed, ...) WITH_REQUEST(REFRAIN_OP_COLLECTIVE_INIT, passed, __VA_ARGS__)

/* ---- amounts of each operation ---- */

/* Contributed bytes, from the receive arguments if the data are in place; `count` is that for one rank. */
#define SENT(sendbuf, sendcount, sendtype, recvcount, recvtype)                                                        \
    ((sendbuf) == MPI_IN_PLACE ? refrain_bytes(recvcount, recvtype) : refrain_bytes(sendcount, sendtype))
#define SENT_OF(sendbuf, sendcount, sendtype, recvcounts, recvtype)                                                    \
    ((sendbuf) == MPI_IN_PLACE && (recvcounts) ? refrain_bytes((recvcounts)[c->my_rank], recvtype)                     \
                                               : refrain_bytes(sendcount, sendtype))
#define AT_ROOT(c, root, bytes) (is_root(c, root) ? (bytes) : 0)

#define BARRIER(c, comm, none) all_to_all(none, none)
#define BCAST(c, comm, count, type, root) bcast(c, root, refrain_bytes(count, type))
#define GATHER(c, comm, buf, count, type, rcount, rtype, root)                                                         \
    all_to_one(c, root, SENT(buf, count, type, rcount, rtype),                                                         \
               AT_ROOT(c, root, times(ranks_in(c), refrain_bytes(rcount, rtype))))
#define GATHERV(c, comm, buf, count, type, rcounts, rtype, root)                                                       \
    all_to_one(c, root, SENT_OF(buf, count, type, rcounts, rtype), AT_ROOT(c, root, SUM_V(ranks_in(c), rcounts, rtype)))
#define SCATTER(c, comm, count, type, rbuf, rcount, rtype, root)                                                       \
    one_to_all(c, root, AT_ROOT(c, root, times(ranks_in(c), refrain_bytes(count, type))),                              \
               SENT(rbuf, rcount, rtype, count, type))
#define SCATTERV(c, comm, counts, type, rbuf, rcount, rtype, root)                                                     \
    one_to_all(c, root, AT_ROOT(c, root, SUM_V(ranks_in(c), counts, type)), SENT_OF(rbuf, rcount, rtype, counts, type))
#define REDUCE(c, comm, count, type, root) all_to_one(c, root, refrain_bytes(count, type), refrain_bytes(count, type))
#define ALLGATHER(c, comm, buf, count, type, rcount, rtype)                                                            \
    all_to_all(SENT(buf, count, type, rcount, rtype), times(ranks_in(c), refrain_bytes(rcount, rtype)))
#define ALLGATHERV(c, comm, buf, count, type, rcounts, rtype)                                                          \
    all_to_all(SENT_OF(buf, count, type, rcounts, rtype), SUM_V(ranks_in(c), rcounts, rtype))
#define ALLTOALL(c, comm, buf, count, type, rcount, rtype)                                                             \
    all_to_all(times(ranks_in(c), SENT(buf, count, type, rcount, rtype)),                                              \
               times(ranks_in(c), refrain_bytes(rcount, rtype)))
#define ALLTOALLV(c, comm, buf, counts, type, rcounts, rtype)                                                          \
    all_to_all((buf) == MPI_IN_PLACE ? SUM_V(ranks_in(c), rcounts, rtype) : SUM_V(ranks_in(c), counts, type),          \
               SUM_V(ranks_in(c), rcounts, rtype))
#define ALLTOALLW(c, comm, buf, counts, types, rcounts, rtypes)                                                        \
    all_to_all((buf) == MPI_IN_PLACE ? SUM_W(ranks_in(c), rcounts, rtypes) : SUM_W(ranks_in(c), counts, types),        \
               SUM_W(ranks_in(c), rcounts, rtypes))
#define ALLREDUCE(c, comm, count, type) alike(refrain_bytes(count, type))
#define EXSCAN(c, comm, count, type)                                                                                   \
    all_to_all(refrain_bytes(count, type), c->my_rank == 0 ? 0 : refrain_bytes(count, type))
#define REDUCE_SCATTER(c, comm, counts, type)                                                                          \
    all_to_all(SUM_V(c->size, counts, type), (counts) ? refrain_bytes((counts)[c->my_rank], type) : 0)
#define REDUCE_SCATTER_BLOCK(c, comm, count, type)                                                                     \
    all_to_all(times(c->size, refrain_bytes(count, type)), refrain_bytes(count, type))
#define NEIGHBOUR_ALLGATHER(c, comm, count, type, rcount, rtype)                                                       \
    all_to_all(refrain_bytes(count, type), times(refrain_neighbours_of(c, comm).in, refrain_bytes(rcount, rtype)))
#define NEIGHBOUR_ALLGATHERV(c, comm, count, type, rcounts, rtype)                                                     \
    all_to_all(refrain_bytes(count, type), SUM_V(refrain_neighbours_of(c, comm).in, rcounts, rtype))
#define NEIGHBOUR_ALLTOALL(c, comm, count, type, rcount, rtype)                                                        \
    all_to_all(times(refrain_neighbours_of(c, comm).out, refrain_bytes(count, type)),                                  \
               times(refrain_neighbours_of(c, comm).in, refrain_bytes(rcount, rtype)))
#define NEIGHBOUR_ALLTOALLV(c, comm, counts, type, rcounts, rtype)                                                     \
    all_to_all(SUM_V(refrain_neighbours_of(c, comm).out, counts, type),                                                \
               SUM_V(refrain_neighbours_of(c, comm).in, rcounts, rtype))
#define NEIGHBOUR_ALLTOALLW(c, comm, counts, types, rcounts, rtypes)                                                   \
    all_to_all(SUM_W(refrain_neighbours_of(c, comm).out, counts, types),                                               \
               SUM_W(refrain_neighbours_of(c, comm).in, rcounts, rtypes))

#endif
