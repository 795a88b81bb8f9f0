/* program.h: the MPI calls of runs as a program: functions, loops and calls, whose values are expressions.
 *
 *     traces --> what each rank did at each call --> program             proxy.h, program_values.c, program_make.c
 *     program <-> a model file                                           model_write.c, model_read.c
 *     program --> C                                                      proxy_write.c
 *     program --> the calls of one rank, among any number of ranks       program_run.c
 *
 * An expression has numbers, `rank`, `ranks`, operators of C, and the functions of proxy_terms.inc. It is exact on all
 * ranks of all runs. A value that has none is a table by rank, which says nothing of other numbers of ranks.
 * Threads: one at a time. */
#ifndef REFRAIN_PROGRAM_H
#define REFRAIN_PROGRAM_H

#include "common/error.h"
#include "model/mpi_call.h"
#include "predict/proxy_runs.h"

#include <stdio.h>

/* Arguments of a call. Which ones a call has is written in its text (proxy_calls.c). */
enum refrain_proxy_argument {
    REFRAIN_PROXY_DEST,
    REFRAIN_PROXY_SEND_TAG,
    REFRAIN_PROXY_SENT, /* bytes */
    REFRAIN_PROXY_SOURCE,
    REFRAIN_PROXY_RECV_TAG,
    REFRAIN_PROXY_RECEIVED, /* bytes */
    REFRAIN_PROXY_ROOT,
    REFRAIN_PROXY_COMM,    /* number of the communicator in its process */
    REFRAIN_PROXY_PARENT,  /* of a communicator that the call makes */
    REFRAIN_PROXY_LEADER,  /* of a communicator that the call makes: the rank of its first member in MPI_COMM_WORLD */
    REFRAIN_PROXY_KEY,     /* of a communicator that the call makes: this process's rank in it */
    REFRAIN_PROXY_MEMBERS, /* of a communicator that the call makes: its number in the trace */
    REFRAIN_PROXY_REQUEST, /* number of the request that the call makes */
    REFRAIN_PROXY_FIRST,   /* number of the first request that it starts, completes or frees ... */
    REFRAIN_PROXY_COUNT,   /* ... how many there are ... */
    REFRAIN_PROXY_EACH,    /* ... and their numbers: COUNT values a call */
    REFRAIN_PROXY_DIMENSIONS, /* of a grid that the call makes: how many ... */
    REFRAIN_PROXY_SIZES, /* ... and the size of each, then for each if it is periodic: 2 * DIMENSIONS values a call */
    REFRAIN_PROXY_ARGUMENTS
};
#define REFRAIN_PROXY_NONE (-1) /* a peer: the call had no message; LEADER: MPI_COMM_NULL */
#define REFRAIN_PROXY_ANY (-2)  /* source or tag of a persistent receive: several */

/* The values that the ranks have at one point of the program.
 *
 *     ONE            each rank always has the same: an expression
 *     RUNS           all ranks have the same runs of values (proxy_runs.h), perhaps relative to the rank
 *     FIELDS         the same, but count, first value and step of each run are expressions
 *     RANKS, RANK_RUNS    tables: of each rank of all runs its one value, or its runs */
enum refrain_value_kind {
    REFRAIN_VALUE_NONE, /* there is no such value */
    REFRAIN_VALUE_ONE,
    REFRAIN_VALUE_RUNS,
    REFRAIN_VALUE_FIELDS,
    REFRAIN_VALUE_RANKS,
    REFRAIN_VALUE_RANK_RUNS,
    REFRAIN_VALUE_KINDS
};

/* When the next value follows: at each execution. In the body of a loop, the values may also begin anew whenever the
 * loop begins, or the next one follows then and is kept for all of its iterations. */
enum refrain_value_pace { REFRAIN_VALUE_GOES_ON, REFRAIN_VALUE_RESTARTS, REFRAIN_VALUE_HOLDS, REFRAIN_VALUE_PACES };

struct refrain_value {
    enum refrain_value_kind kind;
    enum refrain_proxy_relation relation; /* RUNS, FIELDS: between the ranks */
    bool negative;                        /* some rank has a value below 0 */
    enum refrain_value_pace pace;
    char *text; /* ONE: the expression; FIELDS: how many of the runs a rank has */
    struct refrain_value_fields {
        char *count, *value, *step;
    } * fields;                      /* FIELDS: expressions of each run */
    struct refrain_proxy_runs *runs; /* RUNS: one; RANK_RUNS: by rank, empty if they are those of an earlier rank */
    int64_t *numbers;                /* RANKS: by rank */
    size_t *like;                    /* RANK_RUNS: by rank: the first rank with the same runs */
    size_t n;                        /* number of fields, runs or numbers */
};

