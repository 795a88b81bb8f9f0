/* mpi_clock.c: measures how far the clocks of nodes are apart, and how differently they run (struct
 * refrain_clock_sync).
 *
 *     rank of its own node   0 <---- 1      each asks one with a lower number, several times there and back,
 *                            ^ ^---- 2 <- 3    when MPI begins and when it ends: log2(nodes) steps
 *                            '------ 4 ...
 *
 * Processes with the same boot id are on one node, and have the same time-stamp counter. One rank of each node takes
 * part. These ranks have a communicator of their own, which the program never sees. */
#include "arch/clock.h"
#include "mpi_objects.h"
#include "run/pool.h"
#include <refrain/trace.h>

#define ROUNDS 40 /* messages there and back; the fastest round is used */

static MPI_Comm speakers = MPI_COMM_NULL;

/* ---- two clocks ---- */

/* The words of an answer. */
enum { ANSWER_TICKS, ANSWER_RANK, ANSWER_WORDS };

static void answer(int child, int rank) {
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t words[ANSWER_WORDS];
        PMPI_Recv(words, 0, MPI_UINT64_T, child, 0, speakers, MPI_STATUS_IGNORE);
        words[ANSWER_TICKS] = refrain_ticks();
        words[ANSWER_RANK] = (uint64_t)rank;
        PMPI_Send(words, ANSWER_WORDS, MPI_UINT64_T, child, 0, speakers);
    }
}

static void ask(int parent) {
    struct refrain_clock_meeting best = {.round_trip_ticks = UINT64_MAX};
    uint64_t words[ANSWER_WORDS];
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t before = refrain_ticks();
        PMPI_Send(words, 0, MPI_UINT64_T, parent, 0, speakers);
        PMPI_Recv(words, ANSWER_WORDS, MPI_UINT64_T, parent, 0, speakers, MPI_STATUS_IGNORE);
        uint64_t round_trip = refrain_ticks() - before;
        if (round_trip < best.round_trip_ticks)
            best = (struct refrain_clock_meeting){before + round_trip / 2, words[ANSWER_TICKS], round_trip};
    }
    if (!refrain_trace_file.header)
        return;
    struct refrain_clock_sync *sync = &refrain_trace_file.header->clock_sync;
    sync->parent = (int32_t)words[ANSWER_RANK];
    sync->meeting[sync->n] = best;
    __atomic_store_n(&sync->n, sync->n + 1, __ATOMIC_RELEASE);
}

/* Answers the ranks above that differ in one of the bits below this rank's lowest one, then asks the rank without the
 * lowest bit. */
static void meet(void) {
    int position, size, rank;
    if (speakers == MPI_COMM_NULL)
        return;
    PMPI_Comm_rank(speakers, &position);
    PMPI_Comm_size(speakers, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int bit = 1; bit < size; bit *= 2) {
        if (position & bit) {
            ask(position - bit);
            return;
        }
        if (position + bit < size)
            answer(position + bit, rank);
    }
}

/* ---- nodes ---- */

/* Sets `node` to zero in a process that is not traced, which then counts as another node. */
static void read_node(uint64_t node[2]) {
    const struct refrain_header *header = refrain_trace_file.header;
    node[0] = header ? header->boot_id[0] : 0;
    node[1] = header ? header->boot_id[1] ^ header->clock : 0;
}

/* True if all members of `comm` are on the same node. */
static bool one_node(const uint64_t node[2], MPI_Comm comm) {
    uint64_t mine[4] = {node[0], node[1], ~node[0], ~node[1]}, least[4];
    PMPI_Allreduce(mine, least, 4, MPI_UINT64_T, MPI_MIN, comm);
    return least[0] == ~least[2] && least[1] == ~least[3];
}

void refrain_mpi_clocks_begin(int rank) {
    uint64_t node[2], first[2];
    int position;
    MPI_Comm members;
    read_node(node);
    if (one_node(node, MPI_COMM_WORLD))
        return;
    /* Different nodes may get the same colour. A rank that is not on the node of the first rank with its colour takes
     * part for itself. */
    uint64_t colour = (node[0] ^ node[1]) * 0x9e3779b97f4a7c15u >> 33;
    PMPI_Comm_split(MPI_COMM_WORLD, (int)colour, rank, &members);
    PMPI_Comm_rank(members, &position);
    first[0] = node[0];
    first[1] = node[1];
    PMPI_Bcast(first, 2, MPI_UINT64_T, 0, members);
    PMPI_Comm_free(&members);
    bool speaks = position == 0 || first[0] != node[0] || first[1] != node[1];
    PMPI_Comm_split(MPI_COMM_WORLD, speaks ? 0 : MPI_UNDEFINED, rank, &speakers);
    meet();
}

void refrain_mpi_clocks_end(void) {
    if (speakers == MPI_COMM_NULL)
        return;
    meet();
    PMPI_Comm_free(&speakers);
}
