/* odd_names.c: names of communicators, regions, phases, markers, counters, windows and files that would move a
 * terminal's cursor, or begin another line or column. */
#include <mpi.h>
#include <refrain/refrain.h>

#define ODD "a\tb\nc\x1b[31m\"\\<&>\x01\r\x7f"

int main(int argc, char **argv) {
    MPI_Comm comm;
    MPI_File file;
    MPI_Win window;
    static int buffer[4];
    MPI_Init(&argc, &argv);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_name(comm, "comm " ODD);
    refrain_region_begin("region " ODD);
    MPI_Barrier(comm);
    refrain_region_end();
    refrain_marker("marker " ODD);
    refrain_counter("counter " ODD, 3);
    refrain_phase("phase " ODD);
    MPI_Barrier(comm);
    refrain_phase(0);
    MPI_Win_create(buffer, sizeof buffer, sizeof buffer[0], MPI_INFO_NULL, comm, &window);
    MPI_Win_set_name(window, "window " ODD);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    MPI_File_open(comm, "file a\tb\nc\x1b[31m\x01", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, buffer, 4, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
