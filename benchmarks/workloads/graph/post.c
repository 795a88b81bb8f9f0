/* post.c: a buffer for each rank (post.h). */
#include "post.h"
#include "../common/workload.h"

#include <stdlib.h>

#define PAIRS 512
#define TAG_PAIRS 1
#define TAG_DONE 2

struct buffer {
    long (*filling)[2], (*sending)[2];
    int n;
    MPI_Request request;
};

static struct buffer *buffers;
static long (*arrived)[2];
static int own, all, done;
static post_handler *handle;

void post_begin(int rank, int ranks, post_handler *handler) {
    own = rank;
    all = ranks;
    handle = handler;
    buffers = NEW(struct buffer, ranks);
    arrived = workload_new(PAIRS, sizeof *arrived);
    for (int r = 0; r < ranks; r++) {
        buffers[r].filling = workload_new(PAIRS, sizeof *arrived);
        buffers[r].sending = workload_new(PAIRS, sizeof *arrived);
        buffers[r].request = MPI_REQUEST_NULL;
    }
}

static void take(MPI_Status *status) {
    int n;
    MPI_Get_count(status, MPI_LONG, &n);
    MPI_Recv(arrived, n, MPI_LONG, status->MPI_SOURCE, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    done += status->MPI_TAG == TAG_DONE;
    for (int i = 0; i < n / 2; i++)
        handle(arrived[i][0], arrived[i][1]);
}

static void poll_once(void) {
    MPI_Status status;
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
    if (there)
        take(&status);
}

static void wait_for(struct buffer *buffer) {
    int sent;
    MPI_Test(&buffer->request, &sent, MPI_STATUS_IGNORE);
    while (!sent) {
        poll_once();
        MPI_Test(&buffer->request, &sent, MPI_STATUS_IGNORE);
    }
}

static void flush(int rank) {
    struct buffer *buffer = &buffers[rank];
    wait_for(buffer);
    long(*full)[2] = buffer->filling;
    int n = buffer->n;
    buffer->filling = buffer->sending;
    buffer->sending = full;
    buffer->n = 0;
    MPI_Isend(full, 2 * n, MPI_LONG, rank, TAG_PAIRS, MPI_COMM_WORLD, &buffer->request);
}

void post(int rank, long first, long second) {
    struct buffer *buffer = &buffers[rank];
    if (rank == own) {
        handle(first, second);
        return;
    }
    buffer->filling[buffer->n][0] = first;
    buffer->filling[buffer->n][1] = second;
    if (++buffer->n == PAIRS)
        flush(rank);
}

void post_drain(void) {
    for (int r = 0; r < all; r++)
        if (r != own) {
            if (buffers[r].n > 0)
                flush(r);
            wait_for(&buffers[r]);
            MPI_Send(NULL, 0, MPI_LONG, r, TAG_DONE, MPI_COMM_WORLD);
        }
    while (done < all - 1) {
        MPI_Status status;
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        take(&status);
    }
    done = 0;
    MPI_Barrier(MPI_COMM_WORLD); /* what comes now belongs to the next round */
}

void post_end(void) {
    for (int r = 0; r < all; r++) {
        free(buffers[r].filling);
        free(buffers[r].sending);
    }
    free(buffers);
    free(arrived);
}
