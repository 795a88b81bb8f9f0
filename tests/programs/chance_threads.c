/* chance_threads.c: several threads, each of which does at random what chance.c does in one: each draws its own
 * control flow, tags, sizes, requests, accesses to a window and depth of recursion, in communicators of its own, and
 * ends with a regular phase. Usage: chance_threads [SEED [STEPS [THREADS]]] */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define BYTES 512
#define MOST_THREADS 16
#define COMMS 3

struct own {
    uint64_t state;
    long steps;
    MPI_Comm comms[COMMS]; /* of this rank alone */
    MPI_Win window;
    char out[BYTES], in[BYTES], memory[BYTES];
};

static struct own threads[MOST_THREADS];

static unsigned next(struct own *own, unsigned n) {
    own->state ^= own->state << 13;
    own->state ^= own->state >> 7;
    own->state ^= own->state << 17;
    return (unsigned)((own->state >> 11) % n);
}

static void exchange(struct own *own) {
    int tag = (int)next(own, 5), bytes = (int)next(own, BYTES);
    MPI_Sendrecv(own->out, bytes, MPI_CHAR, 0, tag, own->in, BYTES, MPI_CHAR, 0, tag, own->comms[next(own, COMMS)],
                 MPI_STATUS_IGNORE);
}

static void requests(struct own *own) {
    MPI_Request request[8];
    int n = 0;
    for (unsigned i = next(own, 4); i > 0; i--) {
        int tag = (int)next(own, 50);
        MPI_Irecv(own->in, BYTES, MPI_CHAR, 0, tag, own->comms[0], &request[n++]);
        MPI_Isend(own->out, (int)next(own, 64), MPI_CHAR, 0, tag, own->comms[0], &request[n++]);
    }
    MPI_Waitall(n, request, MPI_STATUSES_IGNORE);
}

static void access_window(struct own *own) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, own->window);
    for (unsigned i = next(own, 4); i > 0; i--) {
        int bytes = (int)next(own, 64);
        if (next(own, 2))
            MPI_Put(own->out, bytes, MPI_CHAR, 0, 0, bytes, MPI_CHAR, own->window);
        else
            MPI_Get(own->in, bytes, MPI_CHAR, 0, 0, bytes, MPI_CHAR, own->window);
    }
    MPI_Win_unlock(0, own->window);
}

static void recurse(struct own *own, unsigned depth) {
    if (depth == 0 || next(own, 4) == 0) {
        exchange(own);
        return;
    }
    for (unsigned i = next(own, 3); i > 0; i--)
        recurse(own, depth - 1);
    if (next(own, 3) == 0)
        MPI_Barrier(own->comms[1]);
}

static void *work(void *of) {
    struct own *own = of;
    for (long i = 0; i < own->steps; i++)
        switch (next(own, 5)) {
        case 0:
            requests(own);
            break;
        case 1:
            recurse(own, next(own, 6));
            break;
        case 2:
            access_window(own);
            break;
        default:
            exchange(own);
        }
    for (long i = 0; i < own->steps; i++)
        MPI_Sendrecv(own->out, 80, MPI_CHAR, 0, 7, own->in, BYTES, MPI_CHAR, 0, 7, own->comms[0], MPI_STATUS_IGNORE);
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 1000;
    int n = argc > 3 ? atoi(argv[3]) : 3, provided, rank;
    pthread_t ids[MOST_THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE || n > MOST_THREADS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int t = 0; t < n; t++) {
        threads[t].state = (seed * 64 + (uint64_t)(rank * n + t)) * 0x9e3779b97f4a7c15u | 1;
        threads[t].steps = steps;
        for (int c = 0; c < COMMS; c++)
            MPI_Comm_dup(MPI_COMM_SELF, &threads[t].comms[c]);
        MPI_Win_create(threads[t].memory, BYTES, 1, MPI_INFO_NULL, threads[t].comms[0], &threads[t].window);
    }
    for (int t = 1; t < n; t++)
        pthread_create(&ids[t], NULL, work, &threads[t]);
    work(&threads[0]);
    for (int t = 1; t < n; t++)
        pthread_join(ids[t], NULL);
    for (int t = 0; t < n; t++) {
        MPI_Win_free(&threads[t].window);
        for (int c = 0; c < COMMS; c++)
            MPI_Comm_free(&threads[t].comms[c]);
    }
    MPI_Finalize();
    return 0;
}
