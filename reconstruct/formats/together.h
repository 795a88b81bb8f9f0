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
    /* Is what is to be written of the rank this process's part? */
    bool (*owns)(const struct refrain_together *together, int32_t rank);
    /* An OTF2_Archive gets collectives of these processes; false: it failed. */
    bool (*set_collectives)(const struct refrain_together *together, void *archive);
    /* Each value becomes the largest that any process has, or with `add` their sum: below 2^63, as not every MPI takes
     * them as unsigned. */
    void (*combine)(const struct refrain_together *together, uint64_t *values, size_t n, bool add);
    /* Have all done what was to be done? */
    bool (*all)(const struct refrain_together *together, bool done);
    /* The same after the last event, or where one process gives up before: what others tell it is not waited for. */
    bool (*settle)(const struct refrain_together *together, bool done);
    /* Ends all processes, this one with the message on standard error: where not all can be asked. */
    void (*abandon)(const struct refrain_together *together, const char *message);
};

#endif
