/* pmpi_logger_access.c: one-sided accesses with their target, accesses to files with their bytes, and which window or
 * file each call is about (pmpi_logger.c). */
#include "pmpi_logger.h"

#include <stdint.h>

static long long bytes_of(long long count, MPI_Datatype type) {
    int bytes = 0;
    if (count > 0)
        PMPI_Type_size(type, &bytes);
    return bytes * count;
}

/* ---- which window or file: the how-manieth that this rank has made ---- */

#define MOST_OPEN 4096
struct objects {
    uintptr_t handle[MOST_OPEN];
    int number[MOST_OPEN], made;
};
static struct objects windows, files;

static int number_of(const struct objects *objects, uintptr_t handle) {
    for (int i = 0; i < MOST_OPEN; i++)
        if (objects->number[i] && objects->handle[i] == handle)
            return objects->number[i];
    return -1;
}

static void made(struct objects *objects, uintptr_t handle) {
    int i = 0;
    while (objects->number[i] && i < MOST_OPEN - 1)
        i++;
    objects->handle[i] = handle;
    objects->number[i] = ++objects->made;
}

static void gone(struct objects *objects, uintptr_t handle) {
    for (int i = 0; i < MOST_OPEN; i++)
        if (objects->number[i] && objects->handle[i] == handle)
            objects->number[i] = 0;
}

static void log_object(const char *kind, const char *call, const struct objects *objects, uintptr_t handle) {
    int number = number_of(objects, handle);
    if (out && number > 0)
        fprintf(out, "%s\t%s\tobject=%d\n", kind, call, number);
}

/* ---- windows: their ranks are those of their group ---- */

#define MAKES(name, parameters, arguments)                                                                             \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        int rc = f arguments;                                                                                          \
        if (rc == MPI_SUCCESS) {                                                                                       \
            made(&windows, (uintptr_t)*w);                                                                             \
            log_object("window", #name, &windows, (uintptr_t)*w);                                                      \
        }                                                                                                              \
        return rc;                                                                                                     \
    }
