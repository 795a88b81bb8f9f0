/* exchange.c: see exchange.h. */
#define _GNU_SOURCE
#include "parallel/exchange.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Notices that are held for later; more are not taken in while there is something else to do. */
#define MOST_HELD ((uint64_t)65536)
/* How often a process that waits looks for news before it sleeps between. It has fallen in with one that is far behind:
 * a sleep of this length is little to what that one has to do before. */
#define LOOKS_BEFORE_SLEEP 1000u
#define SLEEP_NS 50000

enum { TAG_BATCH, TAG_FINISHED, TAG_STOPPED };

/* What is sent: notices of one location. */
struct message {
    uint64_t location;
    struct refrain_notice notices[];
};

struct sent {
    struct message *message; /* with room for REFRAIN_EXCHANGE_NOTICES */
    MPI_Request *requests;   /* by process */
};

/* One that has come, until all of its notices have been read. */
struct came {
    struct came *next; /* of the same location */
    size_t n;
    struct message message;
};

struct queue {
    struct came *first, *last; /* null none; notices of the first one are being read */
};

struct refrain_exchange {
    struct refrain_team team;
    MPI_Comm processes;
    int number, n;
    const int32_t *owners;
    int32_t n_ranks;
    struct sent sent[REFRAIN_EXCHANGE_BATCHES];
    unsigned filling;      /* which of them has the room */
    struct message *spare; /* what is told or comes when something has gone wrong */
    struct queue *queues;  /* by location */
    uint64_t held;         /* notices in them */
    size_t n_running;      /* own locations that have not ended */
    int n_finals;          /* processes that will send nothing more */
    bool ended;
};

static const char no_memory[] = "there is not enough memory";
static const char other_stopped[] = "another process has stopped";

static void stop(struct refrain_exchange *exchange, const char *why) {
    if (!exchange->team.wrong)
        exchange->team.wrong = why;
}

/* ---- what comes ---- */

/* The message of which notices are being read is read no more. */
static void drop_first(struct refrain_exchange *exchange, uint32_t location) {
    struct queue *queue = &exchange->queues[location];
    struct came *first = queue->first;
    if (!first)
        return;
    queue->first = first->next;
    exchange->held -= first->n;
    free(first);
}

/* Notices of the location's first message are read from now on. */
static void begin_first(struct refrain_exchange *exchange, uint32_t location) {
    const struct came *first = exchange->queues[location].first;
    struct refrain_notices *come = &exchange->team.come[location];
    come->next = first ? first->message.notices : NULL;
    come->end = first ? first->message.notices + first->n : NULL;
}

static void keep(struct refrain_exchange *exchange, struct came *came) {
    uint32_t location = (uint32_t)came->message.location;
    struct queue *queue = &exchange->queues[location];
    came->next = NULL;
    exchange->held += came->n;
    if (queue->first) {
        queue->last->next = came;
        queue->last = came;
        return;
    }
    queue->first = queue->last = came;
    begin_first(exchange, location);
}

/* Takes in a message that has come; false when none has. */
static bool take_in(struct refrain_exchange *exchange) {
    MPI_Status status;
    int there, bytes;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, exchange->processes, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    bool wanted = status.MPI_TAG == TAG_BATCH && !exchange->ended && !exchange->team.wrong;
    struct came *came = wanted ? malloc(sizeof *came + (size_t)bytes) : NULL;
    MPI_Recv(came ? &came->message : exchange->spare, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
             exchange->processes, &status);
    exchange->n_finals += status.MPI_TAG != TAG_BATCH;
    if (status.MPI_TAG == TAG_STOPPED)
        stop(exchange, other_stopped);
    if (came) {
        came->n = ((size_t)bytes - sizeof came->message) / sizeof *came->message.notices;
        keep(exchange, came);
    } else if (wanted) {
        stop(exchange, no_memory);
    }
    return true;
}

/* Nothing has come: others get the processor, at first for as long as they want it at least. */
static void give_way(unsigned *looked) {
    if (++*looked > LOOKS_BEFORE_SLEEP)
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NS}, NULL);
}

/* ---- what goes ---- */

static bool has_left(struct refrain_exchange *exchange, const struct sent *sent) {
    int left = 1;
    for (int process = 0; process < exchange->n && left; process++)
        MPI_Test(&sent->requests[process], &left, MPI_STATUS_IGNORE);
    return left;
}

/* The room is that of the batch that is filled. */
static void make_room(struct refrain_exchange *exchange) {
    struct message *message = exchange->team.wrong ? exchange->spare : exchange->sent[exchange->filling].message;
    exchange->team.room = message->notices;
    exchange->team.room_end = message->notices + REFRAIN_EXCHANGE_NOTICES;
}

