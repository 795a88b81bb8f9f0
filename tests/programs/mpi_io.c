/* mpi_io.c: a file written and read in all forms: at offsets and at pointers, alone and together, blocking, split and
 * nonblocking. Usage: mpi_io [FILE] */
#include "mpi_check.h"
#include <unistd.h>

#define N 32

static int out[N], in[N], rank, size;
static long total;

static void verify(int first) {
    for (int i = 0; i < N; i++) {
        CHECK(in[i] == first + i);
        in[i] = -1;
    }
    total += first;
}

/* The shared file pointer: all ranks write behind each other. */
static void shared_pointer(const char *name) {
    MPI_File file;
    MPI_Request request;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int round = 0; round < 2; round++) {
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_write_ordered(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_read_ordered(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
        verify(rank * 1000);
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_write_ordered_begin(file, out, N, MPI_INT);
        MPI_File_write_ordered_end(file, out, MPI_STATUS_IGNORE);
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_read_ordered_begin(file, in, N, MPI_INT);
        MPI_File_read_ordered_end(file, in, MPI_STATUS_IGNORE);
        verify(rank * 1000);
        MPI_File_write_shared(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iwrite_shared(file, out, N, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(MPI_COMM_WORLD); /* nobody moves the pointer any more */
        MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
        MPI_File_read_shared(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_iread_shared(file, in, N, MPI_INT, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(in[1] == in[0] + 1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
}

/* The last 0 to 3 integers of a file. Open MPI 4.1 waits without end for bytes beyond it. */
#ifdef OPEN_MPI
#define MORE_THAN(left) (left)
#else
#define MORE_THAN(left) N
#endif
static void short_and_nonblocking(MPI_File file) {
    MPI_Request requests[4];
    MPI_Status status;
    int parts[4][N], n, done = 0;
    for (int left = 0; left < 4; left++)
        MPI_File_iread_at(file, (N - left) * (MPI_Offset)sizeof(int), parts[left], MORE_THAN(left), MPI_INT,
                          &requests[left]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    CHECK(parts[3][0] == out[N - 3]);
    for (int left = 0; left < 4; left++, done = 0) {
        MPI_File_iread_at(file, (N - left) * (MPI_Offset)sizeof(int), in, MORE_THAN(left), MPI_INT, &requests[0]);
        while (!done) { /* as long as the disk takes: with pauses, since each poll is an event */
            MPI_Test(&requests[0], &done, &status);
            usleep(100);
        }
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == left);
    }
}

/* Less than was asked for, nothing, and an access that is refused; pointers set in all ways. */
static void short_and_refused(const char *name) {
    char own[4096];
    MPI_File file;
    MPI_Status status;
    int n;
    snprintf(own, sizeof own, "%s.%d", name, rank);
    MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
    for (int left = 0; left < 4; left++) {
        MPI_File_seek(file, -(MPI_Offset)sizeof(int) * left, MPI_SEEK_END);
        MPI_File_read(file, in, N, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == left);
        CHECK(left == 0 || in[0] == out[N - left]);
    }
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_seek(file, 2 * (MPI_Offset)sizeof(int), MPI_SEEK_CUR);
    MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
    CHECK(in[0] == out[2]);
    short_and_nonblocking(file);
    MPI_File_close(&file);
    MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file);
    CHECK(MPI_File_read_at(file, 0, in, N, MPI_INT, &status) != MPI_SUCCESS);
    CHECK(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    MPI_File_close(&file);
}

#if MPI_VERSION >= 4
static void large_counts(const char *name, MPI_Offset mine) {
    MPI_File file;
    MPI_Request request;
    MPI_Count n = N;
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    MPI_File_write_at_c(file, mine, out, n, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_c(file, mine, in, n, MPI_INT, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_write_at_all_c(file, mine, out, n, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_iread_at_c(file, mine, in, n, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_close(&file);
}
#endif

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "mpi_io.data";
    MPI_File file;
    MPI_Status status;
    MPI_Request request;
    int n;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    MPI_Offset mine = (MPI_Offset)rank * N * (MPI_Offset)sizeof(int);
    for (int i = 0; i < N; i++)
        out[i] = rank * 1000 + i;

    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                  &file);
    for (int round = 0; round < 3; round++) {
        MPI_File_write_at(file, mine, out, N, MPI_INT, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == N);
        MPI_File_sync(file);
        MPI_File_read_at(file, mine, in, N, MPI_INT, MPI_STATUS_IGNORE);
        verify(rank * 1000);
    }
    MPI_File_write_at_all(file, mine, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, mine, in, N, MPI_INT, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_write_at_all_begin(file, mine, out, N, MPI_INT);
    MPI_File_write_at_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_read_at_all_begin(file, mine, in, N, MPI_INT);
    MPI_File_read_at_all_end(file, in, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_iwrite_at(file, mine, out, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, mine, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_iwrite_at_all(file, mine, out, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_iread_at_all(file, mine, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(rank * 1000);

    MPI_File_set_view(file, mine, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write_all(file, out, N, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all(file, in, N, MPI_INT, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iread(file, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_read_all_begin(file, in, N, MPI_INT);
    MPI_File_read_all_end(file, in, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iwrite(file, out, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iwrite_all(file, out, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_iread_all(file, in, N, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    verify(rank * 1000);
    MPI_File_seek(file, 0, MPI_SEEK_SET);
    MPI_File_write_all_begin(file, out, N, MPI_INT);
    MPI_File_write_all_end(file, out, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    shared_pointer(name);
    short_and_refused(name);
#if MPI_VERSION >= 4
    large_counts(name, mine);
#endif
    report("mpi_io", total);
    MPI_Finalize();
    return 0;
}
