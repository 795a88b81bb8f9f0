/* names.c: user regions whose names test what a format can hold: quotes, line ends, long ones, with an argument also
 * bytes that are no UTF-8. Messages with the largest tag, and of no bytes. With "kill", the last rank is killed in a
 * region. Usage: names [odd|kill] */
#include <mpi.h>
#include <refrain/refrain.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static char lengths[4][2001];

static void visit(const char *name, int rank, int size, int tag) {
    int value = tag, got = 0;
    refrain_region_begin(name);
    MPI_Sendrecv(&value, tag % 2, MPI_INT, (rank + 1) % size, tag, &got, 1, MPI_INT, (rank + size - 1) % size, tag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    refrain_region_end();
}

int main(int argc, char **argv) {
    static const int n_bytes[4] = {240, 250, 255, 2000};
    int rank, size, flag, *most;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &flag);
    visit("plain", rank, size, 0);
    visit("with spaces, and: \"quotes\" \\ </script> & %s %d", rank, size, 1);
    visit("line\nend\ttab\x01 one", rank, size, 2);
    visit("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x8e\xb6", rank, size, 3);
    visit("", rank, size, 4);
    for (int i = 0; i < 4; i++) {
        memset(lengths[i], 'a' + i, (size_t)n_bytes[i]);
        visit(lengths[i], rank, size, flag ? *most - i : i);
    }
    if (argc > 1 && strcmp(argv[1], "kill") == 0 && rank == size - 1) {
        refrain_region_begin("the last");
        raise(SIGKILL);
    }
    if (argc > 1 && strcmp(argv[1], "odd") == 0)
        visit("\xff\xfe bad \xc3", rank, size, 7);
    MPI_Finalize();
    return 0;
}
