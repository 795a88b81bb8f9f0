/* mpi_completion.c: requests completed one, any, some and all at a time, waited for and tested, cancelled and freed. */
#include "mpi_check.h"

#define MANY 6

static int rank, size, left, right;
static int out[MANY], in[MANY];
static MPI_Request requests[2 * MANY];
static long total;

static void post(int tag) {
    for (int i = 0; i < MANY; i++) {
        in[i] = -1;
        out[i] = rank * 1000 + i;
        MPI_Irecv(&in[i], 1, MPI_INT, left, tag + i, MPI_COMM_WORLD, &requests[i]);
    }
    for (int i = 0; i < MANY; i++) /* in another order */
        MPI_Isend(&out[(i * 5) % MANY], 1, MPI_INT, right, tag + (i * 5) % MANY, MPI_COMM_WORLD, &requests[MANY + i]);
}

static void verify(void) {
    for (int i = 0; i < MANY; i++) {
        CHECK(in[i] == left * 1000 + i);
        total += in[i];
    }
}

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

static int release(void *state) {
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete) {
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* The request of a library's own operation, which is over when two messages are: they are waited for in there. */
static MPI_Request inner[2];

static int query_that_waits(void *state, MPI_Status *status) {
    MPI_Waitall(2, inner, MPI_STATUSES_IGNORE);
    return query(state, status);
}

static void complete_within(void) {
    int from = -1;
    post(750);
    MPI_Irecv(&from, 1, MPI_INT, left, 740, MPI_COMM_WORLD, &inner[0]);
    MPI_Isend(&rank, 1, MPI_INT, right, 740, MPI_COMM_WORLD, &inner[1]);
    MPI_Request all[2 * MANY + 1];
    for (int i = 0; i < 2 * MANY; i++)
        all[i < MANY ? i : i + 1] = requests[i];
    MPI_Grequest_start(query_that_waits, release, cancel, NULL, &all[MANY]);
    MPI_Grequest_complete(all[MANY]);
    MPI_Waitall(2 * MANY + 1, all, MPI_STATUSES_IGNORE);
    CHECK(from == left);
    verify();
}

int main(int argc, char **argv) {
    int index, flag, n, indices[2 * MANY];
    MPI_Status status, statuses[2 * MANY];
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;

    for (int round = 0; round < 4; round++) {
        post(0);
        for (int i = 0; i < 2 * MANY; i++) {
            MPI_Waitany(2 * MANY, requests, &index, &status);
            CHECK(index >= 0 && index < 2 * MANY);
            if (index < MANY)
                CHECK(status.MPI_TAG == index);
        }
        MPI_Waitany(2 * MANY, requests, &index, MPI_STATUS_IGNORE);
        CHECK(index == MPI_UNDEFINED);
        verify();

        post(100);
        for (int left_over = 2 * MANY; left_over > 0; left_over -= n) {
            MPI_Waitsome(2 * MANY, requests, &n, indices, round % 2 ? statuses : MPI_STATUSES_IGNORE);
            CHECK(n > 0);
        }
        verify();

        post(200);
        MPI_Waitall(2 * MANY, requests, statuses);
        CHECK(statuses[1].MPI_SOURCE == left);
        verify();

        post(300);
        for (int done = 0; done < 2 * MANY;) {
            MPI_Testany(2 * MANY, requests, &index, &flag, MPI_STATUS_IGNORE);
            done += flag && index != MPI_UNDEFINED;
            not_yet(flag);
        }
        verify();

        post(400);
        for (int done = 0; done < 2 * MANY; done += n) {
            MPI_Testsome(2 * MANY, requests, &n, indices, MPI_STATUSES_IGNORE);
            not_yet(n);
        }
        verify();

        post(500);
        do
            MPI_Testall(2 * MANY, requests, &flag, MPI_STATUSES_IGNORE);
        while (not_yet(flag));
        verify();

        post(600);
        for (int i = 2 * MANY - 1; i >= 0; i--) {
            do
                MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
            while (not_yet(flag));
            MPI_Test(&requests[i], &flag, &status);
            CHECK(flag);
        }
        verify();

        /* sends, of which several may have one handle, together with no request; then the others */
        post(650);
        MPI_Request some[] = {requests[MANY], requests[MANY + 1], MPI_REQUEST_NULL, requests[MANY + 2]};
        MPI_Waitall(4, some, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 3; i++)
            requests[MANY + i] = MPI_REQUEST_NULL;
        MPI_Waitall(2 * MANY, requests, MPI_STATUSES_IGNORE);
        verify();
    }

    /* a receive that nothing is sent to, withdrawn */
    MPI_Irecv(&in[0], 1, MPI_INT, left, 999, MPI_COMM_WORLD, &requests[0]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);

    /* a send given up before it is seen to complete */
    MPI_Irecv(&in[0], 1, MPI_INT, left, 700, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out[0], 1, MPI_INT, right, 700, MPI_COMM_WORLD, &requests[1]);
    MPI_Request_free(&requests[1]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(in[0] == left * 1000);

    MPI_Grequest_start(query, release, cancel, NULL, &requests[0]);
    MPI_Grequest_complete(requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    requests[0] = MPI_REQUEST_NULL;
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 3; i++)
        complete_within();
    MPI_Barrier(MPI_COMM_WORLD);
    report("mpi_completion", total);
    MPI_Finalize();
    return 0;
}
