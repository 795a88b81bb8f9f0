/* farm.h: a master hands out tasks, workers do them. */
#ifndef FARM_H
#define FARM_H

struct task {
    const char *name;
    long (*run)(long from, long to);
};

extern const struct task tasks[]; /* ends with a null name */
int count_tasks(void);

long primes(long from, long to);  /* how many primes */
long collatz(long from, long to); /* the longest chain */

enum { TAG_TASK = 1, TAG_RESULT, TAG_STOP };

/* Hands out `n` pieces of each task; fills `results`, one for each task. With one rank it does them itself. */
void master(int n, long *results);
void worker(void);

#endif
