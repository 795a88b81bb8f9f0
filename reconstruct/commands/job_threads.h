/* job_threads.h: jobs that do not depend on each other, done by several threads (output.c -> cursor). */
#ifndef REFRAIN_JOB_THREADS_H
#define REFRAIN_JOB_THREADS_H

#include <stddef.h>

/* Calls job(data, i) for each i < n, in any order, by the calling thread and by others: *threads (an unsigned) in all.
 * Where there can be no further thread, fewer do it. Returns when all jobs are done. As `each` of a cursor's options.
 */
void refrain_job_threads(void (*job)(void *data, size_t i), void *data, size_t n, void *threads);

#endif
