/* mpi_idup.c: follows duplicates of communicators until their members agree on a name (mpi_idup.h). */
#define _GNU_SOURCE
#include "mpi_idup.h"
#include "arch/clock.h"
#include "arch/clock_system.h"
#include "mpi_communicators.h"
#include "mpi_state.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <sched.h>
#include <time.h>

#define IDUPS 64 /* duplicates in progress that can get a name */
#define MOST_WAIT_NS (UINT64_C(10) * 1000000000)

/* MPI_Comm_idup         its request completes            the ordinal arrives
 *     FREE ----------> UNDER_WAY ------------------> NAMELESS ---------------------> FREE
 *                          \___ the ordinal has arrived before _____________________________^
 *
 * LEFT: a nameless duplicate that was freed, or for whose name a thread has waited too long. Only its broadcast is in
 * progress. */
enum state { FREE, UNDER_WAY, NAMELESS, LEFT };

/* Members may not wait for each other when they call MPI_Comm_idup. But all call it in the same order as the other
 * collectives of the parent. So the ordinal is broadcast in the parent without blocking. It may arrive later than the
 * duplicate, if members on its way are not in MPI at the moment. */
static struct idup {
    MPI_Comm parent;
    MPI_Comm *result; /* while it is in progress: where MPI will write the duplicate */
    MPI_Comm comm;    /* after that */
    MPI_Request agreement;
    uint32_t ordinal;
    enum state state;
    bool tested; /* a thread is testing `agreement` */
} idups[IDUPS];

static uint32_t ordinal_beyond; /* for ordinals of duplicates that the table has no entry for */
uint32_t refrain_idups_nameless;

static void set_state(struct idup *idup, enum state state) {
    uint32_t before = idup->state == NAMELESS, after = state == NAMELESS;
    idup->state = state;
    __atomic_fetch_add(&refrain_idups_nameless, after - before, __ATOMIC_RELAXED);
}

/* If the ordinal has arrived, gives the duplicate its name, and frees the entry. */
static void look(struct idup *idup) {
    int arrived = 0;
    refrain_mpi_lock();
    bool mine = !idup->tested && (idup->state == NAMELESS || idup->state == LEFT);
    idup->tested |= mine;
    refrain_mpi_unlock();
    if (!mine)
        return;
    PMPI_Test(&idup->agreement, &arrived, MPI_STATUS_IGNORE);
    if (arrived && idup->state == NAMELESS)
        refrain_communicator_duplicated(idup->parent, idup->comm, idup->ordinal);
    refrain_mpi_lock();
    idup->tested = false;
    if (arrived)
        set_state(idup, FREE);
    refrain_mpi_unlock();
}

/* Takes an entry for a duplicate of `parent` that MPI will write to *comm. Null if none is free. */
static struct idup *begin(MPI_Comm parent, MPI_Comm *comm) {
    int n = 0;
    for (unsigned i = 0; i < IDUPS; i++)
        if (idups[i].state == LEFT)
            look(&idups[i]);
    refrain_mpi_lock();
    while (n < IDUPS && idups[n].state != FREE)
        n++;
    if (n < IDUPS)
        idups[n] = (struct idup){.parent = parent,
                                 .result = comm,
                                 .agreement = MPI_REQUEST_NULL,
                                 .ordinal = REFRAIN_ORDINAL_NONE,
                                 .state = UNDER_WAY};
    refrain_mpi_unlock();
    return n < IDUPS ? &idups[n] : NULL;
}

/* Agrees on the duplicate's name. Null: this process does not use it, but takes part. */
static void agree(struct idup *idup, MPI_Comm parent) {
    MPI_Request forgotten;
    uint32_t *ordinal = idup ? &idup->ordinal : &ordinal_beyond;
    refrain_idup_needed(parent);
    if (refrain_communicator_reserve(parent, ordinal, idup != NULL))
        PMPI_Ibcast(ordinal, 1, MPI_UNSIGNED, 0, parent, idup ? &idup->agreement : &forgotten);
}

int refrain_idup_end(struct refrain_call *call, struct refrain_request *taken, int rc, MPI_Comm parent, MPI_Comm *comm,
                     const MPI_Request *request) {
    if (rc == MPI_SUCCESS && refrain_mpi_active) {
        struct idup *idup = taken ? begin(parent, comm) : NULL;
        agree(idup, parent);
        if (idup) {
            taken->message.peer = (int32_t)(idup - idups);
            taken->flags |= REFRAIN_REQUEST_IDUP;
        }
    }
    return refrain_request_end_taking(call, taken, rc, request);
}

void refrain_idup_complete(unsigned n) {
    struct idup *idup = &idups[n];
    refrain_mpi_lock();
    idup->comm = *idup->result;
    set_state(idup, NAMELESS);
    refrain_mpi_unlock();
    look(idup);
}

/* The nameless duplicate with this handle. Null if there is none. */
static struct idup *find(MPI_Comm comm) {
    struct idup *found = NULL;
    refrain_mpi_lock();
    for (unsigned i = 0; i < IDUPS && !found; i++)
        if (idups[i].state == NAMELESS && idups[i].comm == comm)
            found = &idups[i];
    refrain_mpi_unlock();
    return found;
}

/* No name is needed any more. */
static void leave(struct idup *idup) {
    refrain_mpi_lock();
    if (idup->state == NAMELESS)
        set_state(idup, LEFT);
    refrain_mpi_unlock();
}

void refrain_idup_wait(MPI_Comm comm) {
    uint64_t since_ns = refrain_clock_gettime_ns(CLOCK_MONOTONIC);
    for (struct idup *idup; (idup = find(comm)); sched_yield()) {
        look(idup);
        if (idup->state == NAMELESS && refrain_clock_gettime_ns(CLOCK_MONOTONIC) - since_ns > MOST_WAIT_NS) {
            refrain_lose(REFRAIN_LOSS_COMMUNICATORS, 1);
            refrain_communicator_duplicated(idup->parent, comm, REFRAIN_ORDINAL_NONE);
            leave(idup);
        }
    }
}

void refrain_idup_freed(MPI_Comm former) {
    struct idup *idup = refrain_idups_nameless ? find(former) : NULL;
    if (idup)
        leave(idup);
}

void refrain_idups_close(void) {
    for (unsigned i = 0; i < IDUPS; i++)
        if (idups[i].state == NAMELESS || idups[i].state == LEFT) {
            PMPI_Wait(&idups[i].agreement, MPI_STATUS_IGNORE);
            look(&idups[i]);
        }
}
