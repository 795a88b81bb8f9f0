/* thread_writer.c: rings of batches of events, each between two threads (thread_writer.h). */
#include "commands/thread_writer.h"
#include "model/trace_read.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 8u                     /* one is filled, one is written, the others wait */
#define BATCH_BYTES ((size_t)64 << 10) /* all of them fit into a processor's cache */

/* Most events are entries and exits, which do not use the fields from this one on (refrain/read.h). So these fields are
 * not copied. */
#define SHORT_BYTES offsetof(struct refrain_event, comm)

/* A waiting thread is woken after this many batches, since waking it takes as long as writing some hundred events. At
 * most one of the two threads waits. */
#define WAKE_BATCHES (BATCHES / 2)

struct batch {
    size_t n; /* bytes in use */
    unsigned char bytes[BATCH_BYTES];
};

/* A thread that writes, and its queue. */
struct lane {
    struct refrain_writer *inner;
    pthread_t thread;
    bool runs;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t filled, written; /* number of batches since the beginning */
    bool ended;             /* no more batches will be filled */
    int status;             /* of the inner writer */
    struct batch batches[BATCHES];
};

struct thread_writer {
    struct refrain_writer writer, *inner;
    struct refrain_writer *(*part)(struct refrain_writer *inner);
    uint64_t n_ranks;
    unsigned n_lanes, n; /* n of these run */
    struct lane *lanes;
};

static inline bool is_short(const struct refrain_event *event) {
    return event->kind <= REFRAIN_EVENT_LEAVE;
}

/* Passes the batch's events to the inner writer, until it fails. */
static int write_batch(struct refrain_writer *inner, const struct batch *batch) {
    struct refrain_event brief = {.peer = -1, .request = -1}, full;
    int status = 0;
    for (size_t at = 0; status == 0 && at < batch->n;) {
        memcpy(&brief, batch->bytes + at, SHORT_BYTES);
        if (is_short(&brief)) {
            at += SHORT_BYTES;
            status = inner->event(inner, &brief);
        } else {
            memcpy(&full, batch->bytes + at, sizeof full);
            at += sizeof full;
            status = inner->event(inner, &full);
        }
    }
    return status;
}

/* Writes batches until there are no more. Batches after a failure are skipped. */
static void *write_batches(void *data) {
    struct lane *lane = data;
    pthread_mutex_lock(&lane->mutex);
    for (;;) {
        if (lane->written == lane->filled)
            while (lane->filled - lane->written < WAKE_BATCHES && !lane->ended)
                pthread_cond_wait(&lane->changed, &lane->mutex);
        if (lane->written == lane->filled)
            break;
        const struct batch *batch = &lane->batches[lane->written % BATCHES];
        int status = lane->status;
        pthread_mutex_unlock(&lane->mutex);
        if (status == 0)
            status = write_batch(lane->inner, batch);
        pthread_mutex_lock(&lane->mutex);
        lane->status = status;
        lane->written++;
        if (lane->filled - lane->written == BATCHES - WAKE_BATCHES)
            pthread_cond_signal(&lane->changed);
    }
    pthread_mutex_unlock(&lane->mutex);
    return NULL;
}

/* Hands the full batch to the other thread, and waits for room for the next one. */
static int hand_over(struct lane *lane) {
    pthread_mutex_lock(&lane->mutex);
    lane->filled++;
    if (lane->filled - lane->written == WAKE_BATCHES)
        pthread_cond_signal(&lane->changed);
    if (lane->filled - lane->written == BATCHES)
        while (lane->filled - lane->written > BATCHES - WAKE_BATCHES)
            pthread_cond_wait(&lane->changed, &lane->mutex);
    int status = lane->status;
    pthread_mutex_unlock(&lane->mutex);
    lane->batches[lane->filled % BATCHES].n = 0;
    return status;
}

