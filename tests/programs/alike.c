/* alike.c: repeats calls that are alike for long, and then everything that ends such a repetition: another value, a
 * handle with another meaning, a call from another place, a call inside the same call, a jump out of it, a pause, the
 * end of a thread. One process. Usage: alike ROUNDS [WHAT]. WHAT: "kill": it kills itself after the last repetition;
 * "inside": inside a call of it; "waits": at the end another thread still exists, whose calls are alike; "threads":
 * several threads may call MPI at once, but do not. */
#include "mpi_check.h"
#include <pthread.h>
#include <refrain/refrain.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define DEPTHS 4
static int out[16], in[16], keys[DEPTHS], depth, kill_inside, jumps_out;
static jmp_buf back;
static MPI_Comm own, faulty;

static void sizes(int rounds) {
    for (int i = 0; i < rounds; i++)
        MPI_Bcast(out, i % 997 == 996 ? 3 : 16, MPI_INT, 0, own);
}

/* Random sizes for so long that rules are no longer searched, then one size, and all that again. */
static void chance(int rounds) {
    static int many[4096];
    unsigned random = 1;
    for (int i = 0; i < rounds; i++) {
        random = random * 1103515245u + 12345u;
        MPI_Bcast(many, i % 3000 < 2000 ? (int)(random >> 16) % 4096 : 16, MPI_INT, 0, own);
    }
}

