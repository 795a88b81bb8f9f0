/* every_kind.c: an event of every kind, twice over: messages, collectives, windows, files, markers, counters, a pause.
 * For two ranks. Usage: every_kind FILE */
#include <mpi.h>
#include <refrain/refrain.h>

static int rank, value, other, cells[4];

static void messages(int i) {
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 10 + i, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&other, 1, MPI_INT, 1 - rank, 10 + i, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(&other, 1, MPI_INT, 1 - rank, 3, &value, 1, MPI_INT, 1 - rank, 3, MPI_COMM_WORLD, &status);
    MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, &requests[0]); /* that nobody sends */
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void collectives(void) {
    MPI_Request request;
    MPI_Bcast(&value, 1, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Iallreduce(&value, &other, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void window(void) {
    MPI_Win win;
    MPI_Request request;
    MPI_Win_create(cells, sizeof cells, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_lock(MPI_LOCK_SHARED, 1 - rank, 0, win);
    MPI_Rput(&value, 1, MPI_INT, 1 - rank, rank, 1, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_unlock(1 - rank, win);
    MPI_Win_free(&win);
}

static void file(const char *name) {
    MPI_File handle;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &handle);
    MPI_File_seek(handle, 64 * rank, MPI_SEEK_SET);
    MPI_File_write(handle, cells, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&handle);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2; i++) {
        refrain_region_begin("solve");
        messages(i);
        collectives();
        refrain_counter("residual", 100 * i - rank);
        refrain_region_end();
        window();
        file(argc > 1 ? argv[1] : "every_kind.file");
        refrain_marker("step");
        refrain_pause();
        MPI_Sendrecv(&other, 1, MPI_INT, 1 - rank, 4, &value, 1, MPI_INT, 1 - rank, 4, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        refrain_resume();
    }
    MPI_Finalize();
    return 0;
}
