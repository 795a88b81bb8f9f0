/* mpi_init.c: wrappers of the functions that begin and end MPI. Here the processes agree on the directory of their
 * trace. */
#include "arch/clock.h"
#include "call.h"
#include "mpi_idup.h"
#include "mpi_objects.h"
#include "run/configure.h"
#include "run/launcher.h"
#include "run/own_files.h"
#include "run/pack_ranks.h"
#include "run/pool.h"
#include "run/resident.h"

#ifdef OPEN_MPI
#define LIBRARY "Open MPI"
#else
#define LIBRARY "MPICH"
#endif

/* Called after MPI_Init on all ranks, traced or not, since they have to agree. */
static void started(int thread_level) {
    uint64_t begin_ticks = refrain_ticks();
    int rank, size, state[4], least[4];
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    refrain_mpi_world = true;
    if (refrain_trace_file.base)
        refrain_trace_file.header->size = size; /* readers check communicators with it */
    state[0] = refrain_communicators_open(rank, size, true);
    state[1] = refrain_trace_file.base == NULL;
    state[2] = !refrain_order_is_virtual();
    state[3] = refrain_pack_is_wanted();
    PMPI_Allreduce(state, least, 4, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    refrain_launcher_check(size, LIBRARY);
    refrain_mpi_active = least[0] && !least[1]; /* all ranks have memory, and some are traced */
    if (!refrain_mpi_active)
        return;
    refrain_mpi_packs = least[3];
    refrain_mpi_multiple = thread_level == MPI_THREAD_MULTIPLE;
    refrain_mpi_choose_directory(MPI_COMM_WORLD, rank, size);
    refrain_types_open();
    refrain_isendrecv_try();
    refrain_mpi_describe(thread_level);
    refrain_mpi_clocks_begin(rank);
    if (!least[2])
        refrain_order_begin(rank, size);
    if (refrain_trace_file.header)
        refrain_trace_file.header->init_ticks = refrain_ticks() - begin_ticks;
}

/* Ends the call that starts MPI. Memory that it took counts for it, not for the next call. */
static void end_init(struct refrain_call *call) {
    if (call->context)
        refrain_resident_read(call->overflow ? NULL : call->call_site, refrain_ticks());
    refrain_call_end(call);
}

int MPI_Init(int *argc, char ***argv) {
    REFRAIN_MPI_BEGIN(MPI_Init);
    int rc = PMPI_Init(argc, argv);
    if (rc == MPI_SUCCESS && !refrain_mpi_world)
        started(MPI_THREAD_SINGLE);
    end_init(&call);
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    REFRAIN_MPI_BEGIN(MPI_Init_thread);
    int rc = PMPI_Init_thread(argc, argv, required, provided);
    if (rc == MPI_SUCCESS && !refrain_mpi_world)
        started(*provided);
    end_init(&call);
    return rc;
}

/* MPI first runs the user's callbacks for MPI_COMM_SELF, and these may communicate. So the tables stay until it has
 * returned. */
int MPI_Finalize(void) {
    REFRAIN_MPI_BEGIN(MPI_Finalize);
    refrain_order_end();
    refrain_mpi_clocks_end();
    bool packs = refrain_mpi_pack_begin();
    if (packs) { /* the call ends here, and tracing with it */
        refrain_call_end(&call);
        refrain_mpi_pack();
    }
    refrain_idups_close();
    refrain_communicators_close();
    int rc = PMPI_Finalize();
    refrain_mpi_active = false;
    if (!packs)
        refrain_call_end(&call);
    return rc;
}

/* Does not return if it succeeds, so the trace file is finished before. If it fails, the process goes on untraced. */
int MPI_Abort(MPI_Comm comm, int errorcode) {
    REFRAIN_MPI_BEGIN(MPI_Abort);
    refrain_order_waits();
    refrain_call_end(&call);
    refrain_trace_file_abort(errorcode);
    int rc = PMPI_Abort(comm, errorcode);
    refrain_order_continues();
    return rc;
}

/* Further arguments have no meaning in any MPI library, and cannot be passed on. */
int MPI_Pcontrol(const int level, ...) {
    REFRAIN_MPI_BEGIN(MPI_Pcontrol);
    REFRAIN_MPI_PASS(PMPI_Pcontrol(level));
}
