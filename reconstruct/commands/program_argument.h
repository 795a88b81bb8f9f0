/* program_argument.h: the arguments of refrain proxy and refrain model: traces of runs, or one model (predict/program.h).
 */
#ifndef REFRAIN_PROGRAM_ARGUMENT_H
#define REFRAIN_PROGRAM_ARGUMENT_H

#include "predict/program.h"

#define REFRAIN_MOST_RUNS 64

struct refrain_program_argument {
    const char *paths[REFRAIN_MOST_RUNS];
    size_t n;
    struct refrain_trace *traces[REFRAIN_MOST_RUNS]; /* of which the program was made; they stay open while it is used */
    size_t n_traces;
    struct refrain_program program;
};

struct argp_state;

/* Takes an argument of the command line, and after the last one makes sure that there was one. */
int refrain_take_program(int key, char *value, struct argp_state *state, struct refrain_program_argument *argument);

/* Makes the program of the traces, or reads the model. The caller closes it in any case. */
enum refrain_status refrain_program_argument_open(struct refrain_program_argument *argument,
                                                  struct refrain_error *error);
void refrain_program_argument_close(struct refrain_program_argument *argument);

/* Warns of calls that the program leaves out; of several runs, of values that follow no formula. `then`: what cannot be
 * done for that. */
void refrain_warn_left_out(const struct refrain_program *program);
void refrain_warn_tables(const struct refrain_program *program, const char *then);

#endif
