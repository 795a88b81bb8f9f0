/* mpi_waiting.c: waits of known length, of rank 0 for rank 1. Usage: mpi_waiting KIND|all [ROUNDS]; on 2 ranks. In each
 * round rank 1 is late: it starts DELAY_MS after rank 0 has sent it a message that no tool sees. Both print when they
 * reached the call, so that the wait of rank 0 is known exactly, whatever the machine does meanwhile: the program
 * prints "rank nanoseconds", the sum of these times. The lines with a wait are marked WAITS, the late ones LATE. */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DELAY_MS 20
#define LARGE (4 << 20)

static int rank;
static char *buffer, *other; /* LARGE bytes */
static MPI_Comm untold;      /* of messages that are not traced: PMPI functions have no wrappers */
static long long sum_ns;

/* One rank sends how far it is, and the other one waits for this: so their order does not depend on the load. */
static void tell(void) {
    PMPI_Send(NULL, 0, MPI_CHAR, 1 - rank, 0, untold);
}

static void wait_for_other(void) {
    PMPI_Recv(NULL, 0, MPI_CHAR, 1 - rank, 0, untold, MPI_STATUS_IGNORE);
}

static void come(void) {
    struct timespec now;
    if (rank == 0)
        tell();
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum_ns += now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void delay(void) {
    struct timespec time = {0, DELAY_MS * 1000000l};
    nanosleep(&time, NULL);
}

static void be_late(void) {
    wait_for_other();
    delay();
}

static void late_sender(void) {
    if (rank == 0) {
        come();
        MPI_Recv(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* WAITS late-sender */
    }
    if (rank == 1) {
        be_late();
        come();
        MPI_Send(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD); /* LATE late-sender */
    }
}

static void late_receiver(void) {
    if (rank == 0) {
        come();
        MPI_Ssend(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD); /* WAITS late-receiver */
    }
    if (rank == 1) {
        be_late();
        come();
        MPI_Recv(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LATE late-receiver */
    }
}

static void rendezvous(void) {
    if (rank == 0) {
        come();
        MPI_Send(buffer, LARGE, MPI_CHAR, 1, 7, MPI_COMM_WORLD); /* WAITS rendezvous */
    }
    if (rank == 1) {
        be_late();
        come();
        MPI_Recv(buffer, LARGE, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LATE rendezvous */
    }
}

static void barrier(void) {
    if (rank == 1)
        be_late();
    come();
    MPI_Barrier(MPI_COMM_WORLD); /* WAITS barrier LATE barrier */
}

static void n_to_n(void) {
    if (rank == 1)
        be_late();
    come();
    MPI_Allreduce(buffer, other, 8, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD); /* WAITS n-to-n LATE n-to-n */
}

static void early_reduce(void) {
    if (rank == 1)
        be_late();
    come();
    MPI_Reduce(buffer, other, 8, MPI_CHAR, MPI_MAX, 0, MPI_COMM_WORLD); /* WAITS early-reduce LATE early-reduce */
}

static void late_broadcast(void) {
    if (rank == 1)
        be_late();
    come();
    MPI_Bcast(buffer, 8, MPI_CHAR, 1, MPI_COMM_WORLD); /* WAITS late-broadcast LATE late-broadcast */
}

static void completion_receive(void) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Irecv(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
        come();
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WAITS completion-receive */
    }
    if (rank == 1) {
        be_late();
        come();
        MPI_Send(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD); /* LATE completion-receive */
    }
}

static void completion_send(void) {
    MPI_Request request;
    if (rank == 0) {
        MPI_Issend(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &request);
        come();
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* WAITS completion-send */
    }
    if (rank == 1) {
        be_late();
        come();
        MPI_Recv(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* LATE completion-send */
    }
}

static void completion_collective(void) {
    MPI_Request request;
    if (rank == 1) {
        be_late();
        come();
    }
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* LATE completion-collective */
    if (rank == 0)
        come();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* WAITS completion-collective */
}

/* Two messages late in one call, one after the other: the call waits once. */
static void waitall(void) {
    MPI_Request requests[2];
    MPI_Status statuses[2];
    if (rank == 0) {
        MPI_Irecv(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(other, 8, MPI_CHAR, 1, 8, MPI_COMM_WORLD, &requests[1]);
        come();
        MPI_Waitall(2, requests, statuses); /* WAITS waitall */
    } else {
        be_late();
        MPI_Send(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD); /* LATE waitall */
        delay();
        come();
        MPI_Send(buffer, 8, MPI_CHAR, 0, 8, MPI_COMM_WORLD); /* LATE waitall */
    }
}

/* Both wait for each other's message; it is the one that came first that waits, and once. */
static void sendrecv(void) {
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Datatype type = MPI_CHAR;
    MPI_Status status;
    int peer = 1 - rank, n = LARGE;
    if (rank == 1)
        be_late();
    come();
    MPI_Sendrecv(buffer, n, type, peer, 7, other, n, type, peer, 7, comm, &status); /* WAITS sendrecv LATE sendrecv */
}

/* Nobody waits for what was sent before it is asked for. */
static void nothing(void) {
    if (rank == 1) {
        MPI_Send(buffer, 8, MPI_CHAR, 0, 7, MPI_COMM_WORLD);
        tell();
    }
    if (rank == 0) {
        be_late();
        MPI_Recv(buffer, 8, MPI_CHAR, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* none */
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"late-sender", late_sender},
                 {"late-receiver", late_receiver},
                 {"rendezvous", rendezvous},
                 {"barrier", barrier},
                 {"n-to-n", n_to_n},
                 {"early-reduce", early_reduce},
                 {"late-broadcast", late_broadcast},
                 {"completion-receive", completion_receive},
                 {"completion-send", completion_send},
                 {"completion-collective", completion_collective},
                 {"waitall", waitall},
                 {"sendrecv", sendrecv},
                 {"nothing", nothing}};
    int rounds = argc > 2 ? atoi(argv[2]) : 10;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_dup(MPI_COMM_WORLD, &untold);
    buffer = calloc(1, LARGE);
    other = calloc(1, LARGE);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (argc < 2 || (strcmp(argv[1], "all") != 0 && strcmp(argv[1], kinds[k].name) != 0))
            continue;
        for (int i = 0; i < rounds; i++) {
            MPI_Barrier(MPI_COMM_WORLD);
            kinds[k].run();
        }
    }
    printf("%d %lld\n", rank, sum_ns);
    free(buffer);
    free(other);
    PMPI_Comm_free(&untold);
    MPI_Finalize();
    return 0;
}
