/* program_run.h: executes a program for one rank (program.h): which functions and MPI calls it comes to, with the
 * arguments of each.
 *
 *     open --> run(rank 0), run(rank 1) ... --> close
 *
 * A rank's execution depends on its rank and the number of ranks alone, never on other ranks. */
#ifndef REFRAIN_PROGRAM_RUN_H
#define REFRAIN_PROGRAM_RUN_H

#include "predict/program.h"

/* An MPI call as a rank executes it. */
struct refrain_program_call {
    const struct refrain_program_item *item;
    int64_t arguments[REFRAIN_PROXY_ARGUMENTS]; /* 0: it has no such argument */
    const int64_t *requests;                    /* numbers of those that it starts, completes or frees */
    size_t n_requests;
    const int64_t *grid; /* of a grid that it makes: its sizes, then 1 for each dimension that is periodic */
};

/* What to do on the way. A result that is not 0 ends the execution. */
struct refrain_program_visitor {
    int (*compute)(void *data, double seconds);
    int (*enter)(void *data, const struct refrain_region_info *region);
    int (*leave)(void *data, const struct refrain_region_info *region);
    int (*call)(void *data, const struct refrain_program_call *call); /* text null: a call that is left out */
};

struct refrain_program_run;

/* Null without memory. The program must outlive it. */
struct refrain_program_run *refrain_program_run_open(const struct refrain_program *program, int64_t ranks);
void refrain_program_run_close(struct refrain_program_run *run);

/* Executes the program for a rank. The error says which expression has no meaning for this rank; if the visitor ended
 * the execution, the status is REFRAIN_ERROR without an error. */
enum refrain_status refrain_program_run_rank(struct refrain_program_run *run, int64_t rank,
                                             const struct refrain_program_visitor *visitor, void *data,
                                             struct refrain_error *error);


#endif
