/* pool.c: a stack that grows. */
#include "pool.h"
#include "../common/workload.h"

#include <stdlib.h>
#include <string.h>

void pool_put(struct pool *pool, struct interval task) {
    if (pool->n == pool->capacity) {
        long capacity = UPPER(64, 2 * pool->capacity);
        struct interval *tasks = NEW(struct interval, capacity);
        if (pool->n)
            memcpy(tasks, pool->tasks, (size_t)pool->n * sizeof *tasks);
        free(pool->tasks);
        pool->tasks = tasks;
        pool->capacity = capacity;
    }
    pool->tasks[pool->n++] = task;
}

struct interval pool_take(struct pool *pool) {
    return pool->tasks[--pool->n];
}

void pool_free(struct pool *pool) {
    free(pool->tasks);
    *pool = (struct pool){0};
}
