/* job.h: instrumenting one source, in a process of its own (transform.c, server.c). */
#ifndef REFRAIN_JOB_H
#define REFRAIN_JOB_H

#include "build.h"
#include "filter.h"
#include "instrument.h"

#define REFRAIN_INCLUDED_SUFFIX ".included" /* beside the stand-in: the files that are part of it, one a line */

struct refrain_job {
    const struct refrain_build *build; /* its detail is not CALLS */
    const struct refrain_filter *filter;
    const char *source, *target; /* the file as the compiler was given it, and where its stand-in goes */
    const char *const *flags;    /* for libclang */
    size_t n_flags;
    bool late; /* -flto */
};

/* Instruments the source and writes its stand-in, with REFRAIN_INCLUDED_SUFFIX where other files are part of it. Says
 * in a line why there is none where that is no matter of course. The process is to end with the status that is
 * returned. */
enum refrain_instrument_status refrain_job_run(const struct refrain_job *job);

#endif
