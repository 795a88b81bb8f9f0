/* proxy_walk.h: one rank's walk through its records, as the files of the proxy share it (proxy.h). */
#ifndef REFRAIN_PROXY_WALK_H
#define REFRAIN_PROXY_WALK_H

#include "formats/topology.h"
#include "predict/proxy.h"
#include "walk/request_table.h"
#include "walk/walk_rank.h"

/* A loop that is being executed, or the body of a function. */
struct refrain_proxy_open {
    size_t item;
    size_t previous; /* first walk: place of the item that was executed last in this iteration; SIZE_MAX: none yet */
    size_t index;    /* of its iterations in its list `times` */
    int64_t iterations;
    size_t place; /* of the next child in this iteration */
};

/* A function that is being executed. */
struct refrain_proxy_activation {
    size_t function;
    size_t first_open;                    /* its body */
    const struct refrain_unit_view *unit; /* of its source; null: it is not instrumented */
    uint32_t root;                        /* node of the function in the unit */
    uint32_t around;                      /* node where a user region began, 0: it is none */
    uint32_t node;                        /* node that control came to last */
    uint32_t call;                        /* the call that control is in front of; 0: none */
};

/* A pending request: the call that made it, and the place of that call's arguments in its lists. */
struct refrain_proxy_request {
    bool taken; /* refrain_requests_take() */
    bool persistent;
    bool pending;  /* a receive that has begun and not completed */
    bool received; /* some message came */
    uint32_t operation;
    size_t item, index;
};

/* The call that is being executed. */
struct refrain_proxy_call {
    size_t item; /* SIZE_MAX: none */
    bool left_out;
    bool has[REFRAIN_PROXY_ARGUMENTS];
    int64_t values[REFRAIN_PROXY_ARGUMENTS];
    int64_t *requests; /* that it starts, completes or frees */
    size_t n_requests, requests_capacity;
    const struct refrain_topology *grid; /* that it makes; null: none */
};

struct refrain_proxy_walk {
    struct refrain_proxy *proxy;
    const struct refrain_proxy_run *run;
    const struct refrain_process *process;
    size_t rank;     /* number of the process among those of all runs */
    bool second;     /* all loops and the order of items are known: values are collected */
    size_t computes; /* functions in one another that the record is in, and that lead to no MPI call */
    struct refrain_proxy_activation *activations;
    size_t n_activations, activations_capacity;
    struct refrain_proxy_open *opens;
    size_t n_opens, opens_capacity;
    struct refrain_proxy_call call;
    struct refrain_request_table requests;
    int64_t matched; /* request of the message that MPI_Mprobe or MPI_Improbe found last */
    bool *made;      /* by number: some call has made the communicator */
    uint64_t ticks;  /* of the last record */
    int64_t n_requests, most_bytes;
    struct refrain_error *error;
};

/* ---- proxy_leading.c: functions that lead to MPI calls ---- */

/* Adds those of one rank. The error says if the rank was paused, so that its trace does not have all calls. */
enum refrain_status refrain_proxy_find_leading(struct refrain_proxy *proxy, size_t rank, struct refrain_error *error);

/* The region of a function or user region that the record enters; null: unknown. */
const struct refrain_region_info *refrain_proxy_entered(const struct refrain_process *process,
                                                        const struct refrain_record *record);

/* ---- proxy_source.c: where control is in the source of an instrumented function ---- */

/* A function or user region begins in the activation `caller`: sets where control is in the new activation. */
void refrain_proxy_enter_source(const struct refrain_proxy_walk *walk, const struct refrain_record *record,
                                const struct refrain_proxy_activation *caller,
                                struct refrain_proxy_activation *activation);

/* Control comes to a slot of the innermost function. False without memory. */
bool refrain_proxy_reach(struct refrain_proxy_walk *walk, uint64_t slot);

/* The body of the innermost loop around it, which is made at its first use. SIZE_MAX without memory. */
size_t refrain_proxy_body_around(struct refrain_proxy_walk *walk);

/* ---- proxy_steps.c: where control is among the loops of the innermost function; false without memory ---- */

/* The function begins, control comes to one of its items, the function ends. */
bool refrain_proxy_begin_body(struct refrain_proxy_walk *walk, size_t function);
bool refrain_proxy_step(struct refrain_proxy_walk *walk, size_t item);
bool refrain_proxy_end_body(struct refrain_proxy_walk *walk);

/* A loop of the source begins an iteration; it ends. `has_run`: an iteration was before, even if no item of the loop
 * was executed. */
bool refrain_proxy_iterate(struct refrain_proxy_walk *walk, size_t loop, bool has_run);
bool refrain_proxy_end_loop(struct refrain_proxy_walk *walk, size_t loop, bool has_run);

/* ---- proxy_record.c: arguments ---- */

/* A call begins, does an operation, ends. */
void refrain_proxy_call_begin(struct refrain_proxy_walk *walk, size_t item);
enum refrain_status refrain_proxy_operation(struct refrain_proxy_walk *walk, const struct refrain_record *record);
enum refrain_status refrain_proxy_call_end(struct refrain_proxy_walk *walk);

/* The rank's run has ended: its receives that are pending get no message. False without memory. */
bool refrain_proxy_end_requests(struct refrain_proxy_walk *walk);

#endif
