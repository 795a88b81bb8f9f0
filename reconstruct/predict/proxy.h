/* proxy.h: a C program that makes the MPI calls of a traced run (trace -> proxy.c).
 *
 *     records of each rank --> functions that lead to MPI calls; all others are computation    proxy_learn.c
 *     records --> items: functions and MPI calls, by the function they are in
 *     loops of the source around each item, if the program was instrumented                    proxy_source.c
 *     which item followed which --> their order in these, and further loops around them        proxy_loops.c
 *     the records once more --> of each item, whether it ran; of each loop, how often;         proxy_steps.c
 *                               of each call, its arguments: a list of values a rank           proxy_record.c
 *     lists --> a constant, an expression of rank and number of ranks, or a table              proxy_values.c
 *                                                                          proxy_formula.c, proxy_runs.c
 *     items and values --> C                          proxy_calls.c, proxy_call_write.c, proxy_write.c
 *     all this again, if values have no expression: their functions once for each caller       proxy_make.c
 *
 * The program is exact whatever the loops are: a step forward in a loop's body skips items, and any other step begins
 * another iteration. Badly chosen loops make the program longer, and never wrong. Threads: one at a time. */
#ifndef REFRAIN_PROXY_H
#define REFRAIN_PROXY_H

#include "model/mpi_call.h"
#include "model/trace_read.h"
#include "predict/proxy_formula.h"
#include "predict/proxy_list.h"
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

/* A function or call within a function, or a loop around such items. */
struct refrain_proxy_item {
    size_t inside;   /* of the body of a function, and of a loop of the source: its body; else SIZE_MAX */
    size_t function; /* that contains it */
    size_t parent;   /* item of the loop around it, or of the function's body */
    size_t place;    /* among the children of its parent */
    const struct refrain_region_info *region; /* null: a loop, or the body of a function */
    size_t called;                            /* the function that it calls; SIZE_MAX: it is a call of MPI, or a loop */
    char *text; /* of a call of MPI: C with a letter in braces for each argument; null: the program does not make it */
    uint32_t letters; /* bits: the letters in the text, from a on */
    bool chooses;     /* a loop whose iterations execute one child each */
    size_t *children, n_children;
    struct refrain_proxy_list *times;  /* by rank: 1 for each execution, 0 when it is skipped; a loop: its iterations */
    struct refrain_proxy_list *chosen; /* by rank: places of children; only of a loop that chooses */
    struct refrain_proxy_list *arguments[REFRAIN_PROXY_ARGUMENTS]; /* by rank; null: the call never had this one */
    bool scattered; /* the requests of some call do not have consecutive numbers */
    double *ns;     /* by rank: total time computed in front of it */
    uint64_t *n;    /* by rank: number of executions */
};

/* True if the text of the item's call has an argument with this letter. */
static inline bool refrain_proxy_asks(const struct refrain_proxy_item *item, char letter) {
    return item->letters >> (letter - 'a') & 1;
}

/* The items of a function or of a loop of the source, before they are put in order. */
struct refrain_proxy_body {
    size_t item;                            /* the function's body, or the loop */
    size_t *nodes, n_nodes, nodes_capacity; /* items directly in it, in the order of first use */
    uint64_t *steps;               /* n_nodes * n_nodes: how often the second followed the first in one iteration */
    uint64_t *begun;               /* by node: how many iterations began with it */
    struct refrain_table followed; /* both while they are collected: (from, to) -> count; from SIZE_MAX: it began */
};

struct refrain_proxy_function {
    const struct refrain_region_info *region; /* null: the outermost */
    uint32_t shared;                          /* the region's number in all runs */
    size_t body;                              /* item */
    double *ns;                               /* by rank: total time computed after the last item */
    uint64_t *n;                              /* by rank: activations */
    size_t n_tables;                          /* of its values, when it has been written */
};

/* Calls that the program does not make. */
struct refrain_proxy_left_out {
    const char *name;
    uint64_t count;
};

/* A run that the program is made of. Ranks of all runs are numbered together. */
struct refrain_proxy_run {
    const struct refrain_trace *trace;
    size_t first;     /* number of its rank 0 */
    uint32_t *shared; /* by region of the trace: its number, which is the same in all runs */
};

struct refrain_proxy {
    struct refrain_proxy_run *runs; /* by number of ranks, which differs */
    size_t n_runs;
    size_t n_ranks;               /* of all runs together */
    struct refrain_table regions; /* (hash of a region's texts, how many like it came before) -> number of the region */
    struct refrain_proxy_function *functions; /* [0]: the outermost */
    size_t n_functions, functions_capacity;
    struct refrain_proxy_item *items;
    size_t n_items, items_capacity;
    struct refrain_proxy_body *bodies;
    size_t n_bodies, bodies_capacity;
    struct refrain_table by_region; /* (number of a region, item that calls it or SIZE_MAX) -> function + 1 */
    struct refrain_table split;     /* number of a region -> 1: each item that calls it has a function of its own */
    struct refrain_table leading;   /* number of a function's region -> 1: it leads to MPI calls */
    struct refrain_formulas formulas;
    struct refrain_table nodes; /* (function, number of a region and of a node of the source) -> item + 1 */
    struct refrain_table loops; /* (function, number of a loop of the source) -> item + 1 */
    struct refrain_proxy_list *n_requests, *n_comms; /* by rank: one value */
    int64_t most_bytes; /* of one message or of one rank's part in a collective, in all runs */
    struct refrain_proxy_left_out *left_out;
    size_t n_left_out, left_out_capacity;
};

