/* speaks.h: decides which process of a job prints messages that concern all of them (monitor and launch/front; not
 * installed). */
#ifndef REFRAIN_SPEAKS_H
#define REFRAIN_SPEAKS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* True for the process that should print, as far as the variables of the launcher show. Before MPI_Init, nothing
 * else gives the rank. */
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
