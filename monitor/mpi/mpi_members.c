/* mpi_members.c: asks MPI for the members and the topology of a communicator (mpi_members.h). */
#define _GNU_SOURCE
#include "mpi_members.h"
#include <refrain/settings.h>

#include <string.h>
#include <sys/mman.h>

struct refrain_world refrain_world;

bool refrain_members_open(int rank, int size) {
    int most = size + (int)REFRAIN_FOREIGN_MEMBERS;
    int *ranks = mmap(NULL, refrain_settings_ranks_bytes((uint64_t)size), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (ranks == MAP_FAILED)
        return false;
    for (int i = 0; i < most; i++)
        ranks[i] = i;
    refrain_world.rank = rank;
    refrain_world.size = size;
    refrain_world.most_members = most;
    refrain_world.ranks = ranks;
    refrain_world.scratch = ranks + most; /* two groups fit */
    return true;
}

/* True where all are of this MPI_COMM_WORLD. */
static bool translate(MPI_Comm comm, bool remote, int n, int *ranks) {
    MPI_Group group, of_all = refrain_world.group;
    bool all = true;
    if (of_all == MPI_GROUP_NULL) /* in MPI_Finalize */
        PMPI_Comm_group(MPI_COMM_WORLD, &of_all);
    if (remote)
        PMPI_Comm_remote_group(comm, &group);
    else
        PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, n, refrain_world.ranks, of_all, ranks);
    PMPI_Group_free(&group);
    if (refrain_world.group == MPI_GROUP_NULL)
        PMPI_Group_free(&of_all);
    for (int i = 0; i < n; i++)
        if (ranks[i] == MPI_UNDEFINED) {
            ranks[i] = -1;
            all = false;
        }
    return all;
}

void refrain_members_measure(MPI_Comm comm, struct refrain_members *members) {
    int inter = 0;
    *members = (struct refrain_members){.leader = -1};
    PMPI_Comm_test_inter(comm, &inter);
    PMPI_Comm_size(comm, &members->size);
    PMPI_Comm_rank(comm, &members->my_rank);
    if (inter)
        PMPI_Comm_remote_size(comm, &members->remote_size);
    members->unreadable =
        members->size > refrain_world.most_members || members->remote_size > refrain_world.most_members;
    members->foreign = members->unreadable;
}

void refrain_members_conclude(struct refrain_members *members) {
    int n = members->size + members->remote_size;
    uint64_t hash = (uint64_t)members->size << 32 | (uint32_t)members->remote_size;
    members->identity = members->remote_size == 0 && members->size == refrain_world.size;
    for (int i = 0; i < n; i++) {
        hash = refrain_members_hash(hash, (uint64_t)members->ranks[i]);
        members->identity &= members->ranks[i] == i;
    }
    members->hash = hash;
    members->leader = members->ranks[0];
    members->local = members->remote_size == 0 || members->ranks[0] < members->ranks[members->size];
    if (!members->local)
        members->leader = members->ranks[members->size];
}

void refrain_members_read(MPI_Comm comm, struct refrain_members *members) {
    refrain_members_measure(comm, members);
    if (members->unreadable)
        return;
    members->ranks = refrain_world.scratch;
    members->foreign = !translate(comm, false, members->size, refrain_world.scratch);
    if (members->remote_size > 0)
        members->foreign |= !translate(comm, true, members->remote_size, refrain_world.scratch + members->size);
    refrain_members_conclude(members);
}

unsigned refrain_topology_read(MPI_Comm comm, int32_t *values, uint32_t *n_dimensions) {
    int kind = MPI_UNDEFINED, n = 0, inter = 0;
    *n_dimensions = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter || PMPI_Topo_test(comm, &kind) != MPI_SUCCESS || kind != MPI_CART)
        return 0;
    if (PMPI_Cartdim_get(comm, &n) != MPI_SUCCESS || n < 1 || n > REFRAIN_MOST_DIMENSIONS)
        return 0;
    int dimensions[REFRAIN_MOST_DIMENSIONS], periods[REFRAIN_MOST_DIMENSIONS], coordinates[REFRAIN_MOST_DIMENSIONS];
    if (PMPI_Cart_get(comm, n, dimensions, periods, coordinates) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < n; i++) {
        values[i] = dimensions[i];
        values[n + i] = periods[i];
        values[2 * n + i] = coordinates[i];
    }
    *n_dimensions = (uint32_t)n;
    return 3u * (unsigned)n;
}

/* Across an intercommunicator each side hears of the other, and then of itself: what the other has heard. */
void refrain_members_gather(MPI_Comm comm, struct refrain_members *members, int *ranks) {
    int larger = members->size > members->remote_size ? members->size : members->remote_size;
    int *heard = ranks + larger;
    if (members->remote_size == 0) {
        PMPI_Allgather(&refrain_world.rank, 1, MPI_INT, ranks, 1, MPI_INT, comm);
    } else {
        for (int i = 0; i < larger; i++)
            heard[i] = -1;
        PMPI_Allgather(&refrain_world.rank, 1, MPI_INT, heard, 1, MPI_INT, comm);
        PMPI_Allreduce(heard, ranks, larger, MPI_INT, MPI_MAX, comm);
        memmove(ranks + members->size, heard, sizeof(int) * (size_t)members->remote_size);
    }
    members->ranks = ranks;
    refrain_members_conclude(members);
}
