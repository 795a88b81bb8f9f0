/* thread_writer.c: a ring of batches of events between two threads (thread_writer.h). */
#include "thread_writer.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BATCHES 8u                     /* one is filled, one is written, others wait */
#define BATCH_BYTES ((size_t)64 << 10) /* all of them stay in a processor's cache */

/* Entries and exits, which most events are, have nothing in the fields from this one on (refrain/read.h), so these are
 * not handed over. */
#define SHORT_BYTES offsetof(struct refrain_event, comm)

/* Who waits is woken for so many batches: to wake a thread takes as long as to write some hundred events. At most one
 * of the two waits at a time. */
#define WAKE_BATCHES (BATCHES / 2)

struct batch {
    size_t n; /* bytes */
    unsigned char bytes[BATCH_BYTES];
};

struct thread_writer {
    struct refrain_writer writer, *inner;
    pthread_t thread;
    bool runs;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    size_t filled, written; /* batches, since the beginning */
    bool ended;             /* no more will be filled */
    int status;             /* what the inner writer said */
    struct batch batches[BATCHES];
};

static inline bool is_short(const struct refrain_event *event) {
    return event->kind <= REFRAIN_EVENT_LEAVE;
}

/* Gives the batch's events to the inner writer, up to one that it does not take. */
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

/* Writes batches until there are no more; those behind one that failed are passed over. */
static void *write_batches(void *data) {
    struct thread_writer *writer = data;
    pthread_mutex_lock(&writer->mutex);
    for (;;) {
        if (writer->written == writer->filled)
            while (writer->filled - writer->written < WAKE_BATCHES && !writer->ended)
                pthread_cond_wait(&writer->changed, &writer->mutex);
        if (writer->written == writer->filled)
            break;
        const struct batch *batch = &writer->batches[writer->written % BATCHES];
        int status = writer->status;
        pthread_mutex_unlock(&writer->mutex);
        if (status == 0)
            status = write_batch(writer->inner, batch);
        pthread_mutex_lock(&writer->mutex);
        writer->status = status;
        writer->written++;
        if (writer->filled - writer->written == BATCHES - WAKE_BATCHES)
            pthread_cond_signal(&writer->changed);
    }
    pthread_mutex_unlock(&writer->mutex);
    return NULL;
}

/* The batch that is being filled goes to the other thread; waits until there is room for the next one. */
static int hand_over(struct thread_writer *writer) {
    pthread_mutex_lock(&writer->mutex);
    writer->filled++;
    if (writer->filled - writer->written == WAKE_BATCHES)
        pthread_cond_signal(&writer->changed);
    if (writer->filled - writer->written == BATCHES)
        while (writer->filled - writer->written > BATCHES - WAKE_BATCHES)
            pthread_cond_wait(&writer->changed, &writer->mutex);
    int status = writer->status;
    pthread_mutex_unlock(&writer->mutex);
    writer->batches[writer->filled % BATCHES].n = 0;
    return status;
}

static int begin(struct refrain_writer *base, const struct refrain_trace *trace) {
    struct thread_writer *writer = (struct thread_writer *)base;
    int status = writer->inner->begin ? writer->inner->begin(writer->inner, trace) : 0;
    /* Where there can be no further thread, this one writes. */
    writer->runs =
        status == 0 && writer->inner->event && pthread_create(&writer->thread, NULL, write_batches, writer) == 0;
    return status;
}

/* Copies an event. Its time has been written just now, and is copied apart: a wider read of it would have to wait until
 * that has come to the cache. */
static inline void put(unsigned char *to, const struct refrain_event *event, size_t bytes) {
    const size_t time = offsetof(struct refrain_event, time_ns), behind = time + sizeof event->time_ns;
    const unsigned char *from = (const unsigned char *)event;
    memcpy(to, from, time);
    memcpy(to + time, from + time, behind - time);
    memcpy(to + behind, from + behind, SHORT_BYTES - behind);
    if (bytes > SHORT_BYTES)
        memcpy(to + SHORT_BYTES, from + SHORT_BYTES, sizeof *event - SHORT_BYTES);
}

static int event(struct refrain_writer *base, const struct refrain_event *event) {
    struct thread_writer *writer = (struct thread_writer *)base;
    if (!writer->runs)
        return writer->inner->event ? writer->inner->event(writer->inner, event) : 0;
    struct batch *batch = &writer->batches[writer->filled % BATCHES];
    const size_t bytes = is_short(event) ? SHORT_BYTES : sizeof *event;
    put(batch->bytes + batch->n, event, bytes);
    batch->n += bytes;
    return BATCH_BYTES - batch->n < sizeof *event ? hand_over(writer) : 0;
}

static int end(struct refrain_writer *base) {
    struct thread_writer *writer = (struct thread_writer *)base;
    if (writer->runs) {
        hand_over(writer);
        pthread_mutex_lock(&writer->mutex);
        writer->ended = true;
        pthread_cond_signal(&writer->changed);
        pthread_mutex_unlock(&writer->mutex);
        pthread_join(writer->thread, NULL);
    }
    int status = writer->status, ended = writer->inner->end ? writer->inner->end(writer->inner) : 0;
    pthread_mutex_destroy(&writer->mutex);
    pthread_cond_destroy(&writer->changed);
    free(writer);
    return status ? status : ended;
}

struct refrain_writer *refrain_thread_writer(struct refrain_writer *inner) {
    struct thread_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->writer = (struct refrain_writer){begin, event, end};
    writer->inner = inner;
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    return &writer->writer;
}
