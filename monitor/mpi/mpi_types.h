/* mpi_types.h: how many bytes a datatype has. */
#ifndef REFRAIN_MPI_TYPES_H
#define REFRAIN_MPI_TYPES_H

#include "mpi_state.h"

#define REFRAIN_TYPES 256u /* committed at a time before the table grows, predefined ones included */

void refrain_types_open(void);                 /* the predefined ones */
void refrain_type_known(MPI_Datatype type);    /* a valid, committed type */
void refrain_type_forget(MPI_Datatype former); /* it was freed */
int64_t refrain_type_bytes(MPI_Datatype type); /* -1 unknown */

/* Bytes of `count` elements; 0 for a count that MPI refuses, -1 where the type is unknown. */
static inline int64_t refrain_bytes(int64_t count, MPI_Datatype type) {
    if (count <= 0)
        return 0;
    int64_t bytes = refrain_mpi_often.type_bytes;
    if (refrain_mpi_often.type != type || bytes < 0)
        bytes = refrain_type_bytes(type);
    return bytes < 0 ? -1 : bytes * count;
}

/* Bytes of the message that a status tells of, as MPI says; -1 unknown. */
int64_t refrain_status_count(const MPI_Status *status);

/* The same. */
static inline int64_t refrain_status_bytes(const MPI_Status *status) {
#ifdef MPICH_VERSION /* its binary interface has the bytes in the status: their upper half above the bit "cancelled"   \
                      */
    if (__builtin_expect(status->count_lo >= 0 && (unsigned)status->count_hi_and_cancelled < 2, 1))
        return status->count_lo;
#endif
    return refrain_status_count(status);
}

#endif
