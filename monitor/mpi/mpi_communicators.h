/* mpi_communicators.h: communicators, each with a record in the trace file, and the names that their members agree on.
 */
#ifndef REFRAIN_MPI_COMMUNICATORS_H
#define REFRAIN_MPI_COMMUNICATORS_H

#include "call.h"
#include "mpi_state.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_COMMUNICATORS 128u /* live or dead before their table grows */

/* After MPI_Init, by all ranks: MPI_COMM_WORLD and MPI_COMM_SELF. `rank` and `size` are those in MPI_COMM_WORLD, or in
 * mpi://WORLD for a process that has only sessions (`world` false), which has neither communicator; their records are
 * made all the same. False when there is no memory. */
bool refrain_communicators_open(int rank, int size, bool world);
void refrain_communicators_close(void);

/* The record of a communicator that is not MPI_COMM_WORLD; null when it is unknown. Its name may be still to come
 * (refrain_communicator_find() in mpi_objects.h). */
const struct refrain_communicator *refrain_communicator_find_other(MPI_Comm comm);

/* The call is a blocking collective on the communicator, and begins: counts it, and says so to refrain top. */
static inline void refrain_communicator_entered(const struct refrain_call *call,
                                                const struct refrain_communicator *communicator) {
    ((struct refrain_communicator *)(uintptr_t)communicator)->collectives++;
    call->context->thread->now.comm = communicator->index + 1;
}
static inline int64_t refrain_communicator_index(const struct refrain_communicator *communicator) {
    return communicator ? (int64_t)communicator->index : -1;
}

/* A new communicator has been made from `parent` (MPI_COMM_NULL: from none). All its members call this after the MPI
 * function: they agree on a name for it. `comm` may be MPI_COMM_NULL, which does nothing. */
void refrain_communicator_new(MPI_Comm parent, MPI_Comm comm);
/* The same for one that stems from a session. */
void refrain_communicator_new_of_session(MPI_Comm comm);

/* The same in steps, for MPI_Comm_idup, whose members may not wait for each other: rank 0 chooses the ordinal for a
 * duplicate of `parent` (if `wanted`), all get it from there, and then the duplicate is known. False where nothing is
 * to be broadcast, which is the same for all members: those of an intercommunicator know the ordinal already. */
#define REFRAIN_ORDINAL_NONE UINT32_MAX
bool refrain_communicator_reserve(MPI_Comm parent, uint32_t *ordinal, bool wanted);
void refrain_communicator_duplicated(MPI_Comm parent, MPI_Comm comm, uint32_t ordinal);

void refrain_communicator_freed(MPI_Comm former);
void refrain_communicator_named(MPI_Comm comm, const char *name);

/* The record with the index; null where there is none. One after the other is looked at. */
const struct refrain_communicator *refrain_communicator_at(int64_t index);

/* The rank in MPI_COMM_WORLD of rank `rank` of a communicator (its remote group, if it has one); -1 unknown. */
int refrain_communicator_world_rank(const struct refrain_communicator *communicator, int rank);

#endif
