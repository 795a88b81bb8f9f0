/* job_threads.c: runs independent jobs on several threads (job_threads.h). */
#include "commands/job_threads.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

struct jobs {
    void (*job)(void *data, size_t i);
    void *data;
    size_t n;
    atomic_size_t next; /* number of the next job that no thread has begun */
};

static void *do_jobs(void *data) {
    struct jobs *jobs = data;
    size_t i;
    while ((i = atomic_fetch_add(&jobs->next, 1)) < jobs->n)
        jobs->job(jobs->data, i);
    return NULL;
}

unsigned refrain_job_processors(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (unsigned)processors : 1;
}

void refrain_job_threads(void (*job)(void *data, size_t i), void *data, size_t n, void *threads) {
    struct jobs jobs = {.job = job, .data = data, .n = n};
    const size_t wanted = *(const unsigned *)threads;
    const size_t most = wanted < n ? wanted : n;
    pthread_t *others = most > 1 ? calloc(most - 1, sizeof *others) : NULL;
    size_t n_others = 0;
    while (others && n_others < most - 1 && pthread_create(&others[n_others], NULL, do_jobs, &jobs) == 0)
        n_others++;
    do_jobs(&jobs);
    for (size_t i = 0; i < n_others; i++)
        pthread_join(others[i], NULL);
    free(others);
}
