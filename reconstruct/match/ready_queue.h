/* ready_queue.h: the locations that can continue, the earliest first (align.c). A binary heap. Of two locations with
 * the same time, the one with the smaller number comes first. */
#ifndef REFRAIN_READY_QUEUE_H
#define REFRAIN_READY_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_ready {
    int64_t time_ns;
    uint32_t location;
};

struct refrain_ready_queue {
    struct refrain_ready *heap; /* memory of the owner, with room for all locations */
    size_t n;
};

static inline bool refrain_ready_before(const struct refrain_ready *a, const struct refrain_ready *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->location < b->location;
}

/* Adds a location that is not in the queue. */
static inline void refrain_ready_put(struct refrain_ready_queue *queue, struct refrain_ready ready) {
    size_t i = queue->n++;
    while (i > 0 && refrain_ready_before(&ready, &queue->heap[(i - 1) / 2])) {
        queue->heap[i] = queue->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    queue->heap[i] = ready;
}

/* Removes the first location of a queue that is not empty, and adds another one. Returns the first one. */
static inline uint32_t refrain_ready_exchange(struct refrain_ready_queue *queue, struct refrain_ready ready) {
    uint32_t first = queue->heap[0].location;
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= queue->n)
            break;
        if (child + 1 < queue->n && refrain_ready_before(&queue->heap[child + 1], &queue->heap[child]))
            child++;
        if (!refrain_ready_before(&queue->heap[child], &ready))
            break;
        queue->heap[i] = queue->heap[child];
        i = child;
    }
    queue->heap[i] = ready;
    return first;
}

/* Removes and returns the first location of a queue that is not empty. */
static inline uint32_t refrain_ready_take(struct refrain_ready_queue *queue) {
    struct refrain_ready last = queue->heap[--queue->n];
    return queue->n > 0 ? refrain_ready_exchange(queue, last) : last.location;
}

#endif