static inline bool refrain_value_is_table(const struct refrain_value *value) {
    return value->kind == REFRAIN_VALUE_RANKS || value->kind == REFRAIN_VALUE_RANK_RUNS;
}

/* True if all ranks have one number, which *number is then. */
bool refrain_value_constant(const struct refrain_value *value, int64_t *number);

/* Sets the value to a number; false without memory. */
bool refrain_value_set(struct refrain_value *value, int64_t number);
void refrain_value_free(struct refrain_value *value);

/* A function or call within a function, or a loop around such items. */
struct refrain_program_item {
    size_t function;                          /* that contains it */
    size_t parent;                            /* item of the loop around it, or of the function's body */
    const struct refrain_region_info *region; /* null: a loop, or the body of a function */
    size_t called;                            /* the function that it calls; SIZE_MAX: it is a call of MPI, or a loop */
    char *text; /* of a call of MPI: C with a letter in braces for each argument; null: the program does not make it */
    uint32_t letters; /* bits: the letters in the text, from a on */
    bool chooses;     /* a loop whose iterations execute one child each */
    bool scattered;   /* the requests of some call do not have consecutive numbers */
    size_t *children, n_children;
    struct refrain_value times;  /* 1 for each execution, 0 when it is skipped; of a loop: its iterations */
    struct refrain_value chosen; /* places of children; only of a loop that chooses */
    struct refrain_value arguments[REFRAIN_PROXY_ARGUMENTS];
    double *seconds; /* mean time computed in front of it: of each rank if there was one run, else of each run */
};

struct refrain_program_function {
    const struct refrain_region_info *region; /* null: the outermost */
    size_t body;                              /* item */
    double *seconds;                          /* mean time computed after the last item; as above */
    size_t n_tables;                          /* of its values are tables */
};

/* Calls that the program does not make. */
struct refrain_program_left_out {
    char *name;
    uint64_t count;
};

/* The members of a communicator of the trace: ranks of MPI_COMM_WORLD. */
struct refrain_program_group {
    int32_t *members, n;
};

struct refrain_program {
    char *executable;
    int *runs; /* the number of ranks of each run, growing */
    size_t n_runs;
    size_t n_ranks;                             /* of all runs together */
    size_t n_seconds;                           /* values in each list of seconds */
    int64_t most_bytes;                         /* of one message or of one rank's part in a collective, in all runs */
    struct refrain_program_function *functions; /* [0]: the outermost */
    size_t n_functions;
    struct refrain_program_item *items;
    size_t n_items;
    struct refrain_value n_requests, n_comms;
    struct refrain_program_left_out *left_out;
    size_t n_left_out;
    struct refrain_program_group *groups; /* of one run, if its calls need them */
    size_t n_groups;
    size_t n_tables;                      /* values that are tables */
    struct refrain_region_info **regions; /* owned; null: those of the traces, which must stay open */
    size_t n_regions;
};

void refrain_program_free(struct refrain_program *program);

/* True if the text of the item's call has an argument with this letter. */
static inline bool refrain_program_asks(const struct refrain_program_item *item, char letter) {
    return item->letters >> (letter - 'a') & 1;
}

/* Sets *text to the text of the region's call (proxy_calls.c), malloced; null if the program does not make this call,
 * or if the region is none of MPI. False without memory. */
bool refrain_proxy_call_text(const struct refrain_region_info *region, char **text);

/* The letters in a text. */
uint32_t refrain_proxy_letters(const char *text);

/* The letter of each argument; the argument that a letter in a text cannot do without, REFRAIN_PROXY_ARGUMENTS: none.
 */
extern const char refrain_proxy_argument_letters[];
enum refrain_proxy_argument refrain_proxy_argument_of(char letter);

/* True if the program says something of such a number of ranks: its runs had as many; or all values have expressions,
 * and the number is a power of two if the runs' are, or a square. */
bool refrain_program_foresees(const struct refrain_program *program, int64_t ranks);

/* The number of the run with as many ranks; program->n_runs: there is none. */
size_t refrain_program_run_with(const struct refrain_program *program, int64_t ranks);

#endif