static void leave(struct refrain_team *team, uint32_t location) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)team;
    struct sent *sent = &exchange->sent[exchange->filling];
    size_t n = REFRAIN_EXCHANGE_NOTICES - (size_t)(team->room_end - team->room);
    unsigned looked = 0;
    exchange->n_running -= n > 0 && team->room[-1].kind == REFRAIN_NOTICE_END;
    if (n > 0 && !team->wrong) {
        sent->message->location = location;
        for (int process = 0; process < exchange->n; process++)
            if (process != exchange->number)
                MPI_Issend(sent->message, (int)(sizeof *sent->message + n * sizeof *sent->message->notices), MPI_BYTE,
                           process, TAG_BATCH, exchange->processes, &sent->requests[process]);
        exchange->filling = (exchange->filling + 1) % REFRAIN_EXCHANGE_BATCHES;
    }
    while (exchange->held < MOST_HELD && take_in(exchange))
        ;
    /* Meanwhile what comes is taken in, so that no two processes wait for each other. */
    while (!has_left(exchange, &exchange->sent[exchange->filling]) && !team->wrong)
        if (!take_in(exchange))
            give_way(&looked);
    make_room(exchange);
}

/* ---- the aligner's other questions ---- */

static bool owns(const struct refrain_team *team, int32_t rank) {
    const struct refrain_exchange *exchange = (const struct refrain_exchange *)team;
    return rank >= 0 && rank < exchange->n_ranks && exchange->owners[rank] == exchange->number;
}

static const struct refrain_notice *wait_for_notices(struct refrain_team *team, uint32_t location) {
    struct refrain_exchange *exchange = (struct refrain_exchange *)team;
    struct refrain_notices *come = &team->come[location];
    unsigned looked = 0;
    drop_first(exchange, location);
    begin_first(exchange, location);
    while (come->next == come->end && !team->wrong)
        if (!take_in(exchange))
            give_way(&looked);
    return come->next < come->end ? come->next++ : NULL;
}

/* ---- the whole of it ---- */

static struct message *new_message(void) {
    return malloc(sizeof(struct message) + REFRAIN_EXCHANGE_NOTICES * sizeof(struct refrain_notice));
}

struct refrain_exchange *refrain_exchange_open(MPI_Comm processes, const int32_t *owners, int32_t n_ranks,
                                               const struct refrain_trace *trace) {
    struct refrain_exchange *exchange = calloc(1, sizeof *exchange);
    if (!exchange)
        return NULL;
    exchange->team = (struct refrain_team){.trace = trace, .owns = owns, .leave = leave, .wait = wait_for_notices};
    MPI_Comm_dup(processes, &exchange->processes);
    MPI_Comm_rank(processes, &exchange->number);
    MPI_Comm_size(processes, &exchange->n);
    exchange->owners = owners;
    exchange->n_ranks = n_ranks;
    exchange->queues = calloc(trace->n_locations + 1, sizeof *exchange->queues);
    exchange->team.come = calloc(trace->n_locations + 1, sizeof *exchange->team.come);
    exchange->spare = new_message();
    bool made = exchange->queues && exchange->team.come && exchange->spare;
    for (unsigned i = 0; i < REFRAIN_EXCHANGE_BATCHES && made; i++) {
        struct sent *sent = &exchange->sent[i];
        sent->message = new_message();
        sent->requests = malloc((size_t)exchange->n * sizeof *sent->requests);
        made = sent->message && sent->requests;
        for (int process = 0; process < exchange->n && made; process++)
            sent->requests[process] = MPI_REQUEST_NULL;
    }
    if (!made)
        MPI_Abort(processes, 1);
    make_room(exchange);
    for (size_t i = 0; i < trace->n_locations; i++)
        exchange->n_running += owns(&exchange->team, trace->locations[i].rank);
    return exchange;
}

struct refrain_team *refrain_exchange_team(struct refrain_exchange *exchange) {
    return &exchange->team;
}

void refrain_exchange_end(struct refrain_exchange *exchange) {
    unsigned looked = 0;
    if (exchange->ended)
        return;
    if (exchange->n_running > 0)
        stop(exchange, "a process could not go on");
    exchange->ended = true; /* what comes now is passed over */
    int tag = exchange->team.wrong ? TAG_STOPPED : TAG_FINISHED;
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
    for (unsigned i = 0; i < REFRAIN_EXCHANGE_BATCHES; i++) {
        struct sent *sent = &exchange->sent[i];
        for (int process = 0; process < exchange->n; process++)
            MPI_Wait(&sent->requests[process], MPI_STATUS_IGNORE);
        free(sent->requests);
        free(sent->message);
    }
    for (uint32_t i = 0; i < exchange->team.trace->n_locations; i++)
        while (exchange->queues[i].first)
            drop_first(exchange, i);
    MPI_Comm_free(&exchange->processes);
    free(exchange->team.come);
    free(exchange->queues);
    free(exchange->spare);
    free(exchange);
}
