/* recursion.h: chooses the order of steps in recursive functions once the trace no longer has the order of the run
 * (walker).
 *
 * A step goes from one place to the next. The trace then still has the number of steps between each pair of places.
 * Without recursion, any order that keeps the last step of each place last reaches the end of the run
 * (docs/counts.md). In a recursion it may not: if a function returns before it has called itself, the calls below it
 * are never made. Therefore a step is taken only if all other remaining steps can still be reached: from the place
 * where the step leads, from an open activation, or from an activation that will begin from outside the recursion.
 *
 * Esparza, "Petri nets, commutative context-free grammars, and basic parallel processes" (1997): if steps are
 * balanced and can be reached, an order exists that takes all of them. */
#ifndef REFRAIN_RECURSION_H
#define REFRAIN_RECURSION_H

#include "sequence/numbered.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_recursion;

/* Access to the walk that uses the recursion. */
struct refrain_recursion_walk {
    const void *image;
    size_t image_bytes;
    unsigned thread;
    uint32_t n_slots;
    const struct refrain_numbered *numbered;
    uint64_t most_steps; /* upper bound of the steps of the run; more are damage */
    const void *walk;
    const struct refrain_learner *at; /* learner of the place or decision where the innermost activation is */
    /* Returns the offset of a slot, given its number, and sets *kind to its enum refrain_node_kind. */
    uint64_t (*slot)(const void *walk, uint32_t number, uint32_t *kind);
    /* Returns how many values the walk has taken of a learner. *iterations: iterations left of the current count of
     * a loop, -1 if no count is in use. *open: the loop does not end after these iterations; its end is not in the
     * trace, or another count follows. */
    uint64_t (*taken)(const void *walk, const struct refrain_learner *learner, int64_t *iterations, bool *open);
    size_t (*depth)(const void *walk); /* number of open activations; 0 is the outermost */
    const struct refrain_slot *(*place)(const void *walk, size_t activation); /* slot where an open activation is */
};

/* Counts the steps that remain from the current state of the walk. Null without memory, and if they are more than
 * most_steps. */
struct refrain_recursion *refrain_recursion_open(const struct refrain_recursion_walk *walk);

/* The number of a recursive place, by its learner; -1 for any other place. */
int refrain_recursion_node(const struct refrain_recursion *recursion, const struct refrain_learner *learner);

/* Takes a step from the recursive place `node`, where the innermost activation is. Takes the wanted step if it
 * remains and is safe, else another one. False if none remains. */
bool refrain_recursion_step(struct refrain_recursion *recursion, int node, bool wants, int64_t wanted, int64_t *value);

/* Chooses a step from a non-recursive place whose steps are only counted (struct refrain_sequence, unknown). Sets
 * *value so that every place is left as often as it is reached. False if no step remains. */
bool refrain_recursion_unknown(struct refrain_recursion *recursion, const struct refrain_learner *learner,
                               int64_t *value);

/* Notes that an activation begins at `inside`, called from outside all recursions. */
void refrain_recursion_enter(struct refrain_recursion *recursion, const struct refrain_learner *inside);

void refrain_recursion_close(struct refrain_recursion *recursion);

#endif
