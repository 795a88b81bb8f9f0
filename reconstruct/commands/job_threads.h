/* job_threads.h: several threads do jobs that do not depend on each other (outputs, figures, saved states). */
#ifndef REFRAIN_JOB_THREADS_H
#define REFRAIN_JOB_THREADS_H

#include <stddef.h>

/* Calls job(data, i) for each i < n, in any order. At most *threads (an unsigned) threads work, the caller included;
 * fewer if n is smaller or no further thread can be started. Returns when all jobs are done. A cursor's option `each`
 * has this form. */
void refrain_job_threads(void (*job)(void *data, size_t i), void *data, size_t n, void *threads);

/* The number of processors that are online, at least 1. */
unsigned refrain_job_processors(void);

#endif
