/* norms.h: repeats a step until its changes are small. */
#ifndef HEAT_NORMS_H
#define HEAT_NORMS_H

typedef int (*norms_watcher)(int step, double norm, void *data);

/* Runs `advance` until its changes, over all ranks, are below `limit`, `most` times at most. Every eighth time `watch`
 * is told, and may stop it by a value other than 0. Returns the number of steps. */
int norms_settle(double (*advance)(void *), void *data, double limit, int most, norms_watcher watch);

/* The largest of all ranks' values. */
double norms_largest(double value);

#endif
