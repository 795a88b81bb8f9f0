/* mpi_types.h: the sizes of datatypes. */
#ifndef REFRAIN_MPI_TYPES_H
#define REFRAIN_MPI_TYPES_H

#include "mpi_state.h"

#define REFRAIN_TYPES 256u /* committed datatypes, predefined ones included, before the table grows */

void refrain_types_open(void);                 /* adds the predefined ones */
void refrain_type_known(MPI_Datatype type);    /* adds a valid, committed datatype */
void refrain_type_forget(MPI_Datatype former); /* removes one that was freed */
int64_t refrain_type_bytes(MPI_Datatype type); /* -1 unknown */

/* Bytes of `count` elements. 0 for a count that MPI refuses, -1 if the datatype is unknown. */
static inline int64_t refrain_bytes(int64_t count, MPI_Datatype type) {
    if (count <= 0)
        return 0;
    int64_t bytes = refrain_mpi_often.type_bytes;
    if (refrain_mpi_often.type != type || bytes < 0)
        bytes = refrain_type_bytes(type);
    return bytes < 0 ? -1 : bytes * count;
}

/* Bytes of the message that a status describes, as MPI returns them. -1 unknown. */
int64_t refrain_status_count(const MPI_Status *status);

/* The same, read from the status where its layout is known. */
static inline int64_t refrain_status_bytes(const MPI_Status *status) {
#ifdef MPICH_VERSION /* Its ABI has the bytes in the status, with their upper half above the bit "cancelled". */
    if (__builtin_expect(status->count_lo >= 0 && (unsigned)status->count_hi_and_cancelled < 2, 1))
        return status->count_lo;
#endif
    return refrain_status_count(status);
}

#endif
