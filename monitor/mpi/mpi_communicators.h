/* mpi_communicators.h: communicators, which have a record each in the trace file, and the names that their members
 * agree on. */
#ifndef REFRAIN_MPI_COMMUNICATORS_H
#define REFRAIN_MPI_COMMUNICATORS_H

#include "call.h"
#include "mpi_state.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_COMMUNICATORS 128u /* number of communicators, live or dead, before their table grows */

/* Makes the records of MPI_COMM_WORLD and MPI_COMM_SELF. Called after MPI_Init by all ranks. `rank` and `size`: in
 * MPI_COMM_WORLD, or in mpi://WORLD if the process has only sessions (`world` false), and so neither communicator.
 * False without memory. */
bool refrain_communicators_open(int rank, int size, bool world);
void refrain_communicators_close(void);

/* Returns the record of another communicator than MPI_COMM_WORLD. Null if it is unknown. It may not have its name yet
 * (refrain_communicator_find() in mpi_objects.h). */
const struct refrain_communicator *refrain_communicator_find_other(MPI_Comm comm);

/* Counts a blocking collective on the communicator, which begins with this call, and shows it to refrain top. */
static inline void refrain_communicator_entered(const struct refrain_call *call,
                                                const struct refrain_communicator *communicator) {
    ((struct refrain_communicator *)(uintptr_t)communicator)->collectives++;
    call->context->thread->now.comm = communicator->index + 1;
}
static inline int64_t refrain_communicator_index(const struct refrain_communicator *communicator) {
    return communicator ? (int64_t)communicator->index : -1;
}

/* Makes a record of a communicator that was made from `parent` (MPI_COMM_NULL: from none). All members call this after
 * the MPI function, since they agree on a name. If `comm` is MPI_COMM_NULL, it does nothing. */
void refrain_communicator_new(MPI_Comm parent, MPI_Comm comm);
/* The same for a communicator that was made from a session. */
void refrain_communicator_new_of_session(MPI_Comm comm);

/* The same in steps, for MPI_Comm_idup, whose members may not wait for each other. Rank 0 chooses the ordinal of a
 * duplicate of `parent` (if `wanted`) and broadcasts it; then each member makes its record. False if nothing has to be
 * broadcast, which is so for all members alike: those of an intercommunicator know the ordinal already. */
#define REFRAIN_ORDINAL_NONE UINT32_MAX
bool refrain_communicator_reserve(MPI_Comm parent, uint32_t *ordinal, bool wanted);
void refrain_communicator_duplicated(MPI_Comm parent, MPI_Comm comm, uint32_t ordinal);

void refrain_communicator_freed(MPI_Comm former);
void refrain_communicator_named(MPI_Comm comm, const char *name);

/* Returns the record with this index. Null if there is none. Searches the list. */
const struct refrain_communicator *refrain_communicator_at(int64_t index);

/* The rank in MPI_COMM_WORLD of rank `rank` of a communicator (of its remote group, if it has one). -1 unknown. */
int refrain_communicator_world_rank(const struct refrain_communicator *communicator, int rank);

#endif
