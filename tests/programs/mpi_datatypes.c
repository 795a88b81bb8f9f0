/* mpi_datatypes.c: messages of derived types of every kind, packed ones, and the large-count forms. */
#include "mpi_check.h"

#include <stddef.h>
#include <string.h>

struct particle {
    double position[3];
    int charge;
    char name[8];
};

static int left, right;
static long total;

static void pass(const void *out, void *in, int count, MPI_Datatype type, int tag) {
    MPI_Status status;
    int n;
    MPI_Sendrecv(out, count, type, right, tag, in, count, type, left, tag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, type, &n);
    CHECK(n == count);
}

int main(int argc, char **argv) {
    double matrix[8][8], got[8][8];
    MPI_Datatype column, copy, wide, indexed, block, record, resized, sub;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    for (int i = 0; i < 64; i++)
        matrix[i / 8][i % 8] = rank * 64 + i;

    MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Type_dup(column, &copy); /* as committed as the original */
    pass(&matrix[0][2], &got[0][5], 1, column, 1);
    pass(&matrix[0][3], &got[0][6], 1, copy, 2);
    CHECK(got[7][5] == left * 64 + 58 && got[7][6] == left * 64 + 59);
    total += (long)got[7][5];

    MPI_Type_contiguous(3, column, &wide);
    MPI_Type_free(&wide); /* never committed */
    MPI_Type_contiguous(4, MPI_DOUBLE, &wide);
    MPI_Type_commit(&wide);
    pass(matrix, got, 5, wide, 3);

    MPI_Type_indexed(3, (int[]){1, 2, 3}, (int[]){0, 10, 20}, MPI_DOUBLE, &indexed);
    MPI_Type_commit(&indexed);
    pass(matrix, got, 1, indexed, 4);
    CHECK(got[2][6] == left * 64 + 22);

    MPI_Type_create_indexed_block(4, 2, (int[]){0, 4, 8, 12}, MPI_DOUBLE, &block);
    MPI_Type_commit(&block);
    pass(matrix, got, 2, block, 5);

    struct particle particles[5], received[5];
    memset(particles, 0, sizeof particles);
    for (int i = 0; i < 5; i++) {
        particles[i].charge = rank + i;
        snprintf(particles[i].name, sizeof particles[i].name, "p%d", rank);
    }
    MPI_Type_create_struct(3, (int[]){3, 1, 8},
                           (MPI_Aint[]){offsetof(struct particle, position), offsetof(struct particle, charge),
                                        offsetof(struct particle, name)},
                           (MPI_Datatype[]){MPI_DOUBLE, MPI_INT, MPI_CHAR}, &record);
    MPI_Type_create_resized(record, 0, sizeof(struct particle), &resized);
    MPI_Type_commit(&resized);
    pass(particles, received, 5, resized, 6);
    CHECK(received[4].charge == left + 4 && received[4].name[0] == 'p');
    total += received[4].charge;

    MPI_Type_create_subarray(2, (int[]){8, 8}, (int[]){3, 5}, (int[]){1, 2}, MPI_ORDER_C, MPI_DOUBLE, &sub);
    MPI_Type_commit(&sub);
    pass(matrix, got, 1, sub, 7);
    CHECK(got[3][6] == left * 64 + 30);
    MPI_Type_free(&sub);

    char packed[256];
    int position = 0, n;
    MPI_Pack(&rank, 1, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Pack(matrix, 9, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
    MPI_Request request;
    MPI_Isend(packed, position, MPI_PACKED, right, 8, MPI_COMM_WORLD, &request);
    char unpacked[256];
    MPI_Recv(unpacked, sizeof unpacked, MPI_PACKED, left, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    position = 0;
    MPI_Unpack(unpacked, sizeof unpacked, &position, &n, 1, MPI_INT, MPI_COMM_WORLD);
    CHECK(n == left);
    total += n;

    /* types that come and go: more of them over time than any table holds at once */
    for (int i = 1; i <= 2100; i++) {
        MPI_Datatype brief;
        MPI_Type_contiguous(i % 10 + 1, MPI_INT, &brief);
        MPI_Type_commit(&brief);
        if (i % 500 < 2) /* one after the other, of the same handle maybe, but of another size */
            pass(matrix, got, 1, brief, 9);
        MPI_Type_free(&brief);
    }
#if MPI_VERSION >= 4
    MPI_Status status;
    MPI_Count large = 6, counted;
    MPI_Sendrecv_c(matrix, large, MPI_DOUBLE, right, 10, got, large, MPI_DOUBLE, left, 10, MPI_COMM_WORLD, &status);
    MPI_Get_count_c(&status, MPI_DOUBLE, &counted);
    CHECK(counted == large);
    MPI_Isend_c(matrix, large, MPI_DOUBLE, right, 11, MPI_COMM_WORLD, &request);
    MPI_Recv_c(got, large, MPI_DOUBLE, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Bcast_c(got, large, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Type_contiguous_c(2, MPI_INT, &sub);
    MPI_Type_commit(&sub);
    pass(matrix, got, 3, sub, 12);
    MPI_Type_free(&sub);
#endif
    MPI_Datatype *all[] = {&column, &copy, &wide, &indexed, &block, &record, &resized};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        MPI_Type_free(all[i]);
    report("mpi_datatypes", total);
    MPI_Finalize();
    return 0;
}
