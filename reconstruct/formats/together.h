/* together.h: one output that several processes write, each the events of some ranks (writers, output.c <-> parallel/).
 *
 * Every function but owns() is called by all processes, in the same order. */
#ifndef REFRAIN_TOGETHER_H
#define REFRAIN_TOGETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_together {
    int number, n; /* of this process, and how many there are */
    /* Does this process write the events of the rank? */
    bool (*owns)(const struct refrain_together *together, int32_t rank);
    /* Sets the collectives of an OTF2_Archive to ones of these processes. False where that fails. */
    bool (*set_collectives)(const struct refrain_together *together, void *archive);
    /* Each value becomes the largest that any process has, or with `add` their sum: below 2^63, as not every MPI takes
     * them as unsigned. */
    void (*combine)(const struct refrain_together *together, uint64_t *values, size_t n, bool add);
    /* True on all processes if `done` is true on all. */
    bool (*all)(const struct refrain_together *together, bool done);
    /* The same after the last event, or where this process gives up before: it does not wait for the others' steps. */
    bool (*settle)(const struct refrain_together *together, bool done);
    /* Prints the message on standard error and ends all processes: for failures that the others cannot be told. */
    void (*abandon)(const struct refrain_together *together, const char *message);
};

#endif
