/* blocks.c: writes a dataset of HDF5 from all ranks collectively, and reads it back, for samples.py. Argument: file. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define N 262144

int main(int argc, char **argv) {
    int rank, size, failed = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double *mine = malloc(N * sizeof *mine);
    for (int i = 0; i < N; i++)
        mine[i] = rank * N + i;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    hid_t file = H5Fcreate(argv[1], H5F_ACC_TRUNC, H5P_DEFAULT, access);
    hsize_t whole = (hsize_t)size * N, part = N, begin = (hsize_t)rank * N;
    hid_t space = H5Screate_simple(1, &whole, NULL), memory = H5Screate_simple(1, &part, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &begin, NULL, &part, NULL);
    hid_t set = H5Dcreate2(file, "numbers", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, mine);
    for (int i = 0; i < N; i++)
        mine[i] = -1;
    H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, transfer, mine);
    for (int i = 0; i < N; i++)
        failed |= mine[i] != rank * N + i;
    H5Dclose(set);
    H5Sclose(space);
    H5Sclose(memory);
    H5Fclose(file);
    free(mine);
    MPI_Finalize();
    return failed;
}