#define MAKERS(T, x)                                                                                                   \
    MAKES(MPI_Win_create##x, (void *b, MPI_Aint n, T u, MPI_Info i, MPI_Comm c, MPI_Win *w), (b, n, u, i, c, w))       \
    MAKES(MPI_Win_allocate##x, (MPI_Aint n, T u, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w), (n, u, i, c, b, w))     \
    MAKES(MPI_Win_allocate_shared##x, (MPI_Aint n, T u, MPI_Info i, MPI_Comm c, void *b, MPI_Win *w),                  \
          (n, u, i, c, b, w))

MAKERS(int, )
#if MPI_VERSION >= 4
MAKERS(MPI_Aint, _c)
#endif
MAKES(MPI_Win_create_dynamic, (MPI_Info i, MPI_Comm c, MPI_Win *w), (i, c, w))

int MPI_Win_free(MPI_Win *w) {
    int (*f)(MPI_Win *) = next("MPI_Win_free");
    MPI_Win former = *w;
    int rc = f(w);
    if (rc == MPI_SUCCESS) {
        log_object("window", "MPI_Win_free", &windows, (uintptr_t)former);
        gone(&windows, (uintptr_t)former);
    }
    return rc;
}

#define USES(name, parameters, arguments)                                                                              \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        log_object("window", #name, &windows, (uintptr_t)w);                                                           \
        return f arguments;                                                                                            \
    }
USES(MPI_Win_fence, (int a, MPI_Win w), (a, w))
USES(MPI_Win_lock, (int l, int r, int a, MPI_Win w), (l, r, a, w))
USES(MPI_Win_unlock, (int r, MPI_Win w), (r, w))
USES(MPI_Win_lock_all, (int a, MPI_Win w), (a, w))
USES(MPI_Win_unlock_all, (MPI_Win w), (w))
USES(MPI_Win_flush, (int r, MPI_Win w), (r, w))
USES(MPI_Win_flush_all, (MPI_Win w), (w))
USES(MPI_Win_flush_local, (int r, MPI_Win w), (r, w))
USES(MPI_Win_flush_local_all, (MPI_Win w), (w))
USES(MPI_Win_sync, (MPI_Win w), (w))

/* Each rank of the group, once the call is over. */
static void log_group(const char *call, MPI_Group group, MPI_Win win) {
    MPI_Group world;
    int size, rank;
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(group, &size);
    for (int i = 0; out && i < size; i++) {
        PMPI_Group_translate_ranks(group, 1, &i, world, &rank);
        fprintf(out, "group\t%s\ttarget=%d\tobject=%d\n", call, rank, number_of(&windows, (uintptr_t)win));
    }
    PMPI_Group_free(&world);
}
#define NAMES_GROUP(name)                                                                                              \
    int name(MPI_Group g, int a, MPI_Win w) {                                                                          \
        int (*f)(MPI_Group, int, MPI_Win) = next(#name);                                                               \
        int rc = f(g, a, w);                                                                                           \
        log_group(#name, g, w);                                                                                        \
        return rc;                                                                                                     \
    }
NAMES_GROUP(MPI_Win_post)
NAMES_GROUP(MPI_Win_start)
USES(MPI_Win_complete, (MPI_Win w), (w))
USES(MPI_Win_wait, (MPI_Win w), (w))

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
    fprintf(out, "rma\t%s\ttarget=%d\tbytes=%lld\tobject=%d\n", call, rank, bytes_of(count, type),
            number_of(&windows, (uintptr_t)win));
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

int MPI_File_open(MPI_Comm c, const char *n, int m, MPI_Info i, MPI_File *fh) {
    int (*f)(MPI_Comm, const char *, int, MPI_Info, MPI_File *) = next("MPI_File_open");
    int rc = f(c, n, m, i, fh);
    if (rc == MPI_SUCCESS) {
        made(&files, (uintptr_t)*fh);
        log_object("file", "MPI_File_open", &files, (uintptr_t)*fh);
    }
    return rc;
}

int MPI_File_close(MPI_File *fh) {
    int (*f)(MPI_File *) = next("MPI_File_close");
    MPI_File former = *fh;
    int rc = f(fh);
    if (rc == MPI_SUCCESS) {
        log_object("file", "MPI_File_close", &files, (uintptr_t)former);
        gone(&files, (uintptr_t)former);
    }
    return rc;
}

static void log_seek(const char *call, MPI_File fh, MPI_Offset offset, int whence, MPI_Offset position) {
    if (out)
        fprintf(out, "seek\t%s\twhence=%s\toffset=%lld\tposition=%lld\tobject=%d\n", call,
                whence == MPI_SEEK_SET   ? "start"
                : whence == MPI_SEEK_CUR ? "current"
                                         : "end",
                (long long)offset, (long long)position, number_of(&files, (uintptr_t)fh));
}

int MPI_File_seek(MPI_File fh, MPI_Offset o, int w) {
    int (*f)(MPI_File, MPI_Offset, int) = next("MPI_File_seek");
    MPI_Offset position = -1;
    int rc = f(fh, o, w);
    if (rc == MPI_SUCCESS)
        PMPI_File_get_position(fh, &position);
    log_seek("MPI_File_seek", fh, o, w, position);
    return rc;
}

int MPI_File_seek_shared(MPI_File fh, MPI_Offset o, int w) {
    int (*f)(MPI_File, MPI_Offset, int) = next("MPI_File_seek_shared");
    int rc = f(fh, o, w);
    log_seek("MPI_File_seek_shared", fh, o, w, rc == MPI_SUCCESS && w == MPI_SEEK_SET ? o : -1);
    return rc;
}

static void log_io(const char *call, long long bytes, MPI_File fh) {
    if (out)
        fprintf(out, "io\t%s\tbytes=%lld\tobject=%d\n", call, bytes, number_of(&files, (uintptr_t)fh));
}

/* Logs the moved elements of the call's datatype. If the program wants no status, the logger has one of its own. */
static void log_moved(const char *call, int rc, const MPI_Status *status, MPI_File fh) {
    MPI_Count bytes = -1;
    if (rc == MPI_SUCCESS)
        PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    if (out)
        fprintf(out, "moved\t%s\tbytes=%lld\tobject=%d\n", call, (long long)bytes, number_of(&files, (uintptr_t)fh));
}

/* The same of a nonblocking one, in the call that completed it. */
void log_file_access_complete(const char *call, const MPI_Status *status) {
    MPI_Count bytes = -1;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    if (out)
        fprintf(out, "access-complete\t%s\tbytes=%lld\n", call, (long long)bytes);
}

#define FILE_CALL(name, parameters, arguments)                                                                         \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        log_io(#name, bytes_of(n, t), fh);                                                                             \
        return f arguments;                                                                                            \
    }
#define WITH_STATUS(name, parameters, before, ...)                                                                     \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        MPI_Status own, *used = s == MPI_STATUS_IGNORE ? &own : s;                                                     \
        before;                                                                                                        \
        int rc = f(__VA_ARGS__, used);                                                                                 \
        log_moved(#name, rc, used, fh);                                                                                \
        return rc;                                                                                                     \
    }
#define AT_POINTER(name, buffer_t, T)                                                                                  \
    WITH_STATUS(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t, MPI_Status * s),                                  \
                log_io(#name, bytes_of(n, t), fh), fh, b, n, t)
#define AT_OFFSET(name, buffer_t, T)                                                                                   \
    WITH_STATUS(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t, MPI_Status * s),                    \
                log_io(#name, bytes_of(n, t), fh), fh, o, b, n, t)
#define SECOND_HALF(name, buffer_t) WITH_STATUS(name, (MPI_File fh, buffer_t b, MPI_Status * s), , fh, b)
#define SPLIT(name, buffer_t, T) FILE_CALL(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t), (fh, b, n, t))
#define SPLIT_AT(name, buffer_t, T)                                                                                    \
    FILE_CALL(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t), (fh, o, b, n, t))
#define WITH_FILE_REQUEST(name, parameters, arguments)                                                                 \
    int name parameters {                                                                                              \
        int(*f) parameters = next(#name);                                                                              \
        log_io(#name, bytes_of(n, t), fh);                                                                             \
        int rc = f arguments;                                                                                          \
        if (rc == MPI_SUCCESS)                                                                                         \
            post((struct posted){.request = *r, .active = 1, .is_file_access = 1});                                    \
        return rc;                                                                                                     \
    }
#define NONBLOCKING(name, buffer_t, T)                                                                                 \
    WITH_FILE_REQUEST(name, (MPI_File fh, buffer_t b, T n, MPI_Datatype t, MPI_Request * r), (fh, b, n, t, r))
#define NONBLOCKING_AT(name, buffer_t, T)                                                                              \
    WITH_FILE_REQUEST(name, (MPI_File fh, MPI_Offset o, buffer_t b, T n, MPI_Datatype t, MPI_Request * r),             \
                      (fh, o, b, n, t, r))

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
SECOND_HALF(MPI_File_read_all_end, void *)
SECOND_HALF(MPI_File_read_at_all_end, void *)
SECOND_HALF(MPI_File_read_ordered_end, void *)
SECOND_HALF(MPI_File_write_all_end, const void *)
SECOND_HALF(MPI_File_write_at_all_end, const void *)
SECOND_HALF(MPI_File_write_ordered_end, const void *)
#if MPI_VERSION >= 4
FILES(read, void *, MPI_Count, _c)
FILES(write, const void *, MPI_Count, _c)
#endif
