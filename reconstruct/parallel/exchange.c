/* exchange.c: see exchange.h. */
#define _GNU_SOURCE
#include "exchange.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BATCH_STEPS ((size_t)512)
#define BATCHES 32u /* that may be under way: what is read ahead at a time, and more while the other computes */
/* Steps that are held for later; more are not taken in while there is something else to do. */
#define MOST_HELD ((uint64_t)65536)
/* How often a process that waits looks for news before it sleeps between. It has fallen in with one that is far behind:
 * a sleep of this length is little to what that one has to do before. */
#define LOOKS_BEFORE_SLEEP 1000u
#define SLEEP_NS 50000

enum { TAG_BATCH, TAG_FINISHED, TAG_STOPPED };

struct batch {
    struct refrain_step steps[BATCH_STEPS];
    size_t n;
    MPI_Request *requests; /* by process */
};

/* Steps of a location that have come: a ring. */
struct queue {
    struct refrain_step *steps;
    size_t first, n, capacity; /* a power of two, or 0 */
};

struct refrain_exchange {
    struct refrain_share share;
    MPI_Comm processes;
    int number, n;
    const int32_t *owners;
    int32_t n_ranks;
    struct batch batches[BATCHES];
    unsigned filling; /* which of them */
    struct refrain_step *came;
    struct queue *queues; /* by location */
    uint64_t held;
    size_t n_running; /* own locations that have not ended */
    int n_finals;     /* processes that will send nothing more */
    bool ended;
};

static const char no_memory[] = "there is not enough memory";
static const char other_stopped[] = "another process has stopped";

static void stop(struct refrain_exchange *exchange, const char *why) {
    if (!exchange->share.wrong)
        exchange->share.wrong = why;
}

/* ---- what comes ---- */

static bool grow(struct queue *queue) {
    size_t larger = queue->capacity ? queue->capacity * 2 : 64;
    struct refrain_step *steps = realloc(queue->steps, larger * sizeof *steps);
    if (!steps)
        return false;
    if (queue->capacity) /* what went round the end follows it now */
        memcpy(steps + queue->capacity, steps, queue->first * sizeof *steps);
    queue->steps = steps;
    queue->capacity = larger;
    return true;
}

static void keep(struct refrain_exchange *exchange, const struct refrain_step *step) {
    struct queue *queue = &exchange->queues[step->location];
    if (queue->n == queue->capacity && !grow(queue)) {
        stop(exchange, no_memory);
        return;
    }
    queue->steps[(queue->first + queue->n++) & (queue->capacity - 1)] = *step;
    exchange->held++;
}

/* Takes in a message that has come; false when none has. */
static bool take_in(struct refrain_exchange *exchange) {
    MPI_Status status;
    int there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, exchange->processes, &there, &status);
    if (!there)
        return false;
    MPI_Recv(exchange->came, (int)(BATCH_STEPS * sizeof *exchange->came), MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
             exchange->processes, &status);
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (status.MPI_TAG != TAG_BATCH)
        exchange->n_finals++;
    if (status.MPI_TAG == TAG_STOPPED)
        stop(exchange, other_stopped);
    size_t n = (size_t)bytes / sizeof *exchange->came;
    for (size_t i = 0; i < n && !exchange->ended && !exchange->share.wrong; i++)
        keep(exchange, &exchange->came[i]);
    return true;
}

/* Nothing has come: others get the processor, at first for as long as they want it at least. */
static void give_way(unsigned *looked) {
    if (++*looked > LOOKS_BEFORE_SLEEP)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

/* ---- what goes ---- */

static bool has_left(struct refrain_exchange *exchange, struct batch *batch) {
    int left = 1;
    for (int process = 0; process < exchange->n && left; process++)
        MPI_Test(&batch->requests[process], &left, MPI_STATUS_IGNORE);
    return left;
}

static void flush(struct refrain_share *share) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    struct batch *batch = &exchange->batches[exchange->filling], *next;
    unsigned looked = 0;
    if (batch->n > 0) {
        for (int process = 0; process < exchange->n; process++)
            if (process != exchange->number)
                MPI_Issend(batch->steps, (int)(batch->n * sizeof *batch->steps), MPI_BYTE, process, TAG_BATCH,
                           exchange->processes, &batch->requests[process]);
        exchange->filling = (exchange->filling + 1) % BATCHES;
    }
    while (exchange->held < MOST_HELD && take_in(exchange))
        ;
    next = &exchange->batches[exchange->filling];
    /* Meanwhile what comes is taken in, so that no two processes wait for each other. */
    while (!has_left(exchange, next) && !exchange->share.wrong)
        if (!take_in(exchange))
            give_way(&looked);
    next->n = 0;
}

