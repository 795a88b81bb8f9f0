/* mpi_does.h: what generated wrappers do beside calling the PMPI function (mpi_calls.def, class DOES).
 *
 *     REFRAIN_MPI_CALL(MPI_Comm_dup, DOES, NONE, MANAGEMENT, MAKES_COMM(1, 2))       a line of mpi_calls.def
 *
 *     int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm) {                           what mpi_generate.awk makes of it
 *         enum { function = REFRAIN_CALL_MPI_Comm_dup };
 *         REFRAIN_DOES_MAKES_COMM(PMPI_Comm_dup(comm, newcomm), comm, newcomm);
 *     }
 *
 * Each of these macros is a wrapper's body. `passed` is the PMPI call; the other arguments are parameters of the
 * function, or values where it has none such. The constant `function` is the function's number. Messages are in
 * mpi_p2p.h, completion in mpi_complete.h, collectives in mpi_collective.h.
 */
#ifndef REFRAIN_MPI_DOES_H
#define REFRAIN_MPI_DOES_H

#include "call.h"
#include "mpi_collective.h"
#include "mpi_complete.h"
#include "mpi_idup.h"
#include "mpi_objects.h"
#include "mpi_p2p.h"

/* The rest of a wrapper: calls the PMPI function, evaluates the expressions if it succeeds, and ends the call. */
#define PASS_AND(passed, ...)                                                                                          \
    int returned = passed;                                                                                             \
    if (returned == MPI_SUCCESS)                                                                                       \
        __VA_ARGS__;                                                                                                   \
    refrain_call_end(&call);                                                                                           \
    return returned

/* ---- communicators ---- */

static REFRAIN_INLINE void record_communicator(struct refrain_call *call, int64_t index) {
    refrain_call_operation(call, REFRAIN_OP_COMM, &index, 1);
}

/* Records which communicator the call has made, or, for MPI_COMM_NULL, of which one this process is no longer a part.
 * Null: `parent` is not known. */
static REFRAIN_INLINE void record_made_communicator(struct refrain_call *call,
                                                    const struct refrain_communicator *parent, MPI_Comm made) {
    int64_t of = refrain_communicator_index(parent);
    if (made != MPI_COMM_NULL)
        record_communicator(call, refrain_communicator_index(refrain_communicator_find(made)));
    else
        record_communicator(call, of < 0 ? of : REFRAIN_COMM_NULL_OF(of));
}

/* Makes a communicator of all or some members of `parent`. */
#define REFRAIN_DOES_MAKES_COMM(passed, parent, made)                                                                  \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    int returned = passed;                                                                                             \
    refrain_idup_needed(parent);                                                                                       \
    if (returned == MPI_SUCCESS)                                                                                       \
        refrain_communicator_new(parent, *(made)),                                                                     \
            record_made_communicator(&call, refrain_communicator_find(parent), *(made));                               \
    refrain_call_end(&call);                                                                                           \
    return returned

/* Makes a communicator of the processes of a session. */
#define REFRAIN_DOES_MAKES_COMM_OF_SESSION(passed, made)                                                               \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_communicator_new_of_session(*(made)), record_made_communicator(&call, NULL, *(made)))

/* Makes a duplicate of `comm`, which is complete when the request is. */
#define REFRAIN_DOES_DUPLICATES(passed, comm, made, request)                                                           \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_request *taken = refrain_nothing_take(&call);                                                       \
    return refrain_idup_end(&call, taken, passed, comm, made, request)

#define REFRAIN_DOES_FREES_COMM(passed, comm)                                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Comm former = (comm) ? *(comm) : MPI_COMM_NULL;                                                                \
    const struct refrain_communicator *freed = former == MPI_COMM_NULL ? NULL : refrain_communicator_find(former);     \
    PASS_AND(passed, record_communicator(&call, refrain_communicator_index(freed)), refrain_idup_freed(former),        \
             refrain_communicator_freed(former))

/* Returns the same communicator each time. No call of this process has made it. */
#define REFRAIN_DOES_RETURNS_PARENT(passed, parent)                                                                    \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed,                                                                                                   \
             refrain_communicator_find(*(parent)) ? (void)0 : refrain_communicator_new(MPI_COMM_NULL, *(parent)))

#define REFRAIN_DOES_NAMES_COMM(passed, comm, name)                                                                    \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_idup_needed(comm), refrain_communicator_named(comm, name))

/* ---- datatypes ---- */

/* Returns a datatype that can be used: one that it commits, or a predefined one. */
#define REFRAIN_DOES_MAKES_TYPE(passed, made)                                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_type_known(*(made)))

/* A duplicate is committed if the original is. */
#define REFRAIN_DOES_DUPLICATES_TYPE(passed, type, made)                                                               \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_type_bytes(type) >= 0 ? refrain_type_known(*(made)) : (void)0)

#define REFRAIN_DOES_FREES_TYPE(passed, type)                                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Datatype former = (type) ? *(type) : MPI_DATATYPE_NULL;                                                        \
    PASS_AND(passed, refrain_type_forget(former))

/* ---- requests ---- */

/* Makes a request of the program's own. */
#define REFRAIN_DOES_TAKES_REQUEST(passed, request)                                                                    \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_request *taken = refrain_nothing_take(&call);                                                       \
    return refrain_request_end_taking(&call, taken, passed, request)

