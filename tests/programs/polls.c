/* polls.c: repeats polls that find nothing, and everything that may come between two of them or inside one: a message,
 * another call, a signal handler with polls, a call inside the poll, a jump out of it, another function on the same
 * line, a pause. One process. Usage: polls ROUNDS [WHAT]. WHAT: "between", "inside": it kills itself after a number of
 * polls, or inside one; "times": some polls, and the time between some, are long. */
#include "mpi_check.h"
#include <refrain/refrain.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static enum { NOTHING, CALL, SIGNAL, JUMP, POLLS, KILL, SLOW } at_next_poll;
static MPI_Request never, inner;
static jmp_buf back;

static void wait_ms(int ms) {
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < ms * 1000000L);
}

static int poll(MPI_Request *request) {
    int done;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

static int poll_any(int n, MPI_Request *requests) {
    int done, which;
    MPI_Testany(n, requests, &which, &done, MPI_STATUS_IGNORE);
    return done;
}

static int probe(void) {
    int there;
    MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

static void handler(int signal) {
    int size;
    (void)signal;
    for (int i = 0; i < 25; i++)
        probe();
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 40; i++)
        poll(&inner);
}

/* MPICH calls this in each poll of the request. */
static int in_poll(void *state, MPI_Status *status) {
    int rank, what = at_next_poll;
    (void)state, (void)status;
    at_next_poll = NOTHING;
    switch (what) {
    case CALL:
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        break;
    case SIGNAL:
        raise(SIGUSR1);
        break;
    case JUMP:
        longjmp(back, 1);
    case POLLS:
        for (int i = 0; i < 30; i++)
            poll(&inner);
        break;
    case KILL:
        kill(getpid(), SIGKILL);
        break;
    case SLOW:
        wait_ms(30);
        break;
    }
    return MPI_SUCCESS;
}

/* The wait function of the generalised request. It need not do anything. */
static int in_wait(int n, void **states, double timeout, MPI_Status *status) {
    (void)n, (void)states, (void)timeout, (void)status;
    return MPI_SUCCESS;
}

static int query(void *state, MPI_Status *status) {
    (void)state;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
}
static int nothing(void *state) {
    (void)state;
    return MPI_SUCCESS;
}
static int not_cancelled(void *state, int done) {
    (void)state, (void)done;
    return MPI_SUCCESS;
}

static void messages(int rounds) {
    for (int i = 0; i < rounds; i += 5) {
        int in, out = i;
        MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        MPI_Irecv(&in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, &requests[i % 3]);
        for (int k = 0; k < i % 900; k++)
            if (i % 2 ? poll_any(3, requests) : poll(&requests[i % 3]))
                abort();
        MPI_Send(&out, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        while (!poll_any(3, requests))
            ;
    }
}

/* Probes for messages before they are received: in a loop, and between polls. */
static void probes(int rounds) {
    for (int i = 0; i < rounds; i += 7) {
        int in, out = i, n, size;
        MPI_Request sent;
        MPI_Status status;
        for (int k = 0; k < i % 700; k++)
            if (probe() || (i % 5 == 4 && poll(&never)))
                abort();
        if (i % 9 == 8)
            raise(SIGUSR1);
        MPI_Isend(&out, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &sent);
        for (int k = 0; k < i % 60; k++)
            MPI_Comm_size(MPI_COMM_SELF, &size);
        MPI_Recv(&in, 1, MPI_INT, 0, 6, MPI_COMM_SELF, &status);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        for (int k = 0; k < i % 300; k++)
            MPI_Get_count(&status, k % 200 < 150 ? MPI_INT : MPI_CHAR, &n);
    }
}

static void between(int rounds) {
    for (int i = 0; i < rounds; i++) {
        poll(&never);
        if (i % 700 == 300)
            MPI_Barrier(MPI_COMM_SELF);
        if (i % 900 == 400)
            raise(SIGUSR1);
        if (i % 1500 == 1300) {
            refrain_pause();
            for (int k = 0; k < 20; k++)
                poll(&never);
            refrain_resume();
        }
    }
}

static void inside(int rounds) {
    static volatile int i;
    for (i = 0; i < rounds; i++) {
        at_next_poll = i % 600 == 200   ? CALL
                       : i % 600 == 300 ? SIGNAL
                       : i % 600 == 400 ? JUMP
                       : i % 600 == 500 ? POLLS
                                        : NOTHING;
        if (!setjmp(back))
            poll(&never);
    }
}

static void deeper(int depth) {
    for (int i = 0; i < 60; i++)
        poll(&never);
    if (depth > 0)
        deeper(depth - 1);
    for (int i = 0; i < 60; i++)
        poll_any(1, &never);
}

/* Both functions from one line: their arguments are words. */
typedef int (*any_function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
static void same_line(int rounds) {
    int done, which;
    MPI_Status status;
    for (int i = 0; i < rounds; i++) {
        int any = i / 100 % 2;
        any_function function = any ? (any_function)MPI_Testany : (any_function)MPI_Test;
        function(any ? 1 : (uintptr_t)&never, any ? (uintptr_t)&never : (uintptr_t)&done,
                 any ? (uintptr_t)&which : (uintptr_t)&status, (uintptr_t)&done, (uintptr_t)&status);
    }
}

/* After a thousand quick polls there is a long time between two polls, and after that a long poll. */
static void times(void) {
    for (int i = 0; i < 2000; i++) {
        at_next_poll = i == 1500 ? SLOW : NOTHING;
        poll(&never);
        if (i == 1000)
            wait_ms(20);
    }
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 3000;
    const char *what = argc > 2 ? argv[2] : "";
    MPI_Init(&argc, &argv);
    signal(SIGUSR1, handler);
    MPIX_Grequest_start(query, nothing, not_cancelled, in_poll, in_wait, NULL, &never);
    MPI_Grequest_start(query, nothing, not_cancelled, NULL, &inner);
    if (strcmp(what, "times") == 0) {
        times();
    } else {
        messages(rounds / 3);
        probes(rounds / 6);
        between(rounds);
        inside(rounds);
        deeper(8);
        same_line(rounds);
    }
    if (strcmp(what, "between") == 0 || strcmp(what, "inside") == 0) {
        for (int i = 0; i < 777; i++)
            poll(&never);
        if (what[0] == 'b')
            kill(getpid(), SIGKILL);
        at_next_poll = KILL;
        poll(&never);
    }
    MPI_Grequest_complete(never);
    MPI_Grequest_complete(inner);
    while (!poll(&never) || !poll(&inner))
        ;
    MPI_Finalize();
    return 0;
}