static void tell(struct refrain_share *share, const struct refrain_step *step) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    struct batch *batch = &exchange->batches[exchange->filling];
    exchange->n_running -= step->kind == REFRAIN_STEP_END;
    if (exchange->share.wrong)
        return;
    batch->steps[batch->n++] = *step;
    if (batch->n == BATCH_STEPS)
        flush(share);
}

/* ---- the aligner's other questions ---- */

static bool owns(const struct refrain_share *share, int32_t rank) {
    const struct refrain_exchange *exchange = (const struct refrain_exchange *)share;
    return rank >= 0 && rank < exchange->n_ranks && exchange->owners[rank] == exchange->number;
}

static const struct refrain_step *next(struct refrain_share *share, uint32_t location) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    struct queue *queue = &exchange->queues[location];
    unsigned looked = 0;
    if (queue->n == 0)
        flush(share);
    while (queue->n == 0 && !exchange->share.wrong)
        if (!take_in(exchange))
            give_way(&looked);
    if (queue->n == 0)
        return NULL;
    const struct refrain_step *step = &queue->steps[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->n--;
    exchange->held--;
    return step;
}

/* ---- the whole of it ---- */

struct refrain_exchange *refrain_exchange_open(MPI_Comm processes, const int32_t *owners, int32_t n_ranks,
                                               const struct refrain_trace *trace) {
    struct refrain_exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->share = (struct refrain_share){.trace = trace, .owns = owns, .tell = tell, .flush = flush, .next = next};
    MPI_Comm_dup(processes, &exchange->processes);
    MPI_Comm_rank(processes, &exchange->number);
    MPI_Comm_size(processes, &exchange->n);
    exchange->owners = owners;
    exchange->n_ranks = n_ranks;
    exchange->came = malloc(BATCH_STEPS * sizeof *exchange->came);
    exchange->queues = calloc(trace->n_locations + 1, sizeof *exchange->queues);
    if (!exchange->came || !exchange->queues)
        MPI_Abort(processes, 1);
    for (unsigned i = 0; i < BATCHES; i++) {
        exchange->batches[i].requests = malloc((size_t)exchange->n * sizeof(MPI_Request));
        if (!exchange->batches[i].requests)
            MPI_Abort(processes, 1);
        for (int process = 0; process < exchange->n; process++)
            exchange->batches[i].requests[process] = MPI_REQUEST_NULL;
    }
    for (size_t i = 0; i < trace->n_locations; i++)
        exchange->n_running += owns(&exchange->share, trace->locations[i].rank);
    return exchange;
}

struct refrain_share *refrain_exchange_share(struct refrain_exchange *exchange) {
    return &exchange->share;
}

void refrain_exchange_end(struct refrain_exchange *exchange) {
    unsigned looked = 0;
    if (exchange->ended)
        return;
    if (exchange->n_running > 0)
        stop(exchange, "a process could not go on");
    exchange->ended = true; /* what comes now is passed over */
    int tag = exchange->share.wrong ? TAG_STOPPED : TAG_FINISHED;
    MPI_Request *requests = malloc((size_t)exchange->n * sizeof *requests);
    if (!requests)
        MPI_Abort(exchange->processes, 1);
    for (int process = 0; process < exchange->n; process++) {
        requests[process] = MPI_REQUEST_NULL;
        if (process != exchange->number)
            MPI_Isend(NULL, 0, MPI_BYTE, process, tag, exchange->processes, &requests[process]);
    }
    while (exchange->n_finals < exchange->n - 1)
        if (!take_in(exchange))
            give_way(&looked);
    for (int process = 0; process < exchange->n; process++)
        MPI_Wait(&requests[process], MPI_STATUS_IGNORE);
    free(requests);
}

void refrain_exchange_close(struct refrain_exchange *exchange) {
    if (!exchange)
        return;
    for (unsigned i = 0; i < BATCHES; i++) {
        for (int process = 0; process < exchange->n; process++)
            MPI_Wait(&exchange->batches[i].requests[process], MPI_STATUS_IGNORE);
        free(exchange->batches[i].requests);
    }
    for (size_t i = 0; i < exchange->share.trace->n_locations; i++)
        free(exchange->queues[i].steps);
    MPI_Comm_free(&exchange->processes);
    free(exchange->came);
    free(exchange->queues);
    free(exchange);
}
