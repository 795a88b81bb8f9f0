/* world.h: the communicators of a run that is extrapolated (extrapolate.c): their members, and amounts that depend on
 * all of them.
 *
 *     rank 0 makes a part of communicator 0 whose first member is rank 0; so do ranks 1 to 3     --> members 0 1 2 3
 *
 * Ranks make the parts of a communicator in the same order, so a part is known by its parent, by how many were made of
 * it before, and by its first member. A part that is made where a former one with the same members was freed is that
 * one, as in traces of refrain. */
#ifndef REFRAIN_WORLD_H
#define REFRAIN_WORLD_H

#include "common/table.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_world {
    int32_t ranks;
    struct refrain_world_comm {
        struct refrain_world_member {
            int64_t key;
            int32_t rank; /* in MPI_COMM_WORLD */
        } * members;      /* sorted by key once all ranks have walked */
        size_t n, capacity;
        size_t parent;
        int64_t own_number; /* that the member which joined first gives it */
        uint32_t defined;   /* its number in the new trace */
        bool again;         /* another one has this number before it */
        int64_t *totals;    /* of each collective whose ranks have amounts of their own: their sum */
        size_t n_totals, totals_capacity;
    } * comms; /* by number; [0] MPI_COMM_WORLD and [1] MPI_COMM_SELF have no members here */
    size_t n_comms, capacity;
    struct refrain_table parts; /* (parent and number among its parts, group and first member) -> number */
};

/* False without memory. */
bool refrain_world_open(struct refrain_world *world, int32_t ranks);
void refrain_world_close(struct refrain_world *world);

/* The number of a part of a communicator, which is new at its first use. `before`: how many parts of the parent the
 * rank has seen made. group: of a part that its members alone make, a number of its own, and `before` counts those;
 * else 0. SIZE_MAX without memory. */
size_t refrain_world_part(struct refrain_world *world, size_t parent, size_t before, uint64_t group, int32_t first);

/* Adds a member, which gives the communicator a number of its own. False without memory. */
bool refrain_world_join(struct refrain_world *world, size_t comm, int64_t key, int32_t rank, int64_t own_number);

/* Adds a rank's amount to the total of the communicator's i-th such collective. False without memory. */
bool refrain_world_add(struct refrain_world *world, size_t comm, size_t i, int64_t amount);

/* All ranks have joined: sorts the members, and numbers the communicators. False without memory. */
bool refrain_world_settle(struct refrain_world *world);

/* The rank in MPI_COMM_WORLD of a place in a communicator; -1: it has none. `own`: the rank that asks. */
int32_t refrain_world_rank(const struct refrain_world *world, size_t comm, int32_t own, int64_t place);

#endif
