/* mpi_pack.c: with REFRAIN_PACK=on, combines the ranks' sheets in a tree, and has all ranks write the pack
 * (pack_ranks.h).
 *
 *     rank 0 <- 1    2 <- 3    4 <- 5    6 <- 7      sheets of neighbouring ranks are combined: log2(ranks)
 *          0 <------ 2         4 <------ 6           steps; what is equal is stored once in each
 *               0 <----------- 4
 *
 * No rank ever has the times of another rank. */
#include "mpi_objects.h"
#include "run/pack_ranks.h"

#include <limits.h>
#include <stdlib.h>

static MPI_Comm comm = MPI_COMM_NULL;

/* The highest trouble of all ranks, on all ranks. */
static enum refrain_pack_trouble agree(enum refrain_pack_trouble own) {
    int mine = (int)own, worst;
    PMPI_Allreduce(&mine, &worst, 1, MPI_INT, MPI_MAX, comm);
    return (enum refrain_pack_trouble)worst;
}

/* Sends the number of bytes, 0 after trouble, and then the bytes, if the receiver has memory for them. */
static void send_sheet(struct refrain_sheet *sheet, int to, enum refrain_pack_trouble *trouble) {
    const struct refrain_fold_library *fold = refrain_pack_library();
    size_t n = 0;
    int has_room;
    unsigned char *bytes = sheet ? fold->to_bytes(sheet, &n) : NULL;
    int length = bytes && n <= INT_MAX ? (int)n : 0;
    if (sheet && length == 0)
        *trouble = REFRAIN_PACK_MEMORY;
    PMPI_Send(&length, 1, MPI_INT, to, 0, comm);
    PMPI_Recv(&has_room, 1, MPI_INT, to, 0, comm, MPI_STATUS_IGNORE);
    if (has_room)
        PMPI_Send(bytes, length, MPI_BYTE, to, 0, comm);
    fold->free(refrain_pack_memory(), bytes);
}

static struct refrain_sheet *receive_sheet(int from, enum refrain_pack_trouble *trouble) {
    const struct refrain_fold_library *fold = refrain_pack_library();
    struct refrain_sheet *sheet = NULL;
    int n;
    PMPI_Recv(&n, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
    unsigned char *bytes = n > 0 ? fold->allocate(refrain_pack_memory(), (size_t)n) : NULL;
    int has_room = bytes != NULL;
    PMPI_Send(&has_room, 1, MPI_INT, from, 0, comm);
    if (bytes) {
        PMPI_Recv(bytes, n, MPI_BYTE, from, 0, comm, MPI_STATUS_IGNORE);
        sheet = fold->from_bytes(refrain_pack_memory(), bytes, (size_t)n);
    }
    fold->free(refrain_pack_memory(), bytes);
    if (n > 0 && !sheet)
        *trouble = REFRAIN_PACK_MEMORY;
    return sheet;
}

/* Returns the sheet of all ranks on rank 0. Null on other ranks, and after trouble. */
static struct refrain_sheet *gather(struct refrain_sheet *sheet, int rank, int size,
                                    enum refrain_pack_trouble *trouble) {
    const struct refrain_fold_library *fold = refrain_pack_library();
    for (int bit = 1; bit < size; bit *= 2) {
        if (rank & bit) {
            send_sheet(sheet, rank - bit, trouble);
            fold->free_sheet(sheet);
            return NULL;
        }
        if (rank + bit >= size)
            continue;
        struct refrain_sheet *other = receive_sheet(rank + bit, trouble);
        if (sheet && other && fold->add(sheet, other))
            continue;
        if (sheet && other)
            *trouble = REFRAIN_PACK_MEMORY;
        else
            fold->free_sheet(other);
        fold->free_sheet(sheet);
        sheet = NULL;
    }
    return sheet;
}

/* Rank 0 writes the head, and sends each rank the offset of its times; 0 after trouble. */
static uint64_t place_times(struct refrain_sheet *all, int rank, int size, enum refrain_pack_trouble *trouble) {
    const struct refrain_fold_library *fold = refrain_pack_library();
    uint64_t *places = NULL, place = 0;
    int is_there = 0;
    if (rank == 0) {
        struct refrain_fold_report report;
        size_t n;
        unsigned char *head = all ? fold->head(all, &n, &report) : NULL;
        places = calloc((size_t)size, sizeof *places);
        if (!head || !places)
            *trouble = all ? REFRAIN_PACK_MEMORY : *trouble;
        else if (!refrain_pack_create(head, n))
            *trouble = REFRAIN_PACK_FILE;
        else
            is_there = 1;
        for (int i = 0; is_there && i < size; i++)
            places[i] = all->index[i].at;
        fold->free(refrain_pack_memory(), head);
    }
    PMPI_Bcast(&is_there, 1, MPI_INT, 0, comm);
    if (is_there)
        PMPI_Scatter(places, 1, MPI_UINT64_T, &place, 1, MPI_UINT64_T, 0, comm);
    free(places);
    return place;
}

bool refrain_mpi_pack_begin(void) {
    int rank;
    if (!refrain_mpi_packs)
        return false;
    /* A communicator of its own, so unreceived messages of the program do not interfere. */
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &comm) != MPI_SUCCESS)
        return false;
    PMPI_Comm_rank(comm, &rank);
    enum refrain_pack_trouble trouble = agree(refrain_pack_begin());
    if (trouble == REFRAIN_PACK_NONE)
        return true;
    if (rank == 0)
        refrain_pack_settle(trouble);
    PMPI_Comm_free(&comm);
    return false;
}

void refrain_mpi_pack(void) {
    int rank, size;
    enum refrain_pack_trouble trouble;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    struct refrain_sheet *sheet = refrain_pack_finish(&trouble);
    struct refrain_sheet *all = gather(sheet, rank, size, &trouble);
    uint64_t place = place_times(all, rank, size, &trouble);
    refrain_pack_library()->free_sheet(all);
    if (place != 0 && !trouble && !refrain_pack_write(place))
        trouble = REFRAIN_PACK_FILE;
    trouble = agree(trouble);
    int done = rank == 0 && refrain_pack_settle(trouble);
    PMPI_Bcast(&done, 1, MPI_INT, 0, comm);
    if (done && rank != 0)
        refrain_pack_done(false);
    PMPI_Barrier(comm);
    if (done && rank == 0)
        refrain_pack_done(true);
    PMPI_Comm_free(&comm);
}
