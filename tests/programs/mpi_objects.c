/* mpi_objects.c: several windows and files at once, used alternately, so that only the call shows which of them it
 * uses: of all ranks, of some, of one; freed in another order than made; some that cannot be made. Usage: mpi_objects
 * [FILE] */
#include "mpi_check.h"

#define WINDOWS 3
#define CELLS 8

static int rank, size, right;
static long total;

static void put(MPI_Win win, int to, int cell, int n) {
    int values[CELLS];
    for (int i = 0; i < n; i++)
        values[i] = rank * 10 + i;
    MPI_Put(values, n, MPI_INT, to, cell, n, MPI_INT, win);
}

/* A window that cannot be made. The program continues after the error. */
static void fails(void) {
    int memory[CELLS];
    MPI_Win win = MPI_WIN_NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    CHECK(MPI_Win_create(memory, -1, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win) != MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

static void windows(MPI_Comm half) {
    MPI_Win win[WINDOWS], own, of_half;
    int *memory[WINDOWS], *of_own, *in_half;
    /* A window of this rank alone, on odd ranks. So later windows have other numbers there than on even ranks. */
    if (rank % 2)
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_SELF, &of_own, &own);
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[i], &win[i]);
    fails();
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, half, &in_half, &of_half);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < WINDOWS; i++)
            MPI_Win_fence(0, win[i]);
        for (int i = 0; i < 2 * WINDOWS; i++)
            put(win[i % WINDOWS], right, i / WINDOWS, 1 + i % WINDOWS);
        MPI_Win_fence(0, win[1]);
        put(win[1], right, 4, 1);
        for (int i = 0; i < WINDOWS; i++)
            MPI_Win_fence(0, win[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    /* Locks of two windows and two targets: each flush and unlock is of one of them. */
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win[0]);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, of_half);
    put(win[0], right, 0, 2);
    put(of_half, 0, 1, 1);
    MPI_Win_flush(right, win[0]);
    put(win[0], right, 3, 1);
    MPI_Win_flush_local(0, of_half);
    MPI_Win_unlock(0, of_half);
    MPI_Win_unlock(right, win[0]);
    MPI_Win_lock_all(0, win[2]);
    MPI_Win_lock_all(0, win[0]);
    MPI_Request request[2];
    int value = rank;
    MPI_Rput(&value, 1, MPI_INT, 0, rank % CELLS, 1, MPI_INT, win[2], &request[0]);
    MPI_Rput(&value, 1, MPI_INT, right, 7, 1, MPI_INT, win[0], &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_Win_flush_all(win[2]);
    put(win[2], right, 5, 1);
    MPI_Win_unlock_all(win[0]);
    MPI_Win_unlock_all(win[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win[1]);
    /* It takes over what stood for the one that was freed. */
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory[1], &win[1]);
    MPI_Win_fence(0, win[1]);
    put(win[1], right, 0, 1);
    MPI_Win_fence(0, win[1]);
    total += memory[1][0];
    MPI_Win_free(&of_half);
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_free(&win[i]);
    if (rank % 2)
        MPI_Win_free(&own);
}

static void files(MPI_Comm half, const char *common_name) {
    char own_name[256], half_name[256];
    MPI_File common, own, of_half, again;
    MPI_Request request[2];
    int out[CELLS] = {rank}, in[CELLS];
    const int scratch = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    snprintf(own_name, sizeof own_name, "%s.own.%d", common_name, rank);
    snprintf(half_name, sizeof half_name, "%s.%s", common_name, rank % 2 ? "odd" : "even");
    MPI_File_open(MPI_COMM_WORLD, common_name, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &common);
    MPI_File_open(MPI_COMM_SELF, own_name, scratch, MPI_INFO_NULL, &own);
    MPI_File_open(half, half_name, scratch, MPI_INFO_NULL, &of_half);
    CHECK(MPI_File_open(MPI_COMM_SELF, "no/such/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &again) != MPI_SUCCESS);
    MPI_Offset mine = (MPI_Offset)rank * (MPI_Offset)sizeof out;
    for (int round = 0; round < 3; round++) {
        MPI_File_write_at(common, mine, out, CELLS, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_write_at(own, 0, out, 1 + round, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_write_at_all(of_half, mine, out, 2, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_seek(own, 0, MPI_SEEK_SET);
        MPI_File_read(own, in, 1, MPI_INT, MPI_STATUS_IGNORE);
        total += in[0];
    }
    /* Two pending accesses that complete in the reverse order; then a split access. */
    MPI_File_iwrite_at(own, 0, out, 3, MPI_INT, &request[0]);
    MPI_File_iwrite_at(common, mine, out, 5, MPI_INT, &request[1]);
    MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    MPI_File_write_at_all_begin(of_half, mine, out, 4, MPI_INT);
    MPI_File_write_at(own, 0, out, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_write_at_all_end(of_half, out, MPI_STATUS_IGNORE);
    MPI_File_close(&common);
    /* The same file again, and by another handle at the same time. */
    MPI_File_open(MPI_COMM_WORLD, common_name, MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &common);
    MPI_File_open(MPI_COMM_WORLD, common_name, MPI_MODE_RDONLY, MPI_INFO_NULL, &again);
    MPI_File_read_at(again, mine, in, 1, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at(common, mine, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    total += in[0];
    MPI_File_close(&again);
    MPI_File_close(&of_half);
    MPI_File_close(&common);
    MPI_File_close(&own);
}

int main(int argc, char **argv) {
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    right = (rank + 1) % size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    windows(half);
    files(half, argc > 1 ? argv[1] : "mpi_objects.data");
    MPI_Comm_free(&half);
    report("mpi_objects", total);
    MPI_Finalize();
    return 0;
}
