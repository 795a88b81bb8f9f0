/* recursion.h: in which order values are taken where functions call themselves and the order of some is given up
 * (walker).
 *
 * How often control went from each place to each other is known, and in a program without recursion any order of these
 * steps that keeps the last one of each place last is walked to the run's end (docs/counts.md). With recursion it is
 * not: a function that returns before it has called itself leaves the calls below it over. Therefore a step from a
 * place in a recursion is taken only where every step that is left can still be reached from where the walk would be:
 * from the place it goes to, from an open activation, or from an activation that is still to begin from outside.
 *
 * Esparza, "Petri nets, commutative context-free grammars, and basic parallel processes" (1997): steps that are
 * balanced and can be reached can be ordered so that all are taken. */
#ifndef REFRAIN_RECURSION_H
#define REFRAIN_RECURSION_H

#include "sequence/numbered.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_recursion;

/* What the walker tells. */
struct refrain_recursion_walk {
    const void *image;
    size_t image_bytes;
    unsigned thread;
    uint32_t n_slots;
    const struct refrain_numbered *numbered;
    uint64_t most_steps; /* more are damage */
    const void *walk;
    const struct refrain_learner *at; /* of the place or decision where the activation on top is */
    /* A slot by its number: where it is, and its enum refrain_node_kind. */
    uint64_t (*slot)(const void *walk, uint32_t number, uint32_t *kind);
    /* Values taken so far. Of a loop in the middle of a count, *iterations are left of it; else it is -1. *open: its
     * end has not come in the run. */
    uint64_t (*taken)(const void *walk, const struct refrain_learner *learner, int64_t *iterations, bool *open);
    size_t (*depth)(const void *walk); /* open activations, the outermost is 0 ... */
    const struct refrain_slot *(*place)(const void *walk, size_t activation); /* ... and where they are */
};

/* Learns what is left from where the walk is now. Null without memory, and where that is more than most_steps. */
struct refrain_recursion *refrain_recursion_open(const struct refrain_recursion_walk *walk);

/* The number of a place in a recursion, by its learner; -1 of any other. */
int refrain_recursion_node(const struct refrain_recursion *recursion, const struct refrain_learner *learner);

/* Takes a step from such a place, at which the activation on top is: the wanted one, if it is left and may be taken,
 * else another. False when none is left. */
bool refrain_recursion_step(struct refrain_recursion *recursion, int node, bool wants, int64_t wanted, int64_t *value);

/* A step from a place that is in no recursion, of which only the number is known (struct refrain_sequence, unknown):
 * sets *value to one that leaves every place as often as it is reached. False when there is none. */
bool refrain_recursion_unknown(struct refrain_recursion *recursion, const struct refrain_learner *learner,
                               int64_t *value);

/* An activation begins at `inside`, called from outside of all recursions. */
void refrain_recursion_enter(struct refrain_recursion *recursion, const struct refrain_learner *inside);

void refrain_recursion_close(struct refrain_recursion *recursion);

#endif
