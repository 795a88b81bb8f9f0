/* pmpi_logger.c: logs the messages of a program independently of refrain: a preloaded library that shares no code with
 * it. It is above the monitor's wrappers: a call comes here first, and is passed on to the next definition of the MPI
 * function.
 *
 *     MPI_LOGGER_DIRECTORY=DIR mpiexec -n 4 -env LD_PRELOAD ./libpmpi_logger.so ./app     writes DIR/rank-<n>.log
 *
 * One line for each event, in the order of the rank, with fields separated by tabs. Ranks are those of MPI_COMM_WORLD:
 *
 *     send        MPI_Isend    dest=1   tag=5  bytes=40
 *     recv        MPI_Waitall  source=1 tag=5  bytes=40        in the call that completed it
 *     collective  MPI_Bcast    root=0   (no root=, if there is none)
 *     rma         MPI_Put      target=2 bytes=8
 *     io          MPI_File_read  bytes=128
 *     window      MPI_Win_fence  object=3                      the third window that this rank has made; also in rma
 *     file        MPI_File_close object=1
 *
 * It follows the communication of one thread. Persistent communication is logged when it is started. Collectives are in
 * pmpi_logger_collective.c, windows and files in pmpi_logger_access.c. */
#define _GNU_SOURCE
#include "pmpi_logger.h"

#include <dlfcn.h>

FILE *out;

void *next(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (!function) {
        fprintf(stderr, "pmpi_logger: no %s behind this library; preload it before the MPI library\n", name);
        abort();
    }
    return function;
}

/* ---- ranks and bytes, for which MPI is asked each time ---- */

int in_world(MPI_Comm comm, int rank) {
    int inter, size, translated = MPI_UNDEFINED;
    MPI_Group group, world;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    if (rank >= 0 && rank < size)
        PMPI_Group_translate_ranks(group, 1, &rank, world, &translated);
    PMPI_Group_free(&group);
    PMPI_Group_free(&world);
    return translated == MPI_UNDEFINED ? -1 : translated;
}

static void log_send(const char *call, long long count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
    int bytes, rank = dest == MPI_PROC_NULL ? -1 : in_world(comm, dest);
    if (!out || rank < 0) /* to nobody, or refused by MPI */
        return;
    PMPI_Type_size(type, &bytes);
    fprintf(out, "send\t%s\tdest=%d\ttag=%d\tbytes=%lld\n", call, rank, tag, bytes * count);
}

static void log_recv(const char *call, const MPI_Status *status, MPI_Comm comm) {
    int bytes;
    if (!out || status->MPI_SOURCE < 0)
        return;
    PMPI_Get_elements(status, MPI_BYTE, &bytes);
    fprintf(out, "recv\t%s\tsource=%d\ttag=%d\tbytes=%d\n", call, in_world(comm, status->MPI_SOURCE), status->MPI_TAG,
            bytes);
}

/* The root of an intercommunicator is in one of the two groups. */
void log_collective(const char *call, int root, MPI_Comm comm) {
    int rank = root;
    if (!out)
        return;
    if (root == MPI_ROOT)
        PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    else if (root != MPI_PROC_NULL && root >= 0)
        rank = in_world(comm, root);
    if (rank >= 0)
        fprintf(out, "collective\t%s\troot=%d\n", call, rank);
    else
        fprintf(out, "collective\t%s\n", call);
}

/* ---- requests: a list in the order of posting ---- */

static struct posted *list;
static int n_list, room;

void post(struct posted posted) {
    if (n_list == room) {
        room = room ? 2 * room : 64;
        list = realloc(list, sizeof *list * (size_t)room);
        if (!list)
            abort();
    }
    list[n_list++] = posted;
}

static int find(MPI_Request request) {
    for (int i = 0; i < n_list; i++)
        if (list[i].request == request)
            return i;
    return -1;
}

static void drop(int i) {
    memmove(&list[i], &list[i + 1], sizeof *list * (size_t)(n_list - i - 1));
    n_list--;
}

