/* many_ranks.c: makes a trace of more ranks than this machine could run, for tests of readers: many_ranks RANKS STEPS
 * DIRECTORY [SLOWER]. Each rank is a process that calls the monitor as the probes and wrappers of a stencil computation
 * would. Its clock advances by the time that the program pretends to take. The monitor learns and writes as usual; no
 * MPI runs. One function has a name with markup, and from step SLOWER on it takes half as long again. The trace is
 * written to DIRECTORY. */
#define _GNU_SOURCE
#include "activation.h"
#include "arch/arch.h"
#include "call.h"
#include "run/loaded_units.h"
#include "run/own_files.h"
#include "run/pool.h"
#include "run/tracing.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum mpi_function {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...) CALL_##name,
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};

/* ---- a clock that the program advances ---- */

static uint64_t now_ns = 1000000000;

int clock_gettime(clockid_t id, struct timespec *time) {
    uint64_t ns = now_ns + (id == CLOCK_REALTIME ? 1700000000000000000u : 0);
    now_ns += 40; /* reading takes a while */
    time->tv_sec = (time_t)(ns / 1000000000u);
    time->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

/* ---- the program's tables ---- */

enum { MAIN = 0, STEP = 2, MARKUP = 4, EXCHANGE = 6, STEPS = 8, N_SLOTS = 11 };

#define STRINGS "\0stencil.c\0main\0step\0<img src=x onerror=document.title='broken'>\0exchange"
enum { FILE_NAME = 1, MAIN_NAME = 11, STEP_NAME = 16, MARKUP_NAME = 21, EXCHANGE_NAME = 65 };

static const struct refrain_node nodes[] = {
    {.kind = REFRAIN_UNIT, .slot = REFRAIN_NO_SLOT, .file = FILE_NAME},
    {.kind = REFRAIN_FUNCTION, .slot = MAIN, .line = 40, .name = MAIN_NAME, .file = FILE_NAME},
    {.kind = REFRAIN_FOR, .parent = 1, .slot = STEPS, .line = 44, .file = FILE_NAME},
    {.kind = REFRAIN_FUNCTION, .slot = STEP, .line = 20, .name = STEP_NAME, .file = FILE_NAME},
    {.kind = REFRAIN_FUNCTION, .slot = MARKUP, .line = 12, .name = MARKUP_NAME, .file = FILE_NAME},
    {.kind = REFRAIN_FUNCTION, .slot = EXCHANGE, .line = 28, .name = EXCHANGE_NAME, .file = FILE_NAME},
};

static struct refrain_unit unit = {.n_nodes = sizeof nodes / sizeof *nodes,
                                   .n_slots = N_SLOTS,
                                   .strings_bytes = sizeof STRINGS,
                                   .nodes = nodes,
                                   .strings = STRINGS};

static const struct refrain_units units = {.version = REFRAIN_UNIT_VERSION, .unit = &unit};

#define FUNCTION(slot) ACTIVATION(frame, &unit, slot)

static int rank, ranks, slower_from = INT_MAX;

static void compute(uint64_t ns) {
    now_ns += ns;
}

/* ---- MPI calls ---- */

static __attribute__((noinline)) void send_to(int dest, int64_t bytes) {
    struct refrain_call call;
    refrain_call_begin(&call, CALL_MPI_Send, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    refrain_call_operation(&call, REFRAIN_OP_SEND, (int64_t[]){dest, 7, bytes, 0}, 4);
    compute(900 + (uint64_t)bytes / 16);
    refrain_call_end(&call);
}

static __attribute__((noinline)) void receive_from(int source, int64_t bytes) {
    struct refrain_call call;
    refrain_call_begin(&call, CALL_MPI_Recv, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    compute(1200 + (uint64_t)bytes / 16);
    refrain_call_returned(&call);
    refrain_call_operation(&call, REFRAIN_OP_RECV, (int64_t[]){source, 7, bytes, 0}, 4);
    refrain_call_end(&call);
}

static __attribute__((noinline)) void allreduce(void) {
    struct refrain_call call;
    refrain_call_begin(&call, CALL_MPI_Allreduce, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    refrain_call_operation(&call, REFRAIN_OP_COLLECTIVE, (int64_t[]){-1, 8, 8, 0}, 4);
    compute(4000);
    refrain_call_end(&call);
}

static void set_up_mpi(const char *directory) {
    struct refrain_communicator *world = refrain_pool_take(sizeof *world, REFRAIN_POOL_FIRST_MET);
    if (!world)
        exit(3);
    *world = (struct refrain_communicator){.size = ranks, .my_rank = rank};
    refrain_trace_file.header->communicators = refrain_reference(world);
    refrain_trace_file.header->n_communicators = 1;
    refrain_trace_file_move(rank, ranks, directory);
}

/* ---- the program ---- */

static __attribute__((noinline)) void exchange(void) {
    FUNCTION(EXCHANGE);
    if (rank + 1 < ranks)
        send_to(rank + 1, 8192);
    if (rank > 0) {
        receive_from(rank - 1, 8192);
        send_to(rank - 1, 8192);
    }
    if (rank + 1 < ranks)
        receive_from(rank + 1, 8192);
}

static __attribute__((noinline)) void relax(int step) {
    FUNCTION(MARKUP);
    /* One in sixteen ranks has more to do, and more and more so. */
    compute((step < slower_from ? 60000 : 90000) + (rank % 16 == 5 ? 20000u + (unsigned)step * 40u : 0) +
            (unsigned)(rank * 7919 + step * 104729) % 9000);
}

static __attribute__((noinline)) void do_step(int step) {
    FUNCTION(STEP);
    relax(step);
    exchange();
    if (step % 8 == 7)
        allreduce();
}

static __attribute__((noinline)) void run(int steps, const char *directory) {
    FUNCTION(MAIN);
    compute(2000000);
    set_up_mpi(directory);
    for (int step = 0; step < steps; step++) {
        refrain_probe(&unit, STEPS + 1, &frame, 0);
        do_step(step);
    }
    refrain_probe(&unit, STEPS + 2, &frame, 0);
}

int main(int argc, char **argv) {
    if (argc < 4 || argc > 5 || (ranks = atoi(argv[1])) < 1)
        return fputs("usage: many_ranks RANKS STEPS DIRECTORY [SLOWER]\n", stderr), 2;
    if (argc > 4)
        slower_from = atoi(argv[4]);
    setenv("REFRAIN_CLOCK", "gettime", 1);
    setenv("REFRAIN_THROTTLE", "off", 1);
    setenv("REFRAIN_MODE", "stat", 0);
    setenv("REFRAIN_TOTAL_MEMORY", "4M", 0);
    refrain_mpi_linked = 1; /* the rank becomes known later */
    char directory[4096];
    if (mkdir(argv[3], 0777) != 0 || !realpath(argv[3], directory))
        return perror(argv[3]), 1;
    for (rank = 0; rank < ranks; rank++) {
        pid_t child = fork();
        int status;
        if (child == 0) {
            refrain_register(&units);
            run(atoi(argv[2]), directory);
            exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            return fprintf(stderr, "many_ranks: rank %d failed\n", rank), 1;
    }
    return 0;
}