enum refrain_proxy_compute { REFRAIN_PROXY_SPIN, REFRAIN_PROXY_SLEEP, REFRAIN_PROXY_MEMORY };

/* The run that has a rank, and the rank's process. */
static inline const struct refrain_proxy_run *refrain_proxy_run_of(const struct refrain_proxy *proxy, size_t rank) {
    const struct refrain_proxy_run *run = proxy->runs;
    while (rank - run->first >= run->trace->n_processes)
        run++;
    return run;
}
static inline const struct refrain_process *refrain_proxy_process(const struct refrain_proxy *proxy, size_t rank) {
    const struct refrain_proxy_run *run = refrain_proxy_run_of(proxy, rank);
    return &run->trace->processes[rank - run->first];
}

/* Learns the program from traces of one program on different numbers of ranks, and writes it to a file. *proxy begins
 * as zeros, and the caller closes it in any case. The error says why a trace cannot be used: ranks without a file,
 * without formulas or killed, approximate order, calls in several threads, communicators that the program cannot make.
 * *n_tables: how many values have no expression of the number of ranks, so that the program can only run on as many
 * ranks as one of the runs; of one run it can in any case. */
enum refrain_status refrain_proxy_make(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                       size_t n_traces, enum refrain_proxy_compute compute, FILE *out, size_t *n_tables,
                                       struct refrain_error *error);

void refrain_proxy_close(struct refrain_proxy *proxy);

/* ---- between the files: proxy_learn.c, proxy_write.c ---- */

/* Learns the program, and forgets what was learned before except formulas and which functions are split or lead to
 * calls. */
enum refrain_status refrain_proxy_learn(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                        size_t n_traces, struct refrain_error *error);

/* Writes the program, and says how many values have no expression: in all, and of each function. */
enum refrain_status refrain_proxy_write(struct refrain_proxy *proxy, enum refrain_proxy_compute compute, FILE *out,
                                        size_t *n_tables, struct refrain_error *error);

/* ---- proxy_model.c ---- */

/* Forgets the functions and items. */
void refrain_proxy_forget(struct refrain_proxy *proxy);

/* Adds a function with an empty body; adds an item to a function, not yet to a body; adds an item to a body; makes an
 * item a loop of the source. SIZE_MAX or false without memory. */
size_t refrain_proxy_add_function(struct refrain_proxy *proxy, const struct refrain_region_info *region);
size_t refrain_proxy_add_item(struct refrain_proxy *proxy, size_t function, const struct refrain_region_info *region);
bool refrain_proxy_add_node(struct refrain_proxy *proxy, size_t body, size_t item);
bool refrain_proxy_add_body(struct refrain_proxy *proxy, size_t item);

/* The list of an argument of one rank. Null without memory. */
struct refrain_proxy_list *refrain_proxy_argument(struct refrain_proxy *proxy, size_t item,
                                                  enum refrain_proxy_argument argument, size_t rank);

/* Counts a call that the program does not make. False without memory. */
bool refrain_proxy_leave_out(struct refrain_proxy *proxy, const char *name);

/* Writes a text of the trace, at most so many of its characters, so that it ends no string and no comment of C. */
void refrain_proxy_write_text(FILE *out, const char *text, size_t most);

/* Writes the place of a region as a comment. */
void refrain_proxy_write_place(const struct refrain_region_info *region, FILE *out);

/* ---- proxy_loops.c ---- */

/* Puts the nodes of a body in order, and in loops if they repeat within an iteration. False without memory. */
bool refrain_proxy_find_loops(struct refrain_proxy *proxy, size_t body);

/* ---- proxy_calls.c ---- */

/* Sets *text to the text of the region's call, malloced; null if the program does not make this call, or if the region
 * is none of MPI. False without memory. */
bool refrain_proxy_call_text(const struct refrain_region_info *region, char **text);

/* The parts of the program as they are written. */
struct refrain_proxy_output {
    const struct refrain_proxy *proxy;
    struct refrain_formulas *formulas;
    FILE *tables, *prepare, *functions; /* prepare: statements at the program's start */
    size_t n_tables;                    /* values that are not the same, and have no expression, on all ranks */
    bool no_memory;
};

/* ---- proxy_call_write.c ---- */

/* Writes the call of an item to `functions`. False without memory. */
bool refrain_proxy_write_call(struct refrain_proxy_output *output, size_t item, int indent);

/* ---- proxy_values.c ---- */

/* True if all ranks that have values have only this one. */
bool refrain_proxy_always(const struct refrain_proxy *proxy, const struct refrain_proxy_list *lists, int64_t value);

/* Writes an expression for the next value of the lists, one list a rank. `peers`: lists of the ranks that the values
 * are for; null: none. Where the peer is none, a value is free. Tables that it needs go to `tables`; their names end
 * with `name`. True if the expression takes a value from a sequence, so that it must be evaluated once. */
bool refrain_proxy_write_value(struct refrain_proxy_output *output, const struct refrain_proxy_list *lists,
                               const struct refrain_proxy_list *peers, const char *name, FILE *out);

/* The same for values that are 0 or 1, as a condition. */
void refrain_proxy_write_condition(struct refrain_proxy_output *output, const struct refrain_proxy_list *lists,
                                   const char *name, FILE *out);

/* Functions that every program has (proxy_runtime.S). */
extern const char refrain_proxy_runtime[], refrain_proxy_runtime_end[];

#endif
