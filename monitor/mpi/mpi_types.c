/* mpi_types.c: the sizes of datatypes, and of messages by their statuses. Asks for the size of a type only after MPI
 * has accepted it, since a wrong type would cause an error that the user's call does not cause. */
#include "mpi_types.h"
#include "call.h"
#include "mpi_map.h"
#include "run/pool.h"
#include <refrain/trace.h>

static struct refrain_map_entry entries[REFRAIN_TYPES * 2];
static struct refrain_map types = REFRAIN_MAP(entries);

/* Its size has changed, or is no longer known. */
static void change(MPI_Datatype type) {
    if (refrain_mpi_often.type == type)
        refrain_mpi_often.type_bytes = -1;
}

void refrain_type_known(MPI_Datatype type) {
    MPI_Count bytes;
    if (!refrain_mpi_active || type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &bytes) != MPI_SUCCESS)
        return;
    refrain_mpi_lock();
    change(type);
    bool fits = refrain_map_put(&types, REFRAIN_MPI_KEY(type), bytes < 0 ? -1 : bytes);
    refrain_mpi_unlock();
    if (!fits)
        refrain_lose(REFRAIN_LOSS_TYPES, 1);
}

void refrain_type_forget(MPI_Datatype former) {
    refrain_mpi_lock();
    change(former);
    refrain_map_remove(&types, REFRAIN_MPI_KEY(former));
    refrain_mpi_unlock();
}

int64_t refrain_type_bytes(MPI_Datatype type) {
    refrain_mpi_lock();
    int64_t bytes = refrain_map_get(&types, REFRAIN_MPI_KEY(type), -1);
    if (!refrain_mpi_multiple) {
        refrain_mpi_often.type = type;
        refrain_mpi_often.type_bytes = bytes;
    }
    refrain_mpi_unlock();
    return bytes;
}

int64_t refrain_status_count(const MPI_Status *status) {
    int bytes;
    if (PMPI_Get_count(status, MPI_BYTE, &bytes) == MPI_SUCCESS && bytes != MPI_UNDEFINED)
        return bytes;
    MPI_Count large;
    if (PMPI_Get_elements_x(status, MPI_BYTE, &large) == MPI_SUCCESS && large >= 0)
        return large;
    return -1;
}

void refrain_types_open(void) {
    const MPI_Datatype predefined[] = {
        /* C */
        MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_BYTE, MPI_WCHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
        MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG, MPI_FLOAT, MPI_DOUBLE,
        MPI_LONG_DOUBLE, MPI_PACKED, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T,
        MPI_UINT32_T, MPI_UINT64_T, MPI_C_BOOL, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
        MPI_AINT, MPI_OFFSET, MPI_COUNT,
        /* pairs for MPI_MINLOC and MPI_MAXLOC */
        MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_2INT, MPI_LONG_DOUBLE_INT,
        /* Fortran and C++ types, which C programs may pass on */
        MPI_CHARACTER, MPI_LOGICAL, MPI_INTEGER, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_COMPLEX, MPI_DOUBLE_COMPLEX,
        MPI_2INTEGER, MPI_2REAL, MPI_2DOUBLE_PRECISION, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8,
        MPI_REAL4, MPI_REAL8, MPI_REAL16, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32, MPI_CXX_BOOL,
        MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX};
    for (unsigned i = 0; i < sizeof predefined / sizeof *predefined; i++)
        refrain_type_known(predefined[i]);
}
