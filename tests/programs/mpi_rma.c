/* mpi_rma.c: windows of every kind, all accesses, all ways to synchronise. */
#include "mpi_check.h"

#define CELLS 16

static int rank, size, left, right;
static long total;

static void accesses(MPI_Win win, int *memory) {
    int out[4] = {rank, rank + 1, rank + 2, rank + 3}, in[4], result = -1, expected, one = 1;
    for (int i = 0; i < CELLS; i++)
        memory[i] = 0;
    MPI_Win_fence(0, win);
    MPI_Put(out, 4, MPI_INT, right, 0, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == left && memory[3] == left + 3);
    MPI_Get(in, 2, MPI_INT, right, 0, 2, MPI_INT, win);
    MPI_Accumulate(&one, 1, MPI_INT, 0, 8, 1, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK(in[1] == rank + 1 && (rank != 0 || memory[8] == size));
    total += in[0];

    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
    MPI_Fetch_and_op(&one, &result, MPI_INT, 0, 9, MPI_SUM, win);
    MPI_Win_unlock(0, win);
    CHECK(result >= 0 && result < size);
    total += result;

    MPI_Win_lock_all(0, win);
    MPI_Get_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, right, 10, 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_flush(right, win);
    MPI_Get_accumulate(NULL, 0, MPI_INT, &result, 1, MPI_INT, right, 10, 1, MPI_INT, MPI_NO_OP, win);
    MPI_Win_flush_all(win);
    CHECK(result == 1);
    expected = 1;
    MPI_Compare_and_swap(&rank, &expected, &result, MPI_INT, right, 10, win);
    MPI_Win_flush_local(right, win);
    MPI_Request requests[4];
    MPI_Rput(out, 1, MPI_INT, right, 11, 1, MPI_INT, win, &requests[0]);
    MPI_Raccumulate(&one, 1, MPI_INT, right, 12, 1, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Win_flush(right, win);
    MPI_Rget(in, 1, MPI_INT, right, 11, 1, MPI_INT, win, &requests[0]);
    MPI_Rget_accumulate(&one, 1, MPI_INT, &result, 1, MPI_INT, right, 12, 1, MPI_INT, MPI_SUM, win, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(in[0] == rank && result == 1);
    MPI_Put(out, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win);
    MPI_Win_unlock_all(win);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Post, start, complete, wait: with the neighbours only. */
static void active_target(MPI_Win win, int *memory) {
    MPI_Group world, from, to;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &from);
    MPI_Group_incl(world, 1, &right, &to);
    for (int round = 0; round < 3; round++) {
        int value = rank * 10 + round;
        MPI_Win_post(from, 0, win);
        MPI_Win_start(to, 0, win);
        MPI_Put(&value, 1, MPI_INT, right, 4, 1, MPI_INT, win);
        MPI_Win_complete(win);
        MPI_Win_wait(win);
        MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        CHECK(memory[4] == left * 10 + round);
        total += memory[4];
        MPI_Win_unlock(rank, win);
    }
    MPI_Group_free(&world);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
}

/* A window without memory, to which some is attached later; what is left of the ways to synchronise. */
static void dynamic(void) {
    int *memory, value = rank + 100, flag = 0;
    MPI_Win win;
    MPI_Aint where, there;
    MPI_Group world, from, to;
    MPI_Alloc_mem(CELLS * sizeof(int), MPI_INFO_NULL, &memory);
    memory[0] = memory[1] = -1;
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_attach(win, memory, CELLS * sizeof(int));
    MPI_Get_address(memory, &where);
    MPI_Sendrecv(&where, 1, MPI_AINT, left, 1, &there, 1, MPI_AINT, right, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int round = 0; round < 3; round++) {
        MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        MPI_Put(&value, 1, MPI_INT, right, there, 1, MPI_INT, win);
        MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
        CHECK(memory[0] == left + 100);
    }
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, win);
    MPI_Put(&value, 1, MPI_INT, right, there, 1, MPI_INT, win);
    MPI_Win_flush_local_all(win);
    MPI_Win_flush_all(win);
    MPI_Win_unlock(right, win);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &left, &from);
    MPI_Group_incl(world, 1, &right, &to);
    MPI_Win_post(from, 0, win);
    MPI_Win_start(to, 0, win);
    MPI_Accumulate(&value, 1, MPI_INT, right, there + (MPI_Aint)sizeof(int), 1, MPI_INT, MPI_REPLACE, win);
    MPI_Win_complete(win);
    while (not_yet(flag))
        MPI_Win_test(win, &flag);
    total += left;
    MPI_Group_free(&world);
    MPI_Group_free(&from);
    MPI_Group_free(&to);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_detach(win, memory);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);
}

#if MPI_VERSION >= 4
static void large_counts(void) {
    int *memory, got = -1, one = 1;
    MPI_Win win;
    MPI_Count n = 1;
    MPI_Request request;
    MPI_Win_allocate_c(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    memory[0] = memory[1] = 0;
    MPI_Win_fence(0, win);
    MPI_Put_c(&rank, n, MPI_INT, right, 0, n, MPI_INT, win);
    MPI_Accumulate_c(&one, n, MPI_INT, right, 1, n, MPI_INT, MPI_SUM, win);
    MPI_Win_fence(0, win);
    CHECK(memory[0] == left && memory[1] == 1);
    MPI_Win_lock_all(0, win);
    MPI_Rget_c(&got, n, MPI_INT, right, 0, n, MPI_INT, win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got == rank);
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
}
#endif

int main(int argc, char **argv) {
    MPI_Win win;
    int *memory;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;

    MPI_Alloc_mem(CELLS * sizeof(int), MPI_INFO_NULL, &memory);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_Win_create(memory, CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win)) {
        if (rank == 0)
            printf("skipped: MPI_Win_create fails: this MPI makes no windows on %d rank\n", size);
        MPI_Finalize();
        return 0;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    for (int round = 0; round < 3; round++)
        accesses(win, memory);
    active_target(win, memory);
    MPI_Win_free(&win);
    MPI_Free_mem(memory);

    /* ranks of this window are in the reverse order */
    MPI_Comm reversed;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Win_allocate(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, reversed, &memory, &win);
    memory[1] = -1;
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    CHECK((memory[1] >= 0) == (rank == size - 1));
    MPI_Win_free(&win);
    MPI_Comm_free(&reversed);

    MPI_Comm node;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Win_allocate_shared(CELLS * sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &win);
    MPI_Win_lock_all(0, win);
    memory[0] = rank;
    MPI_Win_sync(win);
    MPI_Barrier(node);
    int *first, unit;
    MPI_Aint bytes;
    MPI_Win_shared_query(win, 0, &bytes, &unit, &first);
    total += first[0];
    MPI_Win_unlock_all(win);
    MPI_Barrier(node);
    MPI_Win_free(&win);
    MPI_Comm_free(&node);
    dynamic();
#if MPI_VERSION >= 4
    large_counts();
#endif
    report("mpi_rma", argc > 0 ? total : 0);
    MPI_Finalize();
    return 0;
}