static int begin(struct refrain_writer *base, const struct refrain_trace *trace) {
    struct thread_writer *writer = (struct thread_writer *)base;
    int status = writer->inner->begin ? writer->inner->begin(writer->inner, trace) : 0;
    writer->n_ranks = (uint64_t)trace->size;
    if (writer->n > writer->n_ranks)
        writer->n = (unsigned)writer->n_ranks;
    for (unsigned i = 0; status == 0 && writer->inner->event && i < writer->n; i++) {
        struct lane *lane = &writer->lanes[i];
        lane->inner = i > 0 ? writer->part(writer->inner) : writer->inner;
        lane->runs = lane->inner && pthread_create(&lane->thread, NULL, write_batches, lane) == 0;
        /* If no further thread can be started, the existing threads write, or this one. */
        if (!lane->runs)
            writer->n = i;
    }
    return status;
}

/* Copies an event. Its time was stored just before, so it is copied by itself: a wider read would wait until the store
 * has reached the cache. */
static inline void put(unsigned char *to, const struct refrain_event *event, size_t bytes) {
    const size_t time = offsetof(struct refrain_event, time_ns), after_time = time + sizeof event->time_ns;
    const unsigned char *from = (const unsigned char *)event;
    memcpy(to, from, time);
    memcpy(to + time, from + time, after_time - time);
    memcpy(to + after_time, from + after_time, SHORT_BYTES - after_time);
    if (bytes > SHORT_BYTES)
        memcpy(to + SHORT_BYTES, from + SHORT_BYTES, sizeof *event - SHORT_BYTES);
}

static int event(struct refrain_writer *base, const struct refrain_event *event) {
    struct thread_writer *writer = (struct thread_writer *)base;
    if (writer->n == 0)
        return writer->inner->event ? writer->inner->event(writer->inner, event) : 0;
    struct lane *lane =
        writer->n == 1 ? writer->lanes : &writer->lanes[(uint64_t)event->rank * writer->n / writer->n_ranks];
    struct batch *batch = &lane->batches[lane->filled % BATCHES];
    const size_t bytes = is_short(event) ? SHORT_BYTES : sizeof *event;
    put(batch->bytes + batch->n, event, bytes);
    batch->n += bytes;
    return BATCH_BYTES - batch->n < sizeof *event ? hand_over(lane) : 0;
}

/* Waits until the thread has written everything. Returns its writer's status. */
static int end_lane(struct lane *lane) {
    if (!lane->runs)
        return 0;
    hand_over(lane);
    pthread_mutex_lock(&lane->mutex);
    lane->ended = true;
    pthread_cond_signal(&lane->changed);
    pthread_mutex_unlock(&lane->mutex);
    pthread_join(lane->thread, NULL);
    return lane->status;
}

static int end(struct refrain_writer *base) {
    struct thread_writer *writer = (struct thread_writer *)base;
    int status = 0;
    for (unsigned i = 0; i < writer->n_lanes; i++) {
        int lane_status = end_lane(&writer->lanes[i]);
        status = status ? status : lane_status;
    }
    int ended = writer->inner->end ? writer->inner->end(writer->inner) : 0;
    for (unsigned i = 0; i < writer->n_lanes; i++) {
        pthread_mutex_destroy(&writer->lanes[i].mutex);
        pthread_cond_destroy(&writer->lanes[i].changed);
    }
    free(writer->lanes);
    free(writer);
    return status ? status : ended;
}

struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner,
                                             struct refrain_writer *(*part)(struct refrain_writer *inner), unsigned n) {
    struct thread_writer *writer = calloc(1, sizeof *writer);
    struct lane *lanes = writer ? calloc(n, sizeof *lanes) : NULL;
    if (!lanes) {
        free(writer);
        return NULL;
    }
    *writer = (struct thread_writer){
        .writer = {begin, event, end}, .inner = inner, .part = part, .n = n, .n_lanes = n, .lanes = lanes};
    for (unsigned i = 0; i < n; i++) {
        pthread_mutex_init(&lanes[i].mutex, NULL);
        pthread_cond_init(&lanes[i].changed, NULL);
    }
    return &writer->writer;
}
