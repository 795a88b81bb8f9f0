/* mpi_order.c: finds the message that is first in virtual time (mpi_order.h). */
#define _GNU_SOURCE
#include "mpi_order.h"
#include "arch/clock.h"
#include "mpi_objects.h"
#include "run/allowance.h"
#include "run/configure.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <sched.h>
#include <string.h>

#define SENT 64u                 /* known latest messages of a process */
#define MOST_RANKS 1024          /* with more ranks, comparing all would take longer than the messages */
#define LEAST_PATIENCE_US 10000u /* a receive is delayed by at most this time, */
#define PATIENCE 2u              /* and this multiple of the difference in virtual time */
#define NEVER UINT64_MAX

/* A message that was sent. The sender writes it, except for `number`, which the receiver sets to 0. */
struct sent {
    uint64_t number; /* from 1 on; 0: it has been received */
    int32_t dest, tag;
    uint64_t ticks, virtual_ticks;
};

/* The data of a process that the others read. Only the process itself writes them, except as above. */
struct refrain_order_rank {
    uint64_t lag_ticks;      /* the clock less its virtual time, without ... */
    uint64_t spent_ticks;    /* ... the time of its probes */
    uint64_t waits_at_ticks; /* virtual time when it began to wait in MPI; 0: it is running */
    uint64_t n_sent;
    struct sent sent[SENT];
};

static struct refrain_order_rank *others[MOST_RANKS]; /* by rank in MPI_COMM_WORLD, this one included */
static int32_t own_rank, ranks;
static uint64_t call_ticks;  /* what the probes of an MPI call take */
static uint64_t began_ticks; /* when this process began its latest wait */
static MPI_Comm node = MPI_COMM_NULL;
static MPI_Win window = MPI_WIN_NULL;

static uint64_t load(const uint64_t *of) {
    return __atomic_load_n(of, __ATOMIC_ACQUIRE);
}

static void store(uint64_t *to, uint64_t value) {
    __atomic_store_n(to, value, __ATOMIC_RELEASE);
}

static uint64_t lag_of(const struct refrain_order_rank *rank) {
    return load(&rank->lag_ticks) + load(&rank->spent_ticks);
}

/* ---- the shared memory ---- */

static uint64_t cost_of_call(void) {
    const struct refrain_probe_cost *costs = refrain_trace_file.header->probe_costs;
    static const enum refrain_probe_kind kinds[] = {REFRAIN_PROBE_CALL_BEGIN, REFRAIN_PROBE_OPERATION,
                                                    REFRAIN_PROBE_CALL_RETURN, REFRAIN_PROBE_CALL_END};
    uint64_t sum = 0;
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        sum += costs[kinds[i]].before + costs[kinds[i]].after;
    return sum >> REFRAIN_PROBE_COST_SHIFT;
}

