/* job.h: instrumenting one source, in a process of its own (transform.c). */
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

/* A job as words, for another process: these, then libclang's flags. */
enum refrain_job_word {
    REFRAIN_JOB_PROGRAM,
    REFRAIN_JOB_SOURCE,
    REFRAIN_JOB_TARGET,
    REFRAIN_JOB_FILTER,  /* its path; empty: none */
    REFRAIN_JOB_OPTIONS, /* of the letters a, e: detail all, every, l: late, v: verbose */
    REFRAIN_JOB_WORDS
};

struct refrain_job_copy {
    struct refrain_build build;
    struct refrain_filter filter;
    struct refrain_job job;
};

void refrain_job_write(const struct refrain_job *job, struct refrain_list *words);

/* Reads a job out of words, which have to stay. False: they are none, or the filter cannot be read. */
bool refrain_job_read(struct refrain_job_copy *copy, char *const *words, size_t count);

/* Instruments the source and writes its stand-in, with REFRAIN_INCLUDED_SUFFIX where other files are part of it. Says
 * in a line why there is none where that is no matter of course. The process is to end with the status that is
 * returned. */
enum refrain_instrument_status refrain_job_run(const struct refrain_job *job);

#endif
