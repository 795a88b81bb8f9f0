/* pmpi_logger_collective.c: collectives in their blocking, nonblocking, persistent and large-count forms: that they
 * happened, and with which root (pmpi_logger.c). */
#include "pmpi_logger.h"

#define UNWRAP(...) __VA_ARGS__

#define BLOCKING(name, root, parameters, arguments)                                                                    \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        log_collective(#name, root, comm);                                                                             \
        return f arguments;                                                                                            \
    }

#define NONBLOCKING(name, root, parameters, arguments)                                                                 \
    BLOCKING(name, root, (UNWRAP parameters, MPI_Request * request), (UNWRAP arguments, request))

/* Known by its request from now on; logged when that is started. */
#define PERSISTENT(name, of_root, parameters, arguments)                                                               \
    int name(UNWRAP parameters, MPI_Info info, MPI_Request *request) {                                                 \
        int (*f)(UNWRAP parameters, MPI_Info, MPI_Request *) = next(#name);                                            \
        int rc = f(UNWRAP arguments, info, request);                                                                   \
        post((struct posted){                                                                                          \
            .request = *request, .comm = comm, .is_persistent = 1, .peer = of_root, .is_collective = 1});              \
        return rc;                                                                                                     \
    }

#if MPI_VERSION >= 4
#define ALL(name, iname, x, root, parameters, arguments)                                                               \
    BLOCKING(MPI_##name##x, root, parameters, arguments)                                                               \
    NONBLOCKING(MPI_##iname##x, root, parameters, arguments)                                                           \
    PERSISTENT(MPI_##name##_init##x, root, parameters, arguments)
#else
#define ALL(name, iname, x, root, parameters, arguments)                                                               \
    BLOCKING(MPI_##name##x, root, parameters, arguments)                                                               \
    NONBLOCKING(MPI_##iname##x, root, parameters, arguments)
#endif

ALL(Barrier, Ibarrier, , -1, (MPI_Comm comm), (comm))

/* Collectives that send and receive one block each, or one block for each rank. */
#define PAIR(name, iname, T, x, root, parameters_end, arguments_end)                                                   \
    ALL(name, iname, x, root,                                                                                          \
        (const void *s, T sn, MPI_Datatype st, void *r, T rn, MPI_Datatype rt, UNWRAP parameters_end),                 \
        (s, sn, st, r, rn, rt, UNWRAP arguments_end))

/* Reductions. */
#define REDUCTION(name, iname, T, x, root, parameters_end, arguments_end)                                              \
    ALL(name, iname, x, root, (const void *s, void *r, T n, MPI_Datatype t, MPI_Op op, UNWRAP parameters_end),         \
        (s, r, n, t, op, UNWRAP arguments_end))

#define FORMS(T, D, x)                                                                                                 \
    ALL(Bcast, Ibcast, x, root, (void *b, T n, MPI_Datatype t, int root, MPI_Comm comm), (b, n, t, root, comm))        \
    REDUCTION(Reduce, Ireduce, T, x, root, (int root, MPI_Comm comm), (root, comm))                                    \
    REDUCTION(Allreduce, Iallreduce, T, x, -1, (MPI_Comm comm), (comm))                                                \
    REDUCTION(Scan, Iscan, T, x, -1, (MPI_Comm comm), (comm))                                                          \
    REDUCTION(Exscan, Iexscan, T, x, -1, (MPI_Comm comm), (comm))                                                      \
    REDUCTION(Reduce_scatter_block, Ireduce_scatter_block, T, x, -1, (MPI_Comm comm), (comm))                          \
    ALL(Reduce_scatter, Ireduce_scatter, x, -1,                                                                        \
        (const void *s, void *r, const T n[], MPI_Datatype t, MPI_Op op, MPI_Comm comm), (s, r, n, t, op, comm))       \
    PAIR(Gather, Igather, T, x, root, (int root, MPI_Comm comm), (root, comm))                                         \
    PAIR(Scatter, Iscatter, T, x, root, (int root, MPI_Comm comm), (root, comm))                                       \
    PAIR(Allgather, Iallgather, T, x, -1, (MPI_Comm comm), (comm))                                                     \
    PAIR(Alltoall, Ialltoall, T, x, -1, (MPI_Comm comm), (comm))                                                       \
    PAIR(Neighbor_allgather, Ineighbor_allgather, T, x, -1, (MPI_Comm comm), (comm))                                   \
    PAIR(Neighbor_alltoall, Ineighbor_alltoall, T, x, -1, (MPI_Comm comm), (comm))                                     \
    ALL(Gatherv, Igatherv, x, root,                                                                                    \
        (const void *s, T sn, MPI_Datatype st, void *r, const T rn[], const D rd[], MPI_Datatype rt, int root,         \
         MPI_Comm comm),                                                                                               \
        (s, sn, st, r, rn, rd, rt, root, comm))                                                                        \
    ALL(Scatterv, Iscatterv, x, root,                                                                                  \
        (const void *s, const T sn[], const D sd[], MPI_Datatype st, void *r, T rn, MPI_Datatype rt, int root,         \
         MPI_Comm comm),                                                                                               \
        (s, sn, sd, st, r, rn, rt, root, comm))                                                                        \
    GATHERV(Allgatherv, Iallgatherv, T, D, x)                                                                          \
    GATHERV(Neighbor_allgatherv, Ineighbor_allgatherv, T, D, x)                                                        \
    ALLTOALLV(Alltoallv, Ialltoallv, T, D, x)                                                                          \
    ALLTOALLV(Neighbor_alltoallv, Ineighbor_alltoallv, T, D, x)                                                        \
    ALLTOALLW(Alltoallw, Ialltoallw, T, D, x)                                                                          \
    ALLTOALLW(Neighbor_alltoallw, Ineighbor_alltoallw, T, MPI_Aint, x)

#define GATHERV(name, iname, T, D, x)                                                                                  \
    ALL(name, iname, x, -1,                                                                                            \
        (const void *s, T sn, MPI_Datatype st, void *r, const T rn[], const D rd[], MPI_Datatype rt, MPI_Comm comm),   \
        (s, sn, st, r, rn, rd, rt, comm))

#define ALLTOALLV(name, iname, T, D, x)                                                                                \
    ALL(name, iname, x, -1,                                                                                            \
        (const void *s, const T sn[], const D sd[], MPI_Datatype st, void *r, const T rn[], const D rd[],              \
         MPI_Datatype rt, MPI_Comm comm),                                                                              \
        (s, sn, sd, st, r, rn, rd, rt, comm))

#define ALLTOALLW(name, iname, T, D, x)                                                                                \
    ALL(name, iname, x, -1,                                                                                            \
        (const void *s, const T sn[], const D sd[], const MPI_Datatype st[], void *r, const T rn[], const D rd[],      \
         const MPI_Datatype rt[], MPI_Comm comm),                                                                      \
        (s, sn, sd, st, r, rn, rd, rt, comm))

FORMS(int, int, )
#if MPI_VERSION >= 4
FORMS(MPI_Count, MPI_Aint, _c)
#endif
