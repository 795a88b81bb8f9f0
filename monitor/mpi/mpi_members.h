/* mpi_members.h: asks MPI for the members and the topology of a communicator. */
#ifndef REFRAIN_MPI_MEMBERS_H
#define REFRAIN_MPI_MEMBERS_H

#include "mpi_state.h"
#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_MOST_DIMENSIONS 16

/* MPI_COMM_WORLD, or mpi://WORLD if the process has only sessions. */
struct refrain_world {
    MPI_Group group; /* null after MPI_Finalize has begun */
    int rank, size;
    int most_members; /* the largest group that the two arrays can hold */
    int *ranks;       /* 0, 1, ...; null: not open */
    int *scratch;     /* used by refrain_members_read() */
};
extern REFRAIN_HIDDEN struct refrain_world refrain_world;

/* The members of a communicator. `ranks` are those in MPI_COMM_WORLD; the remote group comes last. */
struct refrain_members {
    const int *ranks;
    int size, my_rank, remote_size;
    bool unreadable; /* more members than the arrays can hold; only communicators with processes of other
                        MPI_COMM_WORLDs can have these */
    bool foreign;    /* some members belong to other MPI_COMM_WORLDs; their rank is -1 */
    bool identity;
    int leader; /* rank in MPI_COMM_WORLD of the leader, which names the communicator */
    bool local; /* the leader is in the local group */
    uint64_t hash;
};

static inline uint64_t refrain_members_hash(uint64_t hash, uint64_t value) {
    return (hash ^ value) * 0x100000001b3u;
}

/* False without memory. */
REFRAIN_HIDDEN bool refrain_members_open(int rank, int size);

/* Reads the members into the scratch array. The caller holds the lock; the result is valid while it does. */
REFRAIN_HIDDEN void refrain_members_read(MPI_Comm comm, struct refrain_members *members);

/* The first step: sets the sizes of the groups and the own rank; `ranks` is null. */
REFRAIN_HIDDEN void refrain_members_measure(MPI_Comm comm, struct refrain_members *members);

/* The second step, if there is no MPI_COMM_WORLD whose ranks could be looked up: each member sends its rank to all
 * others. `ranks` has room for twice the larger group, as the scratch array has. Called by all members. */
REFRAIN_HIDDEN void refrain_members_gather(MPI_Comm comm, struct refrain_members *members, int *ranks);

/* The last step: sets what follows from `ranks` and the sizes. */
REFRAIN_HIDDEN void refrain_members_conclude(struct refrain_members *members);

/* Reads the topology if it is Cartesian: dimensions, then periods, then the own coordinates. Returns the number of
 * values. */
REFRAIN_HIDDEN unsigned refrain_topology_read(MPI_Comm comm, int32_t *values, uint32_t *n_dimensions);

#endif
