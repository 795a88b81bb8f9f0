/* job.h: instruments one source in a process of its own (transform.c). */
#ifndef REFRAIN_JOB_H
#define REFRAIN_JOB_H

#include "build.h"
#include "filter.h"
#include "instrument.h"

/* Suffix of a file beside the stand-in: the files that are part of it, one per line. */
#define REFRAIN_INCLUDED_SUFFIX ".included"

struct refrain_job {
    const struct refrain_build *build; /* its detail is not CALLS */
    const struct refrain_filter *filter;
    const char *source, *target; /* the source as given to the compiler; the path of its stand-in */
    const char *const *flags;    /* for libclang */
    size_t n_flags;
    bool lto; /* -flto */
};

/* A job as words for another process: these, then the flags for libclang. */
enum refrain_job_word {
    REFRAIN_JOB_PROGRAM,
    REFRAIN_JOB_SOURCE,
    REFRAIN_JOB_TARGET,
    REFRAIN_JOB_FILTER,  /* path of the filter; empty: none */
    REFRAIN_JOB_OPTIONS, /* letters: a and e for detail all and every, l for -flto, v for verbose */
    REFRAIN_JOB_WORDS
};

struct refrain_job_copy {
    struct refrain_build build;
    struct refrain_filter filter;
    struct refrain_job job;
};

void refrain_job_write(const struct refrain_job *job, struct refrain_list *words);

/* Parses a job from words, which must stay valid. False if they are no job, or if the filter cannot be read. */
bool refrain_job_read(struct refrain_job_copy *copy, char *const *words, size_t count);

/* Instruments the source and writes its stand-in, and its REFRAIN_INCLUDED_SUFFIX file if other files are part of
 * it. If there is no stand-in for an unusual reason, says why in one line. The process should exit with the returned
 * status. */
enum refrain_instrument_status refrain_job_run(const struct refrain_job *job);

#endif