static void completed(const char *call, MPI_Request former, MPI_Status *status) {
    int i = find(former), cancelled;
    if (former == MPI_REQUEST_NULL || i < 0 || !list[i].active)
        return;
    PMPI_Test_cancelled(status, &cancelled);
    if (list[i].is_sendrecv && status->MPI_TAG != list[i].tag) {
        /* MPICH 4.0 fills in nothing */
        fprintf(out, "recv\t%s\tsource=%d\ttag=%d\tbytes=-1\n", call,
                list[i].peer < 0 ? -1 : in_world(list[i].comm, list[i].peer), list[i].tag < 0 ? -1 : list[i].tag);
        drop(i);
        return;
    }
    if (list[i].is_partitioned && list[i].is_receive) {
        status->MPI_SOURCE = list[i].peer; /* MPI need not set these */
        status->MPI_TAG = list[i].tag;
        PMPI_Status_set_elements(status, list[i].type, (int)list[i].count);
    }
    if (list[i].is_receive && list[i].peer != MPI_PROC_NULL && !cancelled) /* else MPICH 4.0 sets rank 0 */
        log_recv(call, status, list[i].comm);
    if (list[i].is_file_access) /* which cannot be cancelled: Open MPI leaves that field as it was */
        log_file_access_complete(call, status);
    if (list[i].is_persistent)
        list[i].active = 0;
    else
        drop(i);
}

static void started(const char *call, MPI_Request request) {
    int i = find(request);
    if (i < 0)
        return;
    list[i].active = 1;
    if (list[i].is_collective)
        log_collective(call, list[i].peer, list[i].comm);
    else if (!list[i].is_receive)
        log_send(call, list[i].count, list[i].type, list[i].peer, list[i].tag, list[i].comm);
}

/* ---- life ---- */

static void open_log(void) {
    const char *directory = getenv("MPI_LOGGER_DIRECTORY");
    char path[4096];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(path, sizeof path, "%s/rank-%d.log", directory ? directory : ".", rank);
    out = fopen(path, "w");
    if (!out)
        perror(path);
}

int MPI_Init(int *argc, char ***argv) {
    int (*f)(int *, char ***) = next("MPI_Init");
    int rc = f(argc, argv);
    open_log();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int (*f)(int *, char ***, int, int *) = next("MPI_Init_thread");
    int rc = f(argc, argv, required, provided);
    open_log();
    return rc;
}

int MPI_Finalize(void) {
    int (*f)(void) = next("MPI_Finalize");
    int rc = f(); /* which may call functions of the user's that communicate */
    if (out)
        fclose(out);
    out = NULL;
    return rc;
}

/* ---- point to point ---- */

