/* proxy.h: what the ranks of runs did at each point of their program (traces -> program.h).
 *
 *     records of each rank --> functions that lead to MPI calls; all others are computation    proxy_learn.c
 *     records --> items: functions and MPI calls, by the function they are in
 *     loops of the source around each item, if the program was instrumented                    proxy_source.c
 *     which item followed which --> their order in these, and further loops around them        proxy_loops.c
 *     the records once more --> of each item, whether it ran; of each loop, how often;         proxy_steps.c
 *                               of each call, its arguments: a list of values a rank           proxy_record.c
 *     lists --> a constant, an expression of rank and number of ranks, or a table              program_values.c
 *                                                                          proxy_formula.c, proxy_runs.c
 *     all this again, if values have no expression: their functions once for each caller       program_make.c
 *
 * The program is exact whatever the loops are: a step forward in a loop's body skips items, and any other step begins
 * another iteration. Badly chosen loops make the program longer, and never wrong. Threads: one at a time. */
#ifndef REFRAIN_PROXY_H
#define REFRAIN_PROXY_H

#include "model/mpi_call.h"
#include "model/trace_read.h"
#include "predict/program.h"
#include "predict/proxy_formula.h"
#include "predict/proxy_list.h"

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

/* Learns what the ranks did, and forgets what was learned before except formulas and which functions are split or lead
 * to calls. *proxy begins as zeros, and the caller closes it in any case. */
enum refrain_status refrain_proxy_learn(struct refrain_proxy *proxy, struct refrain_trace *const *traces,
                                        size_t n_traces, struct refrain_error *error);

void refrain_proxy_close(struct refrain_proxy *proxy);

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

/* ---- proxy_loops.c ---- */

/* Puts the nodes of a body in order, and in loops if they repeat within an iteration. False without memory. */
bool refrain_proxy_find_loops(struct refrain_proxy *proxy, size_t body);

#endif
