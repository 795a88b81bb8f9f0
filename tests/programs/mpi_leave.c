/* mpi_leave.c: programs that do not end as they should. Usage: mpi_leave HOW
 *     finalize  a regular end
 *     return    from main without MPI_Finalize
 *     exit      in the middle of a function, without MPI_Finalize
 *     _exit     the same, without exit handlers
 *     abort     rank 0 calls MPI_Abort while the others wait
 *     segv      rank 0 dies of a signal while the others wait; the same: term, kill
 *     handled   a signal handler of the program ends it by exit
 *     assert    rank 0 fails an assertion
 *     early     exit before MPI_Init
 *     late      exit after MPI_Finalize, with open functions */
#include "mpi_check.h"

#include <assert.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int is(const char *how, const char *name) {
    return strcmp(how, name) == 0;
}

static void handler(int number) {
    (void)number;
    exit(5);
}

static void leave(const char *how) {
    int value = 0, first = rank_in(MPI_COMM_WORLD) == 0;
    fflush(stdout);
    if (is(how, "exit"))
        exit(4);
    if (is(how, "_exit"))
        _exit(6);
    if (first) {
        if (is(how, "abort"))
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (is(how, "segv"))
            raise(SIGSEGV);
        if (is(how, "term"))
            raise(SIGTERM);
        if (is(how, "kill"))
            raise(SIGKILL);
        if (is(how, "handled")) {
            signal(SIGUSR1, handler);
            raise(SIGUSR1);
        }
        assert(!is(how, "assert"));
    } else if (!is(how, "finalize") && !is(how, "return") && !is(how, "late")) {
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void descend(int depth, const char *how) {
    int value = depth;
    if (depth == 0) {
        leave(how);
        return;
    }
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    descend(depth - 1, how);
}

static void late(int depth) {
    int finalized;
    MPI_Finalized(&finalized);
    if (depth == 0)
        exit(finalized ? 7 : 1);
    late(depth - 1);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "finalize";
    int initialized;
    for (int i = 0; i < 3; i++)
        MPI_Initialized(&initialized);
    if (is(how, "early"))
        return 8;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 20; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    report("mpi_leave", 1);
    descend(10, how);
    if (is(how, "finalize") || is(how, "late"))
        MPI_Finalize();
    if (is(how, "late"))
        late(3);
    return 0;
}
