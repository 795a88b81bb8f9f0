/* mpi_members.h: what MPI says of a communicator: who is in it, and how they are arranged. */
#ifndef REFRAIN_MPI_MEMBERS_H
#define REFRAIN_MPI_MEMBERS_H

#include "mpi_state.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_MOST_DIMENSIONS 16

/* MPI_COMM_WORLD, or mpi://WORLD for a process that has only sessions. */
struct refrain_world {
    MPI_Group group; /* null once MPI_Finalize has begun */
    int rank, size;
    int most_members; /* of a group that the two arrays have room for */
    int *ranks;       /* 0, 1, ...; null: not open */
    int *scratch;     /* of refrain_members_read() */
};
extern REFRAIN_HIDDEN struct refrain_world refrain_world;

/* Who is in a communicator. `ranks` are in MPI_COMM_WORLD, those of the remote group last. */
struct refrain_members {
    const int *ranks;
    int size, my_rank, remote_size;
    bool unreadable; /* too many to look at, which only those of other MPI_COMM_WORLDs can be */
    bool foreign;    /* there are members of other MPI_COMM_WORLDs; their rank is -1 */
    bool identity;
    int leader; /* rank in MPI_COMM_WORLD */
    bool local; /* the leader is in the local group */
    uint64_t hash;
};

static inline uint64_t refrain_members_hash(uint64_t hash, uint64_t value) {
    return (hash ^ value) * 0x100000001b3u;
}

/* False when there is no memory. */
REFRAIN_HIDDEN bool refrain_members_open(int rank, int size);

/* Reads the members into the scratch array; under the lock, and valid as long as that is held. */
REFRAIN_HIDDEN void refrain_members_read(MPI_Comm comm, struct refrain_members *members);

/* In steps. Their numbers, and own rank; `ranks` is null. */
REFRAIN_HIDDEN void refrain_members_measure(MPI_Comm comm, struct refrain_members *members);

/* Without MPI_COMM_WORLD there is no group to translate to: members say who they are, into `ranks`, with room for twice
 * the larger group, as the scratch array has. By all of them. */
REFRAIN_HIDDEN void refrain_members_gather(MPI_Comm comm, struct refrain_members *members, int *ranks);

/* What follows from `ranks` and the numbers. */
REFRAIN_HIDDEN void refrain_members_conclude(struct refrain_members *members);

/* The topology, if it is Cartesian: dimensions, then periods, then own coordinates; the number of values. */
REFRAIN_HIDDEN unsigned refrain_topology_read(MPI_Comm comm, int32_t *values, uint32_t *n_dimensions);

#endif