/* Starts persistent requests. */
#define REFRAIN_DOES_STARTS(passed, count, requests)                                                                   \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    refrain_requests_start(&call, count, requests);                                                                    \
    int returned = passed;                                                                                             \
    if (returned != MPI_SUCCESS)                                                                                       \
        refrain_requests_not_started(&call, count, requests);                                                          \
    refrain_call_end(&call);                                                                                           \
    return returned

#define REFRAIN_DOES_FREES_REQUEST(passed, request)                                                                    \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_released released;                                                                                  \
    refrain_request_release(&call, (request) ? *(request) : MPI_REQUEST_NULL, &released);                              \
    int returned = passed;                                                                                             \
    refrain_request_released(&call, &released, returned == MPI_SUCCESS);                                               \
    refrain_call_end(&call);                                                                                           \
    if (released.receives)                                                                                             \
        refrain_call_flush_untold(&call);                                                                              \
    return returned

/* Cancels a request. It still has to complete; its status then says whether the message was cancelled. */
#define REFRAIN_DOES_CANCELS(passed, request)                                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    if (request)                                                                                                       \
        refrain_request_cancel(&call, *(request));                                                                     \
    REFRAIN_MPI_PASS(passed)

/* ---- windows ---- */

#define REFRAIN_DOES_MAKES_WINDOW(passed, comm, made)                                                                  \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_window_new(&call, comm, *(made)))

#define REFRAIN_DOES_FREES_WINDOW(passed, window)                                                                      \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Win former = (window) ? *(window) : MPI_WIN_NULL;                                                              \
    PASS_AND(passed, refrain_window_freed(&call, former))

/* Synchronises with a group of the window's ranks. */
#define REFRAIN_DOES_NAMES_GROUP(passed, group, window)                                                                \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    int returned = passed;                                                                                             \
    refrain_window_group(&call, returned, group, window);                                                              \
    refrain_call_end(&call);                                                                                           \
    return returned

/* An access to a window. Its bytes are those at the origin. If it also fetches and sends nothing, as with MPI_NO_OP,
 * they are the fetched bytes. */
#define REFRAIN_DOES_ACCESSES_WINDOW(passed, count, type, target, window)                                              \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    if (call.entry)                                                                                                    \
        refrain_window_access(&call, window, target, refrain_bytes(count, type));                                      \
    REFRAIN_MPI_PASS(passed)

#define REFRAIN_DOES_FETCHES(passed, op, count, type, fetched, fetched_type, target, window)                           \
    REFRAIN_DOES_ACCESSES_WINDOW(passed, (op) == MPI_NO_OP ? (fetched) : (count),                                      \
                                 (op) == MPI_NO_OP ? (fetched_type) : (type), target, window)

#define REFRAIN_DOES_STARTS_ACCESS(passed, count, type, target, window, request)                                       \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_request *taken =                                                                                    \
        refrain_window_request(&call, window, target, call.entry ? refrain_bytes(count, type) : 0);                    \
    return refrain_request_end_taking(&call, taken, passed, request)

#define REFRAIN_DOES_STARTS_FETCH(passed, op, count, type, fetched, fetched_type, target, window, request)             \
    REFRAIN_DOES_STARTS_ACCESS(passed, (op) == MPI_NO_OP ? (fetched) : (count),                                        \
                               (op) == MPI_NO_OP ? (fetched_type) : (type), target, window, request)

/* ---- files ---- */

#define REFRAIN_DOES_MAKES_FILE(passed, comm, name, mode, made)                                                        \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    PASS_AND(passed, refrain_file_new(&call, comm, *(made), name, mode))

#define REFRAIN_DOES_FREES_FILE(passed, file)                                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_File former = (file) ? *(file) : MPI_FILE_NULL;                                                                \
    PASS_AND(passed, refrain_file_freed(&call, former))

/* Moves the file's own pointer, or the one that the ranks share (`is_shared`). */
#define REFRAIN_DOES_SEEKS(passed, file, offset, whence, is_shared)                                                    \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    return refrain_file_seek_end(&call, passed, file, offset, whence, is_shared)

/* An access to a file that ends with the call. The requested and the moved bytes are recorded. */
#define REFRAIN_DOES_ACCESSES_FILE(passed, file, count, type, status)                                                  \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    int64_t bytes = call.entry ? refrain_bytes(count, type) : 0;                                                       \
    struct refrain_file_status access;                                                                                 \
    refrain_file_access(&call, file, bytes);                                                                           \
    status = refrain_file_status_begin(&call, &access, bytes, status);                                                 \
    return refrain_file_status_end(&call, &access, passed, file)

/* The first half of a split access, and the second half. */
#define REFRAIN_DOES_BEGINS_ACCESS(passed, file, count, type)                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    refrain_file_access(&call, file, call.entry ? refrain_bytes(count, type) : 0);                                     \
    REFRAIN_MPI_PASS(passed)

#define REFRAIN_DOES_ENDS_ACCESS(passed, file, status)                                                                 \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_file_status access;                                                                                 \
    refrain_file_used(&call, file);                                                                                    \
    status = refrain_file_status_begin(&call, &access, -1, status);                                                    \
    return refrain_file_status_end(&call, &access, passed, file)

#define REFRAIN_DOES_STARTS_FILE_ACCESS(passed, file, count, type, request)                                            \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_request *taken = refrain_file_request(&call, file, call.entry ? refrain_bytes(count, type) : 0);    \
    return refrain_request_end_taking(&call, taken, passed, request)

#endif
