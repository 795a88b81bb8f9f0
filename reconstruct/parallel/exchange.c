/* exchange.c: see exchange.h. */
#include "exchange.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)64 << 10)
/* While a process waits: how often it looks for news before it gives way to others, and before it takes part in a
 * round.
 */
#define LOOKS_BEFORE_YIELD 200u
#define LOOKS_BEFORE_ROUND 2000u
#define MOST_QUEUED ((size_t)64) /* batches that are taken in while others are still to be sent */
/* Messages that are kept for receives to come; more are not taken in while there is something else to do. */
#define MOST_HELD ((uint64_t)32768)

struct record {
    bool is_message;
    union {
        struct refrain_share_message message;
        struct refrain_share_entry entry;
    };
};
#define BATCH_RECORDS (BATCH_BYTES / sizeof(struct record))

/* Records for one process: those that are gathered, and those under way. */
struct outgoing {
    struct record *records, *sending;
    size_t n;
    MPI_Request request;
};

/* A batch that has come. */
struct incoming {
    struct incoming *next;
    size_t n;
    struct record records[];
};

/* The sums of a round. */
enum { SENT, RECEIVED, STOPPED, SUMS };

struct refrain_exchange {
    struct refrain_share share;
    MPI_Comm processes;
    int number, n;
    const int32_t *owners;
    int32_t n_ranks;
    const struct refrain_comm_info *comms;
    size_t n_comms;
    struct outgoing *outgoing; /* by process */
    struct incoming *first, **last;
    uint64_t sent, received; /* batches */
    bool *told;              /* by process: of the entry under way; all false between */
    MPI_Request round;
    uint64_t own_sums[SUMS], sums[SUMS];
    uint64_t received_before; /* of the round before */
    bool in_round, had_round;
    bool ended;
};

static const char no_memory[] = "there is not enough memory";
static const char other_stopped[] = "another process has stopped";

static void stop(struct refrain_exchange *exchange, const char *why) {
    if (!exchange->share.wrong)
        exchange->share.wrong = why;
}

/* ---- batches ---- */

/* Takes in a batch that has come; false when none has. */
static bool take_in(struct refrain_exchange *exchange) {
    MPI_Status status;
    int there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, exchange->processes, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    struct incoming *incoming = malloc(sizeof *incoming + (size_t)bytes);
    if (!incoming) /* it cannot even be passed over */
        MPI_Abort(exchange->processes, 1);
    MPI_Recv(incoming->records, bytes, MPI_BYTE, status.MPI_SOURCE, 0, exchange->processes, MPI_STATUS_IGNORE);
    incoming->n = (size_t)bytes / sizeof *incoming->records;
    incoming->next = NULL;
    *exchange->last = incoming;
    exchange->last = &incoming->next;
    exchange->received++;
    return true;
}

/* The batch before has left. Meanwhile what comes is taken in, so that no two processes wait for each other. */
static void wait_for_room(struct refrain_exchange *exchange, struct outgoing *outgoing) {
    for (;;) {
        int done;
        MPI_Test(&outgoing->request, &done, MPI_STATUS_IGNORE);
        if (done)
            return;
        if (!take_in(exchange))
            sched_yield();
    }
}

static void flush(struct refrain_exchange *exchange, int process) {
    struct outgoing *outgoing = &exchange->outgoing[process];
    if (outgoing->n == 0)
        return;
    wait_for_room(exchange, outgoing);
    struct record *records = outgoing->records;
    outgoing->records = outgoing->sending;
    outgoing->sending = records;
    /* It leaves when the other takes it in, so that a process does not run ahead of one that has enough for now. */
    MPI_Issend(records, (int)(outgoing->n * sizeof *records), MPI_BYTE, process, 0, exchange->processes,
               &outgoing->request);
    outgoing->n = 0;
    exchange->sent++;
}

/* Has the batch before left, so that the next one need not wait? */
static bool has_left(struct refrain_exchange *exchange, int process) {
    struct outgoing *outgoing = &exchange->outgoing[process];
    int done = 0;
    if (outgoing->n > 0)
        MPI_Test(&outgoing->request, &done, MPI_STATUS_IGNORE);
    return done;
}

static void put(struct refrain_exchange *exchange, int process, const struct record *record) {
    struct outgoing *outgoing = &exchange->outgoing[process];
    if (!outgoing->records) {
        outgoing->records = malloc(BATCH_RECORDS * sizeof *record);
        outgoing->sending = malloc(BATCH_RECORDS * sizeof *record);
        if (!outgoing->records || !outgoing->sending) {
            stop(exchange, no_memory);
            return;
        }
    }
    outgoing->records[outgoing->n++] = *record;
    if (outgoing->n == BATCH_RECORDS)
        flush(exchange, process);
}

/* ---- what the aligner tells and asks ---- */

static int owner_of(const struct refrain_exchange *exchange, int32_t rank) {
    return rank >= 0 && rank < exchange->n_ranks ? exchange->owners[rank] : -1;
}

static bool owns(const struct refrain_share *share, int32_t rank) {
    const struct refrain_exchange *exchange = (const struct refrain_exchange *)share;
    return owner_of(exchange, rank) == exchange->number;
}

static void tell_message(struct refrain_share *share, int32_t rank, const struct refrain_share_message *message) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    int process = owner_of(exchange, rank);
    struct record record;
    memset(&record, 0, sizeof record);
    record.is_message = true;
    record.message = *message;
    if (process < 0)
        stop(exchange, "some ranks are without a file");
    else
        put(exchange, process, &record);
}