/* True if all processes are traced, have the setting, and can map each other's memory. */
static bool all_can(int size) {
    int can =
        refrain_trace_file.header != NULL && refrain_order_is_virtual() && !refrain_mpi_multiple && size <= MOST_RANKS;
    int members = 0, least;
    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    PMPI_Comm_size(node, &members);
    can &= members == size;
    PMPI_Allreduce(&can, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return least;
}

void refrain_order_begin(int rank, int size) {
    bool can = all_can(size);
    if (refrain_trace_file.header)
        refrain_trace_file.header->order.state = can ? REFRAIN_ORDER_VIRTUAL : REFRAIN_ORDER_REFUSED;
    struct refrain_order_rank *own = NULL;
    if (can && PMPI_Win_allocate_shared((MPI_Aint)sizeof *own, 1, MPI_INFO_NULL, node, &own, &window) != MPI_SUCCESS)
        can = false;
    if (!can) {
        PMPI_Comm_free(&node);
        return;
    }
    memset(own, 0, sizeof *own);
    own_rank = rank;
    ranks = size;
    for (int i = 0; i < size; i++) {
        MPI_Aint bytes;
        int unit;
        void *base;
        PMPI_Win_shared_query(window, i, &bytes, &unit, &base);
        others[i] = base;
    }
    call_ticks = cost_of_call();
    PMPI_Barrier(node);
    refrain_mpi_often.order = own;
    refrain_spent_ticks = &own->spent_ticks;
}

void refrain_order_end(void) {
    if (!refrain_mpi_often.order)
        return;
    refrain_order_wait();
    refrain_spent_ticks = NULL;
    refrain_mpi_often.order = NULL;
    PMPI_Win_free(&window);
    PMPI_Comm_free(&node);
}

/* ---- what happens ---- */

static uint64_t virtual_now(void) {
    return refrain_ticks() - lag_of(refrain_mpi_often.order);
}

void refrain_order_wait(void) {
    struct refrain_order_rank *own = refrain_mpi_often.order;
    store(&own->lag_ticks, own->lag_ticks + call_ticks);
    began_ticks = refrain_ticks();
    store(&own->waits_at_ticks, began_ticks - lag_of(own));
}

void refrain_order_continue(void) {
    store(&refrain_mpi_often.order->waits_at_ticks, 0);
}

/* Ranks of unknown groups, and of remote ones, are unknown: -1. */
static int32_t world_rank(const struct refrain_communicator *communicator, int rank) {
    if (!communicator || communicator->remote_size > 0 || rank < 0 || rank >= communicator->size)
        return -1;
    const int32_t *members = communicator->members ? refrain_at_reference(communicator->members) : NULL;
    int32_t world = members ? members[rank] : communicator->index == 1 ? own_rank : rank;
    return world < ranks ? world : -1;
}

void refrain_order_note_send(const struct refrain_communicator *communicator, int dest, int tag) {
    struct refrain_order_rank *own = refrain_mpi_often.order;
    int32_t world = world_rank(communicator, dest);
    if (world < 0)
        return;
    struct sent *sent = &own->sent[own->n_sent % SENT];
    store(&sent->number, 0);
    sent->dest = world;
    sent->tag = tag;
    sent->ticks = refrain_ticks();
    sent->virtual_ticks = virtual_now();
    store(&sent->number, ++own->n_sent);
}

/* The oldest message with this tag from `source` to `dest` that has not been received. Null if none is known. */
static struct sent *oldest_message(struct refrain_order_rank *source, int32_t dest, int tag) {
    struct sent *oldest = NULL;
    for (unsigned i = 0; i < SENT; i++) {
        struct sent *sent = &source->sent[i];
        uint64_t number = load(&sent->number);
        if (number && sent->dest == dest && (tag == MPI_ANY_TAG || sent->tag == tag) &&
            (!oldest || number < oldest->number))
            oldest = sent;
    }
    return oldest;
}

/* Sets the virtual time at the end of a call that waited for the message: as long after the later of the call's begin
 * and the sending, in virtual time, as it is after the later of both by the clock. */
static void take_over(struct refrain_order_rank *own, const struct sent *message) {
    uint64_t now = refrain_ticks(), from = began_ticks > message->ticks ? began_ticks : message->ticks;
    uint64_t began = began_ticks - lag_of(own);
    uint64_t then = (began > message->virtual_ticks ? began : message->virtual_ticks) + (now - from);
    uint64_t spent = load(&own->spent_ticks);
    if (then + spent <= now)
        store(&own->lag_ticks, now - then - spent);
}

void refrain_order_note_receive(int64_t index, int source, int tag, bool blocking) {
    int32_t world = world_rank(refrain_communicator_at(index), source);
    struct sent *message = world < 0 ? NULL : oldest_message(others[world], own_rank, tag);
    if (!message)
        return;
    if (blocking)
        take_over(refrain_mpi_often.order, message);
    store(&message->number, 0);
}

/* ---- choosing ---- */

struct choice {
    int source;             /* rank in the communicator; -1: there is no message */
    int32_t world;          /* its rank in MPI_COMM_WORLD */
    uint64_t virtual_ticks; /* of the message */
    bool there[MOST_RANKS]; /* by rank in MPI_COMM_WORLD: there is a message of it */
};

/* Compares all messages that have arrived. */
static void look(struct choice *choice, const struct refrain_communicator *communicator, int tag, MPI_Comm comm) {
    memset(choice->there, 0, sizeof *choice->there * (size_t)ranks);
    choice->source = -1;
    choice->virtual_ticks = NEVER;
    for (int i = 0; i < communicator->size; i++) {
        MPI_Status status;
        int flag = 0;
        PMPI_Iprobe(i, tag, comm, &flag, &status);
        int32_t world = flag ? world_rank(communicator, i) : -1;
        if (world < 0)
            continue;
        const struct sent *message = oldest_message(others[world], own_rank, status.MPI_TAG);
        uint64_t ticks = message ? message->virtual_ticks : refrain_ticks() - lag_of(others[world]);
        choice->there[world] = true;
        if (choice->source < 0 || ticks < choice->virtual_ticks) {
            choice->source = i;
            choice->world = world;
            choice->virtual_ticks = ticks;
        }
    }
}

/* For each process, the earliest virtual time of a message that is on the way to it. NEVER: there is none. */
static void find_messages(uint64_t *to) {
    for (int32_t i = 0; i < ranks; i++)
        to[i] = NEVER;
    for (int32_t i = 0; i < ranks; i++)
        for (unsigned k = 0; k < SENT; k++) {
            const struct sent *sent = &others[i]->sent[k];
            if (load(&sent->number) && sent->virtual_ticks < to[sent->dest])
                to[sent->dest] = sent->virtual_ticks;
        }
}

/* The earliest virtual time at which a process may still send a message that is before the choice. NEVER: none may. */
static uint64_t earliest_other(const struct choice *choice, int tag) {
    uint64_t to[MOST_RANKS], earliest = NEVER;
    find_messages(to);
    for (int32_t i = 0; i < ranks; i++) {
        if (i == own_rank || choice->there[i])
            continue; /* its next message comes after the one that is there */
        const struct sent *coming = oldest_message(others[i], own_rank, tag);
        uint64_t waits_at = load(&others[i]->waits_at_ticks), from = refrain_ticks() - lag_of(others[i]);
        if (coming)
            from = coming->virtual_ticks;
        else if (waits_at)
            from = to[i] == NEVER ? NEVER : to[i] > waits_at ? to[i] : waits_at;
        if (from < choice->virtual_ticks && from < earliest)
            earliest = from;
    }
    return earliest;
}

int refrain_order_choose(int source, int tag, MPI_Comm comm) {
    struct refrain_header *header = refrain_trace_file.header;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    struct choice choice;
    uint64_t deadline = 0, us = header->last.monotonic_ns - header->start.monotonic_ns;
    if (!communicator || communicator->remote_size > 0)
        return source;
    uint64_t patience = (header->last.ticks - header->start.ticks) * LEAST_PATIENCE_US / (us / 1000 + 1);
    header->order.receives++;
    for (;;) {
        MPI_Status status;
        look(&choice, communicator, tag, comm);
        if (choice.source < 0) {
            if (PMPI_Probe(MPI_ANY_SOURCE, tag, comm, &status) != MPI_SUCCESS)
                return source;
            continue;
        }
        uint64_t earliest = earliest_other(&choice, tag), now = refrain_ticks();
        if (earliest == NEVER)
            return choice.source;
        if (!deadline) {
            deadline = now + PATIENCE * (choice.virtual_ticks - earliest) + patience;
            header->order.held++;
        }
        if (now > deadline) {
            header->order.given_up++;
            return choice.source;
        }
        sched_yield();
    }
}