#define SEND(name, T)                                                                                                  \
    int name(const void *buf, T count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {                          \
        int (*f)(const void *, T, MPI_Datatype, int, int, MPI_Comm) = next(#name);                                     \
        log_send(#name, count, type, dest, tag, comm);                                                                 \
        return f(buf, count, type, dest, tag, comm);                                                                   \
    }

#define RECV(name, T)                                                                                                  \
    int name(void *buf, T count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status) {          \
        int (*f)(void *, T, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = next(#name);                             \
        MPI_Status own;                                                                                                \
        int rc = f(buf, count, type, source, tag, comm, &own);                                                         \
        if (rc == MPI_SUCCESS)                                                                                         \
            log_recv(#name, &own, comm);                                                                               \
        if (status != MPI_STATUS_IGNORE)                                                                               \
            *status = own;                                                                                             \
        return rc;                                                                                                     \
    }

#define SENDRECV(name, T)                                                                                              \
    int name(const void *s, T sn, MPI_Datatype st, int dest, int sendtag, void *r, T rn, MPI_Datatype rt, int source,  \
             int recvtag, MPI_Comm comm, MPI_Status *status) {                                                         \
        int (*f)(const void *, T, MPI_Datatype, int, int, void *, T, MPI_Datatype, int, int, MPI_Comm, MPI_Status *) = \
            next(#name);                                                                                               \
        MPI_Status own;                                                                                                \
        log_send(#name, sn, st, dest, sendtag, comm);                                                                  \
        int rc = f(s, sn, st, dest, sendtag, r, rn, rt, source, recvtag, comm, &own);                                  \
        if (rc == MPI_SUCCESS)                                                                                         \
            log_recv(#name, &own, comm);                                                                               \
        if (status != MPI_STATUS_IGNORE)                                                                               \
            *status = own;                                                                                             \
        return rc;                                                                                                     \
    }

#define REPLACE(name, T)                                                                                               \
    int name(void *buf, T count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,     \
             MPI_Status *status) {                                                                                     \
        int (*f)(void *, T, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Status *) = next(#name);                   \
        MPI_Status own;                                                                                                \
        log_send(#name, count, type, dest, sendtag, comm);                                                             \
        int rc = f(buf, count, type, dest, sendtag, source, recvtag, comm, &own);                                      \
        if (rc == MPI_SUCCESS)                                                                                         \
            log_recv(#name, &own, comm);                                                                               \
        if (status != MPI_STATUS_IGNORE)                                                                               \
            *status = own;                                                                                             \
        return rc;                                                                                                     \
    }

#define ISEND(name, T, persistent)                                                                                     \
    int name(const void *buf, T count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) {    \
        int (*f)(const void *, T, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = next(#name);                      \
        if (!persistent)                                                                                               \
            log_send(#name, count, type, dest, tag, comm);                                                             \
        int rc = f(buf, count, type, dest, tag, comm, request);                                                        \
        post((struct posted){*request, comm, type, 0, persistent, !persistent, 0, count, dest, tag, 0});               \
        return rc;                                                                                                     \
    }

#define IRECV(name, T, persistent)                                                                                     \
    int name(void *buf, T count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request) {        \
        int (*f)(void *, T, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) = next(#name);                            \
        int rc = f(buf, count, type, source, tag, comm, request);                                                      \
        post((struct posted){*request, comm, type, 1, persistent, !persistent, 0, count, source, tag, 0});             \
        return rc;                                                                                                     \
    }

#define POINT_TO_POINT(T, suffix)                                                                                      \
    SEND(MPI_Send##suffix, T)                                                                                          \
    SEND(MPI_Bsend##suffix, T)                                                                                         \
    SEND(MPI_Ssend##suffix, T)                                                                                         \
    SEND(MPI_Rsend##suffix, T)                                                                                         \
    RECV(MPI_Recv##suffix, T)                                                                                          \
    SENDRECV(MPI_Sendrecv##suffix, T)                                                                                  \
    REPLACE(MPI_Sendrecv_replace##suffix, T)                                                                           \
    ISEND(MPI_Isend##suffix, T, 0)                                                                                     \
    ISEND(MPI_Ibsend##suffix, T, 0)                                                                                    \
    ISEND(MPI_Issend##suffix, T, 0)                                                                                    \
    ISEND(MPI_Irsend##suffix, T, 0)                                                                                    \
    ISEND(MPI_Send_init##suffix, T, 1)                                                                                 \
    ISEND(MPI_Bsend_init##suffix, T, 1)                                                                                \
    ISEND(MPI_Ssend_init##suffix, T, 1)                                                                                \
    ISEND(MPI_Rsend_init##suffix, T, 1)                                                                                \
    IRECV(MPI_Irecv##suffix, T, 0)                                                                                     \
    IRECV(MPI_Recv_init##suffix, T, 1)

POINT_TO_POINT(int, )

#if MPI_VERSION >= 4
POINT_TO_POINT(MPI_Count, _c)

#define ISENDRECV(name, T)                                                                                             \
    int name(const void *s, T sn, MPI_Datatype st, int dest, int sendtag, void *r, T rn, MPI_Datatype rt, int source,  \
             int recvtag, MPI_Comm comm, MPI_Request *request) {                                                       \
        int (*f)(const void *, T, MPI_Datatype, int, int, void *, T, MPI_Datatype, int, int, MPI_Comm,                 \
                 MPI_Request *) = next(#name);                                                                         \
        log_send(#name, sn, st, dest, sendtag, comm);                                                                  \
        int rc = f(s, sn, st, dest, sendtag, r, rn, rt, source, recvtag, comm, request);                               \
        post((struct posted){*request, comm, rt, 1, 0, 1, 0, rn, source, recvtag, 0, 1});                              \
        return rc;                                                                                                     \
    }

#define ISENDRECV_REPLACE(name, T)                                                                                     \
    int name(void *buf, T count, MPI_Datatype type, int dest, int sendtag, int source, int recvtag, MPI_Comm comm,     \
             MPI_Request *request) {                                                                                   \
        int (*f)(void *, T, MPI_Datatype, int, int, int, int, MPI_Comm, MPI_Request *) = next(#name);                  \
        log_send(#name, count, type, dest, sendtag, comm);                                                             \
        int rc = f(buf, count, type, dest, sendtag, source, recvtag, comm, request);                                   \
        post((struct posted){*request, comm, type, 1, 0, 1, 0, count, source, recvtag, 0, 1});                         \
        return rc;                                                                                                     \
    }

ISENDRECV(MPI_Isendrecv, int)
ISENDRECV(MPI_Isendrecv_c, MPI_Count)
ISENDRECV_REPLACE(MPI_Isendrecv_replace, int)
ISENDRECV_REPLACE(MPI_Isendrecv_replace_c, MPI_Count)

int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    int (*f)(const void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *) =
        next("MPI_Psend_init");
    int rc = f(buf, partitions, count, type, dest, tag, comm, info, request);
    post((struct posted){*request, comm, type, 0, 1, 0, 1, partitions * count, dest, tag, 0});
    return rc;
}

int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                   MPI_Info info, MPI_Request *request) {
    int (*f)(void *, int, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Info, MPI_Request *) =
        next("MPI_Precv_init");
    int rc = f(buf, partitions, count, type, source, tag, comm, info, request);
    post((struct posted){*request, comm, type, 1, 1, 0, 1, partitions * count, source, tag, 0});
    return rc;
}
#endif

/* ---- starting and completing ---- */

int MPI_Start(MPI_Request *request) {
    int (*f)(MPI_Request *) = next("MPI_Start");
    started("MPI_Start", *request);
    return f(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    int (*f)(int, MPI_Request *) = next("MPI_Startall");
    for (int i = 0; i < count; i++)
        started("MPI_Startall", requests[i]);
    return f(count, requests);
}

int MPI_Request_free(MPI_Request *request) {
    int (*f)(MPI_Request *) = next("MPI_Request_free");
    int i = find(*request);
    if (i >= 0)
        drop(i);
    return f(request);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    int (*f)(MPI_Request *, MPI_Status *) = next("MPI_Wait");
    MPI_Request former = *request;
    MPI_Status own;
    int rc = f(request, &own);
    if (rc == MPI_SUCCESS)
        completed("MPI_Wait", former, &own);
    if (status != MPI_STATUS_IGNORE)
        *status = own;
    return rc;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    int (*f)(MPI_Request *, int *, MPI_Status *) = next("MPI_Test");
    MPI_Request former = *request;
    MPI_Status own;
    int rc = f(request, flag, &own);
    if (rc == MPI_SUCCESS && *flag) {
        completed("MPI_Test", former, &own);
        if (status != MPI_STATUS_IGNORE)
            *status = own;
    }
    return rc;
}

/* Copies of arguments that the call will overwrite. */
struct array {
    MPI_Request *former;
    MPI_Status *statuses;
};

static struct array copy(int count, const MPI_Request *requests) {
    size_t n = count > 0 ? (size_t)count : 1;
    struct array array = {malloc(n * sizeof(MPI_Request)), malloc(n * sizeof(MPI_Status))};
    if (!array.former || !array.statuses)
        abort();
    memcpy(array.former, requests, sizeof(MPI_Request) * (size_t)count);
    return array;
}

static void give(struct array *array, int n, MPI_Status *statuses) {
    if (statuses != MPI_STATUSES_IGNORE && n > 0)
        memcpy(statuses, array->statuses, sizeof(MPI_Status) * (size_t)n);
    free(array->former);
    free(array->statuses);
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    int (*f)(int, MPI_Request *, MPI_Status *) = next("MPI_Waitall");
    struct array array = copy(count, requests);
    int rc = f(count, requests, array.statuses);
    for (int i = 0; i < count && rc == MPI_SUCCESS; i++)
        completed("MPI_Waitall", array.former[i], &array.statuses[i]);
    give(&array, count, statuses);
    return rc;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    int (*f)(int, MPI_Request *, int *, MPI_Status *) = next("MPI_Testall");
    struct array array = copy(count, requests);
    int rc = f(count, requests, flag, array.statuses);
    for (int i = 0; i < count && rc == MPI_SUCCESS && *flag; i++)
        completed("MPI_Testall", array.former[i], &array.statuses[i]);
    give(&array, *flag ? count : 0, statuses);
    return rc;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    int (*f)(int, MPI_Request *, int *, MPI_Status *) = next("MPI_Waitany");
    struct array array = copy(count, requests);
    int rc = f(count, requests, index, array.statuses);
    if (rc == MPI_SUCCESS && *index != MPI_UNDEFINED)
        completed("MPI_Waitany", array.former[*index], array.statuses);
    give(&array, 1, status);
    return rc;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    int (*f)(int, MPI_Request *, int *, int *, MPI_Status *) = next("MPI_Testany");
    struct array array = copy(count, requests);
    int rc = f(count, requests, index, flag, array.statuses);
    if (rc == MPI_SUCCESS && *flag && *index != MPI_UNDEFINED)
        completed("MPI_Testany", array.former[*index], array.statuses);
    give(&array, *flag, status);
    return rc;
}

#define SOME(name)                                                                                                     \
    int name(int count, MPI_Request requests[], int *n, int indices[], MPI_Status statuses[]) {                        \
        int (*f)(int, MPI_Request *, int *, int *, MPI_Status *) = next(#name);                                        \
        struct array array = copy(count, requests);                                                                    \
        int rc = f(count, requests, n, indices, array.statuses);                                                       \
        int done = rc == MPI_SUCCESS && *n != MPI_UNDEFINED ? *n : 0;                                                  \
        for (int i = 0; i < done; i++)                                                                                 \
            completed(#name, array.former[indices[i]], &array.statuses[i]);                                            \
        give(&array, done, statuses);                                                                                  \
        return rc;                                                                                                     \
    }

SOME(MPI_Waitsome)
SOME(MPI_Testsome)

/* ---- matched probes ---- */

static struct {
    MPI_Message message;
    MPI_Comm comm;
} matched[64];

static void match(MPI_Message message, MPI_Comm comm) {
    for (unsigned i = 0; i < sizeof matched / sizeof *matched; i++)
        if (!matched[i].message) {
            matched[i].message = message;
            matched[i].comm = comm;
            return;
        }
}

static MPI_Comm unmatch(MPI_Message message) {
    for (unsigned i = 0; i < sizeof matched / sizeof *matched; i++)
        if (matched[i].message == message) {
            memset(&matched[i].message, 0, sizeof matched[i].message);
            return matched[i].comm;
        }
    return MPI_COMM_WORLD;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    int (*f)(int, int, MPI_Comm, MPI_Message *, MPI_Status *) = next("MPI_Mprobe");
    int rc = f(source, tag, comm, message, status);
    match(*message, comm);
    return rc;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    int (*f)(int, int, MPI_Comm, int *, MPI_Message *, MPI_Status *) = next("MPI_Improbe");
    int rc = f(source, tag, comm, flag, message, status);
    if (*flag)
        match(*message, comm);
    return rc;
}

#define MRECV(name, T)                                                                                                 \
    int name(void *buf, T count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) {                        \
        int (*f)(void *, T, MPI_Datatype, MPI_Message *, MPI_Status *) = next(#name);                                  \
        MPI_Status own;                                                                                                \
        MPI_Comm comm = unmatch(*message);                                                                             \
        int rc = f(buf, count, type, message, &own);                                                                   \
        log_recv(#name, &own, comm);                                                                                   \
        if (status != MPI_STATUS_IGNORE)                                                                               \
            *status = own;                                                                                             \
        return rc;                                                                                                     \
    }

#define IMRECV(name, T)                                                                                                \
    int name(void *buf, T count, MPI_Datatype type, MPI_Message *message, MPI_Request *request) {                      \
        int (*f)(void *, T, MPI_Datatype, MPI_Message *, MPI_Request *) = next(#name);                                 \
        MPI_Comm comm = unmatch(*message);                                                                             \
        int rc = f(buf, count, type, message, request);                                                                \
        post((struct posted){*request, comm, type, 1, 0, 1, 0, count, MPI_ANY_SOURCE, MPI_ANY_TAG, 0});                \
        return rc;                                                                                                     \
    }

MRECV(MPI_Mrecv, int)
IMRECV(MPI_Imrecv, int)
#if MPI_VERSION >= 4
MRECV(MPI_Mrecv_c, MPI_Count)
IMRECV(MPI_Imrecv_c, MPI_Count)
#endif
