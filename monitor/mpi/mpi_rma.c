/* mpi_rma.c: wrappers of one-sided communication: windows, and accesses with their target and the bytes at the origin
 * (of those that fetch as well: the bytes fetched where nothing is brought). All other calls that name a window have
 * generated wrappers, which tell which. */
#include "call.h"
#include "mpi_objects.h"

/* ---- windows ---- */

#define WINDOW_CALLS(unit_t, suffix)                                                                                   \
    int MPI_Win_create##suffix(void *base, MPI_Aint size, unit_t disp_unit, MPI_Info info, MPI_Comm comm,              \
                               MPI_Win *win) {                                                                         \
        REFRAIN_MPI_BEGIN(MPI_Win_create##suffix);                                                                     \
        int rc = PMPI_Win_create##suffix(base, size, disp_unit, info, comm, win);                                      \
        return opened(&call, rc, comm, win);                                                                           \
    }                                                                                                                  \
    int MPI_Win_allocate##suffix(MPI_Aint size, unit_t disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,         \
                                 MPI_Win *win) {                                                                       \
        REFRAIN_MPI_BEGIN(MPI_Win_allocate##suffix);                                                                   \
        int rc = PMPI_Win_allocate##suffix(size, disp_unit, info, comm, baseptr, win);                                 \
        return opened(&call, rc, comm, win);                                                                           \
    }                                                                                                                  \
    int MPI_Win_allocate_shared##suffix(MPI_Aint size, unit_t disp_unit, MPI_Info info, MPI_Comm comm, void *baseptr,  \
                                        MPI_Win *win) {                                                                \
        REFRAIN_MPI_BEGIN(MPI_Win_allocate_shared##suffix);                                                            \
        int rc = PMPI_Win_allocate_shared##suffix(size, disp_unit, info, comm, baseptr, win);                          \
        return opened(&call, rc, comm, win);                                                                           \
    }

static int opened(struct refrain_call *call, int rc, MPI_Comm comm, const MPI_Win *win) {
    if (rc == MPI_SUCCESS)
        refrain_window_new(call, comm, *win);
    refrain_call_end(call);
    return rc;
}

WINDOW_CALLS(int, )
#ifdef REFRAIN_HAS_MPI_Win_create_c
WINDOW_CALLS(MPI_Aint, _c)
#endif

int MPI_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win) {
    REFRAIN_MPI_BEGIN(MPI_Win_create_dynamic);
    int rc = PMPI_Win_create_dynamic(info, comm, win);
    return opened(&call, rc, comm, win);
}

int MPI_Win_free(MPI_Win *win) {
    REFRAIN_MPI_BEGIN(MPI_Win_free);
    MPI_Win former = win ? *win : MPI_WIN_NULL;
    int rc = PMPI_Win_free(win);
    if (rc == MPI_SUCCESS)
        refrain_window_freed(&call, former);
    refrain_call_end(&call);
    return rc;
}

/* ---- synchronisation with a group; without one it has generated wrappers ---- */

#define GROUP_CALL(name)                                                                                               \
    int name(MPI_Group group, int assertion, MPI_Win win) {                                                            \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        int rc = P##name(group, assertion, win);                                                                       \
        refrain_window_group(&call, rc, group, win);                                                                   \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }
GROUP_CALL(MPI_Win_post)
GROUP_CALL(MPI_Win_start)

/* ---- accesses ---- */

static void tell_access(struct refrain_call *call, int64_t count, MPI_Datatype datatype, int target, MPI_Win win) {
    if (call->entry)
        refrain_window_access(call, win, target, refrain_bytes(count, datatype));
}

static struct refrain_request *tell_request(struct refrain_call *call, int64_t count, MPI_Datatype datatype, int target,
                                            MPI_Win win) {
    return refrain_window_request(call, win, target, call->entry ? refrain_bytes(count, datatype) : 0);
}

/* MPI_Get_accumulate brings nothing where the operation is MPI_NO_OP, and fetches then. */
#define FETCHED(op, brought, fetched) ((op) == MPI_NO_OP ? (fetched) : (brought))

static int finish(struct refrain_call *call, struct refrain_request *taken, int rc, const MPI_Request *request) {
    if (taken)
        refrain_request_bind(call, taken, rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL,
                             rc == MPI_SUCCESS ? REFRAIN_MPI_KEY(*request) : 0);
    refrain_call_end(call);
    return rc;
}

