/* speaks.h: which process of a job prints what concerns all of them (monitor and launch/front; not installed). */
#ifndef REFRAIN_SPEAKS_H
#define REFRAIN_SPEAKS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Is this the process that speaks for the job, as far as the launcher's variables tell? Before MPI_Init nothing else
 * says which rank it is. */
static inline bool refrain_speaks(void) {
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (unsigned i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *rank = getenv(variables[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}

#endif