static void tell_entered(struct refrain_share *share, const struct refrain_comm_info *comm,
                         const struct refrain_share_entry *entry) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    struct record record;
    memset(&record, 0, sizeof record);
    record.entry = *entry;
    exchange->told[exchange->number] = true;
    for (int32_t i = 0; i < comm->size; i++) {
        int process = owner_of(exchange, comm->members ? comm->members[i] : i);
        if (process < 0)
            stop(exchange, "some ranks are without a file");
        else if (!exchange->told[process])
            put(exchange, process, &record);
        if (process >= 0)
            exchange->told[process] = true;
    }
    for (int process = 0; process < exchange->n; process++)
        exchange->told[process] = false;
}

/* Hands out all batches that have been taken in; false when there was none. */
static bool hand_out(struct refrain_exchange *exchange, struct refrain_align *align) {
    bool any = exchange->first != NULL;
    while (exchange->first) {
        struct incoming *incoming = exchange->first;
        exchange->first = incoming->next;
        if (!exchange->first)
            exchange->last = &exchange->first;
        for (size_t i = 0; align && i < incoming->n; i++) {
            const struct record *record = &incoming->records[i];
            if (record->is_message)
                refrain_align_take_message(align, &record->message);
            else
                refrain_align_take_entry(align, &exchange->comms[record->entry.comm], &record->entry);
        }
        free(incoming);
    }
    return any;
}

/* Begins a round, or sees whether the one under way is over. True: it was the last. */
static bool take_part(struct refrain_exchange *exchange) {
    int done;
    if (!exchange->in_round) {
        exchange->own_sums[SENT] = exchange->sent;
        exchange->own_sums[RECEIVED] = exchange->received;
        exchange->own_sums[STOPPED] = exchange->share.wrong != NULL;
        MPI_Iallreduce(exchange->own_sums, exchange->sums, SUMS, MPI_UINT64_T, MPI_SUM, exchange->processes,
                       &exchange->round);
        exchange->in_round = true;
    }
    MPI_Test(&exchange->round, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    exchange->in_round = false;
    bool quiet = exchange->had_round && exchange->received_before == exchange->sums[SENT] &&
                 exchange->sums[RECEIVED] == exchange->sums[SENT];
    exchange->had_round = true;
    exchange->received_before = exchange->sums[RECEIVED];
    return quiet;
}

/* Until something has come, or nothing will. With `drop` what comes is passed over. */
static bool wait_for_news(struct refrain_exchange *exchange, struct refrain_align *align, bool drop) {
    unsigned looked = 0;
    for (int process = 0; process < exchange->n; process++)
        flush(exchange, process);
    while (!exchange->ended) {
        take_in(exchange);
        if (hand_out(exchange, drop ? NULL : align) && !drop)
            return true;
        looked++;
        if (looked > LOOKS_BEFORE_YIELD) /* mostly an answer is on its way */
            sched_yield();
        if (looked > LOOKS_BEFORE_ROUND || exchange->share.wrong)
            exchange->ended = take_part(exchange);
    }
    if (exchange->sums[STOPPED])
        stop(exchange, other_stopped);
    return false;
}

static bool news(struct refrain_share *share, struct refrain_align *align, bool wait) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)share;
    if (wait)
        return wait_for_news(exchange, align, false);
    for (int process = 0; process < exchange->n; process++)
        if (has_left(exchange, process))
            flush(exchange, process);
    bool any = hand_out(exchange, align);
    for (size_t i = 0; i < MOST_QUEUED && share->held < MOST_HELD && take_in(exchange); i++)
        any |= hand_out(exchange, align);
    return any;
}

/* ---- the whole of it ---- */

struct refrain_exchange *refrain_exchange_open(MPI_Comm processes, const int32_t *owners, int32_t n_ranks,
                                               const struct refrain_comm_info *comms, size_t n_comms) {
    struct refrain_exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->share =
        (struct refrain_share){.owns = owns, .message = tell_message, .entered = tell_entered, .news = news};
    MPI_Comm_dup(processes, &exchange->processes);
    MPI_Comm_rank(processes, &exchange->number);
    MPI_Comm_size(processes, &exchange->n);
    exchange->owners = owners;
    exchange->n_ranks = n_ranks;
    exchange->comms = comms;
    exchange->n_comms = n_comms;
    exchange->last = &exchange->first;
    exchange->outgoing = calloc((size_t)exchange->n, sizeof *exchange->outgoing);
    exchange->told = calloc((size_t)exchange->n, sizeof *exchange->told);
    for (int i = 0; exchange->outgoing && i < exchange->n; i++)
        exchange->outgoing[i].request = MPI_REQUEST_NULL;
    if (!exchange->outgoing || !exchange->told)
        MPI_Abort(processes, 1);
    return exchange;
}

struct refrain_share *refrain_exchange_share(struct refrain_exchange *exchange) {
    return &exchange->share;
}

void refrain_exchange_end(struct refrain_exchange *exchange) {
    if (!exchange->ended) {
        stop(exchange, "a process could not go on");
        wait_for_news(exchange, NULL, true);
    }
    unsigned char wrong = exchange->share.wrong != NULL, any;
    MPI_Allreduce(&wrong, &any, 1, MPI_UNSIGNED_CHAR, MPI_MAX, exchange->processes);
    if (any)
        stop(exchange, other_stopped);
}

void refrain_exchange_close(struct refrain_exchange *exchange) {
    if (!exchange)
        return;
    hand_out(exchange, NULL);
    for (int i = 0; i < exchange->n; i++) {
        MPI_Wait(&exchange->outgoing[i].request, MPI_STATUS_IGNORE);
        free(exchange->outgoing[i].records);
        free(exchange->outgoing[i].sending);
    }
    MPI_Comm_free(&exchange->processes);
    free(exchange->outgoing);
    free(exchange->told);
    free(exchange);
}
