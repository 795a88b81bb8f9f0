/* job_threads.h: several threads do jobs that do not depend on each other (output.c -> cursor). */
#ifndef REFRAIN_JOB_THREADS_H
#define REFRAIN_JOB_THREADS_H

#include <stddef.h>

/* Calls job(data, i) for each i < n, in any order, on the calling thread and others: *threads (an unsigned) in all, or
 * fewer if no further thread can be started. Returns when all jobs are done. This is a cursor's option `each`. */
void refrain_job_threads(void (*job)(void *data, size_t i), void *data, size_t n, void *threads);

/* The number of processors in use, at least 1. */
unsigned refrain_job_processors(void);

#endif
