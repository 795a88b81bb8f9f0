/* mpi_kind.c: sorts of MPI calls by their names (mpi_kind.h). */
#include "formats/mpi_kind.h"

#include <string.h>

enum refrain_mpi_kind refrain_mpi_kind(const struct refrain_region_info *region) {
    /* The first that the name begins with. */
    static const struct {
        const char *start;
        enum refrain_mpi_kind kind;
    } kinds[] = {{"MPI_File_", REFRAIN_MPI_IO},
                 {"MPI_Win_", REFRAIN_MPI_RMA},
                 {"MPI_Put", REFRAIN_MPI_RMA},
                 {"MPI_Rput", REFRAIN_MPI_RMA},
                 {"MPI_Get_accumulate", REFRAIN_MPI_RMA},
                 {"MPI_Rget", REFRAIN_MPI_RMA},
                 {"MPI_Accumulate", REFRAIN_MPI_RMA},
                 {"MPI_Raccumulate", REFRAIN_MPI_RMA},
                 {"MPI_Fetch_and_op", REFRAIN_MPI_RMA},
                 {"MPI_Compare_and_swap", REFRAIN_MPI_RMA},
                 {"MPI_Sendrecv", REFRAIN_MPI_SENDRECV},
                 {"MPI_Isendrecv", REFRAIN_MPI_ISEND},
                 {"MPI_Send", REFRAIN_MPI_SEND},
                 {"MPI_Bsend", REFRAIN_MPI_SEND},
                 {"MPI_Ssend", REFRAIN_MPI_SEND},
                 {"MPI_Rsend", REFRAIN_MPI_SEND},
                 {"MPI_Isend", REFRAIN_MPI_ISEND},
                 {"MPI_Ibsend", REFRAIN_MPI_ISEND},
                 {"MPI_Issend", REFRAIN_MPI_ISEND},
                 {"MPI_Irsend", REFRAIN_MPI_ISEND},
                 {"MPI_Recv", REFRAIN_MPI_RECV},
                 {"MPI_Mrecv", REFRAIN_MPI_RECV},
                 {"MPI_Irecv", REFRAIN_MPI_IRECV},
                 {"MPI_Imrecv", REFRAIN_MPI_IRECV},
                 {"MPI_Start", REFRAIN_MPI_START},
                 {"MPI_Wait", REFRAIN_MPI_WAIT},
                 {"MPI_Test", REFRAIN_MPI_TEST},
                 {"MPI_Request_get_status", REFRAIN_MPI_TEST},
                 {"MPI_Probe", REFRAIN_MPI_PROBE},
                 {"MPI_Mprobe", REFRAIN_MPI_PROBE},
                 {"MPI_Iprobe", REFRAIN_MPI_PROBE},
                 {"MPI_Improbe", REFRAIN_MPI_PROBE}};
    const char *name = region->name;
    if (strncmp(name, "MPI_Win_", 8) != 0 && strncmp(name, "MPI_File_", 9) != 0 && region->role)
        return region->role == REFRAIN_COLLECTIVE_BARRIER ? REFRAIN_MPI_BARRIER : REFRAIN_MPI_COLLECTIVE;
    if (strcmp(name, "MPI_Get") == 0)
        return REFRAIN_MPI_RMA;
    if (strcmp(name, "MPI_Test_cancelled") == 0)
        return REFRAIN_MPI_OTHER;
    size_t length = strlen(name);
    if (length > 5 && strcmp(name + length - 5, "_init") == 0)
        return strstr(name, "send") ? REFRAIN_MPI_ISEND : strstr(name, "recv") ? REFRAIN_MPI_IRECV : REFRAIN_MPI_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(name, kinds[i].start, strlen(kinds[i].start)) == 0)
            return kinds[i].kind;
    return REFRAIN_MPI_OTHER;
}