#define ACCESSES(T, suffix)                                                                                            \
    int MPI_Put##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype, int target_rank,        \
                        MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Win win) {             \
        REFRAIN_MPI_BEGIN(MPI_Put##suffix);                                                                            \
        tell_access(&call, origin_count, origin_datatype, target_rank, win);                                           \
        REFRAIN_MPI_PASS(PMPI_Put##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp,        \
                                          target_count, target_datatype, win));                                        \
    }                                                                                                                  \
    int MPI_Get##suffix(void *origin_addr, T origin_count, MPI_Datatype origin_datatype, int target_rank,              \
                        MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Win win) {             \
        REFRAIN_MPI_BEGIN(MPI_Get##suffix);                                                                            \
        tell_access(&call, origin_count, origin_datatype, target_rank, win);                                           \
        REFRAIN_MPI_PASS(PMPI_Get##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp,        \
                                          target_count, target_datatype, win));                                        \
    }                                                                                                                  \
    int MPI_Accumulate##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype, int target_rank, \
                               MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Op op,          \
                               MPI_Win win) {                                                                          \
        REFRAIN_MPI_BEGIN(MPI_Accumulate##suffix);                                                                     \
        tell_access(&call, origin_count, origin_datatype, target_rank, win);                                           \
        REFRAIN_MPI_PASS(PMPI_Accumulate##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp, \
                                                 target_count, target_datatype, op, win));                             \
    }                                                                                                                  \
    int MPI_Get_accumulate##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype,              \
                                   void *result_addr, T result_count, MPI_Datatype result_datatype, int target_rank,   \
                                   MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Op op,      \
                                   MPI_Win win) {                                                                      \
        REFRAIN_MPI_BEGIN(MPI_Get_accumulate##suffix);                                                                 \
        tell_access(&call, FETCHED(op, origin_count, result_count), FETCHED(op, origin_datatype, result_datatype),     \
                    target_rank, win);                                                                                 \
        REFRAIN_MPI_PASS(PMPI_Get_accumulate##suffix(origin_addr, origin_count, origin_datatype, result_addr,          \
                                                     result_count, result_datatype, target_rank, target_disp,          \
                                                     target_count, target_datatype, op, win));                         \
    }                                                                                                                  \
    int MPI_Rput##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype, int target_rank,       \
                         MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Win win,              \
                         MPI_Request *request) {                                                                       \
        REFRAIN_MPI_BEGIN(MPI_Rput##suffix);                                                                           \
        struct refrain_request *taken = tell_request(&call, origin_count, origin_datatype, target_rank, win);          \
        int rc = PMPI_Rput##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, \
                                   target_datatype, win, request);                                                     \
        return finish(&call, taken, rc, request);                                                                      \
    }                                                                                                                  \
    int MPI_Rget##suffix(void *origin_addr, T origin_count, MPI_Datatype origin_datatype, int target_rank,             \
                         MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Win win,              \
                         MPI_Request *request) {                                                                       \
        REFRAIN_MPI_BEGIN(MPI_Rget##suffix);                                                                           \
        struct refrain_request *taken = tell_request(&call, origin_count, origin_datatype, target_rank, win);          \
        int rc = PMPI_Rget##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count, \
                                   target_datatype, win, request);                                                     \
        return finish(&call, taken, rc, request);                                                                      \
    }                                                                                                                  \
    int MPI_Raccumulate##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype,                 \
                                int target_rank, MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype,   \
                                MPI_Op op, MPI_Win win, MPI_Request *request) {                                        \
        REFRAIN_MPI_BEGIN(MPI_Raccumulate##suffix);                                                                    \
        struct refrain_request *taken = tell_request(&call, origin_count, origin_datatype, target_rank, win);          \
        int rc = PMPI_Raccumulate##suffix(origin_addr, origin_count, origin_datatype, target_rank, target_disp,        \
                                          target_count, target_datatype, op, win, request);                            \
        return finish(&call, taken, rc, request);                                                                      \
    }                                                                                                                  \
    int MPI_Rget_accumulate##suffix(const void *origin_addr, T origin_count, MPI_Datatype origin_datatype,             \
                                    void *result_addr, T result_count, MPI_Datatype result_datatype, int target_rank,  \
                                    MPI_Aint target_disp, T target_count, MPI_Datatype target_datatype, MPI_Op op,     \
                                    MPI_Win win, MPI_Request *request) {                                               \
        REFRAIN_MPI_BEGIN(MPI_Rget_accumulate##suffix);                                                                \
        struct refrain_request *taken = tell_request(&call, FETCHED(op, origin_count, result_count),                   \
                                                     FETCHED(op, origin_datatype, result_datatype), target_rank, win); \
        int rc = PMPI_Rget_accumulate##suffix(origin_addr, origin_count, origin_datatype, result_addr, result_count,   \
                                              result_datatype, target_rank, target_disp, target_count,                 \
                                              target_datatype, op, win, request);                                      \
        return finish(&call, taken, rc, request);                                                                      \
    }

ACCESSES(int, )
#ifdef REFRAIN_HAS_MPI_Put_c
ACCESSES(MPI_Count, _c)
#endif

int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
    REFRAIN_MPI_BEGIN(MPI_Fetch_and_op);
    tell_access(&call, 1, datatype, target_rank, win);
    REFRAIN_MPI_PASS(PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, op, win));
}

int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr, MPI_Datatype datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Win win) {
    REFRAIN_MPI_BEGIN(MPI_Compare_and_swap);
    tell_access(&call, 1, datatype, target_rank, win);
    REFRAIN_MPI_PASS(
        PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, target_rank, target_disp, win));
}