static void messages(int rounds) {
    MPI_Request requests[2];
    MPI_Status status;
    for (int i = 0; i < rounds; i++) {
        MPI_Sendrecv(out, 16, MPI_INT, 0, i / 1500, in, 16, MPI_INT, 0, i / 1500, own, &status);
        MPI_Irecv(in, 16, MPI_INT, i % 700 ? 0 : MPI_PROC_NULL, 2, own, &requests[0]);
        MPI_Isend(out, i % 1234 == 1 ? 2 : 16, MPI_INT, i % 700 ? 0 : MPI_PROC_NULL, 2, own, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Irecv(in, 16, MPI_INT, 0, 3, own, &requests[0]);
        if (i % 1111 == 1110)
            MPI_Isend(out, 16, MPI_INT, 0, 3, own, &requests[1]);
        else
            MPI_Send(out, 16, MPI_INT, 0, 3, own);
        MPI_Wait(&requests[0], &status);
        if (i % 1111 == 1110)
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < rounds; i++) {
        MPI_Isend(out, i % 800 + 1 > 790 ? 4 : 5, MPI_INT, 0, 4, own, &requests[0]);
        MPI_Recv(in, 16, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, 4, own, &status);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

/* Calls from one line whose values take turns: two or three or many of them, for long or not, with others between. */
static void exchange(int count, int tag) {
    MPI_Request request;
    MPI_Irecv(in, 16, MPI_INT, 0, tag, own, &request);
    MPI_Send(out, count, MPI_INT, 0, tag, own);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void turns(int rounds) {
    for (int i = 0; i < rounds / 50; i++) {
        for (int k = 0; k < (i % 7 == 6 ? 9 : 25 + i % 3); k++) {
            exchange(1, 8);
            exchange(16, 9);
            exchange(1, 8);
        }
        if (i % 11 == 10)
            exchange(2, 8);
        exchange(1, 8);
    }
    for (int i = 0; i < rounds; i++) {
        int count = i % 8 + (i % 1333 == 1332);
        MPI_Sendrecv(out, count, MPI_INT, 0, i % 2, in, 16, MPI_INT, 0, i % 2, own, MPI_STATUS_IGNORE);
        MPI_Bcast(out, i % 3 + i / 2000, MPI_INT, 0, own);
        MPI_Allreduce(out, in, i % 9 + 1, MPI_INT, MPI_SUM, i % 9 % 2 ? own : faulty);
    }
    for (int i = 0; i < rounds; i++)
        MPI_Sendrecv(out, i % 2 + 1, MPI_INT, i % 402 == 401 ? MPI_PROC_NULL : 0, 5, in, 16, MPI_INT,
                     i % 402 == 401 ? MPI_PROC_NULL : MPI_ANY_SOURCE, MPI_ANY_TAG, own, MPI_STATUS_IGNORE);
}

/* The same with consecutive tags, runs of sizes, and alternations in which one value comes twice. Persistent requests
 * lie among the other ones. */
static void posted(int rounds) {
    MPI_Request all[4], kept[2];
    MPI_Status status;
    MPI_Recv_init(in, 16, MPI_INT, 0, 20, own, &kept[0]);
    MPI_Send_init(out, 16, MPI_INT, 0, 20, own, &kept[1]);
    for (int i = 0; i < rounds; i++)
        exchange(i % 2 ? 1 : 7 + (i % 1001 == 1000), i % 3);
    for (int i = 0; i < rounds; i++)
        exchange(i % 3 < 2 ? 4 : 5, 10 + i % 6 + i / 2500);
    for (int i = 0; i < rounds; i++) {
        int n = i % 901 == 900 ? 1 : 2;
        for (int k = 0; k < n; k++)
            MPI_Irecv(in + 4 * k, 4, MPI_INT, i % 1111 == 1110 ? MPI_ANY_SOURCE : 0, 11 + k, own, &all[k]);
        for (int k = 0; k < n; k++)
            MPI_Isend(out, 1 + (i + k) % 2, MPI_INT, 0, 11 + k, own, &all[n + k]);
        MPI_Waitall(2 * n, all, MPI_STATUSES_IGNORE);
        if (i % 800 > 780) {
            MPI_Startall(2, kept);
            MPI_Waitall(2, kept, MPI_STATUSES_IGNORE);
        }
    }
    for (int i = 0; i < rounds; i++) { /* one place completes what several have posted, and in another order */
        MPI_Irecv(in, 16, MPI_INT, 0, 13, own, &all[0]);
        if (i % 2 || i > rounds / 2)
            MPI_Irecv(in, 16, MPI_INT, 0, 14, own, &all[1]);
        else
            MPI_Irecv(in, 16, MPI_INT, 0, 14, own, &all[1]);
        MPI_Send(out, 2, MPI_INT, 0, 13, own);
        MPI_Send(out, 3, MPI_INT, 0, 14, own);
        for (int k = 0; k < 2; k++)
            MPI_Wait(&all[i % 777 == 776 ? 1 - k : k], &status);
    }
    for (int i = 0; i < rounds; i++) { /* a receive that is withdrawn now and then, a request that is given up */
        MPI_Irecv(in, 16, MPI_INT, 0, 15, own, &all[0]);
        if (i % 650 == 649)
            MPI_Cancel(&all[0]);
        else
            MPI_Isend(out, 16, MPI_INT, 0, 15, own, &all[1]);
        MPI_Wait(&all[0], &status);
        if (i % 650 != 649 && i % 510 == 509)
            MPI_Request_free(&all[1]);
        else if (i % 650 != 649)
            MPI_Wait(&all[1], i % 2 ? MPI_STATUS_IGNORE : &status);
    }
    MPI_Request_free(&kept[0]);
    MPI_Request_free(&kept[1]);
}

/* Handles that come again and mean something else, while all that a call is given stays the same. */
static void handles(int rounds) {
    unsigned random = 1;
    for (int i = 0; i < rounds / 50; i++) {
        MPI_Datatype type;
        random = random * 1103515245u + 12345u;
        MPI_Type_contiguous((int)(random >> 16) % 3 + 1, MPI_INT, &type);
        MPI_Type_commit(&type);
        for (unsigned k = 0; k < 30 + (random >> 18) % 40; k++) {
            MPI_Sendrecv(out, 1, type, 0, 6, in, 16, MPI_INT, 0, 6, own, MPI_STATUS_IGNORE);
            MPI_Bcast(out, 1, type, 0, own);
        }
        MPI_Type_free(&type);
    }
    for (int i = 0; i < rounds / 50; i++) {
        MPI_Comm comm;
        random = random * 1103515245u + 12345u;
        MPI_Comm_dup(random >> 20 & 1 ? own : faulty, &comm);
        for (unsigned k = 0; k < 30 + (random >> 18) % 40; k++) {
            MPI_Reduce(out, in, 4, MPI_INT, MPI_SUM, 0, comm);
            MPI_Sendrecv(out, 4, MPI_INT, 0, 7, in, 16, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
        }
        MPI_Comm_free(&comm);
    }
}

/* The same call after different ones, so that the activation reaches it from several places. */
static void places(int rounds) {
    double seconds = 0;
    for (int i = 0; i < rounds; i++) {
        if (i % 600 > 400)
            MPI_Barrier(own);
        for (int k = 0; k < (i % 90 ? 1 : 40); k++)
            seconds += MPI_Wtime();
        MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, own);
        if (i % 650 == 649)
            refrain_marker("so far");
        if (i % 750 == 749) {
            refrain_pause();
            MPI_Barrier(own);
            refrain_resume();
        }
    }
    CHECK(seconds > 0);
}

static int deeper(int calls);
static int deleted(MPI_Comm comm, int the_key, void *value, void *extra) {
    (void)comm, (void)the_key, (void)value, (void)extra;
    if (kill_inside)
        kill(getpid(), SIGKILL);
    if (depth > 0)
        deeper(1);
    return MPI_SUCCESS;
}

/* Calls that call the same again, now and then. */
static int deeper(int calls) {
    for (int i = 0; i < calls; i++) {
        if (calls > 1)
            depth = i % 555 == 554 ? DEPTHS : 1;
        depth--;
        MPI_Comm_set_attr(own, keys[depth], keys);
        MPI_Comm_delete_attr(own, keys[depth]);
    }
    return depth;
}

static void jump(MPI_Comm *comm, int *code, ...) {
    (void)comm, (void)code;
    if (jumps_out)
        longjmp(back, 1);
}

/* Calls that are jumped out of now and then. */
static void jumps(int rounds) {
    static int volatile i, jumped;
    for (i = 0; i < rounds; i++) {
        jumps_out = i % 611 == 610;
        if (setjmp(back) == 0)
            MPI_Comm_call_errhandler(faulty, MPI_ERR_OTHER);
        else
            jumped++;
    }
    CHECK(jumped == rounds / 611);
}

static void *thread(void *rounds) {
    for (int i = 0; i < *(int *)rounds; i++)
        MPI_Bcast(in, 16, MPI_INT, 0, MPI_COMM_SELF);
    return NULL;
}

static pthread_barrier_t reached;
static void *stay(void *rounds) {
    thread(rounds);
    pthread_barrier_wait(&reached);
    for (;;)
        pause();
    return NULL;
}

int main(int argc, char **argv) {
    int rounds = atoi(argv[1]), level;
    const char *what = argc > 2 ? argv[2] : "";
    MPI_Errhandler handler;
    MPI_Init_thread(&argc, &argv, strcmp(what, "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SERIALIZED, &level);
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_dup(MPI_COMM_SELF, &faulty);
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(faulty, handler);
    for (int i = 0; i < DEPTHS; i++)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, deleted, &keys[i], NULL);
    sizes(rounds);
    chance(rounds);
    messages(rounds);
    turns(rounds);
    posted(rounds);
    handles(rounds);
    places(rounds);
    deeper(rounds);
    jumps(rounds);
    if (strcmp(what, "inside") == 0)
        for (int i = 0; i < rounds; i++) {
            MPI_Comm_set_attr(own, keys[0], keys);
            kill_inside = i == rounds - 7;
            MPI_Comm_delete_attr(own, keys[0]);
        }
    pthread_t id;
    pthread_barrier_init(&reached, NULL, 2);
    if (strcmp(what, "waits") == 0) {
        CHECK(pthread_create(&id, NULL, stay, &rounds) == 0);
        pthread_barrier_wait(&reached);
    } else {
        CHECK(pthread_create(&id, NULL, thread, &rounds) == 0);
        pthread_join(id, NULL);
    }
    sizes(rounds);
    if (strcmp(what, "kill") == 0)
        kill(getpid(), SIGKILL);
    MPI_Finalize();
    printf("ok\n");
    return 0;
}
