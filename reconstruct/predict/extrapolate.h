/* extrapolate.h: a program, executed by any number of ranks, as a trace (program.h -> import_trace.h).
 *
 *     first walk of each rank:   communicators and their members, amounts that collectives share
 *     second walk:               events
 *
 * Computations take their mean time, and calls take none: nothing is known of how ranks wait for each other. */
#ifndef REFRAIN_EXTRAPOLATE_H
#define REFRAIN_EXTRAPOLATE_H

#include "predict/program.h"

struct refrain_extrapolation {
    const struct refrain_program *program;
    int32_t ranks;
    const char *directory; /* of the new trace, which must not exist */
    const char *source;    /* path of the model or of the first trace, for refrain info */
    void (*progress)(void *data, int32_t rank, int32_t of); /* called before each walk; may be null */
    void *data;
    uint64_t events; /* result: number of them */
};

/* The error says why the program says nothing of this number of ranks, or which of its expressions has no meaning. */
enum refrain_status refrain_extrapolate(struct refrain_extrapolation *extrapolation, struct refrain_error *error);

#endif
