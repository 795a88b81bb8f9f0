/* pool.h: the tasks that wait, last in first out. */
#ifndef POOL_H
#define POOL_H

#include "peaks.h"

struct pool {
    struct interval *tasks;
    long n, capacity;
};

void pool_put(struct pool *pool, struct interval task);
struct interval pool_take(struct pool *pool);
void pool_free(struct pool *pool);

#endif
