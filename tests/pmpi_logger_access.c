/* pmpi_logger_access.c: one-sided accesses with their target, accesses to files with their bytes (pmpi_logger.c). */
#include "pmpi_logger.h"

static long long bytes_of(long long count, MPI_Datatype type) {
    int bytes = 0;
    if (count > 0)
        PMPI_Type_size(type, &bytes);
    return bytes * count;
}

/* ---- windows: ranks of a window are those of its group ---- */

static void log_rma(const char *call, long long count, MPI_Datatype type, int target, MPI_Win win) {
    MPI_Group group, world;
    int rank;
    if (!out || target < 0)
        return;
    PMPI_Win_get_group(win, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_translate_ranks(group, 1, &target, world, &rank);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    fprintf(out, "rma\t%s\ttarget=%d\tbytes=%lld\n", call, rank, bytes_of(count, type));
}

#define UNWRAP(...) __VA_ARGS__
#define RMA(name, count, type, parameters, arguments)                                                                  \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        log_rma(#name, count, type, target, win);                                                                      \
        return f arguments;                                                                                            \
    }
/* `Rname` has a request at its end. */
#define WITH_REQUEST(name, Rname, count, type, parameters, arguments)                                                  \
    RMA(name, count, type, parameters, arguments)                                                                      \
    RMA(Rname, count, type, (UNWRAP parameters, MPI_Request * request), (UNWRAP arguments, request))

#define WINDOWS(T, x)                                                                                                  \
    WITH_REQUEST(MPI_Put##x, MPI_Rput##x, n, t,                                                                        \
                 (const void *o, T n, MPI_Datatype t, int target, MPI_Aint d, T tn, MPI_Datatype tt, MPI_Win win),     \
                 (o, n, t, target, d, tn, tt, win))                                                                    \
    WITH_REQUEST(MPI_Get##x, MPI_Rget##x, n, t,                                                                        \
                 (void *o, T n, MPI_Datatype t, int target, MPI_Aint d, T tn, MPI_Datatype tt, MPI_Win win),           \
                 (o, n, t, target, d, tn, tt, win))                                                                    \
    WITH_REQUEST(                                                                                                      \
        MPI_Accumulate##x, MPI_Raccumulate##x, n, t,                                                                   \
        (const void *o, T n, MPI_Datatype t, int target, MPI_Aint d, T tn, MPI_Datatype tt, MPI_Op op, MPI_Win win),   \
        (o, n, t, target, d, tn, tt, op, win))                                                                         \
    WITH_REQUEST(MPI_Get_accumulate##x, MPI_Rget_accumulate##x, op == MPI_NO_OP ? rn : n, op == MPI_NO_OP ? rt : t,    \
                 (const void *o, T n, MPI_Datatype t, void *r, T rn, MPI_Datatype rt, int target, MPI_Aint d, T tn,    \
                  MPI_Datatype tt, MPI_Op op, MPI_Win win),                                                            \
                 (o, n, t, r, rn, rt, target, d, tn, tt, op, win))

WINDOWS(int, )
#if MPI_VERSION >= 4
WINDOWS(MPI_Count, _c)
#endif
RMA(MPI_Fetch_and_op, 1, t, (const void *o, void *r, MPI_Datatype t, int target, MPI_Aint d, MPI_Op op, MPI_Win win),
    (o, r, t, target, d, op, win))
RMA(MPI_Compare_and_swap, 1, t,
    (const void *o, const void *c, void *r, MPI_Datatype t, int target, MPI_Aint d, MPI_Win win),
    (o, c, r, t, target, d, win))

/* ---- files ---- */

#define FILE_CALL(name, parameters, arguments)                                                                         \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        if (out)                                                                                                       \
            fprintf(out, "io\t%s\tbytes=%lld\n", #name, bytes_of(n, t));                                               \
        return f arguments;                                                                                            \
    }
#define AT_POINTER(name, buffer_t, T)                                                                                  \
    FILE_CALL(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t, MPI_Status * s), (fh, b, n, t, s))
#define AT_OFFSET(name, buffer_t, T)                                                                                   \
    FILE_CALL(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t, MPI_Status * s), (fh, o, b, n, t, s))
#define SPLIT(name, buffer_t, T) FILE_CALL(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t), (fh, b, n, t))
#define SPLIT_AT(name, buffer_t, T)                                                                                    \
    FILE_CALL(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t), (fh, o, b, n, t))
#define NONBLOCKING(name, buffer_t, T)                                                                                 \
    FILE_CALL(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t, MPI_Request * r), (fh, b, n, t, r))
#define NONBLOCKING_AT(name, buffer_t, T)                                                                              \
    FILE_CALL(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t, MPI_Request * r), (fh, o, b, n, t, r))

#define FILES(verb, buffer_t, T, x)                                                                                    \
    AT_POINTER(MPI_File_##verb##x, buffer_t, T)                                                                        \
    AT_POINTER(MPI_File_##verb##_all##x, buffer_t, T)                                                                  \
    AT_POINTER(MPI_File_##verb##_shared##x, buffer_t, T)                                                               \
    AT_POINTER(MPI_File_##verb##_ordered##x, buffer_t, T)                                                              \
    AT_OFFSET(MPI_File_##verb##_at##x, buffer_t, T)                                                                    \
    AT_OFFSET(MPI_File_##verb##_at_all##x, buffer_t, T)                                                                \
    SPLIT(MPI_File_##verb##_all_begin##x, buffer_t, T)                                                                 \
    SPLIT(MPI_File_##verb##_ordered_begin##x, buffer_t, T)                                                             \
    SPLIT_AT(MPI_File_##verb##_at_all_begin##x, buffer_t, T)                                                           \
    NONBLOCKING(MPI_File_i##verb##x, buffer_t, T)                                                                      \
    NONBLOCKING(MPI_File_i##verb##_all##x, buffer_t, T)                                                                \
    NONBLOCKING(MPI_File_i##verb##_shared##x, buffer_t, T)                                                             \
    NONBLOCKING_AT(MPI_File_i##verb##_at##x, buffer_t, T)                                                              \
    NONBLOCKING_AT(MPI_File_i##verb##_at_all##x, buffer_t, T)

FILES(read, void *, int, )
FILES(write, const void *, int, )
#if MPI_VERSION >= 4
FILES(read, void *, MPI_Count, _c)
FILES(write, const void *, MPI_Count, _c)
#endif
