/* chance_late.c: random control flow until the memory is full, then everything for the first time: 500 call sites, and
 * communicators, groups, windows, files, operations, datatypes and persistent requests that exist at a time. All ranks
 * draw the same numbers. Usage: chance_late [SEED [STEPS]] */
#include "chance.h"

#include <stdio.h>
#include <stdlib.h>

#define COMMS 150
#define WINDOWS 40
#define FILES 20
#define TYPES 60
#define REQUESTS 50

static int rank, size;
static char out[4096], in[4096];

#define HUNDRED(X, n)                                                                                                  \
    TEN(X, n##0)                                                                                                       \
    TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)

/* Call sites that are reached only when the memory is full. Each has a partner, a tag and a size of its own. */
#define SITE(k)                                                                                                        \
    static void site_##k(void) {                                                                                       \
        for (int i = 0; i <= k % 3; i++)                                                                               \
            MPI_Sendrecv(out, k, MPI_CHAR, (rank + k) % size, k, in, 4096, MPI_CHAR, (rank + k * size - k) % size, k,  \
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);                                                           \
        if (k % 4 == 0)                                                                                                \
            MPI_Bcast(in, k, MPI_CHAR, k % size, MPI_COMM_WORLD);                                                      \
    }
#define CALL(k) site_##k();
HUNDRED(SITE, 1)
HUNDRED(SITE, 2)
HUNDRED(SITE, 3)
HUNDRED(SITE, 4)
HUNDRED(SITE, 5)

static void call_sites(void) {
    HUNDRED(CALL, 1)
    HUNDRED(CALL, 2)
    HUNDRED(CALL, 3)
    HUNDRED(CALL, 4)
    HUNDRED(CALL, 5)
}

static void communicators(void) {
    static MPI_Comm comms[COMMS];
    MPI_Group world, one;
    double a = 1, b;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int i = 0; i < COMMS; i++) {
        if (i % 3 == 0) {
            MPI_Group_incl(world, size, (int[]){0, 1, 2, 3, 4, 5, 6, 7}, &one);
            MPI_Comm_create(MPI_COMM_WORLD, one, &comms[i]);
            MPI_Group_free(&one);
        } else if (i % 3 == 1) {
            MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &comms[i]);
        } else {
            MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        }
    }
    for (int i = 0; i < COMMS; i++) {
        MPI_Bcast(in, 10 + i, MPI_CHAR, i % size, comms[i]);
        MPI_Reduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, i % size, comms[COMMS - 1 - i]);
    }
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    MPI_Group_free(&world);
}

static void windows(void) {
    static MPI_Win window[WINDOWS];
    static char memory[WINDOWS][64];
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_create(memory[i], 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window[i]);
    for (int i = 0; i < WINDOWS; i++) {
        MPI_Win_fence(0, window[i]);
        MPI_Put(out, i + 1, MPI_CHAR, (rank + i) % size, 0, i + 1, MPI_CHAR, window[i]);
        MPI_Win_fence(0, window[i]);
    }
    for (int i = 0; i < WINDOWS; i++)
        MPI_Win_free(&window[i]);
}

static void files(void) {
    MPI_File file[FILES];
    char name[64];
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof name, "late.%d.%d", rank, i);
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file[i]);
    }
    for (int i = 0; i < FILES; i++)
        MPI_File_write_at(file[i], 0, out, 100 + i, MPI_CHAR, MPI_STATUS_IGNORE);
    for (int i = 0; i < FILES; i++)
        MPI_File_close(&file[i]);
}

static void add(void *from, void *to, int *n, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)to)[i] += ((int *)from)[i];
}

static void types_and_operations(void) {
    MPI_Datatype types[TYPES];
    MPI_Op operation;
    int one = 1, sum;
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_contiguous(i + 1, MPI_INT, &types[i]);
        MPI_Type_commit(&types[i]);
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Sendrecv(out, 1, types[i], (rank + 1) % size, i, in, 1, types[i], (rank + size - 1) % size, i,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Op_create(add, 1, &operation);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, operation, MPI_COMM_WORLD);
        MPI_Op_free(&operation);
    }
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
}

static void persistent(void) {
    static MPI_Request requests[2 * REQUESTS];
    for (int i = 0; i < REQUESTS; i++) {
        MPI_Recv_init(in + i, 1, MPI_CHAR, (rank + size - 1) % size, i, MPI_COMM_WORLD, &requests[2 * i]);
        MPI_Send_init(out + i, 1, MPI_CHAR, (rank + 1) % size, i, MPI_COMM_WORLD, &requests[2 * i + 1]);
    }
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2 * REQUESTS, requests);
        MPI_Waitall(2 * REQUESTS, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2 * REQUESTS; i++)
        MPI_Request_free(&requests[i]);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    chance_begin(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, MPI_COMM_WORLD);
    chance_spend(argc > 2 ? atol(argv[2]) : 3000);
    call_sites();
    communicators();
    windows();
    files();
    types_and_operations();
    persistent();
    return MPI_Finalize();
}
