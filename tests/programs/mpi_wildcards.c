/* mpi_wildcards.c: a master hands out tasks to whoever asks, by MPI_ANY_SOURCE and MPI_ANY_TAG. Who does which task
 * differs from run to run; the sum does not. */
#include "mpi_check.h"

#define TASKS 300
#define TAG_ASK 1
#define TAG_RESULT 100 /* + kind of task */
#define TAG_TASK 2
#define TAG_STOP 3

static long work(int task) {
    volatile long x = task;
    for (int i = 0; i < 100 * (task % 7 + 1); i++)
        x = (x * 31 + i) % 1000003;
    return x;
}

static long master(int workers) {
    long total = 0, result;
    MPI_Status status;
    for (int next = 0, stopped = 0; stopped < workers;) {
        MPI_Recv(&result, 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG >= TAG_RESULT)
            total += result;
        if (next < TASKS) {
            MPI_Send(&next, 1, MPI_INT, status.MPI_SOURCE, TAG_TASK, MPI_COMM_WORLD);
            next++;
        } else {
            MPI_Send(NULL, 0, MPI_INT, status.MPI_SOURCE, TAG_STOP, MPI_COMM_WORLD);
            stopped++;
        }
    }
    return total;
}

static void worker(void) {
    long result = 0;
    int task;
    MPI_Status status;
    MPI_Send(&result, 1, MPI_LONG, 0, TAG_ASK, MPI_COMM_WORLD);
    for (;;) {
        MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_STOP)
            return;
        result = work(task);
        MPI_Send(&result, 1, MPI_LONG, 0, TAG_RESULT + task % 3, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    long total = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    if (size == 1)
        for (int task = 0; task < TASKS; task++)
            total += work(task);
    else if (rank == 0)
        total = master(size - 1);
    else
        worker();
    report("mpi_wildcards", total);
    MPI_Finalize();
    return 0;
}
